//! Edits of a text by hand, each of one piece that its id names: what two sides do to different
//! pieces can be done one after the other.

use super::{Content, Piece, banner, key, scaled};

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Value,
    Remark,
    RemarkGoes,
    /// Another text of the last comment line above; a first one where there is none.
    Above,
    AboveExtended,
    AboveGoes,
    /// The same of the comments below.
    Below,
    BelowExtended,
    BelowGoes,
    Blanks,
    Remove,
    AddBefore,
    AddAfter,
    /// A map with comments of its own.
    AddSection,
    CommentOut,
    Uncomment,
    Banner,
    MoveToEnd,
}

/// All edits; what moves an entry stands last.
pub const ALL: &[What] = &[
    What::Value,
    What::Above,
    What::AboveExtended,
    What::AboveGoes,
    What::Below,
    What::BelowExtended,
    What::BelowGoes,
    What::Blanks,
    What::Remark,
    What::RemarkGoes,
    What::Remove,
    What::AddBefore,
    What::AddAfter,
    What::AddSection,
    What::CommentOut,
    What::Uncomment,
    What::Banner,
    What::MoveToEnd,
];

/// All that upstream does where the places of entries stay.
pub const ALL_BUT_MOVES: &[What] = match ALL.split_last() {
    Some((_, others)) => others,
    None => ALL,
};

/// What adds and changes, and takes nothing away.
pub const ADDITIONS: &[What] = &[
    What::Value,
    What::Above,
    What::AboveExtended,
    What::BelowExtended,
    What::Remark,
    What::AddBefore,
    What::AddAfter,
    What::AddSection,
];

/// A change of values alone.
pub const VALUES: &[What] = &[What::Value];

/// One edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    pub what: What,
    /// The piece.
    pub id: u32,
    /// What new texts and keys are called by.
    pub number: u32,
}

/// The edits that bytes choose: which piece, and what is done to it.
pub fn choose(original: &[Piece], bytes: &[[u8; 3]], among: &[What], from: u32) -> Vec<Edit> {
    let ids = ids(original);
    let edits = bytes
        .iter()
        .zip(0u32..)
        .map(|(&[piece, low, what], nth)| Edit {
            what: among[scaled(usize::from(what) << 8, among.len())],
            id: ids[scaled(256 * usize::from(piece) + usize::from(low), ids.len())],
            number: from + 10 * nth,
        });
    edits.collect()
}

/// All pieces, from the top.
pub fn ids(row: &[Piece]) -> Vec<u32> {
    let of = |piece: &Piece| [vec![piece.id], ids(piece.children())].concat();
    row.iter().flat_map(of).collect()
}

/// Whether a piece is an element that is a text: with another value it is another element, and its
/// list one that has been changed.
pub fn is_text_of_a_list(row: &[Piece], id: u32, list: bool) -> bool {
    row.iter().any(|piece| match &piece.content {
        _ if piece.id == id => list && piece.is_scalar(),
        Content::Map(row) => is_text_of_a_list(row, id, false),
        Content::List(row) => is_text_of_a_list(row, id, true),
        _ => false,
    })
}

/// The pieces with these edits made, as far as there is a place for each.
pub fn edited(original: &[Piece], edits: &[Edit]) -> Vec<Piece> {
    let mut row = original.to_vec();
    for edit in edits {
        let before = row.clone();
        edit.make(&mut row, false);
        if !row.iter().any(|piece| !piece.is_comment()) {
            row = before;
        }
    }
    row
}

impl Edit {
    /// Makes the edit; says whether there was a place for it.
    pub fn make(&self, row: &mut Vec<Piece>, list: bool) -> bool {
        match row.iter().position(|piece| piece.id == self.id) {
            Some(at) => self.make_at(row, at, list),
            None => row.iter_mut().any(|piece| match &mut piece.content {
                Content::Map(row) => self.make(row, false),
                Content::List(row) => self.make(row, true),
                _ => false,
            }),
        }
    }

