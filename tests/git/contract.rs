//! Tests what git expects of a driver, and of a program that replaces `git merge-file`.

use std::fs;
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::harness::{BASE, BOTH, OTHER, OURS, RunOutput, THEIRS, isolated, merge3};

/// Three files in a folder: `base`, `ours`, `theirs`.
struct Files(TempDir);

impl Files {
    fn new(base: &[u8], ours: &[u8], theirs: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        Self(folder)
    }

    fn text(base: &str, ours: &str, theirs: &str) -> Self {
        Self::new(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())
    }

    fn run(&self, program: &str, arguments: &[&str]) -> RunOutput {
        let mut command = Command::new(program);
        let folder: &Path = self.0.path();
        isolated(command.args(arguments), folder)
            .current_dir(folder)
            .output()
            .unwrap()
            .into()
    }

    fn drive(&self, further: &[&str]) -> i32 {
        let arguments = [&["git", "driver", "base", "ours", "theirs"], further].concat();
        self.run(merge3(), &arguments).status
    }

    fn ours(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.0.path().join("ours")).unwrap()).into_owned()
    }
}

#[test]
fn the_result_is_in_the_current_version_and_the_status_is_0() {
    let files = Files::text(BASE, OURS, THEIRS);
    let all = [
        "--path",
        "a b.yaml",
        "--marker-size",
        "7",
        "--labels",
        "",
        "HEAD",
        "other",
    ];
    assert_eq!(files.drive(&all), 0);
    assert_eq!(files.ours(), BOTH);
}

/// Flat files are merged on the stack of the main thread, nested ones on a larger stack. Both sides
/// change the deepest level, where only a structural merge has no conflict.
#[test]
fn files_of_any_depth_merge() {
    let deep = |depth: usize, x: u8, y: u8| -> String {
        let levels: String = (0..depth)
            .map(|level| format!("{0}k:\n{0}-\n", " ".repeat(level)))
            .collect();
        let indent = " ".repeat(depth);
        format!("{levels}{indent}x: {x}\n{indent}y: {y}\n")
    };
    for depth in [1, 60, 64, 250] {
        let files = Files::text(&deep(depth, 1, 1), &deep(depth, 2, 1), &deep(depth, 1, 2));
        assert_eq!(files.drive(&[]), 0, "{depth}");
        assert_eq!(files.ours(), deep(depth, 2, 2), "{depth}");
    }
}

#[test]
fn the_status_counts_conflicts_up_to_127() {
    let lines = |value: usize| -> String {
        (0..200)
            .map(|key| format!("k{key}: {value}\nm{key}: 0\n"))
            .collect()
    };
    let files = Files::text(&lines(1), &lines(2), &lines(3));
    assert_eq!(files.drive(&[]), 127);
    assert_eq!(files.ours().matches("<<<<<<< ours\n").count(), 200);
    let files = Files::text(
        "a: 1\nx: 0\nb: 1\n",
        "a: 2\nx: 0\nb: 2\n",
        "a: 3\nx: 0\nb: 3\n",
    );
    assert_eq!(
        files.drive(&["--marker-size", "9", "--labels", "o", "x", "y"]),
        2
    );
    assert!(
        files
            .ours()
            .starts_with("<<<<<<<<< x\na: 2\n=========\na: 3\n>>>>>>>>> y\nx: 0\n")
    );
}

#[test]
fn labels_may_be_missing_or_empty_or_unknown_to_git() {
    for labels in [
        &["--labels"][..],
        &["--labels", "", "", ""],
        &["--labels", "%S", "%X", "%Y"],
    ] {
        let files = Files::text(BASE, OURS, OTHER);
        assert_eq!(files.drive(labels), 1);
        assert!(
            files.ours().contains("<<<<<<< ours\n") && files.ours().contains(">>>>>>> theirs\n")
        );
    }
}

#[test]
fn a_failure_is_no_conflict() {
    let files = Files::text(BASE, OURS, OTHER);
    assert!(
        files
            .run(merge3(), &["git", "driver", "base", "ours", "missing"])
            .status
            > 128
    );
    assert!(
        files
            .run(merge3(), &["git", "driver", "base", "ours"])
            .status
            > 128
    );
    assert!(files.drive(&["--no-such-option"]) > 128);
    assert_eq!(files.ours(), OURS);
}

