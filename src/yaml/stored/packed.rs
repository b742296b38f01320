//! The form that nodes and entries are kept in.

use super::super::tree::{NodeId, ScalarStyle, ScalarType, Span};

/// Stands for the place, or the number, of what is not there.
pub(super) const NONE: u32 = u32::MAX;
/// How many bytes a text has to stay below: its offsets share their numbers with other things.
pub(crate) const LENGTH_LIMIT: usize = 1 << OFFSET_BITS;
/// How many bits an offset takes.
const OFFSET_BITS: u32 = 26;

/// A number that an offset into a text, or a node, fits into, and a few bits more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed(u32);

/// A node in 8 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredNode {
    /// With the code of its kind.
    pub(super) start: Packed,
    /// With [`OPEN`], [`HAS_PROPERTIES`] and [`HAS_MORE`].
    pub(super) end: Packed,
}

/// What there is to know of a node that is no scalar, or one whose content the text has in another
/// form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Details {
    /// Where it ends.
    pub(super) end: u32,
    /// A collection's entries; where the content is; the number of what an alias stands for, and
    /// nothing.
    pub(super) span: Span,
}

/// A collection whose end is still to come.
pub(super) const OPEN: u32 = 1;
/// A node that has an anchor or a tag.
pub(super) const HAS_PROPERTIES: u32 = 2;
/// A node of which there is more to know: where its end would be is the number of that.
pub(super) const HAS_DETAILS: u32 = 4;

#[derive(Debug, Clone, Copy)]
pub(super) enum StoredKind {
    Scalar(ScalarStyle, ScalarType),
    Collection { is_map: bool, flow: bool },
    Alias,
}

/// An entry in 4 bytes: the number of its value, and how all else follows from that and its key; or
/// the number of the whole entry, where it does not.
#[derive(Debug, Clone, Copy)]
pub(in crate::yaml) struct ShortEntry(Packed);

/// An entry in 20 bytes. It may be one that is being read, whose value is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::yaml) struct StoredEntry {
    /// With [`HAS_KEY`]; the key is the node before it.
    value: Packed,
    pub(in crate::yaml) span: Span,
    pub(super) colon: u32,
    /// The number of its extras; or, where a comma is all it has, that and [`LONE_COMMA`].
    pub(super) extras: u32,
}

/// An entry that is a field: it begins with its key, the colon right behind that.
const HAS_KEY: u32 = 1;
/// An entry that begins with a dash, two bytes before its value.
const HAS_DASH: u32 = 2;
/// An entry with a comma right behind its value.
const HAS_COMMA: u32 = 4;
/// An entry that is elsewhere.
const IS_REFERENCE: u32 = 8;
/// Marks the place of a comma where there could be a number: between brackets nearly every entry
/// has one.
const LONE_COMMA: u32 = 1 << 31;
/// Stands for a value that is still to come.
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

    /// The number of what more there is to know.
    #[inline(always)]
    pub(super) fn details_index(&self) -> Option<usize> {
        (self.end.bits() & HAS_DETAILS != 0).then_some(self.end.offset() as usize)
    }
}

impl ShortEntry {
    /// One that is elsewhere.
    pub(super) const fn reference(number: u32) -> Self {
        Self(Packed::new(number, IS_REFERENCE))
    }

    /// What says an entry, if all else follows from its nodes, the value of which starts at
    /// `value`.
    pub(super) fn compress(entry: &StoredEntry, value: u32) -> Self {
        let start = match entry.key() {
            Some(_) => HAS_KEY,
            None if entry.span.start == value => 0,
            None => HAS_DASH,
        };
        let comma = entry.lone_comma().map_or(0, |_| HAS_COMMA);
        Self(Packed::new(entry.value.offset(), start | comma))
    }

    /// Where the whole entry is, if not all follows from its nodes.
    #[inline(always)]
    pub(super) fn full_index(self) -> Option<usize> {
        (self.0.bits() & IS_REFERENCE != 0).then_some(self.0.offset() as usize)
    }

    /// The whole entry, where all follows from its nodes.
    #[inline(always)]
    pub(super) fn expand(self, span_of: impl Fn(NodeId) -> Span) -> StoredEntry {
        let has = |what: u32| self.0.bits() & what != 0;
        let mut entry = StoredEntry::new(0);
        entry.value = Packed::new(self.0.offset(), self.0.bits() & HAS_KEY);
        let value = span_of(entry.value());
        let key = entry.key().map(span_of);
        let start = match key {
            Some(key) => key.start,
            None if has(HAS_DASH) => value.start.saturating_sub(2),
            None => value.start,
        };
        entry.span = Span::new(start, value.end);
        entry.colon = key.map_or(NONE, |key| key.end);
        if has(HAS_COMMA) {
            entry.set_lone_comma(value.end);
        }
        entry
    }
}

impl StoredKind {
    const TYPES: u32 = 8;
    const COLLECTIONS: u32 = 5 * Self::TYPES;
    const ALIAS: u32 = Self::COLLECTIONS + 4;

    /// A number below 64.
    pub(super) const fn code(self) -> u32 {
        match self {
            Self::Scalar(style, scalar_type) => style as u32 * Self::TYPES + scalar_type as u32,
            Self::Collection { is_map, flow } => {
                Self::COLLECTIONS + is_map as u32 * 2 + flow as u32
            }
            Self::Alias => Self::ALIAS,
        }
    }

    /// The kind of that code. (What compiles to next to nothing: the codes of styles and types are
    /// those that Rust gives them.)
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
    /// One that begins at `start`.
    pub(in crate::yaml) const fn new(start: u32) -> Self {
        Self {
            value: Packed::new(NO_VALUE, 0),
            span: Span::new(start, start),
            colon: NONE,
            extras: NONE,
        }
    }

    pub(in crate::yaml) fn key(&self) -> Option<NodeId> {
        (self.value.bits() == HAS_KEY).then(|| NodeId::new(self.value.offset() - 1))
    }

    pub(in crate::yaml) const fn value(&self) -> NodeId {
        NodeId::new(self.value.offset())
    }

    pub(in crate::yaml) fn colon(&self) -> Option<u32> {
        (self.colon != NONE).then_some(self.colon)
    }

    /// Where its comma stands, where it has that and no other extras.
    #[inline]
    pub(super) fn lone_comma(&self) -> Option<u32> {
        let is_comma = self.extras != NONE && self.extras & LONE_COMMA != 0;
        is_comma.then_some(self.extras & !LONE_COMMA)
    }

    pub(super) const fn set_lone_comma(&mut self, at: u32) {
        self.extras = at | LONE_COMMA;
    }

    /// Whether its value was read.
    pub(in crate::yaml) const fn has_value(&self) -> bool {
        self.value.offset() != NO_VALUE
    }

    /// Its key was read: the node behind that will be its value.
    pub(in crate::yaml) const fn set_key(&mut self) {
        self.value = Packed::new(NO_VALUE, HAS_KEY);
    }

    pub(in crate::yaml) const fn set_value(&mut self, value: NodeId) {
        self.value = Packed::new(value.number(), self.value.bits());
    }

    pub(in crate::yaml) const fn set_colon(&mut self, at: u32) {
        self.colon = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_small() {
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
