//! Finds nulls by which upstream removes a field (rules: Nulls). A document with such a null is
//! merged by fields even if upstream's text could be taken as it is.

use rustc_hash::FxHashSet;

use crate::yaml::{NodeId, NodeKind, Tree, equal};

/// Returns true if the updated document has a field with value null where the original has no null.
///
/// The elements of lists that differ are not paired: any field with value null in them counts. Then
/// a document may be merged by fields without need, which gives the same text.
pub(crate) fn brings_null(original: &Tree<'_>, updated: &Tree<'_>) -> bool {
    let (old, new) = (original.root().value, updated.root().value);
    let mut search = NullSearch {
        original,
        updated,
        searched: FxHashSet::default(),
    };
    search.finds_new_null(Some(old), new)
}

/// Returns true if any field of the document has the value null.
pub(crate) fn has_null(tree: &Tree<'_>) -> bool {
    tree.all_entries().any(|id| {
        let entry = tree.entry(id);
        entry.key.is_some() && tree.is_null(entry.value)
    })
}

struct NullSearch<'a, 's, 't> {
    original: &'a Tree<'s>,
    updated: &'a Tree<'t>,
    /// The pairs of nodes already searched: aliases lead to the same nodes many times.
    searched: FxHashSet<(Option<NodeId>, NodeId)>,
}

impl NullSearch<'_, '_, '_> {
    fn finds_new_null(&mut self, old: Option<NodeId>, new: NodeId) -> bool {
        let (original, updated) = (self.original, self.updated);
        let (old, new) = (old.map(|old| original.resolve(old)), updated.resolve(new));
        let is_first_visit = self.searched.insert((old, new));
        if !is_first_visit || old.is_some_and(|old| equal(original, old, updated, new)) {
            return false;
        }
        let is_map = matches!(updated.node(new).kind, NodeKind::Mapping(_));
        updated.entries(new).any(|id| {
            let entry = updated.entry(id);
            let key = entry.key.and_then(|key| updated.scalar(key));
            let old_value = key.and_then(|key| {
                let id = original.find(old?, key.content)?;
                Some(original.entry(id).value)
            });
            let was_null = old_value.is_some_and(|old_value| original.is_null(old_value));
            let clears = is_map && updated.is_null(entry.value) && !was_null;
            clears || self.finds_new_null(old_value, entry.value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_null(original: &str, updated: &str) -> bool {
        let tree = |text| Tree::parse(text).unwrap().unwrap();
        brings_null(&tree(original), &tree(updated))
    }

    #[test]
    fn only_a_null_that_the_original_lacks_counts() {
        assert!(new_null("a: 1\n", "a: null\n"));
        assert!(new_null("a: {b: 1}\n", "a: {b: ~}\n"));
        assert!(new_null("a: 1\n", "a: 1\nb:\n"));
        assert!(!new_null("a: null\nb: 1\n", "a: ~\nb: 2\n"));
        assert!(!new_null("a: 1\n", "a: 2\nb: [null]\n"));
        assert!(new_null("a: [{b: 1}]\n", "a: [{b: 1}, {b: null}]\n"));
    }

    #[test]
    fn aliases_of_aliases_are_searched_once() {
        let nested_aliases = |end: &str| {
            let mut text = "a0: &a0 {x: 1}\n".to_owned();
            // with more levels the document would stand for too many values to be read
            for n in 1..6 {
                let aliases = vec![format!("*a{}", n - 1); 9].join(", ");
                text += &format!("a{n}: &a{n} [{aliases}]\n");
            }
            text + end
        };
        assert!(!new_null(
            &nested_aliases("b: null\n"),
            &nested_aliases("b: null\nc: 1\n").replace("x: 1", "x: 2")
        ));
        assert!(new_null(&nested_aliases(""), &nested_aliases("b: null\n")));
    }
}
