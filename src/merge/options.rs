//! What a merge may be told.

use std::sync::Arc;

use clap::ValueEnum;

use super::conflict::Resolution;
use super::markers::MarkerStyle;
use super::rules::Rule;
use crate::schema::Schema;

/// Who wins where both sides changed and do not agree (rules: Conflicts).
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
    /// Nobody: both sides go between conflict markers.
    #[value(help = "Nobody: both sides go between conflict markers, and the exit status is 1")]
    Markers,
}

impl OnConflict {
    /// How a conflict comes out.
    pub const fn resolution(self) -> Resolution {
        match self {
            Self::Updated | Self::Fail => Resolution::Updated,
            Self::Local => Resolution::Local,
            Self::Markers => Resolution::Markers,
        }
    }
}

/// How lists merge that no key identifies (rules: Lists).
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

/// How scalars of several lines merge that both sides changed (rules: Texts and images).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Texts {
    /// By lines; where they conflict, by what they say.
    #[default]
    Lines,
    /// Each is one value, as for kustomize and kpt.
    Replace,
    /// By lines and no further: what is embedded in a text itself.
    #[value(skip)]
    LinesOnly,
}

/// How image references merge that both sides changed (rules: Texts and images).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Images {
    /// Registry and repository, and tag and digest, each on their own.
    #[default]
    Parts,
    /// A reference is one value, as for kustomize and kpt.
    Whole,
}

/// What the two sides are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// Updated is upstream, and local a customised copy: what both added merges, and what upstream
    /// deleted goes.
    #[default]
    Upstream,
    /// Two people's work, of which neither is to be touched without need: two different insertions
    /// at one place of a list, two elements that both added, and a deletion of what the other side
    /// rewrote, even without another value, are conflicts as well.
    Equal,
}

/// The settings of one merge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Who wins a conflict.
    pub on_conflict: OnConflict,
    /// How lists without a key merge.
    pub lists: Lists,
    /// What the two sides are to each other.
    pub sides: Sides,
    /// Further associative keys, tried after the built-in ones (`--key`).
    pub keys: Vec<String>,
    /// How scalars of several lines merge.
    pub texts: Texts,
    /// How image references merge.
    pub images: Images,
    /// Rules for single places; of several that fit one place, the last counts.
    pub rules: Vec<Rule>,
    /// How conflict markers look, where nobody wins a conflict.
    pub markers: MarkerStyle,
    /// What is known of the fields of resources; none leaves it to what identifies the elements of
    /// a list (rules: Lists).
    pub schema: Option<Arc<Schema>>,
    /// One meaning of null for all documents; none leaves it to what the document is.
    pub nulls: Option<Nulls>,
}
