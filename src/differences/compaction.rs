//! Which of several places a change of lines is at, where it could be further up or down as well.
//!
//! Git decides it in this way, so that what goes and what comes instead are one hunk. (The library
//! that aligns the lines can do it too, in quadratic time where one text only gained lines.)

use gix_imara_diff::{Hunk, Token};

/// A text, its lines as numbers, and which of them are not in the other text.
struct Text<'l> {
    lines: &'l [Token],
    is_changed: Vec<bool>,
}

/// Changed lines that follow each other, perhaps none: there is such a group above, between and
/// below all unchanged lines, and so there are as many in either text.
#[derive(Clone, Copy)]
struct Group {
    start: usize,
    end: usize,
}

/// The same hunks, each where it is beside what the other text has there, or else as far down as it
/// can be.
pub(super) fn compacted(old: &[Token], new: &[Token], hunks: Vec<Hunk>) -> Vec<Hunk> {
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
    let (mut group, mut other) = (old.first(), new.first());
    let mut hunks = Vec::with_capacity(hunks.len());
    loop {
        if !group.is_empty() || !other.is_empty() {
            hunks.push(Hunk {
                before: group.start as u32..group.end as u32,
                after: other.start as u32..other.end as u32,
            });
        }
        match (old.next(group), new.next(other)) {
            (Some(next), Some(next_other)) => (group, other) = (next, next_other),
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
    fn compact(&mut self, others: &Self) {
        let (mut group, mut other) = (self.first(), others.first());
        loop {
            if !group.is_empty() {
                self.move_group(&mut group, others, &mut other);
            }
            match (self.next(group), others.next(other)) {
                (Some(next), Some(next_other)) => (group, other) = (next, next_other),
                _ => return,
            }
        }
    }

    fn move_group(&mut self, group: &mut Group, others: &Self, other: &mut Group) {
        let (highest, is_beside) = loop {
            let size = group.end - group.start;
            while self.move_up(group) {
                *other = others.previous(*other).unwrap_or(*other);
            }
            let highest = group.end;
            let mut is_beside = !other.is_empty();
            while self.move_down(group) {
                *other = others.next(*other).unwrap_or(*other);
                is_beside |= !other.is_empty();
            }
            // it may have met another group, with which it can go further up
            if size == group.end - group.start {
                break (highest, is_beside);
            }
        };
        if is_beside && group.end > highest {
            while other.is_empty() && self.move_up(group) {
                *other = others.previous(*other).unwrap_or(*other);
            }
        }
    }

    fn first(&self) -> Group {
        Group {
            start: 0,
            end: self.end_of_changed(0),
        }
    }

    /// The group below the unchanged line that follows one.
    fn next(&self, group: Group) -> Option<Group> {
        let start = group.end + 1;
        (start <= self.lines.len()).then(|| Group {
            start,
            end: self.end_of_changed(start),
        })
    }

    fn previous(&self, group: Group) -> Option<Group> {
        let end = group.start.checked_sub(1)?;
        let start = self.start_of_changed(end);
        Some(Group { start, end })
    }

    /// Whether it went a line down; then it has the changed lines below it too.
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

    /// Whether it went a line up; then it has the changed lines above it too.
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

    fn end_of_changed(&self, start: usize) -> usize {
        let changed = self.is_changed[start..].iter();
        start + changed.take_while(|changed| **changed).count()
    }

    fn start_of_changed(&self, end: usize) -> usize {
        let changed = self.is_changed[..end].iter().rev();
        end - changed.take_while(|changed| **changed).count()
    }
}
