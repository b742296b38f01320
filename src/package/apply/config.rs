//! Checks configurations, and writes the annotation that says what was applied.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::error::{Error, Place, shown};
use crate::package::parsed::Parsed;
use crate::package::readable::InFile;
use crate::package::resource::ResourceId;
use crate::patch::LAST_APPLIED;
use crate::schema::Schema;
use crate::yaml::{Tree, go_json};

/// Every document of the configurations names one resource, and no two the same one.
pub(super) fn check(given: &Path, documents: &[InFile<'_, '_>]) -> Result<(), Error> {
    let mut errors = Vec::new();
    let mut seen: FxHashMap<&ResourceId<'_>, Place> = FxHashMap::default();
    for document in documents {
        let place = document.start();
        let Some(id) = named(document.parsed) else {
            errors.push(names_nothing(document.tree, place));
            continue;
        };
        if let Some(first) = seen.get(id) {
            errors.push(twice(id, first, place));
        } else {
            seen.insert(id, place);
        }
    }
    if documents.is_empty() {
        errors.push(empty("--config", "there is nothing to apply", given));
    }
    Error::if_any(errors)
}

fn named<'p, 'a>(parsed: &'p Parsed<'a>) -> Option<&'p ResourceId<'a>> {
    let id = &parsed.resource.as_ref()?.id;
    // a name that the server makes ends in a star
    (!id.api_version.is_empty() && !id.name.ends_with('*')).then_some(id)
}

fn names_nothing(tree: &Tree<'_>, place: Place) -> Error {
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

fn twice(id: &ResourceId<'_>, first: &Place, second: Place) -> Error {
    Error::unfit(
        second,
        format!("{id} is there twice"),
        format!("the first is {}:{}", first.path.display(), first.line),
        "remove one of the two",
    )
}

/// What the annotation says after an application: the configuration as JSON, as `kubectl` writes
/// it, without the annotation itself, and with the object's namespace where the configuration
/// leaves it out.
pub(super) fn annotation(
    config: &InFile<'_, '_>,
    namespace: Option<&str>,
) -> Result<String, Error> {
    let tree = config.tree;
    let mut json = go_json::value(tree, tree.root().value).map_err(|wrong| {
        Error::unfit(
            config.place(tree.node(wrong.node).span.start as usize),
            "this cannot be applied",
            wrong.message,
            "write it as plain fields and values",
        )
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

/// Whether a configuration is for an object in a namespace, and does not say which.
pub(super) fn may_have_namespace(config: &Tree<'_>, schema: &Schema) -> bool {
    let id = ResourceId::of(config);
    id.is_some_and(|id| {
        id.namespace.is_empty() && !schema.is_cluster_scoped(&id.api_version, &id.kind)
    })
}

/// There is nothing where something is needed.
pub(super) fn empty(option: &str, problem: &str, path: &Path) -> Error {
    let message = format!("{option}: {problem} in {}", shown(path));
    Error::refused(message, "give it a file or folder that has some")
}
