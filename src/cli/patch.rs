//! The arguments of `merge3 patch`.

use std::path::PathBuf;

use clap::Args;

use super::config::{Config, Job};
use super::output::{FilesArgs, OutputArgs};
use super::report::ReportArgs;
use crate::package::{Given, PatchForm, Patching, Selector};
use crate::triple::Triple;

/// The arguments of `patch`.
#[derive(Debug, Args)]
pub(super) struct PatchArgs {
    /// The patch: a file of one or more documents, each for the resource that it names (repeatable)
    #[arg(
        long = "patch", value_name = "PATCH",
        required_unless_present_any = ["words", "kustomization"]
    )]
    patches: Vec<PathBuf>,
    /// A patch in words, as in -p '{"spec": {"replicas": 2}}' (repeatable)
    #[arg(short = 'p', value_name = "TEXT")]
    words: Vec<String>,
    /// A folder with a kustomization: its patches are applied
    #[arg(long, value_name = "DIR", conflicts_with_all = ["patches", "words", "resources"])]
    kustomization: Option<PathBuf>,
    /// The file or folder to change; - reads standard input and prints the result
    target: PathBuf,
    /// What the patch is: strategic (default), merge (RFC 7386), json (RFC 6902)
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    patch_type: Option<PatchForm>,
    /// The resource to patch, for patches that name none: KIND/NAME or
    /// KIND/NAMESPACE/NAME (repeatable)
    #[arg(long = "resource", value_name = "KIND/NAME")]
    resources: Vec<Selector>,
    /// The namespace of resources that name none
    #[arg(short, long)]
    namespace: Option<String>,
    #[command(flatten)]
    files: FilesArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl PatchArgs {
    /// Returns the settings of the run.
    pub(super) fn config(self) -> Config {
        let target = self.target;
        let paths = self.patches.into_iter().map(Given::Path);
        let patching = Patching {
            patches: paths
                .chain(self.words.into_iter().map(Given::Words))
                .collect(),
            kustomization: self.kustomization,
            target: target.clone(),
            form: self.patch_type.unwrap_or_default(),
            resources: self.resources,
            namespace: self.namespace,
        };
        let sides = Triple::new(target.clone(), target.clone(), target);
        let settings = self.files.settings();
        let output = (self.output, self.report);
        Config::new(Job::Patch(patching), sides, settings, output)
    }
}
