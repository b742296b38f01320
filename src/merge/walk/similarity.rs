//! Measures the similarity of values without an identity, to find out which ones are versions of
//! the same element.

use rustc_hash::FxHashSet;

use super::{Shape, entries_of, shape};
use crate::merge::fingerprint::Fingerprints;
use crate::merge::index::{FieldIndex, key_of, scalar_key};
use crate::merge::leaves;
use crate::yaml::{EntryId, NodeId, ScalarType, equal};

/// A node, with the fingerprints of its tree.
type Value<'f> = (&'f Fingerprints<'f>, NodeId);

/// An element, with the fingerprints of its tree.
type Element<'f> = (&'f Fingerprints<'f>, EntryId);

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
pub(super) fn similarity<'f>(
    left: Element<'f>,
    right: Element<'f>,
    threshold: Threshold,
) -> Option<usize> {
    let (left, right) = (value_of(left), value_of(right));
    if are_same_alias(left, right) {
        return Some(EQUAL);
    }
    // the only key above two maps (`- job: {name: build}`), which have the names of the elements
    let single = values_of_single_key(left, right);
    let wrapped = single.filter(|(one, other)| are_maps(*one, *other));
    let (named_left, named_right) = wrapped.unwrap_or((left, right));
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
    let is_collection = |value| shape_of(value) != Shape::Scalar;
    let have_single_key =
        single.is_some_and(|(one, other)| is_collection(one) && is_collection(other));
    match threshold {
        Threshold::Half | Threshold::Any if have_single_key => Some(common.max(1)),
        Threshold::Any => (common > 0).then_some(common),
        Threshold::Half if are_maps && share_half_of_leaves(left, right) => Some(common.max(1)),
        Threshold::Half => (common * 2 >= EQUAL).then_some(common),
        Threshold::Strict => {
            let (leaves, _) = common_leaves(left, right);
            let is_whole = leaves > 0 && leaves == left.0.leaves(left.1).len();
            let is_enough = common * 2 > EQUAL || leaves > 1 || is_whole;
            (common * 2 >= EQUAL && is_enough).then_some(common)
        }
    }
}

/// Returns the values of two maps that have one field each, with the same key.
fn values_of_single_key<'f>(left: Value<'f>, right: Value<'f>) -> Option<(Value<'f>, Value<'f>)> {
    if [left, right].map(entry_count) != [1; 2] {
        return None;
    }
    match paired_values(left, right)[..] {
        [(one, other, false)] => Some((one, other)),
        _ => None,
    }
}

/// Returns the name of an element: the key above the map with the name if it is the only one, the
/// first naming field with a usable value, and that value.
pub(in crate::merge) fn name_of(
    prints: &Fingerprints<'_>,
    element: EntryId,
) -> Option<(Option<String>, &'static str, ScalarType, String)> {
    let (tree, element) = (prints.tree(), value_of((prints, element)));
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
    Some((key, field, scalar_type, text))
}

/// Returns the value of a naming field of a map, unless it is empty or null.
fn naming_value<'f>((prints, map): Value<'f>, field: &str) -> Option<Value<'f>> {
    let tree = prints.tree();
    let value = tree.field(map, field)?;
    let is_empty = tree.scalar(value).is_some_and(|it| it.content.is_empty());
    (!is_empty && !tree.is_null(value)).then_some((prints, value))
}

/// Compares two names. The version of an action (`uses: org/action@v4`) is ignored.
fn is_same_name(field: &str, one: Value<'_>, other: Value<'_>) -> bool {
    match (action(field, one), action(field, other)) {
        (Some(one), Some(other)) => one == other,
        _ => equal(one.0.tree(), one.1, other.0.tree(), other.1),
    }
}

/// Returns the action in a `uses` field, without its version.
fn action(field: &str, (prints, name): Value<'_>) -> Option<String> {
    let scalar = prints.tree().scalar(name).filter(|_| field == "uses")?;
    Some(scalar.content.split_once('@')?.0.to_owned())
}

/// Returns the similarity of two values, from 0 to `EQUAL`. For maps it is the average over their
/// fields.
fn common(left: Value<'_>, right: Value<'_>) -> usize {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if are_same_alias(left, right) || equal(left_tree, left.1, right_tree, right.1) {
        return EQUAL;
    }
    match [left, right].map(shape_of) {
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
            let (common, most) = common_leaves(left, right);
            common * EQUAL / most
        }
        _ => 0,
    }
}

/// Returns true if two values have at least half of their leaves in common. It differs from
/// [`common`] for maps with long texts.
fn share_half_of_leaves(left: Value<'_>, right: Value<'_>) -> bool {
    let (common, most) = common_leaves(left, right);
    common * 2 >= most
}

/// Returns true if two maps or two lists have at least two thirds of their leaves in common.
pub(super) fn is_mostly_equal(left: Value<'_>, right: Value<'_>) -> bool {
    let [kind, other_kind] = [left, right].map(shape_of);
    if kind != other_kind || kind == Shape::Scalar {
        return false;
    }
    let (common, most) = common_leaves(left, right);
    let is_enough = |common: usize| common * 3 >= most * 2;
    is_enough(common) || is_enough(common + common_leaves_below_renamed(left, right))
}

