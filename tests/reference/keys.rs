//! Which key identifies a list's elements, before a merge and after it.

use super::KEYS;
use crate::value::{Value, distinct};

/// Whether a merge leaves a list that another key identifies than before: two columns of one `type` are told apart by
/// `name`, but when one of them has gone, by `type`. The key is what SPEC 6 says, so what a second merge makes of such a list
/// may be something else.
pub fn changes_key(before: &Value, after: &Value) -> bool {
    let key = |list: &[Value]| {
        KEYS.split(' ').find(|key| {
            let ids: Option<Vec<_>> = list
                .iter()
                .map(|element| element.field(key)?.scalar())
                .collect();
            ids.is_some_and(distinct)
        })
    };
    match (before, after) {
        (Value::List(before), Value::List(after)) => {
            let filled = !before.is_empty() && !after.is_empty();
            let pairs = before
                .iter()
                .flat_map(|before| after.iter().map(move |after| (before, after)));
            filled && key(before) != key(after)
                || pairs
                    .into_iter()
                    .any(|(before, after)| changes_key(before, after))
        }
        (Value::Map(fields), after) => {
            let both = fields
                .iter()
                .filter_map(|(key, before)| Some((before, after.field(key)?)));
            both.into_iter()
                .any(|(before, after)| changes_key(before, after))
        }
        _ => false,
    }
}
