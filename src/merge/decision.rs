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
    /// It is a block scalar whose lines were merged: this is what it says.
    Text(String),
    /// Both sides changed it, and neither wins: what each would make of it.
    Apart(Box<Apart>),
}

/// What each side makes of a value that both changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Apart {
    /// Where local's side is chosen.
    pub(crate) local: Outcome,
    /// Where upstream's is.
    pub(crate) updated: Outcome,
}

/// A side that is chosen where both changed a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    Local,
    Updated,
}

impl Outcome {
    /// Neither side wins.
    pub(crate) fn apart(local: Self, updated: Self) -> Self {
        Self::Apart(Box::new(Apart { local, updated }))
    }

    /// Whether something in it is left to a choice.
    pub(crate) fn has_choice(&self) -> bool {
        match self {
            Self::Apart(_) => true,
            Self::Merge(children) => children.iter().any(Child::has_choice),
            Self::Keep | Self::Remove | Self::Take(_) | Self::Text(_) => false,
        }
    }

    /// The outcome where one side is chosen throughout.
    pub(crate) fn choose(&self, side: Chosen) -> Self {
        match (self, side) {
            (Self::Apart(apart), Chosen::Local) => apart.local.choose(side),
            (Self::Apart(apart), Chosen::Updated) => apart.updated.choose(side),
            (Self::Merge(children), _) => {
                Self::Merge(children.iter().map(|child| child.choose(side)).collect())
            }
            _ => self.clone(),
        }
    }
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
    pub(crate) leading: CommentChoice,
    /// The one on the key's line.
    pub(crate) line: CommentChoice,
    /// The one on the last line.
    pub(crate) tail: CommentChoice,
    /// The one at the place above, set off by a blank line.
    pub(crate) place: CommentChoice,
}

/// Whose comment stands in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CommentChoice {
    /// Local's, or local's lack of one.
    #[default]
    Local,
    /// Updated's, or updated's lack of one.
    Updated,
    /// That is left to a choice.
    Apart,
}

impl CommentChoice {
    /// Whether updated's replaces local's.
    pub(crate) fn is_updated(self) -> bool {
        self == Self::Updated
    }

    fn choose(self, side: Chosen) -> Self {
        match (self, side) {
            (Self::Apart, Chosen::Local) => Self::Local,
            (Self::Apart, Chosen::Updated) => Self::Updated,
            _ => self,
        }
    }
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
    pub(crate) fn is_keep(self) -> bool {
        [self.leading, self.line, self.tail, self.place]
            .into_iter()
            .all(|choice| choice == CommentChoice::Local)
    }

    fn has_choice(self) -> bool {
        [self.leading, self.line, self.tail, self.place].contains(&CommentChoice::Apart)
    }

    fn choose(self, side: Chosen) -> Self {
        Self {
            from: self.from,
            leading: self.leading.choose(side),
            line: self.line.choose(side),
            tail: self.tail.choose(side),
            place: self.place.choose(side),
        }
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

    /// An entry that comes from the updated tree, or may come: `outcome` is a take, or leaves it to a choice.
    pub(crate) fn updated(entry: EntryId, outcome: Outcome) -> Self {
        Self {
            slot: Slot::Updated(entry),
            outcome,
            comments: CommentChoices::default(),
        }
    }

    fn has_choice(&self) -> bool {
        self.outcome.has_choice() || self.comments.has_choice()
    }

    fn choose(&self, side: Chosen) -> Self {
        Self {
            slot: self.slot,
            outcome: self.outcome.choose(side),
            comments: self.comments.choose(side),
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
