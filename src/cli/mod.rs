//! The command line: arguments to a [`Config`], a run of it, an exit status.

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
mod upgrade;
mod upstream;

pub use args::parse;
pub use config::{Action, Command, Config, Job, Shown, Verbosity};
pub use diff::DiffJob;
pub use exit_code::ExitCode;
pub use extras::Extra;
pub use output_path::Destination;
pub use report::{Form, ReportTo};
pub use review::Review;
pub use run::run;
pub use upstream::{UpstreamCommand, UpstreamRun};
