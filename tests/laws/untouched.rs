//! Law 5: the merge never rewrites a byte of the local text that no rule changes. That includes
//! what upstream did not change, and what both sides changed to the same value. What local did not
//! change becomes upstream's (law 2).

use crate::drive::{Setup, any_setup, only_document, run_case, setup_with_defaults, tree};
use crate::generate::{self, Case};
use crate::reference::KEYS;
use crate::value::{Value, load};
use merge3::triple::Triple;
use merge3::yaml::{Document, Entry, NodeId, NodeKind, ScalarStyle, Span, Tree};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Collects the parts of a local text that must be in the merged text.
struct Untouched<'t> {
    trees: Triple<&'t Tree<'t>>,
    /// For each line, whether a rule may change it.
    free: Vec<bool>,
    /// The text of entries that must be unchanged.
    entries: Vec<&'t str>,
    /// Whether upstream changed the indentation of entries in a map, which merges like a value.
    reindented: bool,
}

impl<'t> Untouched<'t> {
    /// Compares the fields of a map before and after the merge. The nodes are that map on each side
    /// that has one.
    fn map(&mut self, nodes: Triple<Option<NodeId>>, before: &Value, after: &Value) {
        let Some(node) = nodes.local else {
            return;
        };
        let sides = self.trees.zip(nodes);
        let columns = sides.map(|(tree, node)| node.and_then(|node| column(tree, node)));
        let keys = sides.map(|(tree, node)| node.map_or(Vec::new(), |node| keys(tree, node)));
        self.reindented |= columns.original != columns.updated;
        if !in_one_order(&keys.original, &keys.updated) {
            // the merge takes upstream's order of entries
            self.set_free(self.trees.local.node(node).span);
            for id in self.trees.local.entries(node) {
                self.free_comments(self.trees.local.entry(id));
            }
        }
        let field = |(tree, node): (&'t Tree<'t>, Option<NodeId>), key: &str| {
            let mut entries = tree.entries(tree.resolve(node?)).map(|id| tree.entry(id));
            let has_key = |id| tree.scalar(id).is_some_and(|scalar| scalar.content == key);
            Some((tree, entries.find(|entry| entry.key.is_some_and(has_key))?))
        };
        // a key that only local has may be a renamed key of the original
        let missing = keys.original.iter().filter(|key| !keys.local.contains(key));
        let is_unchanged_upstream = |key: &&String| {
            let [before, now] = [sides.original, sides.updated].map(|side| lines(field(side, key)));
            before == now
        };
        let may_be_renamed = !missing.clone().all(|key| is_unchanged_upstream(&key));
        let may_be_renamed_by_both = missing.clone().any(|key| !keys.updated.contains(key));
        for id in self.trees.local.entries(node) {
            let entry = self.trees.local.entry(id);
            let Some(key) = entry.key.and_then(|key| self.trees.local.scalar(key)) else {
                continue;
            };
            let entries = sides.map(|side| field(side, key.content));
            let Some(value) = before.field(key.content) else {
                continue;
            };
            let may_be_renamed = match entries.updated {
                None => may_be_renamed,
                Some(_) => may_be_renamed_by_both,
            };
            if entries.original.is_none()
                && may_be_renamed
                && self.trees.local.scalar(entry.value).is_none()
            {
                self.free_comments(entry);
                self.free_entry(entry);
                continue;
            }
            self.field(entry, entries, value, after.field(key.content));
        }
    }

