//! Entries that a patch has and the new document lacks: nulls for removed fields, and directives.

use crate::merge::{Child, Incoming, Outcome, Slot};
use crate::yaml::{EntryId, NodeId, Tree};

/// Added entries as text. Until the text is parsed, an entry is known by its index in `texts`.
#[derive(Debug, Default)]
pub(super) struct Additions {
    texts: Vec<String>,
}

impl Additions {
    /// Adds a field or an element, given as whole lines.
    pub(super) fn add(&mut self, text: String) -> Child {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text);
        let outcome = Outcome::Take(Incoming::whole(NodeId::new(number)));
        Child::updated(EntryId::new(number), outcome)
    }

    /// Returns the texts of the added entries among `children`.
    pub(super) fn texts_of(&self, children: &[Child]) -> Vec<String> {
        children
            .iter()
            .filter_map(|child| match child.slot {
                Slot::Updated(number) => self.texts.get(number.number() as usize).cloned(),
                Slot::Local(_) => None,
            })
            .collect()
    }

    /// Returns a document with a list that has one element for each added entry.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("-\n  - end\n");
        for addition in &self.texts {
            let lines = addition.trim_end().replace('\n', "\n  ");
            text.push_str(&format!("-\n  {lines}\n"));
        }
        text
    }

    /// Replaces the indexes in an outcome by the entries of `tree`, which is parsed from
    /// [`Self::text`].
    pub(super) fn resolved(&self, tree: &Tree<'_>, outcome: Outcome) -> Outcome {
        let entries: Vec<Option<EntryId>> = tree
            .entries(tree.root().value)
            .skip(1)
            .map(|element| tree.entries(tree.entry(element).value).next())
            .collect();
        resolve(tree, &entries, outcome)
    }
}

fn resolve(tree: &Tree<'_>, entries: &[Option<EntryId>], outcome: Outcome) -> Outcome {
    let Outcome::Merge(children) = outcome else {
        return outcome;
    };
    let resolved = children.into_iter().filter_map(|child| match child.slot {
        Slot::Updated(number) => {
            let entry = (*entries.get(number.number() as usize)?)?;
            let value = tree.entry(entry).value;
            Some(Child::updated(entry, Outcome::Take(Incoming::whole(value))))
        }
        Slot::Local(entry) => Some(Child::local(entry, resolve(tree, entries, child.outcome))),
    });
    Outcome::merge(resolved.collect())
}
