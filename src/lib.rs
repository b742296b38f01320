//! A schema-free, comment-preserving three-way merge for YAML packages.
//!
//! Data goes one way: text, tree, walk, edits, check, disk.
#![forbid(unsafe_code)]

pub mod cli;
pub mod error;
pub mod git;
mod git_process;
mod line_breaks;
pub mod merge;
pub mod package;
pub mod patch;
pub mod report;
pub mod schema;
mod secret;
mod semantic_version;
pub mod triple;
pub mod upgrade;
mod visible;
pub mod yaml;
