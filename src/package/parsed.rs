//! A file's documents, read: their trees and what they are called.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::load::{Roots, Slot, Source};
use super::nulls::has_null;
use super::parallel::in_parallel;
use super::resource::Identity;
use crate::error::{Error, Place};
use crate::merge::is_large;
use crate::triple::Triple;
use crate::yaml::stream::split;
use crate::yaml::{Document, Outline, ParseError, Tree};

/// A document of a file: what is known of it while all files wait for theirs to be paired. Its tree, which takes many
/// times the memory of its text, is made when it is merged.
#[derive(Debug)]
pub(crate) struct Parsed<'a> {
    pub(crate) document: Document<'a>,
    /// Not where there are only comments: such a stretch is no document.
    pub(crate) has_content: bool,
    /// None where it is no resource.
    pub(crate) resource: Option<Resource<'a>>,
    /// Whether a field's value may be null anywhere.
    pub(crate) may_have_null: bool,
    /// Where memory allows to keep it.
    kept: Option<Box<Tree<'a>>>,
}

/// What a resource is called.
#[derive(Debug, Clone)]
pub(crate) struct Resource<'a> {
    pub(crate) id: Identity<'a>,
    /// The identity that it pairs by, where that is another.
    other: Option<Box<Identity<'a>>>,
}

/// Whether trees are kept from when a file is first read until it is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trees {
    /// Kept: a second reading would take longer.
    Kept,
    /// Dropped: they would take too much memory.
    Dropped,
}

impl Trees {
    /// Three packages of so many bytes may keep their trees: they take about ten times that.
    const SMALL: usize = 1 << 20;

    /// What to do with those of texts of so many bytes, all together.
    pub(crate) const fn of(bytes: usize) -> Self {
        if bytes <= Self::SMALL {
            Self::Kept
        } else {
            Self::Dropped
        }
    }
}

impl<'a> Parsed<'a> {
    fn read(document: Document<'a>, trees: Trees) -> Result<Self, ParseError> {
        if trees == Trees::Dropped
            && let Some(known) = Self::outlined(document)
        {
            return Ok(known);
        }
        let tree = Tree::parse(document.text)?;
        Ok(Self {
            document,
            has_content: tree.is_some(),
            resource: tree.as_ref().and_then(Resource::of),
            may_have_null: tree.as_ref().is_some_and(has_null),
            kept: tree.filter(|_| trees == Trees::Kept).map(Box::new),
        })
    }

    /// What its outline says of a document; none where that is not enough.
    fn outlined(document: Document<'a>) -> Option<Self> {
        let outline = Outline::of(document.text)?;
        let id = Identity::of_outline(&outline)?;
        Some(Self {
            document,
            has_content: outline.has_content,
            // a comment that stands for a name is nothing that an outline speaks about
            resource: id.map(|id| Resource { id, other: None }),
            may_have_null: outline.may_have_null,
            kept: None,
        })
    }

    /// The same without its tree.
    fn without_tree(&self) -> Self {
        Self {
            document: self.document,
            has_content: self.has_content,
            resource: self.resource.clone(),
            may_have_null: self.may_have_null,
            kept: None,
        }
    }

    /// Its tree, where it was read with [`Trees::Kept`] and there is content.
    pub(crate) fn kept(&self) -> Option<&Tree<'a>> {
        self.kept.as_deref()
    }

    /// Its tree; none where there is no content.
    pub(crate) fn tree(&self) -> Option<Cow<'_, Tree<'a>>> {
        match &self.kept {
            Some(tree) => Some(Cow::Borrowed(tree)),
            None if self.has_content => {
                let tree = Tree::parse(self.document.text).ok().flatten();
                tree.map(Cow::Owned)
            }
            None => None,
        }
    }
}

impl<'a> Resource<'a> {
    fn of(tree: &Tree<'a>) -> Option<Self> {
        let id = Identity::of(tree)?;
        let other = id.for_pairing(tree).map(Box::new);
        Some(Self { id, other })
    }

