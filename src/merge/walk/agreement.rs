//! What two equal sides made of a part of a list without a key, where they agree.

use crate::differences::positions_in;
use crate::triple::{Side, Triple};

/// An element of a stretch that both sides changed without a disagreement.
pub(super) enum Agreed {
    /// Local's, which stays.
    Local(usize),
    /// Local's, which goes.
    Gone(usize),
    /// Updated's, which comes.
    Updated(usize),
}

/// All that both sides inserted, where they have nothing in common.
pub(super) fn all_of_both(values: Triple<&[u64]>, first: Side) -> Option<Vec<Agreed>> {
    let locals = (0..values.local.len()).map(Agreed::Local);
    let updateds = (0..values.updated.len()).map(Agreed::Updated);
    let is_shared = values.local.iter().any(|it| values.updated.contains(it));
    (!is_shared).then(|| match first {
        Side::Updated => updateds.chain(locals).collect(),
        _ => locals.chain(updateds).collect(),
    })
}

/// What both sides made of a stretch, where neither contradicts the other: both only took elements
/// away, or both only added elements and the one side all that the other did.
pub(super) fn agreement(values: Triple<&[u64]>) -> Option<Vec<Agreed>> {
    if values.original.is_empty() {
        if let Some(kept) = positions_in(values.local, values.updated) {
            let mut locals = (0..values.local.len()).zip(kept).peekable();
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
        // both rise
        if in_updated.binary_search(position).is_ok() {
            Agreed::Local(index)
        } else {
            Agreed::Gone(index)
        }
    });
    Some(elements.collect())
}
