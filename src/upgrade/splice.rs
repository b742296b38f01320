//! Small edits of a YAML file's text: a scalar gets another value, a section comes or goes, and
//! every other byte stays.

use crate::line_breaks::line_break_of;
use crate::yaml::{EntryId, NodeId, NodeKind, ScalarStyle, ScalarType, Span, Tree};

/// Sets the scalar at a path, which has to be there but for its last step. None where that cannot
/// be done.
pub(super) fn set(text: &str, path: &[&str], value: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()??;
    let mut node = tree.root().value;
    let (last, way) = path.split_last()?;
    for name in way {
        node = tree.entry(tree.find(node, name)?).value;
    }
    match tree.find(node, last) {
        Some(entry) => replace(&tree, text, tree.entry(entry).value, value),
        None => add(&tree, text, node, last, value),
    }
}

/// Another value for a scalar, in its own quoting where that will do.
fn replace(tree: &Tree<'_>, text: &str, node: NodeId, value: &str) -> Option<String> {
    let NodeKind::Scalar(scalar) = &tree.node(node).kind else {
        return None;
    };
    if scalar.content == value && scalar.scalar_type == ScalarType::Str {
        return Some(text.to_owned());
    }
    let new = match scalar.style {
        ScalarStyle::SingleQuoted => format!("'{}'", value.replace('\'', "''")),
        ScalarStyle::DoubleQuoted => quoted(value),
        ScalarStyle::Plain => plain_or_quoted(value),
        ScalarStyle::Literal | ScalarStyle::Folded => return None,
    };
    let span = tree.node(node).span;
    let is_missing = span.is_empty();
    let new = if is_missing { format!(" {new}") } else { new };
    Some(spliced(text, span, &new))
}

/// A further field at the end of a map.
fn add(tree: &Tree<'_>, text: &str, map: NodeId, key: &str, value: &str) -> Option<String> {
    let NodeKind::Mapping(collection) = &tree.node(map).kind else {
        return None;
    };
    let value = plain_or_quoted(value);
    let last = tree.entry(tree.entries(map).next_back()?);
    if collection.flow {
        let end = last.span.end;
        return Some(spliced(
            text,
            Span::new(end, end),
            &format!(", {key}: {value}"),
        ));
    }
    let indent = " ".repeat(tree.column(last.span.start) as usize);
    let line_break = line_break_of(text);
    let end = tree.line_end(last.span.end);
    Some(spliced(
        text,
        Span::new(end, end),
        &format!("{line_break}{indent}{key}: {value}"),
    ))
}

/// Puts a section of lines at the top level, in the place of the one of that name, else behind the
/// field `after`, else at the end. None where the text is no block map.
pub(super) fn insert_section(
    text: &str,
    name: &str,
    after: &str,
    lines: &[String],
) -> Option<String> {
    let line_break = line_break_of(text);
    let section: String = lines
        .iter()
        .map(|line| format!("{line}{line_break}"))
        .collect();
    let Some(tree) = Tree::parse(text).ok()? else {
        return Some(format!("{}{section}", with_end(text, line_break)));
    };
    let root = tree.root().value;
    match &tree.node(root).kind {
        NodeKind::Mapping(collection) if !collection.flow => {}
        _ => return None,
    }
    if let Some(entry) = tree.find(root, name) {
        let span = tree.entry(entry).span;
        let end = tree.next_line(tree.line_end(span.end));
        return Some(spliced(text, Span::new(span.start, end), &section));
    }
    let before = tree
        .find(root, after)
        .or_else(|| tree.entries(root).next_back())?;
    let line = tree.line_end(tree.entry(before).span.end);
    let at = tree.next_line(line);
    if at == line {
        return Some(format!("{text}{line_break}{section}"));
    }
    Some(spliced(text, Span::new(at, at), &section))
}

/// Takes a field with its comments away. None where it is not on lines of its own.
pub(super) fn without(text: &str, name: &str) -> Option<String> {
    let tree = Tree::parse(text).ok()??;
    let root = tree.root().value;
    let Some(entry) = tree.find(root, name) else {
        return Some(text.to_owned());
    };
    let lines = own_lines(&tree, root, entry)?;
    Some(spliced(text, lines, ""))
}

fn own_lines(tree: &Tree<'_>, map: NodeId, entry: EntryId) -> Option<Span> {
    let NodeKind::Mapping(collection) = &tree.node(map).kind else {
        return None;
    };
    let entry = tree.entry(entry);
    let start = match entry.comments().leading {
        leading if leading.is_empty() => tree.line_start(entry.span.start),
        leading => leading.start,
    };
    let end = tree.next_line(tree.line_end(entry.span.end));
    let alone = tree.slice(Span::new(
        tree.line_start(entry.span.start),
        entry.span.start,
    ));
    (!collection.flow && alone.trim().is_empty()).then_some(Span::new(start, end))
}

/// The scalar at a path, as text.
pub(super) fn get(text: &str, path: &[&str]) -> Option<String> {
    let tree = Tree::parse(text).ok()??;
    let mut node = tree.root().value;
    for name in path {
        node = tree.entry(tree.find(node, name)?).value;
    }
    Some(tree.scalar(node)?.content.to_string())
}

/// A text as a scalar: plain where that says the same.
pub(super) fn plain_or_quoted(value: &str) -> String {
    let source = format!("k: {value}\n");
    let reads = Tree::parse(&source).ok().flatten().is_some_and(|tree| {
        let entry = tree.find(tree.root().value, "k");
        let scalar = entry.and_then(|entry| tree.scalar(tree.entry(entry).value));
        scalar.is_some_and(|scalar| {
            scalar.scalar_type == ScalarType::Str
                && scalar.style == ScalarStyle::Plain
                && scalar.content == value
        })
    });
    // what other readers take for a number in scientific notation, or an old octal one
    let numeric = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".eE+-_:xo".contains(&byte));
    if reads && !numeric {
        value.to_owned()
    } else {
        quoted(value)
    }
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

fn spliced(text: &str, span: Span, new: &str) -> String {
    let range = span.range();
    format!("{}{new}{}", &text[..range.start], &text[range.end..])
}

fn with_end(text: &str, line_break: &str) -> String {
    match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}{line_break}"),
    }
}
