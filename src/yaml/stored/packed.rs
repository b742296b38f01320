//! The form that nodes and entries are kept in.

use super::super::tree::{NodeId, ScalarStyle, ScalarType, Span};

/// Stands for the place, or the number, of what is not there.
pub(super) const NOWHERE: u32 = u32::MAX;
/// How many bytes a text has to stay below: its offsets share their numbers with other things.
pub(crate) const TOO_LONG: usize = 1 << OFFSET_BITS;
/// How many bits an offset takes.
const OFFSET_BITS: u32 = 26;

/// A number that an offset into a text, or a node, fits into, and a few bits more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed(u32);

/// A node in 12 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredNode {
    /// With the code of its kind.
    pub(super) start: Packed,
    /// With [`OPEN`] and [`HAS_PROPERTIES`].
    pub(super) end: Packed,
    /// A scalar's content, if the text has it in another form; a collection's entries; what an
    /// alias stands for.
    pub(super) number: u32,
}

/// A collection whose end is still to come.
pub(super) const OPEN: u32 = 1;
/// A node that has an anchor or a tag.
pub(super) const HAS_PROPERTIES: u32 = 2;

#[derive(Debug, Clone, Copy)]
pub(super) enum StoredKind {
    Scalar(ScalarStyle, ScalarType),
    Collection { is_map: bool, flow: bool },
    Alias,
}

/// An entry in 20 bytes. It may be one that is being read, whose value is still to come.
#[derive(Debug, Clone, Copy)]
pub(in crate::yaml) struct StoredEntry {
    /// With [`HAS_KEY`]; the key is the node before it.
    value: Packed,
    pub(in crate::yaml) span: Span,
    pub(super) colon: u32,
    /// The number of its extras; or, where a comma is all it has, that and [`LONE_COMMA`].
    pub(super) extras: u32,
}

/// An entry that is a field.
const HAS_KEY: u32 = 1;
/// Marks the place of a comma where there could be a number: between brackets nearly every entry
/// has one.
const LONE_COMMA: u32 = 1 << 31;
/// Stands for a value that is still to come.
const NO_VALUE: u32 = TOO_LONG as u32 - 1;

impl Packed {
    pub(super) const fn new(offset: u32, more: u32) -> Self {
        Self(offset & (TOO_LONG as u32 - 1) | more << OFFSET_BITS)
    }

    pub(super) const fn offset(self) -> u32 {
        self.0 & (TOO_LONG as u32 - 1)
    }

    pub(super) const fn more(self) -> u32 {
        self.0 >> OFFSET_BITS
    }
}

impl StoredNode {
    pub(super) const fn span(&self) -> Span {
        Span::new(self.start.offset(), self.end.offset())
    }

    #[inline(always)]
    pub(super) fn kind(&self) -> StoredKind {
        StoredKind::of_code(self.start.more())
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
            colon: NOWHERE,
            extras: NOWHERE,
        }
    }

    pub(in crate::yaml) fn key(&self) -> Option<NodeId> {
        (self.value.more() == HAS_KEY).then(|| NodeId::new(self.value.offset() - 1))
    }

    pub(in crate::yaml) const fn value(&self) -> NodeId {
        NodeId::new(self.value.offset())
    }

    pub(in crate::yaml) fn colon(&self) -> Option<u32> {
        (self.colon != NOWHERE).then_some(self.colon)
    }

    /// Where its comma stands, where it has that and no other extras.
    #[inline]
    pub(super) fn lone_comma(&self) -> Option<u32> {
        let is_comma = self.extras != NOWHERE && self.extras & LONE_COMMA != 0;
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
        self.value = Packed::new(value.number(), self.value.more());
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
        assert_eq!(size_of::<StoredNode>(), 12);
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