    /// The identity that it pairs by.
    pub(crate) fn pairing(&self) -> &Identity<'a> {
        self.other.as_deref().unwrap_or(&self.id)
    }
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
    pub(crate) fn parse(path: &Path, text: &'a str, trees: Trees) -> Result<Self, Box<Broken>> {
        let documents = split(text).into_iter();
        Self::parse_documents(path, text, documents.map(|it| (it, trees)).collect())
    }

    fn parse_documents(
        path: &Path,
        text: &'a str,
        documents: Vec<(Document<'a>, Trees)>,
    ) -> Result<Self, Box<Broken>> {
        let read = |(document, trees): (Document<'a>, Trees)| {
            Parsed::read(document, trees).map_err(|error| (document.start, error))
        };
        let documents = in_parallel(text.len(), documents, read);
        let documents: Result<_, _> = documents.into_iter().collect();
        match documents {
            Ok(documents) => Ok(Self { text, documents }),
            Err((start, error)) => Err(Box::new(Broken {
                place: Place::new(path, text, start + error.offset),
                message: error.message,
                help: has_conflict_markers(text)
                    .then(|| "resolve the conflict markers in it first".to_owned())
                    .or(error.help),
                utf8: true,
            })),
        }
    }

    /// The same without the trees.
    fn without_trees(&self) -> Self {
        Self {
            text: self.text,
            documents: self.documents.iter().map(Parsed::without_tree).collect(),
        }
    }

    /// Whether there is any document, not only comments.
    pub(crate) fn has_documents(&self) -> bool {
        self.documents.iter().any(|parsed| parsed.has_content)
    }

    /// Two resources with one identity in this file, if there are such.
    pub(crate) fn duplicate(&self, path: &Path) -> Option<Error> {
        let mut seen = rustc_hash::FxHashMap::default();
        for parsed in &self.documents {
            let Some(resource) = &parsed.resource else {
                continue;
            };
            if let Some(first) = seen.insert(resource.pairing(), parsed) {
                return Some(Error::DuplicateResource {
                    resource: resource.pairing().to_id().to_string(),
                    first: Box::new(self.place(path, first)),
                    second: Box::new(self.place(path, parsed)),
                });
            }
        }
        None
    }

    /// Where a resource says its kind.
    fn place(&self, path: &Path, parsed: &Parsed<'_>) -> Place {
        let within = parsed.tree().map_or(0, |tree| {
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
///
/// Documents that will most likely be merged keep their trees, also where those of others are dropped, unless they would
/// take too much memory even so.
pub(crate) fn read_sides<'a>(slot: &'a Slot, roots: &Roots, trees: Trees) -> Readings<'a> {
    if trees == Trees::Dropped && slot.has_three_sides_apart() {
        return read_apart(slot, roots);
    }
    let shared = |path: &Path, source: &'a Source| shared(path, source, trees);
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

fn read_apart<'a>(slot: &'a Slot, roots: &Roots) -> Readings<'a> {
    let texts = slot.sides.as_ref().zip(roots.paths(&slot.path));
    let texts = texts.map(|(source, path)| source.as_ref().map(|it| (text(&path, it), path)));
    let documents = texts.as_ref().map(|side| match side {
        Some((Ok(text), _)) => split(text),
        _ => Vec::new(),
    });
    let apart = apart(&documents);
    let is_original = Triple::new(true, false, false);
    texts
        .zip(documents)
        .zip(is_original)
        .map(|((side, documents), is_original)| {
            let (text, path) = side?;
            let trees = |(index, document): (usize, Document<'a>)| match apart.get(index) {
                // what is kept here would not be let go as soon as the merge is decided
                Some(true) if is_original && is_large(document.text) => (document, Trees::Dropped),
                Some(true) => (document, Trees::Kept),
                _ => (document, Trees::Dropped),
            };
            let documents = documents.into_iter().enumerate().map(trees).collect();
            let file = text.and_then(|text| ParsedFile::parse_documents(&path, text, documents));
            Some(file.map(Arc::new))
        })
}

/// Which of the documents, counted from the top, upstream changed and local has otherwise; none where their trees would take
/// too much memory, all at once.
fn apart(documents: &Triple<Vec<Document<'_>>>) -> Vec<bool> {
    let counts = documents.as_ref().map(Vec::len).into_array();
    let shortest = counts.into_iter().min().unwrap_or(0);
    let mut bytes = 0;
    let apart: Vec<bool> = (0..shortest)
        .map(|index| {
            let texts = documents.as_ref().map(|side| side[index].text);
            let is_apart = texts.updated != texts.original && texts.updated != texts.local;
            if is_apart {
                bytes += texts.into_array().map(str::len).into_iter().sum::<usize>();
            }
            is_apart
        })
        .collect();
    let is_one = apart.iter().filter(|apart| **apart).count() == 1;
    if is_one || Trees::of(bytes) == Trees::Kept {
        apart
    } else {
        Vec::new()
    }
}

/// The same without trees.
pub(crate) fn without_trees(readings: Readings<'_>) -> Readings<'_> {
    readings.map(|side| side.map(|reading| reading.map(without_trees_of)))
}

fn without_trees_of(mut file: Arc<ParsedFile<'_>>) -> Arc<ParsedFile<'_>> {
    if let Some(own) = Arc::get_mut(&mut file) {
        for document in &mut own.documents {
            document.kept = None;
        }
        return file;
    }
    // another side has the same
    Arc::new(file.without_trees())
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

fn shared<'a>(path: &Path, source: &'a Source, trees: Trees) -> Reading<'a> {
    read(path, source, trees).map(Arc::new)
}

/// Reads a file.
pub(crate) fn read<'a>(
    path: &Path,
    source: &'a Source,
    trees: Trees,
) -> Result<ParsedFile<'a>, Box<Broken>> {
    text(path, source).and_then(|text| ParsedFile::parse(path, text, trees))
}

fn text<'a>(path: &Path, source: &'a Source) -> Result<&'a str, Box<Broken>> {
    std::str::from_utf8(&source.bytes).map_err(|error| {
        let text = String::from_utf8_lossy(&source.bytes);
        Box::new(Broken {
            place: Place::new(path, &text, error.valid_up_to()),
            message: "not UTF-8 from here on".to_owned(),
            help: None,
            utf8: false,
        })
    })
}
