//! Tests what is printed, and what is written (rules: Conflicts, Reports).

use std::fs;
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::harness::{Case, RunOutput, resource};

#[track_caller]
fn assert_prints(run: &RunOutput, text: &str) {
    assert!(run.stdout.contains(text), "{}", run.stdout);
}

/// Returns a case with a conflict and with files that are changed, added, deleted and moved, with
/// and without a line break at the end.
fn everything() -> Case {
    Case::of(
        "a b.yaml",
        &resource("a", "1"),
        &resource("a", "2"),
        &resource("a", "3"),
    )
    .updated("new.yaml", "new: 1")
    .original("gone.yaml", "gone: 1\n")
    .local("gone.yaml", "gone: 1\n")
    .original("old name.yaml", &resource("m", "1"))
    .updated("new name.yaml", &resource("m", "2"))
    .local("old name.yaml", &format!("# mine\n{}", resource("m", "1")))
    .original("x.txt", "1\n2\n3")
    .updated("x.txt", "1\n2\n3\n4")
    .local("x.txt", "0\n1\n2\n3")
    .updated("empty.txt", "")
}

#[test]
fn the_summary_counts_and_shows_each_conflict() {
    let run = everything().merge();
    assert_eq!(
        run.stdout,
        "13 files read, 2 changed, 2 added, 1 deleted, 1 moved, 1 conflict\n\
         conflict a b.yaml:6: v1 ConfigMap a: data.field: both-changed: original 1 | updated 2 | local 3 -> updated\n"
    );
    assert_eq!(run.stderr, "");
}

