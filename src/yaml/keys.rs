//! Checks that the keys of a map are unique, and identifies scalars.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::error::ParseError;
use super::stored::Tree;
use super::stream::count_lines;
use super::tree::{EntryId, NodeId, ScalarType, Span};

/// The maximum number of entries for which a map is checked without a hash table.
const SMALL_MAP: usize = 8;

/// The identity of a scalar: its type, its content, and its custom tag. Equal scalars have equal
/// identities.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
pub(crate) struct Identity<'a> {
    scalar_type: ScalarType,
    content: &'a [u8],
    tag: Option<&'a str>,
}

impl Tree<'_> {
    /// Returns the identity of the scalar that a node is or refers to. Equal scalars have equal
    /// identities (rules: Equality). Returns `None` for a collection.
    #[inline]
    pub(crate) fn identity(&self, scalar: NodeId) -> Option<Identity<'_>> {
        let (scalar_type, content) = self.type_and_content(scalar)?;
        Some(Identity {
            scalar_type,
            content: match scalar_type {
                ScalarType::Null => &[],
                _ => content,
            },
            tag: match scalar_type {
                ScalarType::Custom => self.custom_tag(scalar),
                _ => None,
            },
        })
    }

    /// Returns the identity of the key of a field.
    #[inline]
    pub(super) fn identity_of_key(&self, entry: EntryId) -> Option<Identity<'_>> {
        self.identity(self.entry(entry).key?)
    }
}

/// Returns an error if two of these entries have the same key (rules: Keys).
pub(super) fn check_unique(tree: &Tree<'_>, entries: Span) -> Result<(), ParseError> {
    let ids = (entries.start..entries.end).map(EntryId::new);
    if ids.len() <= SMALL_MAP {
        let mut keys = [None; SMALL_MAP];
        for (index, id) in ids.clone().enumerate() {
            let key = tree.identity_of_key(id);
            if let Some(first) = keys[..index].iter().position(|other| *other == key) {
                return Err(duplicate(
                    tree,
                    EntryId::new(entries.start + first as u32),
                    id,
                ));
            }
            keys[index] = key;
        }
        return Ok(());
    }
    // the table holds entry numbers only: the keys are in the tree
    let mut seen = HashTable::with_capacity(ids.len());
    let hash = |id: &EntryId| FxBuildHasher.hash_one(tree.identity_of_key(*id));
    for id in ids {
        let key = tree.identity_of_key(id);
        let is_same = |other: &EntryId| tree.identity_of_key(*other) == key;
        match seen.entry(hash(&id), is_same, hash) {
            Entry::Occupied(first) => return Err(duplicate(tree, *first.get(), id)),
            Entry::Vacant(vacant) => vacant.insert(id),
        };
    }
    Ok(())
}

/// Returns the error for a duplicate key.
fn duplicate(tree: &Tree<'_>, first: EntryId, second: EntryId) -> ParseError {
    let [first, second] = [first, second].map(|id| tree.entry(id));
    let start = second.span.start as usize;
    let key = second.key.map(|key| tree.span_of(key));
    let key = tree.slice(key.unwrap_or_default());
    let between = count_lines(&tree.text()[first.span.start as usize..start]);
    let place = match between {
        0 => "both on this line".to_owned(),
        1 => "first on the line above".to_owned(),
        more => format!("first {more} lines above"),
    };
    ParseError::new(
        start,
        format!("the key `{key}` occurs twice in one map, {place}"),
    )
    .with_help("remove one of the two")
}
