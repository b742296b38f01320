//! Moves lines of a tree to another column and adapts their indentation to other habits (rules:
//! Places and formats).

use std::ops::Range;

use super::habits::{Habits, Nesting, nesting};
use super::layout::{lines, trimmed};
use crate::line_breaks::{self, ends_line};
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, Tree};

/// Moves lines of a tree to a place with other habits.
pub(super) struct Reindent<'a> {
    pub(super) tree: &'a Tree<'a>,
    /// The habits that the lines were written in.
    pub(super) from: Habits,
    /// The habits of the new place.
    pub(super) to: Habits,
    pub(super) line_break: &'static str,
}

/// Whether the comments above entries come with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentsAbove {
    /// They come.
    Come,
    /// They do not come: the target has them already.
    Stay,
}

/// A change of indentation from an offset on.
struct Shift {
    from: u32,
    /// The number of columns to add.
    by: i64,
    /// Whether only the rest of the line moves, after a dash.
    within_line: bool,
}

impl Reindent<'_> {
    /// Returns the lines of an entry with its first byte in `column`.
    pub(super) fn entry(&self, id: EntryId, column: u32) -> String {
        let entry = self.tree.entry(id);
        let mut shifts = Vec::new();
        self.shift_entry(entry, i64::from(column), &mut shifts);
        self.apply_shifts(lines(self.tree, entry), &shifts)
    }

    /// Returns the lines of a block collection's entries with the first byte of each in `column`.
    /// `above` says whether the comments above the first one come.
    pub(super) fn entries(&self, node: NodeId, column: u32, above: CommentsAbove) -> String {
        let mut shifts = Vec::new();
        self.shift_entries(node, i64::from(column), 0, &mut shifts);
        let mut entries = self.tree.entries(node);
        let (Some(first), last) = (entries.next(), entries.next_back()) else {
            return String::new();
        };
        if let Some(shift) = shifts.first_mut() {
            shift.from = 0;
        }
        let first_entry = self.tree.entry(first);
        let start = match above {
            CommentsAbove::Come => self.tree.row_start(first_entry),
            CommentsAbove::Stay => lines(self.tree, first_entry).start,
        };
        let end = lines(self.tree, self.tree.entry(last.unwrap_or(first))).end;
        self.apply_shifts(start..end, &shifts)
    }

    /// Returns a range of lines with all but the first moved by the same number of columns.
    pub(super) fn move_lines(&self, range: Range<u32>, by: i64) -> String {
        let shift = Shift {
            from: self.tree.next_line(range.start),
            by,
            within_line: false,
        };
        let first_line_end = shift.from.min(range.end);
        let first = &self.tree.text()[range.start as usize..first_line_end as usize];
        if first_line_end == range.end && !ends_line(first) {
            return first.to_owned();
        }
        let first = first.trim_end_matches(['\r', '\n']);
        let below = self.apply_shifts(first_line_end..range.end, &[shift]);
        // a block scalar that keeps its blank lines ends with an empty line
        let ends_in_empty_line = ends_line(&self.tree.text()[..range.end as usize]);
        let last = if ends_in_empty_line {
            self.line_break
        } else {
            ""
        };
        format!("{first}{}{below}{last}", self.line_break)
    }

    /// Returns the column of a block collection in an entry that moves from the column `old` to
    /// `new`.
    pub(super) fn column_inside(&self, owner: Entry<'_>, node: NodeId, old: u32, new: i64) -> i64 {
        let column = self.tree.column(self.tree.node(node).span.start);
        let width = i64::from(column) - i64::from(old);
        let habit = nesting(self.tree, owner.key.is_some(), node)
            .filter(|_| !self.follows_colon(owner, node))
            .and_then(|nesting| self.habit(nesting, width));
        new + habit.unwrap_or(width).max(self.least_width(owner, node))
    }

    /// Returns the least width of a collection in an entry: on the line of a dash, it starts after
    /// the dash and a space.
    fn least_width(&self, owner: Entry<'_>, node: NodeId) -> i64 {
        let line = |at| self.tree.line_start(at);
        let start = self.tree.node(node).span.start;
        match owner.key.is_none() && line(owner.span.start) == line(start) {
            true => 2,
            false => 0,
        }
    }

    /// Whether a collection starts on the line of the `:` of its field, as it may after `? key`.
    fn follows_colon(&self, owner: Entry<'_>, node: NodeId) -> bool {
        let start = self.tree.node(node).span.start;
        owner
            .colon()
            .is_some_and(|colon| self.tree.line_start(colon) == self.tree.line_start(start))
    }

    /// Returns the usual width in the new place, if `width` is the usual one in the tree and is
    /// uncommon in the new place; else `None`.
    fn habit(&self, nesting: Nesting, width: i64) -> Option<i64> {
        let from = self.from.usual(nesting)?;
        let to = self.to.usual(nesting)?;
        let is_usual = |width| self.to.has(nesting, width);
        let is_foreign = u32::try_from(width).is_ok_and(|width| !is_usual(width));
        (width == i64::from(from) && is_foreign).then_some(i64::from(to))
    }

    /// Adds the shifts for an entry that moves to `column`.
    fn shift_entry(&self, entry: Entry<'_>, column: i64, shifts: &mut Vec<Shift>) {
        let old = self.tree.column(entry.span.start);
        let by = column - i64::from(old);
        shifts.push(Shift {
            from: lines(self.tree, entry).start,
            by,
            within_line: false,
        });
        if is_block(self.tree, entry.value) {
            let inside = self.column_inside(entry, entry.value, old, column);
            self.shift_entries(entry.value, inside, by, shifts);
        } else if let Some(content) = self.block_scalar_shift(entry, by) {
            shifts.push(Shift {
                from: self.tree.next_line(self.tree.node(entry.value).span.start),
                by: content,
                within_line: false,
            });
        }
    }

    /// Returns by how many columns the lines of a block scalar move in an entry that moves by `by`,
    /// if the habits of the new place change their width. `None` if they do not, if the value is
    /// not a block scalar, or if it has an indentation indicator.
    pub(super) fn block_scalar_shift(&self, entry: Entry<'_>, by: i64) -> Option<i64> {
        let tree = self.tree;
        let node = tree.node(entry.value);
        let NodeKind::Scalar(scalar) = &node.kind else {
            return None;
        };
        if !scalar.style.is_block() {
            return None;
        }
        let mut lines = line_breaks::lines(tree.slice(node.span));
        let header = lines.next()?.split([' ', '\t']).next()?;
        let first = lines.find(|line| !trimmed(line).is_empty())?;
        if header.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let content = first.len() - first.trim_start_matches(' ').len();
        let width = content as i64 - i64::from(tree.column(entry.span.start));
        let habit = self.habit(Nesting::MapInMap, width)?;
        Some(by + habit - width)
    }

    /// Adds the shifts for the entries of a collection that move to `column`. `outer` is the shift
    /// of the entry that has the collection: an entry on the line of its dash has moved by it
    /// already.
    fn shift_entries(&self, node: NodeId, column: i64, outer: i64, shifts: &mut Vec<Shift>) {
        let mut end_of_last = None;
        for id in self.tree.entries(node) {
            let entry = self.tree.entry(id);
            let by = column - i64::from(self.tree.column(entry.span.start));
            let own = lines(self.tree, entry);
            let shares_line = own.start != self.tree.line_start(own.start);
            if !shares_line {
                shifts.push(Shift {
                    from: end_of_last.unwrap_or_else(|| self.tree.row_start(entry)),
                    by,
                    within_line: false,
                });
            }
            if shares_line {
                shifts.push(Shift {
                    from: own.start,
                    by: by - outer,
                    within_line: true,
                });
            }
            self.shift_entry(entry, column, shifts);
            end_of_last = Some(own.end);
        }
    }

    /// Returns a range of the text with each line moved by the last shift at or before its start.
    fn apply_shifts(&self, range: Range<u32>, shifts: &[Shift]) -> String {
        if let Some(same) = self.unchanged_text(&range, shifts) {
            return same;
        }
        let mut result = String::with_capacity(range.len() + 64);
        let mut shifts = shifts.iter().peekable();
        let mut by = 0;
        let mut at = range.start;
        let mut first = true;
        while at < range.end {
            let next = self.tree.next_line(at).min(range.end);
            while let Some(shift) = shifts.next_if(|shift| shift.from <= at) {
                if !shift.within_line {
                    by = shift.by;
                }
            }
            let line_starts = at == self.tree.line_start(at);
            let mut line = &self.tree.text()[at as usize..next as usize];
            if line_starts || first {
                let before = if line_starts { 0 } else { self.tree.column(at) };
                line = push_moved(&mut result, line, before, by);
            }
            // the rest of a line after a dash may move too
            let mut inner = next - line.len() as u32;
            while let Some(shift) = shifts.next_if(|shift| shift.from < next) {
                let cut = shift.from.max(inner);
                result.push_str(&self.tree.text()[inner as usize..cut as usize]);
                inner = cut;
                if shift.within_line {
                    widen(&mut result, shift.by);
                } else {
                    by = shift.by;
                }
            }
            self.push_line(&mut result, inner, next);
            at = next;
            first = false;
        }
        result
    }

    /// Returns a range as it is, if it is whole lines that do not move and have the right line
    /// break. Avoids moving each line.
    fn unchanged_text(&self, range: &Range<u32>, shifts: &[Shift]) -> Option<String> {
        let text = &self.tree.text()[range.start as usize..range.end as usize];
        let stays = self.line_break == "\n"
            && shifts.iter().all(|shift| shift.by == 0)
            && self.tree.line_start(range.start) == range.start
            && memchr::memchr(b'\r', text.as_bytes()).is_none();
        stays.then(|| {
            let last = if text.ends_with('\n') || text.is_empty() {
                ""
            } else {
                "\n"
            };
            [text, last].concat()
        })
    }

    /// Adds the rest of a line with the line break of the new place.
    fn push_line(&self, result: &mut String, start: u32, end: u32) {
        let line = &self.tree.text()[start as usize..end as usize];
        result.push_str(line.trim_end_matches(['\r', '\n']));
        result.push_str(self.line_break);
    }
}

