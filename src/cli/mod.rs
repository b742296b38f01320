//! The command line: arguments, what they say is done, an exit status.
//!
//! `args` reads the arguments. What commands share is in `merge_args` and `markers` (how to merge),
//! `output` and `report` (what becomes of the result); `apply`, `patch`, `diff`, `review`, `git` and
//! `upstream` are those of one command each, and run it. `run` carries out what changes a package:
//! merges, `apply` and `patch`, with the settings in `config`.

mod apply;
mod args;
mod config;
mod diff;
mod exit_code;
mod explain;
mod extras;
mod git;
mod markers;
mod merge_args;
mod output;
mod output_path;
mod patch;
mod progress;
mod report;
mod review;
mod run;
mod signals;
mod upstream;
mod upstream_args;

pub use args::{merge_arguments, run};
pub use exit_code::ExitCode;
