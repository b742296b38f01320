//! Where an entry that comes goes (rules: Lists with a key, Places and formats): after the nearest
//! entry before it in updated that local has, and after local's own ones that follow that; else
//! before the nearest after it; else at the end.

use crate::merge::decision::Child;

/// An entry that local has.
pub(crate) struct Resident {
    pub(crate) child: Child,
    /// Whether updated does not have it: it is local's own, if it stays.
    pub(crate) own: bool,
}

/// An entry of the updated map or list.
pub(crate) enum Arrival {
    /// Local has it, at this position.
    Resident(usize),
    /// It comes.
    New(Child),
    /// Local does not have it, and it does not come.
    Nothing,
}

/// All entries in the order of the result; `residents` are in the order that they will have,
/// `arrivals` in updated's.
pub(crate) fn place(residents: Vec<Resident>, arrivals: Vec<Arrival>) -> Vec<Child> {
    place_with(residents, arrivals, false)
}

/// The same, where what comes behind all that local has stays at the end.
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
    let last_of_own = last_of_own(&residents);
    let mut nearest = None;
    // each with the number of residents above it, and whether it is what comes above the first
    let place = |(index, arrival)| {
        let child = match arrival {
            Arrival::New(child) => child,
            Arrival::Resident(position) => {
                nearest = Some(position);
                return None;
            }
            Arrival::Nothing => return None,
        };
        // what is put at the end stays at the end
        let is_at_end = to_end && last_resident.is_some_and(|last| index > last);
        let above = match (nearest, first_resident) {
            _ if is_at_end => (residents.len(), false),
            (Some(position), _) => (last_of_own[position] + 1, false),
            (None, Some(first)) => (first, true),
            (None, None) => (residents.len(), false),
        };
        Some((above, child))
    };
    let mut coming: Vec<_> = arrivals.into_iter().enumerate().filter_map(place).collect();
    if coming.is_empty() {
        // in the memory that they have
        return residents.into_iter().map(|it| it.child).collect();
    }
    coming.sort_by_key(|(above, _)| *above);
    let mut children = Vec::with_capacity(residents.len() + coming.len());
    let mut coming = coming.into_iter().peekable();
    for (position, resident) in residents.into_iter().enumerate() {
        while let Some((_, child)) = coming.next_if(|((above, _), _)| *above <= position) {
            children.push(child);
        }
        children.push(resident.child);
    }
    children.extend(coming.map(|(_, child)| child));
    children
}

/// For each position, the last of local's own entries that follow the one there; entries that go in
/// between do not separate them.
fn last_of_own(residents: &[Resident]) -> Vec<usize> {
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