#[test]
fn quiet_and_verbose() {
    let run = everything().arg(&["-q"]).merge();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let run = everything().arg(&["-v"]).merge();
    assert!(
        run.stdout.starts_with(
            "changed a b.yaml\nadded empty.txt\ndeleted gone.yaml\nmoved old name.yaml to new name.yaml\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    assert!(!everything().merge().stdout.contains('\u{1b}'));
    let run = everything().arg(&["--color", "always"]).merge();
    assert_prints(&run, "\u{1b}[31mboth-changed\u{1b}[0m");
}

#[test]
fn a_dry_run_writes_nothing() {
    let run = everything().arg(&["--dry-run"]).run_untouched();
    assert_eq!(run.status, 0);
    assert_prints(&run, "deleted gone.yaml\n");
    assert_prints(&run, "2 to be changed, 2 to be added");
}

#[test]
fn git_applies_the_diff_and_the_result_is_that_of_a_merge() {
    let case = everything().arg(&["--diff"]);
    let run = case.run_untouched();
    assert_eq!(run.status, 0);
    assert_prints(&run, "\\ No newline at end of file");
    assert_prints(&run, "--- /dev/null\n+++ b/new.yaml\n");
    assert_prints(&run, "--- a/gone.yaml\n+++ /dev/null\n");
    assert!(run.stderr.contains("13 files read"), "{}", run.stderr);
    fs::write(case.path("diff"), &run.stdout).unwrap();
    let applied = Command::new("git")
        .args(["apply", "../diff"])
        .current_dir(case.path("local"))
        .output()
        .unwrap();
    assert!(
        applied.status.success(),
        "{}{}",
        String::from_utf8_lossy(&applied.stderr),
        run.stdout
    );

    let merged = everything();
    merged.merge();
    assert_eq!(case.tree(), merged.tree());
}

#[test]
fn a_conflict_under_fail_writes_nothing() {
    let case = everything().arg(&["--on-conflict", "fail"]);
    let run = case.run_untouched();
    assert_eq!(run.status, 1);
    assert_prints(&run, "both-changed");
    assert!(run.stderr.contains("nothing was written"), "{}", run.stderr);
}

#[test]
fn without_a_conflict_fail_merges() {
    Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1 # mine\n")
        .arg(&["--on-conflict", "fail", "--sync"])
        .gives(&[("a.yaml", "a: 2 # mine\n")]);
}

/// Standard error names what a diff leaves out. `git apply` accepts the rest as a patch.
#[test]
fn a_diff_leaves_secrets_out_and_can_be_applied() {
    let secret = |value: &str| {
        // each file has its own name
        let name = value.trim_end_matches('+');
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\nstringData: {{key: {value}}}\n"
        )
    };
    let beside = |value: &str, data: &str| {
        format!(
            "{}---\n{}---\n{}",
            resource("a", data),
            secret(value),
            resource("b", data)
        )
    };
    let labelled = |label: &str, value: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    app: {label}\n  name: labelled\n\
             stringData:\n  key: {value}\n"
        )
    };
    let case = || {
        Case::of(
            "secret.yaml",
            &secret("hunter1"),
            &secret("hunter1+"),
            &secret("hunter1"),
        )
        .updated("added.yaml", &secret("hunter3"))
        .original("gone.yaml", &secret("hunter4"))
        .local("gone.yaml", &secret("hunter4"))
        .original("both.yaml", &beside("hunter5", "1"))
        .updated("both.yaml", &beside("hunter5+", "2"))
        .local("both.yaml", &beside("hunter5", "1"))
        .original("labelled.yaml", &labelled("old", "hunter6"))
        .updated("labelled.yaml", &labelled("new", "hunter6+"))
        .local("labelled.yaml", &labelled("old", "hunter6"))
        .original("plain.yaml", &resource("p", "1"))
        .updated("plain.yaml", &resource("p", "2"))
        .local("plain.yaml", &resource("p", "1"))
    };
    let case = case().arg(&["--diff"]);
    let run = case.run_untouched();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let printed = format!("{}{}", run.stdout, run.stderr);
    assert!(
        !printed.contains("key: ") && !printed.contains("hunter"),
        "{printed}"
    );
    let whole = |file: &str| {
        format!(
            "warning: {file} holds a Secret and is left out of the diff; --show-secrets shows it\n"
        )
    };
    let values = |file: &str| {
        format!(
            "warning: {file}: the values of its Secrets are left out of the diff; --show-secrets shows them\n"
        )
    };
    let (warnings, _) = run.stderr.split_at(run.stderr.rfind("warning: ").unwrap());
    let last = run.stderr[warnings.len()..].lines().next().unwrap();
    assert_eq!(
        format!("{warnings}{last}\n"),
        format!(
            "{}{}{}{}{}",
            whole("added.yaml"),
            values("both.yaml"),
            whole("gone.yaml"),
            values("labelled.yaml"),
            whole("secret.yaml")
        )
    );
    fs::write(case.path("diff"), &run.stdout).unwrap();
    let applied = Command::new("git")
        .args(["apply", "../diff"])
        .current_dir(case.path("local"))
        .output()
        .unwrap();
    assert!(applied.status.success(), "{applied:?}\n{}", run.stdout);
    assert_eq!(case.read("both.yaml").unwrap(), beside("hunter5", "2"));
    assert_eq!(
        case.read("labelled.yaml").unwrap(),
        labelled("new", "hunter6")
    );
    assert_eq!(case.read("plain.yaml").unwrap(), resource("p", "2"));
    assert_eq!(case.read("secret.yaml").unwrap(), secret("hunter1"));
    assert!(case.read("added.yaml").is_none() && case.read("gone.yaml").is_some());
}

#[test]
fn the_values_of_a_secret_are_not_printed() {
    let secret = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n  key: {value}\n"
        )
    };
    let run = Case::of(
        "s.yaml",
        &secret("old"),
        &secret("hunter2"),
        &secret("mine"),
    )
    .merge();
    assert!(
        run.stdout
            .contains("original (secret) | updated (secret) | local (secret) -> updated"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("hunter2"));
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let case = |threads: &str| {
        let mut case = everything().arg(&["--threads", threads, "-v"]);
        for number in 0..60 {
            let path = format!("many/{}.yaml", number % 20);
            let text = |field: &str| -> String {
                (0..3)
                    .map(|part| {
                        format!(
                            "---\n{}",
                            resource(&format!("r{}-{part}", number % 20), field)
                        )
                    })
                    .collect()
            };
            case = case
                .original(&path, &text("1"))
                .updated(&path, &text("2"))
                .local(&path, &text("3"));
        }
        let run = case.merge();
        (run.stdout, run.stderr, case.tree())
    };
    assert_eq!(case("1"), case("2"));
}

