//! Checks on real files that the spans and the gaps of a tree joined are the text of the file.
//!
//! `cargo run --example spans -- PATH...` reads these paths; without a path it reads the folder in
//! the environment variable REAL.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use merge3::yaml::{Tree, stream};

#[path = "../tests/support/spans.rs"]
mod spans;
#[path = "../tests/support/suite.rs"]
mod suite;

#[derive(Default)]
struct Counts {
    files: usize,
    documents: usize,
    no_yaml: usize,
    failures: usize,
}

fn main() -> ExitCode {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.extend(std::env::var_os("REAL").map(PathBuf::from));
    }
    if paths.is_empty() {
        println!("spans: skipped, no path given and REAL is not set");
        return ExitCode::SUCCESS;
    }
    let mut counts = Counts::default();
    for path in &paths {
        walk(path, &mut counts);
    }
    println!(
        "spans: {} files, {} documents, {} documents that are no YAML, {} failures",
        counts.files, counts.documents, counts.no_yaml, counts.failures
    );
    if counts.failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn walk(path: &Path, counts: &mut Counts) {
    for entry in walkdir::WalkDir::new(path)
        .sort_by_file_name()
        .into_iter()
        .flatten()
    {
        let is_yaml = entry.path().extension().is_some_and(|extension| {
            ["yaml", "yml", "json"]
                .iter()
                .any(|known| extension == *known)
        }) || entry.file_name() == "Kptfile";
        if !entry.file_type().is_file() || !is_yaml {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(entry.path()) else {
            println!("{}: not UTF-8", entry.path().display());
            continue;
        };
        counts.files += 1;
        check_file(entry.path(), &text, counts);
        if entry
            .path()
            .components()
            .any(|part| part.as_os_str() == "yaml-test-suite")
        {
            for case in suite::cases(&text) {
                check_case(entry.path(), &case, counts);
            }
        }
    }
}

fn check_file(path: &Path, text: &str, counts: &mut Counts) {
    let documents = stream::split(text);
    let chunks = documents.iter().map(|document| document.text);
    let joined: String = [stream::head(text)].into_iter().chain(chunks).collect();
    if joined != text {
        println!(
            "{}: the head and the chunks joined are not the file",
            path.display()
        );
        counts.failures += 1;
    }
    for document in documents {
        check_document(path, document.line, document.text, counts);
    }
}

fn check_document(path: &Path, line: usize, text: &str, counts: &mut Counts) {
    match Tree::parse(text) {
        Err(error) => {
            counts.no_yaml += 1;
            let line = line + text[..error.offset].lines().count();
            println!("{}:{line}: no YAML: {error}", path.display());
        }
        Ok(None) => {}
        Ok(Some(tree)) => {
            counts.documents += 1;
            if let Err(failure) = spans::check(&tree) {
                counts.failures += 1;
                println!("{}:{}: FAILED: {failure}", path.display(), line + 1);
            }
        }
    }
}

fn check_case(path: &Path, case: &suite::Case, counts: &mut Counts) {
    if case.invalid {
        return;
    }
    let parses = suite::parses(&case.yaml);
    for document in stream::split(&case.yaml) {
        match Tree::parse(document.text) {
            Ok(None) => {}
            Ok(Some(tree)) => {
                counts.documents += 1;
                if let Err(failure) = spans::check(&tree) {
                    counts.failures += 1;
                    println!("{}: FAILED: {failure}\n{}", path.display(), document.text);
                }
            }
            Err(error) => {
                let whose = if parses { "ours" } else { "the parser's" };
                println!(
                    "{} (line {}): {whose}: {error}",
                    path.display(),
                    document.line + 1
                );
                counts.no_yaml += 1;
            }
        }
    }
}
