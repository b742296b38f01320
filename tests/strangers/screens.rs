//! Untrusted names, values and commit subjects that a terminal or a CI service would obey.

use std::fs;
use std::process::Command;

use crate::harness::{Workshop, merge3, web};
use crate::run_output::RunOutput;

/// An escape sequence, a line break, commands for GitHub's runner, right-to-left text, a C1
/// control, a tag.
const HOSTILE: &str = "a\u{1b}]0;owned\u{7}\n::error::forged\r::add-mask::x\n  ::stop-commands::y\u{202e}gpj\u{9b}31m##[error]z\u{2028}::warning::w\u{e0041}";

/// Returns the text as a scalar in double quotes.
fn scalar(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match u32::from(c) {
            0x20..0x7f => quoted.push(c),
            code => quoted.push_str(&format!("\\U{code:08x}")),
        }
    }
    quoted + "\""
}

/// Asserts that the output has nothing that a terminal or a runner obeys.
#[track_caller]
fn assert_harmless(what: &str, text: &str) {
    let is_obeyed = |c: char| {
        let is_turning = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && c != '\n') || is_turning || matches!(c, '\u{e0000}'..='\u{e007f}')
    };
    assert!(!text.contains(is_obeyed), "{what}: {text:?}");
    assert!(!text.contains("##["), "{what}: {text}");
    let mut lines = text.lines().map(str::trim_start);
    // `::: ` marks the second file of an error, which is not a command for any runner
    let is_command = |line: &str| line.starts_with("::") && !line.starts_with("::: ");
    assert!(!lines.any(is_command), "{what}: {text}");
}

#[track_caller]
fn assert_shown_harmlessly(what: &str, run: &RunOutput) {
    assert_harmless(what, &run.stdout);
    assert_harmless(what, &run.stderr);
    assert!(
        format!("{}{}", run.stdout, run.stderr).contains("forged"),
        "{what}: {run:?}"
    );
}

/// Returns a resource with a hostile name, key and value.
fn resource(value: &str) -> String {
    let hostile = scalar(HOSTILE);
    let value = scalar(&format!("{HOSTILE}{value}"));
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {hostile}\ndata:\n  {hostile}: {value}\n"
    )
}

/// Returns a hostile file name. It has no slash and is not too long.
fn file_name() -> String {
    format!("{HOSTILE}.yaml")
}

const SIDES: [&str; 6] = ["--ancestor", "old", "--from", "new", "--to", "local"];

fn sides(text: impl Fn(&str) -> String) -> Workshop {
    let workshop = Workshop::new();
    for side in ["old", "new", "local"] {
        workshop.write(&format!("{side}/{}", file_name()), &text(side));
    }
    workshop
}

#[test]
fn conflicts_are_shown_without_control_characters() {
    for form in [
        &["-v"][..],
        &["--dry-run"],
        &["--report", "json"],
        &["--report", "markdown"],
        &["--report", "html"],
        &["--on-conflict", "fail"],
    ] {
        let workshop = sides(resource);
        let run = workshop.merge3_in(".", &[&SIDES[..], form].concat());
        assert!(run.stdout.contains("both-changed"), "{run:?}");
        assert_shown_harmlessly(&format!("{form:?}"), &run);
    }
}

