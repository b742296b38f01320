//! The guide, followed word by word in an empty folder: every block of `sh` in it is run, one after the other.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{Ran, Workshop, merge3};

const GUIDE: &str = include_str!("../../docs/upgrade-bot.md");

/// The blocks of a kind, in order, as one script.
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

#[test]
fn the_guide_works_word_by_word() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path("empty")).unwrap();
    fs::create_dir(workshop.path("bin")).unwrap();
    fs::hard_link(merge3(), workshop.path("bin/merge3"))
        .or_else(|_| fs::copy(merge3(), workshop.path("bin/merge3")).map(|_| ()))
        .unwrap();
    let script = blocks(GUIDE, "sh").join("\n");
    assert!(
        script.contains("merge3 get ") && script.contains("merge3 upgrade --all "),
        "{script}"
    );
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(workshop.path("bin")).chain(std::env::split_paths(&paths)),
    )
    .unwrap();
    let output = workshop.isolated(
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .env("PATH", path)
            .current_dir(workshop.path("empty")),
    );
    let ran = Ran::from(output).with(0);
    // what the guide says that is printed is printed
    for told in blocks(GUIDE, "text") {
        for line in told.lines().filter(|line| !line.trim().is_empty()) {
            assert!(
                ran.stdout.contains(line),
                "'{line}' is not in:\n{}\n{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}

/// The workflow, the pipeline and the action that the guide shows are the files that are there, and YAML.
#[test]
fn what_the_guide_shows_for_others_is_yaml() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let action = fs::read_to_string(root.join("action.yml")).unwrap();
    let mut texts = blocks(GUIDE, "yaml");
    assert_eq!(texts.len(), 3, "GitHub, GitLab, Kubernetes");
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