#[test]
fn only_what_changes_is_written() {
    let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1\n").all("b.yaml", "b: 1\n");
    let time = |path: &str| {
        fs::metadata(case.path("local").join(path))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = (time("a.yaml"), time("b.yaml"));
    std::thread::sleep(std::time::Duration::from_millis(20));
    case.merge();
    assert_ne!(time("a.yaml"), before.0);
    assert_eq!(time("b.yaml"), before.1);
}

#[test]
fn check_says_by_its_status_whether_anything_would_change() {
    let run = everything().arg(&["--check"]).run_untouched();
    assert_eq!(run.status, 1);
    assert_prints(&run, "changed a b.yaml\n");
    let same = resource("a", "1");
    let run = Case::of("a.yaml", &same, &same, &resource("a", "2"))
        .arg(&["--check"])
        .run_untouched();
    assert_eq!(run.status, 0);
    let run = everything().arg(&["--check", "--diff"]).run_untouched();
    assert_eq!(run.status, 1);
    assert!(run.stdout.starts_with("diff --git"));
}

#[test]
fn the_result_goes_where_output_says() {
    let merged = everything();
    merged.merge();
    let case = everything().all("same/kept.md", "# kept\n");
    let result_folder = case.path("result");
    let case = case.arg(&["--output", result_folder.to_str().unwrap()]);
    let run = case.run_untouched();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        fs::read_to_string(result_folder.join("same/kept.md")).unwrap(),
        "# kept\n"
    );
    for (path, content) in merged.tree() {
        assert_eq!(
            fs::read_to_string(result_folder.join(&path)).unwrap(),
            content,
            "{path}"
        );
    }
    assert!(
        !result_folder.join("gone.yaml").exists() && !result_folder.join("old name.yaml").exists()
    );
    // now the folder exists and has content
    case.fails_with(&["--output: ", "is not empty", "help:"]);
}

#[test]
fn output_into_the_package_is_refused() {
    let case = everything();
    let result_folder = case.path("local").join("result");
    let case = case.arg(&["--output", result_folder.to_str().unwrap()]);
    assert_eq!(case.run().status, 2);
}

/// Runs the merge on one file of each side.
fn files(arguments: &[&str]) -> std::process::Output {
    let case = Case::of("a.yaml", "a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 3\n");
    Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args([
            "--ancestor",
            "original/a.yaml",
            "--from",
            "updated/a.yaml",
            "--to",
            "local/a.yaml",
        ])
        .args(arguments)
        .current_dir(case.path(""))
        .output()
        .unwrap()
}

