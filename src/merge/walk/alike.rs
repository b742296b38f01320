//! Elements that are the same thing before and after a change, although nothing identifies them.

use rustc_hash::FxHashMap;

use super::index::{FieldIndex, key_of};
use super::{Shape, entries_of, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::yaml::{EntryId, NodeId, Tree, equal};

/// A value, in its tree of which the fingerprints are known.
type Value<'a, 'f> = (&'f Fingerprints<'a>, NodeId);

/// Fields that name a thing, where they are there: a step of a workflow, a rule, an alert.
const NAMING_FIELDS: [&str; 6] = ["name", "id", "alert", "record", "path", "uses"];

/// What equal values have in common; parts of it are what values that differ have in common.
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

/// How much two values have in common.
fn common(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if equal(left_tree, left.1, right_tree, right.1) {
        return ALL;
    }
    match (shape(left_tree, left.1), shape(right_tree, right.1)) {
        (Shape::Map, Shape::Map) => common_of_maps(left, right),
        (Shape::List, Shape::List) => {
            common_members(&left.0.of_elements(left.1), &right.0.of_elements(right.1))
        }
        (Shape::Scalar, Shape::Scalar) => {
            let lines = |(tree, node): (&'_ Tree<'_>, NodeId)| {
                let scalar = tree.scalar(node)?;
                let text = scalar.content.contains('\n').then_some(scalar.content)?;
                Some(text.lines().map(str::to_owned).collect::<Vec<_>>())
            };
            match (lines((left_tree, left.1)), lines((right_tree, right.1))) {
                (Some(left), Some(right)) => common_members(&left, &right),
                _ => 0,
            }
        }
        _ => 0,
    }
}

fn common_of_maps(
    (left_prints, left): Value<'_, '_>,
    (right_prints, right): Value<'_, '_>,
) -> usize {
    let (left_tree, right_tree) = (left_prints.tree(), right_prints.tree());
    let fields = FieldIndex::of(right_tree, right);
    let shared = entries_of(left_tree, left).filter_map(|entry| {
        let other = key_of(left_tree, entry).and_then(|key| fields.find(key))?;
        let values = [(left_prints, entry), (right_prints, other)];
        let [one, other] = values.map(|(of, entry)| (of, of.tree().entry(entry).value));
        Some(common(one, other))
    });
    let sum: usize = shared.sum();
    let counts = [
        entries_of(left_tree, left).len(),
        entries_of(right_tree, right).len(),
    ];
    sum / counts.into_iter().max().unwrap_or(1).max(1)
}

/// How many of the members of two lists are the same, as a part of the longer one.
fn common_members<T: std::hash::Hash + Eq>(left: &[T], right: &[T]) -> usize {
    let mut open: FxHashMap<&T, usize> = FxHashMap::default();
    for member in right {
        *open.entry(member).or_default() += 1;
    }
    let shared = left.iter().filter(|member| match open.get_mut(member) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    shared.count() * ALL / left.len().max(right.len()).max(1)
}
