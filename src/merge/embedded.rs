//! Merges texts that are YAML or JSON documents themselves, such as a configuration file in a
//! ConfigMap (rules: Texts and images).

use super::document::{ReadDocument, merge_document};
use super::shape::{Shape, shape};
use super::{Conflict, OnConflict, Options, Resolution, Texts};
use crate::secret::may_contain_secret;
use crate::triple::Triple;
use crate::white_space::{trimmed_end, trimmed_start};
use crate::yaml::{Document, Tree, stream::split};

/// The result of merging three such texts.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) text: String,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) notes: Vec<Conflict>,
}

/// Merges three texts by their structure. Returns `None` if one of them is not a single document
/// that is a map or list. Rules for single places do not apply inside: their paths are those of the
/// outer document.
pub(crate) fn merge_embedded(
    texts: Triple<&str>,
    resolution: Resolution,
    options: &Options,
) -> Option<Embedded> {
    let documents = texts.map(only_document).transpose()?;
    let trees = documents.as_ref().map(|document| collection(document.text));
    let trees = trees.transpose()?;
    let options = Options {
        on_conflict: match resolution {
            Resolution::Updated => OnConflict::Updated,
            Resolution::Local | Resolution::Open | Resolution::Markers => OnConflict::Local,
        },
        rules: Vec::new(),
        texts: Texts::LinesOnly,
        ..options.clone()
    };
    let has = |path| trees.local.at(path).is_some();
    let is_resource = has(&["kind"]) && has(&["metadata", "name"]);
    let sides = documents.as_ref().zip(trees.as_ref());
    let sides = sides.map(|(document, tree)| Some(ReadDocument { document, tree }));
    let merged = merge_document(sides, is_resource, &options).ok()?;
    let local = documents.local;
    let (before, after) = (
        &texts.local[..local.start],
        &texts.local[local.start + local.text.len()..],
    );
    let document = merged.text.as_deref().unwrap_or(local.text);
    // a path in the text does not show that the text is a Secret: hide the values here
    let is_secret = |text: &str| may_contain_secret(text.as_bytes());
    let may_have_secret = texts.into_array().into_iter().any(is_secret);
    let redacted = |mut records: Vec<Conflict>| {
        for record in records.iter_mut().filter(|_| may_have_secret) {
            record.hide_values();
        }
        records
    };
    Some(Embedded {
        text: format!("{before}{document}{after}"),
        conflicts: redacted(merged.conflicts),
        notes: redacted(merged.notes),
    })
}

/// Whether a text is a single document that is a map or list.
pub(crate) fn has_structure(text: &str) -> bool {
    // most texts are a single word: do not parse those
    let is_word = !text.contains(['\n', '\r', '{', '[']);
    !is_word && only_document(text).is_some_and(|document| collection(document.text).is_some())
}

/// Returns the document of a text that has exactly one.
fn only_document(text: &str) -> Option<Document<'_>> {
    let mut documents = split(text).into_iter();
    let only = documents.next()?;
    documents.next().is_none().then_some(only)
}

/// Returns the tree of a text that is a map or list. A single line counts only if it is in flow
/// style: `note: it is here` may be a sentence.
fn collection(text: &str) -> Option<Tree<'_>> {
    let is_one_line = !trimmed_end(text).contains('\n');
    if is_one_line && !trimmed_start(text).starts_with(['{', '[']) {
        return None;
    }
    let tree = Tree::parse(text).ok()??;
    (shape(&tree, tree.root().value) != Shape::Scalar).then_some(tree)
}
