//! Tests `merge3 review` in a pseudo-terminal, key by key.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a failing helper fails the test

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use pretty_assertions::assert_eq;
use rexpect::ReadUntil;
use rexpect::process::WaitStatus;
use rexpect::session::{PtySession, spawn_command};
use tempfile::TempDir;

/// The timeout for an answer, in milliseconds. Only a review that hangs takes this long.
const TIMEOUT_MS: u64 = 120_000;
const ASK: &str = "[u,l,b,e,p,r,s,k,q,?]? ";
const END: &str = "or go back [k]? ";

const ORIGINAL: &str =
    "replicas: 1\nport: 80\nargs: [--a]\nhost: x\nhosts:\n- a\nnote: |\n  one\nend: true\n";
const UPDATED: &str =
    "replicas: 2\nport: 80\nargs: [--b]\nhost: x\nhosts:\n- b\nnote: |\n  two\nend: true\n";
const LOCAL: &str =
    "replicas: 3\nport: 80\nargs: [--c]\nhost: x\nhosts:\n- c\nnote: |\n  three\nend: true\n";

/// Three packages in a folder.
struct Packages(TempDir);

impl Packages {
    fn of(files: &[(&str, &str, &str, &str)]) -> Self {
        let packages = Self(tempfile::tempdir().unwrap());
        for (path, original, updated, local) in files {
            for (side, text) in [("old", original), ("new", updated), ("fork", local)] {
                fs::create_dir_all(packages.path(side)).unwrap();
                if !text.is_empty() {
                    packages.write(&format!("{side}/{path}"), text);
                }
            }
        }
        packages
    }

