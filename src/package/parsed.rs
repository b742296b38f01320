//! The documents of a file: their trees and identities.

use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::duplicates::Duplicate;
use super::nulls::has_null;
use super::parallel::in_parallel;
use super::resource::ResourceId;
use crate::error::{Error, Place, shown};
use crate::line_breaks::{cut_first_line, ends_line, lines_with_breaks};
use crate::triple::Triple;
use crate::yaml::ScalarStyle::{Folded, Literal};
use crate::yaml::stream::{count_lines, head, split};
use crate::yaml::{Document, NodeKind, ParseError, Span, Tree, is_readable};

/// A document of a file: what is known of it while all files wait for theirs to be paired. Its
/// tree, which takes many times the memory of its text, is made when it is merged.
#[derive(Debug, Clone)]
pub(crate) struct Parsed<'a> {
    pub(crate) document: Document<'a>,
    /// What is below it and is no document: `---` lines with comments alone.
    pub(crate) tail: &'a str,
    /// None where it is no resource.
    pub(crate) resource: Option<Resource<'a>>,
    /// Whether a field's value may be null anywhere.
    pub(crate) may_have_null: bool,
    pub(super) root: Root,
    /// Where memory allows to keep it.
    kept: Option<Arc<Tree<'a>>>,
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// A block collection: comments around its entries are in its row.
    Block,
    /// Another value, on these lines of its chunk: what is around them is in no row.
    Value(Span),
    /// A block scalar, which may look as if comments were below it, a value on the line of a
    /// marker, or nothing.
    Other,
}

/// What a resource is called.
#[derive(Debug, Clone)]
pub(crate) struct Resource<'a> {
    pub(crate) id: ResourceId<'a>,
    /// The identity that it pairs by, where that is another.
    other: Option<Box<ResourceId<'a>>>,
}

/// How many bytes a document has at least whose tree is kept from when it is first read until it is
/// merged, where packages have so many bytes, all together: a second reading takes longer.
///
/// Of small packages all are kept. Of others those of the largest documents are, which are most of
/// what there is: when they are merged no more memory is taken.
pub(crate) const fn least_kept(bytes: usize) -> usize {
    const SMALL: usize = 1 << 20;
    if bytes <= SMALL {
        0
    } else {
        // three sides of one document, and not of two
        bytes / 4
    }
}

impl<'a> Parsed<'a> {
    /// Reads a document; `None` if there are comments only. What is known of another side's
    /// document with the same text is known of it.
    fn read(
        document: Document<'a>,
        least_kept: usize,
        other: Option<&Self>,
    ) -> Result<Option<Self>, ParseError> {
        if let Some(same) = other.filter(|other| other.document.text == document.text) {
            let same = same.clone();
            return Ok(Some(Self {
                document,
                tail: "",
                ..same
            }));
        }
        let tree = Tree::parse(document.text)?;
        Ok(tree.map(|tree| Self {
            document,
            tail: "",
            resource: Resource::of(&tree),
            may_have_null: has_null(&tree),
            root: Root::of(&document, &tree),
            kept: (document.text.len() >= least_kept).then(|| Arc::new(tree)),
        }))
    }

    /// Its text in the file, with what is below it.
    pub(super) fn whole(&self, file: &'a str) -> &'a str {
        let start = self.document.start;
        &file[start..start + self.document.text.len() + self.tail.len()]
    }

    /// The line of its first byte behind the `---`, from 0, counted in its chunk.
    pub(super) fn line(&self) -> usize {
        let body = self.document.body.start as usize;
        self.document.text[..body].matches('\n').count()
    }

    /// The same document in the text of its file, from another start and with another start of its
    /// body.
    pub(super) fn from(&self, file: &'a str, start: usize, body_start: usize) -> Self {
        let document = self.document;
        // a chunk has fewer than 4 GB
        let moved = |at: u32| (document.start + at as usize - start) as u32;
        let line = match start < document.start {
            true => document.line - count_lines(&file[start..document.start]),
            false => document.line + count_lines(&file[document.start..start]),
        };
        Self {
            document: Document {
                text: &file[start..document.start + document.text.len()],
                start,
                body: Span::new((body_start - start) as u32, moved(document.body.end)),
                line,
                ..document
            },
            root: match self.root {
                Root::Value(lines) => Root::Value(Span::new(moved(lines.start), moved(lines.end))),
                root => root,
            },
            kept: self.kept.clone().filter(|_| start == document.start),
            ..self.clone()
        }
    }

    /// Its tree, where that is kept.
    pub(crate) fn kept(&self) -> Option<&Tree<'a>> {
        self.kept.as_deref()
    }

    /// Its tree. (`None` if it could be read once, and cannot now.)
    pub(crate) fn tree(&self) -> Option<Arc<Tree<'a>>> {
        match &self.kept {
            Some(tree) => Some(Arc::clone(tree)),
            None => Tree::parse(self.document.text).ok()?.map(Arc::new),
        }
    }
}

impl Root {
    fn of(document: &Document<'_>, tree: &Tree<'_>) -> Self {
        let root = tree.node(tree.root().value);
        match root.kind {
            NodeKind::Mapping(it) | NodeKind::Sequence(it) if !it.flow => return Self::Block,
            NodeKind::Scalar(it) if matches!(it.style, Literal | Folded) => return Self::Other,
            _ => {}
        }
        Self::value(document, root.span.end as usize).map_or(Self::Other, Self::Value)
    }

