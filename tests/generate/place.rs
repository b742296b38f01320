//! A place in a value, by which choices are made: what both sides have at one place is written
//! alike.

use crate::value::Value;

/// The hash of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// The document itself.
    pub const ROOT: Self = Self(0xcbf2_9ce4_8422_2325);

    /// A field of the map here.
    pub fn field(self, key: &str) -> Self {
        self.with(b'.').with_text(key)
    }

    /// An element of the list here: by what it says first, so that it is the same place after it
    /// moved.
    pub fn element(self, element: &Value) -> Self {
        let mut here = self.with(b'-');
        let mut value = element;
        loop {
            value = match value {
                Value::Scalar { text, .. } => return here.with_text(text),
                Value::Null => return here.with(b'~'),
                Value::List(list) => match list.first() {
                    Some(first) => first,
                    None => return here.with(b'['),
                },
                Value::Map(fields) => match fields.first() {
                    Some((key, first)) => {
                        here = here.with_text(key);
                        first
                    }
                    None => return here.with(b'{'),
                },
            };
        }
    }

    /// Something about this place.
    pub fn about(self, what: &str) -> u64 {
        self.with(b'#').with_text(what).0
    }

    fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    fn with_text(self, text: &str) -> Self {
        text.bytes().fold(self, Self::with)
    }
}