#[test]
fn another_output_leaves_the_current_version_alone() {
    let lines = |value| format!("a: {value}\nx: 0\nb: {value}\n");
    let files = Files::text(&lines(1), &lines(2), &lines(3));
    assert_eq!(files.drive(&["--output", "result", "--diff3"]), 1);
    assert_eq!(files.ours(), lines(2));
    let result = fs::read_to_string(files.0.path().join("result")).unwrap();
    assert_eq!(
        result
            .matches("<<<<<<< ours\na: 2\n||||||| base\na: 1\n")
            .count(),
        1
    );
    assert_eq!(result.matches("<<<<<<<").count(), 2);
}

#[test]
fn binary_files_are_a_conflict_and_stay() {
    let files = Files::new(b"a\0", b"b\0", b"c\0");
    assert_eq!(files.drive(&[]), 1);
    assert_eq!(files.ours(), "b\0");
}

#[test]
fn empty_sides() {
    for (base, ours, theirs, status, merged) in [
        ("", "a: 1\n", "a: 1\n", 0, "a: 1\n"),
        ("", "a: 1\n", "", 0, "a: 1\n"),
        ("a: 1\n", "", "a: 1\n", 0, ""),
        ("a: 1\n", "a: 1\n", "", 0, ""),
        (
            "a: 1\n",
            "",
            "a: 2\n",
            1,
            "<<<<<<< ours\n=======\na: 2\n>>>>>>> theirs\n",
        ),
        (
            "a: 1\n",
            "a: 2\n",
            "",
            1,
            "<<<<<<< ours\na: 2\n=======\n>>>>>>> theirs\n",
        ),
    ] {
        let files = Files::text(base, ours, theirs);
        assert_eq!(files.drive(&[]), status, "{base:?} {ours:?} {theirs:?}");
        assert_eq!(files.ours(), merged);
    }
}

#[test]
fn a_byte_order_mark_and_line_breaks_are_kept_or_follow_who_changed_them() {
    let files = Files::text(
        "\u{feff}a: 1\r\nb: 1\r\n",
        "\u{feff}a: 2\r\nb: 1\r\n",
        "\u{feff}a: 1\r\nb: 2\r\n",
    );
    assert_eq!(files.drive(&[]), 0);
    assert_eq!(files.ours(), "\u{feff}a: 2\r\nb: 2\r\n");
    let files = Files::text(
        "\u{feff}a: 1\r\nb: 1\r\n",
        "\u{feff}a: 2\r\nb: 1\r\n",
        "a: 1\nb: 2\n",
    );
    assert_eq!(files.drive(&[]), 0);
    assert_eq!(files.ours(), "a: 2\nb: 2\n");
}

#[test]
fn a_document_that_one_side_deleted_and_the_other_changed_is_left_open() {
    let files = Files::text("a: 1\n---\nb: 1\n", "a: 1\n", "a: 1\n---\nb: 2\n");
    assert_eq!(files.drive(&[]), 1);
    assert_eq!(
        files.ours(),
        "a: 1\n<<<<<<< ours\n=======\n---\nb: 2\n>>>>>>> theirs\n"
    );
    let files = Files::text("a: 1\n---\nb: 1\n", "a: 1\n---\nb: 2\n", "a: 1\n");
    assert_eq!(files.drive(&[]), 1);
    assert_eq!(
        files.ours(),
        "a: 1\n<<<<<<< ours\n---\nb: 2\n=======\n>>>>>>> theirs\n"
    );
}

#[test]
fn a_script_below_a_blank_line_merges_line_by_line() {
    let script = |first: &str, last: &str, rest: &str| {
        format!("run: |\n\n  {first}\n  two\n  three\n  {last}\n{rest}")
    };
    let files = Files::text(
        &script("one", "four", "image: x\n"),
        &script("ONE", "four", "image: y\n"),
        &script("one", "FOUR", "image: x\nport: 1\n"),
    );
    assert_eq!(files.drive(&[]), 0);
    assert_eq!(files.ours(), script("ONE", "FOUR", "image: y\nport: 1\n"));
}

#[test]
fn a_renamed_resource_gets_the_other_sides_change() {
    let files = Files::text(BASE, &OURS.replace("name: shop", "name: store"), THEIRS);
    assert_eq!(files.drive(&[]), 0);
    assert_eq!(files.ours(), BOTH.replace("name: shop", "name: store"));
}

