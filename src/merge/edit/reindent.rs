//! Moves lines of a tree to another column and adapts their indentation to other habits (rules:
//! Places and formats).

use super::block_scalar::BlockScalar;
use super::habits::{Habits, Nesting, nesting};
use crate::line_breaks::ends_line;
use crate::yaml::{Entry, EntryId, NodeId, Span, Tree};

/// Moves lines of a tree to a place with other habits.
pub(super) struct Reindent<'a> {
    pub(super) tree: &'a Tree<'a>,
    /// The habits that the lines were written in.
    pub(super) from: Habits,
    /// The habits of the new place.
    pub(super) to: Habits,
    pub(super) line_break: &'static str,
}

/// A change of indentation from an offset on.
struct Shift {
    from: u32,
    /// The number of columns to add.
    by: i64,
    /// Whether only the rest of the line moves, after a dash.
    within_line: bool,
    /// Whether the lines are those of indented entries: a comment at the margin stays there.
    is_indented: bool,
}

impl Shift {
    /// A shift of whole lines, which are those of an entry in the column `old`.
    const fn of_lines(from: u32, by: i64, old: i64) -> Self {
        Self {
            from,
            by,
            within_line: false,
            is_indented: old > 0,
        }
    }

    /// A shift of the rest of a line, after a dash.
    const fn within_line(from: u32, by: i64) -> Self {
        Self {
            from,
            by,
            within_line: true,
            is_indented: true,
        }
    }
}

/// Whether a line is a comment that begins in column 0.
pub(super) fn is_at_margin(line: &str) -> bool {
    line.starts_with('#')
}

