//! The command line: arguments to a [`Config`], a run of it, an exit status.

mod args;
mod config;
mod elsewhere;
mod exit_code;
mod explain;
mod extras;
mod git;
mod markers;
mod progress;
mod report;
mod run;
mod signals;

pub use args::parse;
pub use config::{Action, Command, Config, Form, ReportTo, Verbosity};
pub use elsewhere::Destination;
pub use exit_code::ExitCode;
pub use extras::Extra;
pub use run::run;
