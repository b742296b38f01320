//! A file's documents, read: their trees and what they are called.

use std::path::Path;
use std::sync::Arc;

use super::load::{Roots, Slot, Source};
use super::resource::ResourceId;
use crate::error::{Error, Place};
use crate::triple::Triple;
use crate::yaml::stream::split;
use crate::yaml::{Document, Tree};

/// A document of a file.
#[derive(Debug)]
pub(crate) struct Parsed<'a> {
    pub(crate) document: Document<'a>,
    /// None where there is no content: such a stretch is no document.
    pub(crate) tree: Option<Tree<'a>>,
    /// None where it is no resource.
    pub(crate) resource: Option<Resource>,
}

/// What a resource is called.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) id: ResourceId,
    /// The identity that it pairs by.
    pub(crate) pairing: ResourceId,
}

/// A file that is YAML.
#[derive(Debug)]
pub(crate) struct ParsedFile<'a> {
    pub(crate) text: &'a str,
    pub(crate) documents: Vec<Parsed<'a>>,
}

/// Why a file with a YAML name is not YAML.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    pub(crate) place: Place,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) utf8: bool,
}

/// One side of a file with a YAML name.
pub(crate) type Reading<'a> = Result<Arc<ParsedFile<'a>>, Box<Broken>>;
/// All sides of such a file.
pub(crate) type Readings<'a> = Triple<Option<Reading<'a>>>;

impl<'a> ParsedFile<'a> {
    /// Reads a text.
    pub(crate) fn parse(path: &Path, text: &'a str) -> Result<Self, Box<Broken>> {
        let parse = |document: Document<'a>| -> Result<_, Box<Broken>> {
            let tree = Tree::parse(document.text).map_err(|error| Broken {
                place: Place::new(path, text, document.start + error.offset),
                message: error.message,
                help: has_conflict_markers(text)
                    .then(|| "resolve the conflict markers in it first".to_owned())
                    .or(error.help),
                utf8: true,
            })?;
            let resource = tree.as_ref().and_then(|tree| {
                let id = ResourceId::of(tree)?;
                let pairing = id.for_pairing(tree);
                Some(Resource { id, pairing })
            });
            Ok(Parsed {
                document,
                tree,
                resource,
            })
        };
        Ok(Self {
            text,
            documents: split(text)
                .into_iter()
                .map(parse)
                .collect::<Result<_, Box<Broken>>>()?,
        })
    }

    /// Whether there is any document, not only comments.
    pub(crate) fn has_documents(&self) -> bool {
        self.documents.iter().any(|parsed| parsed.tree.is_some())
    }

    /// Two resources with one identity in this file, if there are such.
    pub(crate) fn duplicate(&self, path: &Path) -> Option<Error> {
        let mut seen = rustc_hash::FxHashMap::default();
        for parsed in &self.documents {
            let Some(resource) = &parsed.resource else {
                continue;
            };
            if let Some(first) = seen.insert(&resource.pairing, parsed) {
                return Some(Error::DuplicateResource {
                    resource: resource.pairing.to_string(),
                    first: Box::new(self.place(path, first)),
                    second: Box::new(self.place(path, parsed)),
                });
            }
        }
        None
    }

    /// Where a resource says its kind.
    fn place(&self, path: &Path, parsed: &Parsed<'_>) -> Place {
        let within = parsed.tree.as_ref().map_or(0, |tree| {
            let kind = tree.find(tree.root().value, "kind");
            kind.map_or(0, |entry| tree.entry(entry).span.start)
        });
        Place::new(path, self.text, parsed.document.start + within as usize)
    }
}

/// Whether somebody has left conflict markers in a file.
fn has_conflict_markers(text: &str) -> bool {
    ["<<<<<<<", ">>>>>>>"]
        .iter()
        .all(|sign| text.lines().any(|line| line.starts_with(sign)))
}

/// Reads all sides of a file with a YAML name; sides that are the same to the byte are read once.
pub(crate) fn read_sides<'a>(slot: &'a Slot, roots: &Roots) -> Readings<'a> {
    let sources = slot.sides.as_ref().map(Option::as_ref);
    let paths = roots.paths(&slot.path);
    let original = sources
        .original
        .map(|source| shared(&paths.original, source));
    let updated = same(sources.updated, sources.original, original.as_ref())
        .or_else(|| sources.updated.map(|source| shared(&paths.updated, source)));
    let local = same(sources.local, sources.original, original.as_ref())
        .or_else(|| same(sources.local, sources.updated, updated.as_ref()))
        .or_else(|| sources.local.map(|source| shared(&paths.local, source)));
    Triple {
        original,
        updated,
        local,
    }
}

/// The other side's reading, where the bytes are the same and the reading is good.
fn same<'a>(
    source: Option<&Source>,
    other: Option<&Source>,
    reading: Option<&Reading<'a>>,
) -> Option<Reading<'a>> {
    let (source, other) = (source?, other?);
    let reading = reading?.as_ref().ok()?;
    (source.bytes == other.bytes).then(|| Ok(Arc::clone(reading)))
}

fn shared<'a>(path: &Path, source: &'a Source) -> Reading<'a> {
    read(path, source).map(Arc::new)
}

/// Reads a file.
pub(crate) fn read<'a>(path: &Path, source: &'a Source) -> Result<ParsedFile<'a>, Box<Broken>> {
    match std::str::from_utf8(&source.bytes) {
        Ok(text) => ParsedFile::parse(path, text),
        Err(error) => {
            let text = String::from_utf8_lossy(&source.bytes);
            Err(Box::new(Broken {
                place: Place::new(path, &text, error.valid_up_to()),
                message: "not UTF-8 from here on".to_owned(),
                help: None,
                utf8: false,
            }))
        }
    }
}
