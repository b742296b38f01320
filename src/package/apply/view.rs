//! `merge3 apply view-last-applied`: shows the last applied configurations of live objects.

use std::path::Path;

use super::config::empty_input;
use super::last::LastApplied;
use crate::error::Error;
use crate::package::readable::{joined, usable};
use crate::package::secrets::masked;
use crate::package::selector::Selector;
use crate::package::single_package::load_package;
use crate::secret::{HIDDEN, may_contain_secret};
use crate::yaml::{Tree, go_json, json_in_block_style};

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
