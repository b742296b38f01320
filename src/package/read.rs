//! Parses the three sides of a file. [`ReadFile`] says how the file merges. `parsed` parses one
//! side.

use super::bytes::Bytes;
use super::file_triple::{FileTriple, Source};
use super::parsed::{Broken, ParsedFile, Reading, Readings};
use crate::line_breaks::{cut_last_line, ends_line};
use crate::parallel::both;
use crate::triple::{Side, Triple};
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

/// Parses one file.
pub(crate) fn read(source: &Source) -> Result<ParsedFile<'_>, Box<Broken>> {
    text(source).and_then(|text| ParsedFile::parse(&source.path, text))
}

/// Returns the text with a line break at its end, unless that changes a value, or makes a line of
/// the white space at the end. The last document of a file may not be the last one of the merged
/// file.
fn with_line_break<'a>(text: &'a str, bytes: &'a Bytes) -> &'a str {
    let (last_line, _) = cut_last_line(text);
    if ends_line(text) || last_line.trim().is_empty() {
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
