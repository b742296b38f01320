//! Values of Secrets stay hidden, however the kind is written.

use crate::harness::Workshop;

const PRECIOUS: &str = "hunter2";

/// Ways to write `kind` so that it is a Secret or a list of Secrets.
const KINDS: [&str; 9] = [
    "kind: !!str Secret",
    "kind: &k Secret",
    "kind: !<tag:yaml.org,2002:str> &k 'Secret'",
    "kind: \"\\u0053ecret\"",
    "kind: \"Sec\\x72et\"",
    "kind: \"Sec\\\n  ret\"",
    "\"k\\u0069nd\": Secret",
    "? kind\n: Secret",
    "x: &k Secret\nkind: *k",
];

const SIDES: [&str; 6] = ["--ancestor", "old", "--from", "new", "--to", "local"];

/// Merges a file that has another value on each side, in every form of output. Asserts that the
/// output has none of the values.
#[track_caller]
fn assert_hidden(what: &str, text: impl Fn(&str) -> String) {
    let workshop = Workshop::new();
    let mut shown = false;
    for form in [
        &["-v"][..],
        &["--diff"],
        &["--dry-run"],
        &["--report", "json"],
        &["--report", "markdown"],
        &["--report", "html"],
        &["--on-conflict", "fail"],
    ] {
        let run = |more: &[&str]| {
            for side in ["old", "new", "local"] {
                let value = format!("{PRECIOUS}-{side}");
                workshop.write(&format!("{side}/s.yaml"), &text(&value));
            }
            let result = workshop.merge3_in(".", &[&SIDES[..], form, more].concat());
            format!("{}{}", result.stdout, result.stderr)
        };
        let output = run(&[]);
        assert!(!output.contains(PRECIOUS), "{what}, {form:?}: {output}");
        shown |= run(&["--show-secrets"]).contains(PRECIOUS);
    }
    assert!(shown, "{what}: --show-secrets does not show the values");
}

#[test]
fn secret_values_are_hidden_however_the_kind_is_written() {
    for kind in KINDS {
        assert_hidden(kind, |value| {
            format!("apiVersion: v1\n{kind}\nmetadata:\n  name: s\ndata:\n  key: {value}\n")
        });
        // the line with the error has the value
        assert_hidden(&format!("broken: {kind}"), |value| {
            format!("apiVersion: v1\n{kind}\nmetadata:\n  name: s\ndata:\n  key: [{value}\n")
        });
    }
}

#[test]
fn secret_values_in_lists_are_hidden() {
    for kind in ["SecretList", "!!str SecretList", "\"\\u0053ecretList\""] {
        for name in ["", "metadata:\n  name: all\n"] {
            assert_hidden(kind, |value| {
                format!(
                    "apiVersion: v1\nkind: {kind}\n{name}items:\n- metadata:\n    name: s\n  data:\n    key: {value}\n"
                )
            });
        }
    }
    for kind in KINDS {
        let kind = kind.replace('\n', "\n  ");
        assert_hidden(&kind, |value| {
            format!(
                "apiVersion: v1\nkind: List\nmetadata:\n  name: all\nitems:\n- {kind}\n  metadata:\n    name: s\n  data:\n    key: {value}\n"
            )
        });
    }
}
