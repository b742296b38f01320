//! Whether upstream says "clear this" (SPEC 5.2): then its text is not taken as it is, although nobody else changed it.

use crate::yaml::{NodeId, NodeKind, Tree};

/// Whether the updated document has a null as a field's value where the original has none.
///
/// Lists that differ are not paired element by element here: any null in such a one counts. That errs to the side of a
/// merge, which comes to the same text where there is nothing to clear.
pub(crate) fn brings_null(original: Option<&Tree<'_>>, updated: Option<&Tree<'_>>) -> bool {
    let Some(updated) = updated else { return false };
    match original {
        Some(original) if has_null(updated, updated.root().value) => compare(
            original,
            Some(original.root().value),
            updated,
            updated.root().value,
        ),
        _ => false,
    }
}

/// Whether a field's value is null anywhere.
fn has_null(tree: &Tree<'_>, node: NodeId) -> bool {
    let node = tree.resolve(node);
    let is_map = matches!(tree.node(node).kind, NodeKind::Mapping(_));
    tree.entries(node).any(|id| {
        let value = tree.entry(id).value;
        (is_map && tree.is_null(value)) || has_null(tree, value)
    })
}

fn compare(original: &Tree<'_>, old: Option<NodeId>, updated: &Tree<'_>, new: NodeId) -> bool {
    if old.is_some_and(|old| crate::yaml::equal(original, old, updated, new)) {
        return false;
    }
    let new = updated.resolve(new);
    let is_map = matches!(updated.node(new).kind, NodeKind::Mapping(_));
    updated.entries(new).any(|id| {
        let entry = updated.entry(id);
        let key = entry.key.and_then(|key| updated.scalar(key));
        let before = key.and_then(|key| {
            let id = original.find(original.resolve(old?), &key.content)?;
            Some(original.entry(id).value)
        });
        let was_null = before.is_some_and(|before| original.is_null(before));
        let clears = is_map && updated.is_null(entry.value) && !was_null;
        clears || compare(original, before, updated, entry.value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brings(original: &str, updated: &str) -> bool {
        let original = Tree::parse(original).unwrap();
        let updated = Tree::parse(updated).unwrap();
        brings_null(original.as_ref(), updated.as_ref())
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
}
