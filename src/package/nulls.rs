//! Whether upstream sets a field to null to remove it (rules: Nulls): then its text is not taken as
//! it is, although nobody else changed it.

use rustc_hash::FxHashSet;

use crate::yaml::{NodeId, NodeKind, Tree, equal};

/// Whether the updated document has a null as a field's value where the original has none.
///
/// Lists that differ are not paired element by element here: any null in such a one counts. That
/// errs to the side of a merge, which comes to the same text where there is nothing to clear.
pub(crate) fn brings_null(original: &Tree<'_>, updated: &Tree<'_>) -> bool {
    let (old, new) = (original.root().value, updated.root().value);
    let mut search = Search {
        original,
        updated,
        searched: FxHashSet::default(),
    };
    search.finds(Some(old), new)
}

/// Whether a field's value is null anywhere in a document.
pub(crate) fn has_null(tree: &Tree<'_>) -> bool {
    tree.all_entries().any(|id| {
        let entry = tree.entry(id);
        entry.key.is_some() && tree.is_null(entry.value)
    })
}

struct Search<'a, 's, 't> {
    original: &'a Tree<'s>,
    updated: &'a Tree<'t>,
    /// Aliases lead to the same places again and again.
    searched: FxHashSet<(Option<NodeId>, NodeId)>,
}

impl Search<'_, '_, '_> {
    fn finds(&mut self, old: Option<NodeId>, new: NodeId) -> bool {
        let (original, updated) = (self.original, self.updated);
        let (old, new) = (old.map(|old| original.resolve(old)), updated.resolve(new));
        let is_new = self.searched.insert((old, new));
        if !is_new || old.is_some_and(|old| equal(original, old, updated, new)) {
            return false;
        }
        let is_map = matches!(updated.node(new).kind, NodeKind::Mapping(_));
        updated.entries(new).any(|id| {
            let entry = updated.entry(id);
            let key = entry.key.and_then(|key| updated.scalar(key));
            let before = key.and_then(|key| {
                let id = original.find(old?, key.content)?;
                Some(original.entry(id).value)
            });
            let was_null = before.is_some_and(|before| original.is_null(before));
            let clears = is_map && updated.is_null(entry.value) && !was_null;
            clears || self.finds(before, entry.value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brings(original: &str, updated: &str) -> bool {
        let tree = |text| Tree::parse(text).unwrap().unwrap();
        brings_null(&tree(original), &tree(updated))
    }

    #[test]
    fn a_new_null_is_told_from_an_old_one() {
        assert!(brings("a: 1\n", "a: null\n"));
        assert!(brings("a: {b: 1}\n", "a: {b: ~}\n"));
        assert!(brings("a: 1\n", "a: 1\nb:\n"));
        assert!(!brings("a: null\nb: 1\n", "a: ~\nb: 2\n"));
        assert!(!brings("a: 1\n", "a: 2\nb: [null]\n"));
        assert!(brings("a: [{b: 1}]\n", "a: [{b: 1}, {b: null}]\n"));
    }

    #[test]
    fn aliases_of_aliases_take_no_time() {
        let bomb = |end: &str| {
            let mut text = "a0: &a0 {x: 1}\n".to_owned();
            // no more, or the document would stand for too many values to be read
            for n in 1..6 {
                let aliases = vec![format!("*a{}", n - 1); 9].join(", ");
                text += &format!("a{n}: &a{n} [{aliases}]\n");
            }
            text + end
        };
        assert!(!brings(
            &bomb("b: null\n"),
            &bomb("b: null\nc: 1\n").replace("x: 1", "x: 2")
        ));
        assert!(brings(&bomb(""), &bomb("b: null\n")));
    }
}
