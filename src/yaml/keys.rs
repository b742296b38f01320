//! A key occurs once in a map.

use rustc_hash::FxHashMap;

use super::error::ParseError;
use super::stream::count_lines;
use super::tree::{Entry, Node, NodeId, NodeKind, Scalar, ScalarType};

/// Above this many entries a hash table pays.
const SMALL: usize = 16;

/// What makes two keys the same: the type, the content, and an application's own tag.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
pub(crate) struct KeyIdentity<'a> {
    scalar_type: ScalarType,
    content: &'a str,
    tag: Option<&'a str>,
}

impl<'a> KeyIdentity<'a> {
    pub(crate) fn new(scalar: &'a Scalar<'_>, tag: Option<&'a str>) -> Self {
        let content: &str = match scalar.scalar_type {
            ScalarType::Null => "",
            _ => &scalar.content,
        };
        Self {
            scalar_type: scalar.scalar_type,
            content,
            tag,
        }
    }
}

/// Refuses a map in which a key occurs twice (SPEC 5.5).
pub(crate) fn check(
    text: &str,
    nodes: &[Node<'_>],
    entries: &[Entry],
    tags: &FxHashMap<NodeId, Box<str>>,
) -> Result<(), ParseError> {
    let identity = |entry: &Entry| {
        let mut id = entry.key?;
        while let NodeKind::Alias(target) = nodes[id.0 as usize].kind {
            id = target;
        }
        match &nodes[id.0 as usize].kind {
            NodeKind::Scalar(scalar) => {
                Some(KeyIdentity::new(scalar, tags.get(&id).map(AsRef::as_ref)))
            }
            _ => None,
        }
    };
    if entries.len() <= SMALL {
        // keys that are the same have the same imprint; most have one of their own
        let mut imprints = [0; SMALL];
        for (index, entry) in entries.iter().enumerate() {
            let key = identity(entry);
            let own = key.as_ref().map_or(0, |key| imprint(key.content));
            let above = imprints[..index].iter().zip(entries);
            let mut alike = above.filter(|(imprint, _)| **imprint == own);
            if let Some((_, first)) = alike.find(|(_, other)| identity(other) == key) {
                return Err(duplicate(text, nodes, first, entry));
            }
            imprints[index] = own;
        }
        return Ok(());
    }
    let mut seen = FxHashMap::with_capacity_and_hasher(entries.len(), Default::default());
    for entry in entries {
        if let Some(first) = seen.insert(identity(entry), entry) {
            return Err(duplicate(text, nodes, first, entry));
        }
    }
    Ok(())
}

/// A number for a key: its length, and what stands at its ends.
fn imprint(content: &str) -> u64 {
    let bytes = content.as_bytes();
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

fn duplicate(text: &str, nodes: &[Node<'_>], first: &Entry, second: &Entry) -> ParseError {
    let start = second.span.start as usize;
    let key = second
        .key
        .map_or("", |id| &text[nodes[id.0 as usize].span.range()]);
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
