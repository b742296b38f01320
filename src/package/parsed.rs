//! Parses a file into its documents, with their identities and trees.
//!
//! [`ParsedFile`] is one side of a file, and [`Parsed`] a document of it. `read` reads the sides.

use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::pair::Duplicate;
use super::resource::ResourceId;
use crate::error::{Error, Place, shown};
use crate::line_breaks::{cut_first_line, ends_line, lines_with_breaks};
use crate::merge::{Shape, shape};
use crate::parallel::in_parallel;
use crate::triple::Triple;
use crate::white_space::{is_white_space, trimmed_start};
use crate::yaml::stream::{count_lines, head, split};
use crate::yaml::{Document, ParseError, Span, Tree, is_readable};

/// A document of a file, with what pairing needs to know of it. Its tree, which takes many times
/// the memory of its text, may be dropped and parsed again when the document is merged.
#[derive(Debug, Clone)]
pub(crate) struct Parsed<'a> {
    pub(crate) document: Document<'a>,
    /// The text below the document up to the next one: `---` lines with comments only.
    pub(crate) tail: &'a str,
    /// `None` if the document is not a resource.
    pub(crate) resource: Option<Box<Resource<'a>>>,
    /// Whether a field of the document may have the value null.
    pub(crate) may_have_null: bool,
    /// The kind of its value if that is a block collection: the comments around the entries are in
    /// its row.
    pub(super) block: Option<Shape>,
    /// The lines of the value in its chunk, without the comments above and below it. `None` if
    /// there is no value or it shares a line with a marker, and for a block scalar, below which
    /// text may look like comments.
    pub(super) value_lines: Option<Span>,
    /// The tree, if it is kept in memory.
    kept: Option<Arc<Tree<'a>>>,
}

/// The identity of a resource.
#[derive(Debug, Clone)]
pub(crate) struct Resource<'a> {
    pub(crate) id: ResourceId<'a>,
    /// The identity for pairing, if it is not `id`.
    pairing_id: Option<Box<ResourceId<'a>>>,
}

/// Returns the length from which the tree of a document is kept between reading and merging, for
/// packages with `bytes` in total. Parsing a document again takes longer.
///
/// In small packages all trees are kept. In others those of the largest documents are, which are
/// most of the text: merging these then takes no further memory.
pub(crate) const fn min_kept_len(bytes: usize) -> usize {
    const SMALL_PACKAGE: usize = 1 << 20;
    if bytes <= SMALL_PACKAGE {
        0
    } else {
        // at most the three sides of one document, not of two
        bytes / 4
    }
}

impl<'a> Parsed<'a> {
    /// Parses a document. Returns `None` if it has only comments. If `other` has the same text, its
    /// results are reused.
    fn read(
        document: Document<'a>,
        min_kept_len: usize,
        other: Option<&Self>,
    ) -> Result<Option<Self>, ParseError> {
        if let Some(same) = other.filter(|other| other.document.text == document.text) {
            return Ok(Some(Self {
                document,
                tail: "",
                ..same.clone()
            }));
        }
        let tree = Tree::parse(document.text)?;
        Ok(tree.map(|tree| Self {
            document,
            tail: "",
            resource: Resource::of(&tree).map(Box::new),
            may_have_null: has_null(&tree),
            block: block_of(&tree),
            value_lines: value_lines(&document, &tree),
            kept: (document.text.len() >= min_kept_len).then(|| Arc::new(tree)),
        }))
    }

    /// Returns the text of the document in its file, with the tail.
    pub(super) fn whole(&self, file: &'a str) -> &'a str {
        let start = self.document.start;
        &file[start..start + self.document.text.len() + self.tail.len()]
    }

    /// Returns the text of the document's body.
    pub(super) fn body(&self) -> &'a str {
        &self.document.text[self.document.body.range()]
    }

    /// Returns the line of the first byte after `---`, counted from 0 in its chunk.
    pub(super) fn line(&self) -> usize {
        let body = self.document.body.start as usize;
        self.document.text[..body].matches('\n').count()
    }

    /// Returns the same document with another start in its file, and another start of its body.
    pub(super) fn from(&self, file: &'a str, start: usize, body_start: usize) -> Self {
        let document = self.document;
        // a chunk is smaller than 4 GB
        let rebased = |at: u32| (document.start + at as usize - start) as u32;
        let line = match start < document.start {
            true => document.line - count_lines(&file[start..document.start]),
            false => document.line + count_lines(&file[document.start..start]),
        };
        Self {
            document: Document {
                text: &file[start..document.start + document.text.len()],
                start,
                body: Span::new((body_start - start) as u32, rebased(document.body.end)),
                line,
                ..document
            },
            value_lines: self
                .value_lines
                .map(|it| Span::new(rebased(it.start), rebased(it.end))),
            kept: self.kept.clone().filter(|_| start == document.start),
            ..self.clone()
        }
    }

