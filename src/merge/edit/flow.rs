//! Edits flow collections: keeps, removes and inserts entries with their commas.

use super::layout::{is_blank, starts_its_line};
use super::rendered::join_words;
use super::{Editor, to_flow};
use crate::line_breaks::lines;
use crate::merge::decision::{Child, Incoming, Outcome, Remarks, Slot, keeps_entries};
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, ScalarStyle, ScalarType, Span, equal};

/// The style of a flow collection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FlowStyle {
    /// Whether it is JSON.
    pub(super) is_json: bool,
    /// Whether each entry has lines of its own.
    has_lines: bool,
}

/// An entry of the result.
struct Item {
    slot: Slot,
    /// The text up to the end of the entry.
    head: String,
    /// The text after the comma, if the entry has lines of its own.
    rest: String,
}

impl FlowStyle {
    /// Whether entries can get new comments.
    pub(super) const fn allows_comments(self) -> bool {
        self.has_lines && !self.is_json
    }
}

impl Editor<'_> {
    /// Edits a flow map or list of which at least one entry is left.
    pub(super) fn edit_flow(&mut self, node: NodeId, children: &[Child]) {
        let style = FlowStyle {
            is_json: self.is_quoted(node) == Some(true),
            has_lines: self.one_per_line(node),
        };
        let outside = self.flow.replace(style);
        if keeps_entries(self.target, node, children) {
            for child in children {
                if let Slot::Local(id) = child.slot {
                    self.edit_entry(id, child, child.extras().remarks);
                }
            }
        } else {
            self.rewrite_flow(node, children, style);
        }
        self.flow = outside;
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

    /// Writes the entries of a collection anew.
    fn rewrite_flow(&mut self, node: NodeId, children: &[Child], style: FlowStyle) {
        let target = self.target;
        let mut entries = target.entries(node);
        let (Some(first), Some(last)) = (target.entries(node).next(), entries.next_back()) else {
            return;
        };
        let first_start = target.entry(first).span.start;
        let line = Span::new(target.line_start(first_start), first_start);
        let indent = style.has_lines.then(|| target.slice(line));
        let mut items = Vec::with_capacity(children.len());
        for child in children {
            match (child.slot, child.outcome()) {
                (Slot::Local(id), _) if child.stays() => {
                    self.edit_entry(id, child, child.extras().remarks);
                    items.push(self.kept_item(id, first, style));
                }
                (Slot::Updated(id), Outcome::Take(incoming)) => {
                    items.push(self.arriving_item(id, incoming, indent));
                }
                _ => {}
            }
        }
        let ends_with_comma = style.has_lines && target.entry(last).comma().is_some();
        let mut text = String::new();
        for (index, item) in items.iter().enumerate() {
            text.push_str(&item.head);
            let next = items.get(index + 1);
            let has_comma = next.is_some() || ends_with_comma;
            if has_comma {
                text.push_str(space_before_comma(&text));
            }
            match next {
                Some(next) if !style.has_lines => {
                    text.push_str(&self.separator(node, item.slot, next.slot));
                }
                _ => {
                    text.push_str(if has_comma { "," } else { "" });
                    text.push_str(&item.rest);
                    text.push_str(next.map_or("", |_| self.line_break));
                }
            }
        }
        let range = match style.has_lines {
            true => Span::new(
                self.lines_of_flow_entry(first, first).start,
                target.line_end(self.end_of_entry(target.entry(last))),
            ),
            false => Span::new(first_start, target.entry(last).span.end),
        };
        // drop edits between two entries: the text there is replaced
        self.edits.drop_within(range);
        self.edits.replace(range, text);
    }

    /// Returns an entry of the source, with its comments unless it is JSON if it gets a line of its
    /// own, with this indentation.
    fn arriving_item(&self, id: EntryId, incoming: &Incoming, indent: Option<&str>) -> Item {
        let entry = self.source.entry(id);
        let column = indent.map(|indent| indent.len() as u32);
        let mut item = Item {
            slot: Slot::Updated(id),
            head: self
                .copied_flow(id, entry.span, incoming, column)
                .unwrap_or_else(|| {
                    to_flow::entry(self.source, id, incoming.outcome(), self.is_json())
                }),
            rest: String::new(),
        };
        if let (Some(indent), Some(column)) = (indent, column) {
            item.head.insert_str(0, indent);
            if !self.is_json() {
                let above = self.leading_lines(self.source.comments_above(entry), column);
                item.head.insert_str(0, &above);
                item.rest = self.with_gap(entry.comments().beside());
            }
        }
        item
    }

    /// Returns an entry of the target that stays, with its edits. `first` is the first entry of its
    /// collection.
    fn kept_item(&mut self, id: EntryId, first: EntryId, style: FlowStyle) -> Item {
        let target = self.target;
        let (mut span, mut rest) = (target.entry(id).span, String::new());
        if style.has_lines {
            let after = self.end_of_entry(target.entry(id));
            let range = after..target.line_end(after);
            rest = self.edits.take_text(target.text(), range);
            span = self.lines_of_flow_entry(id, first);
        }
        Item {
            slot: Slot::Local(id),
            head: self.edits.take_text(target.text(), span),
            rest,
        }
    }

    /// Returns the range of an entry and the lines above it, down from the line of the entry
    /// before. `first` is the first entry of its collection.
    fn lines_of_flow_entry(&self, id: EntryId, first: EntryId) -> Span {
        let target = self.target;
        let entry = target.entry(id);
        let start = match id == first {
            true => target.comments_above(entry).start,
            false => {
                let before = EntryId::new(id.number() - 1);
                target.next_line(self.end_of_entry(target.entry(before)))
            }
        };
        Span::new(start, entry.span.end)
    }

    /// Returns the separator of two entries: theirs if they are neighbours, else the first one.
    fn separator(&mut self, node: NodeId, before: Slot, after: Slot) -> String {
        let target = self.target;
        let between = |before: EntryId, after: EntryId| {
            Span::new(
                target.entry(before).span.end,
                target.entry(after).span.start,
            )
        };
        if let (Slot::Local(before), Slot::Local(after)) = (before, after)
            && after.number() == before.number() + 1
        {
            return self.edits.take_text(target.text(), between(before, after));
        }
        let mut entries = target.entries(node);
        let first = entries.next().zip(entries.next());
        let text = first.map(|(first, second)| target.slice(between(first, second)));
        text.filter(|text| !text.contains('#'))
            .unwrap_or(", ")
            .to_owned()
    }

    /// Returns the text of an entry of the source or of its value, as it is written; `None` if that
    /// is not possible in the flow collection. `column` is that of the entry, if it is on a line of
    /// its own.
    fn copied_flow(
        &self,
        id: EntryId,
        span: Span,
        incoming: &Incoming,
        column: Option<u32>,
    ) -> Option<String> {
        let text = self.source.slice(span);
        let is_writable = self.source.is_in_flow(id)
            && !self.needs_rewriting(incoming)
            && (!self.is_json() || is_json_text(text))
            && (column.is_some() || !text.contains(['\n', '#']))
            && !has_line_with_dash(text);
        is_writable.then(|| {
            let old = self.source.column(self.source.entry(id).span.start);
            let by = i64::from(column.unwrap_or(0)) - i64::from(old);
            let text = self.reindent(self.source.tree).lines_below(span, by);
            text.trim_end_matches(['\r', '\n']).to_owned()
        })
    }

    /// Whether the editor is inside a flow collection that is JSON.
    pub(super) fn is_json(&self) -> bool {
        self.flow.is_some_and(|style| style.is_json)
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
        anchor: &str,
    ) {
        let target = self.target;
        let node = target.node(entry.value);
        let text = join_words(anchor, &self.flow_value(entry, incoming));
        let start = node.span_with_tag().start;
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
            None => {
                let end = node.span.end;
                let text = text + self.space_behind(entry, end, remarks);
                self.edits.replace(start..end, text);
            }
        }
        self.comments_of_replaced(entry, remarks, self.end_of_entry(entry));
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
        let requoted = self.requoted(incoming).filter(|_| !self.is_json());
        let copied = || {
            let owner = self.source.entry_of(incoming.node)?;
            let node = self.source.node(incoming.node);
            let column =
                starts_its_line(self.target, entry).then(|| self.target.column(entry.span.start));
            self.copied_flow(owner, node.span_with_tag(), incoming, column)
                .filter(|_| !node.span.is_empty())
        };
        // a block scalar has no place here: if local has its text already, only the style changed
        let own = || {
            let node = self.target.node(entry.value);
            let is_same = self.source.is_block_scalar(incoming.node)
                && matches!(node.kind, NodeKind::Scalar(_))
                && equal(self.target, entry.value, self.source, incoming.node);
            is_same.then(|| self.target.slice(node.span_with_tag()).to_owned())
        };
        requoted
            .or_else(copied)
            .or_else(own)
            .unwrap_or_else(|| self.value_in_flow(incoming))
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
    // the line may be as long as the whole text: only its end is looked at
    let above = text
        .strip_suffix('-')
        .map(|rest| rest.trim_end_matches([' ', '\t']));
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
