//! How much two elements have in common, and which elements of two lists pair (rules: Lists without
//! a key).

use super::sequence::Partners;
use crate::value::Value;

/// Fields that name an element.
pub(super) const NAMES: &str = "name id alert record path uses job stage repo";

/// Pairs the elements that lie between equal ones, so that the pairs have as much in common as
/// possible. A pair has at least half in common, or anything at all if it is the only candidate on
/// both sides. `may_pair` says which elements of the side are candidates; `like` returns what two
/// elements have in common, given the least amount that counts.
pub(super) fn add_alike(
    partners: &mut Partners,
    len: usize,
    may_pair: impl Fn(usize) -> bool,
    common_of: impl Fn(usize, usize, usize) -> Option<usize>,
) {
    let equals: Vec<(usize, usize)> = (0..partners.len())
        .filter_map(|i| Some((i, partners[i]?)))
        .collect();
    let (mut i, mut j) = (0, 0);
    for (to_i, to_j) in equals.into_iter().chain([(partners.len(), len)]) {
        let are_alone = to_i == i + 1 && (j..to_j).filter(|j| may_pair(*j)).count() == 1;
        let least = if are_alone { 1 } else { 500 };
        let start = (i, j);
        let alike = |i, j| may_pair(j).then(|| common_of(i, j, least))?;
        // `most[a][b]` is the best total for the elements from `a` and `b` on
        let mut most = vec![vec![0; to_j + 1]; to_i + 1];
        for a in (i..to_i).rev() {
            for b in (j..to_j).rev() {
                let together = alike(a, b).map_or(0, |both| both + most[a + 1][b + 1]);
                most[a][b] = together.max(most[a + 1][b]).max(most[a][b + 1]);
            }
        }
        while i < to_i && j < to_j {
            match alike(i, j) {
                Some(both) if both + most[i + 1][j + 1] == most[i][j] => {
                    partners[i] = Some(j);
                    (i, j) = (i + 1, j + 1);
                }
                _ if most[i + 1][j] == most[i][j] => i += 1,
                _ => j += 1,
            }
        }
        // one that is left alone between two pairs
        let (mut before_i, mut before_j) = start;
        for i in start.0..=to_i {
            let j = match i == to_i {
                true => Some(to_j),
                false => partners[i],
            };
            let Some(j) = j else { continue };
            let candidates: Vec<usize> = (before_j..j).filter(|j| may_pair(*j)).collect();
            if let (true, [only]) = (i == before_i + 1, &candidates[..])
                && common_of(before_i, *only, 1).is_some()
            {
                partners[before_i] = Some(*only);
            }
            (before_i, before_j) = (i + 1, j + 1);
        }
        (i, j) = (to_i + 1, to_j + 1);
    }
}

/// Whether elements of the side that are alike make equal ones move: their pairs and the equal
/// pairs that stay count more than all equal pairs and what is alike between those. The arguments
/// are those of `add_alike`.
pub(super) fn makes_equal_move(
    equals: &Partners,
    len: usize,
    may_pair: impl Fn(usize) -> bool,
    common_of: impl Fn(usize, usize, usize) -> Option<usize>,
) -> bool {
    let is_between_the_same = |i: usize, j: usize| {
        let mut pairs = (0..equals.len()).filter_map(|other| Some((other, equals[other]?)));
        pairs.all(|(other_i, other_j)| (other_i < i) == (other_j < j))
    };
    let total = |keeps_equal: bool| {
        let weight = |i: usize, j: usize| match equals[i] {
            Some(equal) => (equal == j).then_some(600),
            None if equals.contains(&Some(j)) || !may_pair(j) => None,
            None if keeps_equal && !is_between_the_same(i, j) => None,
            None => common_of(i, j, 500),
        };
        let mut most = vec![vec![0; len + 1]; equals.len() + 1];
        for i in (0..equals.len()).rev() {
            for j in (0..len).rev() {
                let together = weight(i, j).map_or(0, |both| both + most[i + 1][j + 1]);
                most[i][j] = together.max(most[i + 1][j]).max(most[i][j + 1]);
            }
        }
        most[0][0]
    };
    total(false) > total(true)
}

