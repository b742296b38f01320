//! What both sides inserted or moved, wherever each put it (rules: Lists without a key).

use super::likeness::{NAMES, likeness};
use super::sequence::Partners;
use crate::value::Value;
use merge3::triple::Triple;

/// Where elements of one name are that both sides inserted, in updated and local. Each list has the
/// name once, the original has it nowhere.
pub(super) fn namesakes(
    lists: Triple<&[Value]>,
    (in_u, in_d): (&Partners, &Partners),
) -> Vec<(usize, usize)> {
    let only = |list: &[Value], name: &(&str, &Value)| -> Option<usize> {
        let mut places = (0..list.len()).filter(|at| name_of(&list[*at]).as_ref() == Some(name));
        places.next().filter(|_| places.next().is_none())
    };
    let pair = |j: usize| {
        let name = name_of(&lists.updated[j])?;
        let k = only(lists.local, &name)?;
        let (theirs, own) = (&lists.updated[j], &lists.local[k]);
        let is_new = !in_u.contains(&Some(j)) && !in_d.contains(&Some(k));
        let is_known = lists
            .original
            .iter()
            .any(|it| name_of(it).as_ref() == Some(&name));
        let is_enough = name.0 != "uses" || likeness(theirs, own, 0, false)? >= 1500;
        let are_apart = theirs != own && only(lists.updated, &name) == Some(j);
        (is_new && !is_known && is_enough && are_apart).then_some((j, k))
    };
    (0..lists.updated.len()).filter_map(pair).collect()
}

/// The first field that names an element, with its value.
fn name_of(value: &Value) -> Option<(&str, &Value)> {
    let name = NAMES
        .split(' ')
        .find_map(|name| Some((name, value.field(name)?)))?;
    matches!(name.1, Value::Scalar { .. }).then_some(name)
}

/// Whether an element that upstream inserted does not come: local inserted it too, or deleted it
/// where upstream only moved it.
pub(super) fn is_settled(
    lists: Triple<&[Value]>,
    (in_u, in_d): (&Partners, &Partners),
    value: &Value,
) -> bool {
    let at = |list: &[Value]| list.iter().position(|other| other == value);
    let is_new = |partners: &Partners, at: Option<usize>| !partners.contains(&at);
    let (before, own) = (at(lists.original), at(lists.local));
    is_new(in_u, at(lists.updated))
        && match (before, own) {
            (None, own) => own.is_some(),
            (Some(_), None) => true,
            (Some(_), own) => is_new(in_d, own),
        }
}

/// Whether upstream inserted an element of local's too that the original has not.
pub(super) fn is_there_too(
    lists: Triple<&[Value]>,
    (in_u, _): (&Partners, &Partners),
    value: &Value,
) -> bool {
    let there = lists.updated.iter().position(|other| other == value);
    !lists.original.contains(value) && there.is_some() && !in_u.contains(&there)
}

/// Whether local only moved an element that upstream deleted.
pub(super) fn is_moved_and_deleted(
    lists: Triple<&[Value]>,
    (in_u, in_d): (&Partners, &Partners),
    value: &Value,
) -> bool {
    let at = |list: &[Value]| list.iter().position(|other| other == value);
    !in_d.contains(&at(lists.local))
        && at(lists.updated).is_none()
        && at(lists.original).is_some_and(|before| in_u[before].is_none())
}
