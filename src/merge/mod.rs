//! The rules of the merge: fields, lists and their keys, comments, order, conflicts. Works on texts, without a disk.

pub mod conflict;
pub mod options;
pub mod text;

pub use conflict::{Conflict, ConflictKind, Resolution};
pub use options::{Lists, Nulls, OnConflict, Options};
