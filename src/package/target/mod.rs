//! The resources of a package to which patches and configurations are applied, and their new texts.
//!
//! [`Target`] finds resources and records their new texts. `written` puts the files together.

mod written;

use std::borrow::Cow;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assemble::Insertion;
use super::items::{ChangedItems, Item, items, text_in, with_changes};
use super::parsed::Parsed;
use super::read::SourceFile;
use super::resource::ResourceId;
use super::selector::Selector;
use crate::error::{Error, Place};
use crate::schema::Schema;
use crate::yaml::Tree;

/// A reference to a document of the target, or to an item of a document that is a list of
/// resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ResourceRef {
    file: usize,
    document: usize,
    item: Option<usize>,
}

/// The files of the target, with their changes.
pub(super) struct Target<'a> {
    files: Vec<TargetFile<'a>>,
    /// The namespace of resources that are named without one.
    namespace: Option<&'a str>,
    /// The texts of new files, by path.
    added: FxHashMap<PathBuf, Option<String>>,
    /// All documents and items that are resources.
    resources: Vec<ResourceRef>,
    /// The same resources, by kind and name.
    by_name: FxHashMap<(Cow<'a, str>, Cow<'a, str>), Vec<ResourceRef>>,
}

struct TargetFile<'a> {
    read: SourceFile<'a>,
    documents: Vec<TargetDocument>,
    insertions: Vec<Insertion>,
}

/// The items of a document and its changes.
#[derive(Default)]
struct TargetDocument {
    /// The new text, if the document was changed.
    text: Option<String>,
    items: Vec<Item>,
    /// The changes of the items that are not in `text` yet.
    changed: ChangedItems,
    /// Whether the document is deleted.
    is_deleted: bool,
}

impl<'a> Target<'a> {
    pub(super) fn new(files: Vec<SourceFile<'a>>, namespace: Option<&'a str>) -> Self {
        let files = files.into_iter().map(|read| TargetFile {
            documents: read
                .file
                .documents
                .iter()
                .map(|parsed| TargetDocument {
                    items: items(read.file.text, parsed),
                    ..TargetDocument::default()
                })
                .collect(),
            insertions: Vec::new(),
            read,
        });
        let mut target = Self {
            files: files.collect(),
            namespace,
            added: FxHashMap::default(),
            resources: Vec::new(),
            by_name: FxHashMap::default(),
        };
        for document in target.all_documents() {
            let items = (0..target.document(document).items.len()).map(Some);
            for item in iter::once(None).chain(items) {
                let resource = ResourceRef { item, ..document };
                if let Some(id) = target.id(resource) {
                    let name = (id.kind.clone(), id.name.clone());
                    target.by_name.entry(name).or_default().push(resource);
                    target.resources.push(resource);
                }
            }
        }
        target
    }

    /// Returns the resources of the kind, name and namespace of `wanted` for which `is_wanted`
    /// returns true.
    fn named(
        &self,
        wanted: &ResourceId<'_>,
        is_wanted: impl Fn(&ResourceId<'_>) -> bool,
    ) -> Vec<ResourceRef> {
        let name = (wanted.kind.clone(), wanted.name.clone());
        let same_name = self.by_name.get(&name).into_iter().flatten().copied();
        let is_found =
            |id: &ResourceId<'_>| id.namespace_matches(wanted, self.namespace) && is_wanted(id);
        let is_found =
            |it: &ResourceRef| !self.is_deleted(*it) && self.id(*it).is_some_and(is_found);
        same_name.filter(is_found).collect()
    }

    /// Returns the resources to which a configuration applies: those of its group, kind and name.
    pub(super) fn of_group(&self, wanted: &ResourceId<'_>) -> Vec<ResourceRef> {
        self.named(wanted, |id| id.group() == wanted.group())
    }

    /// Returns the resources to which a patch that names `wanted` applies. Fields that `wanted`
    /// lacks match anything. If no resource has its apiVersion, those of the same API group match;
    /// if there are none either, those in another API group in which Kubernetes has or had the
    /// kind.
    pub(super) fn for_patch(&self, wanted: &ResourceId<'_>) -> Vec<ResourceRef> {
        if wanted.api_version.is_empty() {
            return self.named(wanted, |_| true);
        }
        let is_built_in = |id: &ResourceId<'_>| Schema::is_built_in(&id.api_version, &id.kind);
        let by_version: [&dyn Fn(&ResourceId<'_>) -> bool; 3] = [
            &|id| id.api_version == wanted.api_version,
            &|id| id.group() == wanted.group(),
            &|id| is_built_in(id) && is_built_in(wanted),
        ];
        let mut found = by_version
            .into_iter()
            .map(|is_wanted| self.named(wanted, is_wanted));
        found.find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Returns the resources that a selector matches. `namespace` limits them to one namespace, or
    /// none.
    pub(super) fn selected(
        &self,
        selector: &Selector,
        namespace: Option<&str>,
    ) -> Vec<ResourceRef> {
        let is_selected = |resource: &ResourceRef| {
            let id = self.id(*resource).filter(|id| id.may_be_in(namespace));
            let matches = |id| Some(selector.matches(id, &*self.tree(*resource)?));
            !self.is_deleted(*resource) && id.and_then(matches) == Some(true)
        };
        self.resources().filter(is_selected).collect()
    }

    /// Returns all resources.
    pub(super) fn resources(&self) -> impl Iterator<Item = ResourceRef> {
        self.resources.iter().copied()
    }

    /// Returns the documents that are resources; if there are none, all documents.
    pub(super) fn documents(&self) -> Vec<ResourceRef> {
        let whole_documents = self.resources().filter(|resource| resource.item.is_none());
        let whole_documents: Vec<ResourceRef> = whole_documents.collect();
        match whole_documents.is_empty() {
            true => self.all_documents(),
            false => whole_documents,
        }
    }

    fn all_documents(&self) -> Vec<ResourceRef> {
        let files = 0..self.files.len();
        files.flat_map(|file| self.documents_of(file)).collect()
    }

    /// Returns the documents of a file.
    fn documents_of(&self, file: usize) -> impl Iterator<Item = ResourceRef> {
        let documents = 0..self.files[file].documents.len();
        documents.map(move |document| ResourceRef {
            file,
            document,
            item: None,
        })
    }

    /// Returns the names of up to three resources of the same name or kind as `wanted`, for error
    /// messages.
    pub(super) fn similar_names(&self, wanted: Option<&ResourceId<'_>>) -> Vec<String> {
        let is_similar = |other: &ResourceId<'_>| match wanted {
            Some(id) => other.name == id.name || other.kind == id.kind,
            None => true,
        };
        let ids = self.resources().filter_map(|resource| self.id(resource));
        let similar = ids.filter(|id| is_similar(id));
        similar.take(3).map(ToString::to_string).collect()
    }

    /// Returns the path of the resource's file.
    pub(super) fn path(&self, resource: ResourceRef) -> &Path {
        self.files[resource.file].read.path
    }

    /// Returns `FILE:LINE` of the resource.
    pub(super) fn line(&self, resource: ResourceRef) -> String {
        let path = self.path(resource);
        let line = match self.item(resource) {
            Some(item) => item.origin.place(path, &item.text, 0, 0).line,
            None => self.parsed(resource).document.line + 1,
        };
        format!("{}:{line}", path.display())
    }

    /// Returns the identity of the resource.
    pub(super) fn id(&self, resource: ResourceRef) -> Option<&ResourceId<'a>> {
        match resource.item {
            Some(_) => self.item(resource)?.id.as_ref(),
            None => Some(&self.parsed(resource).resource.as_ref()?.id),
        }
    }

    /// Returns the tree of the resource as it was read; `None` if it has no content.
    pub(super) fn tree(&self, resource: ResourceRef) -> Option<Arc<Tree<'_>>> {
        match self.item(resource) {
            Some(item) => Tree::parse(&item.text).ok()?.map(Arc::new),
            None => self.parsed(resource).tree(),
        }
    }

