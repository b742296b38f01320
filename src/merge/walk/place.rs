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

/// Returns all entries in the order of the result. `existing` are in the order that they will have,
/// `updated_entries` in updated's order. With `to_end`, new entries below all shared ones in updated
/// go to the very end.
pub(crate) fn place(
    existing: Vec<ExistingEntry>,
    updated_entries: impl IntoIterator<Item = UpdatedEntry>,
    to_end: bool,
) -> Vec<Child> {
    // each new entry with the nearest entry above it that local has
    let mut new = Vec::new();
    let (mut nearest, mut first_existing, mut count_above_last) = (None, None, 0);
    for entry in updated_entries {
        match entry {
            UpdatedEntry::New(child) => new.push((nearest, child)),
            UpdatedEntry::Existing(position) => {
                first_existing = first_existing.or(Some(position));
                nearest = Some(position);
                count_above_last = new.len();
            }
            UpdatedEntry::Absent => {}
        }
    }
    if new.is_empty() {
        // Reuses the allocation.
        return existing.into_iter().map(|it| it.child).collect();
    }
    let last_local_only = last_local_only(&existing);
    // Returns the number of existing entries above the new one, and whether it was placed above the
    // first shared entry.
    let position_of = |(index, (nearest, child)): (usize, (Option<usize>, Child))| {
        // Upstream appended the entry: it stays at the end.
        let is_at_end = to_end && nearest.is_some() && index >= count_above_last;
        let above = match (nearest, first_existing) {
            _ if is_at_end => (existing.len(), false),
            (Some(position), _) => (last_local_only[position] + 1, false),
            (None, Some(first)) => (first, true),
            (None, None) => (existing.len(), false),
        };
        (above, child)
    };
    let mut new_entries: Vec<_> = new.into_iter().enumerate().map(position_of).collect();
    new_entries.sort_by_key(|(above, _)| *above);
    let mut children = Vec::with_capacity(existing.len() + new_entries.len());
    let mut new_entries = new_entries.into_iter().peekable();
    for (position, entry) in existing.into_iter().enumerate() {
        while let Some((_, child)) = new_entries.next_if(|((above, _), _)| *above <= position) {
            children.push(child);
        }
        children.push(entry.child);
    }
    children.extend(new_entries.map(|(_, child)| child));
    children
}

/// For each position, returns the last entry in the run of entries below it that only local has.
/// Entries that are deleted do not end the run.
fn last_local_only(existing: &[ExistingEntry]) -> Vec<usize> {
    let mut last: Vec<usize> = (0..existing.len()).collect();
    for position in (1..existing.len()).rev() {
        let entry = &existing[position];
        let follows = match (entry.child.stays(), entry.own) {
            (false, _) => last[position] > position,
            (true, own) => own,
        };
        if follows {
            last[position - 1] = last[position];
        }
    }
    last
}
