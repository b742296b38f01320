//! Handles lists of resources (`kind: List`, as `kubectl get` prints several resources): each item
//! is treated as a document.
//!
//! [`items`] returns the items of a document, and [`with_changes`] writes changed items back into
//! their list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::parsed::{Parsed, ParsedFile};
use super::resource::ResourceId;
use super::single_package::Package;
use crate::error::{Error, Lines, Place};
use crate::line_breaks::line_break_of;
use crate::patch::json_patch;
use crate::white_space::{is_white_space, trimmed_end};
use crate::yaml::stream::{count_lines, split};
use crate::yaml::{NodeId, NodeKind, Tree, equal};

/// Maps the lines of a derived text to the lines of its source text.
#[derive(Debug, Default)]
pub(super) struct Origin {
    /// The source text.
    text: Arc<Lines>,
    /// For each line of the derived text, its line number in `text`, from 0, and the number of
    /// columns that were cut off at its start.
    lines: Vec<(usize, usize)>,
}

impl Origin {
    /// Converts an offset in a chunk of the derived text to a place in the source text.
    /// `first_line` is the line number of the chunk in the derived text, from 0.
    pub(super) fn place(
        &self,
        path: impl AsRef<Path>,
        chunk: &str,
        first_line: usize,
        offset: usize,
    ) -> Place {
        let before = &chunk[..offset.min(chunk.len())];
        let line = first_line + before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let (line, indent) = self.lines.get(line).copied().unwrap_or_default();
        self.text.place(path.as_ref(), line, indent + column)
    }
}

/// Returns the items of a document that is a list of resources; `None` for any other document.
fn items_of(tree: &Tree<'_>) -> Option<Vec<NodeId>> {
    let root = tree.root().value;
    let kind = tree.field_text(root, "kind")?;
    let items = tree.resolve(tree.field(root, "items")?);
    let is_named = tree.at(&["metadata", "name"]).is_some();
    let is_list = matches!(tree.node(items).kind, NodeKind::Sequence(_));
    (kind.ends_with("List") && is_list && !is_named).then(|| tree.values(items).collect())
}

/// The origins of the files whose lists were split, by path in the package.
pub(super) type Origins = FxHashMap<PathBuf, Origin>;

impl Package {
    /// Replaces each list of resources in the package by its items, each as a document.
    pub(super) fn split_lists(&mut self) {
        for (path, source) in &mut self.files {
            if let Ok(text) = std::str::from_utf8(&source.bytes)
                && let Some((new_text, origin)) = with_items_as_documents(path, text)
            {
                source.bytes = new_text.into_bytes().into();
                self.origins.insert(path.clone(), origin);
            }
        }
    }
}

/// Returns the text of a file in which each item of a list of resources is a document; `None` if
/// the file has no such list.
fn with_items_as_documents(path: &Path, text: &str) -> Option<(String, Origin)> {
    if !text.contains("List") {
        return None;
    }
    let file = ParsedFile::parse(path, text).ok()?;
    let mut new_text = String::new();
    let mut lines = Vec::new();
    let mut has_lists = false;
    for parsed in &file.documents {
        let Some((tree, items)) = items_of_list(parsed) else {
            let whole = parsed.whole(text);
            new_text.push_str(whole);
            let first_line = parsed.document.line;
            lines.extend((0..whole.matches('\n').count()).map(|line| (first_line + line, 0)));
            continue;
        };
        has_lists = true;
        for (item, (line, indent)) in items {
            new_text.push_str("---\n");
            lines.push((line, indent));
            for (index, text) in tree.text_of(item).lines().enumerate() {
                new_text.push_str(text);
                new_text.push('\n');
                lines.push((line + index, indent));
            }
        }
    }
    let origin = Origin {
        text: Arc::new(Lines::of(text)),
        lines,
    };
    has_lists.then_some((new_text, origin))
}

/// An item of a list of resources, as a document.
#[derive(Debug)]
pub(super) struct Item {
    /// The text of the document.
    pub(super) text: String,
    /// Its identity; `None` if it is not a resource.
    pub(super) id: Option<ResourceId<'static>>,
    /// Where its lines are in the file.
    pub(super) origin: Origin,
}

/// Returns the items of a document that is a list of resources; none for any other document. `file`
/// is the text of the file that the document is in.
pub(super) fn items(file: &str, parsed: &Parsed<'_>) -> Vec<Item> {
    let Some((tree, items)) = items_of_list(parsed) else {
        return Vec::new();
    };
    let file = Arc::new(Lines::of(file));
    let item = |(item, (line, indent)): (NodeId, (usize, usize))| {
        let text = item_text(tree, item);
        let lines = (0..text.matches('\n').count()).map(|at| (line + at, indent));
        Item {
            id: read(&text).and_then(|tree| Some(ResourceId::of(&tree)?.to_static())),
            origin: Origin {
                text: Arc::clone(&file),
                lines: lines.collect(),
            },
            text,
        }
    };
    items.into_iter().map(item).collect()
}

/// A line and a column in a file, from 0.
type Position = (usize, usize);

