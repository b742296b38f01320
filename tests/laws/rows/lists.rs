//! The rules of lists (rules: Lists).

use super::{check, run, settings};
use crate::reference::{Lists, Settings};

#[test]
fn each_key_and_pair_identifies() {
    let keys = [
        "mountPath",
        "devicePath",
        "ip",
        "type",
        "topologyKey",
        "name",
        "containerPort",
    ];
    for key in keys {
        let original = format!("[{{{key}: 1, x: 1}}, {{{key}: 2, x: 1}}]");
        let updated = format!("[{{{key}: 1, x: 2}}, {{{key}: 2, x: 1}}]");
        let local = format!("[{{{key}: 1, x: 1}}, {{{key}: 2, x: 3}}]");
        let result = format!("[{{{key}: 1, x: 2}}, {{{key}: 2, x: 3}}]");
        check(&settings(), &[(&original, &updated, &local, &result, 0)]);
    }
    let pairs = [
        ("containerPort", "protocol"),
        ("port", "protocol"),
        ("mountPath", "subPath"),
        ("name", "namespace"),
        ("name", "kind"),
    ];
    for (key, second) in pairs {
        let original = format!("[{{{key}: 1, {second}: a, x: 1}}, {{{key}: 1, x: 1}}]");
        let updated = format!("[{{{key}: 1, {second}: a, x: 2}}, {{{key}: 1, x: 1}}]");
        let local = format!("[{{{key}: 1, x: 3}}, {{{key}: 1, {second}: a, x: 1}}]");
        let result = format!("[{{{key}: 1, x: 3}}, {{{key}: 1, {second}: a, x: 2}}]");
        check(&settings(), &[(&original, &updated, &local, &result, 0)]);
    }
}

#[test]
fn keys_that_do_not_identify() {
    check(
        &settings(),
        &[
            // two elements share the value of a key: the next key identifies them
            (
                "[{type: s, name: a}, {type: s, name: b}]",
                "[{type: s, name: a, x: 1}, {type: s, name: b}]",
                "[{type: s, name: a}, {type: s, name: b, y: 1}]",
                "[{type: s, name: a, x: 1}, {type: s, name: b, y: 1}]",
                0,
            ),
            // no key: a null, a map as the key's value, an element that lacks the key
            ("[{a: 1}]", "[{a: 2}]", "[{a: 3}]", "[{a: 2}]", 1),
            (
                "[{name: ~}]",
                "[{name: ~, x: 1}]",
                "[{name: ~, y: 1}]",
                "[{name: ~, x: 1}]",
                1,
            ),
            (
                "[{name: {}}]",
                "[{name: {}, x: 1}]",
                "[{name: {}, y: 1}]",
                "[{name: {}, x: 1}]",
                1,
            ),
            (
                "[{name: a}]",
                "[{name: a}, {x: 1}]",
                "[{name: a}, {name: b}]",
                "[{name: a}, {x: 1}]",
                1,
            ),
            // the type is part of the key's value
            (
                "[]",
                "[{name: 1}]",
                "[{name: '1'}]",
                "[{name: '1'}, {name: 1}]",
                0,
            ),
        ],
    );
    let own = Settings {
        keys: vec!["id".to_owned()],
        ..settings()
    };
    let row = (
        "[{id: 1}]",
        "[{id: 1, x: 1}]",
        "[{id: 1, y: 1}]",
        "[{id: 1, x: 1, y: 1}]",
        0,
    );
    check(&own, &[row]);
}

#[test]
fn elements_of_associative_lists() {
    check(
        &settings(),
        &[
            ("[]", "[]", "[{name: a}]", "[{name: a}]", 0),
            ("[]", "[{name: a}]", "[]", "[{name: a}]", 0),
            ("[{name: a}]", "[]", "[{name: a}]", "[]", 0),
            ("[{name: a}]", "[]", "[{name: a, x: 1}]", "[]", 1),
            ("[{name: a, x: 1}]", "[{name: a, x: 1}]", "[]", "[]", 0),
            (
                "[{name: a, x: 1, y: 1}]",
                "[{name: a, x: 2, y: 1}]",
                "[]",
                "[{name: a, x: 2}]",
                1,
            ),
            ("[{name: a, x: 1}]", "[{name: a}]", "[]", "[]", 0),
            (
                "[]",
                "[{name: a, x: 1}]",
                "[{name: a, y: 1}]",
                "[{name: a, x: 1, y: 1}]",
                0,
            ),
            (
                "[{name: a}]",
                "-",
                "[{name: a}, {name: own}]",
                "[{name: own}]",
                1,
            ),
            ("[{name: a}]", "-", "[{name: a}]", "-", 0),
            ("[{name: a}]", "-", "[]", "-", 1),
            (
                "[{name: a}]",
                "[{name: a}, {name: b}]",
                "-",
                "[{name: b}]",
                1,
            ),
        ],
    );
}

