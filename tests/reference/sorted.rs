//! Finds the order of insertions into sorted lists (rules: Lists without a key).

use std::ops::Range;

use crate::value::Value;
use merge3::triple::Triple;

/// Whether the sort order puts the elements that upstream inserted before those that local inserted
/// at the same place. False if the list is not sorted.
pub(super) fn upstream_sorts_first(lists: Triple<&[Value]>, place: &Triple<Range<usize>>) -> bool {
    let sort_keys = |list: &[Value]| list.iter().map(sort_key).collect::<Option<Vec<_>>>();
    let at = place.original.start;
    let Some(before) = sort_keys(lists.original).filter(|_| place.original.is_empty()) else {
        return false;
    };
    let wrong = (1..before.len()).filter(|i| before[i - 1] >= before[*i]);
    if before.len() < 5 || wrong.count() * 10 >= before.len() {
        return false;
    }
    let upstream = sort_keys(&lists.updated[place.updated.clone()]);
    let local = sort_keys(&lists.local[place.local.clone()]);
    let (Some(upstream), Some(local)) = (upstream, local) else {
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
    !upstream.is_empty()
        && !local.is_empty()
        && are_above([above, &upstream])
        && are_above([&upstream, &local])
        && are_above([&local, below])
}

/// Returns the sort key of an element.
fn sort_key(value: &Value) -> Option<(String, String)> {
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
