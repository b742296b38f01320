//! Tests the pages in docs: runs their commands as they are written, and checks their links.
//!
//! The `sh` blocks of a page run one after the other in an empty folder with an empty home. A
//! `text` block right below one is its expected output. `<!-- exit status 1 -->` above one is the
//! expected status of its last command. tests/upgrade runs docs/upgrade-bot.md.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a failing helper fails the test

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pretty_assertions::assert_eq;

#[path = "../support/path.rs"]
mod path;

const ELSEWHERE: [&str; 1] = ["upgrade-bot.md"];
/// The line that separates the outputs of two blocks.
const SEPARATOR: &str = "---- the next block ----";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// Returns the names of all pages.
fn pages() -> Vec<String> {
    let files = fs::read_dir(docs()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names
}

/// A block of commands in a page.
struct Block {
    commands: String,
    status: i32,
    /// The range of lines with the expected output, if the page has one. The end is exclusive.
    printed: Option<(usize, usize)>,
}

fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut at = 0;
    let end_of = |at: usize| at + 1 + lines[at + 1..].iter().position(|it| *it == "```").unwrap();
    while at < lines.len() {
        if lines[at] == "```sh" {
            let end = end_of(at);
            let comment = lines[..at].iter().rev().find(|line| !line.is_empty());
            let status = comment.and_then(|line| {
                let status = line.strip_prefix("<!-- exit status ")?;
                status.strip_suffix(" -->")?.parse().ok()
            });
            let text = lines.get(end + 1..end + 3) == Some(&["", "```text"][..]);
            blocks.push(Block {
                commands: lines[at + 1..end].join("\n"),
                status: status.unwrap_or(0),
                printed: text.then(|| (end + 3, end_of(end + 2))),
            });
            at = end;
        }
        at += 1;
    }
    blocks
}

/// Returns the output of each block.
fn run(name: &str, blocks: &[Block]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (home, empty) = (folder.path().join("home"), folder.path().join("home/empty"));
    fs::create_dir_all(&empty).unwrap();
    let mut script = String::new();
    for Block {
        commands, status, ..
    } in blocks
    {
        script += &match status {
            0 => format!("set -e\n{commands}\necho '{SEPARATOR}'\n"),
            _ => format!("set +e\n{commands}\n[ $? = {status} ] || exit 99\necho '{SEPARATOR}'\n"),
        };
    }
    let mut command = Command::new("bash");
    let program = Path::new(env!("CARGO_BIN_EXE_merge3"));
    let output = path::isolate(&mut command, &home, program)
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(&empty)
        .env_remove("XDG_CACHE_HOME")
        .env_remove("XDG_STATE_HOME")
        .env_remove("EMAIL")
        .env_remove("GIT_AUTHOR_NAME")
        .env_remove("GIT_AUTHOR_EMAIL")
        .env_remove("GIT_COMMITTER_NAME")
        .env_remove("GIT_COMMITTER_EMAIL")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name} fails after:\n{printed}");
    let here = folder.path().canonicalize().unwrap();
    let printed = printed.replace(here.to_str().unwrap(), "");
    let cut = format!("{SEPARATOR}\n");
    printed.split_terminator(&cut).map(str::to_owned).collect()
}

#[test]
fn commands_run_as_they_are_written() {
    let update = std::env::var_os("UPDATE").is_some();
    for name in pages()
        .iter()
        .filter(|name| !ELSEWHERE.contains(&name.as_str()))
    {
        let page = fs::read_to_string(docs().join(name)).unwrap();
        let lines: Vec<&str> = page.lines().collect();
        let blocks = blocks(&lines);
        if blocks.is_empty() {
            continue;
        }
        let mut actual = String::new();
        let mut at = 0;
        for (block, printed) in blocks.iter().zip(run(name, &blocks)) {
            let Some((start, end)) = block.printed else {
                continue;
            };
            for line in &lines[at..start] {
                actual += &format!("{line}\n");
            }
            // removes trailing blanks, which git prints in places and pages do not have
            for line in printed.trim_end().lines() {
                actual += &format!("{}\n", line.trim_end());
            }
            at = end;
        }
        for line in &lines[at..] {
            actual += &format!("{line}\n");
        }
        if update {
            fs::write(docs().join(name), &actual).unwrap();
        } else {
            assert_eq!(page, actual, "UPDATE=1 writes docs/{name} again");
        }
    }
}

