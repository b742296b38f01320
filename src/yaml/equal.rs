//! Compares nodes by value (rules: Equality).

use std::mem::discriminant;

use rustc_hash::{FxHashMap, FxHashSet};

use super::keys::Identity;
use super::stored::Tree;
use super::tree::{EntryId, NodeId, NodeKind, ScalarType, Span};

/// Whether two nodes are equal. Scalars are compared by type and content, maps without the order of
/// their keys, lists in order, and aliases as the nodes that they refer to. Styles, comments,
/// anchors, and tags that do not change the type do not matter.
///
/// The time is linear in the length of both texts, even with aliases of aliases.
///
/// ```
/// use merge3::yaml::{Tree, equal};
///
/// let same = |left, right| {
///     let (left, right) = (Tree::parse(left).unwrap().unwrap(), Tree::parse(right).unwrap().unwrap());
///     equal(&left, left.root().value, &right, right.root().value)
/// };
/// assert!(same("a: 1\nb: 'x'\n", "{b: x, a: 1}"));
/// assert!(!same("port: 8080\n", "port: \"8080\"\n"));
/// ```
pub fn equal(left: &Tree<'_>, l: NodeId, right: &Tree<'_>, r: NodeId) -> bool {
    if std::ptr::eq(left, right) && left.resolve(l) == left.resolve(r) {
        return true;
    }
    equal_but_anchors((left, l), (right, r), &FxHashSet::default())
}

/// Whether two nodes are [`equal`], where two aliases of one of the anchors in `shared` count as
/// equal. The names in it begin with `&`.
pub(crate) fn equal_but_anchors(
    (left, l): (&Tree<'_>, NodeId),
    (right, r): (&Tree<'_>, NodeId),
    shared: &FxHashSet<&str>,
) -> bool {
    let mut comparison = Comparison {
        left,
        right,
        shared_anchors: shared,
        results: FxHashMap::default(),
    };
    comparison.equal_nodes(l, r)
}

/// Whether two documents are [`equal`].
pub(crate) fn equal_documents(left: &Tree<'_>, right: &Tree<'_>) -> bool {
    equal(left, left.root().value, right, right.root().value)
}

struct Comparison<'a, 's, 't> {
    left: &'a Tree<'s>,
    right: &'a Tree<'t>,
    /// Anchors whose aliases are equal. All other aliases compare by value.
    shared_anchors: &'a FxHashSet<&'a str>,
    /// The results for collections that were reached through aliases. A tree has no cycles.
    results: FxHashMap<(NodeId, NodeId), bool>,
}

impl Comparison<'_, '_, '_> {
    fn equal_nodes(&mut self, l: NodeId, r: NodeId) -> bool {
        if self.are_same_alias(l, r) {
            return true;
        }
        let (left, right) = (self.left.resolve(l), self.right.resolve(r));
        if let Some(scalar) = self.left.scalar(left) {
            return match scalar.scalar_type {
                ScalarType::Custom => self.left.identity(left) == self.right.identity(right),
                other => self.right.says(right, other, scalar.content),
            };
        }
        let (left_node, right_node) = (self.left.node(left), self.right.node(right));
        if discriminant(&left_node.kind) != discriminant(&right_node.kind) {
            return false;
        }
        if self.are_same_lines(left_node.span, right_node.span) {
            return true;
        }
        let is_map = matches!(left_node.kind, NodeKind::Mapping(_));
        let aliased = left != l
            || right != r
            || left_node.anchor().is_some()
            || right_node.anchor().is_some();
        if !aliased {
            return self.equal_collections(left, right, is_map);
        }
        if let Some(results) = self.results.get(&(left, right)) {
            return *results;
        }
        let result = self.equal_collections(left, right, is_map);
        self.results.insert((left, right), result);
        result
    }

    /// Whether two nodes are aliases of one shared anchor.
    fn are_same_alias(&self, l: NodeId, r: NodeId) -> bool {
        let shared = self.shared_anchors;
        let left = (!shared.is_empty()).then(|| self.left.alias_name(l));
        let left = left.flatten().filter(|name| shared.contains(name));
        left.is_some() && left == self.right.alias_name(r)
    }

    /// Whether two collections have the same text and indentation. Without anchors, aliases and
    /// tags, their values are equal then.
    fn are_same_lines(&self, left: Span, right: Span) -> bool {
        let (left_text, right_text) = (self.left.slice(left), self.right.slice(right));
        let is_ordinary = self.left.is_ordinary && self.right.is_ordinary;
        is_ordinary
            && left_text == right_text
            && self.left.column(left.start) == self.right.column(right.start)
    }

    fn equal_collections(&mut self, l: NodeId, r: NodeId, is_map: bool) -> bool {
        let (left_entries, right_entries) = (self.left.entries(l), self.right.entries(r));
        if left_entries.len() != right_entries.len()
            || self.left.custom_tag(l) != self.right.custom_tag(r)
        {
            return false;
        }
        if is_map {
            return self.equal_maps(r, left_entries.zip(right_entries));
        }
        left_entries
            .zip(right_entries)
            .all(|(l, r)| self.equal_nodes(self.left.entry(l).value, self.right.entry(r).value))
    }

    /// Compares two maps by pairs of entries at the same position, and looks other keys up in `r`.
    /// Keys are unique and the maps have the same length, so it is enough that each key of `left`
    /// is found.
    fn equal_maps(&mut self, r: NodeId, pairs: impl Iterator<Item = (EntryId, EntryId)>) -> bool {
        let (left, right) = (self.left, self.right);
        let mut index: Option<FxHashMap<Option<Identity<'_>>, EntryId>> = None;
        for (l, opposite) in pairs {
            let key = identity(left, l);
            let partner = if identity(right, opposite) == key {
                Some(opposite)
            } else {
                let index = index.get_or_insert_with(|| {
                    right
                        .entries(r)
                        .map(|id| (identity(right, id), id))
                        .collect()
                });
                index.get(&key).copied()
            };
            let Some(partner) = partner else {
                return false;
            };
            if !self.equal_nodes(left.entry(l).value, right.entry(partner).value) {
                return false;
            }
        }
        true
    }
}

