//! The packed form of nodes and entries.

use super::super::tree::{NodeId, ScalarStyle, ScalarType, Span};

/// An offset or index that is missing.
pub(super) const NONE: u32 = u32::MAX;
/// Texts have to be shorter than this number of bytes, because offsets share 32 bits with flags.
pub(crate) const LENGTH_LIMIT: usize = 1 << OFFSET_BITS;
/// The number of bits in an offset.
const OFFSET_BITS: u32 = 26;

/// An offset into a text, or the index of a node, with six more bits for a code or flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed(u32);

/// A node in 8 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredNode {
    /// The start, with the code of the kind.
    pub(super) start: Packed,
    /// The end, with the flags [`HAS_PROPERTIES`] and [`HAS_DETAILS`].
    pub(super) end: Packed,
}

/// The details of a node that is not a scalar, or of a scalar whose content is not in the text as
/// it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Details {
    /// The end of the node.
    pub(super) end: u32,
    /// For a collection, the indexes of its entries. For a scalar, the position of its content. For
    /// an alias, an empty span at the index of the node that it refers to.
    pub(super) span: Span,
}

/// A node with an anchor or a tag.
pub(super) const HAS_PROPERTIES: u32 = 1;
/// A node with details: `end` has their index instead of an offset.
pub(super) const HAS_DETAILS: u32 = 2;

#[derive(Debug, Clone, Copy)]
pub(super) enum StoredKind {
    Scalar(ScalarStyle, ScalarType),
    Collection { is_map: bool, flow: bool },
    Alias,
}

/// An entry in 4 bytes: the index of its value and flags, if everything else follows from the value
/// and the key. Otherwise, the index of the full entry.
#[derive(Debug, Clone, Copy)]
pub(in crate::yaml) struct ShortEntry(Packed);

/// An entry in 20 bytes. Its value may be missing while it is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::yaml) struct StoredEntry {
    /// The index of the value, with [`HAS_KEY`] and [`HAS_COMMA`]. The key is the node before the
    /// value.
    value: Packed,
    pub(in crate::yaml) span: Span,
    pub(in crate::yaml) colon: u32,
    /// The index of its comments.
    pub(super) comments: u32,
}

/// An entry that is a field: it starts with its key, and the colon is right after the key.
const HAS_KEY: u32 = 1;
/// An entry of a flow collection with a comma behind it.
const HAS_COMMA: u32 = 2;
/// An entry that starts with a dash, two bytes before its value.
const HAS_DASH: u32 = 4;
/// An entry that is stored in full elsewhere.
const IS_REFERENCE: u32 = 8;
/// A value that was not read yet.
const NO_VALUE: u32 = LENGTH_LIMIT as u32 - 1;

impl Packed {
    pub(super) const fn new(offset: u32, bits: u32) -> Self {
        Self(offset & (LENGTH_LIMIT as u32 - 1) | bits << OFFSET_BITS)
    }

    pub(super) const fn offset(self) -> u32 {
        self.0 & (LENGTH_LIMIT as u32 - 1)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0 >> OFFSET_BITS
    }
}

impl StoredNode {
    #[inline(always)]
    pub(super) fn kind(&self) -> StoredKind {
        StoredKind::of_code(self.start.bits())
    }

    /// Returns the index of the details, if there are some.
    #[inline(always)]
    pub(super) fn details_index(&self) -> Option<usize> {
        (self.end.bits() & HAS_DETAILS != 0).then_some(self.end.offset() as usize)
    }
}

impl ShortEntry {
    /// Returns a reference to a full entry.
    pub(super) const fn reference(number: u32) -> Self {
        Self(Packed::new(number, IS_REFERENCE))
    }

    /// Returns the short form of an entry whose value starts at `value`, if the entry follows from
    /// its nodes. The caller has to check that it does.
    pub(super) fn compress(entry: &StoredEntry, value: u32) -> Self {
        let dash = match entry.key() {
            None if entry.span.start != value => HAS_DASH,
            _ => 0,
        };
        Self(Packed::new(entry.value.offset(), entry.value.bits() | dash))
    }

    /// Returns the index of the full entry, if this is a reference to one.
    #[inline(always)]
    pub(super) fn full_index(self) -> Option<usize> {
        (self.0.bits() & IS_REFERENCE != 0).then_some(self.0.offset() as usize)
    }

