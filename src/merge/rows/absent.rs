//! Entries that one side deleted, where the result follows one side completely, comments included.

use rustc_hash::FxHashSet;

use super::subsequence::longest_increasing;
use super::{Ref, Rows, Side, TokenKind};

impl<'a> Rows<'a> {
    /// Returns the original's entries that stay although upstream removed them, with the comments
    /// directly above them. The result has them in local's order, as if only local had them.
    pub(super) fn kept_by_local(&self, stays: impl Fn(u32) -> bool) -> FxHashSet<Ref> {
        let side = Side::Original;
        let row = self.tokens.original.iter().enumerate();
        let kept = row.filter(|(_, token)| match token.kind {
            TokenKind::Entry(entry) => {
                self.entry_positions.local.has(entry)
                    && !self.entry_positions.updated.has(entry)
                    && stays(entry)
            }
            TokenKind::Comment(_) | TokenKind::End => false,
        });
        kept.flat_map(|(at, _)| self.comments_start(side, at)..=at)
            .map(|at| Ref::new(side, at))
            .collect()
    }

    /// Returns the entries that local deleted and that stay deleted, in original and updated, with
    /// the comments directly above them that both have there or that upstream added. They are left
    /// out of the merge: that upstream moved or described such an entry has no effect. If local
    /// kept comments of an entry that upstream did not move, its comments merge like all others.
    pub(super) fn deleted_by_local(&self, stays: impl Fn(u32) -> bool) -> Vec<Ref> {
        let row = self.tokens.original.iter().enumerate();
        let of_others = row.filter_map(|(at, token)| match token.kind {
            TokenKind::Entry(entry) => Some((entry, at, self.position(Side::Updated, entry)?)),
            _ => None,
        });
        let of_others: Vec<(u32, usize, usize)> = of_others.collect();
        let is_deleted = |entry: u32| !stays(entry) && !self.entry_positions.local.has(entry);
        if !of_others.iter().any(|(entry, ..)| is_deleted(*entry)) {
            return Vec::new();
        }
        let places: Vec<usize> = of_others.iter().map(|(.., updated)| *updated).collect();
        let in_order: FxHashSet<usize> = longest_increasing(&places).into_iter().collect();
        let all = of_others.iter().enumerate();
        let deleted = all.filter(|(_, (entry, ..))| is_deleted(*entry));
        deleted
            .flat_map(|(nth, (_, original, updated))| {
                let entries = [
                    Ref::new(Side::Original, *original),
                    Ref::new(Side::Updated, *updated),
                ];
                let old = self.comments_above(Side::Original, *original);
                let new = self.comments_above(Side::Updated, *updated);
                // an earlier merge may have put upstream's new text in the place of what local kept
                let local_kept_comments =
                    self.local_has_any(&old) || !old.is_empty() && self.local_has_any(&new);
                let own = match in_order.contains(&nth) && local_kept_comments {
                    true => Vec::new(),
                    false => self.comments_to_leave_out(&old, &new),
                };
                own.into_iter().chain(entries)
            })
            .collect()
    }

    /// Returns those of the comments directly above an entry in original (`old`) and updated
    /// (`new`) that both have there, or that updated added.
    fn comments_to_leave_out(&self, old: &[(Ref, &'a str)], new: &[(Ref, &'a str)]) -> Vec<Ref> {
        let texts = |above: &[(Ref, &'a str)]| -> FxHashSet<&str> {
            above.iter().map(|(_, text)| *text).collect()
        };
        let (in_old, in_new) = (texts(old), texts(new));
        let is_new = |text: &str| self.count(Side::Original, text) == 0;
        let shared = old.iter().filter(|(_, text)| in_new.contains(text));
        let of_updated = new.iter();
        let of_updated = of_updated.filter(|(_, text)| is_new(text) || in_old.contains(text));
        shared.chain(of_updated).map(|(piece, _)| *piece).collect()
    }

    /// Whether local has at least one of these comments as often as the side that they are from.
    fn local_has_any(&self, comments: &[(Ref, &str)]) -> bool {
        comments.iter().any(|(piece, text)| {
            let counts = [piece.side(), Side::Local].map(|side| self.count(side, text));
            text.contains(char::is_alphanumeric) && counts[0] <= counts[1]
        })
    }

    /// Returns the comments directly above a piece, with their texts.
    fn comments_above(&self, side: Side, at: usize) -> Vec<(Ref, &'a str)> {
        let above = self.comments_start(side, at)..at;
        let text = |at: usize| Some((Ref::new(side, at), self.row(side)[at].comment_text()?));
        above.filter_map(text).collect()
    }
}
