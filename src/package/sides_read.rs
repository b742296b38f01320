//! All sides of a file, read: what one has in common with another is not read twice.

use std::path::Path;
use std::sync::Arc;

use super::file_triple::{FileTriple, Roots, Source};
use super::parallel::in_parallel;
use super::parsed::{Broken, ParsedFile, Reading, Readings, Trees};
use crate::error::Place;
use crate::triple::Triple;

/// Reads all sides of a file with a YAML name; sides that are the same to the byte are read once.
pub(crate) fn read_sides<'a>(triple: &'a FileTriple, roots: &Roots, trees: Trees) -> Readings<'a> {
    let sources = triple.sides.as_ref().map(Option::as_ref);
    let paths = roots.paths(&triple.path);
    let original = sources
        .original
        .map(|source| shared(&paths.original, source, trees, None));
    let shared = |path: &Path, source: &'a Source| {
        let other = original
            .as_ref()
            .and_then(|reading| reading.as_deref().ok());
        shared(path, source, trees, other)
    };
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

/// Lets go of a file's readings: to free what is known of many documents takes its time, too.
pub(crate) fn let_go(readings: Readings<'_>) {
    for reading in readings.into_array().into_iter().flatten().flatten() {
        if let Some(file) = Arc::into_inner(reading) {
            in_parallel(file.text.len(), file.documents, drop);
        }
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

fn shared<'a>(
    path: &Path,
    source: &'a Source,
    trees: Trees,
    other: Option<&ParsedFile<'a>>,
) -> Reading<'a> {
    let file =
        text(path, source).and_then(|text| ParsedFile::parse_beside(path, text, trees, other));
    file.map(Arc::new)
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
