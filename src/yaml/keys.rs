//! Checks that the keys of a map are unique, and identifies scalars.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

use super::error::ParseError;
use super::stored::Tree;
use super::stream::count_lines;
use super::tree::{NodeId, ScalarType, Span};

/// The maximum number of entries for which a map is checked without a hash table.
const SMALL_MAP: usize = 16;

/// A factor that spreads the bits of a number into the highest bits of the product.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The identity of a scalar: its type, its content, and its custom tag. Equal scalars have equal
/// identities.
pub(crate) type Identity<'a> = (ScalarType, &'a str, Option<&'a str>);

impl Tree<'_> {
    /// Returns the identity of the scalar that a node is or refers to, or `None` for a collection.
    #[inline]
    pub(crate) fn identity(&self, scalar: NodeId) -> Option<Identity<'_>> {
        let found = self.scalar(scalar)?;
        Some(match found.scalar_type {
            ScalarType::Null => (ScalarType::Null, "", None),
            ScalarType::Custom => (ScalarType::Custom, found.content, self.custom_tag(scalar)),
            other => (other, found.content, None),
        })
    }

    fn identity_of_key(&self, entry: u32) -> Option<Identity<'_>> {
        self.identity(self.stored_entry(entry).key()?)
    }
}

/// Returns an error if two of these entries have the same key (rules: Keys).
pub(super) fn check_unique(tree: &Tree<'_>, entries: Span) -> Result<(), ParseError> {
    let count = entries.range().len();
    if count <= 1 {
        return Ok(());
    }
    if count <= SMALL_MAP {
        // equal keys have equal fingerprints, and so the same bit; only keys with the same bit are
        // compared
        let mut bits = 0_u64;
        for at in entries.start..entries.end {
            let key = tree.identity_of_key(at);
            let fingerprint = key.map_or(0, |(_, content, _)| fingerprint(content.as_bytes()));
            let bit = 1 << (fingerprint.wrapping_mul(MULTIPLIER) >> 58);
            if bits & bit != 0 {
                let key = tree.identity_of_key(at);
                let mut above = entries.start..at;
                if let Some(first) = above.find(|other| tree.identity_of_key(*other) == key) {
                    return Err(duplicate(tree, first, at));
                }
            }
            bits |= bit;
        }
        return Ok(());
    }
    // the table holds entry numbers only: the keys are in the tree
    let mut seen = HashTable::with_capacity(count);
    let hash = |at: &u32| FxBuildHasher.hash_one(tree.identity_of_key(*at));
    for at in entries.start..entries.end {
        let key = tree.identity_of_key(at);
        let is_same = |other: &u32| tree.identity_of_key(*other) == key;
        match seen.entry(hash(&at), is_same, hash) {
            Entry::Occupied(first) => return Err(duplicate(tree, *first.get(), at)),
            Entry::Vacant(vacant) => vacant.insert(at),
        };
    }
    Ok(())
}

/// Returns a number for a key, from its length and its first and last bytes.
fn fingerprint(bytes: &[u8]) -> u64 {
    let ends = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    };
    ends ^ (bytes.len() as u64) << 56
}

/// Returns the error for a duplicate key.
fn duplicate(tree: &Tree<'_>, first: u32, second: u32) -> ParseError {
    let [first, second] = [first, second].map(|entry| tree.stored_entry(entry));
    let text = tree.text;
    let start = second.span.start as usize;
    let key = second.key().map(|key| tree.node(key).span);
    let key = &text[key.unwrap_or_default().range()];
    let between = count_lines(&text[first.span.start as usize..start]);
    let place = match between {
        0 => "both on this line".to_owned(),
        1 => "first on the line above".to_owned(),
        more => format!("first {more} lines above"),
    };
    let message = format!("the key `{key}` occurs twice in one map, {place}");
    ParseError {
        is_duplicate_key: true,
        ..ParseError::new(start, message).with_help("remove one of the two")
    }
}
