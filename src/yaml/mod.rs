//! Reads YAML: splits a file into documents, and parses a document into a tree with spans, comments
//! and scalar types. This module does not know of merging.
//!
//! `stream` splits a file into documents. `lines` reads ordinary documents line by line. `events`
//! reads all other documents from the events of yaml-rust2, and reports errors. Both use `builder`
//! to make the [`Tree`], which `stored` defines in a compact form. `navigate` finds nodes and lines,
//! `gaps` finds blank lines and comments, `row` reads those between entries, and `equal` compares
//! values.

mod block_style;
mod builder;
mod comments;
mod cursor;
mod deep_comments;
mod equal;
mod error;
mod events;
mod gaps;
pub mod go_json;
mod keys;
mod line_table;
mod lines;
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
pub(crate) use equal::{equal_but_anchors, equal_documents};
pub use error::ParseError;
pub(crate) use navigate::is_readable;
pub use nesting::nesting_at_most;
pub use stored::Tree;
pub use stream::Document;
pub use tree::{
    Collection, Comments, Entry, EntryId, Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType,
    Span,
};
