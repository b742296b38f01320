//! A key occurs once in a map.

use rustc_hash::FxHashMap;

use super::error::ParseError;
use super::stored::{Stored, StoredEntry};
use super::stream::count_lines;
use super::tree::ScalarType;

/// Above this many entries a hash table pays.
const SMALL: usize = 16;

/// What makes two keys the same: the type, the content, and an application's own tag.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
pub(crate) struct KeyIdentity<'a> {
    scalar_type: ScalarType,
    content: &'a [u8],
    tag: Option<&'a str>,
}

impl<'a> KeyIdentity<'a> {
    /// Of what a scalar is, and says in bytes.
    pub(super) const fn new(
        (scalar_type, content): (ScalarType, &'a [u8]),
        tag: Option<&'a str>,
    ) -> Self {
        let content = match scalar_type {
            ScalarType::Null => &[],
            _ => content,
        };
        Self {
            scalar_type,
            content,
            tag,
        }
    }
}

/// Refuses a map in which a key occurs twice (SPEC 5.5): the one whose entries are those from `first` on.
pub(super) fn check(stored: &Stored<'_>, first: usize) -> Result<(), ParseError> {
    let entries = &stored.entries[first..];
    let identity = |entry: &StoredEntry| {
        let id = stored.resolve(entry.key()?);
        let tag = stored.custom_tags.get(&id);
        Some(KeyIdentity::new(stored.said(id)?, tag.map(AsRef::as_ref)))
    };
    if entries.len() <= SMALL {
        // keys that are the same have the same imprint; most have one of their own
        let mut imprints = [0; SMALL];
        for (index, entry) in entries.iter().enumerate() {
            let key = identity(entry);
            let own = key.as_ref().map_or(0, |key| imprint(key.content));
            let mut above = entries[..index].iter();
            if imprints[..index].contains(&own)
                && let Some(first) = above.find(|other| identity(other) == key)
            {
                return Err(duplicate(stored, first, entry));
            }
            imprints[index] = own;
        }
        return Ok(());
    }
    let mut seen = FxHashMap::with_capacity_and_hasher(entries.len(), Default::default());
    for entry in entries {
        if let Some(first) = seen.insert(identity(entry), entry) {
            return Err(duplicate(stored, first, entry));
        }
    }
    Ok(())
}

/// A number for a key: its length, and what stands at its ends.
fn imprint(bytes: &[u8]) -> u64 {
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

fn duplicate(stored: &Stored<'_>, first: &StoredEntry, second: &StoredEntry) -> ParseError {
    let text = stored.text;
    let start = second.span.start as usize;
    let key = second.key().map(|key| stored.node(key).span);
    let key = &text[key.unwrap_or_default().range()];
    let between = count_lines(&text[first.span.start as usize..start]);
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
