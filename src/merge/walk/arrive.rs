//! What comes from upstream where local has nothing (rules: Maps, Lists): the difference from
//! original to updated.

use rustc_hash::FxHashSet;

use super::index::{FieldIndex, key_of};
use super::keys::ListKey;
use super::{Entries, Nodes, Shape, Walker, entries_of, shape};
use crate::merge::decision::{
    Blanks, Child, CommentPiece, Incoming, Outcome, Piece, PieceKind, Row,
};
use crate::merge::{ConflictKind, Sides};
use crate::triple::{Side, Triple};
use crate::yaml::row::ItemKind;
use crate::yaml::{EntryId, NodeId, equal};

impl Walker<'_> {
    /// What of an entry comes that updated has and local has not. Where original has it, local
    /// deleted it: a conflict. An element of which only a part comes takes its key along.
    pub(super) fn absent_locally(
        &mut self,
        sides: Entries,
        key: Option<&ListKey>,
    ) -> Option<Outcome> {
        let nodes = self.values_of(sides);
        let (entry, updated) = (sides.updated?, nodes.updated?);
        let part = self.difference(sides.original, entry, key);
        let part = part.or_else(|| self.whole_of_changed(nodes))?;
        if sides.original.is_none() {
            return Some(Outcome::Take(Incoming::part(updated, part)));
        }
        let part = match self.options.sides {
            // between equals each side of a conflict is the whole of that side
            Sides::Equal => Outcome::Keep,
            Sides::Upstream => part,
        };
        let taken = Outcome::Take(Incoming::part(updated, part));
        let outcome =
            self.conflict_over(ConflictKind::DeletedLocally, nodes, Outcome::Remove, taken);
        (outcome != Outcome::Remove).then_some(outcome)
    }

    /// Between equals, all of a value in which updated only deleted something: the conflict with
    /// local's deletion is about the whole entries.
    fn whole_of_changed(&self, nodes: Nodes) -> Option<Outcome> {
        let is_deleted = self.nulls_clear && self.trees.updated.is_null(nodes.updated?);
        let is_changed = nodes.original.is_some() && !is_deleted && !self.unchanged_upstream(nodes);
        (self.options.sides == Sides::Equal && is_changed).then_some(Outcome::Keep)
    }

    /// What of the value of `updated` is not in that of `original`, as a part of the updated tree,
    /// with the fields of `key`; `None` if there is nothing.
    fn difference(
        &self,
        original: Option<EntryId>,
        updated: EntryId,
        key: Option<&ListKey>,
    ) -> Option<Outcome> {
        let sides = Triple::new(original, Some(updated), None);
        let nodes = self.values_of(sides);
        let (Some(original), Some(updated)) = (nodes.original, nodes.updated) else {
            return self.addition(nodes.updated?);
        };
        let trees = self.trees;
        if equal(trees.original, original, trees.updated, updated) {
            return None;
        }
        if self.nulls_clear && trees.updated.is_null(updated) {
            return None;
        }
        match (
            shape(trees.original, original),
            shape(trees.updated, updated),
        ) {
            (Shape::Map, Shape::Map) if !self.is_atomic_map(nodes) => {
                self.field_difference(sides, (original, updated), key)
            }
            (Shape::List, Shape::List) => match self.pairing_key(nodes) {
                Some(key) => self.element_difference(&key, sides, (original, updated)),
                None => Some(Outcome::Keep),
            },
            _ => Some(Outcome::Keep),
        }
    }

    fn field_difference(
        &self,
        sides: Entries,
        (original, updated): (NodeId, NodeId),
        key: Option<&ListKey>,
    ) -> Option<Outcome> {
        let trees = self.trees;
        let originals = FieldIndex::of(trees.original, original);
        let mut children = self.coming_entries(updated, |entry| {
            let before = key_of(trees.updated, entry).and_then(|key| originals.find(key));
            self.difference(before, entry, None)
        })?;
        for child in &mut children {
            let name = child
                .sides()
                .local
                .and_then(|entry| key_of(trees.updated, entry));
            let is_key = |(_, name)| key.is_some_and(|key| key.names().any(|key| key == name));
            if name.is_some_and(is_key) {
                child.outcome = Outcome::Keep;
            }
        }
        Some(self.part_with_lines(sides, children))
    }

    fn element_difference(
        &self,
        key: &ListKey,
        sides: Entries,
        (original, updated): (NodeId, NodeId),
    ) -> Option<Outcome> {
        let trees = self.trees;
        let originals = key.index(trees.original, original);
        let children = self.coming_entries(updated, |entry| {
            let before = originals.find(Some(&key.identity(trees.updated, entry)?));
            if *key == ListKey::Scalar {
                // In a set a null is a member like any other.
                return before.is_none().then_some(Outcome::Keep);
            }
            self.difference(before, entry, Some(key))
        })?;
        Some(self.part_with_lines(sides, children))
    }

    /// The entries of an updated collection with what `coming` says of each; `None` if none comes.
    fn coming_entries(
        &self,
        updated: NodeId,
        mut coming: impl FnMut(EntryId) -> Option<Outcome>,
    ) -> Option<Vec<Child>> {
        let children: Vec<Child> = entries_of(self.trees.updated, updated)
            .map(|entry| Child::local(entry, coming(entry).unwrap_or(Outcome::Remove)))
            .collect();
        children.iter().any(Child::stays).then_some(children)
    }

    /// A part of the collection of `sides.updated`. Of the comments in it those come that are right
    /// above an entry that comes, and those that updated added, unless they are about an entry that
    /// does not come.
    fn part_with_lines(&self, sides: Entries, children: Vec<Child>) -> Outcome {
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
        let words = |side: Side, span| self.trees[side].slice(span).trim();
        let original = row_of(Side::Original);
        let original = original.iter().flat_map(|row| &row.items);
        let comments = original.filter(|item| item.kind == ItemKind::Comment);
        let known: FxHashSet<&str> = comments
            .map(|item| words(Side::Original, item.span))
            .collect();
        let mut pieces = Vec::with_capacity(updated.items.len());
        let mut children = children.into_iter().rev();
        // whether the entry comes that a comment is right above
        let mut owner_comes = None;
        for (at, item) in updated.items.iter().enumerate().rev() {
            let kind = match item.kind {
                ItemKind::End => Some(PieceKind::End),
                ItemKind::Entry(_) => {
                    let child = children.next();
                    owner_comes = child.as_ref().map(Child::stays);
                    child.filter(Child::stays).map(PieceKind::Entry)
                }
                ItemKind::Comment => {
                    let is_new = || !known.contains(words(Side::Updated, item.span));
                    let comes = owner_comes.unwrap_or_else(is_new);
                    let comment = CommentPiece {
                        side: Side::Local,
                        span: item.span,
                        moved: 0,
                        of_side: None,
                    };
                    comes.then_some(PieceKind::Comment(comment))
                }
            };
            owner_comes = owner_comes.filter(|_| item.blanks == 0);
            let blanks = Blanks::Local(item.blank());
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
            moved: 0,
        }))
    }

    /// All of a value that original has not; nothing where it is a null, which has nothing to clear
    /// here.
    fn addition(&self, updated: NodeId) -> Option<Outcome> {
        let is_command = self.nulls_clear && self.trees.updated.is_null(updated);
        (!is_command).then_some(Outcome::Keep)
    }
}

/// `Keep` where every child is whole, else the children one by one.
pub(crate) fn part_of(children: Vec<Child>) -> Outcome {
    if children.iter().all(Child::is_untouched) {
        Outcome::Keep
    } else {
        Outcome::merge(children)
    }
}
