//! Edits flow collections: keeps, removes and inserts entries with their commas.

use std::ops::Range;

use super::Editor;
use super::block::local_entries;
use super::layout::{is_blank, starts_its_line};
use super::to_flow;
use crate::line_breaks::lines;
use crate::merge::decision::{Child, Incoming, Outcome, Remarks, Slot};
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, ScalarStyle, ScalarType, Span};

/// An entry of the result on a line of its own.
struct EntryLine {
    /// The text up to the end of the entry.
    head: String,
    /// The text after the comma.
    rest: String,
}

impl Editor<'_> {
    /// Edits a flow map or list of which at least one entry is left.
    pub(super) fn edit_flow(&mut self, node: NodeId, children: &[Child]) {
        let one_per_line = self.one_per_line(node);
        let is_json = self.has_json(node);
        let outside = (
            std::mem::replace(&mut self.in_flow, true),
            std::mem::replace(&mut self.is_json, is_json),
            std::mem::replace(&mut self.no_new_comments, !one_per_line || is_json),
        );
        let same_entries = local_entries(children).eq(self.target.entries(node))
            && children
                .iter()
                .all(|child| child.stays() && matches!(child.slot, Slot::Local(_)));
        if same_entries {
            for child in children {
                self.edit_flow_entry(child);
            }
        } else if one_per_line {
            self.flow_lines(node, children);
        } else {
            self.flow_row(node, children);
        }
        (self.in_flow, self.is_json, self.no_new_comments) = outside;
    }

    /// Edits an entry of the target that stays.
    fn edit_flow_entry(&mut self, child: &Child) {
        if let Slot::Local(id) = child.slot {
            let entry = self.target.entry(id);
            self.replace_key(child, entry);
            self.edit_value(entry, &child.outcome, child.remarks());
        }
    }

    /// Whether each entry, with its comma, has its own lines, and the brackets are on other lines.
    fn one_per_line(&self, node: NodeId) -> bool {
        let target = self.target;
        let span = target.node(node).span;
        let mut last_line = target.line_start(span.start);
        for id in target.entries(node) {
            let entry = target.entry(id);
            let comma_is_near = entry
                .comma()
                .is_none_or(|comma| comma <= target.line_end(entry.span.end));
            if !starts_its_line(target, entry)
                || target.line_start(entry.span.start) == last_line
                || !comma_is_near
            {
                return false;
            }
            last_line = target.line_start(entry.span.end);
        }
        target.line_start(span.end) != last_line
    }

    /// Writes the entries of a collection with one entry per line.
    fn flow_lines(&mut self, node: NodeId, children: &[Child]) {
        let target = self.target;
        let entries: Vec<EntryId> = target.entries(node).collect();
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return;
        };
        let first_start = target.entry(*first).span.start;
        let indent = target.slice(Span::new(target.line_start(first_start), first_start));
        let ends_with_comma = target.entry(*last).comma().is_some();
        let start = self.lines_of_flow_entry(&entries, 0).start;
        let end = target.line_end(self.end_with_comma(*last));
        let mut lines = Vec::with_capacity(children.len());
        for child in children {
            match (child.slot, &child.outcome) {
                (_, Outcome::Remove) => {}
                (Slot::Local(id), _) => {
                    self.edit_flow_entry(child);
                    lines.push(self.kept_line(&entries, id));
                }
                (Slot::Updated(id), Outcome::Take(incoming)) => {
                    lines.push(self.arriving_line(id, incoming, indent));
                }
                (Slot::Updated(_), _) => {}
            }
        }
        let count = lines.len();
        let text: Vec<String> = lines
            .into_iter()
            .enumerate()
            .map(|(index, line)| {
                let comma = if index + 1 < count || ends_with_comma {
                    ","
                } else {
                    ""
                };
                let space = space_before_comma(&line.head);
                format!("{}{space}{comma}{}", line.head, line.rest)
            })
            .collect();
        self.edits.replace(start..end, text.join(self.line_break));
    }

    /// Returns an entry of the source on a line of its own, with its comments unless it is JSON.
    fn arriving_line(&self, id: EntryId, incoming: &Incoming, indent: &str) -> EntryLine {
        let comments = self.source.entry(id).comments();
        let column = indent.len() as u32;
        let entry = self.flow_entry(id, incoming, Some(column));
        let has_comments = !self.is_json;
        let above = if has_comments {
            self.leading_lines(self.source.comments_above(self.source.entry(id)), column)
        } else {
            String::new()
        };
        let rest = match has_comments {
            true => self.with_gap(comments.beside()),
            false => String::new(),
        };
        EntryLine {
            head: format!("{above}{indent}{entry}"),
            rest,
        }
    }

    /// Returns an entry of the target that stays, with its edits.
    fn kept_line(&mut self, entries: &[EntryId], id: EntryId) -> EntryLine {
        let target = self.target;
        let index = (id.number() - entries[0].number()) as usize;
        let after = self.end_with_comma(id);
        let rest = self
            .edits
            .take_text(target.text(), after..target.line_end(after));
        let block = self.lines_of_flow_entry(entries, index);
        let head = self
            .edits
            .take_text(target.text(), block.start..target.entry(id).span.end);
        EntryLine { head, rest }
    }

    /// Returns the range of an entry and the lines above it, down from the line of the entry
    /// before.
    fn lines_of_flow_entry(&self, entries: &[EntryId], index: usize) -> Range<u32> {
        let target = self.target;
        let entry = target.entry(entries[index]);
        let start = match index.checked_sub(1) {
            Some(before) => target.next_line(self.end_with_comma(entries[before])),
            None => target.comments_above(entry).start,
        };
        start..entry.span.end
    }

    /// Returns the end of an entry, with its comma.
    fn end_with_comma(&self, id: EntryId) -> u32 {
        let entry = self.target.entry(id);
        entry.comma().map_or(entry.span.end, |comma| comma + 1)
    }

    /// Writes the entries of a collection with several entries per line.
    fn flow_row(&mut self, node: NodeId, children: &[Child]) {
        let target = self.target;
        let entries: Vec<EntryId> = target.entries(node).collect();
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return;
        };
        let range = target.entry(*first).span.start..target.entry(*last).span.end;
        let mut text = String::new();
        let mut before = None;
        for child in children {
            let item = match (child.slot, &child.outcome) {
                (_, Outcome::Remove) => continue,
                (Slot::Local(id), _) => {
                    self.edit_flow_entry(child);
                    let span = target.entry(id).span;
                    self.edits.take_text(target.text(), span)
                }
                (Slot::Updated(id), Outcome::Take(incoming)) => self.flow_entry(id, incoming, None),
                (Slot::Updated(_), _) => continue,
            };
            if let Some(before) = before {
                text.push_str(space_before_comma(&text));
                text.push_str(&self.separator(&entries, before, child.slot));
            }
            text.push_str(&item);
            before = Some(child.slot);
        }
        // drop edits between two entries: the text there is replaced
        self.edits.take_text(target.text(), range.clone());
        self.edits.replace(range, text);
    }

    /// Returns the separator of two entries: theirs if they are neighbours, else the first one.
    fn separator(&mut self, entries: &[EntryId], before: Slot, after: Slot) -> String {
        let target = self.target;
        let between = |before: EntryId, after: EntryId| {
            target.entry(before).span.end..target.entry(after).span.start
        };
        if let (Slot::Local(before), Slot::Local(after)) = (before, after)
            && after.number() == before.number() + 1
        {
            return self.edits.take_text(target.text(), between(before, after));
        }
        let [first, second, ..] = entries else {
            return ", ".to_owned();
        };
        let range = between(*first, *second);
        let text = &target.text()[range.start as usize..range.end as usize];
        if text.contains('#') { ", " } else { text }.to_owned()
    }

    /// Returns an entry of the source for a flow collection; `column` if it gets a line of its own.
    fn flow_entry(&self, id: EntryId, incoming: &Incoming, column: Option<u32>) -> String {
        let source = self.source;
        let entry = source.entry(id);
        let from_brackets = self.source.is_in_flow(id);
        let text = source.slice(entry.span);
        let json = self.is_json;
        let has_to_be_rewritten = self.needs_rewriting(incoming)
            || has_line_with_dash(text)
            || (json && !is_json_text(text));
        if from_brackets
            && !has_to_be_rewritten
            && (column.is_some() || !text.contains(['\n', '#']))
        {
            let by = i64::from(column.unwrap_or(0)) - i64::from(source.column(entry.span.start));
            let text = self.reindent(source).lines_below(entry.span, by);
            return text.trim_end_matches(['\r', '\n']).to_owned();
        }
        let value = self.value_in_flow(incoming, json);
        match entry.key {
            Some(key) => format!("{}: {value}", to_flow::text(source, key, json)),
            None => value,
        }
    }

    /// Whether a flow collection is JSON. All entries count, and not only the first one, so that a
    /// second merge, after entries were removed, finds the same.
    fn has_json(&self, node: NodeId) -> bool {
        self.is_quoted(node) == Some(true)
    }

    /// Whether the keys of a map, or the strings and keys in a list, are all in double quotes;
    /// `None` if there are none.
    fn is_quoted(&self, node: NodeId) -> Option<bool> {
        let target = self.target;
        let mut quoted = None;
        for id in target.entries(node) {
            let entry = target.entry(id);
            let decisive = entry.key.unwrap_or(entry.value);
            let it = match &target.node(decisive).kind {
                NodeKind::Scalar(scalar) if scalar.style == ScalarStyle::DoubleQuoted => Some(true),
                NodeKind::Scalar(scalar) if scalar.scalar_type != ScalarType::Str => None,
                NodeKind::Scalar(_) | NodeKind::Alias(_) => Some(false),
                NodeKind::Mapping(_) | NodeKind::Sequence(_) => self.is_quoted(decisive),
            };
            if it == Some(false) {
                return it;
            }
            quoted = quoted.or(it);
        }
        quoted
    }

    /// Replaces a value in a flow collection by one of the source.
    pub(super) fn replace_in_flow(
        &mut self,
        entry: Entry<'_>,
        incoming: &Incoming,
        remarks: Remarks,
        anchor: Option<&str>,
    ) {
        let target = self.target;
        let node = target.node(entry.value);
        let text = self.flow_value(entry, incoming);
        let text = match anchor {
            Some(anchor) => format!("{anchor} {text}"),
            None => text,
        };
        let start = node
            .tag()
            .map_or(node.span.start, |tag| tag.start.min(node.span.start));
        let text = match (node.span.is_empty(), entry.key, entry.colon()) {
            (true, Some(_), None) => format!(": {text}"),
            (true, ..) if !is_blank(target, start.saturating_sub(1)..start) => format!(" {text}"),
            _ if self.would_be_key(entry, start, &text) => format!(" {text}"),
            _ => text,
        };
        // an insertion at the end of an entry without a comma would go after a comma that it may
        // get, as comments have to: replace the character before instead
        let before = target.text()[..start as usize].chars().next_back();
        match before.filter(|_| start == entry.span.end && entry.comma().is_none()) {
            Some(before) => self.edits.replace(
                start - before.len_utf8() as u32..start,
                format!("{before}{text}"),
            ),
            None => self.edits.replace(start..node.span.end, text),
        }
        self.comments_of_replaced(entry, remarks);
    }

    /// Whether a value at `start`, without a space after the colon of a plain key, would be part of
    /// the key. Only brackets are not.
    fn would_be_key(&self, entry: Entry<'_>, start: u32, text: &str) -> bool {
        let follows_colon = entry.colon().is_some_and(|colon| colon + 1 == start);
        let key = entry.key.and_then(|key| self.target.scalar(key));
        follows_colon
            && key.is_some_and(|key| key.style == ScalarStyle::Plain)
            && !text.starts_with(['[', '{'])
    }

    /// Returns the text of a value of the source for a flow collection.
    fn flow_value(&self, entry: Entry<'_>, incoming: &Incoming) -> String {
        let source = self.source;
        let node = source.node(incoming.node);
        let Some(owner) = self.source.entry_of(incoming.node) else {
            return self.value_in_flow(incoming, false);
        };
        let json = self.target_is_json(entry);
        if let Some(style) = incoming.quoting
            && let Some(scalar) = source.scalar(incoming.node)
            && !json
            && let Some(text) =
                crate::yaml::scalar::write(scalar.content, scalar.scalar_type, style, true)
        {
            return text;
        }
        let text = source.slice(node.span);
        let can_be_copied = self.source.is_in_flow(owner)
            && !self.needs_rewriting(incoming)
            && (!json || is_json_text(text));
        if can_be_copied
            && (!text.contains(['\n', '#']) || starts_its_line(self.target, entry))
            && !has_line_with_dash(text)
            && !node.span.is_empty()
        {
            let by = i64::from(self.target.column(entry.span.start))
                - i64::from(source.column(source.entry(owner).span.start));
            let start = node
                .tag()
                .map_or(node.span.start, |tag| tag.start.min(node.span.start));
            let text = self
                .reindent(source)
                .lines_below(Span::new(start, node.span.end), by);
            return text.trim_end_matches(['\r', '\n']).to_owned();
        }
        self.value_in_flow(incoming, json)
    }

    /// Whether the key of an entry, or the value of an element, is in double quotes, as in JSON.
    fn target_is_json(&self, entry: Entry<'_>) -> bool {
        let decisive = entry.key.unwrap_or(entry.value);
        matches!(&self.target.node(decisive).kind, NodeKind::Scalar(scalar) if scalar.style == ScalarStyle::DoubleQuoted)
    }
}

/// Whether the text of an entry or a value is JSON.
fn is_json_text(text: &str) -> bool {
    let parses = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    parses(text) || parses(&format!("{{{text}}}"))
}

/// Returns the space that an entry needs before its comma if its last line is a dash, which would
/// not be part of the scalar without the space.
fn space_before_comma(text: &str) -> &'static str {
    let is_in_line = |letter: char| letter.is_whitespace() && !matches!(letter, '\n' | '\r');
    // the line may be as long as the whole text: only its end is looked at
    let above = text
        .strip_suffix('-')
        .map(|rest| rest.trim_end_matches(is_in_line));
    match above {
        Some(above) if above.ends_with(['\n', '\r']) => " ",
        _ => "",
    }
}

/// Whether a line of a text below the first is or begins with a dash and a space. The parser takes
/// such a line for an element, unless the dash is in the first column.
fn has_line_with_dash(text: &str) -> bool {
    let mut words = lines(text)
        .skip(1)
        .map(|line| line.split_whitespace().next());
    words.any(|word| word == Some("-"))
}
