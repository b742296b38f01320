//! Block collections whose entries change places, or whose first entry, on the line of a dash, is another one: their lines
//! are put together anew. Each entry's own lines stay as they are.

use std::ops::Range;

use super::Editor;
use super::block::{last_block_scalar, local_entries};
use super::layout::{indents_of_comments, is_blank, lines_of_entries, starts_its_line, trimmed};
use crate::line_breaks::ends_line;
use crate::merge::decision::{Child, Incoming, Outcome, Slot};
use crate::yaml::{EntryId, NodeId};

impl Editor<'_> {
    pub(super) fn compose(&mut self, node: NodeId, children: &[Child]) {
        let entries = lines_of_entries(self.target, self.target.entries(node));
        let (Some((first, first_lines)), Some((last_entry, last_lines)), Some(column)) = (
            entries.first().cloned(),
            entries.last().cloned(),
            self.column_of(node),
        ) else {
            return;
        };
        let shares_line = !starts_its_line(self.target, self.target.entry(first));
        let blocks = self.blocks(&entries, children, column);
        let mut text = blocks.concat();
        if shares_line {
            text = text.trim_start_matches([' ', '\t']).to_owned();
        }
        if !ends_line(&self.target.text()[..last_lines.end as usize]) {
            let end = text.trim_end_matches(['\r', '\n']).len();
            text.truncate(end);
        }
        self.edits.replace(first_lines.start..last_lines.end, text);
        let last = children.iter().rev().find(|child| child.stays());
        if last.is_some_and(|last| {
            self.comes_below_block_scalar(last, Slot::Local(EntryId(last_entry.0 + 1)), true)
        }) {
            self.outdent_comments(last_lines.end, column);
        }
    }

    /// The lines of each entry that the result has, in its order.
    fn blocks(
        &mut self,
        entries: &[(EntryId, Range<u32>)],
        children: &[Child],
        column: u32,
    ) -> Vec<String> {
        let permuted =
            children.len() == entries.len() && local_entries(children).count() == entries.len();
        let offset = entries.first().map_or(0, |(id, _)| id.0);
        let mut blocks: Vec<String> = Vec::with_capacity(children.len());
        let mut above: Option<&Child> = None;
        for (position, child) in children.iter().enumerate() {
            match (child.slot, &child.outcome) {
                (Slot::Local(id), outcome) if *outcome != Outcome::Remove => {
                    let index = (id.0 - offset) as usize;
                    // Blank lines stay where they are when entries only change places.
                    let gap_of = if permuted { blocks.len() } else { index };
                    let is_first = blocks.is_empty();
                    let own = entries[index].1.clone();
                    let lines = self.lines_with_edits(child, id, own, is_first, column);
                    let gap = if is_first {
                        String::new()
                    } else {
                        self.gap_above(entries, gap_of)
                    };
                    let mut block = gap + &lines;
                    let has_own_gap = gap_of == index;
                    if above.is_some_and(|above| {
                        self.comes_below_block_scalar(above, child.slot, has_own_gap)
                    }) {
                        outdent_comments(&mut block, column);
                    }
                    blocks.push(block);
                }
                (Slot::Updated(id), Outcome::Take(incoming)) => {
                    let text = self.arriving_below(above, child, id, incoming, column);
                    let first = blocks.is_empty();
                    blocks.push(if first {
                        without_blank_lines(&text)
                    } else {
                        text
                    });
                }
                _ => continue,
            }
            if self.needs_key_sign(children, position)
                && let Some(block) = blocks.last_mut()
            {
                *block = self.with_key_sign(block, column);
            }
            above = Some(child);
        }
        blocks
    }

    /// The lines of an entry that comes below another one, if it comes below one.
    pub(super) fn arriving_below(
        &self,
        above: Option<&Child>,
        child: &Child,
        id: EntryId,
        incoming: &Incoming,
        column: u32,
    ) -> String {
        let mut text = self.arriving(child, id, incoming, column);
        if above.is_some_and(|above| self.comes_below_block_scalar(above, child.slot, true)) {
            outdent_comments(&mut text, column);
        }
        text
    }

    /// Whether an entry, or what lies above it where that is not its own gap, stands below a block scalar that it did not stand below
    /// before.
    fn comes_below_block_scalar(&self, above: &Child, below: Slot, has_own_gap: bool) -> bool {
        let stood_there = has_own_gap
            && match (above.slot, below, &above.outcome) {
                (Slot::Local(above), Slot::Local(below), Outcome::Keep) => above.0 + 1 == below.0,
                (Slot::Updated(above), Slot::Updated(below), Outcome::Take(incoming)) => {
                    incoming.is_whole() && above.0 + 1 == below.0
                }
                _ => false,
            };
        !stood_there && self.ends_in_block_scalar(above)
    }

    /// Whether an entry of the result ends in a block scalar, so that a comment indented like its lines would be one of them.
    pub(super) fn ends_in_block_scalar(&self, child: &Child) -> bool {
        match (&child.outcome, child.slot) {
            (Outcome::Take(incoming), _) => last_block_scalar(self.source, incoming.node).is_some(),
            (Outcome::Merge(children), _) => {
                let last = children.iter().rev().find(|child| child.stays());
                last.is_some_and(|last| self.ends_in_block_scalar(last))
            }
            (_, Slot::Local(id)) => {
                last_block_scalar(self.target, self.target.entry(id).value).is_some()
            }
            (_, Slot::Updated(_)) => false,
        }
    }

    /// What lies above an entry and is no other entry's.
    fn gap_above(&mut self, entries: &[(EntryId, Range<u32>)], index: usize) -> String {
        let Some(before) = index.checked_sub(1) else {
            return String::new();
        };
        let gap = entries[before].1.end..entries[index].1.start;
        self.edits.take_text(self.target.text(), gap)
    }

    /// The lines of an entry that stays, as its child says.
    fn lines_with_edits(
        &mut self,
        child: &Child,
        id: EntryId,
        lines: Range<u32>,
        is_first: bool,
        column: u32,
    ) -> String {
        let entry = self.target.entry(id);
        self.value(entry, &child.outcome, child.comments);
        let shares_line = !is_blank(
            self.target,
            self.target.line_start(lines.start)..lines.start,
        );
        let mut text = self.edits.take_text(self.target.text(), lines);
        if shares_line {
            text.insert_str(0, &" ".repeat(column as usize));
        }
        if shares_line
            && !is_first
            && let Some(from) = child
                .comments
                .from
                .filter(|_| child.comments.leading.is_updated())
        {
            // It gets a line of its own, and with it room for the comment above.
            let theirs = self.source.entry(from).comments().leading;
            text.insert_str(0, &self.leading_lines(theirs, column));
        }
        if !ends_line(&text) {
            text.push_str(self.line_break);
        }
        text
    }
}

/// Moves the comment lines that a text begins with out to a column.
fn outdent_comments(text: &mut String, column: u32) {
    for deep in indents_of_comments(text, column).into_iter().rev() {
        text.replace_range(deep.start as usize..deep.end as usize, "");
    }
}

fn without_blank_lines(text: &str) -> String {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        if !trimmed(line).is_empty() {
            break;
        }
        rest = after;
    }
    rest.to_owned()
}
