//! Checks on real files and variations of them that the line reader and the parser read the same
//! tree.
//!
//! `cargo run --example readers -- PATH...` reads these paths; without a path it reads the folder
//! in the environment variable REAL. ROUNDS is the number of variations of each document and SEED
//! the seed of the random numbers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use merge3::yaml::stream;

#[allow(dead_code)] // this program uses one seed for all files
#[path = "../tests/support/mutate.rs"]
mod mutate;
#[path = "../tests/support/readers.rs"]
mod readers;
#[allow(dead_code)] // this program uses only the texts of the cases
#[path = "../tests/support/suite.rs"]
mod suite;

/// The maximum length of a text to vary. Of a longer document, only a part is varied.
const LONGEST: usize = 3_000;

#[derive(Default)]
struct Counts {
    texts: usize,
    by_lines: usize,
    bytes: usize,
    bytes_by_lines: usize,
    variations: usize,
    variations_by_lines: usize,
    failures: usize,
}

fn number(variable: &str, default: usize) -> usize {
    let value = std::env::var(variable).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn main() -> ExitCode {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.extend(std::env::var_os("REAL").map(PathBuf::from));
    }
    if paths.is_empty() {
        println!("readers: skipped, no path given and REAL is not set");
        return ExitCode::SUCCESS;
    }
    let mut counts = Counts::default();
    let mut random = mutate::numbers(number("SEED", 1));
    for path in &paths {
        walk(path, &mut counts, &mut random);
    }
    println!(
        "readers: {} documents ({} bytes), {} ({} bytes) read by lines; {} variations, {} by lines; {} failures",
        counts.texts,
        counts.bytes,
        counts.by_lines,
        counts.bytes_by_lines,
        counts.variations,
        counts.variations_by_lines,
        counts.failures
    );
    if counts.failures == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn walk(path: &Path, counts: &mut Counts, random: &mut impl FnMut() -> usize) {
    let files = walkdir::WalkDir::new(path).sort_by_file_name();
    for entry in files.into_iter().flatten() {
        let Ok(text) = std::fs::read_to_string(entry.path()) else {
            continue;
        };
        check_file(entry.path(), &text, counts, random);
        let mut folders = entry.path().components();
        if folders.any(|part| part.as_os_str() == "yaml-test-suite") {
            for case in suite::cases(&text) {
                check_file(entry.path(), &case.yaml, counts, random);
            }
        }
    }
}

fn check_file(path: &Path, text: &str, counts: &mut Counts, random: &mut impl FnMut() -> usize) {
    for document in stream::split(text) {
        let text = document.text;
        let by_lines = check(path, text, counts);
        counts.texts += 1;
        counts.bytes += text.len();
        counts.by_lines += usize::from(by_lines);
        counts.bytes_by_lines += if by_lines { text.len() } else { 0 };
        for round in 0..number("ROUNDS", 10) {
            let part = part(text, random);
            let varied = mutate::mutate(part, 1 + round % 4, &mut *random);
            counts.variations += 1;
            counts.variations_by_lines += usize::from(check(path, &varied, counts));
        }
    }
}

fn check(path: &Path, text: &str, counts: &mut Counts) -> bool {
    readers::agree(text).unwrap_or_else(|failure| {
        println!("{}: FAILED: {failure}", path.display());
        counts.failures += 1;
        true
    })
}

/// Returns some lines of a long text, starting at the beginning of a line.
fn part<'a>(text: &'a str, random: &mut impl FnMut() -> usize) -> &'a str {
    if text.len() <= LONGEST {
        return text;
    }
    let from = mutate::boundary(text, random() % (text.len() - LONGEST));
    let text = text[from..].split_once('\n').map_or("", |(_, rest)| rest);
    &text[..mutate::boundary(text, LONGEST.min(text.len()))]
}
