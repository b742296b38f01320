//! YAML as text: documents, the tree over them, comments, scalars and equality. No word of merging.

mod block_style;
mod build;
mod comments;
mod cursor;
mod equal;
mod error;
pub mod go_json;
mod keys;
mod line_table;
mod lines;
mod marks;
mod navigate;
mod nesting;
mod parts;
pub(crate) mod row;
pub mod scalar;
mod source;
mod stored;
pub mod stream;
pub mod tree;

pub use block_style::json_in_block_style;
pub(crate) use cursor::same_bytes;
pub use equal::equal;
pub use error::ParseError;
pub(crate) use navigate::is_readable;
pub use nesting::nesting_at_most;
pub use stream::Document;
pub use tree::{
    Collection, Comments, Entry, EntryId, Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType,
    Span, Tree,
};
