//! The command line: parses the arguments, runs the command and returns an exit status.
//!
//! `args` has the main command and dispatches to the subcommands. Arguments that commands share are
//! in `merge_args` (how to merge) and `output` (what to do with the result). `apply`
//! (with `patch`), `diff`, `explain`, `review`, `git` and `upstream_args` have the arguments of one
//! command or group of commands each. `run` carries out the commands that change a package (merge,
//! `apply` and `patch`). `upstream` carries out the commands about packages that come from
//! upstream. `print` prints the results of all others.

mod apply;
mod args;
mod diff;
mod explain;
mod git;
mod merge_args;
mod output;
mod print;
mod progress;
mod review;
mod run;
mod signals;
mod upstream;
mod upstream_args;

pub use args::{merge_arguments, run};
