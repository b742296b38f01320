//! Writes a value that comes from the source for its new entry: in the column of the entry, and in
//! the target's habits of indentation.

use std::borrow::Cow;

use super::Editor;
use super::block_scalar::{BlockScalar, ends_in_block_scalar};
use super::habits::Nesting;
use super::layout::{ends_within_text, has_dash};
use crate::line_breaks::lines;
use crate::merge::decision::Incoming;
use crate::white_space::{is_white_space, trimmed, trimmed_start};
use crate::yaml::stream::starts_with_marker;
use crate::yaml::{
    Entry, EntryId, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType, Span, Tree, scalar,
};

/// The text of a value in an entry.
#[derive(Default)]
pub(super) struct Rendered {
    /// The text on the line of the key or dash.
    pub(super) on_line: String,
    /// The lines below, each with its line break.
    pub(super) below: String,
    /// Whether a comment has to be on the line of the key, and not at the end of the value.
    pub(super) comment_goes_first: bool,
    /// Whether it is a block map that starts on the line of its dash. `on_line` then includes the
    /// distance from the dash.
    pub(super) follows_dash: bool,
    /// Whether it is a block collection as the root, which cannot follow `---` on its line.
    pub(super) needs_own_line: bool,
    /// The type of a scalar without a tag; `None` for anything else.
    pub(super) untagged: Option<ScalarType>,
    /// Whether comment lines below that are indented like its last lines would become part of it.
    pub(super) ends_in_block_scalar: bool,
    /// Whether its first line ends within a scalar, so that no comment can follow on it.
    pub(super) first_line_goes_on: bool,
}

impl Rendered {
    /// Whether the tag of the target's value can stay, because this value has no tag and the same
    /// type (rules: Equality).
    pub(super) fn fits_tag(&self, target: &Tree<'_>, entry: Entry<'_>) -> bool {
        let old = target.scalar(entry.value).map(|scalar| scalar.scalar_type);
        self.untagged.is_some() && self.untagged == old && target.custom_tag(entry.value).is_none()
    }

    /// Returns a value on one line.
    fn of_line(on_line: String) -> Self {
        Self {
            on_line,
            ..Self::default()
        }
    }

    /// Returns a value that is not a block collection, of which `text` has the lines. `properties`
    /// are its anchor and tag.
    fn of_text(properties: &str, text: &str, scalar: Option<BlockScalar<'_>>) -> Self {
        let (first, below) = text.split_once('\n').unwrap_or((text, ""));
        let header = scalar.as_ref().map(|scalar| scalar.header);
        Self {
            on_line: join_words(properties, header.unwrap_or(first.trim_end_matches('\r'))),
            below: below.to_owned(),
            comment_goes_first: scalar.is_some(),
            ends_in_block_scalar: scalar.is_some(),
            ..Self::default()
        }
    }
}

