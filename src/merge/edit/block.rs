//! Entries of block collections: staying, going and coming, line by line.

use super::layout::{lines_of_entries, starts_its_line};
use super::removal::Lines;
use super::{Carried, Editor};
use crate::line_breaks::{ends_line, lines_with_breaks};
use crate::merge::decision::{Child, Outcome, Slot};
use crate::merge::walk::comments::comment_text;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

impl Editor<'_> {
    /// A block map or list of which at least one entry is left.
    pub(super) fn block(&mut self, node: NodeId, children: &[Child]) -> Carried {
        let Some(first) = self.target.entries(node).next() else {
            return Carried::InPlace;
        };
        let shares_line = !starts_its_line(self.target, self.target.entry(first));
        let first_stays = children
            .iter()
            .find(|child| child.stays())
            .is_some_and(|child| child.slot == Slot::Local(first));
        let in_order = local_entries(children).is_sorted();
        if !in_order || (shares_line && !first_stays) {
            self.compose(node, children);
            if shares_line {
                return Carried::Anew;
            }
        } else {
            self.edit_lines(node, children);
        }
        Carried::InPlace
    }

    /// Entries that stay keep their lines; the others go from, or come to, between them.
    fn edit_lines(&mut self, node: NodeId, children: &[Child]) {
        let is_local = |child: &Child| matches!(child.slot, Slot::Local(_)) && child.stays();
        if children.len() == self.target.entries(node).len() && children.iter().all(is_local) {
            return self.edit_entries(children);
        }
        let mut entries = lines_of_entries(self.target, self.target.entries(node));
        let (Some((_, first)), Some(column)) = (entries.first(), self.column_of(node)) else {
            return;
        };
        let front = first.start;
        let offset = entries.first().map_or(0, |(id, _)| id.0);
        let mut place = None;
        let mut last_in_front = None;
        for (index, child) in children.iter().enumerate() {
            match (child.slot, &child.outcome) {
                (Slot::Local(_), Outcome::Remove) => {}
                (Slot::Local(id), _) => {
                    if let (None, Some(last)) = (place, last_in_front) {
                        // Local has no blank lines between those that come in front and its own: they are updated's.
                        let blank = self.blank_lines_below(last);
                        self.edits.insert(front, blank);
                    }
                    self.edit_entry(id, children, index);
                    place = Some(entries[(id.0 - offset) as usize].1.end);
                }
                (Slot::Updated(id), Outcome::Take(incoming)) => {
                    let above = children[..index].iter().rev().find(|it| it.stays());
                    let mut text = self.arriving_below(above, child, id, incoming, column);
                    if self.needs_key_sign(children, index) {
                        text = self.with_key_sign(&text, column);
                    }
                    let at = place.unwrap_or(front);
                    self.insert_lines(at, text);
                    if last_block_scalar(self.source, incoming.node).is_some() {
                        self.outdent_comments(at, column);
                    }
                    if place.is_none() {
                        last_in_front = Some(id);
                    }
                }
                (Slot::Updated(_), _) => {}
            }
        }
        if let Some((id, first)) = entries.first_mut()
            && node == self.target.root().value
            && !self.comes_again(*id, children)
            && !self.goes_again(*id, children)
        {
            // The first comment lines are the document's, and stay with it.
            let start = self.target.entry(*id).span.start;
            first.start = self.target.line_start(start);
        }
        self.remove_lines(&entries, children, last_in_front.is_some());
        self.outdent_below_removed(&entries, children, column);
    }

    /// All entries stay, and none comes.
    fn edit_entries(&mut self, children: &[Child]) {
        for (index, child) in children.iter().enumerate() {
            if let Slot::Local(id) = child.slot {
                self.edit_entry(id, children, index);
            }
        }
    }

    /// An entry of the target that stays, the child at `index`.
    fn edit_entry(&mut self, id: EntryId, children: &[Child], index: usize) {
        let entry = self.target.entry(id);
        if self.needs_key_sign(children, index) {
            let column = self.target.column(entry.span.start);
            self.edits.insert(entry.span.start, self.key_sign(column));
        }
        let child = &children[index];
        self.value(entry, &child.outcome, child.comments);
    }

    /// Where an entry goes that stood below a block scalar, or below which one comes, the comment lines behind it are that one's next.
    fn outdent_below_removed(&mut self, entries: &Lines, children: &[Child], column: u32) {
        let offset = entries.first().map_or(0, |(id, _)| id.0);
        let is_local = |child: &Child| child.stays() && matches!(child.slot, Slot::Local(_));
        // what comes stands right below the entry before it that stays, above those that go
        let mut rest = children;
        while !rest.is_empty() {
            let more = rest[1..]
                .iter()
                .take_while(|child| !is_local(child))
                .count();
            let (group, after) = rest.split_at(1 + more);
            rest = after;
            let above = group.iter().rev().find(|child| child.stays());
            if !above.is_some_and(|above| self.ends_in_block_scalar(above)) {
                continue;
            }
            for child in group.iter().filter(|child| !child.stays()) {
                if let Slot::Local(id) = child.slot {
                    self.outdent_comments(entries[(id.0 - offset) as usize].1.end, column);
                }
            }
        }
    }

    /// Whether the comment lines above an entry come above another one.
    fn comes_again(&self, id: EntryId, children: &[Child]) -> bool {
        let ours = comment_text(self.target, self.target.entry(id).comments().leading);
        children.iter().any(|child| {
            let from = match (child.slot, child.comments.from) {
                (Slot::Updated(id), _) => Some(id),
                (Slot::Local(_), from) => from.filter(|_| child.comments.leading.is_updated()),
            };
            from.is_some_and(|from| {
                comment_text(self.source, self.source.entry(from).comments().leading) == ours
            })
        })
    }

    /// Whether the entry that now comes first has the same comment lines as this one, and loses them: upstream took them away.
    fn goes_again(&self, id: EntryId, children: &[Child]) -> bool {
        let text = |entry| comment_text(self.target, self.target.entry(entry).comments().leading);
        let Some(child) = children.iter().find(|child| child.stays()) else {
            return false;
        };
        let Slot::Local(first) = child.slot else {
            return false;
        };
        let theirs = child.comments.from.map(|from| self.source.entry(from));
        let loses = child.comments.leading.is_updated()
            && theirs.is_some_and(|entry| entry.comments().leading.is_empty());
        loses && first != id && text(first) == text(id)
    }

    /// Inserts whole lines at the start of a line, or after the last line, whose line break may be missing.
    fn insert_lines(&mut self, at: u32, lines: String) {
        let text = self.target.text();
        let unfinished = at as usize == text.len() && !text.is_empty() && !ends_line(text);
        if unfinished {
            self.edits.insert(at, self.line_break);
        }
        self.edits.insert(at, lines);
    }

    /// Whether a field with an empty key, of which only `:` and the value are written, would be taken for the value of the `? key` that
    /// it now follows, and that has none.
    pub(super) fn needs_key_sign(&self, children: &[Child], index: usize) -> bool {
        let entry_of = |child: &Child| match child.slot {
            Slot::Local(id) => self.target.entry(id),
            Slot::Updated(id) => self.source.entry(id),
        };
        let Some(child) = children.get(index).map(entry_of) else {
            return false;
        };
        let above = children[..index].iter().rfind(|above| above.stays());
        child.colon() == Some(child.span.start)
            && above.is_some_and(|above| match above.slot {
                Slot::Local(_) if matches!(above.outcome, Outcome::Take(_)) => false,
                Slot::Updated(id) if self.comes_from_brackets(id) => false,
                _ => entry_of(above).key.is_some() && entry_of(above).colon().is_none(),
            })
    }

    /// What says that a key begins, empty as it is.
    fn key_sign(&self, column: u32) -> String {
        format!("?{}{}", self.line_break, " ".repeat(column as usize))
    }

    /// The lines of an entry, its comments above it included, with that sign.
    pub(super) fn with_key_sign(&self, lines: &str, column: u32) -> String {
        let mut at = 0;
        for line in lines_with_breaks(lines) {
            let content = line.trim_start_matches(' ');
            if content.starts_with(':') {
                at += line.len() - content.len();
                break;
            }
            at += line.len();
        }
        let (above, rest) = lines.split_at(at);
        format!("{above}{}{rest}", self.key_sign(column))
    }

    /// The column in which the entries of a block collection start.
    pub(super) fn column_of(&self, node: NodeId) -> Option<u32> {
        let first = self.target.entries(node).next()?;
        Some(self.target.column(self.target.entry(first).span.start))
    }
}

/// The block scalar that a value ends in, where it does.
pub(super) fn last_block_scalar(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    match &tree.node(node).kind {
        NodeKind::Scalar(scalar) if scalar.style.is_block() => Some(node),
        NodeKind::Mapping(_) | NodeKind::Sequence(_) => {
            let last = tree.entries(node).next_back()?;
            last_block_scalar(tree, tree.entry(last).value)
        }
        _ => None,
    }
}

/// The local entries among children, in their order.
pub(super) fn local_entries(children: &[Child]) -> impl Iterator<Item = EntryId> {
    children.iter().filter_map(|child| match child.slot {
        Slot::Local(entry) => Some(entry),
        Slot::Updated(_) => None,
    })
}
