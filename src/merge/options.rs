//! The settings of a merge.

use std::sync::Arc;

use clap::ValueEnum;

use super::conflict::Resolution;
use super::markers::MarkerStyle;
use super::rules::Rule;
use crate::schema::Schema;

/// How conflicts are resolved (rules: Conflicts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum OnConflict {
    /// Upstream wins.
    #[default]
    Updated,
    /// Your side stays.
    Local,
    /// Nothing is written; conflicts are recorded as under [`OnConflict::Updated`].
    #[value(help = "Nothing is written, and the exit status is 1")]
    Fail,
    /// The conflict is left open: both sides are between conflict markers.
    #[value(
        help = "Neither: both sides are put between conflict markers, and the exit status is 1"
    )]
    Markers,
}

impl OnConflict {
    /// Returns how a conflict is resolved.
    pub const fn resolution(self) -> Resolution {
        match self {
            Self::Updated | Self::Fail => Resolution::Updated,
            Self::Local => Resolution::Local,
            Self::Markers => Resolution::Markers,
        }
    }
}

/// How lists without a key merge (rules: Lists).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Lists {
    /// Element by element, as diff3 merges lines.
    #[default]
    Merge,
    /// Lists of scalars are ordered sets.
    Set,
    /// Each is one value, as for kustomize and kpt.
    Replace,
}

/// What an explicit null means (rules: Nulls).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Nulls {
    /// It clears the field.
    Clear,
    /// It is a value like any other.
    Keep,
}

/// How scalars of several lines that both sides changed merge (rules: Texts and images).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Texts {
    /// By lines; where they conflict, by their structure.
    #[default]
    Lines,
    /// Each is one value, as for kustomize and kpt.
    Replace,
    /// By lines only. For texts inside of an embedded document, which are not parsed again.
    #[value(skip)]
    LinesOnly,
}

/// How image references that both sides changed merge (rules: Texts and images).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Images {
    /// Registry and repository, and tag and digest, each on their own.
    #[default]
    Parts,
    /// A reference is one value, as for kustomize and kpt.
    Whole,
}

/// The relation of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// Updated is upstream, and local a customised copy: what both added merges, and what upstream
    /// deleted is removed.
    #[default]
    Upstream,
    /// Two branches of equal rank, as in the git driver. There are more conflicts: different
    /// insertions at one place of a list, elements that both sides added, and the deletion of text
    /// that the other side rewrote, even if its value is the same.
    Equal,
}

/// The settings of one merge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// How conflicts are resolved.
    pub on_conflict: OnConflict,
    /// How lists without a key merge.
    pub lists: Lists,
    /// The relation of the two sides.
    pub sides: Sides,
    /// Further associative keys, tried after the built-in ones (`--key`).
    pub keys: Vec<String>,
    /// How scalars of several lines merge.
    pub texts: Texts,
    /// How image references merge.
    pub images: Images,
    /// Rules for single places. If several match a place, the last one applies.
    pub rules: Vec<Rule>,
    /// The style of conflict markers, for [`OnConflict::Markers`].
    pub markers: MarkerStyle,
    /// The schema of resources' fields, which has the keys of lists. Without one, the key of a list
    /// is found by its elements (rules: Lists).
    pub schema: Option<Arc<Schema>>,
    /// The meaning of null in all documents. Without one, it depends on whether the document is a
    /// resource.
    pub nulls: Option<Nulls>,
}
