//! Finds the position of new entries (rules: Lists with a key, Places and formats): after the
//! nearest preceding entry in updated that local has and local's own entries that follow it; else
//! before the nearest such entry that follows; else at the end.

use crate::merge::decision::Child;

/// An entry of the updated map or list.
pub(crate) enum UpdatedEntry {
    /// Local has it, at this position.
    Existing(u32),
    /// It is new, and is added.
    New(Child),
    /// Local does not have it, and it is not added.
    Absent,
}

/// A comment that original, updated and local have: the number of entries above it in updated, and
/// in local in the order that the entries will have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedComment {
    pub(crate) updated_above: usize,
    pub(crate) local_above: u32,
}

/// Returns all entries in the order of the result. `existing` are in the order that they will have,
/// and `own` says of each whether updated lacks it; `updated_entries` are in updated's order. With
/// `to_end`, new entries below all shared ones in updated go to the very end. A new entry stays on
/// its side of `comments`, which are in updated's order.
pub(crate) fn place(
    mut existing: Vec<Child>,
    own: &[bool],
    updated_entries: impl IntoIterator<Item = UpdatedEntry>,
    to_end: bool,
    comments: &[SharedComment],
) -> Vec<Child> {
    let mut new = NewEntries::default();
    let mut first_existing = None;
    let mut comments = comments.iter().peekable();
    for (index, entry) in updated_entries.into_iter().enumerate() {
        while let Some(comment) = comments.next_if(|it| it.updated_above <= index) {
            new.end_at_comment(comment.local_above, own);
        }
        match entry {
            UpdatedEntry::New(child) => new.entries.push((new.start, None, child)),
            UpdatedEntry::Existing(position) => {
                first_existing = first_existing.or(Some(position));
                new.start_at(position + 1);
            }
            UpdatedEntry::Absent => {}
        }
    }
    comments.for_each(|comment| new.end_at_comment(comment.local_above, own));
    if new.entries.is_empty() {
        return existing;
    }
    let count = existing.len() as u32;
    let ends = ends_of_runs(&existing, own);
    // Returns the number of existing entries above the new one.
    let position_of = |(index, (start, comment, child)): (usize, NewEntry)| {
        // Upstream appended the entry: it stays at the end.
        let is_at_end = to_end && start.is_some() && index >= new.count_above_last;
        let above = match start {
            _ if is_at_end => count,
            Some(start) => comment.unwrap_or(ends[start as usize]),
            None => comment.or(first_existing).unwrap_or(count),
        };
        (above, child)
    };
    let new_entries = new.entries.into_iter().enumerate();
    let mut new_entries: Vec<_> = new_entries.map(position_of).collect();
    new_entries.sort_by_key(|(above, _)| *above);
    // all entries move down into their places, the last ones first, so that one vector is enough
    let mut rest = existing.len();
    let placeholders = new_entries.iter().map(|(_, new)| Child::removed(new.slot));
    existing.reserve_exact(new_entries.len());
    existing.extend(placeholders);
    for at in (0..existing.len()).rev() {
        match new_entries.pop_if(|(above, _)| *above as usize >= rest) {
            Some((_, child)) => existing[at] = child,
            None => {
                rest -= 1;
                existing.swap(at, rest);
            }
        }
    }
    existing
}

/// A new entry with the least number of existing entries above it: those down to the nearest one
/// above that updated has too. If a shared comment is below the new entry, the second number is
/// that of the entries above the comment.
type NewEntry = (Option<u32>, Option<u32>, Child);

/// The new entries so far, and where the next one may be placed.
#[derive(Default)]
struct NewEntries {
    entries: Vec<NewEntry>,
    start: Option<u32>,
    /// The number of new entries above the last entry or comment that local has.
    count_above_last: usize,
}

impl NewEntries {
    fn start_at(&mut self, start: u32) {
        self.start = Some(start);
        self.count_above_last = self.entries.len();
    }

    /// Places the new entries since the last shared entry above a comment with this number of
    /// existing entries above it, and the next ones below it. A comment at another place in local
    /// has no effect.
    fn end_at_comment(&mut self, above: u32, own: &[bool]) {
        let between = own.get(self.start.unwrap_or(0) as usize..above as usize);
        if !between.is_some_and(|between| between.iter().all(|own| *own)) {
            return;
        }
        for (_, comment, _) in &mut self.entries[self.count_above_last..] {
            *comment = Some(above);
        }
        self.start_at(above);
    }
}

/// For each number of existing entries, returns it plus the number of entries that follow and that
/// only local has. Entries that are deleted do not end this run.
fn ends_of_runs(existing: &[Child], own: &[bool]) -> Vec<u32> {
    let mut ends: Vec<u32> = (0..=existing.len() as u32).collect();
    for position in (0..existing.len()).rev() {
        let end = ends[position + 1];
        let follows = match existing[position].stays() {
            false => end > position as u32 + 1,
            true => own[position],
        };
        if follows {
            ends[position] = end;
        }
    }
    ends
}
