//! A place in a value. It seeds the choices of style, so that both sides write the same place in
//! the same way.

use crate::value::Value;

/// The hash of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// The root of the document.
    pub const ROOT: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Returns the place of a field of the map here.
    pub fn field(self, key: &str) -> Self {
        self.with(b'.').with_text(key)
    }

    /// Returns the place of an element of the list here. It depends on the first text of the
    /// element and not on its index, so that a moved element keeps its place.
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

    /// Returns a hash for one choice at this place.
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
