//! A value that is taken from the source into an entry that stays (rules: Places and formats).

use super::Editor;
use super::layout::{has_dash, is_blank, trimmed};
use super::reindent::is_block;
use super::rendered::{Rendered, is_block_scalar, words};
use crate::merge::decision::{CommentChoice, Incoming, Remarks};
use crate::yaml::{Comments, Entry, NodeId, Span};

impl Editor<'_> {
    pub(super) fn replace(&mut self, entry: Entry<'_>, incoming: &Incoming, comments: Remarks) {
        self.replace_with(entry, incoming, comments, None);
    }

    /// Puts an incoming value into an entry, `anchor` before it.
    pub(super) fn replace_with(
        &mut self,
        entry: Entry<'_>,
        incoming: &Incoming,
        comments: Remarks,
        anchor: Option<&str>,
    ) {
        if self.in_flow {
            self.replace_in_brackets(entry, incoming, comments, anchor);
            return;
        }
        let rendered = match self.owner(incoming.node) {
            Some(owner) => self.rendered_from(entry, owner, incoming),
            None => Some(self.rendered_root(incoming)),
        };
        if let Some(rendered) = rendered {
            self.put_in_place(entry, rendered, comments, anchor);
        }
    }

    /// Puts a value into an entry that is not between brackets.
    pub(super) fn put_in_place(
        &mut self,
        entry: Entry<'_>,
        rendered: Rendered,
        comments: Remarks,
        anchor: Option<&str>,
    ) {
        if let (Some(key), None) = (entry.key, entry.colon()) {
            // behind the last line of several, a comment would be that line's, or a part of it
            if rendered.below.is_empty() {
                self.put_below_key(entry, key, &rendered, anchor);
                self.comments(entry, comments);
            } else {
                self.comments_at_key(entry, comments);
                self.put_below_key(entry, key, &rendered, anchor);
            }
            return;
        }
        let node = self.target.node(entry.value);
        let is_root = self.is_root(entry);
        let start = match node.tag() {
            Some(tag) if !rendered.fits_tag(self.target, entry) => tag.start.min(node.span.start),
            _ => node.span.start,
        };
        let inline = is_root || (!is_block(self.target, entry.value) && !node.span.is_empty());
        let has_comments = !entry.comments().line.is_empty()
            || !entry.comments().tail.is_empty()
            || comments.line.is_updated();
        let rendered = Rendered {
            on_line: words(anchor.unwrap_or(""), &rendered.on_line),
            ..rendered
        };
        if is_root && rendered.needs_own_line && !rendered.on_line.is_empty() {
            self.replace_root(entry, start, rendered);
            return;
        }
        if inline
            && !rendered.follows_dash
            && !rendered.on_line.is_empty()
            && (rendered.below.is_empty() || !has_comments)
            && !is_block_scalar(self.target, entry.value)
        {
            let mut text = join_lines(self, &rendered.on_line, &rendered.below);
            // what the value is right behind would become longer by it
            let properties = [node.anchor(), node.tag()];
            if properties.into_iter().flatten().any(|it| it.end == start) {
                text.insert(0, ' ');
            }
            // White space behind the old value would become part of the last line of the new one.
            let line_end = self.target.line_end(node.span.end).max(node.span.end);
            // A comment behind a block collection's last entry is that entry's own, and goes with
            // it.
            let has_tail = !is_block(self.target, entry.value)
                && (rendered.below.is_empty() || !is_blank(self.target, node.span.end..line_end));
            let end = if has_tail { node.span.end } else { line_end };
            let end = self.after_spaces_below(entry, &rendered, end);
            self.edits.replace(start..end, text);
            self.comments_below(entry, end, rendered.ends_in_block_scalar);
            self.comments_of_replaced(entry, comments);
            return;
        }
        self.rewrite_from_indicator(entry, &rendered, comments);
    }

    /// A block collection in the place of a root of another kind: on lines of its own, a comment
    /// that was behind the old value above it.
    fn replace_root(&mut self, entry: Entry<'_>, start: u32, rendered: Rendered) {
        let mut text = rendered.on_line;
        let span = self.target.node(entry.value).span;
        let line_end = self.target.line_end(span.end).max(span.end);
        let mut behind = trimmed(&self.target.text()[span.end as usize..line_end as usize]);
        if let Some(header) = self.header_comment(entry) {
            behind = self.target.slice(header);
        }
        if !behind.is_empty() {
            text = format!("{behind}{}{text}", self.line_break);
        }
        // behind `---` or an anchor no block collection begins
        if !is_blank(self.target, self.target.line_start(start)..start) {
            text.insert_str(0, self.line_break);
        }
        // the old root's own indentation would be that of the first new line alone
        let start = self.before_white_space(start);
        self.edits.replace(start..line_end, text);
        self.comments_below(entry, line_end, rendered.ends_in_block_scalar);
    }

    /// The value of a `? key` that has none, not even a `:`: on a line of its own.
    fn put_below_key(
        &mut self,
        entry: Entry<'_>,
        key: NodeId,
        rendered: &Rendered,
        anchor: Option<&str>,
    ) {
        let key_end = self.target.node(key).span.end;
        let at = self.target.line_end(key_end).max(key_end);
        let indent = " ".repeat(self.target.column(entry.span.start) as usize);
        let value = words(anchor.unwrap_or(""), &rendered.on_line);
        let line = format!("{}{indent}{}", self.line_break, words(":", &value));
        let text = join_lines(self, &line, &rendered.below);
        self.edits.insert(at, text);
    }

    /// Writes everything behind the key or dash anew, comments in their places.
    fn rewrite_from_indicator(&mut self, entry: Entry<'_>, rendered: &Rendered, comments: Remarks) {
        let node = self.target.node(entry.value);
        let indicator = match entry.colon() {
            Some(colon) => colon + 1,
            None => entry.span.start + u32::from(has_dash(self.target, entry)),
        };
        let end = [
            node.span.end,
            entry.comments().line.end,
            entry.comments().tail.end,
        ]
        .into_iter()
        .fold(indicator, u32::max);
        // Behind the `:` of a `? key` no comment would be the entry's own; it goes behind the key.
        let is_apart = entry.colon().is_some_and(|colon| {
            self.target.line_start(colon) != self.target.line_start(entry.span.start)
        });
        let line = entry.comments().line;
        let is_before = !line.is_empty() && line.start < indicator;
        let stays_apart = is_apart && (is_before || rendered.comment_goes_first);
        let has_room = !(rendered.ends_in_block_scalar && rendered.first_line_goes_on);
        let (own, comment) = match (stays_apart, is_before) {
            // neither the first line nor the last can have a comment
            (false, false) if !has_room => (Span::default(), String::new()),
            (true, true) if rendered.below.is_empty() => self.comment_behind(entry, comments),
            (true, _) => (Span::default(), String::new()),
            (_, true) => self.comment_behind(entry, comments),
            (_, false) => self.comment_beside(entry, comments),
        };
        self.keep_comments(entry, comments, indicator, own);
        // the root has no indicator that a space would set it off from
        let is_set_off = self.is_set_off(indicator);
        let anchor = node.anchor().map_or("", |anchor| self.target.slice(anchor));
        let mut text = words(anchor, &rendered.on_line);
        if !text.is_empty() && !is_set_off {
            text.insert(0, ' ');
        }
        let is_bare = text.is_empty();
        let below = rendered.below.trim_end_matches(['\r', '\n']);
        // at the end of a block scalar, a comment would be a part of it
        if rendered.comment_goes_first || rendered.ends_in_block_scalar || below.is_empty() {
            text.push_str(&comment);
            text = join_lines(self, &text, &rendered.below);
        } else {
            text = join_lines(self, &text, &rendered.below);
            text.push_str(&comment);
        }
        let line_end = self.target.line_end(end).max(end);
        // A comment behind a block collection's last entry is that entry's own, and goes with it.
        let goes = is_block(self.target, entry.value);
        let is_free = is_blank(self.target, end..line_end) && !rendered.below.is_empty();
        let end = if goes || is_free { line_end } else { end };
        let end = self.after_spaces_below(entry, rendered, end);
        if is_bare && is_set_off {
            text = text.trim_start_matches(' ').to_owned();
        }
        self.edits.replace(indicator..end, text);
        self.comments_below(entry, end, rendered.ends_in_block_scalar);
        if stays_apart {
            self.comments_at_key(entry, comments);
        } else {
            self.leading_comment(entry, comments);
        }
    }

    /// The end of the text, where a block scalar comes as the whole document and nothing but white
    /// space follows `end`: spaces in it would be a line of the scalar. Else `end`.
    fn after_spaces_below(&self, entry: Entry<'_>, rendered: &Rendered, end: u32) -> u32 {
        let below = &self.target.text()[end as usize..];
        let is_white = below.trim().is_empty() && below.contains([' ', '\t']);
        match self.is_root(entry) && rendered.ends_in_block_scalar && is_white {
            true => self.target.text().len() as u32,
            false => end,
        }
    }

    /// Whether an entry, which has a value behind an indicator or none at all, is the whole
    /// document.
    fn is_root(&self, entry: Entry<'_>) -> bool {
        entry.colon().is_none() && !has_dash(self.target, entry)
    }

    /// Whether a line begins at `at`, or white space is before it.
    fn is_set_off(&self, at: u32) -> bool {
        let before = &self.target.text()[..at as usize];
        self.target.line_start(at) == at || before.ends_with([' ', '\t'])
    }

    /// Keeps the comment lines below an entry whose value now ends at `end` out of that value.
    fn comments_below(&mut self, entry: Entry<'_>, end: u32, ends_in_block_scalar: bool) {
        if ends_in_block_scalar {
            let column = match self.is_root(entry) {
                true => 0,
                false => self.target.column(entry.span.start),
            };
            self.outdent_comments(self.target.next_line(end), column);
        }
    }

    /// The comment beside an entry's value: where it is, and what the line ends with afterwards,
    /// with the white space before it.
    fn comment_beside(&self, entry: Entry<'_>, comments: Remarks) -> (Span, String) {
        let theirs = self.chosen(comments).unwrap_or_default().beside();
        let ours = entry.comments().beside();
        (ours, self.chosen_comment(ours, theirs, comments.line))
    }

    /// The same of a second comment, where the first is before the value.
    fn comment_behind(&self, entry: Entry<'_>, comments: Remarks) -> (Span, String) {
        let theirs = self.chosen(comments).unwrap_or_default().behind();
        let ours = self.header_comment(entry).unwrap_or(entry.comments().tail);
        (ours, self.chosen_comment(ours, theirs, comments.tail))
    }

    /// One of two comments on a line, with the white space before it.
    fn chosen_comment(&self, ours: Span, theirs: Span, choice: CommentChoice) -> String {
        if choice.is_updated() {
            return match theirs.is_empty() {
                true => String::new(),
                false => format!("{}{}", self.gap_before(theirs), self.source.slice(theirs)),
            };
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

    /// The comment on the first line of a block scalar.
    fn header_comment(&self, entry: Entry<'_>) -> Option<Span> {
        let start = self.target.node(entry.value).span.start;
        let line = Span::new(start, self.target.line_end(start));
        let at = is_block_scalar(self.target, entry.value)
            .then(|| self.target.slice(line).find('#'))
            .flatten()?;
        Some(Span::new(start + at as u32, line.end))
    }

    /// Puts the target's comments behind `indicator`, where all is replaced, above the entry: those
    /// that are not `written` there again, and that upstream did not change.
    fn keep_comments(&mut self, entry: Entry<'_>, choices: Remarks, indicator: u32, written: Span) {
        let Comments { line, tail, .. } = entry.comments();
        let header = self.header_comment(entry).unwrap_or_default();
        let mut kept = vec![line, tail, header];
        kept.dedup();
        kept.retain(|comment| {
            let choice = match *comment == entry.comments().beside() {
                true => choices.line,
                false => choices.tail,
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

/// A line and the lines below it, without the last line break.
fn join_lines(editor: &Editor<'_>, on_line: &str, below: &str) -> String {
    if below.is_empty() {
        return on_line.to_owned();
    }
    let below = below.strip_suffix('\n').unwrap_or(below);
    let below = below.strip_suffix('\r').unwrap_or(below);
    format!("{on_line}{}{below}", editor.line_break)
}
