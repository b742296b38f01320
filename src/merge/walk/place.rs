//! Finds the position of new entries (rules: Lists with a key, Places and formats): behind the
//! nearest entry above in updated that local has and behind local's own entries that follow it;
//! else above the nearest such entry below; else at the end.

use crate::merge::decision::Child;

/// An entry that local has.
pub(crate) struct Resident {
    pub(crate) child: Child,
    /// Whether updated does not have the entry.
    pub(crate) own: bool,
}

/// An entry of the updated map or list.
pub(crate) enum Arrival {
    /// Local has it, at this position.
    Resident(usize),
    /// It is new, and is added.
    New(Child),
    /// Local does not have it, and it is not added.
    Nothing,
}

/// Returns all entries in the order of the result. `residents` are in the order that they will
/// have, `arrivals` in updated's order.
pub(crate) fn place(residents: Vec<Resident>, arrivals: Vec<Arrival>) -> Vec<Child> {
    place_with(residents, arrivals, false)
}

/// Like [`place`], but new entries below all shared ones in updated go to the very end.
pub(crate) fn place_to_end(residents: Vec<Resident>, arrivals: Vec<Arrival>) -> Vec<Child> {
    place_with(residents, arrivals, true)
}

fn place_with(residents: Vec<Resident>, arrivals: Vec<Arrival>, to_end: bool) -> Vec<Child> {
    let first_resident = arrivals.iter().find_map(|arrival| match arrival {
        Arrival::Resident(position) => Some(*position),
        _ => None,
    });
    let last_resident = arrivals
        .iter()
        .rposition(|arrival| matches!(arrival, Arrival::Resident(_)));
    let last_local_only = last_local_only(&residents);
    let mut nearest = None;
    // Returns the number of residents above the new entry, and whether it was placed above the
    // first shared entry.
    let position_of = |(index, arrival)| {
        let child = match arrival {
            Arrival::New(child) => child,
            Arrival::Resident(position) => {
                nearest = Some(position);
                return None;
            }
            Arrival::Nothing => return None,
        };
        // Upstream appended the entry: it stays at the end.
        let is_at_end = to_end && last_resident.is_some_and(|last| index > last);
        let above = match (nearest, first_resident) {
            _ if is_at_end => (residents.len(), false),
            (Some(position), _) => (last_local_only[position] + 1, false),
            (None, Some(first)) => (first, true),
            (None, None) => (residents.len(), false),
        };
        Some((above, child))
    };
    let mut new_entries: Vec<_> = arrivals
        .into_iter()
        .enumerate()
        .filter_map(position_of)
        .collect();
    if new_entries.is_empty() {
        // Reuses the allocation.
        return residents.into_iter().map(|it| it.child).collect();
    }
    new_entries.sort_by_key(|(above, _)| *above);
    let mut children = Vec::with_capacity(residents.len() + new_entries.len());
    let mut new_entries = new_entries.into_iter().peekable();
    for (position, resident) in residents.into_iter().enumerate() {
        while let Some((_, child)) = new_entries.next_if(|((above, _), _)| *above <= position) {
            children.push(child);
        }
        children.push(resident.child);
    }
    children.extend(new_entries.map(|(_, child)| child));
    children
}

/// For each position, returns the last entry in the run of entries below it that only local has.
/// Entries that are deleted do not end the run.
fn last_local_only(residents: &[Resident]) -> Vec<usize> {
    let mut last: Vec<usize> = (0..residents.len()).collect();
    for position in (1..residents.len()).rev() {
        let resident = &residents[position];
        let follows = match (resident.child.stays(), resident.own) {
            (false, _) => last[position] > position,
            (true, own) => own,
        };
        if follows {
            last[position - 1] = last[position];
        }
    }
    last
}
