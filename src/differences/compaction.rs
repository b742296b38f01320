//! Chooses the position of a change of lines that could also be further up or down.
//!
//! It follows git, so that a deletion and the insertion that replaces it are one change. The library
//! that aligns lines can do this as well, but in quadratic time if lines were only added to one
//! text.
//!
//! The lines of a text between two paired lines are a group, which may be empty. Both texts have the
//! same number of groups: one above, between and below all pairs.

use gix_imara_diff::Token;

use super::Pairs;

impl Pairs {
    /// Moves each group next to a change in the other text if possible, and otherwise as far down as
    /// possible.
    pub(super) fn compact(&mut self, old: &[Token], new: &[Token]) {
        for (side, lines) in [old, new].into_iter().enumerate() {
            let mut group = 0;
            while group <= self.pairs.len() {
                if self.has_lines(side, group) {
                    group = self.move_group(side, lines, group);
                }
                group += 1;
            }
        }
    }

    /// Moves a group of one text. Returns its new number.
    fn move_group(&mut self, side: usize, lines: &[Token], mut group: usize) -> usize {
        let other = 1 - side;
        let mut touches_change;
        loop {
            let [start, end] = self.lines_of(side, group);
            while self.move_up(side, lines, group) {
                group -= 1;
            }
            touches_change = self.has_lines(other, group);
            while self.move_down(side, lines, group) {
                group += 1;
                touches_change |= self.has_lines(other, group);
            }
            // if it has merged with another group, it may be able to move further up
            let [new_start, new_end] = self.lines_of(side, group);
            if end - start == new_end - new_start {
                break;
            }
        }
        while touches_change && !self.has_lines(other, group) && self.move_up(side, lines, group) {
            group -= 1;
        }
        group
    }

    /// Returns the start and the end of a group in one of the texts.
    fn lines_of(&self, side: usize, group: usize) -> [u32; 2] {
        let above = group.checked_sub(1).map(|above| self.pairs[above]);
        let below = self.pairs.get(group).unwrap_or(&self.lengths);
        [above.map_or(0, |above| above[side] + 1), below[side]]
    }

    fn has_lines(&self, side: usize, group: usize) -> bool {
        let [start, end] = self.lines_of(side, group);
        start < end
    }

    /// Moves a group with lines one line down: its first line is paired instead of the line below
    /// it. Returns false if it cannot move.
    fn move_down(&mut self, side: usize, lines: &[Token], group: usize) -> bool {
        let [start, end] = self.lines_of(side, group);
        let can_move = lines.get(start as usize) == lines.get(end as usize);
        if can_move {
            self.pairs[group][side] = start;
        }
        can_move
    }

    /// Moves a group with lines one line up: its last line is paired instead of the line above it.
    /// Returns false if it cannot move.
    fn move_up(&mut self, side: usize, lines: &[Token], group: usize) -> bool {
        let [start, end] = self.lines_of(side, group);
        let can_move = start > 0 && lines[start as usize - 1] == lines[end as usize - 1];
        if can_move {
            self.pairs[group - 1][side] = end - 1;
        }
        can_move
    }
}
