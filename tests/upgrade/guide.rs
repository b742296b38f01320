//! Follows the guide word by word in an empty folder: runs every block of `sh` in it, one after the
//! other.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{RunOutput, Workshop, merge3};

const GUIDE: &str = include_str!("../../docs/upgrade-bot.md");

/// Returns the blocks of a kind, in order.
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &mut open {
            Some(block) if line == "```" => blocks.push(std::mem::take(block)),
            Some(block) => {
                block.push_str(line);
                block.push('\n');
                continue;
            }
            None => {
                if line == format!("```{kind}") {
                    open = Some(String::new());
                }
                continue;
            }
        }
        open = None;
    }
    blocks
}

/// Returns a search path that starts with the program's folder.
pub(crate) fn with_the_program(workshop: &Workshop) -> OsString {
    let bin = workshop.path("bin");
    if fs::create_dir(&bin).is_ok() {
        fs::hard_link(merge3(), bin.join("merge3"))
            .or_else(|_| fs::copy(merge3(), bin.join("merge3")).map(|_| ()))
            .unwrap();
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&paths))).unwrap()
}

#[test]
fn the_guide_works_word_by_word() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("empty")).unwrap();
    let script = blocks(GUIDE, "sh").join("\n");
    assert!(
        script.contains("merge3 get ") && script.contains("merge3 upgrade --all "),
        "{script}"
    );
    let output = workshop.isolated(
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .env("PATH", with_the_program(&workshop))
            .current_dir(workshop.path("empty")),
    );
    let result = RunOutput::from(output).exits(0);
    // the output has what the guide says
    for block in blocks(GUIDE, "text") {
        for line in block.lines().filter(|line| !line.trim().is_empty()) {
            assert!(
                result.stdout.contains(line),
                "'{line}' is not in:\n{}\n{}",
                result.stdout,
                result.stderr
            );
        }
    }
}

/// The workflow, the pipeline and the action in the guide are those in the repository, and valid
/// YAML.
#[test]
fn what_the_guide_shows_for_others_is_yaml() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("action.yml")).unwrap();
    let mut texts = blocks(GUIDE, "yaml");
    assert_eq!(texts.len(), 1, "Kubernetes");
    texts.push(action);
    for text in texts {
        for document in merge3::yaml::stream::split(&text) {
            assert!(
                merge3::yaml::Tree::parse(document.text).unwrap().is_some(),
                "{text}"
            );
        }
    }
}

/// Returns the script of the step with this id in the action.
fn step(id: &str) -> String {
    let action = include_str!("../../action.yml");
    let (_, step) = action.split_once(&format!("id: {id}\n")).unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    let lines = script
        .lines()
        .take_while(|line| line.starts_with("        "));
    lines.map(|line| format!("{}\n", &line[8..])).collect()
}

/// Checks what the action passes to the next step if one package is unreachable. It needs jq, as on
/// GitHub's machines.
#[test]
fn the_action_reports_what_is_outdated() {
    if Command::new("jq").arg("--version").output().is_err() {
        eprintln!("jq is not installed: skipped the action");
        return;
    }
    let workshop = Workshop::with_app();
    workshop.get("app@v1.1.0", "new");
    workshop.get("app@v1.0.0", "lost");
    workshop.edit("fleet/lost/.merge3.yaml", "upstream.git", "nowhere.git");
    let (temporary, path) = (workshop.path("home"), with_the_program(&workshop));
    let run = |arguments: &str| {
        let outputs = temporary.join("outputs");
        fs::write(&outputs, "").unwrap();
        let output = workshop.isolated(
            Command::new("bash")
                .args(["-c", &step("outdated")])
                .env("PATH", &path)
                .env("ARGUMENTS", arguments)
                .env("RUNNER_TEMP", &temporary)
                .env("GITHUB_OUTPUT", &outputs)
                .current_dir(workshop.path("fleet")),
        );
        (
            RunOutput::from(output),
            fs::read_to_string(outputs).unwrap(),
        )
    };
    let (result, outputs) = run("");
    let result = result.exits(0);
    assert!(
        result
            .stdout
            .starts_with("::warning title=merge3 outdated::lost: file://"),
        "{}",
        result.stdout
    );
    assert!(outputs.starts_with("report={\"version\":1,"), "{outputs}");
    assert!(
        outputs.ends_with("\npackages=[\"app\"]\ncount=1\nfailed=1\n"),
        "{outputs}"
    );
    let (_, outputs) = run("--within patch");
    assert!(outputs.contains("\npackages=[]\ncount=0\n"), "{outputs}");
    // invalid arguments end the step
    let (result, outputs) = run("--no-such-option");
    result.exits(2);
    assert_eq!(outputs, "");
}
