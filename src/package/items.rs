//! Lists of resources (`kind: List`, as `kubectl get` prints several): each of their items is a document of its own.

use std::path::Path;
use std::sync::Arc;

use super::parsed::{Parsed, ParsedFile, Trees};
use super::resource::ResourceId;
use crate::error::{Error, Place};
use crate::line_breaks::line_break_of;
use crate::yaml::stream::split;
use crate::yaml::{NodeId, NodeKind, Tree, equal};

/// Where the lines of a text that was made of another one come from.
#[derive(Debug, Default)]
pub(super) struct Origin {
    text: Arc<str>,
    /// For each line its number in `text`, from 0, and how many characters it had before.
    lines: Vec<(usize, usize)>,
}

impl Origin {
    /// A place in the text that was made, as one in the text that it comes from.
    pub(super) fn place(&self, path: impl AsRef<Path>, made: &str, offset: usize) -> Place {
        let before = &made[..offset.min(made.len())];
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let (line, indent) = self.lines.get(line).copied().unwrap_or_default();
        let starts = std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1));
        let start = starts.skip(line).chain([0]).next().unwrap_or(0);
        Place::new(path.as_ref(), &self.text, start + indent + column)
    }
}

/// The items of a document that is a list of resources; none where it is none.
fn items_of(tree: &Tree<'_>) -> Option<Vec<NodeId>> {
    let root = tree.root().value;
    let value = |map, name| Some(tree.entry(tree.find(map, name)?).value);
    let kind = tree.scalar(value(root, "kind")?)?;
    let items = tree.resolve(value(root, "items")?);
    let is_named =
        value(root, "metadata").is_some_and(|metadata| tree.find(metadata, "name").is_some());
    let is_list = matches!(tree.node(items).kind, NodeKind::Sequence(_));
    (kind.content.ends_with("List") && is_list && !is_named).then(|| {
        tree.entries(items)
            .map(|item| tree.entry(item).value)
            .collect()
    })
}

/// A file in which every item of a list of resources is a document of its own; none where there is no such list.
pub(super) fn without_lists(path: &Path, text: &str) -> Option<(String, Origin)> {
    if !text.contains("List") {
        return None;
    }
    let file = ParsedFile::parse(path, text, Trees::Kept).ok()?;
    let mut made = String::new();
    let mut lines = Vec::new();
    let mut has_lists = false;
    for parsed in &file.documents {
        let first_line = parsed.document.line;
        let Some((tree, items)) = parsed.kept().and_then(|tree| Some((tree, items_of(tree)?)))
        else {
            made.push_str(parsed.document.text);
            lines.extend(
                (0..parsed.document.text.matches('\n').count()).map(|line| (first_line + line, 0)),
            );
            continue;
        };
        has_lists = true;
        for item in items {
            let start = tree.node(tree.resolve(item)).span.start;
            let (line, indent) = (
                first_line + tree.line_number(start),
                tree.column(start) as usize,
            );
            made.push_str("---\n");
            lines.push((line, indent));
            for (index, text) in tree.text_of(item).lines().enumerate() {
                made.push_str(text);
                made.push('\n');
                lines.push((line + index, indent));
            }
        }
    }
    let origin = Origin {
        text: text.into(),
        lines,
    };
    has_lists.then_some((made, origin))
}

/// An item of a list of resources, as a document of its own.
#[derive(Debug)]
pub(super) struct Item {
    /// Which of the list's items.
    index: usize,
    /// The item as a document.
    pub(super) text: String,
    /// What it is called; none where it is no resource.
    pub(super) id: Option<ResourceId>,
    pub(super) origin: Origin,
}

/// The items of a document of a file, where it is a list of resources.
pub(super) fn items(path: &Path, file: &str, parsed: &Parsed<'_>) -> Vec<Item> {
    let Some(tree) = parsed.kept() else {
        return Vec::new();
    };
    let Some(found) = items_of(tree) else {
        return Vec::new();
    };
    let file: Arc<str> = file.into();
    let found = found.into_iter().enumerate();
    found
        .map(|(index, item)| {
            let text = text_of(tree, item);
            let start = tree.node(tree.resolve(item)).span.start;
            let line = parsed.document.line + tree.line_number(start);
            let indent = tree.column(start) as usize;
            let lines = (0..text.matches('\n').count()).map(|at| (line + at, indent));
            let read = ParsedFile::parse(path, &text, Trees::Kept).ok();
            Item {
                index,
                id: read.and_then(|it| Some(it.documents.first()?.resource.as_ref()?.id.to_id())),
                origin: Origin {
                    text: Arc::clone(&file),
                    lines: lines.collect(),
                },
                text,
            }
        })
        .collect()
}

fn text_of(tree: &Tree<'_>, item: NodeId) -> String {
    format!("{}{}", tree.text_of(item), line_break_of(tree.text()))
}

impl Item {
    /// Its text as it is now in its list, which may have changed.
    pub(super) fn text_in(&self, list: &str) -> Option<String> {
        let tree = Tree::parse(list).ok().flatten()?;
        let item = items_of(&tree)?.get(self.index).copied()?;
        Some(text_of(&tree, item))
    }

    /// The text of the list's document with another text for this item.
    ///
    /// # Errors
    /// Where the text that came of it does not hold that item (law 6).
    pub(super) fn put_back(&self, file: &Path, list: &str, text: &str) -> Result<String, Error> {
        let unfaithful = || Error::Unfaithful {
            file: file.to_owned(),
            path: format!("items[{}]", self.index),
            message: "the item is not what was decided".to_owned(),
        };
        let tree = Tree::parse(list).ok().flatten().ok_or_else(unfaithful)?;
        let item = items_of(&tree).and_then(|items| items.get(self.index).copied());
        let item = item.ok_or_else(unfaithful)?;
        let span = tree.node(item).span;
        let indent = " ".repeat(tree.column(span.start) as usize);
        let before = tree.slice(span);
        let is_one_line = !before.contains('\n');
        let was_indented = is_one_line || tree.text_of(item).trim_end() != before.trim_end();
        let mut put = String::new();
        // the line break that was added to make a document of it
        let text_alone = text.strip_suffix('\n').unwrap_or(text);
        let text_alone = text_alone.strip_suffix('\r').unwrap_or(text_alone);
        for (index, line) in text_alone.split('\n').enumerate() {
            if index > 0 {
                put.push('\n');
                if was_indented && !line.trim().is_empty() {
                    put.push_str(&indent);
                }
            }
            put.push_str(line);
        }
        let new = format!(
            "{}{put}{}",
            &list[..span.start as usize],
            &list[span.end as usize..]
        );
        let again = Tree::parse(&new).ok().flatten().ok_or_else(unfaithful)?;
        let items = items_of(&again).unwrap_or_default();
        let decided = Tree::parse(text).ok().flatten().ok_or_else(unfaithful)?;
        let is_same = items
            .get(self.index)
            .is_some_and(|item| equal(&again, *item, &decided, decided.root().value));
        let documents = split(&new).len() == 1;
        (is_same && documents).then_some(new).ok_or_else(unfaithful)
    }
}