    fn field(
        &mut self,
        entry: Entry<'t>,
        entries: Triple<Option<(&'t Tree<'t>, Entry<'t>)>>,
        before: &Value,
        after: Option<&Value>,
    ) {
        let written = entries.map(lines);
        let comments = entries
            .map(|side| side.map_or(Vec::new(), |(tree, entry)| comments(tree, entry, false)));
        let (is_unchanged_upstream, has_same_comments) = (
            written.original == written.updated,
            comments.original == comments.updated,
        );
        match after {
            Some(after) if after == before && is_unchanged_upstream => {
                let text = self.trees.local.slice(entry.span);
                if !names_anchor(text) {
                    self.entries.push(text);
                }
            }
            // an entry that local did not change becomes upstream's
            Some(_) if written.local == written.original => {
                self.free_comments(entry);
                self.free_entry(entry);
            }
            Some(after) if self.merges_in_place(entry, before, after) => {
                if !has_same_comments {
                    self.free_comments(entry);
                }
                // the lines of the key and of its colon merge on their own
                for at in [entry.span.start].into_iter().chain(entry.colon()) {
                    self.free[self.trees.local.line_number(at)] = true;
                }
                self.map(
                    entries.map(|side| side.map(|(_, entry)| entry.value)),
                    before,
                    after,
                );
            }
            Some(after) => {
                self.free_entry(entry);
                if !has_same_comments {
                    self.free_comments(entry);
                }
                let values = entries
                    .map(|side| side.map(|(tree, entry)| tree.slice(tree.node(entry.value).span)));
                let is_scalar = self.trees.local.scalar(entry.value).is_some();
                let rewritten =
                    values.local != values.original || values.updated == values.original;
                let local_text = values.local.unwrap_or_default();
                if after == before
                    && is_scalar
                    && rewritten
                    && !local_text.contains('\n')
                    && !names_anchor(local_text)
                {
                    self.entries.push(local_text);
                }
            }
            None => {
                self.free_entry(entry);
                self.free_comments(entry);
            }
        }
    }

    /// Whether this is a block map that starts on a line below its key, before and after.
    fn merges_in_place(&self, entry: Entry<'_>, before: &Value, after: &Value) -> bool {
        let tree = self.trees.local;
        let node = tree.node(entry.value);
        let block = matches!(&node.kind, NodeKind::Mapping(map) if !map.flow);
        let below = tree.line_number(entry.colon().unwrap_or(entry.span.start))
            < tree.line_number(node.span.start);
        block
            && below
            && before != &before.emptied()
            && matches!(after, Value::Map(fields) if !fields.is_empty())
    }

    /// Marks the comments above an entry as changeable.
    fn free_comments(&mut self, entry: Entry<'_>) {
        self.set_free(self.trees.local.lines_above(entry));
        for (line, _) in lines_set_off(self.trees.local, entry) {
            self.free[line] = true;
        }
    }

    /// Marks the lines of an entry as changeable.
    fn free_entry(&mut self, entry: Entry<'_>) {
        let (first, count) = extent(self.trees.local, entry);
        for free in self.free.iter_mut().skip(first).take(count) {
            *free = true;
        }
    }

    fn set_free(&mut self, span: Span) {
        let tree = self.trees.local;
        if span.is_empty() {
            return;
        }
        let first = tree.line_number(span.start);
        let more = tree.slice(span).trim_end().matches('\n').count();
        for line in first..=first + more {
            if let Some(free) = self.free.get_mut(line) {
                *free = true;
            }
        }
    }
}

/// Returns the lines of an entry and the comments that belong to it, without CR.
fn lines<'t>(entry: Option<(&'t Tree<'t>, Entry<'t>)>) -> Option<(Vec<&'t str>, Vec<String>)> {
    let (tree, entry) = entry?;
    let (first, count) = extent(tree, entry);
    let text = tree.text().lines().skip(first).take(count);
    let text = text.map(|line| line.trim_end_matches('\r'));
    Some((text.collect(), comments(tree, entry, true)))
}

/// Returns the first line of an entry and the number of its lines, including comments below it that
/// are indented deeper.
fn extent(tree: &Tree<'_>, entry: Entry<'_>) -> (usize, usize) {
    let first = tree.line_number(entry.span.start);
    let count = tree.slice(entry.span).trim_end().matches('\n').count() + 1;
    let entry_column = column_of(tree, entry.span.start);
    let depth = |line: &str| line.len() - line.trim_start().len();
    let below = tree.text().lines().skip(first + count);
    let below = below.take_while(|line| {
        let text = line.trim();
        text.is_empty() || text.starts_with('#') && depth(line) > entry_column
    });
    let comments = below.collect::<Vec<_>>();
    let last = comments.iter().rposition(|line| !line.trim().is_empty());
    (first, count + last.map_or(0, |last| last + 1))
}

