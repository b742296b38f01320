//! Finds the last applied configuration of a live object, in files or in the object's annotation.
//! `merge3 apply view-last-applied` shows it.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::config::empty_input;
use crate::error::{Error, Place, shown};
use crate::package::Settings;
use crate::package::readable::{all, joined, usable};
use crate::package::resource::ResourceId;
use crate::package::secrets::masked;
use crate::package::selector::Selector;
use crate::package::single_package::load_package;
use crate::patch::LAST_APPLIED;
use crate::secret::{HIDDEN, may_contain_secret};
use crate::yaml::{NodeId, NodeKind, Tree, go_json, json_in_block_style};

/// The last applied configurations that the user gave as files.
#[derive(Debug, Default)]
pub(crate) struct LastApplied {
    /// The text of each document, by group, kind, namespace and name.
    documents: FxHashMap<[String; 4], String>,
    /// The path of the files; `None` if none were given.
    path: Option<PathBuf>,
}

/// The text of the last applied configuration of one live object, and the offset of its annotation
/// in the live document; 0 if the text is from a file.
type LastConfig = (String, usize);

impl LastApplied {
    /// Reads the last applied configurations from a file or a folder.
    pub(super) fn read(path: &Path, settings: &Settings) -> Result<Self, Error> {
        let package = load_package(path, "--last-applied", &settings.matches)?;
        let mut documents = FxHashMap::default();
        for read in all(&package, "what was applied last cannot be read")? {
            documents.extend(read.file.documents.iter().filter_map(|parsed| {
                let id = parsed.resource.as_ref()?.id.of_any_version();
                Some((id.map(str::to_owned), parsed.document.text.to_owned()))
            }));
        }
        Ok(Self {
            documents,
            path: Some(path.to_owned()),
        })
    }

    /// Returns the last applied configuration of a live object: from the files if any were given,
    /// else from its annotation; `None` if it is not known. `place` converts an offset in the live
    /// document for errors.
    ///
    /// # Errors
    /// If the files have none for this object, or the annotation is not a JSON object.
    pub(super) fn of(
        &self,
        live: &Tree<'_>,
        id: &ResourceId<'_>,
        place: impl Fn(usize) -> Place,
    ) -> Result<Option<LastConfig>, Error> {
        let [group, kind, namespace, name] = id.of_any_version();
        let mut from_files = [namespace, ""].into_iter().filter_map(|namespace| {
            let key = [group, kind, namespace, name].map(str::to_owned);
            self.documents.get(&key)
        });
        if let Some(text) = from_files.next() {
            return Ok(Some((text.clone(), 0)));
        }
        if let Some(path) = &self.path {
            return Err(Error::unfit(
                place(live.root().span.start as usize),
                format!("{} has nothing that was applied to this", shown(path)),
                format!("it needs {id}"),
                "add it there, or leave --last-applied out: then the annotations say it",
            ));
        }
        let Some(annotation) = annotation(live) else {
            return Ok(None);
        };
        let offset = live.node(annotation).span.start as usize;
        let annotation_error = |message: String| {
            Error::unfit(
                place(offset),
                format!("the annotation {LAST_APPLIED} cannot be used"),
                message,
                "restore it, give --last-applied FILE, or delete it: then nothing is removed",
            )
        };
        let text: &str = live.scalar(annotation).map_or("", |scalar| scalar.content);
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            return Err(annotation_error(format!("this is not JSON: {error}")));
        }
        let is_map =
            |tree: &Tree<'_>| matches!(tree.node(tree.root().value).kind, NodeKind::Mapping(_));
        match Tree::parse(text) {
            Ok(Some(last)) if is_map(&last) => Ok(Some((text.to_owned(), offset))),
            Ok(_) => Err(annotation_error("this is not a resource".to_owned())),
            Err(error) => Err(annotation_error(error.message)),
        }
    }
}

/// Returns the annotation of a live object with the last applied configuration.
pub(super) fn annotation(live: &Tree<'_>) -> Option<NodeId> {
    live.at(&["metadata", "annotations", LAST_APPLIED])
}

/// Returns the last applied configurations of live objects as YAML documents: of the objects that
/// `resources` select, or of all if it is empty. The values of Secrets are hidden unless
/// `show_secrets` is set.
///
/// # Errors
/// If an annotation is not a JSON object, or no object has one.
pub fn view_last_applied(
    live: &Path,
    resources: &[Selector],
    show_secrets: bool,
) -> Result<String, Error> {
    let mut package = load_package(live, "LIVE", &[])?;
    package.split_lists();
    let last = LastApplied::default();
    let mut texts = Vec::new();
    for file in usable(&package, "this cannot be read")? {
        for document in file.documents().filter(|it| it.is_meant_by(resources)) {
            let Some(resource) = &document.parsed.resource else {
                continue;
            };
            let place = |offset| document.place(offset);
            let config = last.of(document.tree, &resource.id, place)?;
            texts.extend(config.map(|(text, _)| match show_secrets {
                true => as_yaml(text),
                false => as_yaml(without_secrets(text)),
            }));
        }
    }
    match texts.is_empty() {
        true => Err(empty_input(
            "LIVE",
            "nothing that was applied is written down",
            live,
        )),
        false => Ok(joined(texts.into_iter())),
    }
}

/// Returns JSON as YAML in block style.
fn as_yaml(text: String) -> String {
    let tree = Tree::parse(&text).ok().flatten();
    tree.and_then(|tree| json_in_block_style(&tree))
        .unwrap_or(text)
}

/// Returns JSON with the values of Secrets hidden.
fn without_secrets(text: String) -> String {
    if !may_contain_secret(text.as_bytes()) {
        return text;
    }
    let tree = Tree::parse(&text).ok().flatten();
    let json = tree.and_then(|tree| go_json::value(&tree, tree.root().value).ok());
    json.map_or_else(|| HIDDEN.to_owned(), |json| go_json::written(masked(json)))
}
