//! The arguments that say which packages to merge and how, shared by several commands: the sides,
//! the options of the merge, and the style of conflict markers (rules: Conflict markers).

use std::path::PathBuf;

use clap::ValueEnum;

use super::args::usage_error;
use crate::merge::{ConflictStyle, Images, Lists, MarkerStyle, Nulls, OnConflict, Options, Texts};
use crate::package::Settings;
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
            schema: self.schema.map(|SchemaName::Kubernetes| self.definitions),
            config: self.config,
            ..Settings::default()
        }
    }
}

/// The arguments for the style of conflict markers.
#[derive(Debug, clap::Args)]
pub(super) struct MarkerArgs {
    /// How long conflict markers are (7)
    #[arg(
        long,
        value_name = "N",
        default_value_t = 7,
        hide_default_value = true,
        value_parser = clap::value_parser!(u8).range(1..),
        hide_short_help = true
    )]
    marker_size: u8,
    /// Names for local, original, updated, in this order
    #[arg(short = 'L', long = "label", value_name = "LABEL", value_parser = label, hide_short_help = true)]
    labels: Vec<String>,
    /// Between markers: merge (default), diff3, zdiff3
    #[arg(long, value_enum, value_name = "STYLE", hide_short_help = true)]
    conflict_style: Option<ConflictStyle>,
}

/// Parses a label of a marker. It is written into a line, so it must not contain control
/// characters.
fn label(text: &str) -> Result<String, &'static str> {
    match text.contains(char::is_control) {
        true => Err("a label is one line"),
        false => Ok(text.to_owned()),
    }
}

impl MarkerArgs {
    /// Returns the style of conflict markers, for a subcommand or the main command. A side without
    /// a label gets its path as label.
    ///
    /// # Errors
    /// There are more labels than sides.
    pub(super) fn style(
        self,
        subcommand: &str,
        paths: &Triple<PathBuf>,
    ) -> Result<MarkerStyle, clap::Error> {
        let count = self.labels.len();
        if count > 3 {
            let message = format!(
                "--label is given {count} times: local, original and updated have one each"
            );
            return Err(usage_error(subcommand, &message));
        }
        Ok(MarkerStyle {
            size: self.marker_size.into(),
            labels: labels(&self.labels, paths),
            conflict_style: self.conflict_style,
        })
    }
}

/// Returns the labels of the sides. They are given in the order of `git merge-file`: local,
/// original, updated. A side without a label gets its path as label.
pub(super) fn labels(given: &[String], paths: &Triple<PathBuf>) -> Triple<String> {
    let positions = Triple::new(1, 2, 0).zip(paths.as_ref());
    positions.map(|(position, path)| match given.get(position) {
        Some(label) => label.clone(),
        None => path.to_string_lossy().into_owned(),
    })
}
