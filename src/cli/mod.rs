//! The command line: arguments to a [`Config`], a run of it, an exit status.

mod apply;
mod args;
mod config;
mod diff;
mod elsewhere;
mod exit_code;
mod explain;
mod extras;
mod git;
mod markers;
mod merge_args;
mod output;
mod patch;
mod progress;
mod report;
mod review;
mod run;
mod signals;
mod upgrade;
mod upstream;

pub use args::parse;
pub use config::{Action, Command, Config, Form, Job, ReportTo, Verbosity};
pub use diff::DiffJob;
pub use elsewhere::Destination;
pub use exit_code::ExitCode;
pub use extras::Extra;
pub use review::Review;
pub use run::run;
pub use upstream::{Command as UpstreamCommand, Run as UpstreamRun};