    /// Returns the current text of the resource.
    ///
    /// # Errors
    /// If it is a list and its text with the changed items does not have the expected items.
    pub(super) fn text(&self, resource: ResourceRef) -> Result<String, Error> {
        let document = self.document(resource);
        let read_text = self.parsed(resource).document.text;
        let Some((index, item)) = resource.item.zip(self.item(resource)) else {
            return Ok(document
                .with_items(self.path(resource), read_text)?
                .into_owned());
        };
        let text = match (document.changed.get(&index), &document.text) {
            (Some(Some(text)), _) => Some(text.clone()),
            (_, Some(list)) => text_in(list, index),
            (_, None) => Some(item.text.clone()),
        };
        Ok(text.unwrap_or_else(|| read_text.to_owned()))
    }

    /// Returns the place of an offset in `text`, the text of the resource.
    pub(super) fn place(&self, resource: ResourceRef, text: &str, offset: usize) -> Place {
        match self.item(resource) {
            Some(item) => item.origin.place(self.path(resource), text, 0, offset),
            None if self.document(resource).is_changed() => {
                Place::new(self.path(resource), text, offset)
            }
            None => {
                let document = &self.parsed(resource).document;
                Place::in_chunk(self.path(resource), document.text, document.line, offset)
            }
        }
    }

    /// Sets the text of the resource.
    pub(super) fn set(&mut self, resource: ResourceRef, text: String) {
        let document = &mut self.files[resource.file].documents[resource.document];
        match resource.item {
            Some(index) => {
                document.changed.insert(index, Some(text));
            }
            None => {
                document.changed.retain(|_, text| text.is_none());
                document.text = Some(text);
            }
        }
    }

    /// Deletes the resource.
    pub(super) fn delete(&mut self, resource: ResourceRef) {
        let document = &mut self.files[resource.file].documents[resource.document];
        match resource.item {
            Some(index) => {
                document.changed.insert(index, None);
            }
            None => document.is_deleted = true,
        }
    }

    /// Returns true if the resource, or the document that it is an item of, is deleted.
    fn is_deleted(&self, resource: ResourceRef) -> bool {
        let document = self.document(resource);
        let is_gone = |item| document.changed.get(&item) == Some(&None);
        document.is_deleted || resource.item.is_some_and(is_gone)
    }

    fn document(&self, resource: ResourceRef) -> &TargetDocument {
        &self.files[resource.file].documents[resource.document]
    }

    fn parsed(&self, resource: ResourceRef) -> &Parsed<'a> {
        &self.files[resource.file].read.file.documents[resource.document]
    }

    fn item(&self, resource: ResourceRef) -> Option<&Item> {
        resource
            .item
            .and_then(|item| self.document(resource).items.get(item))
    }
}

impl TargetDocument {
    fn is_changed(&self) -> bool {
        self.text.is_some() || self.is_deleted || !self.changed.is_empty()
    }

    /// Returns the text of the document with the changed items. `read_text` is its text as it was
    /// read.
    fn with_items<'t>(&'t self, file: &Path, read_text: &'t str) -> Result<Cow<'t, str>, Error> {
        let text = self.text.as_deref().unwrap_or(read_text);
        with_changes(text, &self.changed, file)
    }
}
