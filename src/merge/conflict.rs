//! The record of a conflict, and of other things that reports list (rules: Conflicts).

use std::sync::Arc;

use crate::secret::HIDDEN;
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
    /// The path and the values.
    pub(crate) texts: ConflictTexts,
    /// What happened.
    pub kind: ConflictKind,
    /// The line in the local text before the merge, counted from 0. If local lacks the place, the
    /// line of what held it or of its parent.
    pub line: usize,
    /// How it was resolved.
    pub resolution: Resolution,
    /// The origin of the rule that resolved it; `None` if the policy did.
    pub rule: Option<Arc<str>>,
}

impl Conflict {
    /// Returns the path in the document, such as `spec.containers[name=app].image`; empty for the
    /// whole document.
    pub fn path(&self) -> &str {
        self.texts.split().0
    }

    /// Returns the value on each side, as text; `None` if a side has none.
    pub fn values(&self) -> Triple<Option<&str>> {
        self.texts.split().1
    }

    /// Sets the path.
    pub(crate) fn set_path(&mut self, path: &str) {
        self.texts = ConflictTexts::new(path, &self.values());
    }

    /// Hides the values, which are those of a Secret.
    pub(crate) fn hide_values(&mut self) {
        let hidden = self.values().map(|value| value.map(|_| HIDDEN));
        self.texts = ConflictTexts::new(self.path(), &hidden);
    }
}

/// The path and the values of a conflict, in one block of memory: there may be a conflict for each
/// line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConflictTexts {
    joined: Box<str>,
    /// The length of the path.
    path: u32,
    /// The length of each value; [`ABSENT`] if a side has none.
    values: Triple<u32>,
}

const ABSENT: u32 = u32::MAX;

impl ConflictTexts {
    pub(crate) fn new(path: &str, values: &Triple<Option<impl AsRef<str>>>) -> Self {
        let values = values.as_ref().map(|it| it.as_ref().map(AsRef::as_ref));
        let [original, updated, local] = values.into_array().map(Option::unwrap_or_default);
        Self {
            joined: [path, original, updated, local].concat().into(),
            path: path.len() as u32,
            values: values.map(|it| it.map_or(ABSENT, |it| it.len() as u32)),
        }
    }

    fn split(&self) -> (&str, Triple<Option<&str>>) {
        let (path, mut rest) = self.joined.split_at(self.path as usize);
        let values = self.values.map(|len| {
            let (value, below) = rest.split_at_checked(len as usize)?;
            rest = below;
            Some(value)
        });
        (path, values)
    }
}
