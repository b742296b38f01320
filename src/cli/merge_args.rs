//! The arguments that say how packages merge: the main command's, and those of upgrades.

use std::path::PathBuf;

use clap::ValueEnum;

use super::markers::MarkerArgs;
use crate::merge::{self, Options};
use crate::package::{SchemaSource, Settings};
use crate::triple::Triple;

/// How a merge is done.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct MergeArgs {
    /// Who wins: updated (default), local, fail, markers
    #[arg(
        long, value_enum, value_name = "WHO", default_value_t = OnConflict::Updated,
        hide_possible_values = true, hide_default_value = true
    )]
    on_conflict: OnConflict,
    /// How lists without a key merge: merge (default), set, replace
    #[arg(
        long, value_enum, value_name = "HOW", default_value_t = Lists::Merge,
        hide_possible_values = true, hide_default_value = true, hide_short_help = true
    )]
    lists: Lists,
    /// How texts of several lines merge: lines (default), replace
    #[arg(
        long, value_enum, value_name = "HOW", default_value_t = Texts::Lines,
        hide_possible_values = true, hide_default_value = true, hide_short_help = true
    )]
    texts: Texts,
    /// How image references merge: parts (default), whole
    #[arg(
        long, value_enum, value_name = "HOW", default_value_t = Images::Parts,
        hide_possible_values = true, hide_default_value = true, hide_short_help = true
    )]
    images: Images,
    /// A further key that may identify elements (repeatable)
    #[arg(long = "key", value_name = "KEY", hide_short_help = true)]
    keys: Vec<String>,
    /// Whose keys lists merge by, where it knows them: kubernetes
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        hide_possible_values = true,
        hide_short_help = true
    )]
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
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        hide_possible_values = true,
        hide_short_help = true
    )]
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
enum OnConflict {
    /// Upstream wins
    Updated,
    /// Your side stays
    Local,
    /// Nothing is written, and the exit status is 1
    Fail,
    /// Nobody: both sides go between conflict markers, and the exit status is 1
    Markers,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Lists {
    /// Element by element, as diff3 merges lines
    Merge,
    /// Lists of scalars are ordered sets
    Set,
    /// Each is one value, as for kustomize and kpt
    Replace,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Texts {
    /// By lines; where they conflict, by what they say
    Lines,
    /// Each is one value, as for kustomize and kpt
    Replace,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Images {
    /// Registry and repository, and tag and digest, each on their own
    Parts,
    /// A reference is one value, as for kustomize and kpt
    Whole,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaName {
    /// The kinds built into Kubernetes, and custom resource definitions
    Kubernetes,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Nulls {
    /// It clears the field
    Clear,
    /// It is a value like any other
    Keep,
}

impl MergeArgs {
    /// Whether conflicts stay in the files.
    pub(super) const fn leaves_markers(&self) -> bool {
        matches!(self.on_conflict, OnConflict::Markers)
    }

    /// How packages merge, `names` standing behind conflict markers where nothing else is said.
    pub(super) fn settings(
        self,
        markers: MarkerArgs,
        names: Triple<String>,
    ) -> Result<Settings, String> {
        Ok(Settings {
            merge: Options {
                on_conflict: self.on_conflict.into(),
                lists: self.lists.into(),
                texts: self.texts.into(),
                images: self.images.into(),
                keys: self.keys,
                nulls: self.nulls.map(Into::into),
                markers: markers.style(names)?,
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
        })
    }
}

impl From<OnConflict> for merge::OnConflict {
    fn from(value: OnConflict) -> Self {
        match value {
            OnConflict::Updated => Self::Updated,
            OnConflict::Local => Self::Local,
            OnConflict::Fail => Self::Fail,
            OnConflict::Markers => Self::Markers,
        }
    }
}

impl From<Lists> for merge::Lists {
    fn from(value: Lists) -> Self {
        match value {
            Lists::Replace => Self::Replace,
            Lists::Set => Self::Set,
            Lists::Merge => Self::Merge,
        }
    }
}

impl From<Texts> for merge::Texts {
    fn from(value: Texts) -> Self {
        match value {
            Texts::Lines => Self::Lines,
            Texts::Replace => Self::Replace,
        }
    }
}

impl From<Images> for merge::Images {
    fn from(value: Images) -> Self {
        match value {
            Images::Parts => Self::Parts,
            Images::Whole => Self::Whole,
        }
    }
}

impl From<Nulls> for merge::Nulls {
    fn from(value: Nulls) -> Self {
        match value {
            Nulls::Clear => Self::Clear,
            Nulls::Keep => Self::Keep,
        }
    }
}
