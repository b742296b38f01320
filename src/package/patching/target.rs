//! What patches can be for: the resources of a package, and what became of their text.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::name::ResourceName;
use super::readable::Readable;
use crate::error::{Error, Place};
use crate::package::items::{Item, items};
use crate::package::parsed::Parsed;
use crate::package::resource::ResourceId;

/// A document of the target, or an item of one that is a list of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    file: usize,
    document: usize,
    item: Option<usize>,
}

/// The files of the target that can be read, with what patches made of them.
pub(super) struct Target<'a> {
    files: Vec<Patched<'a>>,
    resources: Vec<(ResourceId, Found)>,
    /// The numbers in `resources`, by kind and name.
    by_name: FxHashMap<(String, String), Vec<usize>>,
}

struct Patched<'a> {
    read: Readable<'a>,
    documents: Vec<PatchedDocument>,
}

/// What is known of a document beside its tree.
#[derive(Default)]
struct PatchedDocument {
    /// Its new text, if it has one.
    text: Option<String>,
    items: Vec<Item>,
}

impl<'a> Target<'a> {
    pub(super) fn new(files: Vec<Readable<'a>>) -> Self {
        let files: Vec<Patched<'a>> = files.into_iter().map(Patched::new).collect();
        let mut resources = Vec::new();
        for (file, patched) in files.iter().enumerate() {
            for (document, parsed) in patched.read.file.documents.iter().enumerate() {
                let found = |item| Found {
                    file,
                    document,
                    item,
                };
                let own = parsed.resource.as_ref();
                resources.extend(own.map(|resource| (resource.id.to_id(), found(None))));
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
            resources,
            by_name,
        }
    }

    /// What a patch is for that names `wanted`: what it does not say may be anything.
    pub(super) fn named(&self, wanted: &ResourceId) -> Vec<Found> {
        let fits = |wanted: &str, other: &str| wanted.is_empty() || wanted == other;
        let name = (wanted.kind.clone(), wanted.name.clone());
        let numbers = self.by_name.get(&name).into_iter().flatten();
        let resources = numbers.map(|number| &self.resources[*number]);
        resources
            .filter(|(id, _)| {
                fits(&wanted.namespace, &id.namespace) && fits(&wanted.api_version, &id.api_version)
            })
            .map(|(_, found)| *found)
            .collect()
    }

    /// What somebody calls so.
    pub(super) fn called(&self, name: &ResourceName) -> Vec<Found> {
        let resources = self.resources.iter().filter(|(id, _)| name.is_of(id));
        resources.map(|(_, found)| *found).collect()
    }

    /// The documents that are resources; where there are none, all documents.
    pub(super) fn documents(&self) -> Vec<Found> {
        let resources = self.resources.iter().map(|(_, found)| *found);
        let whole: Vec<Found> = resources.filter(|found| found.item.is_none()).collect();
        if !whole.is_empty() {
            return whole;
        }
        let mut all = Vec::new();
        for (file, patched) in self.files.iter().enumerate() {
            let documents = patched.read.file.documents.iter().enumerate();
            all.extend(
                documents
                    .filter(|(_, parsed)| parsed.has_content)
                    .map(|(document, _)| Found {
                        file,
                        document,
                        item: None,
                    }),
            );
        }
        all
    }

    /// Some resources that are like the one that is not there.
    pub(super) fn like(&self, wanted: Option<&ResourceId>) -> Vec<String> {
        let is_like = |other: &ResourceId| match wanted {
            Some(id) => other.name == id.name || other.kind == id.kind,
            None => true,
        };
        let like = self.resources.iter().filter(|(id, _)| is_like(id));
        like.take(3).map(|(id, _)| id.to_string()).collect()
    }

    /// The file that it is in.
    pub(super) fn path(&self, found: Found) -> &Path {
        &self.files[found.file].read.path
    }

    /// File and line.
    pub(super) fn line(&self, found: Found) -> String {
        let parsed = self.parsed(found);
        let place = match self.item(found) {
            Some(item) => item.origin.place(self.path(found), &item.text, 0),
            None => {
                return format!(
                    "{}:{}",
                    self.path(found).display(),
                    parsed.document.line + 1
                );
            }
        };
        format!("{}:{}", place.path.display(), place.line)
    }

    /// What it is called.
    pub(super) fn id(&self, found: Found) -> Option<ResourceId> {
        match found.item {
            Some(_) => self.item(found)?.id.clone(),
            None => Some(self.parsed(found).resource.as_ref()?.id.to_id()),
        }
    }

    /// Its text as it is now.
    pub(super) fn text(&self, found: Found) -> String {
        let list = self.document_text(found);
        let item = self.item(found).and_then(|item| item.text_in(list));
        item.unwrap_or_else(|| list.to_owned())
    }

    /// A place in its text, as one in its file.
    pub(super) fn place(&self, found: Found, text: &str, offset: usize) -> Place {
        match self.item(found) {
            Some(item) => item.origin.place(self.path(found), text, offset),
            None if self.is_changed(found) => Place::new(self.path(found), text, offset),
            None => {
                let whole = self.files[found.file].read.file.text;
                let start = self.parsed(found).document.start;
                Place::new(self.path(found), whole, start + offset)
            }
        }
    }

    /// Gives it another text.
    ///
    /// # Errors
    /// Where the list that it is in would not hold it.
    pub(super) fn set(&mut self, found: Found, text: String) -> Result<(), Error> {
        let text = match self.item(found) {
            Some(item) => item.put_back(self.path(found), self.document_text(found), &text)?,
            None => text,
        };
        self.files[found.file].documents[found.document].text = Some(text);
        Ok(())
    }

    /// The files that changed: which of the package's, and the new text.
    pub(super) fn into_changed(self) -> impl Iterator<Item = (PathBuf, String)> {
        let is_changed = |file: &Patched<'_>| file.documents.iter().any(|it| it.text.is_some());
        let changed = self.files.into_iter().filter(is_changed);
        changed.map(|file| (file.read.name.to_owned(), file.text()))
    }

    fn is_changed(&self, found: Found) -> bool {
        let document = &self.files[found.file].documents[found.document];
        document.text.is_some()
    }

    fn parsed(&self, found: Found) -> &Parsed<'a> {
        &self.files[found.file].read.file.documents[found.document]
    }

    fn item(&self, found: Found) -> Option<&Item> {
        let document = &self.files[found.file].documents[found.document];
        found.item.and_then(|item| document.items.get(item))
    }

    fn document_text(&self, found: Found) -> &str {
        let text = &self.files[found.file].documents[found.document].text;
        text.as_deref().unwrap_or(self.parsed(found).document.text)
    }
}

impl<'a> Patched<'a> {
    fn new(read: Readable<'a>) -> Self {
        let documents = read.file.documents.iter().map(|parsed| PatchedDocument {
            text: None,
            items: items(&read.path, read.file.text, parsed),
        });
        Self {
            documents: documents.collect(),
            read,
        }
    }

    /// The file's new text: its chunks joined are the file.
    fn text(&self) -> String {
        let documents = self.read.file.documents.iter().zip(&self.documents);
        documents
            .map(|(parsed, patched)| patched.text.as_deref().unwrap_or(parsed.document.text))
            .collect()
    }
}
