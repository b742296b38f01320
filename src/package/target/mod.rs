//! The resources of a package that patches and configurations are for, and what becomes of them.

mod written;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::assemble::Insertion;
use super::items::{ChangedItems, Item, items, text_in};
use super::parsed::Parsed;
use super::readable::Readable;
use super::resource::ResourceId;
use super::selector::Selector;
use crate::error::{Error, Place};
use crate::schema::Schema;
use crate::yaml::Tree;

/// A document of the target, or an item of one that is a list of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ResourceRef {
    file: usize,
    document: usize,
    item: Option<usize>,
}

/// The files of the target that can be read, with what became of them.
pub(super) struct Target<'a> {
    files: Vec<Patched<'a>>,
    /// The files that come, by path.
    added: FxHashMap<PathBuf, Option<String>>,
    resources: Vec<(ResourceId<'a>, ResourceRef)>,
    /// The numbers in `resources`, by kind and name.
    by_name: FxHashMap<(Cow<'a, str>, Cow<'a, str>), Vec<usize>>,
}

struct Patched<'a> {
    read: Readable<'a>,
    documents: Vec<PatchedDocument>,
    coming: Vec<Insertion>,
}

/// What is known of a document beside its tree.
#[derive(Default)]
struct PatchedDocument {
    /// Its new text, if it has one.
    text: Option<String>,
    items: Vec<Item>,
    /// What becomes of the items, which is not in `text` yet.
    changed: ChangedItems,
    /// Whether it is deleted.
    is_gone: bool,
}

impl<'a> Target<'a> {
    pub(super) fn new(files: Vec<Readable<'a>>) -> Self {
        let files: Vec<Patched<'a>> = files.into_iter().map(Patched::new).collect();
        let mut resources = Vec::new();
        for (file, patched) in files.iter().enumerate() {
            for (document, parsed) in patched.read.file.documents.iter().enumerate() {
                let found = |item| ResourceRef {
                    file,
                    document,
                    item,
                };
                let own = parsed.resource.as_ref();
                resources.extend(own.map(|resource| (resource.id.clone(), found(None))));
                let items = patched.documents[document].items.iter().enumerate();
                resources.extend(
                    items.filter_map(|(item, it)| Some((it.id.clone()?, found(Some(item))))),
                );
            }
        }
        let mut by_name: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (number, (id, _)) in resources.iter().enumerate() {
            let name = (id.kind.clone(), id.name.clone());
            by_name.entry(name).or_default().push(number);
        }
        Self {
            files,
            added: FxHashMap::default(),
            resources,
            by_name,
        }
    }

    /// The resources of this kind and name, in its namespace or in the one that is given.
    fn called(
        &self,
        wanted: &ResourceId<'_>,
        namespace: Option<&str>,
    ) -> Vec<&(ResourceId<'a>, ResourceRef)> {
        let name = (wanted.kind.clone(), wanted.name.clone());
        let numbers = self.by_name.get(&name).into_iter().flatten();
        let resources = numbers.map(|number| &self.resources[*number]);
        resources
            .filter(|(id, found)| !self.is_gone(*found) && id.is_in_namespace_of(wanted, namespace))
            .collect()
    }

    /// What a configuration is for: the resources of its group, kind and name.
    pub(super) fn of_group(
        &self,
        wanted: &ResourceId<'_>,
        namespace: Option<&str>,
    ) -> Vec<ResourceRef> {
        let called = self.called(wanted, namespace).into_iter();
        let of_group = called.filter(|(id, _)| id.group() == wanted.group());
        of_group.map(|(_, found)| *found).collect()
    }

    /// What a patch is for that names `wanted`: what it does not say may be anything. A resource of
    /// another version of the same API is meant where there is none of that version, and where
    /// there is none either, one of the API that Kubernetes had the kind in, or has it in now.
    pub(super) fn named(
        &self,
        wanted: &ResourceId<'_>,
        namespace: Option<&str>,
    ) -> Vec<ResourceRef> {
        let in_namespace = self.called(wanted, namespace);
        let of = |is_wanted: &dyn Fn(&ResourceId<'_>) -> bool| -> Vec<ResourceRef> {
            let found = in_namespace.iter().filter(|(id, _)| is_wanted(id));
            found.map(|(_, found)| *found).collect()
        };
        let is_built_in = |id: &ResourceId<'_>| Schema::is_built_in(&id.api_version, &id.kind);
        let by_version: [&dyn Fn(&ResourceId<'_>) -> bool; 3] = [
            &|id| id.api_version == wanted.api_version,
            &|id| id.group() == wanted.group(),
            &|id| is_built_in(id) && is_built_in(wanted),
        ];
        match &*wanted.api_version {
            "" => of(&|_| true),
            _ => {
                let mut found = by_version.into_iter().map(of);
                found.find(|found| !found.is_empty()).unwrap_or_default()
            }
        }
    }

    /// What a selector means.
    pub(super) fn selected(
        &self,
        selector: &Selector,
        namespace: Option<&str>,
    ) -> Vec<ResourceRef> {
        let is_meant = |(id, found): &&(ResourceId<'_>, ResourceRef)| {
            !self.is_gone(*found)
                && id.may_be_in(namespace)
                && selector.is_of(id, self.tree(*found).as_deref())
        };
        let resources = self.resources.iter().filter(is_meant);
        resources.map(|(_, found)| *found).collect()
    }

    /// All resources.
    pub(super) fn resources(&self) -> impl Iterator<Item = ResourceRef> {
        self.resources.iter().map(|(_, found)| *found)
    }

    /// The documents that are resources; where there are none, all documents.
    pub(super) fn documents(&self) -> Vec<ResourceRef> {
        let whole = self.resources().filter(|found| found.item.is_none());
        let whole: Vec<ResourceRef> = whole.collect();
        if !whole.is_empty() {
            return whole;
        }
        let mut all = Vec::new();
        for (file, patched) in self.files.iter().enumerate() {
            let documents = 0..patched.read.file.documents.len();
            all.extend(documents.map(|document| ResourceRef {
                file,
                document,
                item: None,
            }));
        }
        all
    }

    /// Some resources that are like the one that is not there.
    pub(super) fn like(&self, wanted: Option<&ResourceId<'_>>) -> Vec<String> {
        let is_like = |other: &ResourceId<'_>| match wanted {
            Some(id) => other.name == id.name || other.kind == id.kind,
            None => true,
        };
        let like = self.resources.iter().filter(|(id, _)| is_like(id));
        like.take(3).map(|(id, _)| id.to_string()).collect()
    }

