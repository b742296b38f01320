//! Generates random values: realistic ones, and small trees with few keys, in which changes often
//! collide.

use crate::value::{Value, load};
use proptest::prelude::*;
use proptest::sample::select;

/// Easy strings and strings that are hard to write.
const TEXTS: [&str; 44] = [
    "a",
    "b",
    "c",
    "app",
    "nginx:1.25",
    "v1",
    "two words",
    "it's",
    "say \"hi\"",
    "8080",
    "true",
    "on",
    "null",
    "~",
    "",
    " lead",
    "trail ",
    "key: value",
    "a #b",
    "# no comment",
    "- dash",
    "-flag",
    "? ask",
    "*star",
    "&and",
    "!bang",
    "%d",
    "@at",
    "`tick",
    "{brace",
    "[bracket]",
    "a, b",
    "x:y",
    "end:",
    "1.0",
    "2020-01-01",
    "one\ntwo\n",
    "one\ntwo",
    "one\n\n  two\nthree\n\n",
    "  in\nout\n",
    "\nlate\n",
    "back\\slash",
    "tab\there",
    "smile 😀 é",
];
/// Plain scalars that are not strings.
const OTHERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "80",
    "8080",
    "-5",
    "0x1F",
    "1.5",
    "1e3",
    "true",
    "false",
    "on",
    "no",
    "2020-01-01",
    ".inf",
];
const KEYS: [&str; 22] = [
    "a",
    "b",
    "c",
    "d",
    "e",
    "name",
    "type",
    "x",
    "image",
    "labels",
    "app.kubernetes.io/name",
    "on",
    "8080",
    "two words",
    "kéy 😀",
    "a: b",
    "#c",
    "port",
    "protocol",
    "ip",
    "-",
    "<<",
];

/// A string.
pub fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => select(&TEXTS[..7]),
        2 => select(&TEXTS[..]),
    ]
    .prop_map(Value::text)
}

/// Any scalar, including null and custom tags.
pub fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => text(),
        4 => select(&OTHERS[..]).prop_map(|text| load::plain(text.to_owned())),
        1 => Just(Value::Null),
        1 => select(&TEXTS[..4]).prop_map(|text| Value::Scalar {
            tag: "!Own".to_owned(),
            text: text.to_owned(),
        }),
    ]
}

/// A key.
pub fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => select(&KEYS[..5]), 2 => select(&KEYS[..])].prop_map(str::to_owned)
}

/// A scalar or a small tree.
pub fn small() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            3 => prop::collection::vec((key(), inner.clone()), 0..4).prop_map(map),
            2 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            1 => prop::collection::vec(scalar(), 0..4).prop_map(Value::List),
            2 => elements("name", inner.clone()),
            1 => elements("type", inner),
        ]
    })
}

/// A document, mostly a map.
pub fn document() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => prop::collection::vec((key(), small()), 0..6).prop_map(map),
        6 => resource(),
        3 => custom_resource(),
        2 => prop::collection::vec(small(), 0..5).prop_map(Value::List),
        1 => elements("name", small()),
        1 => scalar(),
    ]
}

/// Returns a map of these fields. Of fields with equal keys, the first one stays.
pub fn map(fields: Vec<(String, Value)>) -> Value {
    let mut distinct: Vec<(String, Value)> = Vec::new();
    for (key, value) in fields {
        if distinct.iter().all(|(k, _)| *k != key) {
            distinct.push((key, value));
        }
    }
    Value::Map(distinct)
}

/// A list of maps that the key `by` may identify.
fn elements(by: &'static str, value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let element = (
        select(&TEXTS[..4]),
        prop::collection::vec((key(), value), 0..3),
    );
    let list = prop::collection::vec(element, 0..4);
    list.prop_map(move |list| {
        let element = |(id, rest): (&str, Vec<(String, Value)>)| {
            let mut fields = vec![(by.to_owned(), Value::text(id))];
            fields.extend(rest);
            map(fields)
        };
        Value::List(list.into_iter().map(element).collect())
    })
}

fn some(
    fields: Vec<(&'static str, impl Strategy<Value = Option<Value>>)>,
) -> impl Strategy<Value = Value> {
    let (keys, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    values.prop_map(move |values| {
        let fields = keys.iter().zip(values);
        Value::Map(
            fields
                .filter_map(|(key, value)| Some(((*key).to_owned(), value?)))
                .collect(),
        )
    })
}

fn always(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Option<Value>> {
    value.prop_map(Some).boxed()
}

fn maybe(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Option<Value>> {
    prop::option::weighted(0.4, value).boxed()
}

fn list(element: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec(element, 0..4).prop_map(Value::List)
}

fn number() -> impl Strategy<Value = Value> {
    select(&OTHERS[..6]).prop_map(|text| load::plain(text.to_owned()))
}

fn labels() -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), text()), 0..3).prop_map(map)
}

/// A workload, or most of one.
fn resource() -> impl Strategy<Value = Value> {
    let port = some(vec![
        ("name", maybe(text())),
        ("containerPort", always(number())),
        (
            "protocol",
            maybe(select(&["TCP", "UDP"][..]).prop_map(Value::text)),
        ),
    ]);
    let mount = some(vec![
        ("name", always(text())),
        ("mountPath", always(text())),
        ("subPath", maybe(text())),
    ]);
    let env = some(vec![("name", always(text())), ("value", maybe(text()))]);
    let container = some(vec![
        ("name", always(select(&TEXTS[..4]).prop_map(Value::text))),
        ("image", maybe(text())),
        ("args", maybe(list(text()))),
        ("ports", maybe(list(port))),
        ("env", maybe(list(env))),
        ("volumeMounts", maybe(list(mount))),
        ("resources", maybe(small())),
    ]);
    let spec = some(vec![
        ("replicas", maybe(number())),
        ("containers", maybe(list(container))),
        ("tolerations", maybe(list(labels()))),
        ("selector", maybe(labels())),
    ]);
    head(
        "Deployment",
        vec![("data", maybe(labels())), ("spec", maybe(spec))],
    )
}

/// A custom resource definition whose columns all have a `type`.
fn custom_resource() -> impl Strategy<Value = Value> {
    let column = some(vec![
        ("name", always(text())),
        (
            "type",
            always(select(&["string", "string", "date"][..]).prop_map(Value::text)),
        ),
        ("jsonPath", maybe(text())),
    ]);
    let rule = some(vec![
        ("apiGroups", always(list(text()))),
        ("verbs", always(list(text()))),
    ]);
    head(
        "Custom",
        vec![
            ("columns", maybe(list(column))),
            ("rules", maybe(list(rule))),
            ("schema", maybe(small())),
        ],
    )
}

fn head(
    kind: &'static str,
    rest: Vec<(&'static str, BoxedStrategy<Option<Value>>)>,
) -> impl Strategy<Value = Value> {
    let metadata = some(vec![
        ("name", always(select(&TEXTS[..4]).prop_map(Value::text))),
        ("labels", maybe(labels())),
        ("annotations", maybe(labels())),
    ]);
    let mut fields = vec![
        ("apiVersion", always(Just(Value::text("v1")))),
        ("kind", always(Just(Value::text(kind)))),
        ("metadata", always(metadata)),
    ];
    fields.extend(rest);
    some(fields)
}
