//! Entries that one side deleted, where the result follows one side completely, comments included.

use std::cell::LazyCell;

use rustc_hash::FxHashSet;

use super::{Ref, Rows, Side};

impl Rows<'_> {
    /// Returns the pieces that are left out of the merge because the result follows one side:
    ///
    /// - The original's entries that stay although upstream removed them, with the comments directly
    ///   above them. The result has them in local's order, as if only local had them.
    /// - The entries that local deleted and that stay deleted, in original and updated, with the
    ///   comments directly above them that both have there or that upstream added: that upstream
    ///   moved or described such an entry has no effect. If local kept comments of an entry that
    ///   upstream did not move, its comments merge like all others.
    pub(super) fn without_other_side(&self, stays: impl Fn(u32) -> bool) -> FxHashSet<Ref> {
        let mut left_out = FxHashSet::default();
        // most rows have no entry that needs it
        let in_order = LazyCell::new(|| {
            let originals = self.entries(Side::Original).map(|(entry, _)| entry);
            self.in_order(&originals.collect::<Vec<u32>>(), Side::Updated)
        });
        for (entry, original) in self.entries(Side::Original) {
            let updated = self.find(Side::Updated, entry);
            let old = self.comments_above(original);
            match (updated, self.has(Side::Local, entry)) {
                (None, true) if stays(entry) => left_out.extend(old.chain([original])),
                (Some(updated), false) if !stays(entry) => {
                    let (old, new) = (
                        Vec::from_iter(old),
                        Vec::from_iter(self.comments_above(updated)),
                    );
                    if !in_order.contains(&entry) || !self.has_kept_comments(&old, &new) {
                        left_out.extend(self.comments_to_leave_out(&old, &new));
                    }
                    left_out.extend([original, updated]);
                }
                _ => {}
            }
        }
        left_out
    }

    /// Whether local has comments directly above an entry in original (`old`), or updated's new text
    /// for them (`new`), which an earlier merge may have put there.
    fn has_kept_comments(&self, old: &[Ref], new: &[Ref]) -> bool {
        let is_in_local = |piece: &Ref| {
            let text = self.text_id(*piece).map_or(0, |text| text as usize);
            self.has_words(*piece)
                && self.count(piece.side(), *piece) <= self.local_counts[text] as usize
        };
        old.iter().any(is_in_local) || !old.is_empty() && new.iter().any(is_in_local)
    }

    /// Returns those of the comments directly above an entry in original (`old`) and updated
    /// (`new`) that both have there, or that updated added, or moved there from where local deleted
    /// them.
    fn comments_to_leave_out(&self, old: &[Ref], new: &[Ref]) -> Vec<Ref> {
        let texts = |above: &[Ref]| -> FxHashSet<Option<u32>> {
            above.iter().map(|piece| self.text_id(*piece)).collect()
        };
        let (in_old, in_new) = (texts(old), texts(new));
        let is_new = |piece: Ref| {
            let is_of = |side: Side| self.count(side, piece) > 0;
            !is_of(Side::Original) || !is_of(Side::Local)
        };
        let shared = old.iter().filter(|it| in_new.contains(&self.text_id(**it)));
        let of_updated = new.iter();
        let of_updated =
            of_updated.filter(|it| is_new(**it) || in_old.contains(&self.text_id(**it)));
        shared.chain(of_updated).copied().collect()
    }
}
