//! The bytes of a file, shared by all sides that have the same ones.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::line_breaks::line_break_of;

/// The bytes of a file; clones share them.
///
/// ```
/// use merge3::package::Bytes;
///
/// let bytes = Bytes::from(b"a: 1\n".to_vec());
/// assert_eq!(bytes.len(), 5);
/// assert_eq!(bytes, Bytes::from(b"a: 1\n".to_vec()));
/// ```
#[derive(Debug, Clone)]
pub struct Bytes(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes: Vec<u8>,
    /// The bytes as text, with a line break at its end; see [`Bytes::with_line_break`].
    with_line_break: OnceLock<String>,
}

impl Bytes {
    /// Returns `text` with a line break at its end, which it must lack. `text` has to be these
    /// bytes: the result is made once and kept.
    pub(crate) fn with_line_break(&self, text: &str) -> &str {
        let add_line_break = || format!("{text}{}", line_break_of(text));
        self.0.with_line_break.get_or_init(add_line_break)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Shared {
            bytes,
            with_line_break: OnceLock::new(),
        }))
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for Bytes {}
