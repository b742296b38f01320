//! The command line: arguments to a [`Command`], a run of it, an exit status.
//!
//! `args` reads the arguments. What commands share is in `merge_args` and `markers` (how to merge),
//! `output` and `report` (what becomes of the result); `apply`, `patch`, `diff`, `review`, `git` and
//! `upstream_args` are those of one command each. `config` holds what was said. `run` carries out
//! merges, `apply` and `patch`, and hands the other commands on: to `upstream`, `diff`, `explain`,
//! `review`, and to [`crate::git`].

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

pub use args::parse;
pub use config::{Action, Command, Config, Job, Shown, Verbosity};
pub use diff::DiffJob;
pub use exit_code::ExitCode;
pub use extras::Extra;
pub use output_path::Destination;
pub use report::{Form, ReportTo};
pub use review::Review;
pub use run::run;
pub use upstream_args::{UpstreamCommand, UpstreamRun};
