//! A patch made from two documents turns the first into the second, by value.

use merge3::patch::{
    PatchError, Rules, json_difference, json_patch, merge_difference, merge_patch,
};
use merge3::schema::Schema;
use merge3::triple::Side;
use merge3::yaml::Tree;
use proptest::prelude::*;

use crate::config;
use crate::generate::{self, render::render};
use crate::value::{Value, load};

/// Two documents, one derived from the other, each in its own style.
fn pair() -> impl Strategy<Value = [(Value, String); 2]> {
    (generate::triple(), generate::styles()).prop_map(|(values, styles)| {
        let old = render(&values.original, &styles.original);
        let new = render(&values.updated, &styles.updated);
        [(values.original, old), (values.updated, new)]
    })
}

/// Applies the operations of a JSON patch one at a time, each as a patch of its own.
fn one_by_one(text: &str, patch: &Tree<'_>) -> String {
    let operations = patch.entries(patch.root().value);
    operations.fold(text.to_owned(), |text, operation| {
        let operation = patch.text_of(patch.entry(operation).value);
        let only = format!("[{operation}]");
        let only = Tree::parse(&only).unwrap().unwrap();
        json_patch(&text, &only).unwrap().unwrap_or(text)
    })
}

/// Returns the value without null fields, which a merge patch cannot set.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Map(fields) => Value::Map(
            fields
                .iter()
                .filter(|(_, value)| *value != Value::Null)
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect(),
        ),
        Value::List(elements) => Value::List(elements.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

/// Whether JSON can represent the value as it is written.
fn is_json(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Scalar { tag, text } => match tag.as_str() {
            "str" => true,
            "bool" => text == "true" || text == "false",
            "int" => text
                .parse::<i64>()
                .is_ok_and(|number| number.to_string() == *text),
            _ => false,
        },
        Value::List(elements) => elements.iter().all(is_json),
        // Kubernetes reads the key `on` as `true`: testdata/patch/json-keys-that-are-no-text
        Value::Map(fields) => fields
            .iter()
            .all(|(key, value)| load::plain_type(key) != Some("bool") && is_json(value)),
    }
}

fn value_of(text: &str) -> Value {
    load::document(text).unwrap().unwrap_or(Value::Null)
}

fn merge_round_trip(old: &str, new: &str, rules: Rules<'_>) -> Result<(), TestCaseError> {
    let (Some(old_tree), Some(new_tree)) = (Tree::parse(old).unwrap(), Tree::parse(new).unwrap())
    else {
        return Ok(());
    };
    let patch = match merge_difference(&old_tree, &new_tree, rules) {
        // a strategic patch cannot be made of a list whose elements lack the key
        Err(PatchError::Wrong(Side::Updated, _)) if matches!(rules, Rules::Strategic(_)) => {
            return Ok(());
        }
        result => {
            result.map_err(|error| TestCaseError::fail(format!("{error:?}\n{old}\n====\n{new}")))?
        }
    };
    let Some(patch) = patch else {
        let (old, new) = (value_of(old), value_of(new));
        prop_assert_eq!(without_nulls(&old), without_nulls(&new));
        return Ok(());
    };
    let patch_tree = Tree::parse(&patch).unwrap().unwrap();
    let patched = merge_patch(&old_tree, &patch_tree, rules)
        .map_err(|error| TestCaseError::fail(format!("{error:?}\n{old}\n====\n{patch}")))?;
    let patched = patched.unwrap_or_else(|| old.to_owned());
    prop_assert_eq!(
        without_nulls(&value_of(&patched)),
        without_nulls(&value_of(new)),
        "{}\n====\n{}\n====\n{}",
        old,
        patch,
        patched
    );
    Ok(())
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn merge_patches_give_the_new_values([(old_value, old), (new_value, new)] in pair()) {
        if !matches!((&old_value, &new_value), (Value::Map(_), Value::Map(_))) {
            return Ok(());
        }
        merge_round_trip(&old, &new, Rules::Merge)?;
    }

    #[test]
    fn strategic_patches_give_the_new_values([(old_value, old), (new_value, new)] in pair()) {
        if !matches!((&old_value, &new_value), (Value::Map(_), Value::Map(_))) {
            return Ok(());
        }
        let schema = Schema::kubernetes();
        let pod = schema.kind("v1", "Pod").unwrap().root;
        merge_round_trip(&old, &new, Rules::Strategic(pod))?;
    }

    #[test]
    fn json_patches_give_the_new_values([(old_value, old), (new_value, new)] in pair()) {
        if !(is_json(&old_value) && is_json(&new_value)) {
            return Ok(());
        }
        let (Some(old_tree), Some(new_tree)) = (Tree::parse(&old).unwrap(), Tree::parse(&new).unwrap()) else {
            return Ok(());
        };
        let patched = match json_difference(&old_tree, &new_tree).unwrap() {
            None => old.clone(),
            Some(patch) => {
                let patch_tree = Tree::parse(&patch).unwrap().unwrap();
                let patched = json_patch(&old, &patch_tree)
                    .map_err(|error| TestCaseError::fail(format!("{error:?}\n{old}\n====\n{patch}")))?;
                let patched = patched.unwrap_or_else(|| old.clone());
                let one_by_one = one_by_one(&old, &patch_tree);
                prop_assert_eq!(value_of(&patched), value_of(&one_by_one), "{}\n====\n{}", old, patch);
                patched
            }
        };
        prop_assert_eq!(value_of(&patched), new_value, "{}\n====\n{}", old, patched);
    }
}