/// Returns the tree of a document that is a list of resources, and the items with their
/// positions in the file.
fn items_of_list<'p, 'a>(
    parsed: &'p Parsed<'a>,
) -> Option<(&'p Tree<'a>, Vec<(NodeId, Position)>)> {
    let tree = parsed.kept()?;
    let items = items_of(tree)?;
    let first_line = parsed.document.line;
    let (mut counted, mut line) = (0, first_line);
    let position = |item: NodeId| {
        let start = tree.node(tree.resolve(item)).span.start;
        // count lines from the preceding item only; the value of an alias may be above that
        if start < counted {
            (counted, line) = (0, first_line);
        }
        line += count_lines(&tree.text()[counted as usize..start as usize]);
        counted = start;
        (item, (line, tree.column(start) as usize))
    };
    Some((tree, items.into_iter().map(position).collect()))
}

/// Returns the text of an item as a document, with a line break at its end.
fn item_text(tree: &Tree<'_>, item: NodeId) -> String {
    format!("{}{}", tree.text_of(item), line_break_of(tree.text()))
}

/// Returns the text of an item, as a document, from the text of its list.
pub(super) fn text_in(list: &str, index: usize) -> Option<String> {
    let tree = read(list)?;
    let item = items_of(&tree)?.get(index).copied()?;
    Some(item_text(&tree, item))
}

/// The changed items of a list of resources, by index: their new texts; `None` for a deleted one.
pub(super) type ChangedItems = BTreeMap<usize, Option<String>>;

/// Returns the text of a list's document with these changes.
///
/// # Errors
/// [`Error::Verification`] if the resulting text does not have the changed items and the others as
/// they were (law 6).
pub(super) fn with_changes<'t>(
    list: &'t str,
    changed: &ChangedItems,
    file: &Path,
) -> Result<Cow<'t, str>, Error> {
    let verification_error = |message: &str| Error::Verification {
        file: file.to_owned(),
        path: "items".to_owned(),
        message: message.to_owned(),
    };
    let mut text = Cow::Borrowed(list);
    if changed.values().any(Option::is_some) {
        let replaced = replace_items(&text, changed);
        let error = || verification_error("an item is not what was decided");
        text = replaced.ok_or_else(error)?.into();
    }
    if changed.values().any(Option::is_none) {
        let removed = remove_items(&text, changed);
        let error = || verification_error("an item could not be deleted");
        text = removed.ok_or_else(error)?.into();
    }
    Ok(text)
}

fn read(text: &str) -> Option<Tree<'_>> {
    Tree::parse(text).ok().flatten()
}

/// Returns the text of a list's document with the new texts of changed items. All are replaced at
/// once, because each call reads the whole document. `None` if the text would have other items.
fn replace_items(list: &str, changed: &ChangedItems) -> Option<String> {
    let tree = read(list)?;
    let items = items_of(&tree)?;
    let mut new = String::with_capacity(list.len());
    let mut copied = 0;
    let texts = changed
        .iter()
        .filter_map(|(at, text)| Some((at, text.as_ref()?)));
    for (index, text) in texts {
        let item = *items.get(*index)?;
        let span = tree.node(item).span.range();
        // this fails if items overlap or are out of order
        new.push_str(list.get(copied..span.start)?);
        push_item(&mut new, &tree, item, text);
        copied = span.end;
    }
    new.push_str(&list[copied..]);
    let new_tree = read(&new).filter(|_| split(&new).len() == 1)?;
    let new_items = items_of(&new_tree)?;
    let is_same = |(index, item): (usize, &NodeId)| {
        let new_item = new_items.get(index).copied();
        new_item.is_some_and(|new_item| match changed.get(&index) {
            Some(Some(text)) => read(text)
                .is_some_and(|decided| equal(&new_tree, new_item, &decided, decided.root().value)),
            _ => equal(&new_tree, new_item, &tree, *item),
        })
    };
    let is_verified = items.iter().enumerate().all(is_same);
    is_verified.then_some(new)
}

/// Returns the text of a list's document without the deleted items.
fn remove_items(list: &str, changed: &ChangedItems) -> Option<String> {
    let deleted = changed.iter().rev().filter(|(_, text)| text.is_none());
    let operation = |(index, _)| format!("- {{op: remove, path: /items/{index}}}\n");
    let operations: String = deleted.map(operation).collect();
    json_patch(list, &read(&operations)?).ok().flatten()
}

/// Appends an item's new text to `new`, indented as the item was in its list.
fn push_item(new: &mut String, tree: &Tree<'_>, item: NodeId, text: &str) {
    let span = tree.node(item).span;
    let indent = " ".repeat(tree.column(span.start) as usize);
    let old_text = tree.slice(span);
    let is_one_line = !old_text.contains('\n');
    let is_indented = is_one_line || trimmed_end(&tree.text_of(item)) != trimmed_end(old_text);
    // `item_text` added this line break
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            new.push('\n');
            if is_indented && !is_white_space(line) {
                new.push_str(&indent);
            }
        }
        new.push_str(line);
    }
}
