//! Writes values in flow style on one line (rules: Places and formats).

use crate::merge::decision::{Outcome, Slot};
use crate::yaml::{Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Tree, scalar};

/// Returns a node on one line. For JSON, strings are in double quotes. Aliases are written out.
pub(super) fn text(tree: &Tree<'_>, node: NodeId, json: bool) -> String {
    part(tree, node, &Outcome::Keep, json)
}

/// Returns a part of a node on one line.
pub(super) fn part(tree: &Tree<'_>, node: NodeId, part: &Outcome, json: bool) -> String {
    let mut result = String::new();
    write(tree, node, part, json, &mut result);
    result
}

fn write(tree: &Tree<'_>, node: NodeId, part: &Outcome, json: bool, result: &mut String) {
    let node = tree.resolve(node);
    let value = tree.node(node);
    if let Some(tag) = value.tag() {
        result.push_str(tree.slice(tag));
        result.push(' ');
    }
    match value.kind {
        NodeKind::Scalar(scalar) => result.push_str(&scalar_text(tree, value, scalar, json)),
        NodeKind::Alias(_) => {}
        NodeKind::Sequence(_) => write_entries(tree, node, part, json, ['[', ']'], result),
        NodeKind::Mapping(_) => write_entries(tree, node, part, json, ['{', '}'], result),
    }
}

fn write_entries(
    tree: &Tree<'_>,
    node: NodeId,
    part: &Outcome,
    json: bool,
    [open, close]: [char; 2],
    result: &mut String,
) {
    result.push(open);
    let mut first = true;
    for id in tree.entries(node) {
        let part = part_of_child(part, id);
        if *part == Outcome::Remove {
            continue;
        }
        if !std::mem::take(&mut first) {
            result.push_str(", ");
        }
        let entry = tree.entry(id);
        if let Some(key) = entry.key {
            write(tree, key, &Outcome::Keep, json, result);
            result.push_str(": ");
        }
        write(tree, entry.value, part, json, result);
    }
    result.push(close);
}

/// Returns which part of an entry comes, if `part` of its collection does.
fn part_of_child(part: &Outcome, id: crate::yaml::EntryId) -> &Outcome {
    if !part.is_merge() {
        return &Outcome::Keep;
    }
    let mut children = part.children();
    let child = children.find(|child| child.slot == Slot::Local(id));
    child.map_or(&Outcome::Remove, |child| &child.outcome)
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
