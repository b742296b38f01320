//! A driver that is set up but cannot be run must not lose anything of either side.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::harness::{BASE, BOTH, OTHER, OURS, Repository, RunOutput, THEIRS, merge3, path_with};

const FILE: &str = "shop.yaml";

/// Returns a repository that is set up, and the program in a folder of the home.
fn set_up(folder: &str) -> (Repository, PathBuf) {
    let repository = Repository::new();
    let program = repository.home().join(folder).join("merge3");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(merge3(), &program).unwrap();
    (repository, program)
}

/// Replaces the program by a script. Another process writes the script: a file that this process
/// has open for writing cannot be executed, nor can it if a process that another test starts
/// inherits the open file.
fn replace(program: &Path, script: &str) {
    fs::remove_file(program).unwrap();
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod +x \"$2\"";
    let mut shell = Command::new("sh");
    let status = shell
        .args(["-c", write, "sh", script])
        .arg(program)
        .status();
    assert!(status.unwrap().success());
}

/// Runs git with the folder of another program on its path, without this program's own.
fn git_beside(repository: &Repository, program: &Path, arguments: &[&str]) -> RunOutput {
    let mut git = Command::new("git");
    repository.run(git.args(arguments).env("PATH", path_with(program)))
}

/// Returns what git leaves of a merge, and its status, without a driver.
fn without_driver(theirs: &str, style: &str) -> (i32, String) {
    let repository = Repository::without_driver("repository");
    repository.git(&["config", "merge.conflictStyle", style]);
    repository.diverge(FILE, BASE, OURS, theirs);
    let status = repository.try_git(&["merge", "-q", "other"]).status;
    (status, repository.read(FILE))
}

#[test]
fn the_program_is_found_by_name_wherever_it_is() {
    let (repository, program) = set_up("it's 100% my folder");
    repository.diverge(FILE, BASE, OURS, THEIRS);
    let run = git_beside(&repository, &program, &["merge", "-q", "other"]);
    assert_eq!((run.status, repository.read(FILE)), (0, BOTH.to_owned()));
}

#[test]
fn a_lost_program_leaves_the_conflicts_that_git_leaves() {
    for style in ["merge", "diff3", "zdiff3"] {
        for theirs in [THEIRS, OTHER] {
            let (repository, program) = set_up("bin");
            fs::remove_file(&program).unwrap();
            repository.git(&["config", "merge.conflictStyle", style]);
            repository.diverge(FILE, BASE, OURS, theirs);
            let run = git_beside(&repository, &program, &["merge", "-q", "other"]);
            let expected = without_driver(theirs, style);
            // commit ids differ between repositories
            let unnamed = |text: &str| {
                let lines = text
                    .lines()
                    .map(|line| match line.strip_prefix("||||||| ") {
                        Some(_) => "|||||||",
                        None => line,
                    });
                lines.collect::<Vec<_>>().join("\n")
            };
            assert_eq!(
                (run.status, unnamed(&repository.read(FILE))),
                (expected.0, unnamed(&expected.1)),
                "{run:?}"
            );
            assert_eq!(
                repository.git(&["diff", "--name-only", "--diff-filter=U"]),
                "shop.yaml\n"
            );
            assert!(
                run.stderr
                    .contains("cannot merge shop.yaml: git merges it as text"),
                "{run:?}"
            );
        }
    }
}

#[test]
fn a_lost_program_merges_what_git_merges() {
    let (repository, program) = set_up("bin");
    fs::remove_file(&program).unwrap();
    let far = |first: u8, last: u8| format!("a: {first}\nb: 1\nc: 1\nd: 1\ne: {last}\n");
    repository.diverge(FILE, &far(1, 1), &far(2, 1), &far(1, 2));
    let run = git_beside(&repository, &program, &["merge", "-q", "other"]);
    assert_eq!((run.status, repository.read(FILE)), (0, far(2, 2)));
}

#[test]
fn markers_are_as_long_as_the_attributes_say() {
    let (repository, program) = set_up("bin");
    fs::remove_file(&program).unwrap();
    repository.write(
        ".gitattributes",
        "*.yaml merge=merge3 conflict-marker-size=12\n",
    );
    repository.diverge(FILE, BASE, OURS, OTHER);
    let run = git_beside(&repository, &program, &["merge", "-q", "other"]);
    assert_eq!(run.status, 1);
    let left = repository.read(FILE);
    assert!(
        left.contains("\n<<<<<<<<<<<< HEAD\n") && left.contains("\n>>>>>>>>>>>> other\n"),
        "{left}"
    );
}

/// PyPI and Debian have other programs of this name.
#[test]
fn another_program_of_this_name_does_no_harm() {
    for script in ["echo merged; exit 2", "exit 127", "kill -9 $$"] {
        let (repository, program) = set_up("bin");
        replace(&program, script);
        repository.diverge(FILE, BASE, OURS, OTHER);
        let run = git_beside(&repository, &program, &["merge", "-q", "other"]);
        let left = (run.status, repository.read(FILE));
        assert_eq!(left, without_driver(OTHER, "merge"), "{script}");
    }
}

#[test]
fn a_binary_file_stays_and_is_a_conflict() {
    let (repository, program) = set_up("bin");
    fs::remove_file(&program).unwrap();
    repository.diverge(FILE, "a\0", "b\0", "c\0");
    let run = git_beside(&repository, &program, &["merge", "-q", "other"]);
    assert_eq!((run.status, repository.read(FILE)), (1, "b\0".to_owned()));
    assert_eq!(
        repository.git(&["diff", "--name-only", "--diff-filter=U"]),
        "shop.yaml\n"
    );
}

#[test]
fn one_merge_can_skip_the_driver() {
    let repository = Repository::diverged(FILE, BASE, OURS, THEIRS);
    let mut git = Command::new("git");
    let run = repository.run(git.args(["merge", "-q", "other"]).env("MERGE3", "0"));
    let left = (run.status, repository.read(FILE));
    assert_eq!(left, without_driver(THEIRS, "merge"));
    assert!(!run.stderr.contains("merge3"), "{run:?}");
    repository.git(&["merge", "--abort"]);
    repository.git(&["merge", "-q", "other"]);
    assert_eq!(repository.read(FILE), BOTH);
}

#[test]
fn status_runs_what_is_configured() {
    let (repository, program) = set_up("bin");
    let status = |path: &Path| {
        let mut command = Command::new(merge3());
        repository.run(command.args(["git", "status"]).env("PATH", path_with(path)))
    };
    assert_eq!(status(&program).status, 0);
    replace(&program, "exit 2");
    let run = status(&program);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("set up, but does not run"), "{run:?}");
    fs::remove_file(&program).unwrap();
    let run = status(&program);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("put merge3 on the PATH"), "{run:?}");
}

/// git does not pass `-X theirs` to a driver.
#[test]
fn one_merge_can_favor_a_side() {
    for (side, replicas) in [("ours", "  replicas: 2\n"), ("theirs", "  replicas: 3\n")] {
        let repository = Repository::diverged(FILE, BASE, OURS, OTHER);
        let mut git = Command::new("git");
        let run = repository.run(git.args(["merge", "-q", "other"]).env("MERGE3", side));
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(
            repository.read(FILE),
            BOTH.replace("  replicas: 2\n", replicas)
        );
    }
}
