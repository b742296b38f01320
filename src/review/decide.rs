//! Decisions on open places, and the check that the file is still valid YAML with them.

use super::files::{OpenPlace, ResolvedFile};
use super::session::Session;
use crate::git::hunks::{ConflictHunk, has_markers};
use crate::triple::Side;

/// The decision about an open place.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    /// The text that replaces the conflict.
    pub(super) text: String,
    /// A short name of the decision, for the user.
    pub(super) label: &'static str,
    /// If a rule decided: the place at which the user made the rule.
    pub(super) rule_place: Option<usize>,
}

impl Decision {
    pub(super) fn new(text: impl Into<String>, label: &'static str) -> Self {
        Self {
            text: text.into(),
            label,
            rule_place: None,
        }
    }

    /// Makes the decision for one side.
    pub(super) fn side(place: &OpenPlace, side: Side) -> Self {
        Self::new(place.side(side), side.as_str())
    }
}

impl Session<'_> {
    /// Returns a file with the decisions made so far. `undecided` gives the text for each place
    /// that has no decision.
    pub(super) fn resolved<'s>(
        &'s self,
        file: usize,
        undecided: impl Fn(&ConflictHunk<'s>) -> &'s str,
    ) -> ResolvedFile {
        let first = self.places.partition_point(|place| place.file < file);
        self.files[file].resolved_with(|index, conflict| {
            let decision = self.decision(first + index);
            decision.map_or_else(|| undecided(conflict), |it| it.text.as_str())
        })
    }

    /// Checks that a file is still valid with the decisions made so far, the last of which put the
    /// text `new` into it. The file may be invalid with one side's lines in the undecided places,
    /// but not with either side's.
    ///
    /// # Errors
    /// `new` has conflict markers, or the file was YAML and would not be.
    pub(super) fn check(&self, file: usize, new: &str) -> Result<(), String> {
        if has_markers(new, self.files[file].marker_size) {
            return Err("there are conflict markers left in it".to_owned());
        }
        let syntax_error = |side| {
            let resolved = self.resolved(file, |it| it.side(side));
            resolved.parsed().syntax_error()
        };
        match [Side::Local, Side::Updated].map(syntax_error) {
            [Some(why), Some(_)] if self.files[file].is_yaml => {
                Err(format!("the file would not be YAML: {why}"))
            }
            _ => Ok(()),
        }
    }
}