#[test]
fn order_of_elements() {
    let list = |names: &str| {
        let elements: Vec<_> = names
            .split(' ')
            .map(|name| format!("{{name: {name}}}"))
            .collect();
        format!("[{}]", elements.join(", "))
    };
    for (original, updated, local, result, conflicts) in [
        ("a b", "a b", "b a", "b a", 0),
        ("a b c", "c a b", "a b c", "c a b", 0),
        ("a b c", "c a b", "a own b c", "c own a b", 0),
        ("a b c", "c a b", "b a c", "b a c", 1),
        ("a b c", "c a b", "c a b own", "c a b own", 0),
        ("a c", "a b c", "a own c", "a own b c", 0),
        ("a c", "b a c", "own a c", "own b a c", 0),
        ("a", "x a y", "own", "own x y", 0),
        ("a", "b c", "a own", "own b c", 0),
        ("a b", "a x y b", "b a", "b a x y", 0),
    ] {
        let [o, u, d, r] = [original, updated, local, result].map(list);
        check(&settings(), &[(&o, &u, &d, &r, conflicts)]);
    }
}

#[test]
fn sets_of_scalars() {
    let settings = Settings {
        lists: Lists::Set,
        ..settings()
    };
    check(
        &settings,
        &[
            ("[a, b]", "[b, c]", "[a, b, own]", "[b, own, c]", 0),
            ("[a]", "[a, b]", "[]", "[b]", 0),
            ("[a, b]", "[b, a]", "[a, b, own]", "[b, a, own]", 0),
            ("[a, b, c]", "[b, a, c]", "[c, a, b]", "[c, a, b]", 1),
            ("[a]", "-", "[a, own]", "[own]", 1),
            ("[a]", "[a, b]", "-", "[b]", 1),
            ("-", "[a, b]", "[b, own]", "[a, b, own]", 0),
            ("[1]", "['1']", "[1, 2]", "[2, '1']", 0),
            // a repeated element and elements that are not scalars: the list is one value
            ("[a]", "[a, b, b]", "[a, own]", "[a, b, b]", 1),
            ("[{a: 1}]", "[{a: 2}]", "[{a: 1}, {b: 1}]", "[{a: 2}]", 1),
        ],
    );
}

#[test]
fn lists_merge_element_by_element() {
    let settings = Settings {
        lists: Lists::Merge,
        ..settings()
    };
    check(
        &settings,
        &[
            (
                "[a, b, c]",
                "[a, x, b, c]",
                "[a, b, c, own]",
                "[a, x, b, c, own]",
                0,
            ),
            ("[a, b, c]", "[b, c]", "[a, b, own]", "[b, own]", 0),
            ("[a, b]", "[a, b, x]", "[a, b, own]", "[a, b, own, x]", 0),
            ("[a, b]", "[a, b, x]", "[a, b, x]", "[a, b, x]", 0),
            ("[a, b]", "[a, x]", "[own, b]", "[own, x]", 0),
            ("[a, b]", "[x, b]", "[own, b, c]", "[x, b, c]", 1),
            // local's insertion beside an element that upstream replaced
            ("[a]", "[x]", "[a, own]", "[x, own]", 0),
            ("[a, b]", "[x]", "[a, own, b]", "[own, x]", 0),
            // local already has the elements at another place
            ("[a]", "[a, x, y]", "[x, y, a]", "[x, y, a]", 0),
            ("[a]", "[a, x, y]", "[x, a]", "[x, a, y]", 0),
            // local already has all that upstream has
            ("[a, b]", "[b]", "[own, b]", "[own, b]", 0),
            // similar maps
            (
                "[{a: 1, b: 1}, {c: 1}]",
                "[{x: 1}, {a: 1, b: 2}, {c: 1}]",
                "[{a: 1, b: 1, own: 1}]",
                "[{x: 1}, {a: 1, b: 2, own: 1}]",
                0,
            ),
            (
                "[{a: 1}, {b: 1}, {c: 1}]",
                "[{a: 2}, {b: 1}, {c: 1}]",
                "[{a: 1}, {b: 1}]",
                "[{a: 2}, {b: 1}]",
                0,
            ),
            ("[a]", "[a, b]", "-", "[a, b]", 1),
        ],
    );
    for lists in [
        ["[a, a]", "[a]", "[a, a, b]"],
        ["[a, b]", "[b, a]", "[a, b, c]"],
    ] {
        assert!(run(lists, &settings).ambiguous, "{lists:?}");
    }
}
