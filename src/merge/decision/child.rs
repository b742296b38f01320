//! An entry of a merged map or list, as the walk decided it.

use super::row::chosen_pieces;
use super::{Chosen, Incoming, Outcome, Piece, Remarks, Slot};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId};

/// An entry of a merged map or list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    /// Where it comes from.
    pub(crate) slot: Slot,
    /// The original's entry, where that has it.
    original: Option<EntryId>,
    /// Updated's, where that has it.
    updated: Option<EntryId>,
    /// What becomes of its value.
    pub(crate) outcome: Outcome,
    /// What else changes of it: mostly nothing, and there is one for each line.
    beside: Option<Box<Beside>>,
}

/// What becomes of what an entry has beside its value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Beside {
    remarks: Remarks,
    below: Option<Box<[Piece]>>,
    key: Option<EntryId>,
}

impl Child {
    /// A local entry that stays as it is.
    pub(crate) fn keep(entry: EntryId) -> Self {
        Self::local(entry, Outcome::Keep)
    }

    /// A local entry with its outcome; its comments stay.
    pub(crate) fn local(entry: EntryId, outcome: Outcome) -> Self {
        Self::of(Slot::Local(entry), outcome)
    }

    /// An entry that comes from the updated tree, or may come: `outcome` is a take, or leaves it to
    /// a choice.
    pub(crate) fn updated(entry: EntryId, outcome: Outcome) -> Self {
        Self::of(Slot::Updated(entry), outcome)
    }

    /// A local entry that becomes the updated one, to the byte; `value` is that one's.
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
            beside: None,
        }
    }

    /// Takes what was decided; what is left stays, or goes, as well.
    pub(crate) fn take(&mut self) -> Self {
        let left = match self.stays() {
            true => Outcome::Keep,
            false => Outcome::Remove,
        };
        Self {
            outcome: std::mem::replace(&mut self.outcome, left),
            beside: self.beside.take(),
            ..*self
        }
    }

    /// The same under the key of an updated entry.
    pub(crate) fn under_key_of(self, key: Option<EntryId>) -> Self {
        self.with(|beside| beside.key = key)
    }

    /// The same with these remarks.
    pub(crate) fn with_remarks(self, remarks: Remarks) -> Self {
        self.with(|beside| beside.remarks = remarks)
    }

    /// The same with these comment lines below it, where they change.
    pub(crate) fn with_below(self, below: Option<Box<[Piece]>>) -> Self {
        self.with(|beside| beside.below = below)
    }

    fn with(self, change: impl FnOnce(&mut Beside)) -> Self {
        let mut beside = self.beside.map_or_else(Beside::default, |beside| *beside);
        change(&mut beside);
        Self {
            beside: (beside != Beside::default()).then(|| Box::new(beside)),
            ..self
        }
    }

    /// What becomes of its remarks.
    pub(crate) fn remarks(&self) -> Remarks {
        let beside = self.beside.as_ref();
        beside.map_or_else(Remarks::default, |beside| beside.remarks)
    }

    /// The comment lines below it, where they change.
    pub(crate) fn below(&self) -> Option<&[Piece]> {
        self.beside.as_ref()?.below.as_deref()
    }

    /// The updated entry whose key takes the place of local's.
    pub(crate) fn key(&self) -> Option<EntryId> {
        self.beside.as_ref()?.key
    }

    /// The updated entry whose text, to the byte, takes the place of local's.
    pub(crate) fn text(&self) -> Option<EntryId> {
        match &self.outcome {
            Outcome::Take(incoming) if incoming.has_entry => self.updated,
            _ => None,
        }
    }

    /// The entry on each side that has it.
    pub(crate) const fn sides(&self) -> Triple<Option<EntryId>> {
        let local = match self.slot {
            Slot::Local(local) => Some(local),
            Slot::Updated(_) => None,
        };
        Triple::new(self.original, self.updated, local)
    }

    /// The same, which is these entries of the three sides.
    pub(crate) fn of_sides(self, sides: Triple<Option<EntryId>>) -> Self {
        Self {
            original: sides.original,
            updated: sides.updated,
            ..self
        }
    }

    pub(crate) fn has_choice(&self) -> bool {
        let below = self.below().into_iter().flatten();
        self.outcome.has_choice()
            || self.remarks().has_choice()
            || below.into_iter().any(Piece::has_choice)
    }

    pub(crate) fn choose(&self, side: Chosen) -> Self {
        let child = Self {
            outcome: self.outcome.choose(side),
            beside: None,
            ..*self
        };
        let below = self.below().map(|it| chosen_pieces(it, side).into());
        child
            .with_remarks(self.remarks().choose(side))
            .with_below(below)
            .under_key_of(self.key())
    }

    /// Whether it is a local entry of which not a byte changes.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(self.slot, Slot::Local(_))
            && self.outcome == Outcome::Keep
            && self.remarks().is_keep()
            && self.below().is_none()
            && self.key().is_none()
    }

    /// Whether the result has it.
    pub(crate) fn stays(&self) -> bool {
        self.outcome != Outcome::Remove
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