    /// The file that it is in.
    pub(super) fn path(&self, found: ResourceRef) -> &Path {
        &self.files[found.file].read.path
    }

    /// File and line.
    pub(super) fn line(&self, found: ResourceRef) -> String {
        let path = self.path(found);
        let line = match self.item(found) {
            Some(item) => item.origin.place(path, &item.text, 0, 0).line,
            None => self.parsed(found).document.line + 1,
        };
        format!("{}:{line}", path.display())
    }

    /// What it is called.
    pub(super) fn id(&self, found: ResourceRef) -> Option<&ResourceId<'a>> {
        match found.item {
            Some(_) => self.item(found)?.id.as_ref(),
            None => Some(&self.parsed(found).resource.as_ref()?.id),
        }
    }

    /// Its tree as it was read; `None` if there is no content.
    pub(super) fn tree(&self, found: ResourceRef) -> Option<Arc<Tree<'_>>> {
        match self.item(found) {
            Some(item) => Tree::parse(&item.text).ok()?.map(Arc::new),
            None => self.parsed(found).tree(),
        }
    }

    /// Its text as it is now.
    ///
    /// # Errors
    /// Where it is a list that would not hold what became of its items.
    pub(super) fn text(&self, found: ResourceRef) -> Result<String, Error> {
        let document = self.document(found);
        let whole = self.parsed(found).document.text;
        let Some((index, item)) = found.item.zip(self.item(found)) else {
            return Ok(document.put_back(self.path(found), whole)?.into_owned());
        };
        let text = match (document.changed.texts.get(&index), &document.text) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(list)) => text_in(list, index),
            (None, None) => Some(item.text.clone()),
        };
        Ok(text.unwrap_or_else(|| whole.to_owned()))
    }

    /// A place in its text, as one in its file.
    pub(super) fn place(&self, found: ResourceRef, text: &str, offset: usize) -> Place {
        match self.item(found) {
            Some(item) => item.origin.place(self.path(found), text, 0, offset),
            None if self.document(found).is_changed() => Place::new(self.path(found), text, offset),
            None => {
                let document = &self.parsed(found).document;
                Place::in_chunk(self.path(found), document.text, document.line, offset)
            }
        }
    }

    /// Gives it another text.
    pub(super) fn set(&mut self, found: ResourceRef, text: String) {
        let document = &mut self.files[found.file].documents[found.document];
        match found.item {
            Some(index) => {
                document.changed.texts.insert(index, text);
            }
            None => {
                document.changed.texts.clear();
                document.text = Some(text);
            }
        }
    }

    /// Deletes it.
    pub(super) fn delete(&mut self, found: ResourceRef) {
        let document = &mut self.files[found.file].documents[found.document];
        match found.item {
            Some(index) => {
                document.changed.gone.insert(index);
            }
            None => document.is_gone = true,
        }
    }

    /// Whether it is deleted, or the document that it is an item of.
    fn is_gone(&self, found: ResourceRef) -> bool {
        self.document(found).is_gone(found)
    }

    fn document(&self, found: ResourceRef) -> &PatchedDocument {
        &self.files[found.file].documents[found.document]
    }

    fn parsed(&self, found: ResourceRef) -> &Parsed<'a> {
        &self.files[found.file].read.file.documents[found.document]
    }

    fn item(&self, found: ResourceRef) -> Option<&Item> {
        found
            .item
            .and_then(|item| self.document(found).items.get(item))
    }
}

impl PatchedDocument {
    fn is_changed(&self) -> bool {
        self.text.is_some() || self.is_gone || !self.changed.is_empty()
    }

    /// Whether it is deleted, or that item of it.
    fn is_gone(&self, found: ResourceRef) -> bool {
        let mut item = found.item.iter();
        self.is_gone || item.any(|index| self.changed.gone.contains(index))
    }

    /// Its text with what became of its items; `whole` is what it was.
    fn put_back<'t>(&'t self, file: &Path, whole: &'t str) -> Result<Cow<'t, str>, Error> {
        let text = self.text.as_deref().unwrap_or(whole);
        self.changed.put_into(file, text)
    }
}

impl<'a> Patched<'a> {
    fn new(read: Readable<'a>) -> Self {
        let documents = read.file.documents.iter().map(|parsed| PatchedDocument {
            items: items(&read.path, read.file.text, parsed),
            ..PatchedDocument::default()
        });
        Self {
            documents: documents.collect(),
            coming: Vec::new(),
            read,
        }
    }
}
