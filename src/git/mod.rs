//! The commands for use with git: the merge driver, `merge-file`, `solve`, `install`, `uninstall`
//! and `status`.
//!
//! No side wins here: conflicts stay between conflict markers unless the caller favors a side.
//! [`resolve`] merges one file, by structure or by lines, for all these commands. Its parts:
//! `lines` is git's text merge, `kept_changes` checks that a merged text has the changes of both
//! sides, `frame` merges line breaks and byte order marks, and `hunks` reads conflict markers.
//! `commands` runs the driver and `merge-file`. `solve` rebuilds the sides of a file with conflict
//! markers, with the help of the versions that `unmerged` reads from git's index. `install` sets
//! the driver up, and shows whether it is.

mod commands;
mod files;
mod frame;
pub(crate) mod hunks;
mod install;
mod kept_changes;
mod lines;
pub mod resolve;
mod settings;
mod solve;
mod unmerged;

pub(crate) use commands::{FAILED, FilesToMerge, drive, merge_file};
pub use hunks::Favor;
pub(crate) use install::{Scope, install, install_mergetool, status, uninstall};
pub(crate) use solve::solve;
pub use solve::{NotSolved, Solved, solve_text};
