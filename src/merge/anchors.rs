//! Finds the anchors that several documents have in common (rules: Places and formats).

use rustc_hash::{FxHashMap, FxHashSet};

use super::fingerprint::Fingerprints;
use super::walk::similarity::name_of;
use crate::yaml::{NodeId, Tree};

/// The anchors of a document by their names, each with its `&`. An anchor that occurs twice has no
/// place.
type Anchors<'s> = FxHashMap<&'s str, Option<Place>>;

/// The node that has an anchor, and the path to it: keys, and the names or positions of elements.
#[derive(Debug)]
struct Place {
    node: NodeId,
    path: String,
}

/// Returns the anchors of a document that the others have too, all once and at the same place: its
/// node by the name of the anchor, with the `&`.
pub(super) fn shared_anchors<'s>(
    tree: &Tree<'s>,
    others: &[&Tree<'_>],
) -> FxHashMap<&'s str, NodeId> {
    let others: Vec<Anchors<'_>> = others.iter().map(|other| anchors(other)).collect();
    let shared = anchors(tree).into_iter().filter_map(|(name, place)| {
        let place = place?;
        let has_it = |other: &Anchors<'_>| {
            let other = other.get(name).and_then(Option::as_ref);
            other.is_some_and(|other| other.path == place.path)
        };
        others.iter().all(has_it).then_some((name, place.node))
    });
    shared.collect()
}

/// Returns the anchors, with the `&`, that a document and another one have once each, with equal
/// values.
pub(super) fn equal_anchors<'s>(tree: &Tree<'s>, other: &Tree<'_>) -> FxHashSet<&'s str> {
    let (prints, other_prints) = (Fingerprints::new(tree), Fingerprints::new(other));
    let others = anchors(other);
    let equal = anchors(tree).into_iter().filter_map(|(name, place)| {
        let other = others.get(name)?.as_ref()?;
        let is_equal = prints.of_known(place?.node) == other_prints.of_known(other.node);
        is_equal.then_some(name)
    });
    equal.collect()
}

fn anchors<'s>(tree: &Tree<'s>) -> Anchors<'s> {
    let mut anchors = FxHashMap::default();
    let (prints, root) = (Fingerprints::new(tree), tree.root().value);
    add_anchors(&prints, tree, root, &mut String::new(), &mut anchors);
    anchors
}

fn add_anchors<'s>(
    prints: &Fingerprints<'_>,
    tree: &Tree<'s>,
    node: NodeId,
    path: &mut String,
    anchors: &mut Anchors<'s>,
) {
    if let Some(anchor) = tree.node(node).anchor() {
        let anchor = anchors.entry(tree.slice(anchor));
        let anchor = anchor.and_modify(|place| *place = None);
        anchor.or_insert_with(|| {
            let path = path.clone();
            Some(Place { node, path })
        });
    }
    for (position, id) in tree.entries(node).enumerate() {
        let length = path.len();
        let step = match tree.key_text(id) {
            Some(key) => key.to_owned(),
            None => match name_of(prints, id) {
                Some(name) => format!("{name:?}"),
                None => format!("[{position}]"),
            },
        };
        path.push('\n');
        path.push_str(&step);
        add_anchors(prints, tree, tree.entry(id).value, path, anchors);
        path.truncate(length);
    }
}
