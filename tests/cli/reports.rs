//! Tests the reports: JSON against its schema, Markdown, pins (rules: Conflicts, Reports).

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::{Case, resource};

const SCHEMA: &str = include_str!("../../docs/report.schema.json");

/// Parses a report. Panics if it does not match the schema.
fn valid(report: &str) -> Value {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let report: Value = serde_json::from_str(report).unwrap_or_else(|_| panic!("{report}"));
    let errors: Vec<String> = validator
        .iter_errors(&report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{report:#}");
    report
}

/// Returns a case with a conflict, a pin, a warning, a Secret, and every kind of change.
fn everything() -> Case {
    let secret = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  key: {value}\n"
        )
    };
    Case::of(
        "a.yaml",
        &resource("a", "1"),
        &resource("a", "2"),
        &resource("a", "|-\n    x | y\n    `z`"),
    )
    .original("pinned.yaml", &resource("p", "1"))
    .updated("pinned.yaml", &resource("p", "2"))
    .local("pinned.yaml", &resource("p", "3 # merge3: keep"))
    .original("secret.yaml", &secret("one"))
    .updated("secret.yaml", &secret("hunter2"))
    .local("secret.yaml", &secret("mine"))
    .updated("new.yaml", "new: 1\n")
    .original("gone.yaml", "gone: 1\n")
    .local("gone.yaml", "gone: 1\n")
    .original("old.yaml", &resource("m", "1"))
    .updated("moved.yaml", &resource("m", "2"))
    .local("old.yaml", &resource("m", "1"))
    .original("chart.yaml", "{{ a }}\nb\nc\n")
    .updated("chart.yaml", "{{ a }}\nb\nC\n")
    .local("chart.yaml", "{{ A }}\nb\nc\n")
}

#[test]
fn the_json_report_is_what_its_schema_says() {
    let run = everything().arg(&["--report", "json"]).merge();
    let mut report = valid(&run.stdout);
    assert!(report["duration_ms"].as_f64().unwrap() > 0.0);
    report["duration_ms"] = json!(0);
    report["program"] = json!("");
    for warning in report["warnings"].as_array_mut().unwrap() {
        warning["file"] = json!("");
        warning["message"] = json!("");
    }
    assert_eq!(
        report,
        json!({
            "version": 1,
            "program": "",
            "written": true,
            "open": false,
            "duration_ms": 0,
            "counts": {"read": 18, "changed": 3, "added": 1, "deleted": 1, "moved": 1, "conflicts": 2, "pinned": 1},
            "files": [
                {"path": "a.yaml", "change": "changed"},
                {"path": "chart.yaml", "change": "changed"},
                {"path": "gone.yaml", "change": "deleted"},
                {"path": "moved.yaml", "change": "moved", "from": "old.yaml"},
                {"path": "new.yaml", "change": "added"},
                {"path": "secret.yaml", "change": "changed"},
            ],
            "conflicts": [
                {
                    "file": "a.yaml", "line": 6, "path": "data.field", "kind": "both-changed",
                    "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": "a"},
                    "values": {"original": "1", "updated": "2", "local": "|-\n    x | y\n    `z`"},
                    "hidden": false, "resolution": "updated",
                },
                {
                    "file": "secret.yaml", "line": 5, "path": "stringData.key", "kind": "both-changed",
                    "resource": {"apiVersion": "v1", "kind": "Secret", "namespace": "", "name": "s"},
                    "values": {"original": "(secret)", "updated": "(secret)", "local": "(secret)"},
                    "hidden": true, "resolution": "updated",
                },
            ],
            "pinned": [
                {
                    "file": "pinned.yaml", "line": 6, "path": "data.field", "kind": "pinned",
                    "resource": {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": "p"},
                    "values": {"original": "1", "updated": "2", "local": "3"},
                    "hidden": false, "resolution": "local",
                },
            ],
            "warnings": [
                {"file": "", "line": 1, "column": 2, "message": ""},
                {"file": "", "line": 1, "column": 2, "message": ""},
                {"file": "", "line": 1, "column": 2, "message": ""},
            ],
        })
    );
}

