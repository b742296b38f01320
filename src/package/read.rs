//! Reads the three sides of a file. [`ReadFile`] says how it merges. What one side has in common
//! with another is read once. `parsed` reads one side.

use std::path::Path;

use super::bytes::Bytes;
use super::file_triple::{FileTriple, Roots, Source};
use super::parsed::{Broken, ParsedFile, Reading, Readings};
use crate::error::Place;
use crate::line_breaks::{cut_last_line, ends_line};
use crate::triple::{Side, Triple};
use crate::yaml::stream::split;
use crate::yaml::{Tree, equal_documents};

/// Reads all sides of a file with a YAML name; what one has in common with another is read once.
/// Trees are kept of documents of at least so many bytes.
pub(crate) fn read_sides<'a>(
    triple: &'a FileTriple,
    roots: &Roots,
    least_kept: usize,
) -> Readings<'a> {
    let paths = roots.paths(triple);
    let read = |side: Side, other: Option<&Reading<'a>>| {
        let other = other.and_then(|reading| reading.as_ref().ok());
        let source = triple.sides[side].as_ref()?;
        Some(read_beside(&paths[side], source, least_kept, other))
    };
    let original = read(Side::Original, None);
    let updated = read(Side::Updated, original.as_ref());
    let bytes = triple.bytes();
    let other = match bytes.local == bytes.updated {
        true => &updated,
        false => &original,
    };
    let local = read(Side::Local, other.as_ref());
    Triple {
        original,
        updated,
        local,
    }
}

/// What was read of a file, and so how it merges.
#[derive(Debug)]
pub(crate) enum ReadFile<'a> {
    /// Nothing: its name is none of YAML, or it is the same on all sides.
    Unread,
    /// Its sides, of which those that are YAML merge document by document.
    Documents(Readings<'a>),
    /// A side is no YAML, or none has a document: it merges as a whole.
    Whole(Readings<'a>),
}

impl<'a> ReadFile<'a> {
    pub(super) fn of(readings: Readings<'a>) -> Self {
        let sides = || readings.as_ref().into_array().into_iter().flatten();
        let has_documents = sides().flatten().any(|file| !file.documents.is_empty());
        match has_documents && sides().all(Result::is_ok) {
            true => Self::Documents(readings),
            false => Self::Whole(readings),
        }
    }

    /// One side of a file that merges document by document.
    pub(super) fn file(&self, side: Side) -> Option<&ParsedFile<'a>> {
        match self {
            Self::Documents(readings) => readings[side].as_ref()?.as_ref().ok(),
            Self::Unread | Self::Whole(_) => None,
        }
    }

    /// The sides that are YAML, however the file merges.
    pub(super) fn yaml(&self) -> Triple<Option<&ParsedFile<'a>>> {
        match self {
            Self::Unread => Triple::default(),
            Self::Documents(readings) | Self::Whole(readings) => {
                let sides = readings.as_ref();
                sides.map(|reading| reading.as_ref()?.as_ref().ok())
            }
        }
    }
}

fn read_beside<'a>(
    path: &Path,
    source: &'a Source,
    least_kept: usize,
    other: Option<&ParsedFile<'a>>,
) -> Reading<'a> {
    let text = text(path, source)?;
    let ended = with_line_break(text, &source.bytes);
    let file = ParsedFile::parse_beside(path, ended, least_kept, other)?;
    Ok(file.without_line_break(ended.len() - text.len()))
}

/// Reads a file.
pub(crate) fn read<'a>(path: &Path, source: &'a Source) -> Result<ParsedFile<'a>, Box<Broken>> {
    text(path, source).and_then(|text| ParsedFile::parse(path, text))
}

/// A text with a line break at its end, unless that would be a part of a value, or make a line of
/// the white space at the end. Whether a file ends with one is a matter of the file: its last
/// document may not be the last one of the merged file.
fn with_line_break<'a>(text: &'a str, bytes: &'a Bytes) -> &'a str {
    let (last_line, _) = cut_last_line(text);
    if ends_line(text) || last_line.trim().is_empty() {
        return text;
    }
    let ended = bytes.with_line_break(text);
    let last = |text| split(text).last().map_or("", |last| last.text);
    let (old, new) = (last(text), last(ended));
    let may_be_in_value = old.contains(['|', '>']);
    let trees = || Some((Tree::parse(old).ok()??, Tree::parse(new).ok()??));
    match may_be_in_value && !trees().is_some_and(|(old, new)| equal_documents(&old, &new)) {
        true => text,
        false => ended,
    }
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