#[test]
fn errors_are_shown_without_control_characters() {
    let hostile = scalar(HOSTILE);
    let broken =
        |side: &str| format!("a: {side}\n# \u{1b}[31m \u{202e}x ##[error]y\nb: [{hostile}\n");
    let twice = |side: &str| format!("{}---\n{}", resource(side), resource("x"));
    let explained = [
        "explain",
        "--ancestor",
        "old",
        "--from",
        "new",
        "--to",
        "local",
    ];
    let name = file_name();
    let explain = [&explained[..], &[&name, "data"]].concat();
    type Text<'t> = &'t dyn Fn(&str) -> String;
    let texts: [(&str, Text<'_>, &[&str]); 3] = [
        ("broken", &broken, &SIDES),
        ("twice", &twice, &SIDES),
        ("explain", &resource, &explain),
    ];
    for (what, text, arguments) in texts {
        let run = sides(text).merge3_in(".", arguments);
        assert_shown_harmlessly(what, &run);
    }
}

#[test]
fn rules_and_records_are_shown_without_control_characters() {
    let hostile = scalar(HOSTILE);
    for text in [
        format!("rules:\n- {hostile}: 1\n"),
        format!("rules:\n- path: a\n  take: {hostile}\n"),
    ] {
        let workshop = sides(|side| format!("a: {side}\n"));
        workshop.write("local/.merge3.yaml", &text);
        assert_shown_harmlessly(&text, &workshop.merge3_in(".", &SIDES).exits(2));
    }
    let workshop = Workshop::with_app();
    let record = workshop.read("fleet/app/.merge3.yaml");
    for (from, to) in [
        ("ref: v1.0.0", format!("ref: {hostile}")),
        ("directory: app", format!("directory: {hostile}")),
    ] {
        workshop.write("fleet/app/.merge3.yaml", &record.replace(from, &to));
        for arguments in [
            &["upgrade", "app"][..],
            &["outdated"],
            &["outdated", "--report", "json"],
        ] {
            let run = workshop.merge3(arguments);
            assert_harmless(&to, &run.stdout);
            assert_harmless(&to, &run.stderr);
        }
    }
}

#[test]
fn upgrades_are_shown_and_committed_without_control_characters() {
    let subject = HOSTILE.replace(['\n', '\r'], " ");
    for report in ["text", "json", "markdown", "html"] {
        let workshop = Workshop::new();
        workshop.release(
            "v1.0.0",
            &[
                ("app/web.yaml", &web("1.0", 1)),
                ("app/c.yaml", &resource("old")),
            ],
        );
        workshop.get("app@v1.0.0", "app");
        workshop.write("fleet/app/c.yaml", &resource("local"));
        workshop.save("ours");
        workshop.write("upstream/app/web.yaml", &web("1.1", 1));
        workshop.write("upstream/app/c.yaml", &resource("new"));
        workshop.git("upstream", &["add", "-A"]);
        let author = format!("--author=\u{1b}[31m{}forged <a@example.org>", '\u{202e}');
        workshop.git("upstream", &["commit", "-q", &author, "-m", &subject]);
        workshop.git("upstream", &["tag", "v1.1.0"]);
        workshop.git("upstream", &["push", "-q", "--tags", "origin", "main"]);
        let run = workshop.merge3(&["upgrade", "--all", "-v", "--commit", "--report", report]);
        assert_eq!(run.status, 0, "{run:?}");
        assert_shown_harmlessly(report, &run);
        let message = workshop.git("fleet", &["log", "-1", "--format=%B"]);
        assert!(message.contains("forged"), "{message}");
        assert_harmless("commit", &message);
    }
}

/// Runs the script of the action with a merge3 that reports hostile packages.
#[test]
fn the_action_forges_no_commands() {
    if Command::new("jq").arg("--version").output().is_err() {
        println!("jq is not installed: skipped the action");
        return;
    }
    let workshop = Workshop::new();
    let action = fs::read_to_string("action.yml").unwrap();
    let script = action.split("      run: |\n").nth(2).unwrap();
    let script: String = script
        .lines()
        .map(|line| line.trim_start_matches("        ").to_owned() + "\n")
        .collect();
    let report = serde_json::json!({
        "version": 1,
        "outdated": [{"package": HOSTILE}],
        "up_to_date": [],
        "failed": [{"package": HOSTILE, "message": format!("{HOSTILE} 100%0A::error::b")}],
    });
    workshop.write(
        "bin/merge3",
        &format!("#!/bin/sh\ncat <<'EOF'\n{report}\nEOF\n"),
    );
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(workshop.path("bin/merge3"), executable).unwrap();
    let path = format!(
        "{}:{}",
        workshop.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = Command::new("bash");
    command
        .args(["-c", &script])
        .current_dir(workshop.path("fleet"));
    command.env("PATH", path).env("ARGUMENTS", "");
    command.env("RUNNER_TEMP", workshop.path("."));
    command.env("GITHUB_OUTPUT", workshop.path("output"));
    let run = RunOutput::from(workshop.isolated(&mut command)).exits(0);
    let mut lines = run
        .stdout
        .split(['\n', '\r', '\u{2028}'])
        .filter(|line| !line.is_empty());
    let line = lines.next().unwrap();
    let message = line
        .strip_prefix("::warning title=merge3 outdated::")
        .unwrap();
    assert_harmless("action", &format!("x{message}"));
    assert!(!message.contains("%0A"), "{message}");
    assert_eq!(lines.next(), None, "{run:?}");
    let output = workshop.read("output");
    let names: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    assert_eq!(names, ["report", "packages", "count", "failed"], "{output}");
    assert!(merge3().ends_with("merge3"));
}
