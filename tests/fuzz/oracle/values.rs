//! Loads the value of a text, unless it may be too large.

use std::collections::BTreeMap;

use merge3::yaml::{NodeId, NodeKind, ScalarType, Tree, stream::split};

use crate::value::{Value, load};

/// The most aliases of a text whose value is loaded. With more, the value can be too large.
const MAX_ALIASES: usize = 12;

/// Whether the value of a text is small enough to load.
pub(super) fn is_small(text: &str) -> bool {
    text.matches('*').count() <= MAX_ALIASES
}

/// Returns the value of a text's documents, or None if the parser does not accept it. If the root
/// is a scalar of several lines without indentation, the parser takes a following `---` for a part
/// of it and finds too few documents.
pub(super) fn of_file(text: &str) -> Option<Value> {
    if !is_small(text) {
        return None;
    }
    let documents = load::documents_by_type(text).ok()?;
    let chunks = split(text).into_iter();
    let count = chunks.filter(|chunk| matches!(Tree::parse(chunk.text), Ok(Some(_))));
    (documents.len() >= count.count()).then_some(Value::List(documents))
}

/// Returns a value with the fields of its maps and the elements of its lists in an order that only
/// depends on their values.
pub(super) fn unordered(value: Value) -> Value {
    match value {
        Value::Map(fields) => {
            let fields = fields.into_iter();
            let mut fields: Vec<_> = fields.map(|(key, it)| (key, unordered(it))).collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Map(fields)
        }
        Value::List(elements) => {
            let mut elements: Vec<Value> = elements.into_iter().map(unordered).collect();
            elements.sort_by_cached_key(|element| format!("{element:?}"));
            Value::List(elements)
        }
        other => other,
    }
}

/// Adds the values in a node that have an anchor, by its name.
pub(super) fn add_anchored(tree: &Tree<'_>, node: NodeId, found: &mut BTreeMap<String, Value>) {
    if let Some(anchor) = tree.node(node).anchor() {
        found.insert(tree.slice(anchor).to_owned(), of_tree(tree, node));
    }
    for entry in tree.entries(node) {
        add_anchored(tree, tree.entry(entry).value, found);
    }
}

/// Returns the value of a tree.
pub(super) fn of_tree(tree: &Tree<'_>, id: NodeId) -> Value {
    let id = tree.resolve(id);
    match &tree.node(id).kind {
        NodeKind::Scalar(scalar) => match scalar.scalar_type {
            ScalarType::Null => Value::Null,
            other => Value::Scalar {
                tag: match other {
                    ScalarType::Bool => "bool".to_owned(),
                    ScalarType::Int => "int".to_owned(),
                    ScalarType::Float => "float".to_owned(),
                    ScalarType::Timestamp => "timestamp".to_owned(),
                    ScalarType::Merge => "merge".to_owned(),
                    ScalarType::Custom => custom(tree, id),
                    ScalarType::Str | ScalarType::Null => "str".to_owned(),
                },
                text: scalar.content.to_string(),
            },
        },
        NodeKind::Sequence(_) => {
            let entries = tree.entries(id).map(|entry| tree.entry(entry));
            Value::List(entries.map(|entry| of_tree(tree, entry.value)).collect())
        }
        NodeKind::Mapping(_) => {
            let entries = tree.entries(id).map(|entry| tree.entry(entry));
            let field = |entry: merge3::yaml::Entry<'_>| {
                let key = of_tree(tree, entry.key?);
                Some((key.into_key(), of_tree(tree, entry.value)))
            };
            Value::Map(entries.filter_map(field).collect())
        }
        NodeKind::Alias(_) => Value::Null,
    }
}

/// Whether a map or list has a custom tag. That is part of its meaning but not of its [`Value`].
pub(super) fn has_tagged_collection(tree: &Tree<'_>, id: NodeId) -> bool {
    let is_tagged = tree.scalar(id).is_none() && tree.custom_tag(id).is_some();
    let mut entries = tree.entries(id);
    is_tagged || entries.any(|entry| has_tagged_collection(tree, tree.entry(entry).value))
}

/// Returns a tag in the form that the parser's events have.
fn custom(tree: &Tree<'_>, id: NodeId) -> String {
    let tag = tree.custom_tag(id).unwrap_or_default();
    tag.strip_prefix("tag:yaml.org,2002:")
        .unwrap_or(tag)
        .to_owned()
}

/// Normalizes a value for comparison with the parser's: (1) A text of line breaks becomes empty,
/// because the parser finds a line break in an empty block scalar or not, depending on what
/// follows. (2) Numbers to the base of 60, numbers with `_` and dates get one common type, because
/// the test readers know their types only roughly. (3) If the text `ends_in_spaces`, several line
/// breaks at the end of a scalar become one, because the parser reads these spaces as a line of a
/// block scalar.
pub(super) fn normalized(value: Value, ends_in_spaces: bool) -> Value {
    let normalized_text = |text: &str| match text.trim_end_matches('\n') {
        "" => String::new(),
        words if ends_in_spaces && text.ends_with("\n\n") => format!("{words}\n"),
        _ => text.to_owned(),
    };
    match value {
        Value::Scalar { tag, text } => {
            let text = normalized_text(&text);
            let first = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            let core = ["int", "float", "timestamp", "str"].contains(&tag.as_str());
            if first && core && text.contains([':', '_', '-', '+', '.']) {
                Value::Scalar {
                    tag: "number".to_owned(),
                    text,
                }
            } else {
                Value::Scalar { tag, text }
            }
        }
        Value::List(elements) => {
            let elements = elements.into_iter();
            Value::List(
                elements
                    .map(|element| normalized(element, ends_in_spaces))
                    .collect(),
            )
        }
        Value::Map(fields) => {
            let fields = fields.into_iter();
            // a key that is not a string has its type in its name: `\0int(1)`
            let key = |key: String| {
                let typed = key.strip_prefix('\0').and_then(|it| it.strip_suffix(')'));
                let typed = typed.filter(|it| !it.starts_with('!'));
                let text = typed.and_then(|it| it.split_once('('));
                normalized_text(text.map_or(key.as_str(), |(_, text)| text))
            };
            Value::Map(
                fields
                    .map(|(name, value)| (key(name), normalized(value, ends_in_spaces)))
                    .collect(),
            )
        }
        Value::Null => Value::Null,
    }
}
