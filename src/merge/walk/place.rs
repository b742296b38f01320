//! Finds the position of new entries (rules: Lists with a key, Places and formats): after the
//! nearest preceding entry in updated that local has and local's own entries that follow it; else
//! before the nearest such entry that follows; else at the end.

use crate::merge::decision::Child;

/// An entry that local has.
pub(crate) struct ExistingEntry {
    pub(crate) child: Child,
    /// Whether updated does not have the entry.
    pub(crate) own: bool,
}

/// An entry of the updated map or list.
pub(crate) enum UpdatedEntry {
    /// Local has it, at this position.
    Existing(usize),
    /// It is new, and is added.
    New(Child),
    /// Local does not have it, and it is not added.
    Absent,
}

/// A comment that original, updated and local have: the number of entries above it in updated, and in
/// local in the order that the entries will have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedComment {
    pub(crate) updated_above: usize,
    pub(crate) local_above: usize,
}

/// Returns all entries in the order of the result. `existing` are in the order that they will have,
/// `updated_entries` in updated's order. With `to_end`, new entries below all shared ones in updated
/// go to the very end. A new entry stays on its side of `comments`, which are in updated's order.
pub(crate) fn place(
    existing: Vec<ExistingEntry>,
    updated_entries: impl IntoIterator<Item = UpdatedEntry>,
    to_end: bool,
    comments: &[SharedComment],
) -> Vec<Child> {
    let mut new = NewEntries::default();
    let mut first_existing = None;
    let mut comments = comments.iter().peekable();
    for (index, entry) in updated_entries.into_iter().enumerate() {
        while let Some(comment) = comments.next_if(|it| it.updated_above <= index) {
            new.end_at_comment(comment.local_above, &existing);
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
    comments.for_each(|comment| new.end_at_comment(comment.local_above, &existing));
    if new.entries.is_empty() {
        // Reuses the allocation.
        return existing.into_iter().map(|it| it.child).collect();
    }
    let ends = ends_of_runs(&existing);
    // Returns the number of existing entries above the new one.
    let position_of = |(index, (start, comment, child)): (usize, (_, Option<usize>, Child))| {
        // Upstream appended the entry: it stays at the end.
        let is_at_end = to_end && Option::is_some(&start) && index >= new.count_above_last;
        let above = match start {
            _ if is_at_end => existing.len(),
            Some(start) => comment.unwrap_or(ends[start]),
            None => comment.or(first_existing).unwrap_or(existing.len()),
        };
        (above, child)
    };
    let mut new_entries: Vec<_> = new
        .entries
        .into_iter()
        .enumerate()
        .map(position_of)
        .collect();
    new_entries.sort_by_key(|(above, _)| *above);
    let mut children = Vec::with_capacity(existing.len() + new_entries.len());
    let mut new_entries = new_entries.into_iter().peekable();
    for (position, entry) in existing.into_iter().enumerate() {
        while let Some((_, child)) = new_entries.next_if(|(above, _)| *above <= position) {
            children.push(child);
        }
        children.push(entry.child);
    }
    children.extend(new_entries.map(|(_, child)| child));
    children
}

/// The new entries so far, and where the next one may be placed.
#[derive(Default)]
struct NewEntries {
    /// Each new entry with the number of existing entries above it at least: those down to the
    /// nearest one above that updated has too. If a shared comment is below the new entry, the
    /// second number is that of the entries above the comment.
    entries: Vec<(Option<usize>, Option<usize>, Child)>,
    start: Option<usize>,
    /// The number of new entries above the last entry or comment that local has.
    count_above_last: usize,
}

impl NewEntries {
    fn start_at(&mut self, start: usize) {
        self.start = Some(start);
        self.count_above_last = self.entries.len();
    }

    /// Places the new entries since the last shared entry above a comment with this number of
    /// existing entries above it, and the next ones below it. A comment at another place in local
    /// has no effect.
    fn end_at_comment(&mut self, above: usize, existing: &[ExistingEntry]) {
        let between = existing.get(self.start.unwrap_or(0)..above);
        if !between.is_some_and(|between| between.iter().all(|it| it.own)) {
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
fn ends_of_runs(existing: &[ExistingEntry]) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..=existing.len()).collect();
    for (position, entry) in existing.iter().enumerate().rev() {
        let end = ends[position + 1];
        let follows = match (entry.child.stays(), entry.own) {
            (false, _) => end > position + 1,
            (true, own) => own,
        };
        if follows {
            ends[position] = end;
        }
    }
    ends
}