/// Returns the targets of all links in a text, without links to other sites.
fn links(text: &str) -> Vec<String> {
    let parser = pulldown_cmark::Parser::new(text);
    let targets = parser.filter_map(|event| match event {
        pulldown_cmark::Event::Start(
            pulldown_cmark::Tag::Link { dest_url, .. }
            | pulldown_cmark::Tag::Image { dest_url, .. },
        ) => Some(dest_url.to_string()),
        _ => None,
    });
    targets.filter(|target| !target.contains(':')).collect()
}

/// Returns the anchors of the headings of a page, as mdBook and GitHub create them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_somewhere() {
    let root = docs().join("..");
    let others = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root.join(name));
    let pages = pages().into_iter().map(|name| docs().join(name));
    for page in pages.chain(others) {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                assert!(
                    anchors(&text).contains(anchor),
                    "{}: {link}",
                    page.display()
                );
            }
        }
    }
}

/// Returns the names of the functions and modules in the Rust files of a folder.
fn names_in(folder: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = walkdir::WalkDir::new(root).into_iter().map(Result::unwrap);
    let files = files.filter(|file| file.path().extension().is_some_and(|it| it == "rs"));
    let mut names = BTreeSet::new();
    for file in files {
        names.insert(
            file.path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned(),
        );
        let text = fs::read_to_string(file.path()).unwrap();
        let functions = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("fn "));
        names.extend(functions.filter_map(|it| Some(it.split_once('(')?.0.to_owned())));
    }
    names
}

/// Whether a page means a test by a name: `module::begin_...`, where `...` stands for anything.
fn is_name_of(cited: &str, name: &str) -> bool {
    let cited = cited.rsplit("::").next().unwrap_or(cited);
    let mut parts = cited.split("...");
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else {
        return false;
    };
    for part in parts {
        let Some(at) = rest.rfind(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || cited.ends_with("...")
}

#[test]
fn the_tests_that_show_a_promise_exist() {
    let page = fs::read_to_string(docs().join("reliability.md")).unwrap();
    let names = names_in("tests");
    let is_name = |span: &&str| {
        let is_allowed =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:.".contains(c);
        span.contains('_') && span.chars().all(is_allowed)
    };
    let cells = page.lines().filter(|line| line.starts_with('|'));
    let spans = cells.flat_map(|row| row.split('`').skip(1).step_by(2));
    let cited: Vec<&str> = spans.filter(is_name).collect();
    assert!(cited.len() > 30, "{cited:?}");
    for cited in cited {
        let exists = names.iter().any(|name| is_name_of(cited, name));
        assert!(exists, "docs/reliability.md: there is no test {cited}");
    }
}

#[test]
fn the_book_has_every_page_once() {
    let mut linked = links(&fs::read_to_string(docs().join("SUMMARY.md")).unwrap());
    linked.sort();
    let expected: Vec<String> = pages()
        .into_iter()
        .filter(|it| it != "SUMMARY.md")
        .collect();
    assert_eq!(linked, expected);
}

#[test]
fn the_readme_fits_and_has_the_commands_for_a_fresh_machine() {
    let readme = fs::read_to_string(docs().join("../README.md")).unwrap();
    assert!(readme.lines().count() <= 150, "{}", readme.lines().count());
    for command in ["\nmake demo ", "\nmake test "] {
        assert!(readme.contains(command), "{command}");
    }
}

#[test]
fn the_picture_is_what_the_program_prints() {
    let drawn = Command::new("python3")
        .arg(docs().join("demo.py"))
        .args(["--check", "--bin", env!("CARGO_BIN_EXE_merge3")])
        .output();
    match drawn {
        Err(_) => println!("skipped: python3 is not installed"),
        Ok(drawn) => assert!(drawn.status.success(), "{drawn:?}"),
    }
}
