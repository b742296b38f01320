//! Entries that a side lacks, where the result is that side's or the other one's throughout.

use rustc_hash::FxHashSet;

use super::subsequence::longest_increasing;
use super::{Ref, Rows, Side, TokenKind};

impl<'a> Rows<'a> {
    /// The original's entries that stay although upstream removed them, with the comments right
    /// above them: they are in the result as if local alone had them, in local's order.
    pub(super) fn kept_by_local(&self, stays: impl Fn(u32) -> bool) -> FxHashSet<Ref> {
        let side = Side::Original;
        let row = self.tokens.original.iter().enumerate();
        let kept = row.filter(|(_, token)| match token.kind {
            TokenKind::Entry(entry) => {
                self.places.local.has(entry) && !self.places.updated.has(entry) && stays(entry)
            }
            TokenKind::Comment(_) | TokenKind::End => false,
        });
        kept.flat_map(|(at, _)| self.own_above(side, at)..=at)
            .map(|at| Ref::new(side, at))
            .collect()
    }

    /// The entries that local deleted and that stay deleted, with the comments right above them that
    /// original and updated share, or updated has written: if upstream moves them, or describes
    /// them, nothing comes of it here. Comments that local has left of one that upstream has not
    /// moved merge as all others.
    pub(super) fn deleted_by_local(&self, stays: impl Fn(u32) -> bool) -> Vec<Ref> {
        let row = self.tokens.original.iter().enumerate();
        let of_others = row.filter_map(|(at, token)| match token.kind {
            TokenKind::Entry(entry) => Some((entry, at, self.place(Side::Updated, entry)?)),
            _ => None,
        });
        let of_others: Vec<(u32, usize, usize)> = of_others.collect();
        let is_deleted = |entry: u32| !stays(entry) && !self.places.local.has(entry);
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
                let old = self.words_above(Side::Original, *original);
                let new = self.words_above(Side::Updated, *updated);
                // or what upstream made of those that local left, by an earlier merge
                let is_left = self.is_left(&old) || !old.is_empty() && self.is_left(&new);
                let own = match in_order.contains(&nth) && is_left {
                    true => Vec::new(),
                    false => self.about(&old, &new),
                };
                own.into_iter().chain(entries)
            })
            .collect()
    }

    /// Of the comments right above one entry in original and updated, those that both have there or
    /// updated alone has anywhere.
    fn about(&self, old: &[(Ref, &'a str)], new: &[(Ref, &'a str)]) -> Vec<Ref> {
        let words = |above: &[(Ref, &'a str)]| -> FxHashSet<&str> {
            above.iter().map(|(_, words)| *words).collect()
        };
        let (in_old, in_new) = (words(old), words(new));
        let is_new = |words: &str| self.count(Side::Original, words) == 0;
        let shared = old.iter().filter(|(_, words)| in_new.contains(words));
        let answers = new.iter();
        let answers = answers.filter(|(_, words)| is_new(words) || in_old.contains(words));
        shared.chain(answers).map(|(piece, _)| *piece).collect()
    }

    /// Whether local has one of some comments of a side as often as that.
    fn is_left(&self, comments: &[(Ref, &str)]) -> bool {
        comments.iter().any(|(piece, words)| {
            let counts = [piece.side(), Side::Local].map(|side| self.count(side, words));
            words.contains(char::is_alphanumeric) && counts[0] <= counts[1]
        })
    }

    /// The comments right above a piece, with their words.
    fn words_above(&self, side: Side, at: usize) -> Vec<(Ref, &'a str)> {
        let above = self.own_above(side, at)..at;
        let words = |at: usize| Some((Ref::new(side, at), self.row(side)[at].words()?));
        above.filter_map(words).collect()
    }
}
