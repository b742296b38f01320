//! The command line: arguments, what they say is done, an exit status.
//!
//! `args` reads the arguments. What commands share is in `merge_args` and `markers` (how to merge),
//! `output` and `report` (what becomes of the result); `apply`, `patch`, `diff`, `explain`, `review`,
//! `git` and `upstream_args` have those of one command each, and what it does. `run` carries out
//! what changes a package, with the settings in `config`: merges, `apply` and `patch`. `upstream`
//! runs what has to do with upstreams.

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
