//! A value that is taken from the source into an entry that stays (SPEC 7).

use std::borrow::Cow;

use super::Editor;
use super::block::last_block_scalar;
use super::layout::{has_dash, is_blank, trimmed};
use super::reindent::is_block;
use super::to_flow;
use crate::merge::decision::{CommentChoices, Incoming};
use crate::yaml::{
    Entry, EntryId, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Span, Tree, scalar,
};

/// A value as it stands in an entry.
#[derive(Default)]
pub(super) struct Rendered {
    /// What follows the key or dash on its line.
    pub(super) on_line: String,
    /// The lines below, each with its line break.
    pub(super) below: String,
    /// Whether a comment on the key's line has to stand before the lines below.
    pub(super) comment_goes_first: bool,
    /// Whether it is a block map that starts on the line of its dash, at its own distance from it.
    pub(super) follows_dash: bool,
    /// Whether it is a block collection without a key, which cannot follow `---` on its line.
    pub(super) needs_own_line: bool,
    /// What an untagged scalar is; none for anything else.
    pub(super) untagged: Option<ScalarType>,
    /// Whether comment lines that are indented like its last lines would become part of it.
    pub(super) ends_in_block_scalar: bool,
}

impl Rendered {
    /// Whether the tag of the target's value says of this one, too, what is so already (SPEC 4): it keeps its place.
    fn fits_tag(&self, target: &Tree<'_>, entry: &Entry) -> bool {
        let old = target.scalar(entry.value).map(|scalar| scalar.scalar_type);
        self.untagged.is_some() && self.untagged == old && target.custom_tag(entry.value).is_none()
    }
}

