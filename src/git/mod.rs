//! What git calls, and what sets it up: the merge driver, `merge-file`, `solve`, `install` and its
//! kin.
//!
//! The two sides are equals here: nobody wins, and what both changed and do not agree on stays
//! between conflict markers. [`resolve`] is the merge of one file that all of them share.

mod attributes;
mod call;
mod commands;
mod files;
mod frame;
pub(crate) mod hunks;
mod install;
mod kept_changes;
mod lines;
pub mod resolve;
mod solve;
mod status;
mod unmerged;

pub use commands::{Command, Driver, FAILED, MergeFile, run};
pub use hunks::Favor;
pub use install::Scope;
pub use solve::{NotSolved, Solve, Solved, solve_text};
