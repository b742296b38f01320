//! The record of a conflict, and of other things that reports list (rules: Conflicts).

use std::sync::Arc;

use crate::triple::Triple;

/// What happened at the place of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConflictKind {
    /// Both changed the value.
    BothChanged,
    /// Both added it, with different values.
    BothAdded,
    /// Deleted locally, changed upstream.
    DeletedLocally,
    /// Deleted upstream, changed locally.
    DeletedUpstream,
    /// A map, list or scalar on one side is something else on another.
    KindChanged,
    /// Both moved the elements of a list.
    Order,
    /// Overlapping hunks of a file merged line by line.
    Text,
    /// A file that is not text.
    Binary,
    /// A comment `# merge3: keep` held back upstream's change. Not a conflict; reports list it
    /// separately.
    Pinned,
    /// Both sides changed one value, and both changes are in the result. Not a conflict; reports
    /// list it separately.
    Combined(CombinedBy),
}

/// How a value that both sides changed was merged (rules: Texts and images, Lists).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CombinedBy {
    /// A text, by its lines.
    Lines,
    /// A text that is YAML or JSON, by its structure.
    Structure,
    /// An image reference, by its parts.
    Image,
    /// A list without a key, by its elements.
    Elements,
}

impl CombinedBy {
    /// Returns the word that reports use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Structure => "structure",
            Self::Image => "image",
            Self::Elements => "elements",
        }
    }
}

impl ConflictKind {
    /// Returns the word that reports use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BothChanged => "both-changed",
            Self::BothAdded => "both-added",
            Self::DeletedLocally => "deleted-locally",
            Self::DeletedUpstream => "deleted-upstream",
            Self::KindChanged => "kind-changed",
            Self::Order => "order",
            Self::Text => "text",
            Self::Binary => "binary",
            Self::Pinned => "pinned",
            Self::Combined(means) => means.as_str(),
        }
    }
}

/// How a conflict was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// Upstream's side was taken.
    Updated,
    /// The local side stayed.
    Local,
    /// Both sides are in the result, between conflict markers.
    Markers,
    /// Not resolved yet: the local side stays, because it cannot stand between markers.
    Open,
}

impl Resolution {
    /// Returns the word that reports use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Updated => "updated",
            Self::Local => "local",
            Self::Markers => "markers",
            Self::Open => "open",
        }
    }

    /// Whether the user has to resolve it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Markers | Self::Open)
    }
}

/// One conflict in a document, or in a file that is not YAML. There may be one for each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path in the document, such as `spec.containers[name=app].image`; empty for the whole
    /// document.
    pub path: Box<str>,
    /// What happened.
    pub kind: ConflictKind,
    /// The line in the local text before the merge, counted from 0. If local lacks the place, the
    /// line of what held it or of its parent.
    pub line: usize,
    /// The value on each side, as text; `None` if a side has none.
    pub values: Triple<Option<Box<str>>>,
    /// How it was resolved.
    pub resolution: Resolution,
    /// The origin of the rule that resolved it; `None` if the policy did.
    pub rule: Option<Arc<str>>,
}
