//! Checks the reference merge against every row of the tables for values (rules: Equality, Fields,
//! Lists).

mod fields;
mod lists;

use crate::reference::{Lists, Outcome, Settings, merge_at};
use crate::value::{Value, load};
use merge3::triple::Triple;
use pretty_assertions::assert_eq;

fn settings() -> Settings {
    Settings {
        null_deletes: true,
        lists: Lists::Replace,
        texts_replace: false,
        local_wins: false,
        keys: Vec::new(),
    }
}

fn value(text: &str) -> Option<Value> {
    (text != "-").then(|| load::document(text).unwrap().unwrap_or(Value::Null))
}

fn run(texts: [&str; 3], settings: &Settings) -> Outcome {
    let [original, updated, local] = texts.map(value);
    let sides = Triple::new(original.as_ref(), updated.as_ref(), local.as_ref());
    merge_at("field", sides, settings)
}

/// Checks rows of original, updated, local, result and number of conflicts. `-` stands for an
/// absent value.
fn check(settings: &Settings, rows: &[(&str, &str, &str, &str, usize)]) {
    for (original, updated, local, result, conflicts) in rows {
        let outcome = run([original, updated, local], settings);
        let row = format!("{original} | {updated} | {local}");
        assert_eq!(outcome.value, value(result), "{row}");
        let found = &outcome.conflicts;
        assert_eq!(found.len(), *conflicts, "{row}: {found:?}");
    }
}
