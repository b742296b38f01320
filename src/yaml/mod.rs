//! YAML as text: documents, the tree over them, comments, scalars and equality. No word of merging.
//!
//! `stream` cuts a file into documents. `lines` reads a document as most are written, line by line;
//! `events` reads all others by the events of yaml-rust2, and says what is wrong with a text. Both
//! put the [`Tree`] together by `builder`; `stored` is the form in which it is kept. `navigate`
//! finds things in a tree, `row` reads the comments and blank lines between its entries off the
//! text, `equal` compares values.

mod block_style;
mod builder;
mod comments;
mod cursor;
mod equal;
mod error;
mod events;
pub mod go_json;
mod keys;
mod line_table;
mod lines;
mod marks;
mod navigate;
mod nesting;
pub(crate) mod row;
pub mod scalar;
mod stored;
pub mod stream;
pub mod tree;
mod workarounds;

pub use block_style::json_in_block_style;
pub(crate) use cursor::same_bytes;
pub use equal::equal;
pub(crate) use equal::equal_documents;
pub use error::ParseError;
pub(crate) use navigate::is_readable;
pub use nesting::nesting_at_most;
pub use stream::Document;
pub use tree::{
    Collection, Comments, Entry, EntryId, Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType,
    Span, Tree,
};