/// Returns true if two maps use the same action, or have half of their leaves in common, more than
/// one, or half of their fields: at least two, or one with a map or list that is not empty.
pub(super) fn shares_most_fields(left: Value<'_>, right: Value<'_>) -> bool {
    if !are_maps(left, right) {
        return false;
    }
    let counts = [left, right].map(entry_count);
    let (field_count, common) = (counts[0].max(counts[1]), common(left, right));
    let actions = naming_value(left, "uses").zip(naming_value(right, "uses"));
    let use_same_action = actions.is_some_and(|(one, other)| is_same_name("uses", one, other));
    let is_same = |(one, other, _): (Value<'_>, Value<'_>, bool)| {
        entry_count(one) > 0 && self::common(one, other) == EQUAL
    };
    let have_collection = || paired_values(left, right).into_iter().any(is_same);
    use_same_action
        || share_half_of_leaves(left, right) && common_leaves(left, right).0 > 1
        || common * 2 >= EQUAL && (common * field_count >= 2 * EQUAL || have_collection())
}

/// Returns true if two maps have the same fields, and at most `fields` of the values differ.
pub(super) fn differs_in_at_most(fields: usize, left: Value<'_>, right: Value<'_>) -> bool {
    let counts = [left, right].map(entry_count);
    let pairs = paired_values(left, right).into_iter();
    let same = pairs.filter(|(one, other, _)| common(*one, *other) == EQUAL);
    let same = same.count();
    same > 0 && counts[0] == counts[1] && same + fields >= counts[0]
}

/// Returns true if two values are aliases with the same name, even if the values of their anchors
/// differ.
fn are_same_alias(left: Value<'_>, right: Value<'_>) -> bool {
    let name = left.0.tree().alias_name(left.1);
    name.is_some() && name == right.0.tree().alias_name(right.1)
}

fn are_maps(left: Value<'_>, right: Value<'_>) -> bool {
    is_map(left) && is_map(right)
}

fn is_map(value: Value<'_>) -> bool {
    shape_of(value) == Shape::Map
}

fn shape_of((prints, value): Value<'_>) -> Shape {
    shape(prints.tree(), value)
}

fn value_of((prints, element): Element<'_>) -> Value<'_> {
    (prints, prints.tree().entry(element).value)
}

fn entry_count((prints, collection): Value<'_>) -> usize {
    entries_of(prints.tree(), collection).len()
}

pub(super) fn is_multiline((prints, node): Value<'_>) -> bool {
    let scalar = prints.tree().scalar(node);
    scalar.is_some_and(|scalar| scalar.content.contains('\n'))
}

/// Returns how many leaves two values share, and how many the larger one has.
fn common_leaves(left: Value<'_>, right: Value<'_>) -> (usize, usize) {
    let [one, other] = [left, right].map(|(prints, node)| prints.leaves(node));
    (one.common(&other), one.len().max(other.len()))
}

/// Counts the common leaves of two maps below renamed keys, at any depth.
fn common_leaves_below_renamed(left: Value<'_>, right: Value<'_>) -> usize {
    if ![left, right].into_iter().all(has_collection) {
        return 0;
    }
    let pairs = paired_values(left, right).into_iter();
    let leaves = pairs.map(|(one, other, is_renamed)| {
        let of_pair = is_renamed.then(|| common_leaves(one, other).0);
        of_pair.unwrap_or(0) + common_leaves_below_renamed(one, other)
    });
    leaves.sum()
}

/// Whether a map has a map or list as value.
fn has_collection((prints, node): Value<'_>) -> bool {
    let mut fields = entries_of(prints.tree(), node);
    fields.any(|field| shape_of(value_of((prints, field))) != Shape::Scalar)
}

/// Returns the pairs of values that two maps have under the same key. If each map has one key that
/// the other one lacks, and both hold a map or both hold a list, these values pair too: the flag
/// says that the key was renamed.
fn paired_values<'f>(left: Value<'f>, right: Value<'f>) -> Vec<(Value<'f>, Value<'f>, bool)> {
    let (left_tree, right_tree) = (left.0.tree(), right.0.tree());
    if !are_maps(left, right) {
        return Vec::new();
    }
    let pair = |one: EntryId, other: EntryId, is_renamed| {
        let (one, other) = (value_of((left.0, one)), value_of((right.0, other)));
        (one, other, is_renamed)
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
        let kind = shape_of(renamed.0);
        let is_collection = kind != Shape::Scalar && kind == shape_of(renamed.1);
        // with less below its only key, a map cannot be recognized without the key
        let has_several_leaves = || left.0.leaves(renamed.0.1).len() > 1;
        if is_collection && (!pairs.is_empty() || has_several_leaves()) {
            pairs.push(renamed);
        }
    }
    pairs
}