    /// Returns the tree if it is kept in memory.
    pub(crate) fn kept(&self) -> Option<&Tree<'a>> {
        self.kept.as_deref()
    }

    /// Returns the tree, parsed again if it was not kept. `None` if that fails although it
    /// succeeded before.
    pub(crate) fn tree(&self) -> Option<Arc<Tree<'a>>> {
        match &self.kept {
            Some(tree) => Some(Arc::clone(tree)),
            None => Tree::parse(self.document.text).ok()?.map(Arc::new),
        }
    }
}

/// Returns the kind of a document's value if that is a block collection.
fn block_of(tree: &Tree<'_>) -> Option<Shape> {
    let root = tree.root().value;
    tree.is_block_collection(root).then(|| shape(tree, root))
}

/// Returns [`Parsed::value_lines`] of a document.
fn value_lines(document: &Document<'_>, tree: &Tree<'_>) -> Option<Span> {
    let root = tree.root().value;
    if tree.scalar(root).is_some_and(|it| it.style.is_block()) {
        return None;
    }
    let last = tree.entries(root).next_back();
    let value_end = match last.filter(|_| tree.is_block_collection(root)) {
        // comments below the last entry that are indented deeper belong to it
        Some(last) => tree.end_of_lines(tree.entry(last)),
        None => tree.node(root).span.end,
    };
    let (text, body) = (document.text, document.body.range());
    let is_blank_or_comment =
        |line: &&str| is_white_space(line) || trimmed_start(line).starts_with('#');
    let above = lines_with_breaks(&text[body.clone()]).take_while(is_blank_or_comment);
    let start = body.start + above.map(str::len).sum::<usize>();
    let value_end = start.max(value_end as usize);
    let end = match ends_line(&text[start..value_end]) {
        true => value_end,
        false => value_end + cut_first_line(text.get(value_end..body.end)?).0.len(),
    };
    let starts_line = start == 0 || ends_line(&text[..start]);
    let only_comments_follow =
        lines_with_breaks(&text[end..]).all(|line| is_blank_or_comment(&line));
    let offset = |at: usize| u32::try_from(at).ok();
    let lines = Span::new(offset(start)?, offset(end)?);
    (starts_line && only_comments_follow).then_some(lines)
}

/// Returns true if the text around the values of these documents merges apart from them: all are on
/// lines of their own, and not all are block maps or all block lists, whose rows have that text.
pub(super) fn merges_around(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let mut present = members.into_iter().flatten();
    let has_all = |block| present.clone().all(|parsed| parsed.block == Some(block));
    let has_rows = has_all(Shape::Map) || has_all(Shape::List);
    !has_rows && present.all(|parsed| parsed.value_lines.is_some())
}

/// Returns true if any field of the document has the value null.
fn has_null(tree: &Tree<'_>) -> bool {
    tree.all_entries().any(|id| {
        let entry = tree.entry(id);
        entry.key.is_some() && tree.is_null(entry.value)
    })
}

impl<'a> Resource<'a> {
    fn of(tree: &Tree<'a>) -> Option<Self> {
        let id = ResourceId::of(tree)?;
        let pairing_id = id.for_pairing(tree).map(Box::new);
        Some(Self { id, pairing_id })
    }

    /// Returns the identity for pairing.
    pub(crate) fn pairing(&self) -> &ResourceId<'a> {
        self.pairing_id.as_deref().unwrap_or(&self.id)
    }
}

/// One side of a file that is YAML.
#[derive(Debug)]
pub(crate) struct ParsedFile<'a> {
    /// The text. A missing line break at its end was added.
    pub(crate) text: &'a str,
    /// The length of the line break that was added to the text and is not in the file.
    pub(super) added_len: usize,
    /// The text above the first document that belongs to the file.
    pub(crate) head: &'a str,
    pub(crate) documents: Vec<Parsed<'a>>,
}

/// The reason why a file with a YAML name is not YAML.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    pub(crate) place: Place,
    pub(crate) error: ParseError,
    pub(crate) utf8: bool,
}

impl Broken {
    /// Returns the reason that an error in a chunk of `text` gives. The chunk begins at `start`.
    pub(crate) fn new(path: &Path, text: &str, start: usize, error: ParseError) -> Self {
        Self {
            place: Place::new(path, text, start + error.offset),
            error,
            utf8: true,
        }
    }

    /// Returns the error, whose title is the path and `problem`. `help` is used if the parser has
    /// no better one.
    pub(crate) fn to_error(&self, problem: &str, help: &str) -> Error {
        let (problem, message, help) = match self.utf8 {
            true => (
                problem,
                &*self.error.message,
                self.error.help.as_deref().unwrap_or(help),
            ),
            false => (" is not UTF-8 text", "the first such byte", SAVE_AS_UTF_8),
        };
        let title = format!("{}{problem}", shown(&self.place.path));
        Error::titled(self.place.clone(), title, message, help)
    }
}

