//! The value check of a text that no walk over the values has made: whether every change of both
//! sides is in it.
//!
//! Each text is taken as a bag of leaves: a field's name with its scalar. The merged bag has to be
//! the original's, with what each side took out and put in. That holds whatever the paths are, so
//! it survives a renamed key or a moved block, and it fails where lines have come to mean something
//! else.

use rustc_hash::FxHashMap;

use crate::package::{holds, trees};
use crate::triple::Triple;
use crate::yaml::{NodeId, NodeKind, ScalarType, Tree};

/// Whether two texts are YAML and have the same values, document by document.
pub(super) fn same_values(left: &str, right: &str) -> bool {
    left == right || holds(left, &[right])
}

/// Whether a merged text is YAML and has every change of both sides in it. What both changed alike
/// may be in it once or twice.
pub(super) fn has_all_changes(texts: &Triple<&str>, merged: &str) -> bool {
    let Ok(bags) = texts.try_map(|text| bag(text).ok_or(())) else {
        return false;
    };
    let Some(merged) = bag(merged) else {
        return false;
    };
    let count = |bag: &Bag, leaf: &Leaf| bag.get(leaf).copied().unwrap_or(0);
    let all = [&bags.original, &bags.updated, &bags.local, &merged];
    all.into_iter().flat_map(Bag::keys).all(|leaf| {
        let [original, updated, local] = bags.as_ref().map(|bag| count(bag, leaf)).into_array();
        let (theirs, ours) = (updated - original, local - original);
        let both = original + theirs + ours;
        let once = if theirs.signum() == ours.signum() {
            original
                + if theirs.abs() > ours.abs() {
                    theirs
                } else {
                    ours
                }
        } else {
            both
        };
        let found = count(&merged, leaf);
        (once.min(both)..=once.max(both)).contains(&found)
    })
}

/// A field's name (none in a list), and what it holds: a scalar with its type, or a mark for a
/// collection. A line of a longer scalar has neither name nor type.
type Leaf = (Option<String>, Option<ScalarType>, String);
type Bag = FxHashMap<Leaf, i64>;

fn bag(text: &str) -> Option<Bag> {
    let mut bag = Bag::default();
    for tree in trees(text) {
        let tree = tree?;
        add(&mut bag, &tree, None, tree.root().value);
    }
    Some(bag)
}

fn add(bag: &mut Bag, tree: &Tree<'_>, key: Option<&str>, node: NodeId) {
    let mut leaf = |scalar_type, content: &str| {
        let leaf = (key.map(str::to_owned), scalar_type, content.to_owned());
        *bag.entry(leaf).or_default() += 1;
    };
    match &tree.node(node).kind {
        NodeKind::Scalar(scalar) => {
            let lines = tree.slice(tree.node(node).span);
            if !lines.contains('\n') {
                return leaf(Some(scalar.scalar_type), scalar.content);
            }
            // lines of one scalar can come from either side, and from another scalar
            let is_block = scalar.style.is_block();
            for line in lines.lines().skip(usize::from(is_block)).map(str::trim) {
                // a list that lost its key to a slip is a scalar of several lines: they are
                // elements still
                let leaf = match line.strip_prefix("- ").filter(|_| !is_block) {
                    Some(element) => (None, Some(ScalarType::Str), element.to_owned()),
                    None => (None, None, line.to_owned()),
                };
                *bag.entry(leaf).or_default() += 1;
            }
        }
        NodeKind::Alias(_) => leaf(None, tree.slice(tree.node(node).span)),
        NodeKind::Mapping(_) => leaf(None, "{"),
        NodeKind::Sequence(_) => leaf(None, "["),
    }
    for id in tree.entries(node) {
        let entry = tree.entry(id);
        let is_long = |key: &NodeId| tree.slice(tree.node(*key).span).contains('\n');
        // the lines of a key, too, can come from either side
        if let Some(key) = entry.key.filter(is_long) {
            add(bag, tree, None, key);
        }
        let short = entry.key.filter(|key| !is_long(key));
        let name = short.and_then(|key| tree.scalar(key));
        add(bag, tree, name.map(|name| name.content), entry.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_both_sides_are_looked_for() {
        let texts = Triple::new(
            "a: {b: 1, c: 1}\n",
            "a: {b: 2, c: 1}\n",
            "x: {b: 1, c: 3}\n",
        );
        assert!(has_all_changes(&texts, "x: {b: 2, c: 3}\n"));
        assert!(!has_all_changes(&texts, "x: {b: 1, c: 3}\n"));
        assert!(!has_all_changes(&texts, "a: {b: 2, c: 3}\n"));
        assert!(!has_all_changes(&texts, "x: {b: 2, c: 3, c: 3}\n"));
    }

    #[test]
    fn what_both_added_alike_may_be_there_once_or_twice() {
        let texts = Triple::new("[]", "[a]", "[a]");
        assert!(has_all_changes(&texts, "[a]"));
        assert!(has_all_changes(&texts, "[a, a]"));
        assert!(!has_all_changes(&texts, "[a, a, a]"));
        assert!(!has_all_changes(&texts, "[]"));
    }

    #[test]
    fn the_lines_of_a_key_are_apart_from_its_value() {
        let texts = Triple::new(
            "? |\n  long\n  key\n: one\n",
            "? |\n  new\n  long\n  key\n: one\n",
            "? |\n  long\n  key\n: two\n",
        );
        assert!(has_all_changes(
            &texts,
            "? |\n  new\n  long\n  key\n: two\n"
        ));
        assert!(!has_all_changes(&texts, "? |\n  long\n  key\n: two\n"));
        assert!(!has_all_changes(
            &texts,
            "? |\n  new\n  long\n  key\n: one\n"
        ));
    }

    #[test]
    fn a_line_that_means_something_else_now_is_noticed() {
        let texts = Triple::new("a: |\n  b: 1\n", "a: |\n  b: 1\n  c: 2\n", "a:\n  b: 1\n");
        assert!(!has_all_changes(&texts, "a:\n  b: 1\n  c: 2\n"));
    }

    #[test]
    fn values_are_the_same_whatever_the_style() {
        assert!(same_values(
            "a: 'b'\n---\nc: 1\n",
            "a: b # x\n---\n{c: 1}\n"
        ));
        assert!(!same_values("a: 1\n", "a: '1'\n"));
        assert!(!same_values("a: 1\n", "a: 1\n---\nb: 1\n"));
    }
}
