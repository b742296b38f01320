//! What becomes of elements that both sides inserted or moved, at the same place or at different
//! ones (rules: Lists without a key).

use super::likeness::{NAMES, likeness, naming};
use super::sequence::Partners;
use crate::value::Value;
use merge3::triple::Triple;

/// Returns the pairs of elements that both sides inserted under the same name, as indexes in
/// updated and local. A name pairs only if each of the two lists has it once and the original does
/// not have it.
pub(super) fn pair_by_name(
    lists: Triple<&[Value]>,
    (in_updated, in_local): (&Partners, &Partners),
) -> Vec<(usize, usize)> {
    let pair = |j: usize| {
        let name = name_of(&lists.updated[j])?;
        let k = only(lists.local, &name)?;
        let (updated, local) = (&lists.updated[j], &lists.local[k]);
        let is_new = !in_updated.contains(&Some(j)) && !in_local.contains(&Some(k));
        let is_known = lists
            .original
            .iter()
            .any(|it| name_of(it).as_ref() == Some(&name));
        let is_enough = name.1 != "uses" || likeness(updated, local, 0, false)? >= 1500;
        let differ = updated != local && only(lists.updated, &name) == Some(j);
        (is_new && !is_known && is_enough && differ).then_some((j, k))
    };
    (0..lists.updated.len()).filter_map(pair).collect()
}

/// Returns the index of the element with a name, if there is one only.
fn only(list: &[Value], name: &(&str, &str, &Value)) -> Option<usize> {
    let mut places = (0..list.len()).filter(|at| name_of(&list[*at]).as_ref() == Some(name));
    places.next().filter(|_| places.next().is_none())
}

/// Pairs the elements that both sides renamed alike: one side's version pairs with the original, and
/// the other side has its new name, which the original does not have.
pub(super) fn pair_common_renames(
    lists: Triple<&[Value]>,
    in_updated: &mut Partners,
    in_local: &mut Partners,
) {
    for i in 0..lists.original.len() {
        let (element, list, partners) = match (in_updated[i], in_local[i]) {
            (Some(j), None) => (&lists.updated[j], lists.local, &mut *in_local),
            (None, Some(k)) => (&lists.local[k], lists.updated, &mut *in_updated),
            _ => continue,
        };
        let is_known = |name: &(&str, &str, &Value)| {
            lists
                .original
                .iter()
                .any(|it| name_of(it).as_ref() == Some(name))
        };
        let name = name_of(element).filter(|name| !is_known(name));
        let at = name.and_then(|name| only(list, &name));
        let is_in_order = |at: &usize| {
            partners[..i].iter().flatten().all(|above| above < at)
                && partners[i..].iter().flatten().all(|below| at < below)
        };
        if let Some(at) = at.filter(is_in_order) {
            partners[i] = Some(at);
        }
    }
}

/// Returns the first field that names an element, with its value. If the element is a map with a
/// single field that is a map, the key of that comes first, and the name is below it.
fn name_of(element: &Value) -> Option<(&str, &str, &Value)> {
    let (key, value) = match element {
        Value::Map(fields) => match &fields[..] {
            [(key, value @ Value::Map(_))] => (key.as_str(), value),
            _ => ("", element),
        },
        _ => return None,
    };
    let name = NAMES
        .split(' ')
        .find_map(|name| Some((key, name, naming(value, name)?)))?;
    matches!(name.2, Value::Scalar { .. }).then_some(name)
}

/// Whether an element that upstream inserted is left out of the result: local inserted it too, or
/// local deleted it and upstream only moved it.
pub(super) fn is_skipped(
    lists: Triple<&[Value]>,
    (in_updated, in_local): (&Partners, &Partners),
    value: &Value,
) -> bool {
    let at = |list: &[Value]| list.iter().position(|other| other == value);
    let is_new = |partners: &Partners, at: Option<usize>| !partners.contains(&at);
    let (original_index, local_index) = (at(lists.original), at(lists.local));
    is_new(in_updated, at(lists.updated))
        && match (original_index, local_index) {
            (None, index) => index.is_some(),
            (Some(_), None) => true,
            (Some(_), index) => is_new(in_local, index),
        }
}

/// Whether upstream inserted the same element as local, and the original does not have it.
pub(super) fn is_inserted_by_both(
    lists: Triple<&[Value]>,
    (in_updated, _): (&Partners, &Partners),
    value: &Value,
) -> bool {
    let index = lists.updated.iter().position(|other| other == value);
    !lists.original.contains(value) && index.is_some() && !in_updated.contains(&index)
}

/// Whether local only moved this element, and upstream deleted it.
pub(super) fn is_moved_and_deleted(
    lists: Triple<&[Value]>,
    (in_updated, in_local): (&Partners, &Partners),
    value: &Value,
) -> bool {
    let at = |list: &[Value]| list.iter().position(|other| other == value);
    !in_local.contains(&at(lists.local))
        && at(lists.updated).is_none()
        && at(lists.original).is_some_and(|before| in_updated[before].is_none())
}
