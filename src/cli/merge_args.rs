//! The arguments that say which packages to merge and how, shared by several commands.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::merge::{Images, Lists, MarkerStyle, Nulls, OnConflict, Options, Texts};
use crate::package::{SchemaSource, Settings};
use crate::triple::Triple;

/// The paths of the three packages.
#[derive(Debug, clap::Args)]
pub(super) struct SidesArgs {
    /// What both others derive from: a folder or a file
    #[arg(long, value_name = "OLD")]
    ancestor: PathBuf,
    /// The package with upstream's changes
    #[arg(long, value_name = "NEW")]
    from: PathBuf,
    /// The package to change: your fork
    #[arg(long, value_name = "LOCAL")]
    to: PathBuf,
}

impl SidesArgs {
    pub(super) fn paths(self) -> Triple<PathBuf> {
        Triple::new(self.ancestor, self.from, self.to)
    }
}

/// The options of a merge.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct MergeArgs {
    /// Who wins: updated (default), local, fail, markers
    #[arg(long, value_enum, value_name = "WHO", default_value = "updated")]
    pub(super) on_conflict: OnConflict,
    /// How lists without a key merge: merge (default), set, replace
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    lists: Option<Lists>,
    /// How texts of several lines merge: lines (default), replace
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    texts: Option<Texts>,
    /// How image references merge: parts (default), whole
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    images: Option<Images>,
    /// A further key that may identify elements (repeatable)
    #[arg(long = "key", value_name = "KEY", hide_short_help = true)]
    keys: Vec<String>,
    /// Whose keys lists merge by, where it knows them: kubernetes
    #[arg(long, value_enum, value_name = "NAME", hide_short_help = true)]
    schema: Option<SchemaName>,
    /// A file with CRDs, for --schema (repeatable)
    #[arg(
        long = "crd",
        value_name = "FILE",
        requires = "schema",
        hide_short_help = true
    )]
    definitions: Vec<PathBuf>,
    /// What null means everywhere: clear or keep
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    nulls: Option<Nulls>,
    /// Pair resources only within files of one path
    #[arg(long, hide_short_help = true)]
    path_merge_key: bool,
    /// Read these as YAML, instead of *.yaml, *.yml, *.json, Kptfile; others
    /// merge line by line (repeatable)
    #[arg(
        long = "yaml",
        alias = "match",
        value_name = "GLOB",
        hide_short_help = true
    )]
    matches: Vec<String>,
    /// Leave files that are not YAML alone
    #[arg(long, hide_short_help = true)]
    yaml_only: bool,
    /// Rules for single places; else .merge3.yaml in LOCAL
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaName {
    /// The kinds built into Kubernetes, and custom resource definitions
    Kubernetes,
}

impl MergeArgs {
    /// Returns the settings of the merge, with the given style of conflict markers.
    pub(super) fn settings(self, markers: MarkerStyle) -> Settings {
        Settings {
            merge: Options {
                on_conflict: self.on_conflict,
                lists: self.lists.unwrap_or_default(),
                texts: self.texts.unwrap_or_default(),
                images: self.images.unwrap_or_default(),
                keys: self.keys,
                nulls: self.nulls,
                markers,
                ..Options::default()
            },
            path_merge_key: self.path_merge_key,
            matches: self.matches,
            yaml_only: self.yaml_only,
            schema: self.schema.map(|SchemaName::Kubernetes| SchemaSource {
                definitions: self.definitions,
            }),
            config: self.config,
            ..Settings::default()
        }
    }
}
