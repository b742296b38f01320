//! All sides of a file, read: what one has in common with another is not read twice.

use std::path::Path;
use std::sync::Arc;

use super::parallel::{in_parallel, sides_in_parallel};
use super::parsed::{Broken, Parsed, ParsedFile, Reading, Readings, Trees};
use super::slot::{Roots, Slot, Source};
use crate::error::Place;
use crate::merge::is_large;
use crate::triple::Triple;
use crate::yaml::Document;
use crate::yaml::stream::split;

/// Reads all sides of a file with a YAML name; sides that are the same to the byte are read once.
///
/// Documents that will most likely be merged keep their trees, also where those of others are
/// dropped, unless they would take too much memory even so.
pub(crate) fn read_sides<'a>(slot: &'a Slot, roots: &Roots, trees: Trees) -> Readings<'a> {
    if trees == Trees::Dropped && slot.has_three_sides_apart() {
        return read_apart(slot, roots);
    }
    let sources = slot.sides.as_ref().map(Option::as_ref);
    let paths = roots.paths(&slot.path);
    let original = sources
        .original
        .map(|source| shared(&paths.original, source, trees, None));
    let shared = |path: &Path, source: &'a Source| {
        let like = original
            .as_ref()
            .and_then(|reading| reading.as_deref().ok());
        shared(path, source, trees, like)
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

fn read_apart<'a>(slot: &'a Slot, roots: &Roots) -> Readings<'a> {
    let sources = slot.sides.as_ref().zip(roots.paths(&slot.path));
    let bytes = sources.as_ref().map(|(source, _)| {
        let bytes = source.as_ref().map(|it| it.bytes.len());
        bytes.unwrap_or(0)
    });
    let sides = sides_in_parallel(
        bytes.into_array().into_iter().sum(),
        sources,
        |(it, path)| {
            let text = it.as_ref().map(|it| text(&path, it));
            let documents = match &text {
                Some(Ok(text)) => split(text),
                _ => Vec::new(),
            };
            (text.map(|text| (text, path)), documents)
        },
    );
    let documents = sides.as_ref().map(|(_, documents)| documents.as_slice());
    let apart = apart(&documents);
    let mut original: Option<Arc<ParsedFile<'a>>> = None;
    let is_original = Triple::new(true, false, false);
    sides
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
            let like = original.as_deref();
            let parse = |text| ParsedFile::parse_documents(&path, text, documents, like);
            let file = text.and_then(parse).map(Arc::new);
            if is_original {
                original = file.as_ref().ok().cloned();
            }
            Some(file)
        })
}

/// Which of the documents, counted from the top, upstream changed and local has otherwise: only the
/// first ones where the trees of all would take too much memory at once.
fn apart(documents: &Triple<&[Document<'_>]>) -> Vec<bool> {
    let counts = documents.map(<[_]>::len).into_array();
    let shortest = counts.into_iter().min().unwrap_or(0);
    let texts = |index: usize| documents.map(|side| side[index].text);
    let is_apart = |index: usize| {
        let texts = texts(index);
        texts.updated != texts.original && texts.updated != texts.local
    };
    let mut apart: Vec<bool> = (0..shortest).map(is_apart).collect();
    let is_one = apart.iter().filter(|apart| **apart).count() == 1;
    let length =
        |documents: &[Document<'_>]| documents.iter().map(|it| it.text.len()).sum::<usize>();
    let all = documents
        .map(length)
        .into_array()
        .into_iter()
        .sum::<usize>();
    let limit = Trees::OF_FILE + all / 4;
    let mut bytes = 0;
    for (index, keeps) in apart.iter_mut().enumerate().filter(|(_, keeps)| **keeps) {
        let lengths = texts(index).into_array().map(str::len);
        bytes += lengths.into_iter().sum::<usize>();
        *keeps = is_one || bytes <= limit;
    }
    apart
}

/// The same without trees.
pub(crate) fn without_trees(readings: Readings<'_>) -> Readings<'_> {
    readings.map(|side| side.map(|reading| reading.map(without_trees_of)))
}

fn without_trees_of(mut file: Arc<ParsedFile<'_>>) -> Arc<ParsedFile<'_>> {
    if let Some(own) = Arc::get_mut(&mut file) {
        let documents = own.documents.iter_mut().collect();
        in_parallel(own.text.len(), documents, Parsed::drop_tree);
        return file;
    }
    // another side has the same
    Arc::new(file.without_trees())
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
    like: Option<&ParsedFile<'a>>,
) -> Reading<'a> {
    let file = text(path, source).and_then(|text| ParsedFile::parse_like(path, text, trees, like));
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
