//! What the walk decided, before any text is touched.

use crate::yaml::{EntryId, NodeId, ScalarStyle};

/// What becomes of a value of the local tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It stays as it is.
    Keep,
    /// Its entry goes.
    Remove,
    /// Upstream's value takes its place.
    Take(Incoming),
    /// It is a map or a list whose entries are decided one by one, in the order that they will have. Without any left
    /// it becomes `{}` or `[]`.
    Merge(Vec<Child>),
}

/// A value that comes from the updated tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Incoming {
    /// Where it is.
    pub(crate) node: NodeId,
    /// What of it comes: `Keep` for the whole, `Merge` where entries of it do not come along. Speaks of the updated
    /// tree throughout.
    pub(crate) part: Box<Outcome>,
    /// The quoting that local has and that the new scalar takes where its value allows it (SPEC 7).
    pub(crate) quoting: Option<ScalarStyle>,
}

/// An entry of a merged map or list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    /// Where it comes from.
    pub(crate) slot: Slot,
    /// What becomes of its value.
    pub(crate) outcome: Outcome,
    /// What becomes of its comments.
    pub(crate) comments: CommentChoices,
}

/// Where an entry of a merged map or list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// Local has it.
    Local(EntryId),
    /// Only the updated tree has it.
    Updated(EntryId),
}

/// For each kind of comment, whether the updated entry's one replaces the local one (SPEC 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CommentChoices {
    /// The entry whose comments are taken.
    pub(crate) from: Option<EntryId>,
    /// The lines above.
    pub(crate) leading: bool,
    /// The one on the key's line.
    pub(crate) line: bool,
    /// The one on the last line.
    pub(crate) tail: bool,
}

impl Incoming {
    /// All of a node.
    pub(crate) fn whole(node: NodeId) -> Self {
        Self::part(node, Outcome::Keep)
    }

    /// A part of a node.
    pub(crate) fn part(node: NodeId, part: Outcome) -> Self {
        Self {
            node,
            part: Box::new(part),
            quoting: None,
        }
    }

    /// Whether all of the node comes.
    pub(crate) fn is_whole(&self) -> bool {
        *self.part == Outcome::Keep
    }
}

impl CommentChoices {
    /// Whether the local comments all stay.
    pub(crate) const fn is_keep(self) -> bool {
        !(self.leading || self.line || self.tail)
    }
}

impl Child {
    /// A local entry that stays as it is.
    pub(crate) fn keep(entry: EntryId) -> Self {
        Self::local(entry, Outcome::Keep)
    }

    /// A local entry with its outcome; its comments stay.
    pub(crate) fn local(entry: EntryId, outcome: Outcome) -> Self {
        Self {
            slot: Slot::Local(entry),
            outcome,
            comments: CommentChoices::default(),
        }
    }

    /// An entry that comes from the updated tree.
    pub(crate) fn updated(entry: EntryId, incoming: Incoming) -> Self {
        Self {
            slot: Slot::Updated(entry),
            outcome: Outcome::Take(incoming),
            comments: CommentChoices::default(),
        }
    }

    /// Whether it is a local entry of which not a byte changes.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(self.slot, Slot::Local(_))
            && self.outcome == Outcome::Keep
            && self.comments.is_keep()
    }

    /// Whether the result has it.
    pub(crate) fn stays(&self) -> bool {
        self.outcome != Outcome::Remove
    }
}
