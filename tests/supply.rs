//! Checks the parts of the program: licences, sources of crates, no unsafe code. It needs no
//! network. `cargo deny check` (deny.toml) checks more, if it is installed.
#![allow(clippy::unwrap_used)] // a failing helper fails the test

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The accepted licences. A crate must offer one of them.
const LICENCES: [&str; 12] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "CC0-1.0",
];

/// Returns the crates that this system needs. Crates for other systems may be missing on this
/// machine.
fn packages() -> Vec<Value> {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let versions = String::from_utf8(rustc.stdout).unwrap();
    let host = versions
        .lines()
        .find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--filter-platform", host.unwrap()])
        .arg("--manifest-path")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether the accepted licences satisfy a licence expression.
fn is_met(expression: &str) -> bool {
    let whole = expression.replace('/', " OR ");
    let (open, closed) = (whole.replace(['(', ')'], ""), whole.contains('('));
    if closed && open.contains(" AND ") {
        // (A OR B) AND C
        return whole
            .split(" AND ")
            .all(|part| is_met(part.trim_matches(['(', ')'])));
    }
    open.split(" OR ").any(|choice| {
        choice
            .split(" AND ")
            .all(|it| LICENCES.contains(&it.trim()))
    })
}

#[test]
fn every_crate_may_be_used() {
    let packages = packages();
    assert!(packages.len() > 20, "{}", packages.len());
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_met(licence), "{name} is under '{licence}'");
    }
}

#[test]
fn licence_expressions_are_read() {
    for fine in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(is_met(fine), "{fine}");
    }
    for not in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND GPL-3.0",
    ] {
        assert!(!is_met(not), "{not}");
    }
}

#[test]
fn every_crate_comes_from_the_registry_with_its_checksum() {
    let lock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    let mut seen = 0;
    for package in lock.split("[[package]]").skip(1) {
        if package.contains("name = \"kmerge3\"") {
            continue;
        }
        seen += 1;
        let source = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        assert!(
            package.contains(source) && package.contains("checksum = \""),
            "{package}"
        );
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn no_code_is_unsafe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["src/lib.rs", "src/main.rs"] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{file}");
    }
    assert!(
        fs::read_to_string(root.join("Cargo.toml"))
            .unwrap()
            .contains("unsafe_code = \"forbid\"")
    );
    let word = concat!("unsafe", " ");
    for (path, text) in sources() {
        assert!(!text.contains(word), "{}", path.display());
    }
}

/// All calls of git go through one function, which sets the options that every call needs.
#[test]
fn processes_are_started_in_one_place() {
    let starts = sources().into_iter().filter(|(_, text)| {
        text.contains("process::{Command") || text.contains("process::Command")
    });
    let files: Vec<String> = starts.map(|(path, _)| path.display().to_string()).collect();
    assert!(!files.is_empty());
    let elsewhere: Vec<&String> = files
        .iter()
        .filter(|path| !path.contains("git_process"))
        .collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

/// Returns the files below `src` with their content.
fn sources() -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                sources.push((path, text));
            }
        }
    }
    sources
}

#[test]
fn the_rules_that_code_cites_are_headings_of_their_page() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md")).unwrap();
    let headings: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| line.trim_start_matches(['#', ' ']))
        .collect();
    let mut cited = 0;
    for (path, text) in sources() {
        let text: String = text
            .lines()
            .map(|line| line.trim_start().trim_start_matches(['/', '!']))
            .collect::<Vec<_>>()
            .join("");
        for citation in text.split("rules: ").skip(1) {
            let Some((names, _)) = citation.split_once(')') else {
                continue;
            };
            let is_prose = |it: char| it.is_alphanumeric() || matches!(it, ' ' | ',');
            if !names.chars().all(is_prose) {
                continue; // a struct field named `rules`
            }
            for name in names.split(", ") {
                let is_law = name.starts_with("law ");
                assert!(
                    is_law || headings.contains(&name),
                    "{}: {name}",
                    path.display()
                );
                cited += 1;
            }
        }
    }
    assert!(cited > 50, "{cited}");
}
