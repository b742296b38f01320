//! Compares `apply` with its decision table, which this file implements a second time over plain
//! values.

use crate::generate::render::render;
use crate::generate::style::{Style, style};
use crate::generate::values::{map, scalar};
use crate::value::{Value, load};
use merge3::patch::{Application, apply_document};
use merge3::schema::Schema;
use merge3::yaml::Tree;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// Returns the key of the list in a field of the test resources, or None if the field is replaced
/// as one value.
fn list_key(field: &str) -> Option<&'static str> {
    match field {
        "containers" | "env" => Some("name"),
        "ports" => Some("containerPort"),
        "volumeMounts" => Some("mountPath"),
        _ => None,
    }
}

/// The decision table: returns the value of a field after `apply`.
fn applied(field: &str, last: Option<&Value>, config: &Value, live: &Value) -> Value {
    match (config, live) {
        (Value::Map(_), Value::Map(_)) => applied_map(last, config, live),
        (Value::List(_), Value::List(_)) if field == "finalizers" => {
            let same = |left: &Value, right: &Value| left == right;
            elements(last, config, live, same, |_, config, _| config.clone())
        }
        (Value::List(_), Value::List(_)) => match list_key(field) {
            None => config.clone(),
            Some(key) => {
                let same = move |left: &Value, right: &Value| left.field(key) == right.field(key);
                elements(last, config, live, same, |last, config, live| {
                    applied("", last, config, live)
                })
            }
        },
        _ => stripped(field, config),
    }
}

fn applied_map(last: Option<&Value>, config: &Value, live: &Value) -> Value {
    let of = |value: Option<&Value>, key: &str| value.and_then(|it| it.field(key)).cloned();
    let kept = live.keys().filter(|key| {
        config.field(key).is_none() && last.and_then(|last| last.field(key)).is_none()
    });
    let mut fields: Vec<(String, Value)> = kept
        .map(|key| (key.clone(), live.field(key).unwrap().clone()))
        .collect();
    for key in config.keys() {
        let value = config.field(key).unwrap();
        let value = match (value, live.field(key)) {
            (Value::Null, _) => continue,
            (_, None) => stripped(key, value),
            (_, Some(live)) => applied(key, of(last, key).as_ref(), value, live),
        };
        fields.push((key.clone(), value));
    }
    Value::Map(fields)
}

/// Merges two lists: the elements of the configuration come first, then the elements that only the
/// live object has and that were not in the last-applied configuration.
fn elements(
    last: Option<&Value>,
    config: &Value,
    live: &Value,
    same: impl Fn(&Value, &Value) -> bool,
    merged: impl Fn(Option<&Value>, &Value, &Value) -> Value,
) -> Value {
    let find = |list: &[Value], wanted: &Value| list.iter().find(|it| same(it, wanted)).cloned();
    let lasts = last.map_or(&[][..], Value::elements);
    let of_config = config
        .elements()
        .iter()
        .map(|element| match find(live.elements(), element) {
            Some(live) => merged(find(lasts, element).as_ref(), element, &live),
            None => stripped("", element),
        });
    let live_only = live.elements().iter().filter(|element| {
        find(config.elements(), element).is_none() && find(lasts, element).is_none()
    });
    Value::List(of_config.chain(live_only.cloned()).collect())
}

/// Removes the nulls from a value, except in values that are replaced as a whole.
fn stripped(field: &str, value: &Value) -> Value {
    match value {
        Value::Map(fields) => Value::Map(
            fields
                .iter()
                .filter(|(_, value)| !matches!(value, Value::Null))
                .map(|(key, value)| (key.clone(), stripped(key, value)))
                .collect(),
        ),
        Value::List(elements) if list_key(field).is_some() => {
            Value::List(elements.iter().map(|it| stripped("", it)).collect())
        }
        other => other.clone(),
    }
}

/// Some of these fields, each with a value.
fn some_of(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let count = fields.len();
    subsequence(fields, 0..=count)
        .prop_flat_map(|fields| {
            let fields = fields
                .into_iter()
                .map(|(name, value)| (Just(name.to_owned()), value));
            fields.collect::<Vec<_>>()
        })
        .prop_map(map)
        .boxed()
}

/// A value that JSON can represent.
fn plain() -> BoxedStrategy<Value> {
    scalar()
        .prop_filter("JSON has no tags of its own", |value| {
            !matches!(value, Value::Scalar { tag, .. } if tag.starts_with('!') || tag == "float" || tag == "merge")
        })
        .boxed()
}

