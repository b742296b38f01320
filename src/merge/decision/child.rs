//! The decision about an entry of a merged map or list.

use std::sync::LazyLock;

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
    decision: Decision,
}

/// The decision about an entry's value, and those about its comments and key.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    /// Its comments and key stay.
    Value(Outcome),
    /// Boxed, because most entries have no extras and there is an entry for each line.
    WithExtras(Box<(Outcome, Extras)>),
}

/// Whether all entries of a local collection stay in their places, and none comes.
pub(crate) fn keeps_entries(tree: &Tree<'_>, node: NodeId, children: &[Child]) -> bool {
    let slots = children.iter().map(|child| child.slot);
    children.iter().all(Child::stays) && slots.eq(tree.entries(node).map(Slot::Local))
}

/// The decisions about an entry's comments, key, anchor and tag, which all stay by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Extras {
    pub(crate) remarks: Remarks,
    /// The comment lines above and below its value, if they change.
    pub(crate) value_comments: Option<Box<[Piece]>>,
    /// The updated entry whose key replaces local's.
    pub(crate) key: Option<EntryId>,
    /// The updated entry whose value has the anchor that local's value gets.
    pub(crate) anchor: Option<EntryId>,
    /// The updated entry whose value has the tag that local's value gets, or none.
    pub(crate) tag: Option<EntryId>,
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

    /// Returns an entry that the result lacks.
    pub(crate) fn removed(slot: Slot) -> Self {
        Self::of(slot, Outcome::Remove)
    }

    fn of(slot: Slot, outcome: Outcome) -> Self {
        Self {
            slot,
            original: None,
            updated: match slot {
                Slot::Local(_) => None,
                Slot::Updated(updated) => Some(updated),
            },
            decision: Decision::Value(outcome),
        }
    }

    /// Returns the decision about its value.
    pub(crate) fn outcome(&self) -> &Outcome {
        match &self.decision {
            Decision::Value(outcome) => outcome,
            Decision::WithExtras(both) => &both.0,
        }
    }

    /// Returns the decision about its value, to change it.
    pub(crate) fn outcome_mut(&mut self) -> &mut Outcome {
        match &mut self.decision {
            Decision::Value(outcome) => outcome,
            Decision::WithExtras(both) => &mut both.0,
        }
    }

    /// Returns the decision about its value without the other ones.
    pub(crate) fn into_outcome(self) -> Outcome {
        match self.decision {
            Decision::Value(outcome) => outcome,
            Decision::WithExtras(both) => both.0,
        }
    }

    /// Returns the decisions about its comments, key, anchor and tag.
    pub(crate) fn extras(&self) -> &Extras {
        static NONE: LazyLock<Extras> = LazyLock::new(Extras::default);
        match &self.decision {
            Decision::Value(_) => &NONE,
            Decision::WithExtras(both) => &both.1,
        }
    }

    /// Changes the decisions about its comments, key, anchor and tag.
    pub(crate) fn with(self, change: impl FnOnce(&mut Extras)) -> Self {
        let (outcome, mut extras) = match self.decision {
            Decision::Value(outcome) => (outcome, Extras::default()),
            Decision::WithExtras(both) => *both,
        };
        change(&mut extras);
        if extras.remarks.is_keep() {
            // remarks that all stay need no record of their source
            extras.remarks = Remarks::default();
        }
        let decision = match extras == Extras::default() {
            true => Decision::Value(outcome),
            false => Decision::WithExtras(Box::new((outcome, extras))),
        };
        Self { decision, ..self }
    }

    /// Returns the updated entry whose text, to the byte, replaces local's.
    pub(crate) fn text(&self) -> Option<EntryId> {
        match self.outcome() {
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

    /// An entry of original and local that upstream deleted, and that the result lacks.
    pub(crate) fn deleted_upstream(original: EntryId, local: EntryId) -> Self {
        let sides = Triple::new(Some(original), None, Some(local));
        Self::local(local, Outcome::Remove).with_sides(sides)
    }

    /// An entry of original and updated that local deleted, and that the result lacks.
    pub(crate) fn deleted_locally(original: EntryId, updated: EntryId) -> Self {
        let sides = Triple::new(Some(original), Some(updated), None);
        Self::updated(updated, Outcome::Remove).with_sides(sides)
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
        let extras = self.extras();
        let mut comments = extras.value_comments.iter().flatten();
        self.outcome().has_open_conflict()
            || extras.remarks.has_open_conflict()
            || comments.any(Piece::is_in_open_conflict)
    }

    /// Returns the decision with all open conflicts in it resolved to one side.
    pub(crate) fn choose(&self, side: Side) -> Self {
        let child = Self {
            decision: Decision::Value(self.outcome().choose(side)),
            ..*self
        };
        let Decision::WithExtras(both) = &self.decision else {
            return child;
        };
        let comments = both.1.value_comments.as_ref();
        let comments = comments.map(|it| chosen_pieces(it, side));
        // comments that are only upstream's do not concern local's value
        let has_lines = |pieces: &Vec<Piece>| !pieces.iter().all(Piece::is_end);
        let comments = comments.filter(|it| side == Side::Updated || has_lines(it));
        child.with(|extras| {
            *extras = Extras {
                remarks: both.1.remarks.choose(side),
                value_comments: comments.map(Vec::into),
                ..both.1
            }
        })
    }

    /// Whether it is a local entry of which not a byte changes.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(self.slot, Slot::Local(_))
            && matches!(self.decision, Decision::Value(Outcome::Keep))
    }

    /// Whether the result has it.
    pub(crate) fn stays(&self) -> bool {
        !matches!(self.outcome(), Outcome::Remove)
    }

    /// Whether the result has it if open conflicts are resolved to a side.
    pub(crate) fn stays_on(&self, side: Side) -> bool {
        !matches!(self.outcome().chosen(Some(side)), Outcome::Remove)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_small() {
        assert_eq!(size_of::<Child>(), 32);
        assert_eq!(size_of::<Piece>(), 28);
    }
}
