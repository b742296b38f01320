//! Measures the similarity of values without an identity, to find out which ones are versions of
//! the same element.

use rustc_hash::FxHashSet;

use super::index::{FieldIndex, key_of, scalar_key};
use super::{Shape, entries_of, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::merge::leaves;
use crate::yaml::{EntryId, NodeId, ScalarType, equal};

/// A node, with the fingerprints of its tree.
pub(super) type Value<'a, 'f> = (&'f Fingerprints<'a>, NodeId);

/// Fields that name an element, such as a workflow step or an alert, in the order of preference.
const NAMING_FIELDS: [&str; 10] = [
    "name", "id", "alert", "record", "path", "uses", "job", "job_name", "stage", "repo",
];

/// The similarity of equal values.
const EQUAL: usize = 1000;

/// The similarity that two elements without a name must have to pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threshold {
    /// Half of the larger one.
    Half,
    /// Like `Half`, but more than half if only one leaf is in common and the first element has more.
    /// There are no exceptions for renamed elements, maps of one field and maps with long texts, and
    /// two steps that use the same action need it too.
    Strict,
    /// Anything in common, or most fields of maps whose names differ.
    Any,
}

/// Returns the similarity of two elements, or `None` if they are not versions of the same element.
///
/// Aliases pair if they have the same name. Maps pair if they have the same name, or if their names
/// differ and their contents are mostly the same. Without a name, maps pair whose only field has
/// the same key, and maps, lists and texts of several lines that reach the threshold.
pub(super) fn similarity(
    (left_prints, left): (&Fingerprints<'_>, EntryId),
    (right_prints, right): (&Fingerprints<'_>, EntryId),
    threshold: Threshold,
) -> Option<usize> {
    let (left_tree, right_tree) = (left_prints.tree(), right_prints.tree());
    let left = (left_prints, left_tree.entry(left).value);
    let right = (right_prints, right_tree.entry(right).value);
    if are_same_alias(left, right) {
        return Some(EQUAL);
    }
    let (named_left, named_right) = wrapped_maps(left, right).unwrap_or((left, right));
    let are_maps = are_maps(named_left, named_right);
    for field in NAMING_FIELDS.into_iter().filter(|_| are_maps) {
        let names = naming_value(named_left, field).zip(naming_value(named_right, field));
        if let Some((one, other)) = names {
            let common = common(left, right);
            let is_strict = threshold == Threshold::Strict;
            if is_same_name(field, one, other) {
                let is_similar_enough = field != "uses" || !is_strict || common * 2 >= EQUAL;
                return is_similar_enough.then_some(EQUAL + common);
            }
            let is_renamed = !is_strict && is_mostly_equal(left, right)
                || threshold == Threshold::Any && shares_most_fields(left, right);
            return is_renamed.then_some(common.max(1));
        }
    }
    let common = common(left, right);
    match threshold {
        Threshold::Half | Threshold::Any if have_same_single_key(left, right) => {
            Some(common.max(1))
        }
        Threshold::Any => (common > 0).then_some(common),
        Threshold::Half if are_maps && share_half_of_leaves(left, right) => Some(common.max(1)),
        Threshold::Half => (common * 2 >= EQUAL).then_some(common),
        Threshold::Strict => {
            let leaves = common_leaves(left, right);
            let is_whole = leaves > 0 && leaves == left_prints.leaves(left.1).len();
            let is_enough = common * 2 > EQUAL || leaves > 1 || is_whole;
            (common * 2 >= EQUAL && is_enough).then_some(common)
        }
    }
}

/// Returns true if each map has one field, both with the same key and a map or list as value.
fn have_same_single_key(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let is_collection = |(prints, node): Value<'_, '_>| shape(prints.tree(), node) != Shape::Scalar;
    values_of_same_single_key(left, right)
        .is_some_and(|(one, other)| is_collection(one) && is_collection(other))
}

/// Returns the values of two maps that have one field each, with the same key.
fn values_of_same_single_key<'a, 'f, 'b, 'g>(
    left: Value<'a, 'f>,
    right: Value<'b, 'g>,
) -> Option<(Value<'a, 'f>, Value<'b, 'g>)> {
    if [left, right].map(entry_count) != [1; 2] {
        return None;
    }
    match paired_values(left, right)[..] {
        [(one, other, false)] => Some((one, other)),
        _ => None,
    }
}

/// Returns the maps below the only key of two elements (`- job: {name: build}`), which have the
/// names of the elements.
fn wrapped_maps<'a, 'f, 'b, 'g>(
    left: Value<'a, 'f>,
    right: Value<'b, 'g>,
) -> Option<(Value<'a, 'f>, Value<'b, 'g>)> {
    values_of_same_single_key(left, right).filter(|(one, other)| are_maps(*one, *other))
}

/// Returns the name of an element: the key above the map with the name if it is the only one, the
/// first naming field with a usable value, and that value.
pub(in crate::merge) fn name_of(
    prints: &Fingerprints<'_>,
    element: EntryId,
) -> Option<(Option<String>, &'static str, ScalarType, String)> {
    let tree = prints.tree();
    let element = (prints, tree.entry(element).value);
    let mut fields = entries_of(tree, element.1);
    let single = fields.next().filter(|_| fields.len() == 0);
    let wrapped = single.map(|field| (field, (prints, tree.entry(field).value)));
    let wrapped = wrapped.filter(|(_, value)| is_map(element) && is_map(*value));
    let key = wrapped.and_then(|(field, _)| key_of(tree, field));
    let value = wrapped.map_or(element, |(_, value)| value);
    let mut fields = NAMING_FIELDS.into_iter().filter(|_| is_map(value));
    let (field, name) = fields.find_map(|field| Some((field, naming_value(value, field)?)))?;
    let (scalar_type, text) = scalar_key(tree, name.1)?;
    let text = action(field, name).unwrap_or_else(|| text.to_owned());
    let key = key.map(|(_, key)| key.to_owned());
    (scalar_type != ScalarType::Null).then_some((key, field, scalar_type, text))
}

/// Returns the value of a field of a map.
fn naming_value<'a, 'f>((prints, map): Value<'a, 'f>, field: &str) -> Option<Value<'a, 'f>> {
    let tree = prints.tree();
    let entry = tree.find(tree.resolve(map), field)?;
    Some((prints, tree.entry(entry).value))
}

/// Compares two names. The version of an action (`uses: org/action@v4`) is ignored.
fn is_same_name(field: &str, one: Value<'_, '_>, other: Value<'_, '_>) -> bool {
    match (action(field, one), action(field, other)) {
        (Some(one), Some(other)) => one == other,
        _ => equal(one.0.tree(), one.1, other.0.tree(), other.1),
    }
}

/// Returns the action in a `uses` field, without its version.
fn action(field: &str, (prints, name): Value<'_, '_>) -> Option<String> {
    let scalar = prints.tree().scalar(name).filter(|_| field == "uses")?;
    Some(scalar.content.split_once('@')?.0.to_owned())
}

/// Returns the similarity of two values, from 0 to `EQUAL`. For maps it is the average over their
/// fields.
fn common(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if are_same_alias(left, right) || equal(left_tree, left.1, right_tree, right.1) {
        return EQUAL;
    }
    match [shape(left_tree, left.1), shape(right_tree, right.1)] {
        [Shape::Map, Shape::Map] => {
            let pairs = paired_values(left, right).into_iter();
            let sum: usize = pairs.map(|(one, other, _)| common(one, other)).sum();
            let counts = [left, right].map(entry_count);
            sum / counts[0].max(counts[1]).max(1)
        }
        [Shape::List, Shape::List] => {
            let sides = [left, right].map(|(prints, list)| {
                let mut values = prints.of_elements(list).to_vec();
                values.sort_unstable();
                values
            });
            let [one, other] = &sides;
            leaves::count_common(one, other) * EQUAL / one.len().max(other.len()).max(1)
        }
        [Shape::Scalar, Shape::Scalar] if is_multiline(left) && is_multiline(right) => {
            let (one, other) = (left.0.leaves(left.1), right.0.leaves(right.1));
            one.common(&other) * EQUAL / one.len().max(other.len())
        }
        _ => 0,
    }
}

/// Returns true if two values have at least half of their leaves in common. It differs from
/// [`common`] for maps with long texts.
fn share_half_of_leaves(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let [one, other] = [left, right].map(|(prints, node)| prints.leaves(node));
    one.common(&other) * 2 >= one.len().max(other.len())
}

/// Returns true if two maps or two lists have at least two thirds of their leaves in common.
pub(super) fn is_mostly_equal(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let shapes = [left, right].map(|(prints, node)| shape(prints.tree(), node));
    if shapes[0] != shapes[1] || shapes[0] == Shape::Scalar {
        return false;
    }
    let [one, other] = [left, right].map(|(prints, node)| prints.leaves(node));
    let (common, needed) = (one.common(&other), one.len().max(other.len()) * 2);
    common * 3 >= needed || (common + common_leaves_below_renamed(left, right)) * 3 >= needed
}

/// Returns true if two maps use the same action, or have half of their leaves in common, more than
/// one, or half of their fields: at least two, or one with a map or list that is not empty.
pub(super) fn shares_most_fields(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    if !are_maps(left, right) {
        return false;
    }
    let counts = [left, right].map(entry_count);
    let (field_count, common) = (counts[0].max(counts[1]), common(left, right));
    let actions = naming_value(left, "uses").zip(naming_value(right, "uses"));
    let use_same_action = actions.is_some_and(|(one, other)| is_same_name("uses", one, other));
    let is_same = |(one, other, _): (Value<'_, '_>, Value<'_, '_>, bool)| {
        entry_count(one) > 0 && self::common(one, other) == EQUAL
    };
    let have_collection = || paired_values(left, right).into_iter().any(is_same);
    use_same_action
        || share_half_of_leaves(left, right) && common_leaves(left, right) > 1
        || common * 2 >= EQUAL && (common * field_count >= 2 * EQUAL || have_collection())
}

/// Returns true if two maps have the same fields, and at most `fields` of the values differ.
pub(super) fn differs_in_at_most(fields: usize, left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let counts = [left, right].map(entry_count);
    let pairs = paired_values(left, right).into_iter();
    let same = pairs.filter(|(one, other, _)| common(*one, *other) == EQUAL);
    let same = same.count();
    same > 0 && counts[0] == counts[1] && same + fields >= counts[0]
}

/// Returns true if two values are aliases with the same name, even if the values of their anchors
/// differ.
fn are_same_alias(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    let name = left.0.tree().alias_name(left.1);
    name.is_some() && name == right.0.tree().alias_name(right.1)
}

fn are_maps(left: Value<'_, '_>, right: Value<'_, '_>) -> bool {
    is_map(left) && is_map(right)
}

fn is_map((prints, value): Value<'_, '_>) -> bool {
    shape(prints.tree(), value) == Shape::Map
}

fn entry_count((prints, collection): Value<'_, '_>) -> usize {
    entries_of(prints.tree(), collection).len()
}

pub(super) fn is_multiline((prints, node): Value<'_, '_>) -> bool {
    let scalar = prints.tree().scalar(node);
    scalar.is_some_and(|scalar| scalar.content.contains('\n'))
}

fn common_leaves(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    left.0.leaves(left.1).common(&right.0.leaves(right.1))
}

/// Counts the common leaves of two maps below renamed keys, at any depth.
fn common_leaves_below_renamed(left: Value<'_, '_>, right: Value<'_, '_>) -> usize {
    if ![left, right].into_iter().all(has_collection) {
        return 0;
    }
    let pairs = paired_values(left, right).into_iter();
    let leaves = pairs.map(|(one, other, is_renamed)| {
        let of_pair = if is_renamed {
            common_leaves(one, other)
        } else {
            0
        };
        of_pair + common_leaves_below_renamed(one, other)
    });
    leaves.sum()
}

/// Whether a value has more than one leaf. With less below its only key, a map cannot be recognized
/// without the key.
fn has_several_leaves((prints, node): Value<'_, '_>) -> bool {
    prints.leaves(node).len() > 1
}

/// Whether a map has a map or list as value.
fn has_collection((prints, node): Value<'_, '_>) -> bool {
    let tree = prints.tree();
    entries_of(tree, node).any(|field| shape(tree, tree.entry(field).value) != Shape::Scalar)
}

/// Returns the pairs of values that two maps have under the same key. If each map has one key that
/// the other one lacks, and both hold a map or both hold a list, these values pair too: the flag
/// says that the key was renamed.
fn paired_values<'a, 'f, 'b, 'g>(
    left: Value<'a, 'f>,
    right: Value<'b, 'g>,
) -> Vec<(Value<'a, 'f>, Value<'b, 'g>, bool)> {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if !are_maps(left, right) {
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
        let kind = shape(left_tree, renamed.0.1);
        let is_collection = kind != Shape::Scalar && kind == shape(right_tree, renamed.1.1);
        if is_collection && (!pairs.is_empty() || has_several_leaves(renamed.0)) {
            pairs.push(renamed);
        }
    }
    pairs
}
