//! Decisions on conflicts, and the check that the file is YAML with them.

use super::files::OpenPlace;
use super::session::Session;
use crate::git::hunks::{Marked, has_markers};
use crate::triple::Side;
use crate::yaml::Tree;
use crate::yaml::stream::split;

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
    pub(super) fn text<'s>(&'s self, file: usize, open: impl Fn(&Marked<'s>) -> &'s str) -> String {
        let first = self.places.partition_point(|place| place.file < file);
        let taken = self.files[file].with(|index, conflict| {
            let decision = self.decision(first + index);
            decision.map_or_else(|| open(conflict), |it| it.text.as_str())
        });
        taken.text
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
        if !self.files[file].is_yaml {
            return Ok(());
        }
        let texts = [Side::Local, Side::Updated].map(|side| self.text(file, |it| it.side(side)));
        let [local, updated] = texts.map(|text| broken_yaml(&text));
        match (local, updated) {
            (Some(why), Some(_)) => Err(why),
            _ => Ok(()),
        }
    }
}

/// What keeps a text from being YAML.
fn broken_yaml(text: &str) -> Option<String> {
    let (document, error) = split(text)
        .iter()
        .find_map(|document| Some((*document, Tree::parse(document.text).err()?)))?;
    let at = document.start + error.offset.min(document.text.len());
    let line = 1 + text[..at].matches('\n').count();
    let message = error.message;
    Some(format!("the file would be no YAML: line {line}: {message}"))
}
