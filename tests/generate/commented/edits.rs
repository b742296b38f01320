//! Edits of a text by hand. Each edit changes the piece with its id, so that edits of different
//! pieces can be applied in turn.

use super::{Content, Piece, banner, key, scaled};

/// The kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    ChangeValue,
    ChangeLineComment,
    RemoveLineComment,
    /// Changes the last comment line above, or adds one.
    ChangeAbove,
    ExtendAbove,
    RemoveAbove,
    /// Changes the comments below, or adds one.
    ChangeBelow,
    ExtendBelow,
    RemoveBelow,
    Blanks,
    Remove,
    AddBefore,
    AddAfter,
    /// Adds a map with comments.
    AddSection,
    CommentOut,
    Uncomment,
    Banner,
    MoveToEnd,
}

/// All edits. Those that move an entry are last.
pub const ALL: &[EditKind] = &[
    EditKind::ChangeValue,
    EditKind::ChangeAbove,
    EditKind::ExtendAbove,
    EditKind::RemoveAbove,
    EditKind::ChangeBelow,
    EditKind::ExtendBelow,
    EditKind::RemoveBelow,
    EditKind::Blanks,
    EditKind::ChangeLineComment,
    EditKind::RemoveLineComment,
    EditKind::Remove,
    EditKind::AddBefore,
    EditKind::AddAfter,
    EditKind::AddSection,
    EditKind::CommentOut,
    EditKind::Uncomment,
    EditKind::Banner,
    EditKind::MoveToEnd,
];

/// All edits that leave the entries in their places.
pub const ALL_BUT_MOVES: &[EditKind] = match ALL.split_last() {
    Some((_, others)) => others,
    None => ALL,
};

/// The edits that add or change something and remove nothing.
pub const ADDITIONS: &[EditKind] = &[
    EditKind::ChangeValue,
    EditKind::ChangeAbove,
    EditKind::ExtendAbove,
    EditKind::ExtendBelow,
    EditKind::ChangeLineComment,
    EditKind::AddBefore,
    EditKind::AddAfter,
    EditKind::AddSection,
];

/// Changes of values only.
pub const VALUES: &[EditKind] = &[EditKind::ChangeValue];

/// One edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    pub kind: EditKind,
    /// The id of the piece.
    pub id: u32,
    /// The number in new texts and keys.
    pub number: u32,
}

/// Returns the edits that these bytes choose: the piece, and the kind of edit from `among`.
pub fn choose(original: &[Piece], bytes: &[[u8; 3]], among: &[EditKind], from: u32) -> Vec<Edit> {
    let ids = ids(original);
    let edits = bytes
        .iter()
        .zip(0u32..)
        .map(|(&[piece, low, what], nth)| Edit {
            kind: among[scaled(usize::from(what) << 8, among.len())],
            id: ids[scaled(256 * usize::from(piece) + usize::from(low), ids.len())],
            number: from + 10 * nth,
        });
    edits.collect()
}

/// Returns the ids of all pieces, in the order of the text.
pub fn ids(row: &[Piece]) -> Vec<u32> {
    let of = |piece: &Piece| [vec![piece.id], ids(piece.children())].concat();
    row.iter().flat_map(of).collect()
}

/// Whether a piece is an element of a list and a text. With another value it becomes another
/// element, and its list is changed.
pub fn is_text_of_a_list(row: &[Piece], id: u32, list: bool) -> bool {
    row.iter().any(|piece| match &piece.content {
        _ if piece.id == id => list && piece.is_scalar(),
        Content::Map(row) => is_text_of_a_list(row, id, false),
        Content::List(row) => is_text_of_a_list(row, id, true),
        _ => false,
    })
}

/// Returns the pieces after these edits. An edit that would leave no entry, or has no place, is
/// left out.
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
    /// Applies the edit and returns whether it had a place.
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
        match self.kind {
            EditKind::ChangeValue if piece.is_scalar() => {
                piece.content = Content::Scalar(format!("value{n}"))
            }
            EditKind::ChangeLineComment if may_have_comments => {
                piece.line_comment = Some(format!("# beside {n}"))
            }
            EditKind::RemoveLineComment => return piece.line_comment.take().is_some(),
            EditKind::ChangeAbove => {
                piece.above.pop();
                piece.above.push(format!("# About {n}."));
            }
            EditKind::ExtendAbove if may_have_comments => piece.above.push(format!("# About {n}.")),
            EditKind::RemoveAbove if may_have_comments => return piece.above.pop().is_some(),
            EditKind::ChangeBelow if may_have_comments => match piece.below.last_mut() {
                Some((_, line)) => *line = format!("# example: {n}"),
                None => piece.below.push((2, format!("# example: {n}"))),
            },
            EditKind::ExtendBelow if may_have_comments => {
                let deeper = piece.below.last().map_or(2, |(deeper, _)| *deeper);
                piece.below.push((deeper, format!("# example: {n}")));
            }
            EditKind::RemoveBelow => return piece.below.pop().is_some(),
            EditKind::Blanks => {
                let least = u8::from(at > 0 && row[at - 1].is_comment());
                let piece = &mut row[at];
                piece.blanks = if piece.blanks == least {
                    least + 1
                } else {
                    least
                };
            }
            EditKind::Remove => return Self::remove(row, at),
            EditKind::AddBefore if !list => {
                let blanks = row[at].blanks;
                row.insert(at, Self::added(n, blanks));
            }
            EditKind::AddAfter if !list && may_have_comments => {
                let next = row.get(at + 1).map_or(0, |piece| piece.blanks);
                row.insert(at + 1, Self::added(n, next));
            }
            EditKind::AddSection if !list => {
                let mut section = Self::added(n, 1);
                section.content = Content::Map(vec![Self::added(n + 1, 0), Self::added(n + 2, 0)]);
                row.insert(at, section);
                row[at + 1].blanks = row[at + 1].blanks.max(1);
            }
            EditKind::CommentOut if piece.is_scalar() && !list => {
                let Content::Scalar(value) = &piece.content else {
                    return false;
                };
                let field = format!("{}: {value}", key(piece.id));
                if !piece.below.is_empty() || row.get(at + 1).is_some_and(|next| next.blanks == 0) {
                    return false;
                }
                (row[at].content, row[at].line_comment) = (Content::Comment(Some(field)), None);
            }
            EditKind::Uncomment => {
                let Content::Comment(Some(_)) = &piece.content else {
                    return false;
                };
                piece.content = Content::Scalar(format!("off{}", piece.id));
            }
            EditKind::Banner if !list && may_have_comments => {
                let mut piece = Piece::new(n, Content::Comment(None));
                (piece.above, piece.blanks) = (banner(n), 1);
                row.insert(at, piece);
                row[at + 1].blanks = row[at + 1].blanks.max(1);
            }
            EditKind::MoveToEnd if at + 1 < row.len() && !row.iter().any(Piece::is_comment) => {
                let piece = row.remove(at);
                row.push(piece);
            }
            _ => return false,
        }
        true
    }

    /// Removes a piece, unless no entry would be left, or a standalone comment would come to stand
    /// beside another entry.
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
