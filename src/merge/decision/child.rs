//! The decision about an entry of a merged map or list.

use super::row::chosen_pieces;
use super::{Incoming, Outcome, Piece, Remarks, Slot};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId, Tree};

/// The decision about an entry of a merged map or list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    /// The entry and the side that it comes from.
    pub(crate) slot: Slot,
    /// The original's entry, if it has one.
    original: Option<EntryId>,
    /// Updated's entry, if it has one.
    updated: Option<EntryId>,
    /// The decision about its value.
    pub(crate) outcome: Outcome,
    /// Other changes. Boxed, because most entries have none and there is an entry for each line.
    extras: Option<Box<Extras>>,
}

/// Whether all entries of a local collection stay in their places, and none comes.
pub(crate) fn keeps_entries(tree: &Tree<'_>, node: NodeId, children: &[Child]) -> bool {
    let slots = children.iter().map(|child| child.slot);
    children.iter().all(Child::stays) && slots.eq(tree.entries(node).map(Slot::Local))
}

/// The decisions about an entry's comments, key and anchor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Extras {
    remarks: Remarks,
    /// The comment lines below it, if they change.
    below: Option<Box<[Piece]>>,
    /// The updated entry whose key replaces local's.
    key: Option<EntryId>,
    /// The updated entry whose value has the anchor that local's value gets.
    anchor: Option<EntryId>,
}

impl Child {
    /// Returns a local entry that stays as it is.
    pub(crate) fn keep(entry: EntryId) -> Self {
        Self::local(entry, Outcome::Keep)
    }

    /// Returns a local entry with a decision about its value; its comments stay.
    pub(crate) fn local(entry: EntryId, outcome: Outcome) -> Self {
        Self::of(Slot::Local(entry), outcome)
    }

    /// Returns an entry that comes from the updated tree. `outcome` is [`Outcome::Take`], or
    /// [`Outcome::Open`] if it is part of an open conflict.
    pub(crate) fn updated(entry: EntryId, outcome: Outcome) -> Self {
        Self::of(Slot::Updated(entry), outcome)
    }

    /// Returns a local entry whose text becomes that of the updated entry, to the byte. `value` is
    /// the value of the updated entry.
    pub(crate) fn rewritten(local: EntryId, value: NodeId) -> Self {
        let incoming = Incoming {
            has_entry: true,
            ..Incoming::whole(value)
        };
        Self::local(local, Outcome::Take(incoming))
    }

    fn of(slot: Slot, outcome: Outcome) -> Self {
        Self {
            slot,
            original: None,
            updated: match slot {
                Slot::Local(_) => None,
                Slot::Updated(updated) => Some(updated),
            },
            outcome,
            extras: None,
        }
    }

    /// Takes the decision out of `self`, which is left to say only whether the entry stays.
    pub(crate) fn take(&mut self) -> Self {
        let left = match self.stays() {
            true => Outcome::Keep,
            false => Outcome::Remove,
        };
        Self {
            outcome: std::mem::replace(&mut self.outcome, left),
            extras: self.extras.take(),
            ..*self
        }
    }

    /// Sets the updated entry whose key replaces local's.
    pub(crate) fn under_key_of(self, key: Option<EntryId>) -> Self {
        self.with(|extras| extras.key = key)
    }

    /// Sets the updated entry whose value has the anchor that local's value gets.
    pub(crate) fn with_anchor_of(self, anchor: Option<EntryId>) -> Self {
        self.with(|extras| extras.anchor = anchor)
    }

    /// Sets the decisions about its remarks.
    pub(crate) fn with_remarks(self, remarks: Remarks) -> Self {
        // remarks that all stay need no record of their source
        let remarks = match remarks.is_keep() {
            true => Remarks::default(),
            false => remarks,
        };
        self.with(|extras| extras.remarks = remarks)
    }

    /// Sets the comment lines below it; `None` if they do not change.
    pub(crate) fn with_below(self, below: Option<Box<[Piece]>>) -> Self {
        self.with(|extras| extras.below = below)
    }

    fn with(self, change: impl FnOnce(&mut Extras)) -> Self {
        let mut extras = self.extras.map_or_else(Extras::default, |extras| *extras);
        change(&mut extras);
        Self {
            extras: (extras != Extras::default()).then(|| Box::new(extras)),
            ..self
        }
    }

    /// Returns the decisions about its remarks.
    pub(crate) fn remarks(&self) -> Remarks {
        let extras = self.extras.as_ref();
        extras.map_or_else(Remarks::default, |extras| extras.remarks)
    }

    /// Returns the comment lines below it; `None` if they do not change.
    pub(crate) fn below(&self) -> Option<&[Piece]> {
        self.extras.as_ref()?.below.as_deref()
    }

    /// Returns the updated entry whose key replaces local's.
    pub(crate) fn key(&self) -> Option<EntryId> {
        self.extras.as_ref()?.key
    }

    /// Returns the updated entry whose value has the anchor that local's value gets.
    pub(crate) fn anchor(&self) -> Option<EntryId> {
        self.extras.as_ref()?.anchor
    }

    /// Returns the updated entry whose text, to the byte, replaces local's.
    pub(crate) fn text(&self) -> Option<EntryId> {
        match &self.outcome {
            Outcome::Take(incoming) if incoming.has_entry => self.updated,
            _ => None,
        }
    }

    /// Returns the entry of each side that has it.
    pub(crate) const fn sides(&self) -> Triple<Option<EntryId>> {
        let local = match self.slot {
            Slot::Local(local) => Some(local),
            Slot::Updated(_) => None,
        };
        Triple::new(self.original, self.updated, local)
    }

    /// Sets the entries of original and updated.
    pub(crate) fn with_sides(self, sides: Triple<Option<EntryId>>) -> Self {
        Self {
            original: sides.original,
            updated: sides.updated,
            ..self
        }
    }

    /// Whether it leaves a conflict open.
    pub(crate) fn has_open_conflict(&self) -> bool {
        let below = self.below().into_iter().flatten();
        self.outcome.has_open_conflict()
            || self.remarks().has_open_conflict()
            || below.into_iter().any(Piece::has_open_conflict)
    }

    /// Returns the decision with all open conflicts in it resolved to one side.
    pub(crate) fn choose(&self, side: Side) -> Self {
        let child = Self {
            outcome: self.outcome.choose(side),
            extras: None,
            ..*self
        };
        if self.extras.is_none() {
            return child;
        }
        let below = self.below().map(|it| chosen_pieces(it, side).into());
        child
            .with_remarks(self.remarks().choose(side))
            .with_below(below)
            .under_key_of(self.key())
    }

    /// Whether it is a local entry of which not a byte changes.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(self.slot, Slot::Local(_))
            && matches!(self.outcome, Outcome::Keep)
            && self.remarks().is_keep()
            && self.below().is_none()
            && self.key().is_none()
            && self.anchor().is_none()
    }

    /// Whether the result has it.
    pub(crate) fn stays(&self) -> bool {
        !matches!(self.outcome, Outcome::Remove)
    }

    /// Whether the result has it if open conflicts are resolved to a side.
    pub(crate) fn stays_on(&self, side: Side) -> bool {
        !matches!(self.outcome.chosen(Some(side)), Outcome::Remove)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_small() {
        assert_eq!(size_of::<Child>(), 40);
        assert_eq!(size_of::<Piece>(), 56);
    }
}
