//! Pairs the entries of three maps, or of three lists whose elements have an identity: by key, and
//! by renames (rules: Keys, Renamed keys, Lists with a key).

use super::keys::{Elements, ListKey};
use super::renames::Renames;
use super::{Entries, Nodes, Shape, Walker, shape};
use crate::line_breaks::with_line_break;
use crate::merge::index::{FieldIndex, fields_of, key_of};
use crate::triple::{Side, Triple};
use crate::yaml::{EntryId, NodeId, Tree};

/// The entries of a map or list, by key.
pub(super) enum Index<'k> {
    Fields(FieldIndex<'k>),
    Elements(Elements<'k>),
}

impl<'k> Index<'k> {
    /// Indexes the fields of a map or, with a `key`, the elements of a list. The index of any other
    /// node is empty.
    pub(super) fn of(tree: &'k Tree<'k>, node: Option<NodeId>, key: Option<&'k ListKey>) -> Self {
        match key {
            Some(key) => Self::Elements(key.index(tree, node)),
            None => Self::Fields(fields_of(tree, node)),
        }
    }

    /// Returns the entry that has the key of an entry of `tree`.
    pub(super) fn find(&self, tree: &Tree<'_>, entry: EntryId) -> Option<EntryId> {
        match self {
            Self::Fields(fields) => fields.find(key_of(tree, entry)?),
            Self::Elements(elements) => elements.find(tree, entry),
        }
    }
}

/// The entries of three maps or lists, paired.
pub(super) struct Pairing<'k> {
    trees: Triple<&'k Tree<'k>>,
    indexes: Triple<Index<'k>>,
    /// Whether all three are maps with the same keys in the same order.
    has_same_keys: bool,
    pub(super) renames: Renames,
}

impl Pairing<'_> {
    /// Returns the entry of side `to` that has the key of `entry` of side `from`.
    pub(super) fn find(&self, from: Side, entry: EntryId, to: Side) -> Option<EntryId> {
        match (&self.indexes[from], &self.indexes[to]) {
            (Index::Fields(from), Index::Fields(to)) if self.has_same_keys => {
                to.at_position_of(entry, from)
            }
            (_, index) => index.find(self.trees[from], entry),
        }
    }

    /// Returns a local entry with those that pair with it.
    pub(super) fn of_local(&self, entry: EntryId) -> Entries {
        let renamed = self.renames.local.old_of(entry);
        let original = renamed.or_else(|| self.find(Side::Local, entry, Side::Original));
        let updated = original.and_then(|original| self.renames.updated.new_of(original));
        let updated = updated.or_else(|| match renamed {
            Some(original) => self.find(Side::Original, original, Side::Updated),
            None => self.find(Side::Local, entry, Side::Updated),
        });
        Triple::new(original, updated, Some(entry))
    }

    /// Returns an updated entry with those that pair with it.
    pub(super) fn of_updated(&self, entry: EntryId) -> Entries {
        let renamed = self.renames.updated.old_of(entry);
        let original = renamed.or_else(|| self.find(Side::Updated, entry, Side::Original));
        let local = original
            .and_then(|original| self.renames.local.new_of(original))
            .or_else(|| self.find(Side::Original, renamed?, Side::Local))
            .or_else(|| self.find(Side::Updated, entry, Side::Local));
        Triple::new(original, Some(entry), local)
    }
}

/// Returns how the line of a key ends: the white space behind the colon, whether nothing else
/// follows on the line, and whether the key has a line of its own, with a `?`. Returns `None` for
/// an element, and if a comment is behind the colon.
fn end_of_key<'t>(tree: &'t Tree<'_>, entry: EntryId) -> Option<(&'t str, bool, bool)> {
    let entry = tree.entry(entry);
    let span = tree.white_space_behind_key(entry)?;
    let is_explicit = |key| tree.node(key).span.start > entry.span.start;
    Some((
        tree.slice(span),
        tree.is_line_end(span.end),
        entry.key.is_some_and(is_explicit),
    ))
}

impl<'a> Walker<'a> {
    /// Pairs the fields of three maps or, with a `key`, the elements of three lists by their keys.
    pub(super) fn paired_by_key<'k>(&self, key: Option<&'k ListKey>, nodes: Nodes) -> Pairing<'k>
    where
        'a: 'k,
    {
        let trees = self.trees;
        let indexes = trees
            .zip(nodes)
            .map(|(tree, node)| Index::of(tree, node, key));
        let has_same_keys = match indexes.as_ref().into_array() {
            [
                Index::Fields(original),
                Index::Fields(updated),
                Index::Fields(local),
            ] => original.has_keys_of(updated) && original.has_keys_of(local),
            _ => false,
        };
        Pairing {
            trees,
            indexes,
            has_same_keys,
            renames: Renames::default(),
        }
    }

    /// Pairs the entries of three maps or lists by their keys, and those that a side renamed.
    pub(super) fn paired<'k>(&self, key: Option<&'k ListKey>, nodes: Nodes) -> Pairing<'k>
    where
        'a: 'k,
    {
        let mut pairing = self.paired_by_key(key, nodes);
        let wanted = key.map_or(Shape::Map, |_| Shape::List);
        let collections = self.trees.zip(nodes);
        let collections =
            collections.map(|(tree, node)| node.filter(|node| shape(tree, *node) == wanted));
        let key_fields = key.map_or(0, |key| key.names().count());
        pairing.renames = self.renames(collections, key_fields, &pairing);
        pairing
    }

    /// Returns the updated field if local's field gets its key line: upstream alone renamed the
    /// field, or changed how the line is written, such as the quotes of the key.
    pub(super) fn new_key(&self, renames: &Renames, sides: Entries) -> Option<EntryId> {
        let (updated, local) = (sides.updated?, sides.local?);
        let keys = self.each(sides, |tree, entry| {
            let entry = tree.entry(entry);
            tree.style_of(entry.key?)?;
            Some(with_line_break(
                tree.slice(tree.span_to_colon(entry)?),
                "\n",
            ))
        });
        let keys = keys.map(Option::flatten);
        let is_renamed = keys.local.is_some()
            && renames.updated.old_of(updated).is_some()
            && renames.local.old_of(local).is_none();
        let end = |side: Side| end_of_key(self.trees[side], sides[side]?);
        // if local has updated's new value already, that came without the white space in front
        let has_updated_value = || {
            let nodes = self.values_of(sides);
            self.is_equal_updated_local(nodes) && !self.unchanged_upstream(nodes)
        };
        let is_spaced = || {
            let local = end(Side::Local);
            end(Side::Updated) != local && end(Side::Original) == local && !has_updated_value()
        };
        let is_restyled =
            keys.original == keys.local && (keys.updated != keys.local || is_spaced());
        (is_renamed || is_restyled).then_some(updated)
    }
}
