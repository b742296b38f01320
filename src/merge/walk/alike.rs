//! Elements that are the same thing before and after a change, although nothing identifies them.

use rustc_hash::FxHashSet;

use super::index::{FieldIndex, key_of, scalar_key};
use super::{Shape, entries_of, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::merge::leaves;
use crate::yaml::{EntryId, NodeId, ScalarType, equal};

/// A value, in its tree of which the fingerprints are known.
pub(super) type Value<'a, 'f> = (&'f Fingerprints<'a>, NodeId);

/// Fields that name a thing, where they are there: a step of a workflow, a rule, an alert.
const NAMING_FIELDS: [&str; 10] = [
    "name", "id", "alert", "record", "path", "uses", "job", "job_name", "stage", "repo",
];

/// What equal values have in common.
const ALL: usize = 1000;

/// What two elements without a name must have in common to be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Least {
    /// Half of the larger one.
    Half,
    /// The same, and so must two of one action: many steps may use it.
    HalfOfDeleted,
    Anything,
}

/// How much two elements have in common that are alike: maps of the same name, or of another one
/// that say mostly the same, or, where none has one, maps whose only field has one key, and maps,
/// lists or texts of several lines that have at least `least` in common. `None` if they are not alike.
pub(super) fn likeness(
    (left_prints, left): (&Fingerprints<'_>, EntryId),
    (right_prints, right): (&Fingerprints<'_>, EntryId),
    least: Least,
) -> Option<usize> {
    let (left_tree, right_tree) = (left_prints.tree(), right_prints.tree());
    let left = (left_prints, left_tree.entry(left).value);
    let right = (right_prints, right_tree.entry(right).value);
    let are_maps =
        [left, right].map(|(prints, value)| shape(prints.tree(), value)) == [Shape::Map; 2];
    for field in NAMING_FIELDS.into_iter().filter(|_| are_maps) {
        if let (Some(one), Some(other)) = (named(left, field), named(right, field)) {
            let common = common(left, right);
            let of_deleted = least == Least::HalfOfDeleted;
            if is_same_name(field, one, other) {
                let is_enough = field != "uses" || !of_deleted || common * 2 >= ALL;
                return is_enough.then_some(ALL + common);
            }
            let is_renamed = !of_deleted && is_mostly(left, right)
                || least == Least::Anything && is_mostly_by_fields(left, right);
            return is_renamed.then_some(common.max(1));
        }
    }
    let common = common(left, right);
    match least {
        Least::Half | Least::Anything if have_one_key(left, right) => Some(common.max(1)),
        Least::Anything => (common > 0).then_some(common),
        Least::Half | Least::HalfOfDeleted => (common * 2 >= ALL).then_some(common),
    }
}

/// Whether two maps have one field each, of one key, and a map or list in it.
fn have_one_key(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let is_only = |(prints, map): Value<'_, '_>| entries_of(prints.tree(), map).len() == 1;
    let is_collection = |(prints, node): Value<'_, '_>| shape(prints.tree(), node) != Shape::Scalar;
    is_only(left)
        && is_only(right)
        && matches!(pairs_of_fields(left, right)[..], [(one, other, false)]
            if is_collection(one) && is_collection(other))
}

/// What names an element: the first field that can, and its text.
pub(super) fn name_of(
    prints: &Fingerprints<'_>,
    element: EntryId,
) -> Option<(&'static str, ScalarType, String)> {
    let tree = prints.tree();
    let value = (prints, tree.entry(element).value);
    let is_map = shape(tree, value.1) == Shape::Map;
    let fields = NAMING_FIELDS.into_iter().filter(|_| is_map);
    let (field, name) = fields
        .filter_map(|field| Some((field, named(value, field)?)))
        .next()?;
    let (scalar_type, text) = scalar_key(tree, name.1)?;
    let text = action(field, name).unwrap_or_else(|| text.to_owned());
    (scalar_type != ScalarType::Null).then_some((field, scalar_type, text))
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
    match (action(field, one), action(field, other)) {
        (Some(one), Some(other)) => one == other,
        _ => equal(one.0.tree(), one.1, other.0.tree(), other.1),
    }
}

/// The action that a step uses, without what it is pinned to.
fn action(field: &str, (prints, name): Value<'_, '_>) -> Option<String> {
    let scalar = prints.tree().scalar(name).filter(|_| field == "uses")?;
    Some(scalar.content.split_once('@')?.0.to_owned())
}

/// How much two values have in common: of maps, what their fields have in common on the average.
fn common(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if equal(left_tree, left.1, right_tree, right.1) {
        return ALL;
    }
    match [shape(left_tree, left.1), shape(right_tree, right.1)] {
        [Shape::Map, Shape::Map] => {
            let pairs = pairs_of_fields(left, right).into_iter();
            let sum: usize = pairs.map(|(one, other, _)| common(one, other)).sum();
            let counts = [left, right].map(|(of, map)| entries_of(of.tree(), map).len());
            sum / counts[0].max(counts[1]).max(1)
        }
        [Shape::List, Shape::List] => {
            let sides = [left, right].map(|(prints, list)| {
                let mut values = prints.of_elements(list).to_vec();
                values.sort_unstable();
                values
            });
            let [one, other] = &sides;
            leaves::common(one, other) * ALL / one.len().max(other.len()).max(1)
        }
        [Shape::Scalar, Shape::Scalar] if has_lines(left) && has_lines(right) => {
            let (one, other) = (left.0.leaves(left.1), right.0.leaves(right.1));
            one.common(&other) * ALL / one.len().max(other.len())
        }
        _ => 0,
    }
}

/// Whether two collections of one kind have at least two thirds of their leaves in common.
pub(super) fn is_mostly(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let shapes = [left, right].map(|(prints, node)| shape(prints.tree(), node));
    let most = left
        .0
        .leaves(left.1)
        .len()
        .max(right.0.leaves(right.1).len());
    shapes[0] == shapes[1]
        && shapes[0] != Shape::Scalar
        && (common_leaves(left, right) + leaves_below_new_keys(left, right)) * 3 >= most * 2
}

/// Whether two maps have half of their fields in common, and at least two, or one that is a map or
/// list with something in it; or use one action.
pub(super) fn is_mostly_by_fields(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    if [left, right].map(|(prints, value)| shape(prints.tree(), value)) != [Shape::Map; 2] {
        return false;
    }
    let counts = [left, right].map(|(of, map)| entries_of(of.tree(), map).len());
    let (most, common) = (counts[0].max(counts[1]), common(left, right));
    let actions = named(left, "uses").zip(named(right, "uses"));
    let have_one_action = actions.is_some_and(|(one, other)| is_same_name("uses", one, other));
    let is_same = |(one, other, _): (Value<'_, '_>, Value<'_, '_>, bool)| {
        entries_of(one.0.tree(), one.1).len() > 0 && self::common(one, other) == ALL
    };
    let have_collection = || pairs_of_fields(left, right).into_iter().any(is_same);
    have_one_action || common * 2 >= ALL && (common * most >= 2 * ALL || have_collection())
}

/// Whether two maps have the same fields, and other values in no more than so many.
pub(super) fn is_same_but_for(fields: usize, left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let counts = [left, right].map(|(of, map)| entries_of(of.tree(), map).len());
    let pairs = pairs_of_fields(left, right).into_iter();
    let same = pairs.filter(|(one, other, _)| common(*one, *other) == ALL);
    let same = same.count();
    same > 0 && counts[0] == counts[1] && same + fields >= counts[0]
}

fn has_lines((prints, node): Value<'_, '_>) -> bool {
    let scalar = prints.tree().scalar(node);
    scalar.is_some_and(|scalar| scalar.content.contains('\n'))
}

fn common_leaves(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    left.0.leaves(left.1).common(&right.0.leaves(right.1))
}

/// The leaves that two maps have in common below renamed keys, at any depth.
fn leaves_below_new_keys(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    let pairs = pairs_of_fields(left, right).into_iter();
    let leaves = pairs.map(|(one, other, is_renamed)| {
        let own = if is_renamed {
            common_leaves(one, other)
        } else {
            0
        };
        own + leaves_below_new_keys(one, other)
    });
    leaves.sum()
}

/// The values that two maps have under one key; and the two collections that they have under the
/// only key that the other one lacks: that key was renamed, which is said.
fn pairs_of_fields<'a, 'f, 'b, 'g>(
    left: Value<'a, 'f>,
    right: Value<'b, 'g>,
) -> Vec<(Value<'a, 'f>, Value<'b, 'g>, bool)> {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if [shape(left_tree, left.1), shape(right_tree, right.1)] != [Shape::Map; 2] {
        return Vec::new();
    }
    let pair = |one: EntryId, other: EntryId, is_renamed| {
        let (one, other) = (left_tree.entry(one).value, right_tree.entry(other).value);
        ((left.0, one), (right.0, other), is_renamed)
    };
    let fields = FieldIndex::of(right_tree, right.1);
    let (mut pairs, mut removed, mut shared) = (Vec::new(), Vec::new(), FxHashSet::default());
    for entry in entries_of(left_tree, left.1) {
        match key_of(left_tree, entry).and_then(|key| fields.find(key)) {
            Some(other) => {
                shared.insert(other);
                pairs.push(pair(entry, other, false));
            }
            None => removed.push(entry),
        }
    }
    let mut added = entries_of(right_tree, right.1).filter(|entry| !shared.contains(entry));
    if let (&[removed], Some(added), None) = (&removed[..], added.next(), added.next()) {
        let renamed = pair(removed, added, true);
        let of = shape(left_tree, renamed.0.1);
        if of != Shape::Scalar && of == shape(right_tree, renamed.1.1) {
            pairs.push(renamed);
        }
    }
    pairs
}