impl Editor<'_> {
    pub(super) fn replace(&mut self, entry: &Entry, incoming: &Incoming, comments: CommentChoices) {
        self.replace_with(entry, incoming, comments, None);
    }

    /// Puts an incoming value into an entry, `anchor` before it.
    pub(super) fn replace_with(
        &mut self,
        entry: &Entry,
        incoming: &Incoming,
        comments: CommentChoices,
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

    fn rendered_from(
        &self,
        entry: &Entry,
        owner: EntryId,
        incoming: &Incoming,
    ) -> Option<Rendered> {
        if let Some(text) = self.requoted(incoming) {
            return Some(Rendered {
                on_line: text,
                untagged: self
                    .source
                    .scalar(incoming.node)
                    .map(|scalar| scalar.scalar_type),
                ..Rendered::default()
            });
        }
        if self.comes_from_brackets(owner) && self.needs_rewriting(incoming) {
            return Some(Rendered {
                on_line: self.value_in_brackets(incoming, false),
                ..Rendered::default()
            });
        }
        if self.needs_rewriting(incoming) {
            let piece = self.part_of_entry(owner, &incoming.part);
            return piece.with_entry(|tree, id| self.rendered_over(entry, tree, id));
        }
        Some(self.rendered_over(entry, self.source, owner))
    }

    /// A scalar in the quoting that local has for it.
    fn requoted(&self, incoming: &Incoming) -> Option<String> {
        let style = incoming.quoting?;
        let node = self.source.node(self.source.resolve(incoming.node));
        let NodeKind::Scalar(Scalar {
            style: written,
            scalar_type,
            content,
        }) = &node.kind
        else {
            return None;
        };
        let one_line = |style| !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if style == *written || node.tag().is_some() || !one_line(style) || !one_line(*written) {
            return None;
        }
        scalar::write(content, *scalar_type, style, self.in_flow)
    }

    /// The value of an entry of `tree` as it stands in `entry`.
    pub(super) fn rendered_over(&self, entry: &Entry, tree: &Tree<'_>, id: EntryId) -> Rendered {
        let theirs = tree.entry(id);
        let node = tree.node(theirs.value);
        let column = self.target.column(entry.span.start);
        let mut on_line = self.properties_of(entry, tree, theirs);
        if is_block(tree, theirs.value) {
            let reindent = self.reindent(tree);
            let inside = reindent.column_inside(
                theirs,
                theirs.value,
                tree.column(theirs.span.start),
                column.into(),
            );
            let below = reindent.entries(theirs.value, u32::try_from(inside).unwrap_or(0), "");
            let compact = has_dash(tree, theirs)
                && has_dash(self.target, entry)
                && tree.line_start(node.span.start) == tree.line_start(theirs.span.start)
                && self.target.node(entry.value).anchor().is_none()
                && on_line.is_empty();
            let rendered = if compact {
                compact_form(
                    &below,
                    usize::try_from(inside - i64::from(column)).unwrap_or(2),
                )
            } else {
                Rendered {
                    on_line,
                    below,
                    comment_goes_first: true,
                    ..Rendered::default()
                }
            };
            return Rendered {
                ends_in_block_scalar: last_block_scalar(tree, theirs.value).is_some(),
                ..rendered
            };
        }
        let text = tree.slice(node.span);
        let text = if text.contains(['\n', '\r']) {
            let reindent = self.reindent(tree);
            let by = i64::from(column) - i64::from(tree.column(theirs.span.start));
            let by = reindent.block_scalar_shift(theirs, by).unwrap_or(by);
            let by = by + self.depth_of_brackets(tree, id);
            Cow::Owned(reindent.rest(node.span.start..node.span.end, by))
        } else {
            Cow::Borrowed(text)
        };
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let first = first.trim_end_matches('\r');
        let is_block_scalar = matches!(&node.kind, NodeKind::Scalar(scalar)
            if matches!(scalar.style, ScalarStyle::Literal | ScalarStyle::Folded));
        let first = if is_block_scalar {
            header(first)
        } else {
            first
        };
        if !on_line.is_empty() && !first.is_empty() {
            on_line.push(' ');
        }
        on_line.push_str(first);
        Rendered {
            on_line,
            below: rest.to_owned(),
            comment_goes_first: is_block_scalar,
            untagged: tree
                .scalar(theirs.value)
                .filter(|_| node.tag().is_none())
                .map(|scalar| scalar.scalar_type),
            ends_in_block_scalar: is_block_scalar,
            ..Rendered::default()
        }
    }

    /// The tag of a value that comes, and its anchor where the target has none here that keeps its place.
    fn properties_of(&self, place: &Entry, tree: &Tree<'_>, entry: &Entry) -> String {
        let node = tree.node(entry.value);
        let anchor = match self.target.node(place.value).anchor() {
            Some(_) => None,
            None => node.anchor(),
        };
        let mut properties: Vec<Span> = [anchor, node.tag()].into_iter().flatten().collect();
        properties.sort_by_key(|span| span.start);
        let texts: Vec<&str> = properties
            .into_iter()
            .map(|span| tree.slice(span))
            .collect();
        texts.join(" ")
    }

    /// The source's root, in the place of the target's.
    fn rendered_root(&self, incoming: &Incoming) -> Rendered {
        let node = self.source.node(incoming.node);
        let reindent = self.reindent(self.source);
        if !incoming.is_whole() {
            return Rendered {
                on_line: to_flow::part(self.source, incoming.node, &incoming.part, false),
                ..Rendered::default()
            };
        }
        // its anchor serves nothing: no alias can stand in what it stands for
        let tag = node.tag().map_or("", |tag| self.source.slice(tag));
        if is_block(self.source, incoming.node) {
            let mut lines = reindent.entries(incoming.node, 0, self.target.text());
            if !tag.is_empty() {
                lines.insert_str(0, &format!("{tag}{}", self.line_break));
            }
            return Rendered {
                on_line: lines.trim_end_matches(['\r', '\n']).to_owned(),
                needs_own_line: true,
                ..Rendered::default()
            };
        }
        let text = if node.span.is_empty() && !tag.is_empty() {
            String::new()
        } else if node.span.is_empty() {
            // a document without a word in it would be none
            "null".to_owned()
        } else {
            reindent.rest(node.span.start..node.span.end, 0)
        };
        let (first, below) = text.split_once('\n').unwrap_or((&text, ""));
        let first = first.trim_end_matches('\r');
        let is_block_scalar = matches!(&node.kind, NodeKind::Scalar(scalar)
            if matches!(scalar.style, ScalarStyle::Literal | ScalarStyle::Folded));
        let first = if is_block_scalar {
            header(first)
        } else {
            first
        };
        Rendered {
            on_line: words(tag, first),
            below: below.to_owned(),
            comment_goes_first: is_block_scalar,
            ends_in_block_scalar: is_block_scalar,
            ..Rendered::default()
        }
    }

    /// Puts a value into an entry that is not between brackets.
    pub(super) fn put_in_place(
        &mut self,
        entry: &Entry,
        rendered: Rendered,
        comments: CommentChoices,
        anchor: Option<&str>,
    ) {
        if let (Some(key), None) = (entry.key, entry.colon()) {
            self.put_below_key(entry, key, &rendered, anchor);
            self.comments(entry, comments);
            return;
        }
        let node = self.target.node(entry.value);
        let is_root = entry.colon().is_none() && !has_dash(self.target, entry);
        let start = match node.tag() {
            Some(tag) if !rendered.fits_tag(self.target, entry) => tag.start.min(node.span.start),
            _ => node.span.start,
        };
        let inline = is_root || (!is_block(self.target, entry.value) && !node.span.is_empty());
        let has_comments = !entry.comments().line.is_empty()
            || !entry.comments().tail.is_empty()
            || comments.line.is_updated();
        let on_line = match anchor {
            Some(anchor) => words(anchor, &rendered.on_line),
            None => rendered.on_line.clone(),
        };
        if is_root && rendered.needs_own_line && !on_line.is_empty() {
            self.replace_root(entry, start, on_line);
            return;
        }
        if inline
            && !rendered.follows_dash
            && !on_line.is_empty()
            && (rendered.below.is_empty() || !has_comments)
            && !is_block_scalar(self, entry)
        {
            let mut text = join_lines(self, &on_line, &rendered.below);
            // a root that is an anchor without a value ends at the anchor's name
            if node.span.is_empty() && !self.is_set_off(start) {
                text.insert(0, ' ');
            }
            // White space behind the old value would become part of the last line of the new one.
            let line_end = self.target.line_end(node.span.end).max(node.span.end);
            // A comment behind a block collection's last entry is that entry's own, and goes with it.
            let has_tail = !is_block(self.target, entry.value)
                && (rendered.below.is_empty() || !is_blank(self.target, node.span.end..line_end));
            let end = if has_tail { node.span.end } else { line_end };
            self.edits.replace(start..end, text);
            self.comments_below(entry, end, rendered.ends_in_block_scalar);
            self.comments_of_replaced(entry, comments);
            return;
        }
        self.rewrite_from_indicator(
            entry,
            &Rendered {
                on_line,
                ..rendered
            },
            comments,
        );
    }

    /// A block collection in the place of a root of another kind: on lines of its own, a comment that stood behind the old
    /// value above it.
    fn replace_root(&mut self, entry: &Entry, start: u32, mut text: String) {
        let span = self.target.node(entry.value).span;
        let line_end = self.target.line_end(span.end).max(span.end);
        let mut behind = trimmed(&self.target.text()[span.end as usize..line_end as usize]);
        if is_block_scalar(self, entry) {
            behind = self.target.slice(entry.comments().line);
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
    }

    /// The value of a `? key` that has none, not even a `:`: on a line of its own.
    fn put_below_key(
        &mut self,
        entry: &Entry,
        key: NodeId,
        rendered: &Rendered,
        anchor: Option<&str>,
    ) {
        let key_end = self.target.node(key).span.end;
        let at = self.target.line_end(key_end).max(key_end);
        let indent = " ".repeat(self.target.column(entry.span.start) as usize);
        let words: Vec<&str> = [":", anchor.unwrap_or(""), &rendered.on_line]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect();
        let line = format!("{}{indent}{}", self.line_break, words.join(" "));
        let text = join_lines(self, &line, &rendered.below);
        self.edits.insert(at, text);
    }

    /// By how much the lines of a value in brackets have to move further in, where it stood between brackets and now stands
    /// under a key: there every line of it has to be indented deeper than the key.
    fn depth_of_brackets(&self, tree: &Tree<'_>, id: EntryId) -> i64 {
        let theirs = tree.entry(id);
        let span = tree.node(theirs.value).span;
        let stood_in_brackets = std::ptr::eq(tree, self.source) && self.comes_from_brackets(id);
        if !stood_in_brackets || !super::is_flow(tree, theirs.value) {
            return 0;
        }
        let old = i64::from(tree.column(theirs.span.start));
        let lines = tree.slice(span).lines().skip(1);
        let least = lines
            .filter(|line| !trimmed(line).is_empty())
            .map(|line| (line.len() - line.trim_start().len()) as i64 - old)
            .min();
        let width = i64::from(self.habits().0.map_in_map.unwrap_or(2)).max(1);
        match least {
            Some(least) if least < 1 => width - least,
            _ => 0,
        }
    }

    /// Writes everything behind the key or dash anew, comments in their places.
    fn rewrite_from_indicator(
        &mut self,
        entry: &Entry,
        rendered: &Rendered,
        comments: CommentChoices,
    ) {
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
        let is_behind_key = is_apart && !line.is_empty() && line.start < indicator;
        let stays_apart = is_behind_key || (is_apart && rendered.comment_goes_first);
        let comment = if stays_apart {
            String::new()
        } else {
            self.line_comment_text(entry, comments)
        };
        let mut text = String::new();
        if let Some(anchor) = node.anchor() {
            text.push(' ');
            text.push_str(self.target.slice(anchor));
        }
        if !rendered.on_line.is_empty() {
            text.push(' ');
            text.push_str(&rendered.on_line);
        }
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
        // the root has no indicator that a space would set it off from
        if self.is_set_off(indicator) {
            text = text.trim_start_matches(' ').to_owned();
        }
        self.edits.replace(indicator..end, text);
        self.comments_below(entry, end, rendered.ends_in_block_scalar);
        if stays_apart {
            self.comments(entry, comments);
        } else {
            self.place_comment(entry, comments);
            self.leading_comment(entry, comments);
        }
    }

    /// Whether a line begins at `at`, or white space stands before it.
    fn is_set_off(&self, at: u32) -> bool {
        let before = &self.target.text()[..at as usize];
        self.target.line_start(at) == at || before.ends_with([' ', '\t'])
    }

    /// Keeps the comment lines below an entry whose value now ends at `end` out of that value.
    fn comments_below(&mut self, entry: &Entry, end: u32, ends_in_block_scalar: bool) {
        if ends_in_block_scalar {
            let column = self.target.column(entry.span.start);
            self.outdent_comments(self.target.next_line(end), column);
        }
    }

    /// The comment that an entry's line ends with afterwards, with the white space before it.
    fn line_comment_text(&self, entry: &Entry, comments: CommentChoices) -> String {
        let own = |span: Span| {
            let gap = self.before_white_space(span.start);
            let text = self.target.slice(Span::new(gap, span.end));
            if text.starts_with('#') {
                format!(" {text}")
            } else {
                text.to_owned()
            }
        };
        let theirs = comments.from.map(|from| self.source.entry(from).comments());
        match theirs {
            Some(theirs) if comments.line.is_updated() && !theirs.beside().is_empty() => {
                format!(
                    "{}{}",
                    self.gap_before(theirs.beside()),
                    self.source.slice(theirs.beside())
                )
            }
            _ if comments.line.is_updated() => String::new(),
            _ if !entry.comments().beside().is_empty() => own(entry.comments().beside()),
            _ => String::new(),
        }
    }
}

fn is_block_scalar(editor: &Editor<'_>, entry: &Entry) -> bool {
    matches!(&editor.target.node(entry.value).kind, NodeKind::Scalar(scalar)
        if matches!(scalar.style, ScalarStyle::Literal | ScalarStyle::Folded))
}

/// Two texts with a space between them, where neither is empty.
fn words(first: &str, second: &str) -> String {
    let space = if first.is_empty() || second.is_empty() {
        ""
    } else {
        " "
    };
    format!("{first}{space}{second}")
}

/// A block scalar's first line without its comment: that is not part of the value.
fn header(line: &str) -> &str {
    line.split([' ', '\t']).next().unwrap_or(line)
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

/// A block map behind a dash, `width` columns from it: its first line moves up.
fn compact_form(lines: &str, width: usize) -> Rendered {
    let (first, rest) = lines.split_once('\n').unwrap_or((lines, ""));
    Rendered {
        on_line: format!("{}{}", " ".repeat(width.saturating_sub(2)), trimmed(first)),
        below: rest.to_owned(),
        follows_dash: true,
        ..Rendered::default()
    }
}