#[test]
fn one_file_is_printed() {
    let output = files(&["--output", "-"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a: 2\nb: 3\n");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("3 files read"));
    let run = everything().arg(&["--output", "-"]).run_untouched();
    assert_eq!(run.status, 2);
}

#[test]
fn a_diff_of_crlf_files_and_of_conflict_markers_applies() {
    let case = || {
        let crlf = |value: &str| resource("a", value).replace('\n', "\r\n");
        Case::of(
            "crlf.yaml",
            &crlf("1"),
            &crlf("2"),
            &format!("# ours\r\n{}", crlf("1")),
        )
        .original("m.yaml", "a: 1\nb: 1")
        .updated("m.yaml", "a: 2\nb: 1")
        .local("m.yaml", "a: 3\nb: 1")
        .arg(&["--on-conflict", "markers", "-L", "a", "-L", "b", "-L", "c"])
    };
    let merged = case();
    assert_eq!(merged.run().status, 1);
    let shown = case().arg(&["--diff"]);
    let run = shown.run_untouched();
    fs::write(shown.path("diff"), &run.stdout).unwrap();
    let applied = Command::new("git")
        .args(["apply", "../diff"])
        .current_dir(shown.path("local"))
        .status()
        .unwrap();
    assert!(applied.success(), "{}", run.stdout);
    assert_eq!(shown.tree(), merged.tree());
}

#[test]
fn explain_says_what_decided() {
    let case = everything()
        .original("p.yaml", "a: 1\nb: 1\nc: 1\nl: [{name: x, v: 1}]\n")
        .updated("p.yaml", "a: 2\nb: 2\nc: 1\nl: [{name: x, v: 2}]\n")
        .local(
            "p.yaml",
            "a: 3\nb: 1\nc: 3 # merge3: keep\nl: [{name: x, v: 5}] # merge3: keep\n",
        );
    let explain = |path: &str, policy: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command.arg("explain");
        command.args(case.command().get_args());
        command.args(["--on-conflict", policy, "p.yaml", path]);
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    assert_eq!(
        explain("a", "local"),
        (
            Some(0),
            "original: 1\nupdated: 2\nlocal: 3\nupstream: changed\nlocally: changed\n\
             rule: both sides changed a and do not agree: a conflict, both-changed; \
             the policy (--on-conflict) or the rule for this kind resolves it: local (rules: Conflicts)\nresult: 3\n"
                .to_owned()
        )
    );
    assert!(
        explain("b", "updated")
            .1
            .contains("only upstream changed it: its value is taken (rules: Scalars)\nresult: 2\n")
    );
    assert!(
        explain("c", "updated")
            .1
            .contains("upstream did not change it")
    );
    let pinned = explain("l[name=x].v", "updated").1;
    assert!(
        pinned.contains("a comment `# merge3: keep` at l holds") && pinned.ends_with("result: 5\n"),
        "{pinned}"
    );
    assert_eq!(explain("nowhere", "updated").0, Some(2));
    assert_eq!(explain("a[", "updated").0, Some(2));
}

#[test]
fn explain_finds_a_renamed_file_under_both_names() {
    let text = |a: u8, b: u8| format!("a: {a}\nb: {b}\nc: 1\nd: 1\ne: 1\nf: 1\n");
    let case = everything()
        .original("values.yaml", &text(1, 1))
        .updated("settings.yaml", &text(2, 1))
        .local("values.yaml", &text(1, 2));
    for file in ["values.yaml", "settings.yaml"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command.arg("explain").args(case.command().get_args());
        let output = command.args([file, "a"]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            printed.starts_with("original: 1\nupdated: 2\nlocal: 1\n")
                && printed.ends_with("result: 2\n"),
            "{file}: {printed}"
        );
    }
}

#[test]
fn explain_shows_where_a_side_is_not_yaml() {
    for side in ["original", "updated", "local"] {
        let case = Case::of("p.yaml", "a: 1\n", "a: 2\n", "a: 3\n");
        let case = case.file(side, "p.yaml", "a: 1\nb: [\n");
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command.arg("explain").args(case.command().get_args());
        let output = command.args(["p.yaml", "a"]).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()));
        let problem = format!("{side}/p.yaml is not valid YAML, so its values cannot be explained");
        assert!(errors.contains(&problem), "{errors}");
        assert!(errors.contains(&format!("{side}/p.yaml:3:1")), "{errors}");
    }
}

/// Returns what a shell command prints on a terminal, which `script` provides; `None` if `script`
/// is not installed.
fn on_terminal(line: &str, folder: &Path) -> Option<String> {
    if Command::new("script").arg("--version").output().is_err() {
        println!("skipped: script(1) is not installed");
        return None;
    }
    let output = Command::new("script")
        .args(["-qec", line, "/dev/null"])
        .env("TERM", "xterm")
        .current_dir(folder)
        .output()
        .unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A terminal must not obey a text that a diff shows, with colours or without.
#[test]
fn a_diff_on_a_terminal_has_control_characters_escaped() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("old", "a: 1\n"), ("new", "a: 1 # \u{9b}2J\n")] {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("a.yaml"), text).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_merge3");
    for command in ["diff old new", "--diff --ancestor old --from new --to old"] {
        for color in ["always", "never"] {
            let line = format!("'{program}' {command} --color {color}");
            let Some(shown) = on_terminal(&line, folder.path()) else {
                return;
            };
            assert!(shown.contains("+a: 1 # \\u{9b}2J"), "{line}: {shown}");
        }
    }
}

/// A long run shows a progress bar on a terminal, and nowhere else.
#[test]
fn a_long_run_shows_a_bar_on_a_terminal() {
    let mut case = Case::empty();
    for file in 0..1_500 {
        let side = |field: &str| -> String {
            let documents = (0..20).map(|index| resource(&format!("s{file}-{index}"), field));
            documents.collect::<Vec<_>>().join("---\n")
        };
        let path = format!("f{file}.yaml");
        case = case
            .original(&path, &side("1"))
            .updated(&path, &side("2"))
            .local(&path, &side("3"));
    }
    let case = case.arg(&["--dry-run", "--threads", "1"]);
    let command = case.command();
    let line = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ");
    let folder = command.get_current_dir().unwrap_or(Path::new("/"));
    let Some(shown) = on_terminal(&format!("{line} > /dev/null"), folder) else {
        return;
    };
    assert!(shown.contains("/1500"), "no bar:\n{shown}");
}
