//! Checks configurations, makes the annotation with the last applied configuration, and finds that
//! of a live object, in files or in its annotation. `merge3 apply view-last-applied` shows it.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::error::{Error, Place, shown};
use crate::package::Settings;
use crate::package::parsed::Parsed;
use crate::package::read::{DocumentInFile, all, joined, usable};
use crate::package::resource::ResourceId;
use crate::package::secrets::masked;
use crate::package::selector::Selector;
use crate::package::single_package::load_package;
use crate::patch::LAST_APPLIED;
use crate::schema::Schema;
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
        let Some(annotation) = annotation_of(live) else {
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
pub(super) fn annotation_of(live: &Tree<'_>) -> Option<NodeId> {
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
    if texts.is_empty() {
        let problem = "nothing that was applied is written down";
        return Err(empty_input("LIVE", problem, live));
    }
    Ok(joined(texts.into_iter()))
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

/// Checks that every document of the configurations names a resource, and no two the same one.
/// `given` is the path of the configurations.
pub(super) fn check(given: &Path, documents: &[DocumentInFile<'_, '_>]) -> Result<(), Error> {
    let mut errors = Vec::new();
    let mut seen: FxHashMap<&ResourceId<'_>, Place> = FxHashMap::default();
    for document in documents {
        let place = document.start();
        let Some(id) = identity(document.parsed) else {
            errors.push(no_identity(document.tree, place));
            continue;
        };
        if let Some(first) = seen.get(id) {
            errors.push(duplicate(id, first, place));
        } else {
            seen.insert(id, place);
        }
    }
    if documents.is_empty() {
        errors.push(empty_input("--config", "there is nothing to apply", given));
    }
    Error::if_any(errors)
}

/// Returns the identity of a configuration; `None` if a part of it is missing or generated.
fn identity<'p, 'a>(parsed: &'p Parsed<'a>) -> Option<&'p ResourceId<'a>> {
    let id = &parsed.resource.as_ref()?.id;
    // for `generateName`, the name of the identity ends with `*`
    (!id.api_version.is_empty() && !id.name.ends_with('*')).then_some(id)
}

fn no_identity(tree: &Tree<'_>, place: Place) -> Error {
    let has_generated = tree.at(&["metadata", "generateName"]).is_some();
    let (message, help) = if has_generated {
        (
            "a name that the server makes is a new one each time",
            "give it a `metadata.name`",
        )
    } else {
        (
            "`apiVersion`, `kind` and `metadata.name` say which resource it is",
            "add what is missing, or exclude the file in .krmignore or with --yaml",
        )
    };
    Error::unfit(place, "this document names no resource", message, help)
}

fn duplicate(id: &ResourceId<'_>, first: &Place, second: Place) -> Error {
    Error::unfit(
        second,
        format!("{id} occurs twice"),
        format!("the first is {}:{}", first.path.display(), first.line),
        "remove one of the two",
    )
}

/// Returns the content of the annotation after an application: the configuration as JSON in the
/// form that `kubectl` writes, without the annotation itself. `namespace` is added if the
/// configuration has none.
///
/// # Errors
/// If the configuration has a value that JSON cannot represent.
pub(super) fn annotation(
    config: &DocumentInFile<'_, '_>,
    namespace: Option<&str>,
) -> Result<String, Error> {
    let tree = config.tree;
    let mut json = go_json::value(tree, tree.root().value).map_err(|error| {
        let error = error.with_help("write it as plain fields and values");
        config.unfit("this cannot be applied", error)
    })?;
    if let Some(Value::Object(metadata)) = json.get_mut("metadata") {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        match annotations {
            Value::Object(annotations) => {
                annotations.remove(LAST_APPLIED);
            }
            other => *other = json!({}),
        }
        let has_namespace = metadata.get("namespace").is_some_and(|it| !it.is_null());
        if let Some(namespace) = namespace.filter(|_| !has_namespace) {
            metadata.insert("namespace".to_owned(), namespace.into());
        }
    }
    Ok(format!("{}\n", go_json::written(json)))
}

/// Returns true if a configuration is for a namespaced object and has no namespace.
pub(super) fn may_have_namespace(config: &Tree<'_>, schema: &Schema) -> bool {
    let id = ResourceId::of(config);
    id.is_some_and(|id| {
        id.namespace.is_empty() && !schema.is_cluster_scoped(&id.api_version, &id.kind)
    })
}

/// Returns the error for input without a document to use. `option` names the input.
pub(super) fn empty_input(option: &str, problem: &str, path: &Path) -> Error {
    let message = format!("{option}: {problem} in {}", shown(path));
    Error::refused(message, "give it a file or folder that has some")
}
