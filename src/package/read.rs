//! Parses files. [`ReadFile`] has the three sides of one, and says how it merges; [`SourceFile`] is
//! a file of one package, with the places that errors show. `parsed` parses one text.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::file_triple::{Bytes, FileTriple, Source};
use super::items::Origin;
use super::parsed::{Broken, Parsed, ParsedFile, Reading, Readings};
use super::selector::Selector;
use super::single_package::Package;
use crate::error::{Error, Place};
use crate::line_breaks::{cut_last_line, ends_line, missing_lf};
use crate::parallel::both;
use crate::triple::{Side, Triple};
use crate::white_space::is_white_space;
use crate::yaml::stream::split;
use crate::yaml::{ParseError, Tree, equal_documents};

/// Parses all sides of a file with a YAML name. Documents that two sides have in common are parsed
/// once. The trees of documents with at least `min_kept_len` bytes are kept.
pub(crate) fn read_sides<'a>(triple: &'a FileTriple, min_kept_len: usize) -> Readings<'a> {
    let read = |side: Side, other: Option<&Reading<'a>>| {
        let other = other.and_then(|reading| reading.as_ref().ok());
        let source = triple.sides[side].as_ref()?;
        Some(read_beside(source, min_kept_len, other))
    };
    let original = read(Side::Original, None);
    let beside_original = |side: Side| read(side, original.as_ref());
    let bytes = triple.bytes();
    let (updated, local) = match bytes.local == bytes.updated {
        true => {
            let updated = beside_original(Side::Updated);
            let local = read(Side::Local, updated.as_ref());
            (updated, local)
        }
        false => both(
            triple.len(),
            || beside_original(Side::Updated),
            || beside_original(Side::Local),
        ),
    };
    Triple {
        original,
        updated,
        local,
    }
}

/// A file with its parsed sides, and so how it merges.
#[derive(Debug)]
pub(crate) struct ReadFile<'a> {
    pub(crate) triple: &'a FileTriple,
    /// All are `None` if the file was not parsed: it has no YAML name, or is the same on all sides.
    pub(crate) readings: Readings<'a>,
    /// Whether it merges document by document: all sides are YAML, and one has a document.
    /// Otherwise it merges as a whole.
    pub(crate) by_documents: bool,
}

impl<'a> ReadFile<'a> {
    /// Returns a file that is not parsed.
    pub(super) fn unread(triple: &'a FileTriple) -> Self {
        Self {
            triple,
            readings: Readings::default(),
            by_documents: false,
        }
    }

    /// Parses a file as [`read_sides`] does.
    pub(super) fn read(triple: &'a FileTriple, min_kept_len: usize) -> Self {
        let readings = read_sides(triple, min_kept_len);
        let sides = || readings.as_ref().into_iter().flatten();
        let has_documents = sides().flatten().any(|file| !file.documents.is_empty());
        Self {
            triple,
            by_documents: has_documents && sides().all(Result::is_ok),
            readings,
        }
    }

    /// Returns one side of a file that merges document by document.
    pub(super) fn file(&self, side: Side) -> Option<&ParsedFile<'a>> {
        let reading = self.readings[side].as_ref();
        reading.filter(|_| self.by_documents)?.as_ref().ok()
    }

    /// Returns the sides that are YAML, however the file merges.
    pub(super) fn yaml(&self) -> Triple<Option<&ParsedFile<'a>>> {
        let sides = self.readings.as_ref();
        sides.map(|reading| reading.as_ref()?.as_ref().ok())
    }
}

fn read_beside<'a>(
    source: &'a Source,
    min_kept_len: usize,
    other: Option<&ParsedFile<'a>>,
) -> Reading<'a> {
    let text = text(source)?;
    let terminated = with_line_break(text, &source.bytes);
    let file = ParsedFile::parse_beside(&source.path, terminated, min_kept_len, other)?;
    Ok(ParsedFile {
        added_len: terminated.len() - text.len(),
        ..file
    })
}

/// Returns the text with a line break at its end, unless that changes a value, or makes a line of
/// the white space at the end. The last document of a file may not be the last one of the merged
/// file.
fn with_line_break<'a>(text: &'a str, bytes: &'a Bytes) -> &'a str {
    let (last_line, _) = cut_last_line(text);
    if ends_line(text) || is_white_space(last_line) {
        return text;
    }
    let terminated = bytes.with_line_break(text);
    let last_document = |text| split(text).last().map_or("", |last| last.text);
    let (old, new) = (last_document(text), last_document(terminated));
    // a line break may be part of a block scalar, and makes a key of a `?` at the end
    let may_change_value = old.contains(['|', '>']) || old.ends_with('?');
    let trees = || Some((Tree::parse(old).ok()??, Tree::parse(new).ok()??));
    match may_change_value && !trees().is_some_and(|(old, new)| equal_documents(&old, &new)) {
        true => text,
        false => terminated,
    }
}

