//! The arguments of `merge3 apply`.

use std::path::PathBuf;

use clap::Args;

use super::config::{Config, Job};
use super::output::OutputArgs;
use super::report::ReportArgs;
use crate::package::{ApplyTo, SchemaSource, Settings};
use crate::triple::Triple;

/// What is applied to what.
#[derive(Debug, Args)]
pub(super) struct ApplyArgs {
    /// The configuration (file or folder): what `kubectl apply -f` would get
    #[arg(long, value_name = "CONFIG")]
    config: PathBuf,
    /// The live objects (file or folder); changed in place
    #[arg(long, value_name = "LIVE")]
    live: PathBuf,
    /// What was applied last (file or folder), instead of what the annotations in LIVE say
    #[arg(long, value_name = "FILE")]
    last_applied: Option<PathBuf>,
    /// A file with custom resource definitions (repeatable)
    #[arg(long = "crd", value_name = "FILE")]
    definitions: Vec<PathBuf>,
    /// Read these as YAML, instead of *.yaml, *.yml, *.json, Kptfile; others
    /// are left alone (repeatable)
    #[arg(
        long = "yaml",
        alias = "match",
        value_name = "GLOB",
        hide_short_help = true
    )]
    matches: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl ApplyArgs {
    /// What a run is told.
    pub(super) fn config(self) -> Config {
        let settings = Settings {
            matches: self.matches,
            schema: Some(SchemaSource {
                definitions: self.definitions,
            }),
            ..Settings::default()
        };
        let sides = Triple::new(self.live.clone(), self.config.clone(), self.live.clone());
        let what = ApplyTo {
            config: self.config,
            live: self.live,
            last_applied: self.last_applied,
        };
        self.output
            .config(sides, settings, Job::Apply(what), self.report)
    }
}
