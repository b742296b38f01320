//! Which elements are alike (rules: Lists without a key).

use super::sequence::Partners;
use crate::value::Value;

/// Fields that name a thing.
const NAMES: &str = "name id alert record path uses";

/// Pairs what lies between equal elements so that pairs have as much in common as they can.
pub(super) fn add_alike(
    partners: &mut Partners,
    len: usize,
    like: impl Fn(usize, usize) -> Option<usize>,
) {
    let equals: Vec<(usize, usize)> = (0..partners.len())
        .filter_map(|i| Some((i, partners[i]?)))
        .collect();
    let (mut i, mut j) = (0, 0);
    for (to_i, to_j) in equals.into_iter().chain([(partners.len(), len)]) {
        // the most that can be had from here on
        let mut most = vec![vec![0; to_j + 1]; to_i + 1];
        for a in (i..to_i).rev() {
            for b in (j..to_j).rev() {
                let together = like(a, b).map_or(0, |both| both + most[a + 1][b + 1]);
                most[a][b] = together.max(most[a + 1][b]).max(most[a][b + 1]);
            }
        }
        while i < to_i && j < to_j {
            match like(i, j) {
                Some(both) if both + most[i + 1][j + 1] == most[i][j] => {
                    partners[i] = Some(j);
                    (i, j) = (i + 1, j + 1);
                }
                _ if most[i + 1][j] == most[i][j] => i += 1,
                _ => j += 1,
            }
        }
        (i, j) = (to_i + 1, to_j + 1);
    }
}

/// What two elements have in common, in thousandths; none where they are not the same thing.
pub(super) fn likeness(one: &Value, other: &Value) -> Option<usize> {
    let name = NAMES
        .split(' ')
        .find_map(|name| Some((one.field(name)?, other.field(name)?)));
    match name {
        Some((one_name, other_name)) => (one_name == other_name).then(|| 1000 + common(one, other)),
        None => Some(common(one, other)).filter(|common| *common >= 500),
    }
}

/// Whether two collections of one kind have at least two thirds of their leaves in common.
pub(super) fn is_mostly(before: &Value, now: &Value) -> bool {
    !matches!(before, Value::Null | Value::Scalar { .. }) && 3 * common(before, now) >= 2000
}

/// How much of the larger one of two collections, or of two texts of several lines, the other one
/// has too.
fn common(one: &Value, other: &Value) -> usize {
    let is_text =
        |value: &Value| matches!(value, Value::Scalar { text, .. } if text.contains('\n'));
    let is_comparable = match (one, other) {
        (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_)) => true,
        _ => is_text(one) && is_text(other),
    };
    let most = leaves(one).len().max(leaves(other).len());
    let common = common_leaves(one, other) + below_new_keys(one, other);
    if is_comparable {
        common.min(most) * 1000 / most
    } else {
        0
    }
}

fn common_leaves(one: &Value, other: &Value) -> usize {
    let mut left = leaves(other);
    let one = leaves(one);
    let common = one.iter().filter(|leaf| {
        let at = left.iter().position(|other| other == *leaf);
        at.map(|at| left.swap_remove(at)).is_some()
    });
    common.count()
}

/// What two maps have in common below the only key that the other one lacks, at any depth.
fn below_new_keys(one: &Value, other: &Value) -> usize {
    let lacking = |map: &'_ Value, other: &Value| -> Vec<String> {
        let keys = map.keys().filter(|key| other.field(key).is_none());
        keys.cloned().collect()
    };
    let both = |key: &str, new: &str| {
        let (one, other) = (one.field(key)?, other.field(new)?);
        let leaves = if key == new {
            0
        } else {
            common_leaves(one, other)
        };
        Some(leaves + below_new_keys(one, other))
    };
    let shared = one.keys().filter_map(|key| both(key, key)).sum::<usize>();
    match (&lacking(one, other)[..], &lacking(other, one)[..]) {
        ([old], [new]) => shared + both(old, new).unwrap_or(0),
        _ => shared,
    }
}

/// The leaves of a value, each with the keys that lead to it; all elements of a list are at one
/// place.
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
