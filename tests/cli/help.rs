//! Tests the documentation in the program: help, completions, manual pages, docs/command-line.md.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use pretty_assertions::assert_eq;

const PAGE: &str = "docs/command-line.md";
const INTRODUCTION: &str = "\
# The command line

<!-- written by `UPDATE=1 cargo test --test cli help`: change the texts in src/cli -->

This is what `merge3 help COMMAND` prints. `merge3 COMMAND -h` prints less.
[Exit statuses](exit-status.md) has those of all commands in one table.
";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args(arguments)
        .env("COLUMNS", "80")
        .output()
        .unwrap()
}

/// Returns the standard output of a run that succeeds.
#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns all commands that `merge3 help` lists, subcommands after their parent.
fn commands() -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while let Some(command) = all.get(at).cloned() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = printed(&[&["help"], &words[..]].concat());
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        let listed = listed.lines().take_while(|line| !line.is_empty());
        let names = listed.filter_map(|line| {
            let name = line.strip_prefix("  ")?.split(' ').next()?;
            (!name.is_empty() && name != "help").then(|| name.to_owned())
        });
        let below: Vec<_> = names.map(|name| [&command[..], &[name]].concat()).collect();
        all.splice(at + 1..=at, below);
        at += 1;
    }
    all
}

#[test]
fn help_is_what_the_reference_says() {
    let mut page = INTRODUCTION.to_owned();
    for command in commands() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = printed(&[&["help"], &words[..]].concat());
        assert_eq!(printed(&[&words[..], &["--help"]].concat()), help);
        let name = [&["merge3"], &words[..]].concat().join(" ");
        page += &format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "UPDATE=1 writes {PAGE} anew");
}

#[test]
fn short_help_fits_a_screen() {
    for command in commands() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let help = printed(&[&words[..], &["-h"]].concat());
        let width = help.lines().map(|line| line.chars().count()).max();
        assert!(width <= Some(80), "{command:?}: {width:?}\n{help}");
        assert!(help.lines().count() <= 40, "{command:?}\n{help}");
    }
}

#[test]
fn without_arguments_the_program_describes_itself() {
    assert_eq!(printed(&[]), printed(&["-h"]));
    let help = printed(&["-h"]);
    for listed in ["completions", "man", "cache", "help"] {
        assert!(help.contains(&format!("\n  {listed} ")), "{listed}: {help}");
    }
}

#[test]
fn explain_has_no_options_of_a_merge_that_writes() {
    let help = printed(&["help", "explain"]);
    for option in [
        "--dry-run",
        "--check",
        "--diff",
        "--output",
        "--sync",
        "--report",
    ] {
        assert!(!help.contains(option), "{option}: {help}");
        assert_eq!(run(&["explain", option]).status.code(), Some(2));
    }
}

#[test]
fn commands_that_change_files_have_examples_and_statuses() {
    for command in ["apply", "patch", "diff", "explain", "solve"] {
        let help = printed(&[command, "-h"]);
        assert!(
            help.contains("Example") && help.contains("Exit status:"),
            "{help}"
        );
    }
    assert!(printed(&["--help"]).contains("Examples:"));
}

#[test]
fn wrong_arguments_show_the_usage_of_their_command() {
    for command in ["upgrade", "outdated"] {
        let output = run(&[command, "--shard", "3/2"]);
        assert_eq!(output.status.code(), Some(2));
    }
    let output = run(&["upgrade"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.contains("Usage: merge3 upgrade [OPTIONS] [PACKAGE]..."),
        "{stderr}"
    );
    assert!(!stderr.contains("--ancestor"), "{stderr}");
}

#[test]
fn an_error_without_a_line_has_no_frame() {
    let output = run(&["--ancestor", "none", "--from", "none", "--to", "none"]);
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: --ancestor: none does not exist\nhelp: check the path given to --ancestor\n"
    );
}

#[test]
fn completions_end_quietly_on_a_closed_pipe() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            printed(&["completions", shell]).contains("on-conflict"),
            "{shell}"
        );
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_merge3"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}

#[test]
fn manual_pages_have_the_text_of_every_option() {
    let folder = tempfile::tempdir().unwrap();
    printed(&["man", "--all", folder.path().to_str().unwrap()]);
    let mut pages = BTreeSet::new();
    for page in fs::read_dir(folder.path()).unwrap() {
        let page = page.unwrap();
        pages.insert(page.file_name().into_string().unwrap());
        let text = fs::read_to_string(page.path()).unwrap();
        let options = text.split(".SH OPTIONS").nth(1).unwrap_or_default();
        let options = options.split("\n.SH ").next().unwrap_or_default();
        for option in options.split("\n.TP\n").skip(1) {
            let (name, meaning) = option.split_once('\n').unwrap();
            assert!(!meaning.trim().is_empty(), "{:?}: {name}", page.path());
        }
    }
    let page =
        |command: &Vec<String>| [&["merge3".to_owned()], &command[..]].concat().join("-") + ".1";
    assert_eq!(pages, commands().iter().map(page).collect());
    assert!(printed(&["man", "git", "install"]).contains("For all of your repositories"));
    // the page explains each value of an option
    assert!(printed(&["man"]).contains("both sides are put between conflict markers"));
    assert_eq!(run(&["man", "nothing"]).status.code(), Some(2));
}
