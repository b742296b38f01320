//! Finds the comments that pair only with comments of the same entry, because the original lacks the
//! entry below them.

use std::cell::LazyCell;

use rustc_hash::FxHashSet;

use super::comment_index::CommentIndex;
use super::{Id, NumberMap, Ref, Rows};
use crate::triple::Side;

impl Rows<'_> {
    /// Sets the owner of comments directly above an entry that the original lacks, so that they
    /// pair only with comments of the same entry. It does so for each text that a side has more
    /// often than the original, or that the original has only above fields that local deleted, and,
    /// where the other side lacks the entry, for all comments between the first such text and the
    /// entry. Comments below which a side inserted an entry pair by their text only, and so do those
    /// that local inserted too, without an entry, those above an entry that local uncommented, and
    /// those down to the last line of a comment that the original has below the entry above.
    pub(super) fn set_owners(&mut self) {
        let inserted_below = [Side::Updated, Side::Local].map(|side| self.inserted_below(side));
        let inserted_below: FxHashSet<Ref> = inserted_below.into_iter().flatten().collect();
        let free = self.comments_above_no_entry();
        let uncommented = self.uncommented_locally();
        let above = [Side::Updated, Side::Local].map(|side| {
            let new = self.entries(side).filter(|(entry, piece)| {
                let is_in_local =
                    || side == Side::Updated && self.is_inserted_in_local(*piece, &free);
                !self.has(Side::Original, *entry)
                    && !inserted_below.contains(piece)
                    && !uncommented.contains(piece)
                    && !is_in_local()
            });
            let comments = new.flat_map(|(entry, piece)| {
                let own = self.comments_above(piece).skip(self.count_old_above(piece));
                own.map(move |it| (entry, it))
            });
            comments.collect::<Vec<_>>()
        });
        let kept_texts = LazyCell::new(|| self.texts_of_kept_entries());
        let is_of_deleted = |comment: &Ref| {
            let text = self.text_id(*comment);
            self.context.has_fields
                && comment.side() == Side::Local
                && text.is_some_and(|text| !kept_texts.contains(&text))
        };
        let mut new: FxHashSet<(u32, Option<u32>)> = FxHashSet::default();
        for (comments, other) in above.iter().zip([Side::Local, Side::Updated]) {
            let mut owner = None;
            for (entry, comment) in comments {
                let is_new = self.count(comment.side(), *comment)
                    > self.count(Side::Original, *comment)
                    || is_of_deleted(comment);
                if owner == Some(*entry) || is_new {
                    owner = Some(*entry).filter(|entry| !self.has(other, *entry));
                    new.insert((*entry, self.text_id(*comment)));
                }
            }
        }
        for (entry, comment) in above.into_iter().flatten() {
            if new.contains(&(entry, self.text_id(comment)))
                && let Some(text) = self.text_id(comment)
            {
                let owner = Some(entry);
                self.ids[comment.side()][comment.at()] = Id::Comment { text, owner }.into();
            }
        }
    }

    /// Returns, for each piece of a row, the entry that it is directly above and belongs to.
    pub(super) fn owners(&self, side: Side) -> NumberMap {
        let mut owners = NumberMap::over(0..self.rows[side].items.len() as u32);
        for (entry, piece) in self.entries(side) {
            let old = match self.has(Side::Original, entry) {
                true => 0,
                false => self.count_old_above(piece),
            };
            let own = self.comments_above(piece).skip(old);
            own.for_each(|comment| owners.insert(comment.at() as u32, entry));
        }
        owners
    }

    /// Returns how many of the comments directly above a new entry end a comment that the original
    /// has below the entry above them, and above no other entry: the new one was inserted below it.
    fn count_old_above(&self, piece: Ref) -> usize {
        let first = self.first_comment_above(piece);
        let above = first.above().filter(|_| first != piece);
        let above = above.and_then(|above| self.find(Side::Original, self.entry(above)?));
        let Some(mut next) = above.map(Ref::below) else {
            return 0;
        };
        let mut old = FxHashSet::default();
        while self.is_comment(next) && (old.is_empty() || self.blanks(next) == 0) {
            old.insert(self.text_id(next));
            next = next.below();
        }
        if self.entry(next).is_some() && self.blanks(next) == 0 {
            return 0;
        }
        let is_old = |line: Ref| {
            self.has_words(line)
                && self.count(piece.side(), line) <= self.count(Side::Original, line)
                && old.contains(&self.text_id(line))
        };
        let comments: Vec<Ref> = self.comments_above(piece).collect();
        let last = comments.into_iter().rposition(is_old);
        last.map_or(0, |at| at + 1)
    }

    /// Returns an index of local's comments that are directly above no entry.
    fn comments_above_no_entry(&self) -> CommentIndex {
        let owners = self.owners(Side::Local);
        let row = self.pieces(Side::Local).map(|piece| {
            let text = self.text_id(piece);
            text.filter(|_| owners.get(piece.at() as u32).is_none())
        });
        CommentIndex::of(row.collect())
    }

    /// Whether the comments that updated inserted directly above an entry are the last lines of a
    /// comment in `free`, the comments of local that are above no entry.
    fn is_inserted_in_local(&self, piece: Ref, free: &CommentIndex) -> bool {
        let is_old = |comment: &Ref| self.count(Side::Original, *comment) > 0;
        let comments = self.comments_above(piece).skip_while(is_old);
        let texts: Vec<u32> = comments.filter_map(|it| self.text_id(it)).collect();
        let is_whole = |last: Ref| {
            let is_last = self.blanks(last.below()) > 0 || self.id(last.below()) == Id::End;
            is_last && self.first_comment_above(last).at() + texts.len() <= last.at() + 1
        };
        let mut found = free.find(&texts, 0..usize::MAX);
        found.any(|last| is_whole(Ref::new(Side::Local, last)))
    }

    /// Returns the texts of the original's comments, but for those directly above entries that local
    /// deleted or has below updated's comments already.
    fn texts_of_kept_entries(&self) -> FxHashSet<u32> {
        let texts = |piece: Ref| self.comments_above(piece).map(|it| self.text_id(it));
        let has_updated_comments = |entry, local| {
            let updated = self.find(Side::Updated, entry);
            updated.is_some_and(|updated| texts(updated).eq(texts(local)))
        };
        let is_free = |entry| {
            let local = self.find(Side::Local, entry);
            local.is_none_or(|local| has_updated_comments(entry, local))
        };
        let free = self.entries(Side::Original);
        let free = free.filter(|(entry, _)| is_free(*entry));
        let above: FxHashSet<Ref> = free
            .flat_map(|(_, piece)| self.comments_above(piece))
            .collect();
        let kept = self.pieces(Side::Original);
        let kept = kept.filter(|piece| !above.contains(piece));
        kept.filter_map(|piece| self.text_id(piece)).collect()
    }

    /// Returns the entries that a side inserted between an entry and the comments that the other
    /// side has directly above that, and these entries of the other side. The side may have further
    /// lines above and below the comments.
    fn inserted_below(&self, side: Side) -> Vec<Ref> {
        let other = side.opposite();
        let texts = |piece: Ref| self.comments_above(piece).map(|it| self.text_id(it));
        let has_all = |piece: Ref, of_other: Ref| {
            let (all, of_other) = (
                Vec::from_iter(texts(piece)),
                Vec::from_iter(texts(of_other)),
            );
            !of_other.is_empty() && all.windows(of_other.len()).any(|lines| lines == of_other)
        };
        let mut found = Vec::new();
        let next = self.entries(side).skip(1);
        for ((entry, piece), (next, next_piece)) in self.entries(side).zip(next) {
            let is_new = !self.has(Side::Original, entry) && !self.has(other, entry);
            if let Some(of_other) = self.find(other, next).filter(|_| is_new)
                && has_all(piece, of_other)
                && texts(next_piece).next().is_none()
            {
                found.extend([piece, of_other]);
            }
        }
        found
    }
}
