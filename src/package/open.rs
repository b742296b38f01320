//! Documents that one side deleted and the other changed, where nobody wins ([`OnConflict::Markers`]).

use super::documents::FileMerge;
use super::pair::Group;
use super::parsed::ParsedFile;
use super::plan::FileConflict;
use super::{Content, Outcome};
use crate::merge::markers::mark;
use crate::merge::{OnConflict, Options, Resolution};
use crate::triple::Triple;

/// Whose word counts on such a document: the file is put together once each way, and the lines that differ go between markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Local,
    Updated,
}

/// Whether a conflict is about a document that one side has not got, and is left to somebody.
pub(super) fn is_left_open(conflict: &FileConflict) -> bool {
    let conflict = &conflict.conflict;
    conflict.path.is_empty()
        && conflict.resolution == Resolution::Markers
        && (conflict.values.updated.is_none() || conflict.values.local.is_none())
}

/// The file, put together both ways, as one text with markers.
pub(super) fn either_way(
    base: &ParsedFile<'_>,
    local: Outcome,
    updated: &Outcome,
    options: &Options,
) -> Outcome {
    let text = |content: &Content| match content {
        Content::Unchanged => base.text.to_owned(),
        Content::Delete => String::new(),
        Content::Write(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    };
    let texts = Triple::new(
        base.text.to_owned(),
        text(&updated.content),
        text(&local.content),
    );
    let marked = mark(texts.as_ref().map(String::as_str), &options.markers);
    Outcome {
        content: Content::Write(marked.into_bytes()),
        ..local
    }
}

impl<'c> FileMerge<'c, '_, '_> {
    /// Documents that the local side deleted, where upstream's word counts on them.
    pub(super) fn coming_back(&self) -> Vec<&'c Group> {
        match self.whole {
            Whole::Local => Vec::new(),
            Whole::Updated => (self.job.deleted.iter())
                .filter(|group| self.is_changed_upstream(group))
                .collect(),
        }
    }

    /// The resolution of a conflict about a document in a file that the local side has: nobody's, where nobody is to win.
    pub(super) fn left_open(&self, resolution: Resolution) -> Resolution {
        if self.context.options.on_conflict == OnConflict::Markers && self.job.base.is_some() {
            Resolution::Markers
        } else {
            resolution
        }
    }
}
