//! The decisions of a merge: what the walk decides and the edits carry out on local's text.
//!
//! An [`Outcome`] is the decision about one value, a [`Child`] that about an entry. The check
//! compares the merged text with them.

mod child;
mod row;

use crate::triple::Side;
use crate::yaml::{EntryId, NodeId, ScalarStyle};

pub(crate) use child::{Child, Extras, keeps_entries};
pub(crate) use row::{Blanks, CommentPiece, Piece, PieceKind, Row, RowLines};

/// The decision about a value of the local tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::box_collection,
    reason = "an outcome has to be small: there is one for each line"
)]
pub(crate) enum Outcome {
    /// Keep the value as it is.
    Keep,
    /// Remove its entry.
    Remove,
    /// Replace it by upstream's value.
    Take(Incoming),
    /// Merge a map or list: a decision for each entry, in the order of the result. If no entry is
    /// left, it becomes `{}` or `[]`. Comments and blank lines between the entries follow them.
    Merge(Box<Vec<Child>>),
    /// Merge a block collection: like `Merge`, with the comments and blank lines between the
    /// entries decided too.
    Row(Box<Row>),
    /// Give a block scalar this content, which is a merge of its lines.
    Text(Box<String>),
    /// Give any other scalar of several lines this content, which is a merge of its lines.
    Lines(Box<ScalarLines>),
    /// Leave a conflict between both sides open, with the decision for each side.
    Open(Box<OpenConflict>),
}

/// A scalar of several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScalarLines {
    /// Its text, with quotes and indentation.
    pub(crate) written: String,
    /// Its value.
    pub(crate) content: String,
}

/// The two decisions about a value that both sides changed, where neither wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenConflict {
    /// The decision if local's side is chosen.
    pub(crate) local: Outcome,
    /// The decision if upstream's side is chosen.
    pub(crate) updated: Outcome,
    /// The original's entries in this place, if they are not just the original of this entry.
    pub(crate) base: Option<Vec<EntryId>>,
}

impl OpenConflict {
    /// Returns the decision for updated's side, or else for local's.
    fn of(&self, side: Side) -> &Outcome {
        match side {
            Side::Updated => &self.updated,
            Side::Original | Side::Local => &self.local,
        }
    }
}

impl Outcome {
    /// Returns the decision to merge a map or list of these entries.
    pub(crate) fn merge(children: Vec<Child>) -> Self {
        Self::Merge(Box::new(children))
    }

    /// Returns the decision to leave a conflict open.
    pub(crate) fn open(local: Self, updated: Self) -> Self {
        Self::Open(Box::new(OpenConflict {
            local,
            updated,
            base: None,
        }))
    }

    /// Sets the original's entries of an open conflict; other decisions stay as they are.
    pub(crate) fn with_base(mut self, base: Vec<EntryId>) -> Self {
        if let Self::Open(conflict) = &mut self {
            conflict.base = Some(base);
        }
        self
    }

    /// Whether it leaves a conflict open.
    pub(crate) fn has_open_conflict(&self) -> bool {
        match self {
            Self::Open(_) => true,
            Self::Merge(children) => children.iter().any(Child::has_open_conflict),
            Self::Row(row) => row.lines().has_open_conflict(),
            Self::Keep | Self::Remove | Self::Take(_) | Self::Text(_) | Self::Lines(_) => false,
        }
    }

    /// Returns the decision for a side if this one is an open conflict; decisions inside of it are
    /// not resolved.
    pub(crate) fn chosen(&self, side: Option<Side>) -> &Self {
        match (self, side) {
            (Self::Open(conflict), Some(chosen)) => conflict.of(chosen).chosen(side),
            _ => self,
        }
    }

    /// Returns the decision with all open conflicts in it resolved to one side.
    pub(crate) fn choose(&self, side: Side) -> Self {
        match self {
            Self::Open(conflict) => conflict.of(side).choose(side),
            Self::Merge(children) => {
                Self::merge(children.iter().map(|child| child.choose(side)).collect())
            }
            Self::Row(row) => Self::Row(Box::new(row.choose(side))),
            _ => self.clone(),
        }
    }

