//! Decides about the anchors and aliases that upstream adds to values that local has, such as where
//! it writes equal values as an anchor and aliases of it (rules: Places and formats).

use super::same_text::same_lines;
use super::{Entries, Walker};
use crate::merge::decision::{Incoming, Outcome};
use crate::triple::{Side, Triple};
use crate::yaml::{Entry, EntryId, NodeKind, Tree};

impl Walker<'_> {
    /// Returns upstream's alias if it replaces an equal value that local has as the original writes
    /// it.
    pub(super) fn new_alias(&self, entries: Entries) -> Option<Outcome> {
        let (original, updated, local) = (entries.original?, entries.updated?, entries.local?);
        let trees = self.trees;
        let value = trees.updated.entry(updated).value;
        let is_new = matches!(trees.updated.node(value).kind, NodeKind::Alias(_))
            && [(trees.original, original), (trees.local, local)]
                .into_iter()
                .all(|(tree, entry)| !tree.slice(tree.entry(entry).span).contains(['&', '*']));
        let is_taken = is_new
            && self.merges_lines
            && self.on_own_lines == Triple::new(true, true, true)
            && same_lines((trees.original, original), (trees.local, local))
            && self.unchanged_upstream(self.values_of(entries))
            && !self.holds_pin(self.values_of(entries));
        is_taken.then(|| Outcome::Take(Incoming::whole(value)))
    }

    /// Returns the updated entry whose value has an anchor that local's value gets: one that
    /// upstream added or renamed. `outcome` is the decision about the value.
    pub(super) fn new_anchor(&self, entries: Entries, outcome: &Outcome) -> Option<EntryId> {
        let entry = |side: Side| Some(self.trees[side].entry(entries[side]?));
        let anchor = |side: Side| {
            let (tree, entry) = (self.trees[side], entry(side)?);
            tree.node(entry.value).anchor().map(|it| tree.slice(it))
        };
        let name = anchor(Side::Updated)?;
        let (tree, local) = (self.trees.local, entry(Side::Local)?);
        let stays = matches!(outcome, Outcome::Keep | Outcome::Merge(_) | Outcome::Row(_));
        let is_known = || {
            let known = [self.trees.original, tree].map(Tree::anchor_names);
            let known = || known.into_iter().flatten().collect();
            self.known_anchors.get_or_init(known).contains(name)
        };
        let is_added = stays
            && self.on_own_lines.local
            && match anchor(Side::Local) {
                Some(own) => anchor(Side::Original) == Some(own),
                None => has_room_for_anchor(tree, local),
            }
            && !is_known();
        entries.updated.filter(|_| is_added)
    }
}

/// Whether an anchor can be added to the value of an entry, which has none, on the line of its key
/// or dash.
fn has_room_for_anchor(tree: &Tree<'_>, entry: Entry<'_>) -> bool {
    let value = tree.node(entry.value);
    let is_on_own_line = || tree.start_of_indent(value.span.start).is_some();
    !matches!(value.kind, NodeKind::Alias(_))
        && (!tree.is_block_collection(entry.value) || is_on_own_line())
}
