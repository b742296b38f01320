//! YAML as text: documents, the tree over them, comments, scalars and equality. No word of merging.

pub mod tree;

pub use tree::{
    Collection, Comments, Entry, EntryId, Node, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType,
    Span, Tree,
};
