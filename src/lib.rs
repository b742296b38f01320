//! A schema-free, comment-preserving three-way merge for YAML packages.
//!
//! Data goes one way: text, tree, walk, edits, check, disk.
#![forbid(unsafe_code)]

pub mod merge;
pub mod triple;
pub mod yaml;
