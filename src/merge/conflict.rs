//! The record of a place where both sides changed and do not agree (rules: Conflicts).

use std::sync::Arc;

use crate::triple::Triple;

/// What happened at a place of conflict.
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
    /// Upstream's change was held back by a comment `# merge3: keep`: no conflict, and listed
    /// apart.
    Pinned,
    /// Both sides changed one value, and both changes are in the result: no conflict, and listed
    /// apart.
    Combined(Means),
}

/// What a value that both sides changed was put together by (rules: Texts and images, Lists).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Means {
    /// A text, by its lines.
    Lines,
    /// A text that is YAML or JSON, by its structure.
    Structure,
    /// An image reference, by its parts.
    Image,
    /// A list that no key identifies, by its elements.
    Elements,
}

impl Means {
    /// The word that reports use.
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
    /// The word that reports use.
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
    /// By nobody yet: the local side stays, as no markers can be put around it.
    Open,
}

impl Resolution {
    /// The word that reports use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Updated => "updated",
            Self::Local => "local",
            Self::Markers => "markers",
            Self::Open => "open",
        }
    }

    /// Whether it is left to somebody.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Markers | Self::Open)
    }
}

/// One conflict in a document (or a file that is no YAML). There may be one for each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Where in the document, such as `spec.containers[name=app].image`; empty for the whole of it.
    pub path: Box<str>,
    /// What happened.
    pub kind: ConflictKind,
    /// The line in the local text, counted from 0 in the text that was merged; where the place is
    /// gone, the line that held it or its parent.
    pub line: usize,
    /// The three values as text, cut from each side; none where a side has none.
    pub values: Triple<Option<Box<str>>>,
    /// What was done about it.
    pub resolution: Resolution,
    /// The rule that says so, by its place in the file; `None` if it is the policy for all.
    pub rule: Option<Arc<str>>,
}
