//! Lists of resources (`kind: List`, as `kubectl get` prints several): each of their items is a
//! document of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::parsed::{Parsed, ParsedFile};
use super::resource::ResourceId;
use super::single_package::Package;
use crate::error::{Error, Lines, Place};
use crate::line_breaks::line_break_of;
use crate::patch::json_patch;
use crate::yaml::stream::{count_lines, split};
use crate::yaml::{NodeId, NodeKind, Tree, equal};

/// Where the lines of a text that was made of another one come from.
#[derive(Debug, Default)]
pub(super) struct Origin {
    text: Arc<Lines>,
    /// For each line its number in `text`, from 0, and how many characters it had before.
    lines: Vec<(usize, usize)>,
}

impl Origin {
    /// A place in the text that was made, as one in the text that it comes from.
    /// The former is a chunk whose first line has that number, from 0.
    pub(super) fn place(
        &self,
        path: impl AsRef<Path>,
        made: &str,
        first_line: usize,
        offset: usize,
    ) -> Place {
        let before = &made[..offset.min(made.len())];
        let line = first_line + before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let (line, indent) = self.lines.get(line).copied().unwrap_or_default();
        self.text.place(path.as_ref(), line, indent + column)
    }
}

/// The items of a document that is a list of resources; `None` if it is none.
fn items_of(tree: &Tree<'_>) -> Option<Vec<NodeId>> {
    let root = tree.root().value;
    let kind = tree.field_text(root, "kind")?;
    let items = tree.resolve(tree.field(root, "items")?);
    let is_named = tree
        .field(root, "metadata")
        .is_some_and(|metadata| tree.find(metadata, "name").is_some());
    let is_list = matches!(tree.node(items).kind, NodeKind::Sequence(_));
    (kind.ends_with("List") && is_list && !is_named).then(|| {
        tree.entries(items)
            .map(|item| tree.entry(item).value)
            .collect()
    })
}

/// Where the texts come from that were made of lists, by path in the package.
pub(super) type Origins = FxHashMap<PathBuf, Origin>;

impl Package {
    /// Makes every item of a list of resources a document of its own.
    pub(super) fn take_lists_apart(&mut self) {
        for (path, source) in &mut self.files {
            if let Ok(text) = std::str::from_utf8(&source.bytes)
                && let Some((made, origin)) = without_lists(path, text)
            {
                source.bytes = made.into_bytes().into();
                self.origins.insert(path.clone(), origin);
            }
        }
    }
}

/// A file in which every item of a list of resources is a document of its own; `None` if there is
/// no such list.
fn without_lists(path: &Path, text: &str) -> Option<(String, Origin)> {
    if !text.contains("List") {
        return None;
    }
    let file = ParsedFile::parse(path, text).ok()?;
    let mut made = String::new();
    let mut lines = Vec::new();
    let mut has_lists = false;
    for parsed in &file.documents {
        let first_line = parsed.document.line;
        let Some((tree, items)) = parsed.kept().and_then(|tree| Some((tree, items_of(tree)?)))
        else {
            let whole = parsed.whole(text);
            made.push_str(whole);
            lines.extend((0..whole.matches('\n').count()).map(|line| (first_line + line, 0)));
            continue;
        };
        has_lists = true;
        let places = places_of(tree, first_line, &items);
        for (item, (line, indent)) in items.into_iter().zip(places) {
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
        text: Arc::new(Lines::of(text)),
        lines,
    };
    has_lists.then_some((made, origin))
}

/// An item of a list of resources, as a document of its own.
#[derive(Debug)]
pub(super) struct Item {
    /// The item as a document.
    pub(super) text: String,
    /// What it is called; `None` if it is no resource.
    pub(super) id: Option<ResourceId<'static>>,
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
    let file = Arc::new(Lines::of(file));
    let places = places_of(tree, parsed.document.line, &found);
    let found = found.into_iter().zip(places);
    found
        .map(|(item, (line, indent))| {
            let text = text_of(tree, item);
            let lines = (0..text.matches('\n').count()).map(|at| (line + at, indent));
            let read = ParsedFile::parse(path, &text).ok();
            Item {
                id: read
                    .and_then(|it| Some(it.documents.first()?.resource.as_ref()?.id.to_static())),
                origin: Origin {
                    text: Arc::clone(&file),
                    lines: lines.collect(),
                },
                text,
            }
        })
        .collect()
}

/// Line and column of each item, `first_line` being the document's.
fn places_of(tree: &Tree<'_>, first_line: usize, items: &[NodeId]) -> Vec<(usize, usize)> {
    let (mut counted, mut line) = (0, first_line);
    let place = |item: &NodeId| {
        let start = tree.node(tree.resolve(*item)).span.start;
        // the text up to the one before is not counted anew; what an alias stands for is further up
        if start < counted {
            (counted, line) = (0, first_line);
        }
        line += count_lines(&tree.text()[counted as usize..start as usize]);
        counted = start;
        (line, tree.column(start) as usize)
    };
    items.iter().map(place).collect()
}

fn text_of(tree: &Tree<'_>, item: NodeId) -> String {
    format!("{}{}", tree.text_of(item), line_break_of(tree.text()))
}

/// The text of an item as it is now in its list, which may have changed.
pub(super) fn text_in(list: &str, index: usize) -> Option<String> {
    let tree = Tree::parse(list).ok().flatten()?;
    let item = items_of(&tree)?.get(index).copied()?;
    Some(text_of(&tree, item))
}

/// What becomes of the items of a list of resources, by their index.
#[derive(Debug, Default)]
pub(super) struct ChangedItems {
    /// The new texts.
    pub(super) texts: BTreeMap<usize, String>,
    /// Those that are deleted.
    pub(super) gone: BTreeSet<usize>,
}

impl ChangedItems {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.gone.is_empty()
    }

    /// The text of a list's document with what becomes of its items.
    ///
    /// # Errors
    /// Where the text that came of it does not hold these items and the others as they were (law
    /// 6).
    pub(super) fn put_into<'t>(&self, file: &Path, list: &'t str) -> Result<Cow<'t, str>, Error> {
        let mut text = Cow::Borrowed(list);
        if !self.texts.is_empty() {
            text = put_back(file, &text, &self.texts)?.into();
        }
        if !self.gone.is_empty() {
            text = without_items(file, &text, &self.gone)?.into();
        }
        Ok(text)
    }
}