    /// The lines of a value that ends here in its chunk; `None` if it shares one with a marker.
    fn value(document: &Document<'_>, value_end: usize) -> Option<Span> {
        let (text, body) = (document.text, document.body.range());
        let is_around = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
        let above = lines_with_breaks(&text[body.clone()]).take_while(is_around);
        let start = body.start + above.map(str::len).sum::<usize>();
        let value_end = value_end.max(start);
        let end = value_end + cut_first_line(text.get(value_end..body.end)?).0.len();
        let is_own_line = start == 0 || ends_line(&text[..start]);
        let is_alone = lines_with_breaks(&text[end..]).all(|line| is_around(&line));
        let offset = |at: usize| u32::try_from(at).ok();
        let lines = Span::new(offset(start)?, offset(end)?);
        (is_own_line && is_alone).then_some(lines)
    }
}

impl<'a> Resource<'a> {
    fn of(tree: &Tree<'a>) -> Option<Self> {
        let id = ResourceId::of(tree)?;
        let other = id.for_pairing(tree).map(Box::new);
        Some(Self { id, other })
    }

    /// The identity that it pairs by.
    pub(crate) fn pairing(&self) -> &ResourceId<'a> {
        self.other.as_deref().unwrap_or(&self.id)
    }
}

/// A file that is YAML.
#[derive(Debug)]
pub(crate) struct ParsedFile<'a> {
    /// The text, with a line break at its end.
    pub(crate) text: &'a str,
    /// How long the line break at the end is that the file lacks.
    lacking: usize,
    /// What is above the first document and is the file's.
    pub(crate) head: &'a str,
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

impl Broken {
    /// As an error, whose title is the path and `problem`. `help` is what to do where nothing else
    /// is known.
    pub(crate) fn to_error(&self, problem: &str, help: &str) -> Error {
        let (problem, message, help) = match self.utf8 {
            true => (
                problem,
                &*self.message,
                self.help.as_deref().unwrap_or(help),
            ),
            false => (" is not UTF-8 text", "the first such byte", SAVE_AS_UTF_8),
        };
        let title = format!("{}{problem}", shown(&self.place.path));
        Error::titled(self.place.clone(), title, message, help)
    }
}

/// One side of a file with a YAML name.
pub(crate) type Reading<'a> = Result<ParsedFile<'a>, Box<Broken>>;
/// All sides of such a file.
pub(crate) type Readings<'a> = Triple<Option<Reading<'a>>>;

impl<'a> ParsedFile<'a> {
    /// Reads a text, and keeps all trees.
    pub(crate) fn parse(path: &Path, text: &'a str) -> Result<Self, Box<Broken>> {
        Self::parse_beside(path, text, 0, None)
    }

    /// Reads a text, and keeps the trees of documents of at least so many bytes; documents that
    /// another side of the file has too are not read again.
    pub(crate) fn parse_beside(
        path: &Path,
        text: &'a str,
        least_kept: usize,
        other: Option<&Self>,
    ) -> Result<Self, Box<Broken>> {
        let documents = split(text);
        let starts: Vec<usize> = documents.iter().map(|it| it.start).collect();
        let read = |(index, document): (usize, Document<'a>)| {
            let other = other.and_then(|other| other.documents.get(index));
            let read = Parsed::read(document, least_kept, other);
            read.map_err(|error| (document.start, error))
        };
        let documents = documents.into_iter().enumerate().collect();
        let documents = in_parallel(text.len(), documents, read);
        // the head is in no document, and becomes a part of one where it is merged
        let is_readable = is_readable(head(text)).map_err(|error| (0, error));
        let documents = is_readable.and_then(|()| documents.into_iter().collect());
        match documents {
            Ok(documents) => Ok(Self::of(text, &starts, documents)),
            Err((start, error)) => Err(Box::new(Broken {
                place: Place::new(path, text, start + error.offset),
                message: error.message,
                help: conflict_marker(text)
                    .map(|_| RESOLVE_FIRST.to_owned())
                    .or(error.help),
                utf8: true,
            })),
        }
    }

    /// A file of chunks that start there, some without content: such a one is of the document
    /// above it, or of the head.
    fn of(text: &'a str, starts: &[usize], chunks: Vec<Option<Parsed<'a>>>) -> Self {
        let mut end = text.len();
        let mut documents: Vec<Parsed<'a>> = Vec::with_capacity(chunks.len());
        for (start, chunk) in starts.iter().zip(chunks).rev() {
            let Some(parsed) = chunk else { continue };
            let tail = &text[start + parsed.document.text.len()..end];
            documents.push(Parsed { tail, ..parsed });
            end = *start;
        }
        documents.reverse();
        let head = &text[..end];
        if let Some(first) = documents.first_mut() {
            first.document.head = head;
        }
        Self {
            text,
            lacking: 0,
            head,
            documents,
        }
    }

    /// The same file, which lacks so many bytes at the end of its text: a line break.
    pub(super) fn without_line_break(self, lacking: usize) -> Self {
        Self { lacking, ..self }
    }

    /// What is in the file.
    pub(super) fn written(&self) -> &'a str {
        &self.text[..self.text.len() - self.lacking]
    }

    /// Whether the file ends with a line break.
    pub(super) fn ends_line(&self) -> bool {
        ends_line(self.written())
    }

    /// Two resources with one identity in this file, if there are such.
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

    /// Where a resource says its kind.
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
/// What to do about conflict markers.
pub(super) const RESOLVE_FIRST: &str = "resolve the conflict markers in it first";

/// Where the first conflict marker is that somebody has left in a file.
pub(super) fn conflict_marker(text: &str) -> Option<usize> {
    let find = |sign: &str| {
        let mut found = memmem::find_iter(text.as_bytes(), sign);
        found.find(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n')
    };
    let first = find("<<<<<<<")?;
    find(">>>>>>>").map(|_| first)
}