/// Whether a node is a collection in block style.
pub(super) fn is_block(tree: &Tree<'_>, node: NodeId) -> bool {
    match &tree.node(node).kind {
        NodeKind::Mapping(collection) | NodeKind::Sequence(collection) => !collection.flow,
        NodeKind::Scalar(_) | NodeKind::Alias(_) => false,
    }
}

/// Writes the moved indentation of a line and returns the rest of the line. `before` is the number
/// of columns before it on the same line.
fn push_moved<'t>(result: &mut String, line: &'t str, before: u32, by: i64) -> &'t str {
    let content = line.trim_start_matches(' ');
    let width = (line.len() - content.len()) as i64 + i64::from(before);
    if content.trim_end_matches(['\r', '\n']).is_empty() && width == 0 {
        return content;
    }
    let width = usize::try_from(width + by).unwrap_or(0);
    result.extend(std::iter::repeat_n(' ', width));
    content
}

/// Adds or removes spaces at the end of the result; at least one space is left after a dash.
fn widen(result: &mut String, by: i64) {
    if by >= 0 {
        result.extend(std::iter::repeat_n(' ', usize::try_from(by).unwrap_or(0)));
    } else {
        for _ in by..0 {
            if result.ends_with("  ") {
                result.pop();
            }
        }
    }
}
