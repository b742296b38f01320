//! Tests `merge3 apply` on single files and folders, and its options. The cases in testdata test
//! its rules.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::harness::RunOutput;

const ANNOTATION: &str = "  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"apiVersion\":\"v1\",\"data\":{\"a\":\"new\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"one\"}}\n";

fn config_map(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  a: {value}\n")
}

/// Returns the object after the configuration of `one` with value `new` was applied.
fn applied() -> String {
    config_map("one", "new").replace("\ndata:", &format!("\n{ANNOTATION}data:"))
}

struct Files(TempDir);

impl Files {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn apply(&self, arguments: &[&str]) -> RunOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command
            .arg("apply")
            .args(arguments)
            .current_dir(self.0.path());
        RunOutput::from(command.output().unwrap())
    }
}

fn two_files() -> Files {
    Files::of(&[
        ("config.yaml", &config_map("one", "new")),
        ("live.yaml", &config_map("one", "old")),
    ])
}

const ON_FILES: [&str; 4] = ["--config", "config.yaml", "--live", "live.yaml"];

fn on_files(more: &[&'static str]) -> Vec<&'static str> {
    ON_FILES.iter().chain(more).copied().collect()
}

#[test]
fn a_file_is_applied_to_a_file_of_another_name() {
    let files = two_files();
    let run = files.apply(&ON_FILES);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(files.read("live.yaml"), applied());
    assert!(run.stderr.contains("live.yaml:1:1"), "{}", run.stderr);
    let again = files.apply(&on_files(&["--check"]));
    assert_eq!(
        (again.status, again.stderr.as_str()),
        (0, ""),
        "{}",
        again.stdout
    );
}

#[test]
fn views_are_shown_and_nothing_is_written() {
    let files = two_files();
    assert_eq!(files.apply(&on_files(&["--check", "-q"])).status, 1);
    let diff = files.apply(&on_files(&["--diff"]));
    assert!(
        diff.stdout.contains("-  a: old\n+  a: new\n"),
        "{}",
        diff.stdout
    );
    let printed = files.apply(&on_files(&["--output", "-", "-q"]));
    assert_eq!(printed.stdout, applied());
    assert_eq!(files.read("live.yaml"), config_map("one", "old"));
    files.apply(&on_files(&["--output", "there.yaml", "-q"]));
    assert_eq!(files.read("there.yaml"), applied());
    assert_eq!(files.read("live.yaml"), config_map("one", "old"));
}

#[test]
fn a_file_is_applied_to_what_is_in_a_folder() {
    let both = format!(
        "{}---\n{}",
        config_map("one", "new"),
        config_map("two", "new")
    );
    let files = Files::of(&[
        ("config.yaml", &both),
        ("live/deep/x.yaml", &config_map("one", "old")),
        ("live/README.md", "not YAML"),
    ]);
    let run = files.apply(&["--config", "config.yaml", "--live", "live"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(files.read("live/deep/x.yaml"), applied());
    let new = files.read("live/config.yaml");
    assert_eq!(new, applied().replace("one", "two"));
}

#[test]
fn invalid_arguments_are_errors() {
    let files = two_files();
    let fails = |arguments: &[&str], message: &str| {
        let run = files.apply(arguments);
        assert_eq!(run.status, 2, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
        assert_eq!(files.read("live.yaml"), config_map("one", "old"));
    };
    fails(
        &["--config", ".", "--live", "live.yaml"],
        "give a folder as --live too",
    );
    fails(
        &["--config", "config.yaml", "--live", "nowhere"],
        "--live: nowhere does not exist",
    );
    fails(
        &["--config", "nowhere", "--live", "live.yaml"],
        "--config: nowhere does not exist",
    );
    fails(
        &on_files(&["--last-applied", "nowhere"]),
        "--last-applied: nowhere does not exist",
    );
    fails(&on_files(&["--crd", "config.yaml"]), "defines no kind");
    fails(&["--config", "config.yaml"], "--live");
}

#[test]
fn what_is_pruned_is_listed_before_it_is_deleted() {
    let files = two_files();
    let both = format!("{}---\n{}", applied(), applied().replace("one", "two"));
    fs::write(files.path("live.yaml"), &both).unwrap();
    let list =
        "live.yaml: v1 ConfigMap two was applied and is not in --config any more: it is deleted";
    // writing fails there, but the list is printed before that
    let run = files.apply(&on_files(&["--prune", "--output", "nowhere/live.yaml"]));
    assert_eq!(run.status, 2, "{}", run.stderr);
    let (listed, failed) = (run.stderr.find(list), run.stderr.find("error:"));
    assert!(listed.is_some() && listed < failed, "{}", run.stderr);
    let run = files.apply(&on_files(&["--prune", "--dry-run"]));
    assert!(run.stderr.contains(list), "{}", run.stderr);
    assert_eq!(files.read("live.yaml"), both);
    let run = files.apply(&on_files(&["--prune"]));
    assert!(run.stderr.contains(list), "{}", run.stderr);
    assert_eq!(files.read("live.yaml"), applied());
}

#[test]
fn values_of_secrets_are_shown_only_on_request() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {word: hunter2}\n";
    let files = Files::of(&[("config.yaml", secret), ("live.yaml", secret)]);
    assert_eq!(files.apply(&ON_FILES).status, 0);
    let viewed = files.apply(&["view-last-applied", "live.yaml"]).stdout;
    assert!(
        viewed.contains("word: (secret)") && !viewed.contains("hunter2"),
        "{viewed}"
    );
    let viewed = files
        .apply(&["view-last-applied", "live.yaml", "--show-secrets"])
        .stdout;
    assert!(viewed.contains("word: hunter2"), "{viewed}");
}