impl Editor<'_> {
    /// Returns an incoming value for the entry `entry` of the target; `None` if it cannot be
    /// written.
    pub(super) fn rendered(&self, entry: Entry<'_>, incoming: &Incoming) -> Option<Rendered> {
        let Some(owner) = self.source.entry_of(incoming.node) else {
            return Some(self.rendered_root(incoming));
        };
        if let Some(text) = self.requoted(incoming) {
            let scalar = self.source.scalar(incoming.node);
            return Some(Rendered {
                untagged: scalar.map(|scalar| scalar.scalar_type),
                ..Rendered::of_line(text)
            });
        }
        if !self.needs_rewriting(incoming) {
            return Some(self.rendered_over(entry, self.source, owner));
        }
        if self.source.is_in_flow(owner) {
            return Some(Rendered::of_line(self.value_in_flow(incoming)));
        }
        self.with_part(owner, incoming.outcome(), |tree, id| {
            self.rendered_over(entry, tree, id)
        })
    }

    /// Returns a scalar in local's quoting, if that was decided and is possible.
    pub(super) fn requoted(&self, incoming: &Incoming) -> Option<String> {
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
        if style == *written || node.tag().is_some() || style.is_block() || written.is_block() {
            return None;
        }
        scalar::write(content, *scalar_type, style, self.flow.is_some())
    }

    /// Returns the value of the entry `id` of `tree` for the entry `entry` of the target.
    pub(super) fn rendered_over(&self, entry: Entry<'_>, tree: &Tree<'_>, id: EntryId) -> Rendered {
        let theirs = tree.entry(id);
        let node = tree.node(theirs.value);
        let column = self.target.column(entry.span.start);
        let on_line = self.properties_of(entry, tree, theirs);
        if tree.is_block_collection(theirs.value) {
            return self.rendered_block(entry, tree, theirs, on_line);
        }
        let text = tree.slice(node.span);
        let text = if text.contains(['\n', '\r']) {
            let reindent = self.reindent(tree);
            let by = i64::from(column) - i64::from(tree.column(theirs.span.start));
            let by = reindent.block_scalar_shift(theirs, by).unwrap_or(by);
            let by = by + self.extra_indent_from_flow(tree, id);
            Cow::Owned(reindent.lines_below(node.span, by))
        } else {
            Cow::Borrowed(text)
        };
        Rendered {
            untagged: tree
                .scalar(theirs.value)
                .filter(|_| node.tag().is_none())
                .map(|scalar| scalar.scalar_type),
            ..Rendered::of_text(&on_line, &text, BlockScalar::of(tree, theirs.value))
        }
    }

    /// [`Self::rendered_over`] for a block collection. `on_line` are its anchor and tag.
    fn rendered_block(
        &self,
        entry: Entry<'_>,
        tree: &Tree<'_>,
        theirs: Entry<'_>,
        on_line: String,
    ) -> Rendered {
        let node = tree.node(theirs.value);
        let column = self.target.column(entry.span.start);
        let reindent = self.reindent(tree);
        let inside = reindent.column_inside(theirs, column.into());
        // a list can be in the column of its key, but not in that of a dash
        let inside = match has_dash(self.target, entry) && inside <= i64::from(column) {
            true => i64::from(column) + 2,
            false => inside,
        };
        let first = tree.entries(theirs.value).next();
        let start = first.map_or(0, |first| tree.row_start(tree.entry(first)));
        let below = reindent.entries(theirs.value, start, u32::try_from(inside).unwrap_or(0));
        let follows_dash = has_dash(tree, theirs)
            && has_dash(self.target, entry)
            && tree.line_start(node.span.start) == tree.line_start(theirs.span.start)
            && self.target.node(entry.value).anchor().is_none()
            && on_line.is_empty();
        let (on_line, below) = match follows_dash {
            true => {
                // the first line moves up to the dash and the column behind it
                let (first, rest) = below.split_once('\n').unwrap_or((&below, ""));
                let gap = usize::try_from(inside - i64::from(column) - 2).unwrap_or(0);
                (" ".repeat(gap) + trimmed(first), rest.to_owned())
            }
            false => (on_line, below),
        };
        Rendered {
            on_line,
            below,
            comment_goes_first: !follows_dash,
            follows_dash,
            ends_in_block_scalar: ends_in_block_scalar(tree, theirs.value),
            first_line_goes_on: follows_dash
                && ends_within_text(tree, theirs, tree.line_end(node.span.start)),
            ..Rendered::default()
        }
    }

    /// Returns the tag of a value that comes, and its anchor if the target has none in this place.
    fn properties_of(&self, place: Entry<'_>, tree: &Tree<'_>, entry: Entry<'_>) -> String {
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

    /// Returns the source's root for the place of the target's.
    fn rendered_root(&self, incoming: &Incoming) -> Rendered {
        let node = self.source.node(incoming.node);
        let reindent = self.reindent(self.source);
        if !incoming.is_whole() {
            return Rendered::of_line(self.value_in_flow(incoming));
        }
        // the anchor of the root is of no use: an alias cannot be inside of its own anchor
        let tag = node.tag().map_or("", |tag| self.source.slice(tag));
        if self.source.is_block_collection(incoming.node) {
            let column = self.column_of_root(incoming.node);
            let start = self.start_of_root(incoming);
            let mut lines = reindent.entries(incoming.node, start, column);
            if !tag.is_empty() {
                lines.insert_str(0, &format!("{tag}{}", self.line_break));
            }
            return Rendered {
                on_line: lines.trim_end_matches(['\r', '\n']).to_owned(),
                needs_own_line: true,
                ends_in_block_scalar: ends_in_block_scalar(self.source, incoming.node),
                ..Rendered::default()
            };
        }
        let text = if node.span.is_empty() {
            // an empty document would not be a document
            let text = if tag.is_empty() { "null" } else { "" };
            text.to_owned()
        } else if let Some(quoted) = self.quoted_blank_root(incoming.node) {
            return Rendered::of_line(join_words(tag, &quoted));
        } else {
            let by = self.extra_indent_of_root(incoming.node);
            let text = reindent.lines_below(node.span, by);
            // at the start of a line, the text would be a document marker
            match starts_with_marker(&text) {
                true => format!(" {text}"),
                false => text,
            }
        };
        Rendered::of_text(tag, &text, BlockScalar::of(self.source, incoming.node))
    }

    /// Returns the start of the lines of a block collection that becomes the root: without the
    /// comments above its first entry if these do not come with it, or the target has all of them.
    fn start_of_root(&self, root: &Incoming) -> u32 {
        let source = self.source;
        let first = source.entries(root.node).next().map(|id| source.entry(id));
        first.map_or(0, |first| {
            let above = Span::new(source.row_start(first), source.lines_of(first).start);
            let mut comments = lines(source.slice(above)).filter(|line| !is_white_space(line));
            let has_all = comments.all(|line| self.target.text().contains(trimmed(line)));
            match root.has_entry && !has_all {
                true => above.start,
                false => above.end,
            }
        })
    }

    /// Returns the column for the entries of a block collection that becomes the root: 1 if a key
    /// would look like a document marker in the first column, else 0.
    fn column_of_root(&self, root: NodeId) -> u32 {
        let mut entries = self.source.entries(root).map(|id| self.source.entry(id));
        let text = self.source.text();
        u32::from(entries.any(|entry| starts_with_marker(&text[entry.span.start as usize..])))
    }

    /// Returns a block scalar of white space that becomes the root in quotes; `None` for other
    /// values. As a block scalar, its text would include comments down to the next `---`.
    fn quoted_blank_root(&self, root: NodeId) -> Option<String> {
        let scalar = self.source.scalar(root)?;
        let is_blank = scalar.style.is_block() && is_white_space(scalar.content);
        let style = ScalarStyle::DoubleQuoted;
        is_blank
            .then(|| scalar::write(scalar.content, scalar.scalar_type, style, false))
            .flatten()
    }

    /// Returns by how many columns to indent the lines of a block scalar that becomes the root. If
    /// they started in the first column, comments below would be lines of the scalar.
    fn extra_indent_of_root(&self, scalar: NodeId) -> i64 {
        let root = self.target.node(self.target.root().value).span;
        let below = &self.target.text()[root.end as usize..];
        let moves = BlockScalar::of(self.source, scalar)
            .is_some_and(|it| it.indicated.is_none() && it.indent == Some(0))
            && below.contains('#');
        if moves { 2 } else { 0 }
    }

    /// Returns by how many more columns to indent the lines of a value that comes out of a flow
    /// collection into a block collection: there each line has to be indented deeper than the key.
    fn extra_indent_from_flow(&self, tree: &Tree<'_>, id: EntryId) -> i64 {
        let theirs = tree.entry(id);
        let span = tree.node(theirs.value).span;
        let was_in_flow = std::ptr::eq(tree, self.source.tree) && self.source.is_in_flow(id);
        if !was_in_flow {
            return 0;
        }
        let old = i64::from(tree.column(theirs.span.start));
        let lines = lines(tree.slice(span)).skip(1);
        let least = lines
            .filter(|line| !is_white_space(line))
            .map(|line| (line.len() - trimmed_start(line).len()) as i64 - old)
            .min();
        let width = i64::from(self.target.habits().usual(Nesting::MapInMap).unwrap_or(2)).max(1);
        match least {
            Some(least) if least < 1 => width - least,
            _ => 0,
        }
    }
}

/// Joins two texts, with a space between them if neither is empty.
pub(super) fn join_words(first: &str, second: &str) -> String {
    let space = if first.is_empty() || second.is_empty() {
        ""
    } else {
        " "
    };
    [first, space, second].concat()
}
