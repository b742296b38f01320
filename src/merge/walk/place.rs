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
    let is_new = |arrival: &&Arrival| matches!(arrival, Arrival::New(_));
    let coming = arrivals.iter().filter(is_new).count();
    if coming == 0 {
        return residents
            .into_iter()
            .map(|resident| resident.child)
            .collect();
    }
    let first_resident = arrivals.iter().find_map(|arrival| match arrival {
        Arrival::Resident(position) => Some(*position),
        _ => None,
    });
    let mut before: Vec<Child> = Vec::new();
    let mut after: Vec<Vec<Child>> = residents.iter().map(|_| Vec::new()).collect();
    let mut at_end: Vec<Child> = Vec::new();
    let last_resident = arrivals
        .iter()
        .rposition(|arrival| matches!(arrival, Arrival::Resident(_)));
    let last_of_own = last_of_own(&residents);
    let mut nearest = None;
    for (index, arrival) in arrivals.into_iter().enumerate() {
        match arrival {
            // what is put at the end stays at the end
            Arrival::New(child) if to_end && last_resident.is_some_and(|last| index > last) => {
                at_end.push(child);
            }
            Arrival::Nothing => {}
            Arrival::Resident(position) => nearest = Some(position),
            Arrival::New(child) => match (nearest, first_resident) {
                (Some(position), _) => after[last_of_own[position]].push(child),
                (None, Some(_)) => before.push(child),
                (None, None) => at_end.push(child),
            },
        }
    }
    let mut children = Vec::with_capacity(residents.len() + coming);
    for (position, resident) in residents.into_iter().enumerate() {
        if Some(position) == first_resident {
            children.append(&mut before);
        }
        children.push(resident.child);
        children.append(&mut after[position]);
    }
    children.append(&mut at_end);
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