/// Returns the column in which the entries of a collection begin.
fn column(tree: &Tree<'_>, node: NodeId) -> Option<usize> {
    let first = tree.entries(tree.resolve(node)).next()?;
    Some(column_of(tree, tree.entry(first).span.start))
}

fn column_of(tree: &Tree<'_>, at: u32) -> usize {
    let above = &tree.text()[..at as usize];
    above.len() - above.rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the keys of a map, in the order of the text.
fn keys(tree: &Tree<'_>, node: NodeId) -> Vec<String> {
    let entries = tree.entries(tree.resolve(node)).map(|id| tree.entry(id));
    let key = |entry: Entry<'_>| Some(tree.scalar(entry.key?)?.content.to_string());
    entries.filter_map(key).collect()
}

/// Whether the keys that both sides have are in the same order.
fn in_one_order(left: &[String], right: &[String]) -> bool {
    let shared = |row: &[String], other: &[String]| -> Vec<String> {
        let both = row.iter().filter(|key| other.contains(key));
        both.cloned().collect()
    };
    shared(left, right) == shared(right, left)
}

/// Returns the comments of an entry, and with `deep` those of all entries below it.
fn comments(tree: &Tree<'_>, entry: Entry<'_>, deep: bool) -> Vec<String> {
    let spans = [
        tree.lines_above(entry),
        entry.comments().line,
        entry.comments().tail,
    ];
    let mut found = Vec::new();
    for (place, span) in spans.into_iter().enumerate() {
        let lines = tree.slice(span).lines();
        found.extend(lines.map(|line| format!("{place}{}", line.trim())));
    }
    let placed = lines_set_off(tree, entry)
        .into_iter()
        .map(|(_, text)| format!("place{text}"));
    found.extend(placed);
    if deep && !matches!(tree.node(entry.value).kind, NodeKind::Alias(_)) {
        for id in tree.entries(entry.value) {
            let entry = tree.entry(id);
            let key = entry.key.map_or("-", |key| tree.slice(tree.node(key).span));
            found.push(key.trim_matches(['"', '\'']).to_owned());
            let below = comments(tree, entry, true);
            if entry.key.is_none() && !below.is_empty() {
                found.push(identity(tree, entry.value));
            }
            found.extend(below);
        }
    }
    found
}

/// Returns the text that may distinguish an element from others (rules: Lists): in a list that
/// merges by elements, a comment belongs to its element.
fn identity(tree: &Tree<'_>, element: NodeId) -> String {
    let word = |node| {
        let tag = tree.custom_tag(node).unwrap_or_default();
        Some(format!("{tag} {}", tree.scalar(node)?.content))
    };
    let field = |name| word(tree.entry(tree.find(tree.resolve(element), name)?).value);
    let names = KEYS
        .split(' ')
        .chain(["protocol", "subPath", "namespace", "kind"]);
    let fields = names.filter_map(|name| Some(format!("{name} {}", field(name)?)));
    word(element).unwrap_or_else(|| fields.collect::<Vec<_>>().join(" "))
}

/// Returns the comment lines above an entry that a blank line separates from it, from the last to
/// the first, each with its line number. They merge three-way, too.
fn lines_set_off<'t>(tree: &'t Tree<'_>, entry: Entry<'_>) -> Vec<(usize, &'t str)> {
    let first = match tree.lines_above(entry) {
        span if span.is_empty() => entry.span.start,
        span => span.start,
    };
    let above = tree.line_number(first);
    let mut set_off = false;
    let mut found = Vec::new();
    let lines: Vec<&str> = tree.text().lines().take(above).collect();
    for (number, line) in lines.into_iter().enumerate().rev() {
        match unmarked(line).trim() {
            "" => set_off = true,
            text if set_off && text.starts_with('#') => found.push((number, text)),
            _ => break,
        }
    }
    found
}

