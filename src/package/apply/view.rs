//! `merge3 apply view-last-applied`: what the annotations of live objects say.

use std::path::Path;

use super::config::empty;
use super::last::LastApplied;
use crate::error::Error;
use crate::package::readable::{joined, usable};
use crate::package::secrets::masked;
use crate::package::selector::Selector;
use crate::package::single_package::load_package;
use crate::secret::{HIDDEN, may_be_in};
use crate::yaml::{Tree, go_json, json_in_block_style};

/// What was applied last to live objects, as documents of YAML: to those that `resources` mean, to
/// all where there are none. What Secrets keep is left out, unless `show_secrets` is set.
///
/// # Errors
/// Where an annotation is no JSON, or nothing was applied to any of them.
pub fn view_last_applied(
    live: &Path,
    resources: &[Selector],
    show_secrets: bool,
) -> Result<String, Error> {
    let mut package = load_package(live, "LIVE", &[])?;
    package.split_lists();
    let last = LastApplied::default();
    let mut texts = Vec::new();
    for read in usable(live, &package, "this cannot be read")? {
        for document in read.documents().filter(|it| it.is_meant_by(resources)) {
            let Some(resource) = &document.parsed.resource else {
                continue;
            };
            let place = |offset| document.place(offset);
            let said = last.of(document.tree, &resource.id, place)?;
            texts.extend(said.text.map(|text| match show_secrets {
                true => as_yaml(text),
                false => as_yaml(without_secrets(text)),
            }));
        }
    }
    match texts.is_empty() {
        true => Err(empty(
            "LIVE",
            "nothing that was applied is written down",
            live,
        )),
        false => Ok(joined(texts.into_iter())),
    }
}

fn as_yaml(text: String) -> String {
    let tree = Tree::parse(&text).ok().flatten();
    tree.and_then(|tree| json_in_block_style(&tree))
        .unwrap_or(text)
}

fn without_secrets(text: String) -> String {
    if !may_be_in(text.as_bytes()) {
        return text;
    }
    let tree = Tree::parse(&text).ok().flatten();
    let json = tree.and_then(|tree| go_json::value(&tree, tree.root().value).ok());
    json.map_or_else(|| HIDDEN.to_owned(), |json| go_json::written(masked(json)))
}
