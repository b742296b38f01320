//! Tests errors: each has its own message and exit status 2, and nothing is written.

use std::fs;

use crate::harness::{Case, RunOutput, resource};

/// Returns a case with a change to merge, so that a test can check that nothing was written.
fn with_change() -> Case {
    Case::of(
        "work.yaml",
        &resource("work", "1"),
        &resource("work", "2"),
        &resource("work", "1"),
    )
}

#[test]
fn a_folder_that_is_missing() {
    let case = with_change();
    fs::remove_dir_all(case.path("updated")).unwrap();
    case.fails_with(&[
        "--from: ",
        "/updated does not exist",
        "help: check the path given to --from",
    ]);
}

#[test]
fn a_folder_and_a_file() {
    let case = with_change();
    fs::remove_dir_all(case.path("original")).unwrap();
    fs::write(case.path("original"), "a: 1\n").unwrap();
    case.fails_with(&[
        "/updated is a folder and ",
        "/original is a file",
        "help: give three folders",
    ]);
}

#[test]
fn yaml_that_is_broken_on_one_side() {
    for side in ["original", "updated", "local"] {
        let case = with_change()
            .original("a.yaml", "a: 1\nb: [1]\n")
            .updated("a.yaml", "a: 2\nb: [2]\n")
            .local("a.yaml", "a: 3\nb: [3]\n")
            .file(side, "a.yaml", format!("# {side}\na: 1\nb: [1\n"));
        case.fails_with(&[
            "is not valid YAML",
            &format!("{side}/a.yaml:"),
            "help:",
            "merged line by line it has conflicts",
        ]);
    }
}

#[test]
fn the_line_of_an_error_is_shown() {
    with_change()
        .original("a.yaml", "a: 1\n")
        .updated("a.yaml", "a: 2\n")
        .local("a.yaml", "a: 3\nb: 'x\n")
        .fails_with(&[
            "local/a.yaml:2:4",
            "2 | b: 'x",
            "the quote that opens here is never closed",
        ]);
}

#[test]
fn a_key_that_is_twice_in_a_map() {
    with_change()
        .original("a.yaml", "a: 1\n")
        .updated("a.yaml", "a: 2\n")
        .local("a.yaml", "a: 3\nb: 1\nb: 2\n")
        .fails_with(&[
            "local/a.yaml:3:1",
            "3 | b: 2",
            "the key `b` occurs twice in one map",
        ]);
}

#[test]
fn a_key_that_is_twice_upstream_hides_no_other_error() {
    with_change()
        .original("a.yaml", "a: 1\nb: 1\nc: 1\n---\nx: 1\n")
        .updated("a.yaml", "a: 1\nb: 1\nb: 2\nc: 1\n---\nx: [\n")
        .local("a.yaml", "a: 9\nb: 1\nc: 1\n---\nx: 1\n")
        .fails_with(&["updated/a.yaml:3:1", "it would break the local file"]);
}

#[test]
fn all_broken_files_are_named() {
    with_change()
        .original("a.yaml", "a: 1\n")
        .updated("a.yaml", "a: 2\n")
        .local("a.yaml", "a: [\n")
        .original("b.yaml", "a: 1\n")
        .updated("b.yaml", "a: {\n")
        .local("b.yaml", "a: 3\n")
        .fails_with(&["local/a.yaml", "updated/b.yaml"]);
}

#[test]
fn a_resource_that_is_twice_in_a_file() {
    let twice = format!("{}---\n{}", resource("a", "1"), resource("a", "2"));
    with_change()
        .original("a.yaml", &resource("a", "1"))
        .updated("a.yaml", &resource("a", "3"))
        .local("a.yaml", &twice)
        .fails_with(&[
            "v1 ConfigMap a occurs twice in ",
            "in lines 2 and 9",
            "local/a.yaml:9:1",
            "help: delete or rename one of the two",
        ]);
}

#[test]
fn a_file_that_is_not_utf8() {
    with_change()
        .original("a.yaml", "a: 1\n")
        .updated("a.yaml", "a: 2\n")
        .file("local", "a.yaml", b"a: 3\nb: caf\xe9\n")
        .fails_with(&[
            "local/a.yaml is not UTF-8 text",
            "local/a.yaml:2:7",
            "help: save the file as UTF-8",
        ]);
}

#[test]
fn a_pattern_that_is_none() {
    with_change()
        .arg(&["--match", "a[.yaml"])
        .fails_with(&["--yaml 'a[.yaml' is not a valid pattern", "help:"]);
}

#[test]
fn a_local_file_where_upstream_has_a_folder() {
    with_change()
        .updated("x/a.yaml", &resource("a", "1"))
        .local("x", "mine\n")
        .fails_with(&[
            "upstream has a file ",
            "x/a.yaml",
            "is in its way",
            "help: move it away",
        ]);
}

#[test]
fn wrong_arguments() {
    let case = with_change().arg(&["--lists", "sorted"]);
    case.fails_with(&["sorted", "merge, set, replace"]);
    with_change()
        .arg(&["--threads", "0"])
        .fails_with(&["--threads"]);
    with_change().arg(&["--no-such"]).fails_with(&["--no-such"]);
}

/// Copies the binary to a place where every user may run it. Another process copies it: a file that
/// this process had open for writing while another test forks cannot be executed.
#[cfg(unix)]
fn copy_binary(to: &std::path::Path) {
    let copied = std::process::Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_merge3"))
        .arg(to)
        .status();
    assert!(copied.unwrap().success());
}

/// Runs a binary as a user other than root.
#[cfg(unix)]
fn run_as_nobody(case: &Case, binary: &std::path::Path) -> RunOutput {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;

    let folder = case.path("");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(binary);
    command.args(case.command().get_args());
    if fs::metadata(&folder).unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    RunOutput::from(command.output().unwrap())
}

/// Root can read everything, so the test runs the program as `nobody` if it runs as root.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let case = with_change().all("a.yaml", "a: 1\n");
    let binary = case.path("merge3");
    copy_binary(&binary);
    let secret = case.path("local").join("a.yaml");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    let run = run_as_nobody(&case, &binary);
    assert_eq!(run.status, 2);
    for message in [
        "cannot read ",
        "local/a.yaml",
        "ermission denied",
        "help: make it readable",
    ] {
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    assert_eq!(case.read("work.yaml"), Some(resource("work", "1")));
}

/// A folder without write permission.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt as _;

    let case = with_change();
    let binary = case.path("merge3");
    copy_binary(&binary);
    fs::set_permissions(case.path("local"), fs::Permissions::from_mode(0o555)).unwrap();

    let run = run_as_nobody(&case, &binary);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("cannot write "), "{}", run.stderr);
    assert!(
        run.stderr.contains("help: nothing was written"),
        "{}",
        run.stderr
    );
    assert_eq!(case.read("work.yaml"), Some(resource("work", "1")));
    fs::set_permissions(case.path("local"), fs::Permissions::from_mode(0o755)).unwrap();
}
