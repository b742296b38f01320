//! Decides what is added for an updated entry that local does not have: the difference between
//! original and updated (rules: Maps, Lists).

use rustc_hash::FxHashSet;

use super::keys::ListKey;
use super::pairing::Index;
use super::same_text::same_entry_text;
use super::{Entries, Shape, Walker, entries_of, shape};
use crate::merge::decision::{
    Blanks, Child, CommentPiece, Incoming, Outcome, Piece, PieceKind, Row,
};
use crate::merge::{ConflictKind, Sides};
use crate::triple::{Side, Triple};
use crate::white_space::trimmed;
use crate::yaml::row::ItemKind;
use crate::yaml::{EntryId, NodeId};

impl Walker<'_> {
    /// Returns the part to add of an entry that updated has and local does not, or `None` for
    /// nothing. If the original has it, local deleted it, which is a conflict. If only a part of an
    /// element is added, the fields of its key are included.
    pub(super) fn absent_locally(&mut self, sides: Entries) -> Option<Outcome> {
        let nodes = self.values_of(sides);
        let (entry, updated) = (sides.updated?, nodes.updated?);
        let is_renamed = |original| self.is_renamed(original, (Side::Updated, entry));
        let part = match (sides.original, self.options.sides) {
            (Some(original), _) if is_renamed(original) => Outcome::Keep,
            // In a merge of equal sides, each side of a conflict is that side's whole entry, and
            // any change of its text is a change.
            (Some(original), Sides::Equal)
                if self.clearing_nulls(nodes).updated
                    || !self.is_rewritten(original, (Side::Updated, entry)) =>
            {
                return None;
            }
            (Some(_), Sides::Equal) => Outcome::Keep,
            _ => self.difference(sides.original, entry, self.key_of_element())?,
        };
        let incoming = Outcome::Take(Incoming::part(updated, part));
        if sides.original.is_none() {
            return Some(incoming);
        }
        let kind = ConflictKind::DeletedLocally;
        let outcome = self.conflict_over(kind, nodes, Outcome::Remove, incoming);
        (outcome != Outcome::Remove).then_some(outcome)
    }

    /// Whether nothing of upstream's entry is new: upstream did not change it, or its value is a
    /// null that acts as a deletion. An entry with an alias is not changed if only the value of the
    /// anchor is.
    fn is_deleted_or_unchanged(&self, sides: Entries) -> bool {
        let (nodes, trees) = (self.values_of(sides), self.trees);
        let is_same = |(original, updated)| {
            same_entry_text([(trees.original, original), (trees.updated, updated)])
        };
        self.clearing_nulls(nodes).updated
            || sides.original.zip(sides.updated).is_some_and(is_same)
            || self.unchanged_upstream(nodes)
    }

    /// Returns the part of an updated entry's value that the original does not have, including the
    /// fields of `key`, or `None` if there is no difference.
    fn difference(
        &self,
        original: Option<EntryId>,
        updated: EntryId,
        key: Option<&ListKey>,
    ) -> Option<Outcome> {
        if key == Some(&ListKey::Scalar) {
            // In a set, a null is an element and not a deletion.
            return original.is_none().then_some(Outcome::Keep);
        }
        let sides = Triple::new(original, Some(updated), None);
        let nodes = self.values_of(sides);
        if self.is_deleted_or_unchanged(sides) {
            return None;
        }
        let trees = self.trees;
        let (Some(original), Some(updated)) = (nodes.original, nodes.updated) else {
            return Some(Outcome::Keep);
        };
        if self.has_tag_of_its_own(nodes, Side::Updated) {
            return Some(Outcome::Keep);
        }
        match (
            shape(trees.original, original),
            shape(trees.updated, updated),
        ) {
            (Shape::Map, Shape::Map) if !self.is_atomic_map(nodes) => {
                self.part_with_difference(None, sides, updated, key)
            }
            (Shape::List, Shape::List) => match self.pairing_key(nodes) {
                Some(inner) => self.part_with_difference(Some(&inner), sides, updated, None),
                None => Some(Outcome::Keep),
            },
            _ => Some(Outcome::Keep),
        }
    }

    /// Returns the entries of an updated map or, with a `key`, of an associative list or set that
    /// differ, and the fields that are part of `element_key`, or `None` if no entry differs.
    fn part_with_difference(
        &self,
        key: Option<&ListKey>,
        sides: Entries,
        updated: NodeId,
        element_key: Option<&ListKey>,
    ) -> Option<Outcome> {
        let tree = self.trees.updated;
        let originals = Index::of(self.trees.original, self.values_of(sides).original, key);
        let differences = entries_of(tree, updated).map(|entry| {
            let difference = self.difference(originals.find(tree, entry), entry, key);
            (entry, difference)
        });
        let differences: Vec<_> = differences.collect();
        if differences
            .iter()
            .all(|(_, difference)| difference.is_none())
        {
            return None;
        }
        let children = differences.into_iter().map(|(entry, difference)| {
            let outcome = match element_key.is_some_and(|key| key.has_field(tree, entry)) {
                true => Outcome::Keep,
                false => difference.unwrap_or(Outcome::Remove),
            };
            Child::local(entry, outcome)
        });
        Some(self.part_with_comments(sides, children.collect()))
    }

    /// Returns a part of an updated collection, with comments. A comment right above an entry is
    /// included if the entry is; any other comment is if the original does not have it.
    fn part_with_comments(&self, sides: Entries, children: Vec<Child>) -> Outcome {
        if children.iter().all(Child::is_untouched) {
            return Outcome::Keep;
        }
        let row_of = |side: Side| {
            let (tree, entry) = (self.trees[side], self.trees[side].entry(sides[side]?));
            tree.row(entry.value, Some(entry))
        };
        let Some(updated) = row_of(Side::Updated) else {
            return Outcome::merge(children);
        };
        let text = |side: Side, span| trimmed(self.trees[side].slice(span));
        let original = row_of(Side::Original);
        let original = original.iter().flat_map(|row| &row.items);
        let comments = original.filter(|item| item.kind == ItemKind::Comment);
        let known_comments: FxHashSet<&str> = comments
            .map(|item| text(Side::Original, item.span))
            .collect();
        let mut pieces = Vec::with_capacity(updated.items.len());
        let mut entries = (0..children.len() as u32).zip(&children).rev();
        // Whether the entry that owns the comments above it is included; `None` without an owner.
        let mut is_owner_included = None;
        for (at, item) in updated.items.iter().enumerate().rev() {
            let kind = match item.kind {
                ItemKind::End => Some(PieceKind::End),
                ItemKind::Entry(_) => {
                    let entry = entries.next();
                    is_owner_included = entry.map(|(_, child)| child.stays());
                    let entry = entry.filter(|(_, child)| child.stays());
                    entry.map(|(index, _)| PieceKind::Entry(index))
                }
                ItemKind::Comment => {
                    let is_new = || !known_comments.contains(text(Side::Updated, item.span));
                    let is_included = is_owner_included.unwrap_or_else(is_new);
                    let comment = CommentPiece::new(Side::Local, item.span, 0);
                    is_included.then_some(PieceKind::Comment(comment))
                }
            };
            is_owner_included = is_owner_included.filter(|_| item.blanks == 0);
            let blanks = Blanks::Lines(Side::Local, item.blank());
            pieces.extend(kind.map(|kind| (at, Piece { blanks, kind })));
        }
        if let Some((at, first)) = pieces.last_mut()
            && *at > 0
        {
            first.blanks = Blanks::Count(0);
        }
        Outcome::Row(Box::new(Row {
            span: updated.span,
            pieces: pieces.into_iter().rev().map(|(_, piece)| piece).collect(),
            children,
            moved: 0,
        }))
    }
}

/// Returns `Keep` if all entries are whole, and the list of entries otherwise.
pub(crate) fn part_of(children: Vec<Child>) -> Outcome {
    if children.iter().all(Child::is_untouched) {
        Outcome::Keep
    } else {
        Outcome::merge(children)
    }
}
