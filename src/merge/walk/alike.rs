//! Elements that are the same thing before and after a change, although nothing identifies them.

use rustc_hash::FxHashSet;

use super::index::{FieldIndex, key_of};
use super::{Shape, entries_of, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::yaml::{EntryId, NodeId, equal};

/// A value, in its tree of which the fingerprints are known.
pub(super) type Value<'a, 'f> = (&'f Fingerprints<'a>, NodeId);

/// Fields that name a thing, where they are there: a step of a workflow, a rule, an alert.
const NAMING_FIELDS: [&str; 6] = ["name", "id", "alert", "record", "path", "uses"];

/// What equal values have in common.
const ALL: usize = 1000;

/// How much two elements have in common that are alike: maps of the same name, or, where none has
/// one, maps, lists or texts of several lines of which at least half of the larger one is the same.
/// None where they are not alike.
pub(super) fn likeness(
    (left_prints, left): (&Fingerprints<'_>, EntryId),
    (right_prints, right): (&Fingerprints<'_>, EntryId),
) -> Option<usize> {
    let (left_tree, right_tree) = (left_prints.tree(), right_prints.tree());
    let left = (left_prints, left_tree.entry(left).value);
    let right = (right_prints, right_tree.entry(right).value);
    let are_maps =
        [left, right].map(|(prints, value)| shape(prints.tree(), value)) == [Shape::Map; 2];
    for field in NAMING_FIELDS.into_iter().filter(|_| are_maps) {
        if let (Some(one), Some(other)) = (named(left, field), named(right, field)) {
            let is_same = is_same_name(field, one, other);
            return is_same.then(|| ALL + common(left, right));
        }
    }
    let common = common(left, right);
    (common > 0 && common * 2 >= ALL).then_some(common)
}

/// What a map has in a field that names it.
fn named<'a, 'f>((prints, map): Value<'a, 'f>, field: &str) -> Option<Value<'a, 'f>> {
    let tree = prints.tree();
    let entry = tree.find(tree.resolve(map), field)?;
    Some((prints, tree.entry(entry).value))
}

/// Whether two names are one. What an action is pinned to (`uses: org/action@v4`) is no part of its
/// name.
fn is_same_name(field: &str, one: Value<'_, '_>, other: Value<'_, '_>) -> bool {
    let action = |(prints, name): Value<'_, '_>| {
        let scalar = prints.tree().scalar(name).filter(|_| field == "uses")?;
        Some(scalar.content.split_once('@')?.0.to_owned())
    };
    match (action(one), action(other)) {
        (Some(one), Some(other)) => one == other,
        _ => equal(one.0.tree(), one.1, other.0.tree(), other.1),
    }
}

/// Whether two collections of one kind have at least two thirds of their leaves in common.
pub(super) fn is_mostly(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    shape(left.0.tree(), left.1) != Shape::Scalar && common(left, right) * 3 >= ALL * 2
}

/// How many of the leaves of the larger one of two maps, lists or texts of several lines the other
/// one has too, in thousandths. What a map has under a new key counts as well.
fn common(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    let shapes = [left, right].map(|(prints, node)| shape(prints.tree(), node));
    let has_leaves = match shapes {
        [Shape::Scalar, Shape::Scalar] => has_lines(left) && has_lines(right),
        [one, other] => one == other,
    };
    if !has_leaves {
        return 0;
    }
    let most = left
        .0
        .leaves(left.1)
        .len()
        .max(right.0.leaves(right.1).len());
    let common = common_leaves(left, right) + leaves_below_new_keys(left, right);
    common.min(most) * ALL / most
}

fn has_lines((prints, node): Value<'_, '_>) -> bool {
    let scalar = prints.tree().scalar(node);
    scalar.is_some_and(|scalar| scalar.content.contains('\n'))
}

fn common_leaves(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    left.0.leaves(left.1).common(&right.0.leaves(right.1))
}

/// The leaves that two maps have in common below a key that only the one has and a key that only
/// the other has, at any depth: there one key was renamed.
fn leaves_below_new_keys(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if [shape(left_tree, left.1), shape(right_tree, right.1)] != [Shape::Map; 2] {
        return 0;
    }
    let of_left = |entry| (left.0, left_tree.entry(entry).value);
    let of_right = |entry| (right.0, right_tree.entry(entry).value);
    let fields = FieldIndex::of(right_tree, right.1);
    let (mut sum, mut removed, mut shared) = (0, Vec::new(), FxHashSet::default());
    for entry in entries_of(left_tree, left.1) {
        match key_of(left_tree, entry).and_then(|key| fields.find(key)) {
            Some(other) => {
                shared.insert(other);
                sum += leaves_below_new_keys(of_left(entry), of_right(other));
            }
            None => removed.push(entry),
        }
    }
    let mut added = entries_of(right_tree, right.1).filter(|entry| !shared.contains(entry));
    if let (&[removed], Some(added), None) = (&removed[..], added.next(), added.next()) {
        let (before, after) = (of_left(removed), of_right(added));
        sum += common_leaves(before, after) + leaves_below_new_keys(before, after);
    }
    sum
}