#[test]
fn every_policy_has_a_valid_report() {
    for (policy, status, written) in [("local", 0, true), ("fail", 1, false), ("markers", 1, true)]
    {
        let case = everything().arg(&["--report=json", "--on-conflict", policy]);
        let run = case.run();
        assert_eq!(run.status, status, "{policy}");
        let report = valid(&run.stdout);
        assert_eq!(report["written"], json!(written), "{policy}");
        assert_eq!(report["open"], json!(status == 1), "{policy}");
        assert!(!run.stdout.contains("hunter2"));
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let run = everything().arg(&["--report", "json"]).merge();
    let report = valid(&run.stdout);
    for (pointer, wrong) in [
        ("/version", json!(2)),
        ("/conflicts/0/kind", json!("pinned")),
        ("/pinned/0/kind", json!("both-changed")),
        ("/conflicts/0/line", json!(0)),
        ("/files/0/change", json!("moved")),
        ("/counts/read", json!("many")),
    ] {
        let mut changed = report.clone();
        *changed.pointer_mut(pointer).unwrap() = wrong;
        assert!(!validator.is_valid(&changed), "{pointer}");
    }
}

#[test]
fn the_markdown_report_survives_any_value() {
    let run = everything().arg(&["--report", "markdown"]).merge();
    let text = run.stdout;
    assert!(
        text.starts_with("**merge3:** 18 files read, 3 changed, 1 added, 1 deleted, 1 moved, 2 conflicts, 1 held back by pins\n\n### Conflicts\n\n| where |"),
        "{text}"
    );
    assert!(
        text.contains(
            "| `a.yaml:6`<br>`v1 ConfigMap a`<br>`data.field` | both-changed | `1` | `2` | `` \\|-\\nx"
        ),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
    // the report does not list the changed files, because the host shows them
    assert!(!text.contains("moved.yaml"), "{text}");
    for row in text.lines().filter(|line| line.starts_with('|')) {
        let cells = row.replace("\\|", "").matches('|').count();
        assert_eq!(cells, 7, "{row}");
    }
}

#[test]
fn a_report_goes_to_a_file_beside_the_summary() {
    let case = everything();
    let file = case.path("report.json");
    let case = case.arg(&["--report=json", "--report-file", file.to_str().unwrap()]);
    let run = case.merge();
    assert!(run.stdout.starts_with("18 files read"), "{}", run.stdout);
    assert!(run.stdout.contains("\npinned pinned.yaml:6: v1 ConfigMap p: data.field: original 1 | updated 2 | local 3 -> local\n"), "{}", run.stdout);
    assert_eq!(
        valid(&fs::read_to_string(file).unwrap())["version"],
        json!(1)
    );
}

#[test]
fn only_what_upstream_changed_is_held_back() {
    let text = |field: &str, list: &str| format!("a: {field}\nlist:\n{list}b: {field}\n");
    let run = Case::of(
        "values.yaml",
        &text("1", "- name: x\n  image: x:1\n- name: y\n  image: y:1\n"),
        &text("2", "- name: y\n  image: y:2\n"),
        "a: 3 # merge3: keep\nlist:\n- name: x # merge3: keep\n  image: x:1\n- name: y\n  image: y:1\n# merge3: keep\nb: 2\n",
    )
    .arg(&["--report=json", "--on-conflict=fail"])
    .merge();
    let report = valid(&run.stdout);
    let held: Vec<(&str, &Value, &str)> = report["pinned"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["path"].as_str().unwrap(),
                &it["values"]["updated"],
                it["kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        held,
        [
            ("a", &json!("2"), "pinned"),
            ("list[name=x]", &Value::Null, "pinned")
        ]
    );
    assert_eq!(report["counts"]["conflicts"], json!(0));
}

#[test]
fn a_report_goes_to_standard_error_beside_a_diff() {
    let run = everything()
        .arg(&["--report=json", "--diff", "-q"])
        .run_untouched();
    assert!(run.stdout.starts_with("diff --git "), "{}", run.stdout);
    assert_eq!(valid(&run.stderr)["written"], json!(false));
}

#[test]
fn a_conflict_over_tags_names_them() {
    let case = Case::of(
        "a.yaml",
        "a: !t\n- 1\nb: !t 1\n",
        "a: !u\n- 1\nb: !u 1\n",
        "a: !v\n- 2\nb: !v 1\n",
    );
    let listed = [
        "a: both-changed: original !t\\n- 1 | updated !u\\n- 1 | local !v\\n- 2 -> updated",
        "b: both-changed: original !t 1 | updated !u 1 | local !v 1 -> updated",
    ];
    let stdout = case.merge().stdout;
    for conflict in listed {
        assert!(stdout.contains(conflict), "{stdout}");
    }
}

#[test]
fn a_conflict_of_elements_names_them_and_their_line() {
    let run = Case::of(
        "a.yaml",
        "args:\n  - run\n  - one\n  - two\n  - end\n",
        "args:\n  - run\n  - 1\n  - zwei\n  - 3\n  - end\n",
        "args: # ours\n  - run\n  - eins\n  - end\n",
    )
    .arg(&["--lists", "merge"])
    .merge();
    let listed = "conflict a.yaml:3: args: both-changed: original - one\\n- two | updated - 1\\n- zwei\\n- 3 | local - eins -> updated";
    assert!(run.stdout.contains(listed), "{}", run.stdout);
}

/// Returns a case in which both sides changed values of every kind.
fn combined() -> Case {
    let values = |image: &str, lines: &str, port: &str, host: &str, list: &str| {
        format!(
            "image: {image}\ntext: |\n{lines}config: |\n  port: {port}\n  host: {host}\nlist: [{list}]\n"
        )
    };
    let lines = |first: &str, last: &str| format!("  {first}\n  x\n  {last}\n");
    Case::of(
        "values.yaml",
        &values("q/a:1", &lines("a", "b"), "1", "h", "a"),
        &values("q/a:2", &lines("A", "b"), "2", "h", "a, b"),
        &values("m/a:1", &lines("a", "B"), "1", "i", "own, a"),
    )
}

#[test]
fn values_combined_from_both_sides_are_reported() {
    let report = valid(&combined().arg(&["--report", "json"]).merge().stdout);
    let listed: Vec<(&str, &str, u64)> = report["combined"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let text = |field: &str| it[field].as_str().unwrap();
            (text("path"), text("by"), it["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("image", "image", 1),
            ("text", "lines", 2),
            ("config", "structure", 6),
            ("list", "elements", 9),
        ]
    );
    assert_eq!(report["counts"]["conflicts"], json!(0));

    let run = combined().merge();
    let count = "\n4 values that both sides changed were put together from both\n";
    assert!(run.stdout.ends_with(count), "{}", run.stdout);
    let run = combined().arg(&["-v"]).merge();
    let line =
        "\ncombined values.yaml:1: image: image: original q/a:1 | updated q/a:2 | local m/a:1\n";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let run = combined().arg(&["--report", "markdown"]).merge();
    let row = "| `values.yaml:1`<br>`image` | image | `q/a:1` | `q/a:2` | `m/a:1` | both |";
    assert!(run.stdout.contains(row), "{}", run.stdout);
}

#[test]
fn combined_values_in_a_secret_are_hidden() {
    let secret = |first: &str, last: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  a: |\n    {first}\n    x\n    {last}\n"
        )
    };
    let run = Case::of(
        "s.yaml",
        &secret("hunter1", "b"),
        &secret("hunter2", "b"),
        &secret("hunter1", "hunter3"),
    )
    .arg(&["--report", "json"])
    .merge();
    assert_eq!(valid(&run.stdout)["combined"][0]["hidden"], json!(true));
    assert!(!run.stdout.contains("hunter"), "{}", run.stdout);
}

/// Returns a case with a resource that local renamed, two that it deleted, and a conflict.
fn fork() -> Case {
    let all = |names: [&str; 4], field: &str| names.map(|name| resource(name, field)).join("---\n");
    Case::of(
        "a.yaml",
        &all(["a", "b", "c", "d"], "1"),
        &all(["a", "b", "c", "d"], "2"),
        &[resource("mine", "1"), resource("d", "local")].join("---\n"),
    )
}

#[test]
fn json_lists_everything_that_is_counted() {
    let run = fork().arg(&["--report", "json"]).merge();
    let report = valid(&run.stdout);
    let name = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "namespace": "", "name": name});
    assert_eq!(
        report["renamed"],
        json!([{"file": "a.yaml", "line": 1, "original": name("a"), "updated": name("a"), "local": name("mine")}])
    );
    let kinds: Vec<&Value> = report["conflicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["kind"])
        .collect();
    assert_eq!(
        kinds,
        ["deleted-locally", "deleted-locally", "both-changed"]
    );
}

#[test]
fn markdown_folds_what_is_counted_away() {
    let run = fork().arg(&["--report", "markdown"]).merge();
    let text = run.stdout;
    let parts: Vec<&str> = text.split("<details>\n").collect();
    assert!(
        parts[0].contains("both-changed") && !parts[0].contains("deleted-locally"),
        "{text}"
    );
    assert!(parts[1].starts_with("<summary>2 resources that were deleted here changed upstream and stay deleted</summary>\n\n| where |"), "{text}");
    assert_eq!(parts[1].matches("deleted-locally").count(), 2, "{text}");
    assert!(parts[2].starts_with("<summary>1 resource has another name or namespace than upstream's and was paired all the same</summary>\n\n- `renamed a.yaml:1: original v1 ConfigMap a | updated"), "{text}");
    assert_eq!(parts.len(), 3, "{text}");
}

#[test]
fn required_decisions_are_listed_first() {
    let values = |a: &str, b: &str| format!("a: {a}\nb: {b}\n");
    let rules = "rules:\n- path: a\n  take: local\n";
    let run = Case::of(
        "v.yaml",
        &values("1", "1"),
        &values("2", "2"),
        &values("3", "3"),
    )
    .original("z.bin", "\0a")
    .updated("z.bin", "\0b")
    .local("z.bin", "\0c")
    .local(".merge3.yaml", rules)
    .arg(&["--on-conflict", "markers"])
    .run();
    assert_eq!(run.status, 1);
    let listed: Vec<&str> = run
        .stdout
        .lines()
        .skip(1)
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        listed,
        ["conflict v.yaml:2", "conflict z.bin:1", "conflict v.yaml:1"],
        "{}",
        run.stdout
    );
}
