//! Decisions on conflicts, and the check that the file is YAML with them.

use super::files::{File, OpenPlace};
use crate::git::hunks::has_markers;
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

/// The decisions about the places of one file.
pub(super) type Decided<'d> = Vec<Option<&'d str>>;

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

impl File {
    /// The text with what is decided; the rest stays between markers.
    pub(super) fn decided(&self, decided: &Decided<'_>) -> String {
        let decision = |index: usize| decided.get(index).copied().flatten();
        self.with(|index, conflict| decision(index).unwrap_or(conflict.text))
            .text
    }

    /// Whether the file is what it was with what is decided, whatever becomes of the other places.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn check(&self, decided: &Decided<'_>, new: &str) -> Result<(), String> {
        if has_markers(new, self.size) {
            return Err("there are conflict markers left in it".to_owned());
        }
        if !self.is_yaml {
            return Ok(());
        }
        let mut why = None;
        for side in [Side::Local, Side::Updated] {
            let decision = |index: usize| decided.get(index).copied().flatten();
            let text = self.with(|index, it| decision(index).unwrap_or_else(|| it.side(side)));
            let documents = split(&text.text);
            let mut wrong = documents.iter().filter_map(|document| {
                let error = Tree::parse(document.text).err()?;
                let at = document.start + error.offset.min(document.text.len());
                let line = 1 + text.text.as_bytes()[..at]
                    .iter()
                    .filter(|it| **it == b'\n')
                    .count();
                Some(format!(
                    "the file would be no YAML: line {line}: {}",
                    error.message
                ))
            });
            match wrong.next() {
                None => return Ok(()),
                Some(wrong) => why = why.or(Some(wrong)),
            }
        }
        why.map_or(Ok(()), Err)
    }
}