/// One side of a file with a YAML name.
pub(crate) type Reading<'a> = Result<ParsedFile<'a>, Box<Broken>>;
/// All sides of a file with a YAML name.
pub(crate) type Readings<'a> = Triple<Option<Reading<'a>>>;

impl<'a> ParsedFile<'a> {
    /// Parses a text and keeps all trees.
    pub(crate) fn parse(path: &Path, text: &'a str) -> Result<Self, Box<Broken>> {
        Self::parse_beside(path, text, 0, None)
    }

    /// Parses a text and keeps the trees of documents with at least `min_kept_len` bytes. Documents
    /// that `other`, another side of the file, has too are not parsed again.
    pub(crate) fn parse_beside(
        path: &Path,
        text: &'a str,
        min_kept_len: usize,
        other: Option<&Self>,
    ) -> Result<Self, Box<Broken>> {
        let read = |(index, document): (usize, Document<'a>)| {
            let other = other.and_then(|other| other.documents.get(index));
            let parsed = Parsed::read(document, min_kept_len, other);
            let parsed = parsed.map_err(|error| (document.start, error))?;
            Ok((document.start, parsed))
        };
        let documents = split(text).into_iter().enumerate().collect();
        let documents = in_parallel(text.len(), documents, read);
        // the head is not in a document, but becomes a part of one when the file is merged
        let is_readable = is_readable(head(text)).map_err(|error| (0, error));
        let documents = is_readable.and_then(|()| documents.into_iter().collect());
        match documents {
            Ok(documents) => Ok(Self::of(text, documents)),
            Err((start, error)) => {
                let error = match first_conflict_marker(text) {
                    Some(_) => error.with_help(RESOLVE_FIRST),
                    None => error,
                };
                Err(Box::new(Broken::new(path, text, start, error)))
            }
        }
    }

    /// Returns the file with these chunks, each with its start. A chunk without content belongs to
    /// the document above it, or to the head.
    fn of(text: &'a str, chunks: Vec<(usize, Option<Parsed<'a>>)>) -> Self {
        let mut end = text.len();
        let mut documents: Vec<Parsed<'a>> = Vec::with_capacity(chunks.len());
        for (start, chunk) in chunks.into_iter().rev() {
            let Some(parsed) = chunk else { continue };
            let tail = &text[start + parsed.document.text.len()..end];
            documents.push(Parsed { tail, ..parsed });
            end = start;
        }
        documents.reverse();
        let head = &text[..end];
        if let Some(first) = documents.first_mut() {
            first.document.head = head;
        }
        Self {
            text,
            added_len: 0,
            head,
            documents,
        }
    }

    /// Returns the text as it is in the file.
    pub(super) fn written(&self) -> &'a str {
        &self.text[..self.text.len() - self.added_len]
    }

    /// Whether the file ends with a line break. True for an empty one: no line lacks it.
    pub(super) fn ends_line(&self) -> bool {
        self.written().is_empty() || ends_line(self.written())
    }

    /// Returns the first two resources in this file with the same identity, if there are any.
    pub(crate) fn duplicate(&self, path: &Path) -> Option<Duplicate> {
        let count = self.documents.len();
        let mut seen = FxHashMap::with_capacity_and_hasher(count, Default::default());
        for parsed in &self.documents {
            let Some(resource) = &parsed.resource else {
                continue;
            };
            if let Some(first) = seen.insert(resource.pairing(), parsed) {
                return Some(Duplicate {
                    resource: resource.pairing().to_string(),
                    first: self.place(path, first),
                    second: self.place(path, parsed),
                });
            }
        }
        None
    }

    /// Returns the place of the `kind` field of a resource.
    fn place(&self, path: &Path, parsed: &Parsed<'_>) -> Place {
        let within = parsed.tree().map_or(0, |tree| {
            let kind = tree.find(tree.root().value, "kind");
            kind.map_or(0, |entry| tree.entry(entry).span.start)
        });
        Place::new(path, self.text, parsed.document.start + within as usize)
    }
}

const SAVE_AS_UTF_8: &str =
    "save the file as UTF-8 (iconv -t UTF-8), or exclude it in .krmignore or with --yaml";
/// The help for files with conflict markers.
pub(super) const RESOLVE_FIRST: &str = "resolve the conflict markers in it first";

/// Returns the offset of the first conflict marker in a text that has an opening and a closing one.
pub(super) fn first_conflict_marker(text: &str) -> Option<usize> {
    let find = |marker: &str| {
        let mut offsets = memmem::find_iter(text.as_bytes(), marker);
        offsets.find(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n')
    };
    let first = find("<<<<<<<")?;
    find(">>>>>>>").map(|_| first)
}
