//! What the walk decided, before any text is touched.

mod child;
mod row;

use crate::yaml::{EntryId, NodeId, ScalarStyle};

pub(crate) use child::Child;
use row::chosen_pieces;
pub(crate) use row::{Blanks, CommentPiece, Piece, PieceKind, Row};

/// What becomes of a value of the local tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::box_collection,
    reason = "there is one for each line, in two words"
)]
pub(crate) enum Outcome {
    /// It stays as it is.
    Keep,
    /// Its entry goes.
    Remove,
    /// Upstream's value takes its place.
    Take(Incoming),
    /// It is a map or a list whose entries are decided one by one, in the order that they will
    /// have. Without any left it becomes `{}` or `[]`. What is between the entries goes along
    /// with them.
    Merge(Box<Vec<Child>>),
    /// The same, where what is between the entries is decided too.
    Row(Box<Row>),
    /// It is a block scalar whose lines were merged: this is what it says.
    Text(Box<String>),
    /// It is any other scalar of several lines, which were merged.
    Lines(Box<ScalarLines>),
    /// Both sides changed it, and neither wins: what each would make of it.
    Apart(Box<Apart>),
}

/// A scalar of several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScalarLines {
    /// As it is written.
    pub(crate) written: String,
    /// What it says.
    pub(crate) content: String,
}

/// What each side makes of a value that both changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Apart {
    /// Where local's side is chosen.
    pub(crate) local: Outcome,
    /// Where upstream's is.
    pub(crate) updated: Outcome,
    /// The original's entries here, where they are other ones than the entry's own.
    pub(crate) base: Option<Vec<EntryId>>,
}

/// A side that is chosen where both changed a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    Local,
    Updated,
}

impl Outcome {
    /// A map or a list of these entries.
    pub(crate) fn merge(children: Vec<Child>) -> Self {
        Self::Merge(Box::new(children))
    }

    /// Neither side wins.
    pub(crate) fn apart(local: Self, updated: Self) -> Self {
        Self::Apart(Box::new(Apart {
            local,
            updated,
            base: None,
        }))
    }

    /// The same, with the original's entries where neither side wins.
    pub(crate) fn with_base(mut self, base: Vec<EntryId>) -> Self {
        if let Self::Apart(apart) = &mut self {
            apart.base = Some(base);
        }
        self
    }

    /// Whether a row in it moves in or out.
    pub(crate) fn moves_rows(&self) -> bool {
        matches!(self, Self::Row(row) if row.moved != 0)
            || self.children().any(|child| child.outcome.moves_rows())
    }

    /// Whether something in it is left to a choice.
    pub(crate) fn has_choice(&self) -> bool {
        match self {
            Self::Apart(_) => true,
            Self::Merge(children) => children.iter().any(Child::has_choice),
            Self::Row(row) => row.pieces.iter().any(Piece::has_choice),
            Self::Keep | Self::Remove | Self::Take(_) | Self::Text(_) | Self::Lines(_) => false,
        }
    }

    /// The same where a side is chosen, as far as it is itself left to a choice.
    pub(crate) fn chosen(&self, side: Option<Chosen>) -> &Self {
        match (self, side) {
            (Self::Apart(apart), Some(Chosen::Local)) => apart.local.chosen(side),
            (Self::Apart(apart), Some(Chosen::Updated)) => apart.updated.chosen(side),
            _ => self,
        }
    }

    /// The outcome where one side is chosen throughout.
    pub(crate) fn choose(&self, side: Chosen) -> Self {
        match (self, side) {
            (Self::Apart(apart), Chosen::Local) => apart.local.choose(side),
            (Self::Apart(apart), Chosen::Updated) => apart.updated.choose(side),
            (Self::Merge(children), _) => {
                Self::merge(children.iter().map(|child| child.choose(side)).collect())
            }
            (Self::Row(row), _) => Self::Row(Box::new(Row {
                pieces: chosen_pieces(&row.pieces, side),
                ..**row
            })),
            _ => self.clone(),
        }
    }

    /// The entries of a collection that is merged, in the order of the result; none of anything
    /// else.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Child> + Clone {
        let (children, pieces): (&[Child], &[Piece]) = match self {
            Self::Merge(children) => (children, &[]),
            Self::Row(row) => (&[], &row.pieces),
            _ => (&[], &[]),
        };
        let of_row = pieces.iter().filter_map(|piece| match &piece.kind {
            PieceKind::Entry(child) => Some(child),
            PieceKind::Comment(_) | PieceKind::Original(_) | PieceKind::End => None,
        });
        children.iter().chain(of_row)
    }

    /// Whether it is a collection that is merged.
    pub(crate) const fn is_merge(&self) -> bool {
        matches!(self, Self::Merge(_) | Self::Row(_))
    }
}

/// A value that comes from the updated tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Incoming {
    /// Where it is.
    pub(crate) node: NodeId,
    /// What of it comes, where that is not the whole: mostly it is.
    pub(crate) part: Option<Box<Outcome>>,
    /// The quoting that local has and that the new scalar takes where its value allows it (rules:
    /// Places and formats).
    pub(crate) quoting: Option<ScalarStyle>,
    /// Whether its entry's text, to the byte, takes the place of local's.
    pub(crate) has_entry: bool,
}

/// Where an entry of a merged map or list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// Local has it.
    Local(EntryId),
    /// Only the updated tree has it.
    Updated(EntryId),
}

/// For each remark of an entry, whether the updated entry's one replaces the local one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Remarks {
    /// The entry whose remarks are taken.
    pub(crate) from: Option<EntryId>,
    /// The comment lines above, between brackets.
    pub(crate) above: CommentChoice,
    /// The one on the key's line.
    pub(crate) line: CommentChoice,
    /// The one on the last line.
    pub(crate) tail: CommentChoice,
}

/// Whose comment is in the result.
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
            part: (part != Outcome::Keep).then(|| Box::new(part)),
            quoting: None,
            has_entry: false,
        }
    }

    /// What of it comes: `Keep` for the whole, `Merge` where entries of it do not come along.
    /// Speaks of the updated tree throughout.
    pub(crate) fn outcome(&self) -> &Outcome {
        self.part.as_deref().unwrap_or(&Outcome::Keep)
    }

    /// Whether all of the node comes.
    pub(crate) const fn is_whole(&self) -> bool {
        self.part.is_none()
    }
}

impl Remarks {
    /// Whether the local remarks all stay.
    pub(crate) fn is_keep(self) -> bool {
        [self.above, self.line, self.tail]
            .into_iter()
            .all(|choice| choice == CommentChoice::Local)
    }

    pub(crate) fn has_choice(self) -> bool {
        [self.above, self.line, self.tail].contains(&CommentChoice::Apart)
    }

    fn choose(self, side: Chosen) -> Self {
        Self {
            from: self.from,
            above: self.above.choose(side),
            line: self.line.choose(side),
            tail: self.tail.choose(side),
        }
    }
}