fn identity<'a>(tree: &'a Tree<'_>, entry: EntryId) -> Option<Identity<'a>> {
    tree.entry(entry).key.and_then(|key| tree.identity(key))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn same(left: &str, right: &str) -> bool {
        let (left, right) = (
            Tree::parse(left).unwrap().unwrap(),
            Tree::parse(right).unwrap().unwrap(),
        );
        let one = equal(&left, left.root().value, &right, right.root().value);
        let other = equal(&right, right.root().value, &left, left.root().value);
        assert_eq!(one, other);
        one
    }

    #[test]
    fn scalars_by_type_and_content() {
        assert!(same("'a'", "\"a\""));
        assert!(same("a", "|-\n  a\n"));
        assert!(same("a: ~", "a:"));
        assert!(same("!!str 8080", "'8080'"));
        assert!(same("!!int '8080'", "8080"));
        assert!(same("!!int 8080", "8080"));
        assert!(!same("8080", "'8080'"));
        assert!(!same("on", "'on'"));
        assert!(!same("true", "True"));
        assert!(!same("1.0", "1.00"));
        assert!(!same("~", "''"));
        assert!(!same("!a x", "x"));
        assert!(!same("!a x", "!b x"));
        assert!(same("!a x", "!a 'x'"));
    }

    #[test]
    fn equal_collections() {
        assert!(same("{a: 1, b: [x, {c: d}]}", "b:\n- x\n- c: d\na: 1\n"));
        assert!(!same("[a, b]", "[b, a]"));
        assert!(!same("[a]", "[a, a]"));
        assert!(!same("{a: 1}", "{a: 1, b: 2}"));
        assert!(!same("{a: 1, b: 2}", "{a: 1, c: 2}"));
        assert!(!same("{1: a}", "{'1': a}"));
        assert!(!same("{}", "[]"));
        assert!(!same("{}", "~"));
        assert!(same("[a: b]", "[{a: b}]"));
    }

    #[test]
    fn tags_of_collections() {
        assert!(same("!!map {a: !!seq [b]}", "a: [b]"));
        assert!(same("! {a: b}", "a: b"));
        assert!(same("!<tag:yaml.org,2002:map> {a: b}", "a: b"));
        assert!(!same("!x {a: b}", "a: b"));
        assert!(!same("!!set {a}", "{a}"));
        let directive = "%TAG !e! tag:e.com,2000:\n--- !e!x {a: b}";
        assert!(same(directive, "!<tag:e.com,2000:x> {a: b}"));
        assert!(!same(directive, "!x {a: b}"));
        let other_core = "%TAG !! tag:e.com,2000:\n--- !!str 5";
        assert!(!same(other_core, "'5'"));
    }

    #[test]
    fn aliases_equal_their_anchors() {
        assert!(same("a: &x [1]\nb: *x\n", "{a: [1], b: [1]}"));
        assert!(same("&a k: v\nl: *a\n", "{k: v, l: k}"));
        assert!(same("a: &x k\n*x : v\n", "{a: k, k: v}"));
        assert!(!same("a: &x [1]\nb: *x\n", "{a: [1], b: [2]}"));
        assert!(same("a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}"));
    }

    #[test]
    fn large_maps_in_another_order() {
        let line = |n: usize| format!("key{n}: {n}\n");
        let up: String = (0..20_000).map(line).collect();
        let down: String = (0..20_000).rev().map(line).collect();
        assert!(same(&up, &down));
        assert!(!same(&up, &down.replace("key7: 7", "key7: 8")));
    }

    #[test]
    fn aliases_of_aliases_are_compared_once() {
        let mut text = String::from("a0: &a0 [x, x]\n");
        for n in 1..5 {
            writeln!(
                text,
                "a{n}: &a{n} [{}]",
                vec![format!("*a{}", n - 1); 9].join(", ")
            )
            .unwrap();
        }
        let renamed = text.replace("&a", "&b").replace("*a", "*b");
        assert!(same(&text, &renamed));
        assert!(!same(&text, &renamed.replace("[x, x]", "[x, y]")));
    }
}
