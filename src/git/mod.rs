//! What git calls, and what sets it up: the merge driver, `merge-file`, `solve`, `install` and the
//! like.
//!
//! The two sides are equals here: nobody wins, and what both changed and do not agree on stays
//! between conflict markers. [`resolve`] is the merge of one file that all of them share; beside
//! its result it looks at that of git's text merge (`lines`), and `kept_changes` says whether this
//! one has the changes of both sides. `hunks` reads conflict markers and `frame` keeps line breaks
//! and byte order marks; `solve` rebuilds the sides of a marked file, with `unmerged` from git's
//! index. `commands` runs the driver and `merge-file`; `install`, `attributes` and `status` set the
//! driver up and tell of it.

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

pub(crate) use commands::{FAILED, FilesToMerge, drive, merge_file};
pub use hunks::Favor;
pub(crate) use install::{Scope, install, install_mergetool, uninstall};
pub(crate) use solve::solve;
pub use solve::{NotSolved, Solved, solve_text};
pub(crate) use status::status;