    /// The packages of most tests, with four conflicts in one file: `replicas`, `args`, `hosts` and
    /// `note`.
    fn with_four_conflicts() -> Self {
        Self::of(&[("a.yaml", ORIGINAL, UPDATED, LOCAL)])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Creates an editor: a shell script that changes the file in its argument.
    fn editor(&self, script: &str) -> PathBuf {
        self.write("editor", &format!("#!/bin/sh\n{script}\n"));
        let path = self.path("editor");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_merge3");
        let mut command = Command::new(program);
        if cfg!(target_os = "linux") {
            // a shell starts background processes with SIGINT ignored, and child processes inherit
            // that
            command = Command::new("env");
            command.args(["--default-signal=INT", program]);
        }
        command
            .arg("review")
            .args(arguments)
            .current_dir(self.0.path());
        command
            .env("NO_COLOR", "1")
            .env("TERM", "xterm")
            .env_remove("VISUAL")
            .env_remove("EDITOR");
        command
    }

    /// Returns the output of a merge without questions.
    fn merge(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_merge3"))
            .args(["--ancestor", "old", "--from", "new", "--to", "fork"])
            .args(arguments)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn review(&self) -> Review {
        self.review_with(&[], None)
    }

    fn review_with(&self, arguments: &[&str], editor: Option<&Path>) -> Review {
        let sides = ["--ancestor", "old", "--from", "new", "--to", "fork"];
        let mut command = self.command(&[&sides[..], arguments].concat());
        if let Some(editor) = editor {
            command.env("EDITOR", editor);
        }
        Review(spawn_command(command, Some(TIMEOUT_MS)).unwrap())
    }
}

/// A running review.
struct Review(PtySession);

impl Review {
    /// Waits for a question and returns the output before it.
    fn read_until(&mut self, question: &str) -> String {
        self.0.exp_string(question).unwrap()
    }

    /// Presses a key at the next conflict and returns the output before its question.
    fn at(&mut self, key: &str) -> String {
        let output = self.read_until(ASK);
        self.press(key);
        output
    }

    fn press(&mut self, key: &str) {
        self.0.send(key).unwrap();
        self.0.flush().unwrap();
    }

    /// Waits for the next question. Returns true if it asks about a conflict, false if it is the
    /// last question.
    fn asks_again(&mut self) -> bool {
        let (_, question) = self
            .0
            .exp_any(vec![
                ReadUntil::String(ASK.into()),
                ReadUntil::String(END.into()),
            ])
            .unwrap();
        question == ASK
    }

    /// Answers the last question, and returns the remaining output and the exit status.
    fn end(mut self, key: &str) -> (String, i32) {
        self.read_until(END);
        self.press(key);
        self.wait_for_exit()
    }

    fn wait_for_exit(mut self) -> (String, i32) {
        let rest = self.0.exp_eof().unwrap();
        match self.0.process().wait().unwrap() {
            WaitStatus::Exited(_, status) => (rest, status),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_side_can_be_taken() {
    let packages = Packages::with_four_conflicts();
    let mut review = packages.review();
    review.at("b");
    let output = review.at("u");
    assert!(
        output.contains("both sides do not fit here, e edits them: the file would not be YAML")
    );
    review.at("k");
    let output = review.at("u");
    for shown in [
        "1 of 4: both sides changed it\r\na.yaml:1\r\n",
        "original | replicas: 1",
        " updated | replicas: 2",
        "   local | replicas: 3",
        "         | port: 80",
    ] {
        assert!(output.contains(shown), "{shown}\n{output}");
    }
    assert!(review.at("b").contains("\r\nargs[0]\r\n"));
    assert!(review.at("l").contains("local | - c"));
    review.at("b");
    let (output, status) = review.end("y");
    assert!(
        output.contains("4 places decided, 1 file written"),
        "{output}"
    );
    assert_eq!(status, 0);
    assert_eq!(
        packages.read("fork/a.yaml"),
        "replicas: 2\nport: 80\nargs: [--c, --b]\nhost: x\nhosts:\n- c\nnote: |\n  three\n  two\nend: true\n"
    );
}

#[test]
fn decisions_can_be_undone() {
    let packages = Packages::with_four_conflicts();
    let mut review = packages.review();
    assert!(review.at("k").contains("1 of 4: "));
    assert!(review.at("u").contains("this is the first place"));
    review.at("k");
    assert!(review.at("l").contains("decided: updated"));
    review.at("s");
    review.at("u");
    review.at("u");
    // the command works at the last question, too
    review.read_until(END);
    review.press("k");
    assert!(review.at("s").contains("4 of 4: "));
    let (output, status) = review.end("y");
    assert_eq!(status, 1);
    assert!(
        output.contains("left between conflict markers: a.yaml:3\r\n"),
        "{output}"
    );
    let text = packages.read("fork/a.yaml");
    assert!(text.starts_with("replicas: 3\nport: 80\n<<<<<<< fork\nargs: [--c]\n||||||| old\nargs: [--a]\n=======\nargs: [--b]\n>>>>>>> new\n"), "{text}");
    assert_eq!(text.matches("<<<<<<<").count(), 2);
    // the remaining conflicts are decided later, with or without the three sides
    for (arguments, key) in [(&[][..], "q"), (&["--to", "fork"][..], "l")] {
        let mut review = match arguments {
            [] => packages.review(),
            arguments => {
                Review(spawn_command(packages.command(arguments), Some(TIMEOUT_MS)).unwrap())
            }
        };
        let output = review.at(key);
        assert!(
            output.contains("2 places between conflict markers in 1 file"),
            "{output}"
        );
        assert!(output.contains("original | args: [--a]"), "{output}");
        match key {
            "q" => assert_eq!(review.wait_for_exit().1, 1),
            _ => {
                review.at("l");
                assert_eq!(review.end("y").1, 0);
            }
        }
    }
    assert_eq!(
        packages
            .read("fork/a.yaml")
            .replace("hosts:\n- b", "hosts:\n- c"),
        LOCAL
    );
}

#[test]
fn nothing_is_written_without_confirmation() {
    let packages = Packages::with_four_conflicts();
    // at once, after a decision, at the end
    let mut review = packages.review();
    review.at("q");
    let (output, status) = review.wait_for_exit();
    assert!(output.contains("nothing was written"), "{output}");
    assert_eq!(status, 1);
    let mut review = packages.review();
    review.at("u");
    review.at("q");
    assert_eq!(review.end("n").1, 1);
    // an interrupt at a conflict and at the last question
    for keys in ["u", "ulul"] {
        let mut review = packages.review();
        for key in keys.chars() {
            review.at(&key.to_string());
        }
        review.read_until(if keys.len() == 4 { END } else { ASK });
        review.0.send_control('c').unwrap();
        assert_eq!(review.wait_for_exit().1, 130);
    }
    assert_eq!(packages.read("fork/a.yaml"), LOCAL);
    assert_eq!(fs::read_dir(packages.path("fork")).unwrap().count(), 1);
}

#[test]
fn quitting_can_write_the_decided_part() {
    let packages = Packages::with_four_conflicts();
    let mut review = packages.review();
    review.at("u");
    review.at("q");
    let (_, status) = review.end("y");
    assert_eq!(status, 1);
    let text = packages.read("fork/a.yaml");
    assert!(text.starts_with("replicas: 2\n"), "{text}");
    assert_eq!(text.matches(">>>>>>>").count(), 3);
}

#[test]
fn what_is_edited_is_checked() {
    let packages = Packages::with_four_conflicts();
    // an editor that fails, that leaves the markers, that writes invalid YAML, and that writes
    // valid YAML
    let editor = packages.editor(
        "n=$(cat \"$0.count\" 2>/dev/null || echo 0)\necho $((n + 1)) > \"$0.count\"\ncase $n in\n\
         0) exit 3;;\n1) ;;\n2) echo 'replicas: [' > \"$1\";;\n*) cp \"$1\" \"$0.seen\"; printf 'replicas: 7 # mine' > \"$1\";;\nesac",
    );
    let mut review = packages.review_with(&[], Some(&editor));
    review.at("e");
    assert!(
        review
            .at("e")
            .contains("failed (exit status: 3): nothing is taken from it")
    );
    assert!(
        review
            .read_until("[any other key]? ")
            .contains("there are conflict markers left in it")
    );
    review.press("e");
    let output = review.read_until("[any other key]? ");
    assert!(
        output.contains("the file would not be YAML: line "),
        "{output}"
    );
    review.press("e");
    for key in ["l", "l", "l"] {
        review.at(key);
    }
    assert_eq!(review.end("y").1, 0);
    assert_eq!(packages.read("editor.seen"), "replicas: [\n");
    assert!(
        packages
            .read("fork/a.yaml")
            .starts_with("replicas: 7 # mine\nport: 80\n")
    );
}

#[test]
fn keys_in_the_editor_go_to_the_editor() {
    let packages = Packages::with_four_conflicts();
    let editor = packages.editor(
        "trap '' INT\necho ready\nwhile ! test -f go; do sleep 0.1; done\necho 'replicas: 8' > \"$1\"",
    );
    let mut review = packages.review_with(&[], Some(&editor));
    review.at("e");
    review.read_until("ready");
    for _ in 0..3 {
        review.0.send_control('c').unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    packages.write("go", "");
    assert!(review.at("q").contains("2 of 4: "));
    review.end("y");
    assert!(packages.read("fork/a.yaml").starts_with("replicas: 8\n"));
}

#[test]
fn a_missing_editor_is_reported() {
    let packages = Packages::with_four_conflicts();
    let mut review = packages.review_with(&[], Some(Path::new("no-such-editor --wait")));
    review.at("e");
    assert!(
        review
            .at("q")
            .contains("the editor `no-such-editor --wait` failed")
    );
    assert_eq!(review.wait_for_exit().1, 1);
}

#[test]
fn a_pin_keeps_the_local_side_for_good() {
    let json = |value: &str| format!("{{\n  \"a\": {value}\n}}\n");
    let packages = Packages::of(&[
        ("a.yaml", ORIGINAL, UPDATED, LOCAL),
        ("b.json", &json("1"), &json("2"), &json("3")),
        ("c.yaml", "a: {b: 1}\nc: 1\n", "a: {b: 2}\nc: 1\n", "c: 1\n"),
    ]);
    let mut review = packages.review();
    for _ in 0..4 {
        review.at("p");
    }
    assert!(review.at("p").contains("pin that by hand"));
    review.at("l");
    assert!(review.at("p").contains("5 of 6: "));
    assert!(
        review
            .at("l")
            .contains("only entries of YAML can be pinned")
    );
    review.at("p");
    assert!(review.at("l").contains("a rule (r) keeps a deletion"));
    assert_eq!(review.end("y").1, 0);
    let pinned = LOCAL
        .replace("3\n", "3 # merge3: keep\n")
        .replace("c]\n", "c] # merge3: keep\n")
        .replace("- c\n", "- c # merge3: keep\n");
    assert_eq!(packages.read("fork/a.yaml"), pinned);
    let output = packages.merge(&["--dry-run"]);
    assert!(output.contains("3 held back by pins"), "{output}");
}

fn deployment(replicas: &str, image: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n  template:\n    spec:\n      containers:\n      - name: web\n        tag: {image}\n"
    )
}

#[test]
fn a_rule_decides_similar_conflicts_and_is_undone_with_its_decision() {
    let file = |replicas: &str, tag: &str| deployment(replicas, tag);
    let packages = Packages::of(&[
        ("a.yaml", &file("1", "a"), &file("2", "b"), &file("3", "c")),
        ("b.yaml", &file("1", "a"), &file("2", "b"), &file("4", "d")),
    ]);
    packages.write(
        "fork/.merge3.yaml",
        "# ours\nrules:\n  - path: metadata.labels\n    take: local\n",
    );
    let mut review = packages.review();
    review.at("l");
    review.at("r");
    review.read_until("[u,l]? ");
    review.press("l");
    let output = review.read_until("[t,a]? ");
    assert!(output.contains("- path: spec.template.spec.containers[name=web].tag\r\n    kind: Deployment\r\n    file: a.yaml\r\n"), "{output}");
    assert!(output.contains("- path: spec.template.spec.containers[*].tag\r\n    kind: Deployment\r\n    take: local"), "{output}");
    review.press("a");
    let output = review.at("u");
    assert!(
        output.contains("the rule decides 1 further place")
            && output.contains("3 of 4: both sides changed it\r\nb.yaml:6\r\n"),
        "{output}"
    );
    // the last conflict is decided: going back to the conflict where the rule was made takes the
    // rule back
    review.read_until(END);
    review.press("k");
    assert!(review.at("k").contains("decided: local"));
    review.at("k");
    review.at("u");
    review.at("s");
    let output = review.at("r");
    assert!(!output.contains("decided"), "{output}");
    review.read_until("[u,l]? ");
    review.press("u");
    review.read_until("[t,a]? ");
    review.press("t");
    let (output, status) = review.end("y");
    assert!(
        output.contains("3 places decided, 3 files written, 1 new rule in .merge3.yaml"),
        "{output}"
    );
    assert_eq!(status, 1);
    assert_eq!(
        packages.read("fork/.merge3.yaml"),
        "# ours\nrules:\n  - path: metadata.labels\n    take: local\n  - path: spec.template.spec.containers[name=web].tag\n    kind: Deployment\n    file: b.yaml\n    take: updated\n"
    );
    assert!(packages.read("fork/b.yaml").ends_with("tag: b\n"));
}

#[test]
fn a_new_rules_file_is_not_executable_although_the_merged_file_is() {
    let packages = Packages::with_four_conflicts();
    for side in ["old", "new", "fork"] {
        let file = packages.path(side).join("a.yaml");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut review = packages.review();
    review.at("r");
    review.read_until("[u,l]? ");
    review.press("l");
    review.read_until("[t,a]? ");
    review.press("t");
    review.at("q");
    review.end("y");
    let mode = |path: &str| {
        fs::metadata(packages.path(path))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("fork/.merge3.yaml") & 0o111, 0);
    assert_eq!(mode("fork/a.yaml") & 0o111, 0o111);
}

/// The next merge with the rules from the review has the review's decisions.
#[test]
fn rules_decide_the_next_merge_in_the_same_way() {
    let list = |one: &str| {
        format!(
            "kind: X\nitems:\n- a: 1\n  b: {one}\n- a: 2\n  b: {one}\ntext: |\n  k: {one}\n  l: 1\n\"x.y/z\": {one}\nend: 1\nlast: {one}\n"
        )
    };
    let files = [
        ("a.yaml", list("1"), list("2"), list("3")),
        (
            "b [c].yaml",
            deployment("1", "a"),
            deployment("2", "b"),
            deployment("3", "c"),
        ),
        (
            "d.yaml",
            deployment("1", "a"),
            deployment("2", "a"),
            String::new(),
        ),
        (
            "n.txt",
            "a\n".to_owned(),
            "b\n".to_owned(),
            "c\n".to_owned(),
        ),
    ];
    let files = files.each_ref().map(|(path, original, updated, local)| {
        (*path, original.as_str(), updated.as_str(), local.as_str())
    });
    for (side, other) in [("u", "local"), ("l", "updated")] {
        let packages = Packages::of(&files);
        let mut review = packages.review();
        let mut count = 0;
        while review.asks_again() {
            review.press("r");
            review.read_until("[u,l]? ");
            review.press(side);
            review.read_until("[t,a]? ");
            review.press("t");
            count += 1;
        }
        assert!(count > 6, "{count}");
        review.press("y");
        assert_eq!(review.wait_for_exit().1, 0);
        let again = Packages::of(&files);
        again.write("fork/.merge3.yaml", &packages.read("fork/.merge3.yaml"));
        again.merge(&["--on-conflict", other]);
        for (path, ..) in files {
            let read =
                |packages: &Packages| fs::read_to_string(packages.path("fork").join(path)).ok();
            assert_eq!(read(&packages), read(&again), "{side} {path}");
        }
    }
}

#[test]
fn markers_that_do_not_match_up_are_reported() {
    let packages = Packages::with_four_conflicts();
    packages.write("fork/a.yaml", "a: 1\n<<<<<<< a\nx: 1\n=======\nx: 2\n");
    let command = packages.command(&["--to", "fork"]);
    let review = Review(spawn_command(command, Some(TIMEOUT_MS)).unwrap());
    let (output, status) = review.wait_for_exit();
    assert!(
        output.contains("a.yaml:2:1") && output.contains("do not match up"),
        "{output}"
    );
    assert!(output.contains("no conflict can be decided"), "{output}");
    assert_eq!(status, 1);
}

#[test]
fn binary_files_are_left_and_reported() {
    let packages = Packages::with_four_conflicts();
    for (side, bytes) in [("old", b"\0a"), ("new", b"\0b"), ("fork", b"\0c")] {
        fs::write(packages.path(side).join("logo.png"), bytes).unwrap();
    }
    let mut review = packages.review();
    for _ in 0..4 {
        review.at("l");
    }
    let (output, status) = review.end("y");
    assert!(
        output.contains("left unchanged, because it is not text: logo.png"),
        "{output}"
    );
    assert_eq!(status, 1);
}

#[test]
fn documents_that_both_sides_moved_are_left_and_reported() {
    let [a, b, c] = ["a", "b", "c"].map(|name| format!("kind: {name}\n"));
    let file = |order: [&String; 3]| order.map(String::as_str).join("---\n");
    let packages = Packages::of(&[
        ("app.yaml", "x: 1\n", "x: 2\n", "x: 3\n"),
        (
            "kinds.yaml",
            &file([&a, &b, &c]),
            &file([&c, &a, &b]),
            &file([&b, &a, &c]),
        ),
    ]);
    let mut review = packages.review();
    review.at("l");
    let (output, status) = review.end("y");
    assert!(
        output.contains("left in your order of documents: kinds.yaml"),
        "{output}"
    );
    assert_eq!(status, 1);
}

#[test]
fn whole_documents_and_plain_texts_are_decided_too() {
    let packages = Packages::of(&[
        (
            "gone.yaml",
            &deployment("1", "a"),
            &deployment("2", "a"),
            "",
        ),
        (
            "mine.yaml",
            &deployment("1", "a"),
            "",
            &deployment("3", "a"),
        ),
        ("notes.txt", "a\n", "b\n", "c\n"),
    ]);
    fs::write(packages.path("fork/keep.txt"), "x").unwrap();
    let mut review = packages.review();
    let output = review.at("l");
    assert!(
        output.contains("you deleted it, upstream changed it")
            && output.contains("the whole document"),
        "{output}"
    );
    assert!(
        output.contains("apps/v1 Deployment web") && output.contains("   local | (absent)"),
        "{output}"
    );
    assert!(
        review
            .at("u")
            .contains("upstream deleted it, you changed it")
    );
    assert!(
        review
            .at("b")
            .contains("3 of 3: both sides changed these lines\r\nnotes.txt:1\r\n")
    );
    assert_eq!(review.end("y").1, 0);
    assert!(!packages.path("fork/gone.yaml").exists() && !packages.path("fork/mine.yaml").exists());
    assert_eq!(packages.read("fork/notes.txt"), "c\nb\n");
}

#[test]
fn secrets_are_masked_and_not_edited_by_accident() {
    let secret = |value: &str| {
        format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  key: {value}\n")
    };
    let packages = Packages::of(&[(
        "s.yaml",
        &secret("hunter1"),
        &secret("hunter2"),
        &secret("hunter3"),
    )]);
    let mut review = packages.review();
    let output = review.at("e") + &review.at("v") + &review.at("q");
    assert!(
        output.contains("(secret)")
            && output.contains("--show-secrets")
            && !output.contains("hunter"),
        "{output}"
    );
    review.wait_for_exit();
    let mut review = packages.review_with(&["--show-secrets"], None);
    assert!(review.at("q").contains("key: hunter2"));
    review.wait_for_exit();
}

#[test]
fn eighty_columns_without_colour_are_enough() {
    let long = |c: &str| format!("text: {}\n", c.repeat(200));
    let hostile = format!("text: \"\\e[2J {}\u{1b}[31m\"\n", "x".repeat(100));
    let many = |c: &str| {
        format!(
            "list:\n{}",
            (0..40).map(|n| format!("- {c}{n}\n")).collect::<String>()
        )
    };
    let packages = Packages::of(&[
        ("a.yaml", &long("a"), &long("b"), &long("c")),
        ("b.yaml", &many("a"), &many("b"), &many("c")),
    ]);
    packages.write("fork/a.yaml", &hostile.replace('\u{1b}', "\u{9b}"));
    let mut review = packages.review();
    let output = review.at("u") + &review.at("?") + &review.at("v") + &review.at("q");
    assert!(!output.contains(['\u{1b}', '\u{9b}']), "{output:?}");
    let widest = output
        .lines()
        .map(|line| line.trim_end().chars().count())
        .max();
    assert!(widest.unwrap() <= 80, "{output}");
    assert!(
        output.contains("more lines, v shows them") && output.contains("- c39"),
        "{output}"
    );
}

#[test]
fn a_missing_terminal_is_an_error() {
    let packages = Packages::with_four_conflicts();
    let output = packages
        .command(&["--ancestor", "old", "--from", "new", "--to", "fork"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.contains("there is no terminal to answer in")
            && output.contains("--on-conflict markers"),
        "{output}"
    );
    assert_eq!(packages.read("fork/a.yaml"), LOCAL);
}