    /// Returns the full entry, which has to follow from its nodes.
    #[inline(always)]
    pub(super) fn expand(self, span_of: impl Fn(NodeId) -> Span) -> StoredEntry {
        let mut entry = StoredEntry::new(0);
        entry.value = Packed::new(self.0.offset(), self.0.bits() & (HAS_KEY | HAS_COMMA));
        let value = span_of(entry.value());
        let key = entry.key().map(span_of);
        let start = match key {
            Some(key) => key.start,
            None if self.0.bits() & HAS_DASH != 0 => value.start.saturating_sub(2),
            None => value.start,
        };
        entry.span = Span::new(start, value.end);
        entry.colon = key.map_or(NONE, |key| key.end);
        entry
    }
}

impl StoredKind {
    const TYPES: u32 = 8;
    const COLLECTIONS: u32 = 5 * Self::TYPES;
    const ALIAS: u32 = Self::COLLECTIONS + 4;

    /// Returns the code of the kind, which is less than 64.
    pub(super) const fn code(self) -> u32 {
        match self {
            Self::Scalar(style, scalar_type) => style as u32 * Self::TYPES + scalar_type as u32,
            Self::Collection { is_map, flow } => {
                Self::COLLECTIONS + is_map as u32 * 2 + flow as u32
            }
            Self::Alias => Self::ALIAS,
        }
    }

    /// Returns the kind with this code. The codes of styles and types are their discriminants, so
    /// this compiles to almost nothing.
    #[inline(always)]
    pub(super) const fn of_code(code: u32) -> Self {
        if code >= Self::ALIAS {
            return Self::Alias;
        }
        if code >= Self::COLLECTIONS {
            let which = code - Self::COLLECTIONS;
            return Self::Collection {
                is_map: which & 2 != 0,
                flow: which & 1 != 0,
            };
        }
        let style = match code / Self::TYPES {
            0 => ScalarStyle::Plain,
            1 => ScalarStyle::SingleQuoted,
            2 => ScalarStyle::DoubleQuoted,
            3 => ScalarStyle::Literal,
            _ => ScalarStyle::Folded,
        };
        let scalar_type = match code % Self::TYPES {
            0 => ScalarType::Null,
            1 => ScalarType::Bool,
            2 => ScalarType::Int,
            3 => ScalarType::Float,
            4 => ScalarType::Timestamp,
            5 => ScalarType::Merge,
            6 => ScalarType::Str,
            _ => ScalarType::Custom,
        };
        Self::Scalar(style, scalar_type)
    }
}

impl StoredEntry {
    /// Returns an entry that starts at `start`.
    pub(in crate::yaml) const fn new(start: u32) -> Self {
        Self {
            value: Packed::new(NO_VALUE, 0),
            span: Span::new(start, start),
            colon: NONE,
            comments: NONE,
        }
    }

    pub(in crate::yaml) fn key(&self) -> Option<NodeId> {
        (self.value.bits() & HAS_KEY != 0).then(|| NodeId::new(self.value.offset() - 1))
    }

    pub(in crate::yaml) const fn value(&self) -> NodeId {
        NodeId::new(self.value.offset())
    }

    pub(in crate::yaml) fn colon(&self) -> Option<u32> {
        (self.colon != NONE).then_some(self.colon)
    }

    pub(super) const fn has_comma(&self) -> bool {
        self.value.bits() & HAS_COMMA != 0
    }

    /// Records that a comma is behind the entry.
    pub(in crate::yaml) const fn set_comma(&mut self) {
        self.value = Packed::new(self.value.offset(), self.value.bits() | HAS_COMMA);
    }

    /// Whether the value was read.
    pub(in crate::yaml) const fn has_value(&self) -> bool {
        self.value.offset() != NO_VALUE
    }

    /// Marks the key as read. The next node will be the value.
    pub(in crate::yaml) const fn set_key(&mut self) {
        self.value = Packed::new(NO_VALUE, HAS_KEY);
    }

    pub(in crate::yaml) const fn set_value(&mut self, value: NodeId) {
        self.value = Packed::new(value.number(), self.value.bits());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_entries_are_small() {
        assert_eq!(size_of::<StoredNode>(), 8);
        assert_eq!(size_of::<ShortEntry>(), 4);
        assert_eq!(size_of::<StoredEntry>(), 20);
    }

    #[test]
    fn each_kind_has_its_code() {
        for code in 0..=StoredKind::ALIAS {
            assert_eq!(StoredKind::of_code(code).code(), code);
        }
        let last = StoredKind::Scalar(ScalarStyle::Folded, ScalarType::Custom);
        assert!(last.code() < StoredKind::COLLECTIONS);
        const { assert!(StoredKind::ALIAS < 1 << (u32::BITS - OFFSET_BITS)) };
    }
}