    fn make_at(&self, row: &mut Vec<Piece>, at: usize, list: bool) -> bool {
        let n = self.number;
        let piece = &mut row[at];
        let may_have_comments = !piece.is_comment();
        match self.what {
            What::Value if piece.is_scalar() => {
                piece.content = Content::Scalar(format!("value{n}"))
            }
            What::Remark if may_have_comments => piece.remark = Some(format!("# beside {n}")),
            What::RemarkGoes => return piece.remark.take().is_some(),
            What::Above => {
                piece.above.pop();
                piece.above.push(format!("# About {n}."));
            }
            What::AboveExtended if may_have_comments => piece.above.push(format!("# About {n}.")),
            What::AboveGoes if may_have_comments => return piece.above.pop().is_some(),
            What::Below if may_have_comments => match piece.below.last_mut() {
                Some((_, line)) => *line = format!("# example: {n}"),
                None => piece.below.push((2, format!("# example: {n}"))),
            },
            What::BelowExtended if may_have_comments => {
                let deeper = piece.below.last().map_or(2, |(deeper, _)| *deeper);
                piece.below.push((deeper, format!("# example: {n}")));
            }
            What::BelowGoes => return piece.below.pop().is_some(),
            What::Blanks => {
                let least = u8::from(at > 0 && row[at - 1].is_comment());
                let piece = &mut row[at];
                piece.blanks = if piece.blanks == least {
                    least + 1
                } else {
                    least
                };
            }
            What::Remove => return Self::remove(row, at),
            What::AddBefore if !list => {
                let blanks = row[at].blanks;
                row.insert(at, Self::added(n, blanks));
            }
            What::AddAfter if !list && may_have_comments => {
                let next = row.get(at + 1).map_or(0, |piece| piece.blanks);
                row.insert(at + 1, Self::added(n, next));
            }
            What::AddSection if !list => {
                let mut section = Self::added(n, 1);
                section.content = Content::Map(vec![Self::added(n + 1, 0), Self::added(n + 2, 0)]);
                row.insert(at, section);
                row[at + 1].blanks = row[at + 1].blanks.max(1);
            }
            What::CommentOut if piece.is_scalar() && !list => {
                let Content::Scalar(value) = &piece.content else {
                    return false;
                };
                let field = format!("{}: {value}", key(piece.id));
                if !piece.below.is_empty() || row.get(at + 1).is_some_and(|next| next.blanks == 0) {
                    return false;
                }
                (row[at].content, row[at].remark) = (Content::Comment(Some(field)), None);
            }
            What::Uncomment => {
                let Content::Comment(Some(_)) = &piece.content else {
                    return false;
                };
                piece.content = Content::Scalar(format!("off{}", piece.id));
            }
            What::Banner if !list && may_have_comments => {
                let mut piece = Piece::new(n, Content::Comment(None));
                (piece.above, piece.blanks) = (banner(n), 1);
                row.insert(at, piece);
                row[at + 1].blanks = row[at + 1].blanks.max(1);
            }
            What::MoveToEnd if at + 1 < row.len() && !row.iter().any(Piece::is_comment) => {
                let piece = row.remove(at);
                row.push(piece);
            }
            _ => return false,
        }
        true
    }

    /// A piece goes, unless that leaves no entry, or brings comments that stand alone to another
    /// entry.
    fn remove(row: &mut Vec<Piece>, at: usize) -> bool {
        let entries = row.iter().filter(|piece| !piece.is_comment()).count();
        let below_comment = at > 0 && row[at - 1].is_comment();
        if entries < 2 && !row[at].is_comment()
            || below_comment && row.get(at + 1).is_none_or(|it| it.blanks == 0)
        {
            return false;
        }
        row.remove(at);
        true
    }

    fn added(number: u32, blanks: u8) -> Piece {
        let mut piece = Piece::new(number, Content::Scalar(format!("value{number}")));
        (piece.above, piece.blanks) = (vec![format!("# About {number}, new.")], blanks);
        piece
    }
}