fn text(source: &Source) -> Result<&str, Box<Broken>> {
    std::str::from_utf8(&source.bytes).map_err(|error| {
        let text = String::from_utf8_lossy(&source.bytes);
        let error = ParseError::new(error.valid_up_to(), "not UTF-8 from here on");
        Box::new(Broken {
            utf8: false,
            ..Broken::new(&source.path, &text, 0, error)
        })
    })
}

/// A parsed file.
pub(super) struct SourceFile<'a> {
    /// The path in the package.
    pub(super) name: &'a Path,
    /// The path that errors show.
    pub(super) path: &'a Path,
    pub(super) file: ParsedFile<'a>,
    /// The origin of the lines, if the file was generated from lists of resources.
    origin: Option<&'a Origin>,
}

/// A document, with its tree.
#[derive(Clone, Copy)]
pub(super) struct DocumentInFile<'f, 'a> {
    pub(super) file: &'f SourceFile<'a>,
    /// The index among the documents of the file.
    pub(super) index: usize,
    pub(super) parsed: &'f Parsed<'a>,
    pub(super) tree: &'f Tree<'a>,
}

impl<'a> SourceFile<'a> {
    /// Returns the documents. Their trees are in memory.
    pub(super) fn documents(&self) -> impl Iterator<Item = DocumentInFile<'_, 'a>> {
        let documents = self.file.documents.iter().enumerate();
        documents.filter_map(|(index, parsed)| {
            Some(DocumentInFile {
                file: self,
                index,
                parsed,
                tree: parsed.kept()?,
            })
        })
    }
}

impl DocumentInFile<'_, '_> {
    /// Returns the place of an offset in the document, for errors.
    pub(super) fn place(&self, offset: usize) -> Place {
        let (path, document) = (self.file.path, &self.parsed.document);
        match self.file.origin {
            Some(origin) => origin.place(path, document.text, document.line, offset),
            None => Place::in_chunk(path, document.text, document.line, offset),
        }
    }

    /// Returns the place where the content begins.
    pub(super) fn start(&self) -> Place {
        self.place(self.tree.root().span.start as usize)
    }

    /// Returns true if the document is a resource that a selector matches, or if there are no
    /// selectors.
    pub(super) fn is_meant_by(&self, selectors: &[Selector]) -> bool {
        let mut remaining = selectors.iter();
        let resource = self.parsed.resource.as_ref();
        selectors.is_empty()
            || resource
                .is_some_and(|it| remaining.any(|selector| selector.matches(&it.id, self.tree)))
    }

    /// Returns the offset of the first of these fields that the document has, else that of its
    /// content.
    pub(super) fn offset_of(&self, fields: &[&str]) -> usize {
        let root = self.tree.root().value;
        let entry = fields.iter().find_map(|name| self.tree.find(root, name));
        let span = entry.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        span.start as usize
    }

    /// Returns an error about a place in the document.
    pub(super) fn unfit(&self, problem: &str, error: ParseError) -> Error {
        unfit(self.place(error.offset), problem, error)
    }
}

/// Parses the files of a package. `problem` says in errors what cannot be done.
///
/// # Errors
/// If a file is not YAML.
pub(super) fn all<'a>(package: &'a Package, problem: &str) -> Result<Vec<SourceFile<'a>>, Error> {
    let help = match package.is_folder {
        true => "repair the file, or exclude it in .krmignore",
        false => "repair the file",
    };
    let problem = format!(": {problem}: it is not valid YAML");
    let read = parse_each(package).into_iter();
    Error::all(read.map(|file| file.map_err(|broken| broken.to_error(&problem, help))))
}

/// Parses the files of a package as [`all`] does, but skips the files of a folder that are not
/// YAML, such as templates.
pub(super) fn usable<'a>(
    package: &'a Package,
    problem: &str,
) -> Result<Vec<SourceFile<'a>>, Error> {
    match package.is_folder {
        true => Ok(parse_each(package).into_iter().flatten().collect()),
        false => all(package, problem),
    }
}

fn parse_each<'a>(package: &'a Package) -> Vec<Result<SourceFile<'a>, Box<Broken>>> {
    let read = |(name, source): &'a (PathBuf, Source)| {
        Ok(SourceFile {
            file: ParsedFile::parse(&source.path, text(source)?)?,
            origin: package.origins.get(name),
            name,
            path: &source.path,
        })
    };
    package.files.par_iter().map(read).collect()
}

pub(super) fn unfit(place: Place, problem: &str, error: ParseError) -> Error {
    let help = error.help.as_deref().unwrap_or("nothing was written");
    Error::unfit(place, problem, error.message, help)
}

/// Joins documents to the text of one file.
pub(super) fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            all.push_str(missing_lf(&all));
            let has_marker = |line: &str| line == "---" || line.starts_with("--- ");
            if !text.lines().any(has_marker) {
                all.push_str("---\n");
            }
        }
        all.push_str(&text);
    }
    all
}
