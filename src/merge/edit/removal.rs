//! Entries that go, and the blank lines around them.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::Editor;
use super::layout::{
    after_lines, blank_above, blank_below, count_lines, has_dash, starts_its_line,
};
use crate::merge::decision::{Child, Outcome, Slot};
use crate::yaml::{Entry, EntryId, NodeId, NodeKind};

/// Entries, each with its lines.
pub(super) type Lines = [(EntryId, Range<u32>)];

impl Editor<'_> {
    /// Takes away the lines of the entries that go. `has_front` says that entries come before the first one.
    pub(super) fn remove_lines(&mut self, entries: &Lines, children: &[Child], has_front: bool) {
        let going: FxHashSet<EntryId> = children
            .iter()
            .filter_map(|child| match (child.slot, &child.outcome) {
                (Slot::Local(id), Outcome::Remove) => Some(id),
                _ => None,
            })
            .collect();
        if going.is_empty() {
            return;
        }
        let mut start = 0;
        while start < entries.len() {
            if !going.contains(&entries[start].0) {
                start += 1;
                continue;
            }
            let run = entries[start..]
                .iter()
                .take_while(|(id, _)| going.contains(id))
                .count();
            self.remove_run(entries, start..start + run, has_front);
            start += run;
        }
    }

    /// Takes away neighbouring entries. The blank lines above and below them do not add up: the longer of two runs stays;
    /// at the start of the collection those above, at its end those below.
    fn remove_run(&mut self, entries: &Lines, run: Range<usize>, has_front: bool) {
        let is_first = run.start == 0 && !has_front;
        let is_last = run.end == entries.len();
        let limit = run
            .start
            .checked_sub(1)
            .map_or(0, |before| entries[before].1.end);
        let first_line = entries[run.start].1.start;
        let above = blank_above(self.target, first_line, limit)..first_line;
        let mut blank = if run.start == 0 && has_front {
            0
        } else {
            count_lines(self.target, above.clone())
        };
        if is_last && !is_first {
            self.edits.delete(above);
        }
        for index in run.clone() {
            let lines = entries[index].1.clone();
            self.edits.delete(lines.clone());
            let limit = entries
                .get(index + 1)
                .map_or(lines.end, |next| next.1.start);
            let below = blank_below(self.target, lines.end, limit);
            let count = count_lines(self.target, lines.end..below);
            let gone = if is_first || is_last {
                count
            } else {
                count.min(blank)
            };
            self.edits
                .delete(lines.end..after_lines(self.target, lines.end, gone));
            blank = if below == limit {
                blank.max(count)
            } else {
                count_lines(
                    self.target,
                    blank_above(self.target, limit, lines.end)..limit,
                )
            };
        }
    }

    /// A map or list of which no entry is left becomes `{}` or `[]` (SPEC 5.3).
    pub(super) fn empty(&mut self, owner: Entry<'_>, node: NodeId) {
        let target = self.target;
        let brackets = match target.node(node).kind {
            NodeKind::Sequence(_) => "[]",
            _ => "{}",
        };
        let span = target.node(node).span;
        let entries = super::layout::lines_of_entries(target, target.entries(node));
        let (Some((first, first_lines)), Some((_, last_lines))) = (entries.first(), entries.last())
        else {
            return;
        };
        let shares_line = !starts_its_line(target, target.entry(*first));
        if super::is_flow(target, node) {
            self.edits.replace(span.start..span.end, brackets);
        } else if shares_line || owner.span.start == span.start {
            // After an indicator, or the root itself.
            let end = target.line_end(span.end).max(span.end);
            let start = if shares_line {
                first_lines.start
            } else {
                span.start
            };
            self.edits.replace(start..end, brackets);
        } else {
            self.edits
                .insert(self.after_properties(owner), format!(" {brackets}"));
            for (_, lines) in &entries {
                self.edits.delete(lines.clone());
                let limit = last_lines.end;
                let below = blank_below(target, lines.end, limit);
                self.edits.delete(lines.end..below);
            }
        }
    }

    /// Where a value starts that stands on the line of its key or dash: behind its anchor and tag.
    pub(super) fn after_properties(&self, owner: Entry<'_>) -> u32 {
        let node = self.target.node(owner.value);
        let indicator = match owner.colon() {
            Some(colon) => colon + 1,
            None if has_dash(self.target, owner) => owner.span.start + 1,
            None => owner.span.start,
        };
        [node.anchor(), node.tag()]
            .into_iter()
            .flatten()
            .map(|property| property.end)
            .fold(indicator, u32::max)
    }
}
