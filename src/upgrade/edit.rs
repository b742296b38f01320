//! Edits the text of small YAML files with patches, and reads scalars in them. Bytes that an edit
//! does not concern stay as they are.

use std::fmt::Display;

use crate::yaml::scalar::write_text;
use crate::yaml::{NodeId, Tree};

/// Returns a JSON object with the fields in this order. The values must be JSON.
pub(super) fn map<V: Display>(fields: impl IntoIterator<Item = (impl AsRef<str>, V)>) -> String {
    let fields = fields.into_iter();
    let fields = fields.map(|(name, value)| format!("{}: {value}", string(name.as_ref())));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// Returns a text as a JSON string.
pub(super) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns a text as a YAML scalar, with quotes also if only some parsers take it for a number.
pub(super) fn in_yaml(text: &str) -> String {
    let may_be_number = |byte: u8| byte.is_ascii_digit() || b".eE+-_:xo".contains(&byte);
    match text.bytes().all(may_be_number) {
        true => string(text),
        false => write_text(text, false),
    }
}

/// Returns the content of the scalar at a path.
pub(super) fn get(text: &str, path: &[&str]) -> Option<String> {
    let tree = Tree::parse(text).ok()??;
    text_at(&tree, tree.root().value, path)
}

/// Returns the content of the scalar at a path below a map.
pub(super) fn text_at(tree: &Tree<'_>, map: NodeId, path: &[&str]) -> Option<String> {
    Some(tree.scalar(tree.below(map, path)?)?.content.to_string())
}