/// Returns the value of a field that names a map. An empty value is no name.
pub(super) fn naming<'v>(map: &'v Value, field: &str) -> Option<&'v Value> {
    let is_empty = |value: &Value| matches!(value, Value::Scalar { text, .. } if text.is_empty());
    let value = map.field(field)?;
    (*value != Value::Null && !is_empty(value)).then_some(value)
}

/// Returns what two elements have in common, in thousandths, or None if they are different
/// elements, for instance because they have less than `least` in common.
pub(super) fn likeness(
    one: &Value,
    other: &Value,
    least: usize,
    may_be_renamed: bool,
) -> Option<usize> {
    let (named, other_named) = below_one_key(one, other).unwrap_or((one, other));
    let name = NAMES
        .split(' ')
        .find_map(|name| Some((naming(named, name)?, naming(other_named, name)?)));
    match name {
        Some((one_name, other_name)) if one_name == other_name => Some(1000 + common(one, other)),
        Some(_) => {
            let is_mostly = is_mostly(one, other) || least == 1 && is_mostly_by_fields(one, other);
            (may_be_renamed && is_mostly).then(|| common(one, other).max(1))
        }
        None if have_one_key(one, other) => Some(common(one, other).max(1)),
        None => Some(common(one, other)).filter(|common| *common >= least),
    }
}

/// Returns the maps that are the only fields of both maps, under the same key.
fn below_one_key<'v>(one: &'v Value, other: &'v Value) -> Option<(&'v Value, &'v Value)> {
    let (Value::Map(one), Value::Map(other)) = (one, other) else {
        return None;
    };
    match (&one[..], &other[..]) {
        ([(key, one @ Value::Map(_))], [(same, other @ Value::Map(_))]) if key == same => {
            Some((one, other))
        }
        _ => None,
    }
}

