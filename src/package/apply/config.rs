//! Checks configurations, and makes the annotation with the last applied configuration.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::error::{Error, Place, shown};
use crate::package::parsed::Parsed;
use crate::package::readable::DocumentInFile;
use crate::package::resource::ResourceId;
use crate::patch::LAST_APPLIED;
use crate::schema::Schema;
use crate::yaml::{Tree, go_json};

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
