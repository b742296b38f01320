//! Tests `-` as standard input for `merge3 patch`, `merge3 apply` and `merge3 diff`.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::harness::RunOutput;

const LIVE: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: old # ours\n";
const PATCH: &str = "kind: ConfigMap\nmetadata: {name: one}\ndata: {a: new}\n";

/// Returns a folder with a live object and a patch.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("live.yaml"), LIVE).unwrap();
    fs::write(folder.path().join("patch.yaml"), PATCH).unwrap();
    folder
}

fn run(folder: &TempDir, input: &str, arguments: &[&str]) -> RunOutput {
    let mut child = Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // a process that fails before it reads closes the pipe
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    RunOutput::from(child.wait_with_output().unwrap())
}

#[test]
fn a_target_comes_on_standard_input_and_goes_to_standard_output() {
    let folder = folder();
    let result = run(&folder, LIVE, &["patch", "--patch", "patch.yaml", "-"]);
    assert_eq!(result.status, 0, "{}", result.stderr);
    assert_eq!(result.stdout, LIVE.replace("old", "new"));
    let unchanged = run(
        &folder,
        LIVE,
        &["patch", "-p", PATCH.replace("new", "old").as_str(), "-"],
    );
    assert_eq!((unchanged.status, unchanged.stdout.as_str()), (0, LIVE));
    let shown = run(
        &folder,
        LIVE,
        &["patch", "--patch", "patch.yaml", "-", "--diff", "-q"],
    );
    assert!(
        shown.stdout.contains("+  a: new # ours"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_patch_comes_on_standard_input() {
    let folder = folder();
    let result = run(&folder, PATCH, &["patch", "--patch", "-", "live.yaml"]);
    assert_eq!(result.status, 0, "{}", result.stderr);
    let live = fs::read_to_string(folder.path().join("live.yaml")).unwrap();
    assert_eq!(live, LIVE.replace("old", "new"));
}

#[test]
fn an_error_has_its_place_on_standard_input() {
    let folder = folder();
    let result = run(&folder, "a: [1\n", &["patch", "--patch", "patch.yaml", "-"]);
    assert_eq!((result.status, result.stdout.as_str()), (2, ""));
    assert!(result.stderr.contains("--> -:2:1"), "{}", result.stderr);
    let nothing = run(&folder, "", &["patch", "--patch", "patch.yaml", "-"]);
    assert_eq!(nothing.status, 2);
    assert!(
        nothing.stderr.contains("the target has no ConfigMap one"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn a_configuration_and_live_objects_come_on_standard_input() {
    let folder = folder();
    let config = LIVE.replace("old # ours", "new");
    let arguments = [
        "apply",
        "--config",
        "-",
        "--live",
        "live.yaml",
        "-q",
        "--output",
        "-",
    ];
    let result = run(&folder, &config, &arguments);
    assert_eq!(result.status, 0, "{}", result.stderr);
    assert!(
        result.stdout.ends_with("  a: new # ours\n"),
        "{}",
        result.stdout
    );
    fs::write(folder.path().join("config.yaml"), config).unwrap();
    let arguments = ["apply", "--config", "config.yaml", "--live", "-", "-q"];
    let other = run(&folder, LIVE, &arguments);
    assert_eq!((other.status, other.stdout), (0, result.stdout));
}

#[test]
fn a_difference_is_a_patch_again() {
    let folder = folder();
    let new = LIVE.replace("old", "new");
    let difference = run(
        &folder,
        &new,
        &["diff", "live.yaml", "-", "--format", "strategic"],
    );
    assert_eq!(difference.status, 0, "{}", difference.stderr);
    let result = run(
        &folder,
        &difference.stdout,
        &["patch", "--patch", "-", "live.yaml", "-q", "--output", "-"],
    );
    assert_eq!((result.status, result.stdout), (0, new));
}
