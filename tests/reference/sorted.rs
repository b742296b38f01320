//! Lists that are sorted (rules: Lists without a key).

use std::ops::Range;

use crate::value::Value;
use merge3::triple::Triple;

/// Whether the order of a sorted list has what upstream inserted above what local inserted at the
/// same place.
pub(super) fn is_theirs_first(lists: Triple<&[Value]>, place: &Triple<Range<usize>>) -> bool {
    let ranks = |list: &[Value]| list.iter().map(rank).collect::<Option<Vec<_>>>();
    let at = place.original.start;
    let Some(before) = ranks(lists.original).filter(|_| place.original.is_empty()) else {
        return false;
    };
    let wrong = (1..before.len()).filter(|i| before[i - 1] >= before[*i]);
    if before.len() < 5 || wrong.count() * 10 >= before.len() {
        return false;
    }
    let theirs = ranks(&lists.updated[place.updated.clone()]);
    let own = ranks(&lists.local[place.local.clone()]);
    let (Some(theirs), Some(own)) = (theirs, own) else {
        return false;
    };
    let are_above = |rows: [&[(String, String)]; 2]| {
        let [above, below] = rows;
        above
            .iter()
            .all(|one| below.iter().all(|other| one < other))
    };
    let (above, below) = before.split_at(at);
    let above = &above[above.len().saturating_sub(1)..];
    let below = &below[..below.len().min(1)];
    !theirs.is_empty()
        && !own.is_empty()
        && are_above([above, &theirs])
        && are_above([&theirs, &own])
        && are_above([&own, below])
}

/// By what an element of a list is sorted.
fn rank(value: &Value) -> Option<(String, String)> {
    let text = |value: &Value| match value {
        Value::Scalar { text, .. } => Some(text.clone()),
        _ => None,
    };
    match value {
        Value::Map(fields) => {
            let (key, value) = fields.first()?;
            Some((key.clone(), text(value)?))
        }
        other => Some((String::new(), text(other)?)),
    }
}
