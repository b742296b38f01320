//! Chooses the position of a change of lines that could also be further up or down.
//!
//! It follows git, so that a deletion and the insertion that replaces it are one hunk. The library
//! that aligns lines can do this as well, but in quadratic time if lines were only added to one
//! text.

use gix_imara_diff::{Hunk, Token};

/// A text: its lines as numbers, and which of them the other text does not have.
struct Text<'l> {
    lines: &'l [Token],
    is_changed: Vec<bool>,
}

/// A run of changed lines, which may be empty. There is one before, between and after all unchanged
/// lines, so both texts have the same number of groups.
#[derive(Clone, Copy)]
struct Group {
    start: usize,
    end: usize,
}

/// Moves each hunk next to a change in the other text if possible, and otherwise as far down as
/// possible. Returns the moved hunks.
pub(super) fn compact_hunks(old: &[Token], new: &[Token], hunks: Vec<Hunk>) -> Vec<Hunk> {
    let can_move = |lines: &[Token], start: u32, end: u32| {
        let (start, end) = (start as usize, end as usize);
        let is_same = |above: Option<usize>, below: usize| {
            above.is_some_and(|above| lines.get(above) == lines.get(below))
        };
        end > start && (is_same(Some(start), end) || is_same(start.checked_sub(1), end - 1))
    };
    let is_movable = |hunk: &Hunk| {
        can_move(old, hunk.before.start, hunk.before.end)
            || can_move(new, hunk.after.start, hunk.after.end)
    };
    if !hunks.iter().any(is_movable) {
        return hunks;
    }
    let mut old = Text::of(old, hunks.iter().map(|hunk| &hunk.before));
    let mut new = Text::of(new, hunks.iter().map(|hunk| &hunk.after));
    old.compact(&new);
    new.compact(&old);
    let (mut group, mut other_group) = (old.first(), new.first());
    let mut hunks = Vec::with_capacity(hunks.len());
    loop {
        if !group.is_empty() || !other_group.is_empty() {
            hunks.push(Hunk {
                before: group.start as u32..group.end as u32,
                after: other_group.start as u32..other_group.end as u32,
            });
        }
        match (old.next(group), new.next(other_group)) {
            (Some(next), Some(next_other)) => (group, other_group) = (next, next_other),
            _ => return hunks,
        }
    }
}

impl Group {
    const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl<'l> Text<'l> {
    fn of<'h>(lines: &'l [Token], changed: impl Iterator<Item = &'h std::ops::Range<u32>>) -> Self {
        let mut is_changed = vec![false; lines.len()];
        for range in changed {
            is_changed[range.start as usize..range.end as usize].fill(true);
        }
        Self { lines, is_changed }
    }

    /// Moves each group of this text.
    fn compact(&mut self, other_text: &Self) {
        let (mut group, mut other_group) = (self.first(), other_text.first());
        loop {
            if !group.is_empty() {
                self.move_group(&mut group, other_text, &mut other_group);
            }
            match (self.next(group), other_text.next(other_group)) {
                (Some(next), Some(next_other)) => (group, other_group) = (next, next_other),
                _ => return,
            }
        }
    }

    /// Moves a group next to a change of the other text, or else as far down as possible.
    /// `other_group` follows it as the group of the other text at the same position.
    fn move_group(&mut self, group: &mut Group, other_text: &Self, other_group: &mut Group) {
        let (highest, touches_change) = loop {
            let size = group.end - group.start;
            while self.move_up(group) {
                *other_group = other_text.previous(*other_group).unwrap_or(*other_group);
            }
            let highest = group.end;
            let mut touches_change = !other_group.is_empty();
            while self.move_down(group) {
                *other_group = other_text.next(*other_group).unwrap_or(*other_group);
                touches_change |= !other_group.is_empty();
            }
            // the group may have merged with another one, so that it can move further up
            if size == group.end - group.start {
                break (highest, touches_change);
            }
        };
        if touches_change && group.end > highest {
            while other_group.is_empty() && self.move_up(group) {
                *other_group = other_text.previous(*other_group).unwrap_or(*other_group);
            }
        }
    }

    /// Returns the group before the first unchanged line.
    fn first(&self) -> Group {
        Group {
            start: 0,
            end: self.end_of_changed(0),
        }
    }

    /// Returns the group after the unchanged line below `group`.
    fn next(&self, group: Group) -> Option<Group> {
        let start = group.end + 1;
        (start <= self.lines.len()).then(|| Group {
            start,
            end: self.end_of_changed(start),
        })
    }

    /// Returns the group above the unchanged line above `group`.
    fn previous(&self, group: Group) -> Option<Group> {
        let end = group.start.checked_sub(1)?;
        let start = self.start_of_changed(end);
        Some(Group { start, end })
    }

    /// Moves a group one line down and merges it with the changed lines below. Returns false if the
    /// group cannot move.
    fn move_down(&mut self, group: &mut Group) -> bool {
        let can_move = self.lines.get(group.start) == self.lines.get(group.end);
        if can_move {
            self.is_changed[group.start] = false;
            self.is_changed[group.end] = true;
            group.start += 1;
            group.end = self.end_of_changed(group.end);
        }
        can_move
    }

    /// Moves a group one line up and merges it with the changed lines above. Returns false if the
    /// group cannot move.
    fn move_up(&mut self, group: &mut Group) -> bool {
        let above = group.start.checked_sub(1);
        let above = above.filter(|above| self.lines[*above] == self.lines[group.end - 1]);
        if let Some(above) = above {
            self.is_changed[above] = true;
            self.is_changed[group.end - 1] = false;
            group.start = self.start_of_changed(above);
            group.end -= 1;
        }
        above.is_some()
    }

    /// Returns the end of the changed lines that start at `start`.
    fn end_of_changed(&self, start: usize) -> usize {
        let changed = self.is_changed[start..].iter();
        start + changed.take_while(|changed| **changed).count()
    }

    /// Returns the start of the changed lines that end at `end`.
    fn start_of_changed(&self, end: usize) -> usize {
        let changed = self.is_changed[..end].iter().rev();
        end - changed.take_while(|changed| **changed).count()
    }
}
