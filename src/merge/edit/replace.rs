//! Replaces the value of an entry that stays by one from the source, and puts the entry's comments
//! in their places (rules: Places and formats).

use std::ops::Range;

use super::Editor;
use super::block_scalar::column_of_last_lines;
use super::layout::{end_of_indicator, has_dash, is_blank};
use super::rendered::{Rendered, join_words};
use crate::merge::decision::{CommentChoice, Incoming, Remarks};
use crate::white_space::{is_white_space, trimmed};
use crate::yaml::{Comments, Entry, NodeId, Span};

impl Editor<'_> {
    /// Replaces the value of an entry by an incoming value. `anchor` comes before it, unless it is
    /// empty.
    pub(super) fn replace(
        &mut self,
        entry: Entry<'_>,
        incoming: &Incoming,
        remarks: Remarks,
        anchor: &str,
    ) {
        if self.flow.is_some() {
            return self.replace_in_flow(entry, incoming, remarks, anchor);
        }
        if let Some(mut rendered) = self.rendered(entry, incoming) {
            rendered.on_line = join_words(anchor, &rendered.on_line);
            self.put_value(entry, rendered, remarks);
        }
    }

    /// Replaces the value of an entry that is not in a flow collection.
    pub(super) fn put_value(&mut self, entry: Entry<'_>, rendered: Rendered, remarks: Remarks) {
        if let (Some(key), None) = (entry.key, entry.colon()) {
            // if the value has several lines, a comment after the last one would belong to that
            // line or be part of it
            if rendered.below.is_empty() {
                self.put_below_key(entry, key, &rendered);
                self.edit_comments(entry, remarks);
            } else {
                self.comments_at_key(entry, remarks);
                self.put_below_key(entry, key, &rendered);
            }
            return;
        }
        let node = self.target.node(entry.value);
        let is_root = self.is_root(entry);
        let start = match rendered.fits_tag(self.target, entry) {
            true => node.span.start,
            false => node.span_with_tag().start,
        };
        let inline =
            is_root || (!self.target.is_block_collection(entry.value) && !node.span.is_empty());
        let has_comments = !entry.comments().line.is_empty()
            || !entry.comments().tail.is_empty()
            || remarks.line.is_updated();
        if is_root && rendered.needs_own_line && !rendered.on_line.is_empty() {
            self.replace_root(entry, start, rendered);
            return;
        }
        if inline
            && !rendered.follows_dash
            && !rendered.on_line.is_empty()
            && (rendered.below.is_empty() || !has_comments)
            && !self.target.is_block_scalar(entry.value)
        {
            let mut text = join_lines(self, &rendered.on_line, &rendered.below);
            // without a space, the new text would become part of the anchor or tag before it
            let properties = [node.anchor(), node.tag()];
            if properties.into_iter().flatten().any(|it| it.end == start) {
                text.insert(0, ' ');
            }
            // white space behind the old value would become part of the last line of the new one
            let line_end = self.target.line_end(node.span.end);
            // a comment behind the last entry of a block collection belongs to that entry, and is
            // removed with it
            let has_tail = !self.target.is_block_collection(entry.value)
                && (rendered.below.is_empty() || !is_blank(self.target, node.span.end..line_end));
            let end = if has_tail { node.span.end } else { line_end };
            text.push_str(self.space_behind(entry, end, remarks));
            self.replace_range(entry, start..end, text, &rendered);
            self.comments_of_replaced(entry, remarks, self.end_of_entry(entry));
            return;
        }
        self.rewrite_from_indicator(entry, &rendered, remarks);
    }

    /// Replaces a root by a block collection, on lines of its own. A comment behind the old value
    /// goes above it.
    fn replace_root(&mut self, entry: Entry<'_>, start: u32, rendered: Rendered) {
        let mut text = rendered.on_line;
        let span = self.target.node(entry.value).span;
        let line_end = self.target.line_end(span.end);
        let mut behind = trimmed(&self.target.text()[span.end as usize..line_end as usize]);
        if let Some(header) = self.header_comment(entry) {
            behind = self.target.slice(header);
        }
        if !behind.is_empty() {
            text = format!("{behind}{}{text}", self.line_break);
        }
        // a block collection cannot begin on the line of `---` or of an anchor
        if !is_blank(self.target, self.target.line_start(start)..start) {
            text.insert_str(0, self.line_break);
        }
        // the indentation of the old root would apply only to the first new line
        let start = self.before_white_space(start);
        self.comments_below(entry, line_end, &text, rendered.ends_in_block_scalar);
        self.edits.replace(start..line_end, text);
    }

    /// Adds a value to a `? key` without a `:`, on a line of its own.
    fn put_below_key(&mut self, entry: Entry<'_>, key: NodeId, rendered: &Rendered) {
        let key_end = self.target.node(key).span.end;
        let at = self.target.line_end(key_end);
        let indent = " ".repeat(self.target.column(entry.span.start) as usize);
        let value = join_words(":", &rendered.on_line);
        let line = format!("{}{indent}{value}", self.line_break);
        let text = join_lines(self, &line, &rendered.below);
        self.edits.insert(at, text);
    }

    /// Writes everything after the key or dash anew, with the comments.
    fn rewrite_from_indicator(&mut self, entry: Entry<'_>, rendered: &Rendered, remarks: Remarks) {
        let node = self.target.node(entry.value);
        let indicator = end_of_indicator(self.target, entry);
        let end = [
            node.span.end,
            entry.comments().line.end,
            entry.comments().tail.end,
        ]
        .into_iter()
        .fold(indicator, u32::max);
        // a comment behind the `:` of a `? key` would not belong to the entry: it goes after the
        // key
        let is_on_other_line = entry.colon().is_some_and(|colon| {
            self.target.line_start(colon) != self.target.line_start(entry.span.start)
        });
        let line = entry.comments().line;
        let is_before = !line.is_empty() && line.start < indicator;
        let goes_after_key = is_on_other_line && (is_before || rendered.comment_goes_first);
        let has_room = !(rendered.ends_in_block_scalar && rendered.first_line_goes_on);
        let (own, comment) = match (goes_after_key, is_before) {
            // a comment fits neither on the first line nor on the last
            (false, false) if !has_room => (Span::default(), String::new()),
            (true, true) if rendered.below.is_empty() => self.comment_behind(entry, remarks),
            (true, _) => (Span::default(), String::new()),
            (_, true) => self.comment_behind(entry, remarks),
            (_, false) => self.comment_beside(entry, remarks),
        };
        self.keep_comments(entry, remarks, indicator, own);
        // a root at the start of a line has no indicator before it, and needs no space
        let is_set_off = self.target.line_start(indicator) == indicator
            || self.before_white_space(indicator) != indicator;
        let anchor = node.anchor().map_or("", |anchor| self.target.slice(anchor));
        let mut text = join_words(anchor, &rendered.on_line);
        if !text.is_empty() && !is_set_off {
            text.insert(0, ' ');
        }
        let is_bare = text.is_empty();
        let below = rendered.below.trim_end_matches(['\r', '\n']);
        // after a block scalar, a comment would be part of it
        if rendered.comment_goes_first || rendered.ends_in_block_scalar || below.is_empty() {
            text.push_str(&comment);
            text = join_lines(self, &text, &rendered.below);
        } else {
            text = join_lines(self, &text, &rendered.below);
            text.push_str(&comment);
        }
        let line_end = self.target.line_end(end);
        // a comment behind the last entry of a block collection belongs to that entry, and is
        // removed with it
        let is_removed = self.target.is_block_collection(entry.value);
        let is_free = is_blank(self.target, end..line_end) && !rendered.below.is_empty();
        let end = if is_removed || is_free { line_end } else { end };
        if is_bare && is_set_off {
            text = text.trim_start_matches(' ').to_owned();
        }
        self.replace_range(entry, indicator..end, text, rendered);
        if goes_after_key {
            self.comments_at_key(entry, remarks);
        } else {
            self.replace_comments_above(entry, remarks);
        }
    }

    /// Replaces a range by the text of a new value. White space with spaces at the end of the text
    /// goes, if it would be a line of a block scalar that becomes the root.
    fn replace_range(
        &mut self,
        entry: Entry<'_>,
        Range { start, end }: Range<u32>,
        text: String,
        rendered: &Rendered,
    ) {
        let below = &self.target.text()[end as usize..];
        let is_white = is_white_space(below) && below.contains([' ', '\t']);
        let end = match self.is_root(entry) && rendered.ends_in_block_scalar && is_white {
            true => self.target.text().len() as u32,
            false => end,
        };
        self.comments_below(entry, end, &text, rendered.ends_in_block_scalar);
        self.edits.replace(start..end, text);
    }

    /// Returns a space if a comment of the target stays right behind an old value, which ends at
    /// `end`: the comment would become part of the new value.
    pub(super) fn space_behind(
        &self,
        entry: Entry<'_>,
        end: u32,
        remarks: Remarks,
    ) -> &'static str {
        let choice = match entry.comments().beside().start == end {
            true => remarks.line,
            false => remarks.tail,
        };
        let is_right_behind = self.target.text()[end as usize..].starts_with('#');
        match is_right_behind && choice != CommentChoice::Updated {
            true => " ",
            false => "",
        }
    }

    /// Whether an entry is the root, which has neither a colon nor a dash.
    pub(super) fn is_root(&self, entry: Entry<'_>) -> bool {
        entry.colon().is_none() && !has_dash(self.target, entry)
    }

    /// Moves the comment lines below an entry out, if they would become part of `value`, its new
    /// value, which ends at `end`.
    fn comments_below(
        &mut self,
        entry: Entry<'_>,
        end: u32,
        value: &str,
        ends_in_block_scalar: bool,
    ) {
        if !ends_in_block_scalar {
            return;
        }
        let (column, indicator) = match (self.is_root(entry), has_dash(self.target, entry)) {
            (true, _) => (0, ""),
            (_, true) => (self.target.column(entry.span.start), "- "),
            _ => (self.target.column(entry.span.start), "key: "),
        };
        let lines = format!("{}{indicator}{value}", " ".repeat(column as usize));
        let at = self.target.next_line(end);
        self.outdent_comments(at, column, column_of_last_lines(&lines));
    }

    /// Returns the target's comment on the first line of an entry, and the text of the comment in
    /// the result with the white space before it.
    fn comment_beside(&self, entry: Entry<'_>, remarks: Remarks) -> (Span, String) {
        let theirs = self.taken_comments(remarks).unwrap_or_default().beside();
        let ours = entry.comments().beside();
        (ours, self.chosen_comment(ours, theirs, remarks.line))
    }

    /// [`Self::comment_beside`] for the second comment, which is behind the value.
    fn comment_behind(&self, entry: Entry<'_>, remarks: Remarks) -> (Span, String) {
        let theirs = self.taken_comments(remarks).unwrap_or_default().behind();
        let ours = self.header_comment(entry).unwrap_or(entry.comments().tail);
        (ours, self.chosen_comment(ours, theirs, remarks.tail))
    }

    /// Returns the target's or the source's comment, as decided, with the white space before it.
    fn chosen_comment(&self, ours: Span, theirs: Span, choice: CommentChoice) -> String {
        if choice.is_updated() {
            return self.with_gap(theirs);
        }
        if ours.is_empty() {
            return String::new();
        }
        let gap = self.before_white_space(ours.start);
        let text = self.target.slice(Span::new(gap, ours.end));
        match text.starts_with('#') {
            true => format!(" {text}"),
            false => text.to_owned(),
        }
    }

    /// Returns the comment on the first line of a block scalar.
    fn header_comment(&self, entry: Entry<'_>) -> Option<Span> {
        let start = self.target.node(entry.value).span.start;
        let line = Span::new(start, self.target.line_end(start));
        let at = self
            .target
            .is_block_scalar(entry.value)
            .then(|| self.target.slice(line).find('#'))
            .flatten()?;
        Some(Span::new(start + at as u32, line.end))
    }

    /// Moves the target's comments after `indicator`, where everything is replaced, above the
    /// entry. It leaves out `written`, which stays on its line, and those that the source's
    /// replace.
    fn keep_comments(&mut self, entry: Entry<'_>, remarks: Remarks, indicator: u32, written: Span) {
        let Comments { line, tail, .. } = entry.comments();
        let header = self.header_comment(entry).unwrap_or_default();
        let mut kept = vec![line, tail, header];
        kept.dedup();
        kept.retain(|comment| {
            let choice = match *comment == entry.comments().beside() {
                true => remarks.line,
                false => remarks.tail,
            };
            comment.start >= indicator
                && !comment.is_empty()
                && *comment != written
                && !choice.is_updated()
        });
        let at = self.target.line_start(entry.span.start);
        let line = &self.target.text()[at as usize..];
        let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
        for comment in kept {
            let text = trimmed(self.target.slice(comment));
            self.edits
                .insert(at, format!("{indent}{text}{}", self.line_break));
        }
    }
}

/// Joins a line and the lines below it, without the last line break.
fn join_lines(editor: &Editor<'_>, on_line: &str, below: &str) -> String {
    if below.is_empty() {
        return on_line.to_owned();
    }
    let below = below.strip_suffix('\n').unwrap_or(below);
    let below = below.strip_suffix('\r').unwrap_or(below);
    format!("{on_line}{}{below}", editor.line_break)
}
