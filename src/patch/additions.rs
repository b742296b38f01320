//! Values and entries that no tree has yet: removed fields as nulls, directives, and what JSON
//! patches add.

use crate::merge::{Child, Incoming, Outcome, Slot, edited};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, Tree};

use super::{PatchResult, parse_generated, verification_error};

/// Entries as text. Until the text is parsed, an entry and its value are known by its index in
/// `texts`.
#[derive(Debug, Default)]
pub(super) struct Additions {
    texts: Vec<String>,
}

impl Additions {
    /// Adds a field or an element, given as whole lines. Returns its value.
    pub(super) fn value(&mut self, text: String) -> Incoming {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text);
        Incoming::whole(NodeId::new(number))
    }

    /// Adds a field or an element, given as whole lines. Returns it as a new entry.
    pub(super) fn entry(&mut self, text: String) -> Child {
        let value = self.value(text);
        let entry = EntryId::new(value.node.number());
        Child::updated(entry, Outcome::Take(value))
    }

    /// Returns the texts of the new entries among `children`.
    pub(super) fn texts_of(&self, children: &[Child]) -> Vec<String> {
        children
            .iter()
            .filter_map(|child| match child.slot {
                Slot::Updated(number) => self.texts.get(number.number() as usize).cloned(),
                Slot::Local(_) => None,
            })
            .collect()
    }

    /// Returns the text of `target` after an outcome in which all new values are from here; `None`
    /// if nothing changes.
    pub(super) fn edited(
        &self,
        target: &Tree<'_>,
        outcome: Outcome,
    ) -> PatchResult<Option<String>> {
        let text = self.text();
        let tree = parse_generated(&text)?;
        let elements = tree.values(tree.root().value).skip(1);
        let entries = elements.map(|element| tree.entries(element).next());
        let entries: Option<Vec<EntryId>> = entries.collect();
        let outcome = entries.and_then(|entries| resolved(&tree, &entries, outcome));
        let outcome = outcome.ok_or_else(|| verification_error("an addition has no value"))?;
        let nothing = Tree::empty();
        let trees = Triple::new(&nothing, &tree, target);
        Ok(edited(trees, &outcome)?)
    }

    /// Returns a document with a list that has one element for each entry.
    fn text(&self) -> String {
        // the first element makes it a list if there is no entry
        let mut text = String::from("-\n  - end\n");
        for addition in &self.texts {
            text.push_str("-\n");
            for line in addition.split_inclusive('\n') {
                // in a block scalar, spaces alone on a line are a part of the value
                let is_empty = line.trim_end_matches(['\r', '\n']).is_empty();
                text.extend([if is_empty { "" } else { "  " }, line]);
            }
        }
        text
    }
}

/// Replaces the indexes in an outcome by the entries of `tree` and their values.
fn resolved(tree: &Tree<'_>, entries: &[EntryId], outcome: Outcome) -> Option<Outcome> {
    let resolved_child = |child: Child| {
        let slot = child.slot;
        let outcome = resolved(tree, entries, child.into_outcome())?;
        Some(match slot {
            Slot::Updated(number) => {
                Child::updated(*entries.get(number.number() as usize)?, outcome)
            }
            Slot::Local(entry) => Child::local(entry, outcome),
        })
    };
    Some(match outcome {
        Outcome::Merge(children) => Outcome::merge(
            children
                .into_iter()
                .map(resolved_child)
                .collect::<Option<_>>()?,
        ),
        Outcome::Take(value) => {
            let entry = *entries.get(value.node.number() as usize)?;
            let node = tree.entry(entry).value;
            Outcome::Take(Incoming { node, ..value })
        }
        other => other,
    })
}
