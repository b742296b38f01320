//! Which elements are alike (SPEC 6).

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

fn common(one: &Value, other: &Value) -> usize {
    let members = |one: &[&Value], other: &[&Value]| {
        let mut left = other.to_vec();
        let taken = one.iter().filter(|it| {
            let at = left.iter().position(|other| other == *it);
            at.map(|at| left.remove(at)).is_some()
        });
        taken.count() * 1000 / one.len().max(other.len()).max(1)
    };
    match (one, other) {
        _ if one == other => 1000,
        (Value::Map(fields), Value::Map(others)) => {
            let shared = fields
                .iter()
                .filter_map(|(key, value)| Some(common(value, other.field(key)?)));
            shared.sum::<usize>() / fields.len().max(others.len()).max(1)
        }
        (Value::List(one), Value::List(other)) => members(
            &one.iter().collect::<Vec<_>>(),
            &other.iter().collect::<Vec<_>>(),
        ),
        (Value::Scalar { text: one, .. }, Value::Scalar { text: other, .. })
            if one.contains('\n') && other.contains('\n') =>
        {
            let [one, other] =
                [one, other].map(|text| text.lines().map(Value::text).collect::<Vec<_>>());
            members(
                &one.iter().collect::<Vec<_>>(),
                &other.iter().collect::<Vec<_>>(),
            )
        }
        _ => 0,
    }
}
