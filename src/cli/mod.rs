//! The command line: arguments to a [`Config`], a run of it, an exit status.

mod args;
mod config;
mod exit_code;
mod markers;
mod report;
mod run;

pub use args::parse;
pub use config::{Action, Command, Config, Form, ReportTo, Verbosity};
pub use exit_code::ExitCode;
pub use run::run;
