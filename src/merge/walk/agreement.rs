//! Merges a stretch of a list without a key in a merge of equal sides, if the sides agree.

use crate::differences::positions_in;
use crate::triple::{Side, Triple};

/// An element of a stretch that both sides changed without a conflict.
pub(super) enum Agreed {
    /// A local element that stays.
    Local(usize),
    /// A local element that is deleted.
    Deleted(usize),
    /// An updated element that is added.
    Updated(usize),
}

/// Returns the insertions of both sides, those of `first` first. Returns `None` if they share an
/// element.
pub(super) fn both_insertions(values: Triple<&[u64]>, first: Side) -> Option<Vec<Agreed>> {
    let locals = (0..values.local.len()).map(Agreed::Local);
    let updateds = (0..values.updated.len()).map(Agreed::Updated);
    let is_shared = values.local.iter().any(|it| values.updated.contains(it));
    (!is_shared).then(|| match first {
        Side::Updated => updateds.chain(locals).collect(),
        _ => locals.chain(updateds).collect(),
    })
}

/// Returns the result of a stretch in which the sides do not contradict each other: both only
/// deleted elements, or both only inserted elements and one side inserted all that the other did.
pub(super) fn agreement(values: Triple<&[u64]>) -> Option<Vec<Agreed>> {
    if values.original.is_empty() {
        if let Some(positions) = positions_in(values.local, values.updated) {
            let mut locals = (0..values.local.len()).zip(positions).peekable();
            let elements = (0..values.updated.len()).map(|updated| {
                match locals.next_if(|(_, position)| *position == updated) {
                    Some((local, _)) => Agreed::Local(local),
                    None => Agreed::Updated(updated),
                }
            });
            return Some(elements.collect());
        }
        positions_in(values.updated, values.local)?;
        return Some((0..values.local.len()).map(Agreed::Local).collect());
    }
    let in_updated = positions_in(values.updated, values.original)?;
    let in_local = positions_in(values.local, values.original)?;
    let elements = in_local.iter().enumerate().map(|(index, position)| {
        // `in_updated` is sorted.
        if in_updated.binary_search(position).is_ok() {
            Agreed::Local(index)
        } else {
            Agreed::Deleted(index)
        }
    });
    Some(elements.collect())
}