/// The text of a list's document with other texts for some of its items, by their index: all at
/// once, for the whole of it is read.
fn put_back(file: &Path, list: &str, texts: &BTreeMap<usize, String>) -> Result<String, Error> {
    let verification_error = |index: usize| Error::Verification {
        file: file.to_owned(),
        path: format!("items[{index}]"),
        message: "the item is not what was decided".to_owned(),
    };
    let read = |text| Tree::parse(text).ok().flatten();
    let first = texts.keys().next().copied().unwrap_or(0);
    let tree = read(list).ok_or_else(|| verification_error(first))?;
    let items = items_of(&tree).ok_or_else(|| verification_error(first))?;
    let mut new = String::with_capacity(list.len());
    let mut copied = 0;
    for (index, text) in texts {
        let item = *items
            .get(*index)
            .ok_or_else(|| verification_error(*index))?;
        let span = tree.node(item).span;
        let start = span.start as usize;
        // items are in their order, and apart
        new.push_str(
            list.get(copied..start)
                .ok_or_else(|| verification_error(*index))?,
        );
        push_item(&mut new, &tree, item, text);
        copied = span.end as usize;
    }
    new.push_str(&list[copied..]);
    let again = read(&new).filter(|_| split(&new).len() == 1);
    let again = again.ok_or_else(|| verification_error(first))?;
    let found = items_of(&again).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        let is_same = found
            .get(index)
            .is_some_and(|found| match texts.get(&index) {
                None => equal(&again, *found, &tree, *item),
                Some(text) => read(text)
                    .is_some_and(|decided| equal(&again, *found, &decided, decided.root().value)),
            });
        if !is_same {
            return Err(verification_error(index));
        }
    }
    Ok(new)
}

/// The text of a list's document without some of its items, by their index.
fn without_items(file: &Path, list: &str, gone: &BTreeSet<usize>) -> Result<String, Error> {
    let operations = gone.iter().rev();
    let operations: String = operations
        .map(|index| format!("- {{op: remove, path: /items/{index}}}\n"))
        .collect();
    let patch = Tree::parse(&operations).ok().flatten();
    let patched = patch.and_then(|patch| json_patch(list, &patch).ok().flatten());
    patched.ok_or_else(|| Error::Verification {
        file: file.to_owned(),
        path: "items".to_owned(),
        message: "an item could not be deleted".to_owned(),
    })
}

/// An item's new text as it is in its list.
fn push_item(new: &mut String, tree: &Tree<'_>, item: NodeId, text: &str) {
    let span = tree.node(item).span;
    let indent = " ".repeat(tree.column(span.start) as usize);
    let before = tree.slice(span);
    let is_one_line = !before.contains('\n');
    let was_indented = is_one_line || tree.text_of(item).trim_end() != before.trim_end();
    // the line break that was added to make a document of it
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            new.push('\n');
            if was_indented && !line.trim().is_empty() {
                new.push_str(&indent);
            }
        }
        new.push_str(line);
    }
}