impl Reindent<'_> {
    /// Returns the lines of an entry with its first byte in `column`.
    pub(super) fn entry(&self, id: EntryId, column: u32) -> String {
        let entry = self.tree.entry(id);
        let lines = self.tree.lines_of(entry);
        let mut shifts = Vec::new();
        self.shift_entry(entry, lines.start, i64::from(column), &mut shifts);
        self.apply_shifts(lines, &shifts)
    }

    /// Returns the lines of a block collection from `start` on, which is the start of its first
    /// entry or of comments above that, with the first byte of each entry in `column`.
    pub(super) fn entries(&self, node: NodeId, start: u32, column: u32) -> String {
        let mut shifts = Vec::new();
        self.shift_entries(node, i64::from(column), 0, &mut shifts);
        let last = self.tree.entries(node).next_back();
        let end = last.map_or(start, |last| self.tree.end_of_lines(self.tree.entry(last)));
        self.apply_shifts(Span::new(start, end), &shifts)
    }

    /// Returns the lines of entries in `column`, or of comments between them, that all move by the
    /// same number of columns.
    pub(super) fn lines(&self, lines: Span, column: i64, by: i64) -> String {
        self.apply_shifts(lines, &[Shift::of_lines(lines.start, by, column)])
    }

    /// Returns a range of the text of which all lines but the first move by the same number of
    /// columns. It ends with a line break if it has several lines.
    pub(super) fn lines_below(&self, range: Span, by: i64) -> String {
        let below = self.tree.next_line(range.start).min(range.end);
        let first = self.tree.slice(Span::new(range.start, below));
        if !ends_line(first) {
            return first.to_owned();
        }
        // a block scalar that keeps its blank lines ends with an empty line
        let last = match ends_line(self.tree.slice(range)) {
            true => self.line_break,
            false => "",
        };
        let below = self.lines(Span::new(below, range.end), 0, by);
        let first = first.trim_end_matches(['\r', '\n']);
        format!("{first}{}{below}{last}", self.line_break)
    }

    /// Returns the column of the block collection in an entry that moves to the column `new`.
    pub(super) fn column_inside(&self, owner: Entry<'_>, new: i64) -> i64 {
        let tree = self.tree;
        let start = tree.node(owner.value).span.start;
        let is_on_line_of = |at| tree.line_start(at) == tree.line_start(start);
        let width = i64::from(tree.column(start)) - i64::from(tree.column(owner.span.start));
        // it may start on the line of the `:` after `? key`
        let habit = nesting(tree, owner.key.is_some(), owner.value)
            .filter(|_| !owner.colon().is_some_and(is_on_line_of))
            .and_then(|nesting| self.habit(nesting, width));
        // on the line of a dash, it starts after the dash and a space
        let is_behind_dash = owner.key.is_none() && is_on_line_of(owner.span.start);
        let least = if is_behind_dash { 2 } else { 0 };
        new + habit.unwrap_or(width).max(least)
    }

    /// Returns the usual width in the new place, if `width` is the usual one in the tree and is
    /// uncommon in the new place; else `None`.
    fn habit(&self, nesting: Nesting, width: i64) -> Option<i64> {
        let from = self.from.usual(nesting)?;
        let to = self.to.usual(nesting).or_else(|| {
            // a document without a list has no habit of its own for lists
            let maps = Nesting::MapInMap;
            let is_alike = nesting == Nesting::ListInMap && self.from.usual(maps) == Some(from);
            is_alike.then(|| self.to.usual(maps))?
        })?;
        let is_usual = |width| self.to.has(nesting, width);
        let is_foreign = u32::try_from(width).is_ok_and(|width| !is_usual(width));
        (width == i64::from(from) && is_foreign).then_some(i64::from(to))
    }

    /// Adds the shifts for an entry that moves to `column`, with the lines above it from `from` on.
    fn shift_entry(&self, entry: Entry<'_>, from: u32, column: i64, shifts: &mut Vec<Shift>) {
        let old = i64::from(self.tree.column(entry.span.start));
        let by = column - old;
        shifts.push(Shift::of_lines(from, by, old));
        if self.tree.is_block_collection(entry.value) {
            let inside = self.column_inside(entry, column);
            self.shift_entries(entry.value, inside, by, shifts);
        } else if let Some(content) = self.block_scalar_shift(entry, by) {
            let from = self.tree.next_line(self.tree.node(entry.value).span.start);
            shifts.push(Shift::of_lines(from, content, old));
        } else if let Some(by) = self.shift_behind_dash(entry) {
            let from = self.tree.node(entry.value).span.start;
            shifts.push(Shift::within_line(from, by));
        }
    }

    /// Returns by how many columns a value on the line of its dash moves, if the habits of the new
    /// place change its distance from the dash.
    fn shift_behind_dash(&self, entry: Entry<'_>) -> Option<i64> {
        let (dash, value) = (entry.span.start, self.tree.node(entry.value).span.start);
        let is_behind =
            entry.key.is_none() && self.tree.line_start(dash) == self.tree.line_start(value);
        let width = i64::from(value) - i64::from(dash);
        let habit = self.habit(Nesting::InList, width).filter(|_| is_behind)?;
        Some(habit - width)
    }

    /// Returns by how many columns the lines of a block scalar move in an entry that moves by `by`,
    /// if the habits of the new place change their width. `None` if they do not, if the value is
    /// not a block scalar, or if it has an indentation indicator.
    pub(super) fn block_scalar_shift(&self, entry: Entry<'_>, by: i64) -> Option<i64> {
        let scalar = BlockScalar::of(self.tree, entry.value)?;
        if scalar.indicated.is_some() {
            return None;
        }
        let width = scalar.indent? as i64 - i64::from(self.tree.column(entry.span.start));
        let habit = self.habit(Nesting::MapInMap, width)?;
        Some(by + habit - width)
    }

    /// Adds the shifts for the entries of a collection that move to `column`. `outer` is the shift
    /// of the entry that has the collection: an entry on the line of its dash has moved by it
    /// already.
    fn shift_entries(&self, node: NodeId, column: i64, outer: i64, shifts: &mut Vec<Shift>) {
        let mut below = None;
        for id in self.tree.entries(node) {
            let entry = self.tree.entry(id);
            let lines = self.tree.lines_of(entry);
            let mut from = below.map_or_else(|| self.tree.row_start(entry), |it: Shift| it.from);
            if lines.start != self.tree.line_start(lines.start) {
                from = lines.start;
                let by = column - i64::from(self.tree.column(from)) - outer;
                shifts.push(Shift::within_line(from, by));
            }
            self.shift_entry(entry, from, column, shifts);
            let old = i64::from(self.tree.column(entry.span.start));
            below = Some(Shift::of_lines(lines.end, column - old, old));
        }
        // comments below the last entry move like the entry, and not like what is in it
        shifts.extend(below);
    }

    /// Returns lines with each moved by the last shift at or before its start.
    fn apply_shifts(&self, lines: Span, shifts: &[Shift]) -> String {
        let mut result = String::with_capacity(lines.range().len() + 64);
        let mut shifts = shifts.iter().peekable();
        let (mut by, mut is_indented) = (0, false);
        let mut at = lines.start;
        while at < lines.end {
            let next = self.tree.next_line(at).min(lines.end);
            while let Some(shift) = shifts.next_if(|shift| shift.from <= at) {
                if !shift.within_line {
                    (by, is_indented) = (shift.by, shift.is_indented);
                }
            }
            let line = self.tree.slice(Span::new(at, next));
            // the first line may begin behind a dash
            let before = self.tree.column(at);
            let stays = is_indented && before == 0 && is_at_margin(line);
            let line = push_moved(&mut result, line, before, if stays { 0 } else { by });
            // the rest of a line after a dash may move too
            let mut inner = next - line.len() as u32;
            while let Some(shift) = shifts.next_if(|shift| shift.from < next) {
                let cut = shift.from.max(inner);
                result.push_str(self.tree.slice(Span::new(inner, cut)));
                inner = cut;
                match shift.within_line {
                    true => widen(&mut result, shift.by),
                    false => (by, is_indented) = (shift.by, shift.is_indented),
                }
            }
            let rest = self.tree.slice(Span::new(inner, next));
            result.push_str(rest.trim_end_matches(['\r', '\n']));
            result.push_str(self.line_break);
            at = next;
        }
        result
    }
}

/// Writes the moved indentation of a line and returns the rest of the line. `before` is the number
/// of columns before it on the same line.
pub(super) fn push_moved<'t>(result: &mut String, line: &'t str, before: u32, by: i64) -> &'t str {
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
    result.extend((0..by).map(|_| ' '));
    for _ in by..0 {
        if result.ends_with("  ") {
            result.pop();
        }
    }
}