    /// Returns the entries of a merged collection in the order of the result, and none for other
    /// decisions.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Child> + Clone {
        let (children, row): (&[Child], _) = match self {
            Self::Merge(children) => (children, None),
            Self::Row(row) => (&[], Some(row.lines())),
            _ => (&[], None),
        };
        let entries = row.into_iter().flat_map(RowLines::entries);
        children.iter().chain(entries)
    }

    /// Returns the entries of a merged collection that stay.
    pub(crate) fn staying(&self) -> impl Iterator<Item = &Child> + Clone {
        self.children().filter(|child| child.stays())
    }

    /// Whether it merges a collection.
    pub(crate) const fn is_merge(&self) -> bool {
        matches!(self, Self::Merge(_) | Self::Row(_))
    }

    /// Whether it merges a collection of which no entry is left.
    pub(crate) fn is_emptied(&self) -> bool {
        self.is_merge() && !self.children().any(Child::stays)
    }
}

/// A value that comes from the updated tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Incoming {
    /// The node in the updated tree.
    pub(crate) node: NodeId,
    /// Which part of it comes; `None` for the whole.
    pub(crate) part: Option<Box<Outcome>>,
    /// Local's quoting, for a new scalar whose value allows it (rules: Places and formats).
    pub(crate) quoting: Option<ScalarStyle>,
    /// Whether the text of its whole entry, to the byte, replaces local's. For the root of a
    /// document: whether the comments above its first entry come with it.
    pub(crate) has_entry: bool,
}

/// The side that an entry of a merged map or list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// An entry of local.
    Local(EntryId),
    /// An entry that only the updated tree has.
    Updated(EntryId),
}

/// The decision about each remark of an entry: whether the updated entry's replaces local's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Remarks {
    /// The updated entry whose remarks are taken.
    pub(crate) from: Option<EntryId>,
    /// The comment lines above an entry of a flow collection.
    pub(crate) above: CommentChoice,
    /// The comment on the line of the key.
    pub(crate) line: CommentChoice,
    /// The comment on the last line.
    pub(crate) tail: CommentChoice,
}

/// The side whose comment is in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CommentChoice {
    /// Local's comment; none if local has none.
    #[default]
    Local,
    /// Updated's comment, with the white space before it; none if updated has none.
    Updated,
    /// Updated's comment behind local's white space.
    UpdatedText,
    /// An open conflict.
    Open,
}

impl CommentChoice {
    /// Whether updated's comment replaces local's.
    pub(crate) fn is_updated(self) -> bool {
        matches!(self, Self::Updated | Self::UpdatedText)
    }

    /// Resolves an open conflict to a side.
    fn choose(self, side: Side) -> Self {
        match (self, side) {
            (Self::Open, Side::Updated) => Self::Updated,
            (Self::Open, _) => Self::Local,
            _ => self,
        }
    }
}

impl Incoming {
    /// Takes all of a node.
    pub(crate) fn whole(node: NodeId) -> Self {
        Self::part(node, Outcome::Keep)
    }

    /// Takes a part of a node; all of it if `part` is [`Outcome::Keep`].
    pub(crate) fn part(node: NodeId, part: Outcome) -> Self {
        Self {
            node,
            part: (part != Outcome::Keep).then(|| Box::new(part)),
            quoting: None,
            has_entry: false,
        }
    }

    /// Returns which part of the node comes: `Keep` for the whole, `Merge` if some entries do not
    /// come. The entries in it are entries of the updated tree, also where they are called local.
    pub(crate) fn outcome(&self) -> &Outcome {
        self.part.as_deref().unwrap_or(&Outcome::Keep)
    }

    /// Whether all of the node comes.
    pub(crate) const fn is_whole(&self) -> bool {
        self.part.is_none()
    }
}

impl Remarks {
    /// Whether all of local's remarks stay.
    pub(crate) fn is_keep(self) -> bool {
        [self.above, self.line, self.tail]
            .into_iter()
            .all(|choice| choice == CommentChoice::Local)
    }

    /// Whether it leaves a conflict open.
    pub(crate) fn has_open_conflict(self) -> bool {
        [self.above, self.line, self.tail].contains(&CommentChoice::Open)
    }

    fn choose(self, side: Side) -> Self {
        Self {
            from: self.from,
            above: self.above.choose(side),
            line: self.line.choose(side),
            tail: self.tail.choose(side),
        }
    }
}
