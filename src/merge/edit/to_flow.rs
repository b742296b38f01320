//! Writes values in flow style on one line (rules: Places and formats).

use crate::merge::decision::Outcome;
use crate::yaml::{EntryId, Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Tree, scalar};

/// Returns a node on one line. For JSON, strings are in double quotes. Aliases are written out.
pub(super) fn text(tree: &Tree<'_>, node: NodeId, json: bool) -> String {
    part(tree, node, &Outcome::Keep, json)
}

/// Returns a part of a node on one line.
pub(super) fn part(tree: &Tree<'_>, node: NodeId, part: &Outcome, json: bool) -> String {
    let node = tree.resolve(node);
    let value = tree.node(node);
    let text = match value.kind {
        NodeKind::Scalar(scalar) => scalar_text(tree, value, scalar, json),
        _ if !json && *part == Outcome::Keep && is_on_one_line(tree, node) => {
            tree.slice(value.span).to_owned()
        }
        NodeKind::Alias(_) => String::new(),
        NodeKind::Sequence(_) => format!("[{}]", entries(tree, node, part, json)),
        NodeKind::Mapping(_) => format!("{{{}}}", entries(tree, node, part, json)),
    };
    match value.tag() {
        Some(tag) => format!("{} {text}", tree.slice(tag)),
        None => text,
    }
}

/// Whether a node is a flow collection on one line without anchors and aliases: it stays as it is
/// written.
fn is_on_one_line(tree: &Tree<'_>, node: NodeId) -> bool {
    let text = tree.slice(tree.node(node).span);
    tree.is_flow(node) == Some(true) && !text.contains(['\n', '\r', '&', '*'])
}

/// Returns a part of an entry on one line: its key and value, or an element's value.
pub(super) fn entry(tree: &Tree<'_>, id: EntryId, part_of_value: &Outcome, json: bool) -> String {
    let entry = tree.entry(id);
    let value = part(tree, entry.value, part_of_value, json);
    match entry.key {
        Some(key) => format!("{}: {value}", text(tree, key, json)),
        None => value,
    }
}

/// Returns the entries in a part of a collection.
fn entries(tree: &Tree<'_>, node: NodeId, part_of_node: &Outcome, json: bool) -> String {
    let texts: Vec<String> = match part_of_node.is_merge() {
        true => {
            let texts = part_of_node.staying().filter_map(|child| {
                let id = child.sides().local?;
                Some(entry(tree, id, child.outcome(), json))
            });
            texts.collect()
        }
        false => {
            let ids = tree.entries(node);
            ids.map(|id| entry(tree, id, &Outcome::Keep, json))
                .collect()
        }
    };
    texts.join(", ")
}

/// Returns a scalar on one line, as it is written if that is valid in a flow collection.
fn scalar_text(tree: &Tree<'_>, node: Node<'_>, scalar: Scalar<'_>, json: bool) -> String {
    let written = tree.slice(node.span);
    if scalar.scalar_type == ScalarType::Null && written.is_empty() {
        return "null".to_owned();
    }
    let quoted = matches!(
        scalar.style,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
    );
    if quoted
        && !written.contains(['\n', '\r'])
        && (!json || scalar.style == ScalarStyle::DoubleQuoted)
    {
        return written.to_owned();
    }
    if scalar.scalar_type == ScalarType::Custom {
        let quoted = scalar::write(
            scalar.content,
            ScalarType::Str,
            ScalarStyle::DoubleQuoted,
            true,
        );
        return quoted.unwrap_or_else(|| written.to_owned());
    }
    let is_text = matches!(scalar.scalar_type, ScalarType::Str | ScalarType::Merge);
    let styles = if json && is_text {
        [ScalarStyle::DoubleQuoted; 2]
    } else {
        [ScalarStyle::Plain, ScalarStyle::DoubleQuoted]
    };
    styles
        .into_iter()
        .find_map(|style| scalar::write(scalar.content, scalar.scalar_type, style, true))
        .unwrap_or_else(|| written.to_owned())
}