/// Whether the text has an alias or an anchor: the merge may replace an alias by its value.
fn names_anchor(text: &str) -> bool {
    text.contains("*a") || text.contains("&a")
}

/// Returns the text without a byte order mark.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// Checks that `lines` has the wanted lines in this order. A comment line right below a block
/// scalar may have another indentation, because as it was it would be part of the scalar.
fn is_subsequence<'l>(
    wanted: &[&'l str],
    lines: &[&str],
    below_block_scalars: &BTreeSet<usize>,
) -> Result<(), &'l str> {
    let mut lines = lines.iter().enumerate();
    wanted.iter().try_for_each(|line| {
        match lines.any(|(number, other)| {
            other == line || below_block_scalars.contains(&number) && other.trim() == line.trim()
        }) {
            true => Ok(()),
            false => Err(*line),
        }
    })
}

/// Collects the numbers of the comment lines that follow a block scalar.
fn below_block_scalars(tree: &Tree<'_>, node: NodeId, found: &mut BTreeSet<usize>) {
    let lines: Vec<&str> = tree.text().lines().collect();
    for id in tree.entries(node) {
        let value = tree.entry(id).value;
        let is_block = tree.scalar(value).is_some_and(|scalar| {
            matches!(scalar.style, ScalarStyle::Literal | ScalarStyle::Folded)
        });
        if is_block {
            let end = tree.line_number(tree.node(value).span.end);
            let below = lines.iter().enumerate().skip(end + 1);
            let comments = below
                .take_while(|(_, line)| line.trim().is_empty() || line.trim().starts_with('#'));
            found.extend(comments.map(|(number, _)| number));
        }
        below_block_scalars(tree, value, found);
    }
}

/// Whether local has the original's document, apart from the kind of line breaks and the line break
/// at the end: the document then becomes upstream's.
fn is_unchanged(documents: Triple<&Document<'_>>) -> bool {
    let lines = |document: &Document<'_>| -> Vec<String> {
        let body = &document.text[document.body.range()];
        body.lines().map(str::to_owned).collect()
    };
    lines(documents.original) == lines(documents.local)
}

