//! The arguments of `merge3 patch`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::config::{Config, Job};
use super::output::OutputArgs;
use super::report::ReportArgs;
use crate::package::{PatchForm, Patching, ResourceName, Settings};
use crate::triple::Triple;

/// What is patched with what.
#[derive(Debug, Args)]
pub(super) struct PatchArgs {
    /// The patch: a file of one or more documents, each for the resource that it names (repeatable)
    #[arg(long = "patch", value_name = "PATCH", required = true)]
    patches: Vec<PathBuf>,
    /// The file or folder to change
    target: PathBuf,
    /// What the patch is: strategic (default), merge (RFC 7386), json (RFC 6902)
    #[arg(
        long = "type", value_enum, value_name = "TYPE", default_value_t = Form::Strategic,
        hide_possible_values = true, hide_default_value = true
    )]
    patch_type: Form,
    /// The resource to patch, for patches that name none: KIND/NAME
    #[arg(long, value_name = "KIND/NAME")]
    resource: Option<ResourceName>,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    Strategic,
    Merge,
    Json,
}

impl PatchArgs {
    /// What a run is told.
    pub(super) fn config(self) -> Config {
        let target = self.target;
        let patching = Patching {
            patches: self.patches,
            target: target.clone(),
            form: match self.patch_type {
                Form::Strategic => PatchForm::Strategic,
                Form::Merge => PatchForm::Merge,
                Form::Json => PatchForm::Json,
            },
            resource: self.resource,
            matches: self.matches,
        };
        let sides = Triple::new(target.clone(), target.clone(), target);
        self.output.config(
            sides,
            Settings::default(),
            Job::Patch(patching),
            self.report,
        )
    }
}
