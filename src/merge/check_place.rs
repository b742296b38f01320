//! The place of a value in the merged tree, for the errors of `check`.

use crate::yaml::{EntryId, Tree};

/// A place in the merged tree: an entry, and the place of the collection that has it.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) entry: Option<EntryId>,
    pub(super) above: Option<&'p Place<'p>>,
}

impl Place<'_> {
    pub(super) const ROOT: Self = Self {
        entry: None,
        above: None,
    };

    /// Returns the path of the place.
    pub(super) fn path(&self, tree: &Tree<'_>) -> String {
        let above = self
            .above
            .map_or_else(String::new, |above| above.path(tree));
        let Some(entry) = self.entry else {
            return above;
        };
        match tree.key_text(entry) {
            Some(name) if above.is_empty() => name.to_owned(),
            Some(name) => format!("{above}.{name}"),
            None => format!("{above}[]"),
        }
    }
}
