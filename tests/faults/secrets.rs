//! What a Secret keeps is told to nobody who did not ask for it.

use crate::harness::{Packages, Ran};

/// What no output may hold, in any of its forms.
const PRECIOUS: &str = "hunter2";

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

/// A file on three sides, each with another value of what is precious.
fn package(path: &str, text: impl Fn(&str) -> String) -> Packages {
    let packages = Packages::empty();
    let [old, new, local] = ["old", "new", "local"].map(|side| text(&format!("{PRECIOUS}-{side}")));
    packages.put(path, [&old, &new, &local]);
    packages
}

fn said(ran: &Ran) -> String {
    format!("{}{}", ran.stdout, ran.stderr)
}

/// Runs in every form: without a word of it, but with one where it is asked for.
fn assert_kept(packages: &Packages) {
    let mut told = false;
    for form in FORMS {
        let ran = packages.again().run(form);
        assert!(!said(&ran).contains(PRECIOUS), "{form:?}: {ran:?}");
        let arguments = [form, &["--show-secrets"]].concat();
        told |= said(&packages.again().run(&arguments)).contains(PRECIOUS);
    }
    assert!(told, "--show-secrets shows nothing");
}

fn secret(fields: &str) -> String {
    format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n{fields}")
}

#[test]
fn of_its_fields() {
    for field in ["data", "stringData"] {
        assert_kept(&package("s.yaml", |value| {
            secret(&format!("{field}:\n  key: {value}\n"))
        }));
    }
    assert_kept(&package("s.yaml", |value| {
        secret(&format!("stringData:\n  key: |\n    a\n    {value}\n"))
    }));
}

#[test]
fn of_what_was_last_applied() {
    assert_kept(&package("s.yaml", |value| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{{\"data\":{{\"key\":\"{value}\"}}}}'\n"
        )
    }));
}

#[test]
fn in_a_list_and_in_json() {
    assert_kept(&package("s.yaml", |value| {
        format!("apiVersion: v1\nkind: List\nitems:\n- kind: Secret\n  data:\n    key: {value}\n")
    }));
    assert_kept(&package("s.json", |value| {
        format!(
            "{{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {{\"name\": \"s\"}},\n \"data\": {{\"key\": \"{value}\"}}}}\n"
        )
    }));
}

#[test]
fn in_a_text_within_another_resource() {
    assert_kept(&package("s.yaml", |value| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  s.yaml: |\n    kind: Secret\n    data:\n      key: {value}\n"
        )
    }));
}

#[test]
fn in_a_whole_document_that_one_side_deleted() {
    let packages = Packages::empty();
    let text = |value: &str| secret(&format!("data:\n  key: {PRECIOUS}-{value}\n"));
    packages.put("gone.yaml", [&text("old"), "", &text("local")]);
    packages.put(
        "kept.yaml",
        [
            &text("old").replace("name: s", "name: t"),
            &text("new").replace("name: s", "name: t"),
            "",
        ],
    );
    assert_kept(&packages);
}

#[test]
fn in_a_file_that_does_not_parse() {
    // the line with the mistake is that with the value
    assert_kept(&package("s.yaml", |value| {
        secret(&format!("data:\n  key: \"{value}\n"))
    }));
    let packages = package("s.yaml", |value| {
        secret(&format!("data:\n  key: {value}\n"))
    });
    std::fs::write(
        packages.path("local/s.yaml"),
        secret(&format!("data:\n  key: \"{PRECIOUS}\n")),
    )
    .unwrap();
    assert_kept(&packages);
    let ran = packages.run(&[]);
    assert_eq!(ran.status, 2);
    for part in [
        "local/s.yaml:6:",
        "the line may hold a secret: --show-secrets shows it",
    ] {
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
}

#[test]
fn in_a_file_that_is_merged_by_lines() {
    assert_kept(&package("s.txt", |value| {
        format!("kind: Secret\nkey: {value}\n")
    }));
}

#[test]
fn when_somebody_asks_why() {
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
        Ran::from(command.output().unwrap())
    };
    let ran = explain(&[]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(
        !said(&ran).contains(PRECIOUS) && ran.stdout.contains("updated: (secret)"),
        "{ran:?}"
    );
    assert!(said(&explain(&["--show-secrets"])).contains(PRECIOUS));
}

#[test]
fn what_speaks_of_a_secret_is_none() {
    let packages = Packages::empty();
    let text = |value: u8| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: h\nspec:\n  interval: {value}m\n  valuesFrom:\n  - kind: Secret\n    name: s\n"
        )
    };
    packages.put("h.yaml", [&text(1), &text(2), &text(3)]);
    let ran = packages.run(&["--dry-run"]);
    assert!(
        ran.stdout.contains("original 1m | updated 2m | local 3m"),
        "{ran:?}"
    );
}
