//! What a patch has and the new document's text has not: nulls for fields that went, and
//! directives.

use crate::merge::{Child, Incoming, Outcome, Slot};
use crate::yaml::{EntryId, NodeId, Tree};

/// Entries of our own, as text. Until that is read, an entry is known by its number here.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    texts: Vec<String>,
}

impl Pieces {
    /// A field or element of our own, its text whole lines.
    pub(super) fn add(&mut self, text: String) -> Child {
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text);
        let taken = Outcome::Take(Incoming::whole(NodeId::new(number)));
        Child::updated(EntryId::new(number), taken)
    }

    /// The texts of entries of our own, which are to be in another.
    pub(super) fn taken_back(&self, children: &[Child]) -> Vec<String> {
        children
            .iter()
            .filter_map(|child| match child.slot {
                Slot::Updated(number) => self.texts.get(number.number() as usize).cloned(),
                Slot::Local(_) => None,
            })
            .collect()
    }

    /// A list with one element for each, which holds it.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("-\n  - end\n");
        for piece in &self.texts {
            let lines = piece.trim_end().replace('\n', "\n  ");
            text.push_str(&format!("-\n  {lines}\n"));
        }
        text
    }

    /// The outcome with each number as the entry that it became in `tree`, which is over
    /// [`Self::text`].
    pub(super) fn placed(&self, tree: &Tree<'_>, outcome: Outcome) -> Outcome {
        let entries: Vec<Option<EntryId>> = tree
            .entries(tree.root().value)
            .skip(1)
            .map(|holder| tree.entries(tree.entry(holder).value).next())
            .collect();
        place(tree, &entries, outcome)
    }
}

fn place(tree: &Tree<'_>, entries: &[Option<EntryId>], outcome: Outcome) -> Outcome {
    let Outcome::Merge(children) = outcome else {
        return outcome;
    };
    let placed = children.into_iter().filter_map(|child| match child.slot {
        Slot::Updated(number) => {
            let entry = (*entries.get(number.number() as usize)?)?;
            let value = tree.entry(entry).value;
            Some(Child::updated(entry, Outcome::Take(Incoming::whole(value))))
        }
        Slot::Local(entry) => Some(Child::local(entry, place(tree, entries, child.outcome))),
    });
    Outcome::merge(placed.collect())
}