fn keyed(
    key: &'static str,
    values: &'static [&'static str],
    rest: BoxedStrategy<Value>,
) -> BoxedStrategy<Value> {
    subsequence(values, 0..=values.len())
        .prop_shuffle()
        .prop_flat_map(move |values| {
            let element = |value: &'static str| {
                rest.clone().prop_map(move |rest| {
                    let mut fields = vec![(key.to_owned(), load::plain(value.to_owned()))];
                    fields.extend(rest.into_fields());
                    map(fields)
                })
            };
            values.into_iter().map(element).collect::<Vec<_>>()
        })
        .prop_map(Value::List)
        .boxed()
}

fn one_value() -> BoxedStrategy<Value> {
    prop::collection::vec(plain(), 0..4)
        .prop_map(Value::List)
        .boxed()
}

fn resource() -> impl Strategy<Value = Value> {
    let labels = || some_of(vec![("a", plain()), ("b", plain()), ("c", plain())]);
    let finalizers = subsequence(vec!["x/a", "x/b", "x/c", "x/d"], 0..=4)
        .prop_map(|names| Value::List(names.into_iter().map(Value::text).collect()))
        .boxed();
    let container = some_of(vec![
        ("image", plain()),
        ("args", one_value()),
        (
            "resources",
            some_of(vec![("limits", prop_oneof![labels(), plain()].boxed())]),
        ),
        (
            "env",
            keyed("name", &["A", "B", "C"], some_of(vec![("value", plain())])),
        ),
        (
            "ports",
            keyed(
                "containerPort",
                &["80", "81", "82"],
                some_of(vec![("name", plain())]),
            ),
        ),
        (
            "volumeMounts",
            keyed("mountPath", &["/a", "/b"], some_of(vec![("name", plain())])),
        ),
    ]);
    let pod = some_of(vec![
        (
            "containers",
            keyed("name", &["one", "two", "three"], container),
        ),
        ("nodeSelector", labels()),
        ("tolerations", one_value()),
    ]);
    let spec = some_of(vec![
        ("replicas", plain()),
        ("template", some_of(vec![("spec", pod)])),
    ]);
    let metadata = some_of(vec![("labels", labels()), ("finalizers", finalizers)]);
    (metadata, spec).prop_map(|(metadata, spec)| {
        let mut named = vec![("name".to_owned(), Value::text("shop"))];
        named.extend(metadata.into_fields());
        map(vec![
            ("apiVersion".to_owned(), Value::text("apps/v1")),
            ("kind".to_owned(), Value::text("Deployment")),
            ("metadata".to_owned(), map(named)),
            ("spec".to_owned(), spec),
        ])
    })
}

/// Returns the text after `apply`.
fn run(last_text: &str, config: &str, live: &str) -> String {
    let tree = |text| Tree::parse(text).unwrap().unwrap();
    let (last, config_tree, live_tree) = (tree(last_text), tree(config), tree(live));
    let schema = Schema::kubernetes();
    let applied = apply_document(&Application {
        last: Some(&last),
        config: &config_tree,
        live: &live_tree,
        kind: schema.kind("apps/v1", "Deployment"),
        annotation: "{\"applied\":\"now\"}\n",
    });
    let applied = applied.unwrap_or_else(|refused| {
        panic!("{refused:?}\n==== last\n{last_text}\n==== config\n{config}\n==== live\n{live}")
    });
    applied.text.unwrap_or_else(|| live.to_owned())
}

/// Returns a value without the last-applied annotation.
fn without_annotation(value: Value) -> Value {
    let without = |value: Value, name: &str| {
        let fields = value.into_fields().into_iter();
        Value::Map(fields.filter(|(key, _)| key != name).collect())
    };
    let metadata = without(value.field("metadata").unwrap().clone(), "annotations");
    let fields = value.into_fields().into_iter();
    Value::Map(
        fields
            .map(|(key, value)| match key.as_str() {
                "metadata" => (key, metadata.clone()),
                _ => (key, value),
            })
            .collect(),
    )
}

fn texts() -> impl Strategy<Value = ([Value; 3], [Style; 3])> {
    (
        [resource(), resource(), resource()],
        [style(), style(), style()],
    )
}

proptest! {
    #![proptest_config(crate::config(400))]

    #[test]
    fn an_application_leaves_what_its_table_says((values, styles) in texts()) {
        let [last, config, live] = &values;
        let written = |index: usize| render(&values[index], &styles[index]);
        let text = run(&written(0), &written(1), &written(2));
        let result = without_annotation(load::document(&text).unwrap().unwrap());
        let expected = applied("", Some(last), config, live);
        prop_assert_eq!(result, expected, "\n==== last\n{}\n==== config\n{}\n==== live\n{}\n==== result\n{}", written(0), written(1), written(2), text);
    }

    #[test]
    fn applying_again_changes_nothing((values, styles) in texts()) {
        let written = |index: usize| render(&values[index], &styles[index]);
        let once = run(&written(0), &written(1), &written(2));
        prop_assert_eq!(run(&written(1), &written(1), &once), once);
    }
}
