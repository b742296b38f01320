//! Entries that a side lacks, where the result is that side's or the other one's throughout.

use rustc_hash::FxHashSet;

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
    /// them, nothing comes of it here.
    pub(super) fn deleted_by_local(&self, stays: impl Fn(u32) -> bool) -> Vec<Ref> {
        let row = self.tokens.original.iter().enumerate();
        let deleted = row.filter_map(|(at, token)| match token.kind {
            TokenKind::Entry(entry) if !stays(entry) && !self.places.local.has(entry) => {
                Some((at, self.place(Side::Updated, entry)?))
            }
            _ => None,
        });
        deleted
            .flat_map(|(original, updated)| {
                let (old, new) = (
                    self.words_above(Side::Original, original),
                    self.words_above(Side::Updated, updated),
                );
                let words = |above: &[(Ref, &'a str)]| -> FxHashSet<&str> {
                    above.iter().map(|(_, words)| *words).collect()
                };
                let (in_old, in_new) = (words(&old), words(&new));
                let is_new = |words: &str| self.count(Side::Original, words) == 0;
                let shared = old.iter().filter(|(_, words)| in_new.contains(words));
                let answers = new.iter();
                let answers = answers.filter(|(_, words)| is_new(words) || in_old.contains(words));
                let own = shared.chain(answers).map(|(piece, _)| *piece);
                let entries = [
                    Ref::new(Side::Original, original),
                    Ref::new(Side::Updated, updated),
                ];
                own.chain(entries).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The comments right above a piece, with their words.
    fn words_above(&self, side: Side, at: usize) -> Vec<(Ref, &'a str)> {
        let above = self.own_above(side, at)..at;
        let words = |at: usize| Some((Ref::new(side, at), self.row(side)[at].words()?));
        above.filter_map(words).collect()
    }
}
