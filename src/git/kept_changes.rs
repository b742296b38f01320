//! Checks that the result of a line merge has every change of both sides.
//!
//! The check compares bags (multisets) of leaves. A leaf is a field's name with its scalar, without
//! the path. The merged bag must be the original's, with the leaves that each side deleted and
//! inserted. So the check accepts a renamed parent key or a moved block, and fails if lines got
//! another meaning.

use rustc_hash::FxHashMap;

use crate::merge::merged_in_place;
use crate::package::{holds, trees};
use crate::triple::Triple;
use crate::yaml::{NodeId, NodeKind, ScalarType, Tree};

/// Whether the line merge of three texts and a structural one have the same values, and the line
/// merge has the changes of the lines in the entries that have them in the texts.
pub(super) fn is_same_merge(texts: &Triple<&str>, [lines, structural]: [&str; 2]) -> bool {
    lines == structural || holds(lines, &[structural]) && is_merged_in_place(texts, lines)
}

/// Whether each document of a merged text has the changes of its lines in the right entries. True
/// if the numbers of documents differ, because then the documents do not pair by position.
fn is_merged_in_place(texts: &Triple<&str>, merged: &str) -> bool {
    let read = |text| trees(text).collect::<Option<Vec<_>>>();
    let (sides, Some(merged)) = (texts.map(read).transpose(), read(merged)) else {
        return false;
    };
    let Some(sides) = sides.filter(|sides| {
        let mut sides = sides.as_ref().into_iter();
        sides.all(|side| side.len() == merged.len())
    }) else {
        return true;
    };
    merged.iter().enumerate().all(|(at, tree)| {
        let trees = sides.as_ref().map(|side| &side[at]);
        merged_in_place(tree, trees)
    })
}

/// Whether a merged text is YAML and has every change of both sides. A change that both sides made
/// may be in it once or twice.
pub(super) fn has_all_changes(texts: &Triple<&str>, merged: &str) -> bool {
    let (Some(bags), Some(merged)) = (texts.map(bag).transpose(), bag(merged)) else {
        return false;
    };
    let count = |bag: &Bag, leaf: &Leaf| bag.get(leaf).copied().unwrap_or(0);
    let all_bags = [&bags.original, &bags.updated, &bags.local, &merged];
    all_bags.into_iter().flat_map(Bag::keys).all(|leaf| {
        let [original, updated, local] = bags.as_ref().map(|bag| count(bag, leaf)).into_array();
        let (theirs, ours) = (updated - original, local - original);
        let separate = original + theirs + ours;
        let shared = match theirs.signum() == ours.signum() {
            true => original + std::cmp::max_by_key(theirs, ours, |it| it.abs()),
            false => separate,
        };
        let found = count(&merged, leaf);
        (shared.min(separate)..=shared.max(separate)).contains(&found)
    })
}

/// A field's name (`None` in a list), the type of its scalar and the scalar's content. A collection
/// is `{` or `[` without a type; a line of a scalar of several lines has neither name nor type.
type Leaf = (Option<String>, Option<ScalarType>, String);
/// How often each leaf occurs.
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
    let mut count = |key: Option<&str>, scalar_type, content: &str| {
        let leaf = (key.map(str::to_owned), scalar_type, content.to_owned());
        *bag.entry(leaf).or_default() += 1;
    };
    match &tree.node(node).kind {
        NodeKind::Scalar(scalar) => {
            let lines = tree.slice(tree.node(node).span);
            if !lines.contains('\n') {
                return count(key, Some(scalar.scalar_type), scalar.content);
            }
            // each line counts on its own: it can come from either side, and from another scalar
            let is_block = scalar.style.is_block();
            for line in lines.lines().skip(usize::from(is_block)).map(str::trim) {
                // a list whose key lost its colon is a plain scalar of several lines, and these
                // lines still count as elements
                match line.strip_prefix("- ").filter(|_| !is_block) {
                    Some(element) => count(None, Some(ScalarType::Str), element),
                    None => count(None, None, line),
                }
            }
        }
        NodeKind::Alias(_) => count(key, None, tree.slice(tree.node(node).span)),
        NodeKind::Mapping(_) => count(key, None, "{"),
        NodeKind::Sequence(_) => count(key, None, "["),
    }
    for id in tree.entries(node) {
        let entry = tree.entry(id);
        let is_long = |key: &NodeId| tree.slice(tree.node(*key).span).contains('\n');
        // the lines of a key can come from either side, too
        if let Some(key) = entry.key.filter(is_long) {
            add(bag, tree, None, key);
        }
        let short_key = entry.key.filter(|key| !is_long(key));
        let name = short_key.and_then(|key| tree.scalar(key));
        add(bag, tree, name.map(|name| name.content), entry.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requires_the_changes_of_both_sides() {
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
    fn accepts_once_or_twice_what_both_inserted() {
        let texts = Triple::new("[]", "[a]", "[a]");
        assert!(has_all_changes(&texts, "[a]"));
        assert!(has_all_changes(&texts, "[a, a]"));
        assert!(!has_all_changes(&texts, "[a, a, a]"));
        assert!(!has_all_changes(&texts, "[]"));
    }

    #[test]
    fn compares_the_lines_of_a_key_separately_from_its_value() {
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
    fn rejects_a_line_with_another_meaning() {
        let texts = Triple::new("a: |\n  b: 1\n", "a: |\n  b: 1\n  c: 2\n", "a:\n  b: 1\n");
        assert!(!has_all_changes(&texts, "a:\n  b: 1\n  c: 2\n"));
    }

    #[test]
    fn a_merge_with_the_same_values_may_be_written_in_another_way() {
        let original = "a: 'b'\n---\nc: 1\n";
        let texts = Triple::new(original, "a: b # x\n---\n{c: 1}\n", original);
        assert!(is_same_merge(&texts, [texts.updated, original]));
        assert!(!is_same_merge(&texts, ["a: b\n", original]));
        assert!(!is_same_merge(&texts, ["a: 1\n", "a: '1'\n"]));
    }

    #[test]
    fn a_merge_that_changes_the_lines_of_another_entry_is_not_the_same() {
        let texts = Triple::new(
            "a:\n  b: 1\n",
            "a:\n  # x\n  b: 1\n",
            "a:\n  b: 1\nc:\n  b: 1\n",
        );
        let merged = "a:\n  # x\n  b: 1\nc:\n  b: 1\n";
        assert!(is_same_merge(&texts, [merged, texts.local]));
        let misplaced = "a:\n  b: 1\nc:\n  # x\n  b: 1\n";
        assert!(!is_same_merge(&texts, [misplaced, texts.local]));
    }
}
