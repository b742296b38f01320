//! The values of a text, where it is cheap to know them.

use merge3::yaml::{NodeId, NodeKind, ScalarType, Tree, stream::split};

use crate::value::{Value, load};

/// With more aliases than these a value can be too large to write out.
const MOST_ALIASES: usize = 12;

/// Whether a text's value is small enough.
pub(super) fn is_small(text: &str) -> bool {
    text.matches('*').count() <= MOST_ALIASES
}

/// The value of a text's documents; none where the parser alone does not take it. (To the parser a
/// text in lines at the root goes on behind a `---`, where it is not indented: it finds fewer
/// documents then than there are.)
pub(super) fn of_file(text: &str) -> Option<Value> {
    if !is_small(text) {
        return None;
    }
    let documents = load::documents_by_type(text).ok()?;
    let chunks = split(text).into_iter();
    let count = chunks.filter(|chunk| matches!(Tree::parse(chunk.text), Ok(Some(_))));
    (documents.len() >= count.count()).then_some(Value::List(documents))
}

/// The value of a tree.
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

/// Whether a map or list has a tag of its own: that is a part of what it says, and none of its
/// [`Value`].
pub(super) fn has_tagged_collection(tree: &Tree<'_>, id: NodeId) -> bool {
    let is_tagged = tree.scalar(id).is_none() && tree.custom_tag(id).is_some();
    let mut entries = tree.entries(id);
    is_tagged || entries.any(|entry| has_tagged_collection(tree, tree.entry(entry).value))
}

/// A tag as the parser's readers have it.
fn custom(tree: &Tree<'_>, id: NodeId) -> String {
    let tag = tree.custom_tag(id).unwrap_or_default();
    tag.strip_prefix("tag:yaml.org,2002:")
        .unwrap_or(tag)
        .to_owned()
}

/// A value in which a text of line breaks is none: in a block scalar without a line the parser
/// finds one or not, as what follows has it. And numbers to the base of 60, numbers with `_` and
/// dates have no type of their own: the readers of the tests know those only roughly. Of spaces at
/// the end of the text the parser makes a line of a block scalar, be it one that keeps such lines
/// or not: where it `ends_in_spaces`, one line break at the end of a text is as good as several.
pub(super) fn roughly(value: Value, ends_in_spaces: bool) -> Value {
    let said = |text: &str| match text.trim_end_matches('\n') {
        "" => String::new(),
        words if ends_in_spaces && text.ends_with("\n\n") => format!("{words}\n"),
        _ => text.to_owned(),
    };
    match value {
        Value::Scalar { tag, text } => {
            let text = said(&text);
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
                    .map(|element| roughly(element, ends_in_spaces))
                    .collect(),
            )
        }
        Value::Map(fields) => {
            let fields = fields.into_iter();
            // a key that is no string carries its type: `\0int(1)`
            let key = |key: String| {
                let typed = key.strip_prefix('\0').and_then(|it| it.strip_suffix(')'));
                let typed = typed.filter(|it| !it.starts_with('!'));
                let text = typed.and_then(|it| it.split_once('('));
                said(text.map_or(key.as_str(), |(_, text)| text))
            };
            Value::Map(
                fields
                    .map(|(name, value)| (key(name), roughly(value, ends_in_spaces)))
                    .collect(),
            )
        }
        Value::Null => Value::Null,
    }
}
