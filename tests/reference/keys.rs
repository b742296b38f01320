//! Which key identifies the elements of a list, before a merge and after it.

use super::{KEYS, Lists};
use crate::value::{Value, distinct};

/// Whether the merged list has another key than the list had before. Example: two columns of one
/// `type` are identified by `name`; when one of them is deleted, `type` identifies the other. A
/// list with a repeated element has no key and is no set until one copy is deleted. The rules
/// choose the key (rules: Lists with a key), so a second merge of such a list may differ.
pub fn changes_key(before: &Value, after: &Value, lists: Lists) -> bool {
    let key = |list: &[Value]| {
        let by = |key: &&str| {
            let ids: Option<Vec<_>> = list
                .iter()
                .map(|element| element.field(key)?.scalar())
                .collect();
            ids.is_some_and(distinct)
        };
        let members = |element: &Value| element.scalar().is_some() || *element == Value::Null;
        let is_set = lists == Lists::Set && list.iter().all(members) && distinct(list);
        KEYS.split(' ')
            .find(by)
            .or(is_set.then_some("the member itself"))
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
                    .any(|(before, after)| changes_key(before, after, lists))
        }
        (Value::Map(fields), after) => {
            let both = fields
                .iter()
                .filter_map(|(key, before)| Some((before, after.field(key)?)));
            both.into_iter()
                .any(|(before, after)| changes_key(before, after, lists))
        }
        _ => false,
    }
}