/// Whether both maps have a single field, under the same key, with a map or list as its value.
fn have_one_key(one: &Value, other: &Value) -> bool {
    let is_collection = |value: &Value| matches!(value, Value::Map(_) | Value::List(_));
    match (one, other) {
        (Value::Map(one), Value::Map(other)) => match (&one[..], &other[..]) {
            ([(key, one)], [(same, other)]) => {
                key == same && is_collection(one) && is_collection(other)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether two maps or two lists have at least two thirds of their leaves in common.
pub(super) fn is_mostly(before: &Value, now: &Value) -> bool {
    let most = leaves(before).len().max(leaves(now).len());
    is_one_kind(before, now)
        && 3 * (common_leaves(before, now) + below_new_keys(before, now)) >= 2 * most
}

/// Whether two maps have at least half of their leaves in common, more than one, or at least half of
/// their fields, and either at least two fields or one map or list that is not empty.
pub(super) fn is_mostly_by_fields(before: &Value, now: &Value) -> bool {
    let (Value::Map(fields), Value::Map(others)) = (before, now) else {
        return false;
    };
    let common = common(before, now);
    let has_content = |value: &Value| match value {
        Value::Map(fields) => !fields.is_empty(),
        Value::List(elements) => !elements.is_empty(),
        _ => false,
    };
    let have_collection = pairs_of_fields(before, now).into_iter().any(|(key, new)| {
        let values = before.field(&key).zip(now.field(&new));
        values.is_some_and(|(one, other)| one == other && has_content(one))
    });
    let (shared, most) = (
        common_leaves(before, now),
        leaves(before).len().max(leaves(now).len()),
    );
    shared > 1 && shared * 2 >= most
        || common >= 500 && (common * fields.len().max(others.len()) >= 2000 || have_collection)
}

/// Whether two maps have the same number of fields, share at least one field and its value, and
/// differ in at most `fields` of them.
pub(super) fn is_same_but_for(fields: usize, before: &Value, now: &Value) -> bool {
    let (Value::Map(before), Value::Map(others)) = (before, now) else {
        return false;
    };
    let same = before
        .iter()
        .filter(|(key, value)| now.field(key) == Some(value));
    let same = same.count();
    same > 0 && before.len() == others.len() && before.len() - same <= fields
}

fn is_one_kind(one: &Value, other: &Value) -> bool {
    matches!(
        (one, other),
        (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_))
    )
}

fn common(one: &Value, other: &Value) -> usize {
    let members = |one: &[Value], other: &[Value]| {
        let mut left = other.to_vec();
        let taken = one.iter().filter(|it| {
            let at = left.iter().position(|other| other == *it);
            at.map(|at| left.remove(at)).is_some()
        });
        taken.count() * 1000 / one.len().max(other.len()).max(1)
    };
    let lines = |text: &str| text.lines().map(Value::text).collect::<Vec<_>>();
    match (one, other) {
        _ if one == other => 1000,
        (Value::Map(fields), Value::Map(others)) => {
            let pairs = pairs_of_fields(one, other).into_iter();
            let shared = pairs.map(|(key, new)| {
                let values = one.field(&key).zip(other.field(&new));
                values.map_or(0, |(one, other)| common(one, other))
            });
            shared.sum::<usize>() / fields.len().max(others.len()).max(1)
        }
        (Value::List(one), Value::List(other)) => members(one, other),
        (Value::Scalar { text: one, .. }, Value::Scalar { text: other, .. })
            if one.contains('\n') && other.contains('\n') =>
        {
            members(&lines(one), &lines(other))
        }
        _ => 0,
    }
}

/// Returns pairs of corresponding keys of two maps: each shared key with itself, and, if each map
/// has exactly one key that the other lacks and both values are maps or both are lists, these two
/// keys.
fn pairs_of_fields(one: &Value, other: &Value) -> Vec<(String, String)> {
    let lacking = |map: &'_ Value, other: &Value| -> Vec<String> {
        let keys = map.keys().filter(|key| other.field(key).is_none());
        keys.cloned().collect()
    };
    let shared = one.keys().filter(|key| other.field(key).is_some());
    let mut pairs: Vec<_> = shared.map(|key| (key.clone(), key.clone())).collect();
    if let ([old], [new]) = (&lacking(one, other)[..], &lacking(other, one)[..])
        && let Some((before, now)) = one.field(old).zip(other.field(new))
        && is_one_kind(before, now)
    {
        pairs.push((old.clone(), new.clone()));
    }
    pairs
}

pub(super) fn common_leaves(one: &Value, other: &Value) -> usize {
    let mut left = leaves(other);
    let one = leaves(one);
    let common = one.iter().filter(|leaf| {
        let at = left.iter().position(|other| other == *leaf);
        at.map(|at| left.swap_remove(at)).is_some()
    });
    common.count()
}

/// Returns the number of leaves that two maps have in common below renamed keys, at any depth.
fn below_new_keys(one: &Value, other: &Value) -> usize {
    let pairs = pairs_of_fields(one, other).into_iter();
    let below = pairs.map(|(key, new)| {
        let (Some(one), Some(other)) = (one.field(&key), other.field(&new)) else {
            return 0;
        };
        let at_this_key = if key == new {
            0
        } else {
            common_leaves(one, other)
        };
        at_this_key + below_new_keys(one, other)
    });
    below.sum()
}

/// Returns the leaves of a value, each with the keys that lead to it. All elements of a list have
/// the same path.
fn leaves(value: &Value) -> Vec<(Vec<String>, Value)> {
    let below = |step: &str, value: &Value| {
        let mut below = leaves(value);
        below
            .iter_mut()
            .for_each(|(path, _)| path.insert(0, step.to_owned()));
        below
    };
    match value {
        Value::Map(fields) if !fields.is_empty() => fields
            .iter()
            .flat_map(|(key, value)| below(key, value))
            .collect(),
        Value::List(elements) if !elements.is_empty() => elements
            .iter()
            .flat_map(|element| below("", element))
            .collect(),
        Value::Scalar { text, tag } if text.contains('\n') => {
            let lines = text.lines().map(|line| Value::Scalar {
                text: line.to_owned(),
                tag: tag.clone(),
            });
            lines.map(|line| (Vec::new(), line)).collect()
        }
        other => vec![(Vec::new(), other.clone())],
    }
}