/// Texts without structure, or with a broken one.
const UNSTRUCTURED: [[&str; 3]; 6] = [
    ["one\ntwo\nthree\n", "one\n2\nthree\n", "one\nTWO\nthree\n"],
    ["a: [1\nb\nc\nd\n", "a: [1\nB\nc\nd\n", "a: [1\nb\nc\nD\n"],
    ["a: 1\na: 2\n", "a: 1\na: 3\n", "a: 1\na: 4\n"],
    [
        "{{ if .x }}\na: 1\n{{ end }}\n",
        "{{ if .x }}\na: 2\n{{ end }}\n",
        "{{ if .y }}\na: 3\n{{ end }}\n",
    ],
    [
        "a: 1\n",
        "<<<<<<< x\na: 2\n=======\na: 3\n>>>>>>> y\n",
        "a: 4\n",
    ],
    ["x\na\nb\nc\ny\n", "x\nA\nb\nC\ny\n", "x\nA\nB\nC\ny\n"],
];

#[test]
fn what_is_no_yaml_comes_out_as_git_leaves_it() {
    for [base, ours, theirs] in UNSTRUCTURED {
        let files = Files::text(base, ours, theirs);
        let labels = ["-L", "HEAD", "-L", "abc", "-L", "other"];
        let files_of_git = ["--diff-algorithm=histogram", "ours", "base", "theirs"];
        let git = files.run(
            "git",
            &[&["merge-file", "-p"], &labels[..], &files_of_git].concat(),
        );
        let status = files.drive(&["--labels", "abc", "HEAD", "other"]);
        assert_eq!((status, files.ours()), (git.status, git.stdout));
    }
}

#[test]
fn merge_file_is_git_merge_file_where_there_is_no_structure() {
    let options: [&[&str]; 7] = [
        &[],
        &["-q"],
        &["--ours"],
        &["--theirs"],
        &["--union"],
        &["--diff3", "--marker-size=10"],
        &["--zdiff3", "-L", "a", "-L", "b c", "-L", "-d"],
    ];
    for [base, ours, theirs] in UNSTRUCTURED {
        for options in options {
            let files = Files::text(base, ours, theirs);
            let call = |first: &'static str| {
                [&["merge-file", first], options, &["ours", "base", "theirs"]].concat()
            };
            let git = files.run("git", &call("-p"));
            let here = files.run(merge3(), &call("-p"));
            assert_eq!(
                (here.status, here.stdout),
                (git.status, git.stdout.clone()),
                "{options:?}"
            );
            assert_eq!(files.ours(), ours);
            let arguments = [&["merge-file"], options, &["ours", "base", "theirs"]].concat();
            assert_eq!(files.run(merge3(), &arguments).status, git.status);
            assert_eq!(files.ours(), git.stdout);
        }
    }
}

#[test]
fn merge_file_fails_as_git_merge_file_does() {
    let files = Files::new(b"a\0", b"b\0", b"c\0");
    for arguments in [
        &["merge-file", "-p", "ours", "base", "missing"][..],
        &["merge-file", "-p", "ours", "base", "theirs"],
        &["merge-file", "-p", "ours", "base"],
        &["merge-file", "--no-such-option", "ours", "base", "theirs"],
    ] {
        let (git, here) = (files.run("git", arguments), files.run(merge3(), arguments));
        assert_eq!(here.status, git.status, "{arguments:?}: {here:?} {git:?}");
    }
}

#[test]
fn merge_file_merges_by_structure() {
    let files = Files::text(BASE, OURS, THEIRS);
    assert_eq!(
        files
            .run(merge3(), &["merge-file", "ours", "base", "theirs"])
            .status,
        0
    );
    assert_eq!(files.ours(), BOTH);

    for (favor, replicas) in [
        ("--ours", "  replicas: 2\n"),
        ("--theirs", "  replicas: 3\n"),
    ] {
        let files = Files::text(BASE, OURS, OTHER);
        let run = files.run(
            merge3(),
            &["merge-file", "-p", favor, "ours", "base", "theirs"],
        );
        assert_eq!(
            (run.status, run.stdout),
            (0, BOTH.replace("  replicas: 2\n", replicas))
        );
    }
    let files = Files::text(BASE, OURS, OTHER);
    let run = files.run(merge3(), &["merge-file", "-p", "ours", "base", "theirs"]);
    assert_eq!(run.status, 1);
    assert!(
        run.stdout
            .contains("<<<<<<< ours\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> theirs\n")
    );
    assert!(run.stderr.contains("conflicts"));
}

#[test]
fn without_git_on_the_path_lines_merge_all_the_same() {
    let [base, ours, theirs] = UNSTRUCTURED[0];
    let files = Files::text(base, ours, theirs);
    let mut command = Command::new(merge3());
    command.args(["git", "driver", "base", "ours", "theirs"]);
    let status = command
        .current_dir(files.0.path())
        .env("PATH", "")
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    assert_eq!(
        files.ours(),
        "one\n<<<<<<< ours\n2\n=======\nTWO\n>>>>>>> theirs\nthree\n"
    );
}
