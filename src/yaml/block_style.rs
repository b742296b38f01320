//! Converts JSON to YAML in block style, with quotes only where they are needed.

use serde::de::IgnoredAny;

use super::equal;
use super::scalar::write_on_one_line;
use super::stored::Tree;
use super::tree::{NodeId, NodeKind, Scalar, ScalarType};

/// Returns the text of a JSON document in block style with the same values, or `None` if it is not
/// a JSON object or array.
///
/// ```
/// use merge3::yaml::{Tree, json_in_block_style};
///
/// let json = r#"{"image": "app:2", "port": "80", "args": ["a", "b\nc\n"], "env": []}"#;
/// let tree = Tree::parse(json).unwrap().unwrap();
/// assert_eq!(
///     json_in_block_style(&tree).unwrap(),
///     "image: app:2\nport: \"80\"\nargs:\n- a\n- |\n  b\n  c\nenv: []\n"
/// );
/// assert_eq!(json_in_block_style(&Tree::parse("{image: app}").unwrap().unwrap()), None);
/// ```
pub fn json_in_block_style(tree: &Tree<'_>) -> Option<String> {
    let root = tree.root().value;
    let is_collection = tree.scalar(root).is_none();
    let is_json = || serde_json::from_str::<IgnoredAny>(tree.text()).is_ok();
    if !is_collection || !is_json() {
        return None;
    }
    let mut text = String::new();
    push_value(tree, root, 0, &mut text);
    let text = text.strip_prefix('\n').unwrap_or(&text).to_owned();
    let reparsed = Tree::parse(&text).ok().flatten()?;
    let is_same = equal(tree, root, &reparsed, reparsed.root().value);
    is_same.then_some(text)
}

/// Writes a value after a key or a dash, and a line break.
fn push_value(tree: &Tree<'_>, node: NodeId, indent: usize, text: &mut String) {
    if tree.entries(node).len() == 0 {
        let empty = match tree.node(node).kind {
            NodeKind::Scalar(scalar) => scalar_text(scalar, indent),
            NodeKind::Sequence(_) => "[]".to_owned(),
            NodeKind::Mapping(_) | NodeKind::Alias(_) => "{}".to_owned(),
        };
        text.push_str(&format!(" {empty}\n"));
        return;
    }
    let is_after_dash = text.ends_with('-');
    let margin = " ".repeat(indent);
    for (index, entry) in tree.entries(node).enumerate() {
        let entry = tree.entry(entry);
        match index {
            0 if is_after_dash => text.push(' '),
            0 => text.push_str(&format!("\n{margin}")),
            _ => text.push_str(&margin),
        }
        let Some(key) = entry.key.and_then(|key| tree.scalar(key)) else {
            text.push('-');
            push_value(tree, entry.value, indent + 2, text);
            continue;
        };
        text.push_str(&format!("{}:", on_one_line(key)));
        // a list is at the indentation of its key, as kubectl writes it
        let is_list = matches!(tree.node(entry.value).kind, NodeKind::Sequence(_));
        let below = if is_list { indent } else { indent + 2 };
        push_value(tree, entry.value, below, text);
    }
}

fn scalar_text(scalar: Scalar<'_>, indent: usize) -> String {
    let is_text = scalar.scalar_type == ScalarType::Str && scalar.content.contains('\n');
    let block = is_text.then(|| literal(scalar.content, indent.max(2)));
    block.flatten().unwrap_or_else(|| on_one_line(scalar))
}

fn on_one_line(scalar: Scalar<'_>) -> String {
    write_on_one_line(scalar.content, scalar.scalar_type, false)
}

/// Returns a text with several lines as a literal block scalar. Returns `None` if its first line is
/// empty or starts with white space, if a line ends with white space, if it ends with several line
/// breaks, or if it has control characters.
fn literal(content: &str, indent: usize) -> Option<String> {
    let is_simple = |line: &str| {
        let is_printable = |c: char| c == '\t' || !c.is_control();
        line.chars().all(is_printable) && !line.ends_with([' ', '\t'])
    };
    let lines = content.strip_suffix('\n');
    let header = match lines {
        Some(lines) if lines.is_empty() || lines.ends_with('\n') => return None,
        Some(_) => "|",
        None => "|-",
    };
    let lines: Vec<&str> = lines.unwrap_or(content).split('\n').collect();
    let starts_with_text = lines[0].starts_with(|c: char| !c.is_whitespace());
    if !starts_with_text || !lines.iter().all(|line| is_simple(line)) {
        return None;
    }
    let margin = " ".repeat(indent);
    let mut text = header.to_owned();
    for line in lines {
        text.push('\n');
        if !line.is_empty() {
            text.push_str(&format!("{margin}{line}"));
        }
    }
    Some(text)
}