/// Law 5 for lines and whole entries.
pub fn is_untouched(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let texts = case.texts.as_ref().map(String::as_str);
    let documents = texts.try_map(only_document)?;
    let expected = setup.reference(case.values.as_ref());
    let Some(after) = expected
        .value
        .filter(|_| !expected.ambiguous && !is_unchanged(documents.as_ref()))
    else {
        return Ok(());
    };
    let run = run_case(case, setup)?;
    let trees = documents.try_map(|document| tree(document.text))?;
    let trees = trees.as_ref();
    let comments_of = documents.as_ref().map(|document| -> Vec<&str> {
        let lines = document.text.lines().map(str::trim);
        lines.filter(|line| line.starts_with('#')).collect()
    });
    let before = &case.values.local;
    let lines: Vec<&str> = unmarked(documents.local.text).lines().collect();
    let mut untouched = Untouched {
        trees,
        free: vec![false; lines.len()],
        entries: Vec::new(),
        reindented: false,
    };
    let root = trees.local.root();
    let block = matches!(&trees.local.node(root.value).kind, NodeKind::Mapping(map) if !map.flow);
    match &after {
        Value::Map(fields) if block && !fields.is_empty() => {
            untouched.map(trees.map(|tree| Some(tree.root().value)), before, &after);
        }
        _ => {
            untouched.set_free(root.span);
            untouched.set_free(Span::new(0, root.span.start));
        }
    }
    if !root.comments().line.is_empty() {
        untouched.set_free(root.comments().line);
    }
    let reindented = untouched.reindented;
    let comparable = |text: &str| -> String {
        let lines = text.lines();
        lines
            .map(|line| if reindented { line.trim_start() } else { line })
            .collect::<Vec<_>>()
            .join("\n")
    };
    let whole = comparable(&run.text);
    for text in &untouched.entries {
        prop_assert!(
            whole.contains(&comparable(text)),
            "this entry is missing:\n{}\nmerged:\n{}",
            text,
            run.text
        );
    }
    // a comment that the original has, too, follows upstream's changes
    let is_shared = |text: &str| comments_of.original.contains(&text.trim());
    let upstream_keeps_comments = comments_of.original == comments_of.updated;
    let has_line = |document: &Document<'_>, text: &str| document.text.lines().any(|it| it == text);
    let is_reindented =
        |text: &str| has_line(&documents.original, text) && !has_line(&documents.updated, text);
    // a comment that both sides rewrote is reported as a conflict
    let mut paths = run.conflicts.iter().map(|conflict| conflict.path());
    let has_comment_conflict = paths.any(|path| path.ends_with(" (comment)"));
    let stays = |&(line, text): &(usize, &str)| {
        let stays = upstream_keeps_comments && !is_reindented(text) || !is_shared(text);
        let stays = stays && !(has_comment_conflict && text.trim().starts_with('#'));
        stays && !untouched.free[line] && !text.trim().is_empty() && !names_anchor(text)
    };
    let wanted: Vec<&str> = lines
        .into_iter()
        .enumerate()
        .filter(stays)
        .map(|(_, text)| text)
        .collect();
    let merged = only_document(&run.text)?;
    // a comment moves to the head if the entry above it is deleted
    let found: Vec<&str> = merged
        .head
        .lines()
        .chain(unmarked(merged.text).lines())
        .collect();
    let in_head = merged.head.lines().count();
    let mut outdented = BTreeSet::new();
    let merged = tree(merged.text)?;
    below_block_scalars(&merged, merged.root().value, &mut outdented);
    let mut outdented: BTreeSet<usize> = outdented.into_iter().map(|line| in_head + line).collect();
    if reindented {
        outdented.extend(0..found.len());
    }
    if let Err(line) = is_subsequence(&wanted, &found, &outdented) {
        prop_assert!(
            false,
            "this line is missing or moved:\n{}\nmerged:\n{}",
            line,
            run.text
        );
    }
    Ok(())
}

/// Law 5 for line endings, the byte order mark, and the end of the file.
pub fn keeps_file_format(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let texts = case.texts.as_ref().map(String::as_str);
    if is_unchanged(texts.try_map(only_document)?.as_ref()) {
        return Ok(());
    }
    let merged = run_case(case, setup)?.text;
    let (breaks, returns) = (
        texts.local.matches('\n').count(),
        texts.local.matches('\r').count(),
    );
    let (now, returns_now) = (merged.matches('\n').count(), merged.matches("\r\n").count());
    if breaks > 0 {
        prop_assert_eq!(
            returns_now,
            if returns > 0 { now } else { 0 },
            "line endings:\n{:?}",
            merged
        );
    }
    let marks = [texts.local, &merged].map(|text| text.matches('\u{feff}').count());
    prop_assert_eq!(marks[0], marks[1]);
    let first = merged.starts_with('\u{feff}');
    prop_assert!(
        first || marks[1] == 0,
        "a byte order mark inside the text:\n{:?}",
        merged
    );
    let ends = texts.map(|text| text.ends_with('\n'));
    let is_upstreams = ends.local == ends.original && ends.updated != ends.original;
    if ends.local != merged.ends_with('\n') && !is_upstreams {
        // A block scalar at the end may need the line break.
        let without = load::document(merged.trim_end_matches(['\n', '\r']));
        prop_assert_ne!(without, load::document(&merged), "the end:\n{:?}", merged);
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_5_untouched_means_untouched(case in generate::case(), setup in setup_with_defaults()) {
        is_untouched(&case, &setup)?;
    }

    #[test]
    fn law_5_untouched_with_any_options(case in generate::case(), setup in any_setup()) {
        is_untouched(&case, &setup)?;
    }

    #[test]
    fn law_5_form_of_the_file(case in generate::case(), setup in any_setup()) {
        keeps_file_format(&case, &setup)?;
    }
}
