//! Decisions on conflicts, and the check that the file is YAML with them.

use super::files::{OpenPlace, Taken};
use super::session::Session;
use crate::git::hunks::{Marked, has_markers};
use crate::triple::Side;

/// A place that is decided.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    /// What is there.
    pub(super) text: String,
    /// What was decided, in a word.
    pub(super) what: &'static str,
    /// The place at which the rule was made that decided this one.
    pub(super) by: Option<usize>,
}

impl Decision {
    pub(super) fn new(text: impl Into<String>, what: &'static str) -> Self {
        Self {
            text: text.into(),
            what,
            by: None,
        }
    }

    /// One side.
    pub(super) fn side(place: &OpenPlace, side: Side) -> Self {
        Self::new(place.side(side), side.as_str())
    }
}

impl Session<'_> {
    /// A file with what is decided, and what is `open` in the place of each other conflict.
    pub(super) fn taken<'s>(&'s self, file: usize, open: impl Fn(&Marked<'s>) -> &'s str) -> Taken {
        let first = self.places.partition_point(|place| place.file < file);
        self.files[file].with(|index, conflict| {
            let decision = self.decision(first + index);
            decision.map_or_else(|| open(conflict), |it| it.text.as_str())
        })
    }

    /// Whether a file is what it was with what is decided, and the text that is `new` in it,
    /// whatever becomes of the other places.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(&self, file: usize, new: &str) -> Result<(), String> {
        if has_markers(new, self.files[file].size) {
            return Err("there are conflict markers left in it".to_owned());
        }
        let why_broken = |side| self.taken(file, |it| it.side(side)).parsed().why_broken();
        match [Side::Local, Side::Updated].map(why_broken) {
            [Some(why), Some(_)] if self.files[file].is_yaml => {
                Err(format!("the file would be no YAML: {why}"))
            }
            _ => Ok(()),
        }
    }
}
