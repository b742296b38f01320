//! A text that is a YAML or JSON document of its own, such as a configuration file in a ConfigMap
//! (rules: Texts and images).

use super::document::{ReadDocument, merge_document};
use super::{Conflict, OnConflict, Options, Resolution, Texts};
use crate::secret::{HIDDEN, may_be_in};
use crate::triple::Triple;
use crate::yaml::{Document, NodeKind, Tree, stream::split};

/// What the merge of three such texts makes of local's.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) text: String,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) noted: Vec<Conflict>,
}

/// Merges three texts by their structure; `None` if one of them has none. Rules for single places
/// speak of the document that the texts are in, and not of these.
pub(crate) fn merge_embedded(
    texts: Triple<&str>,
    resolution: Resolution,
    options: &Options,
) -> Option<Embedded> {
    let documents = texts.try_map(|text| only_document(text).ok_or(())).ok()?;
    let trees = documents.try_map(|document| collection(document.text).ok_or(()));
    let trees = trees.ok()?;
    let options = Options {
        on_conflict: match resolution {
            Resolution::Updated => OnConflict::Updated,
            Resolution::Local | Resolution::Open | Resolution::Markers => OnConflict::Local,
        },
        rules: Vec::new(),
        texts: Texts::LinesOnly,
        ..options.clone()
    };
    let is_resource = {
        let (tree, root) = (&trees.local, trees.local.root().value);
        let metadata = tree.find(root, "metadata");
        let name = metadata.and_then(|metadata| tree.find(tree.entry(metadata).value, "name"));
        tree.find(root, "kind").is_some() && name.is_some()
    };
    let sides = documents.as_ref().zip(trees.as_ref());
    let sides = sides.map(|(document, tree)| Some(ReadDocument { document, tree }));
    let merged = merge_document(sides, is_resource, &options).ok()?;
    let local = documents.local;
    let (before, after) = (
        &texts.local[..local.start],
        &texts.local[local.start + local.text.len()..],
    );
    let document = merged.text.as_deref().unwrap_or(local.text);
    // a place in the text does not say that the text is a Secret
    let is_secret = |text: &str| may_be_in(text.as_bytes());
    let hides = texts.into_array().into_iter().any(is_secret);
    let told = |mut records: Vec<Conflict>| {
        for record in records.iter_mut().filter(|_| hides) {
            let values = std::mem::take(&mut record.values);
            record.values = values.map(|value| value.map(|_| HIDDEN.into()));
        }
        records
    };
    Some(Embedded {
        text: format!("{before}{document}{after}"),
        conflicts: told(merged.conflicts),
        noted: told(merged.noted),
    })
}

/// Whether a text has a structure.
pub(crate) fn has_structure(text: &str) -> bool {
    // most texts are a word
    let is_word = !text.contains(['\n', '\r', '{', '[']);
    !is_word && only_document(text).is_some_and(|document| collection(document.text).is_some())
}

/// The document of a text that has one only.
fn only_document(text: &str) -> Option<Document<'_>> {
    let mut documents = split(text).into_iter();
    let only = documents.next()?;
    documents.next().is_none().then_some(only)
}

/// The tree of a map or list. (On one line, only JSON is one: `note: it is here` may be a
/// sentence.)
fn collection(text: &str) -> Option<Tree<'_>> {
    let is_one_line = !text.trim_end().contains('\n');
    if is_one_line && !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let tree = Tree::parse(text).ok()??;
    let is_collection = matches!(
        tree.node(tree.root().value).kind,
        NodeKind::Mapping(_) | NodeKind::Sequence(_)
    );
    is_collection.then_some(tree)
}
