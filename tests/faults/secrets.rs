//! The values of a Secret are only shown if the user asks for them.

use crate::harness::{Packages, RunOutput};

/// A value that no output may contain, in any form.
const SECRET_VALUE: &str = "hunter2";

const FORMS: [&[&str]; 8] = [
    &["-v"],
    &["--dry-run"],
    &["--diff"],
    &["--report", "json"],
    &["--report", "markdown"],
    &["--report", "html"],
    &["--on-conflict", "fail"],
    &["--on-conflict", "markers", "--report", "json"],
];

/// Returns packages with one file that has another secret value on each side.
fn package(path: &str, text: impl Fn(&str) -> String) -> Packages {
    let packages = Packages::empty();
    let [old, new, local] =
        ["old", "new", "local"].map(|side| text(&format!("{SECRET_VALUE}-{side}")));
    packages.put(path, [&old, &new, &local]);
    packages
}

fn output_of(run: &RunOutput) -> String {
    format!("{}{}", run.stdout, run.stderr)
}

/// Runs in every form, and asserts that the output has the value only with `--show-secrets`.
fn assert_hidden(packages: &Packages) {
    let mut shown = false;
    for form in FORMS {
        let run = packages.copy().run(form);
        assert!(!output_of(&run).contains(SECRET_VALUE), "{form:?}: {run:?}");
        let arguments = [form, &["--show-secrets"]].concat();
        shown |= output_of(&packages.copy().run(&arguments)).contains(SECRET_VALUE);
    }
    assert!(shown, "--show-secrets does not show the values");
}

fn secret(fields: &str) -> String {
    format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n{fields}")
}

#[test]
fn secret_fields_are_hidden() {
    for field in ["data", "stringData"] {
        assert_hidden(&package("s.yaml", |value| {
            secret(&format!("{field}:\n  key: {value}\n"))
        }));
    }
    assert_hidden(&package("s.yaml", |value| {
        secret(&format!("stringData:\n  key: |\n    a\n    {value}\n"))
    }));
}

#[test]
fn last_applied_annotations_are_hidden() {
    assert_hidden(&package("s.yaml", |value| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{{\"data\":{{\"key\":\"{value}\"}}}}'\n"
        )
    }));
}

#[test]
fn secrets_in_lists_and_json_are_hidden() {
    assert_hidden(&package("s.yaml", |value| {
        format!("apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  data:\n    key: {value}\n")
    }));
    assert_hidden(&package("s.json", |value| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {{\"name\": \"s\"}},\n \"data\": {{\"key\": \"{value}\"}}}}\n"
        )
    }));
}

#[test]
fn secrets_in_a_text_of_another_resource_are_hidden() {
    assert_hidden(&package("s.yaml", |value| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  s.yaml: |\n    kind: Secret\n    data:\n      key: {value}\n"
        )
    }));
}

#[test]
fn secrets_in_a_deleted_document_are_hidden() {
    let packages = Packages::empty();
    let text = |value: &str| secret(&format!("data:\n  key: {SECRET_VALUE}-{value}\n"));
    packages.put("gone.yaml", [&text("old"), "", &text("local")]);
    packages.put(
        "kept.yaml",
        [
            &text("old").replace("name: s", "name: t"),
            &text("new").replace("name: s", "name: t"),
            "",
        ],
    );
    assert_hidden(&packages);
}

#[test]
fn secrets_in_an_invalid_file_are_hidden() {
    // the line with the error has the value
    assert_hidden(&package("s.yaml", |value| {
        secret(&format!("data:\n  key: \"{value}\n"))
    }));
    let packages = package("s.yaml", |value| {
        secret(&format!("data:\n  key: {value}\n"))
    });
    std::fs::write(
        packages.path("local/s.yaml"),
        secret(&format!("data:\n  key: \"{SECRET_VALUE}\n")),
    )
    .unwrap();
    assert_hidden(&packages);
    let run = packages.run(&[]);
    assert_eq!(run.status, 2);
    for part in [
        "local/s.yaml:6:",
        "the line may hold a secret: --show-secrets shows it",
    ] {
        assert!(run.stderr.contains(part), "{run:?}");
    }
}

#[test]
fn secrets_in_a_file_that_merges_by_lines_are_hidden() {
    assert_hidden(&package("s.txt", |value| {
        format!("kind: Secret\nkey: {value}\n")
    }));
}

#[test]
fn explain_hides_secrets() {
    let packages = package("s.yaml", |value| {
        secret(&format!("data:\n  key: {value}\n"))
    });
    let explain = |more: &[&str]| {
        let merge = packages.command(more);
        let mut command = std::process::Command::new(merge.get_program());
        command
            .arg("explain")
            .args(merge.get_args())
            .args(["s.yaml", "data.key"]);
        RunOutput::from(command.output().unwrap())
    };
    let run = explain(&[]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        !output_of(&run).contains(SECRET_VALUE) && run.stdout.contains("updated: (secret)"),
        "{run:?}"
    );
    assert!(output_of(&explain(&["--show-secrets"])).contains(SECRET_VALUE));
}

#[test]
fn references_to_a_secret_are_shown() {
    let packages = Packages::empty();
    let text = |value: u8| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: h\nspec:\n  interval: {value}m\n  valuesFrom:\n  - kind: Secret\n    name: s\n"
        )
    };
    packages.put("h.yaml", [&text(1), &text(2), &text(3)]);
    let run = packages.run(&["--dry-run"]);
    assert!(
        run.stdout.contains("original 1m | updated 2m | local 3m"),
        "{run:?}"
    );
}
