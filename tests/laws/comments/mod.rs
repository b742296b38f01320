//! The laws of text, on texts with comments everywhere: pieces that one side left alone (law 2),
//! what git merges (law 8), and where comments are afterwards (law 9).

mod disturb;
mod disturbed;
mod pieces;
mod stay;
mod survey;
pub mod with_git;

use crate::drive::{Ran, Told, run_files};
use crate::shown::part;
use crate::value::{Value, load};
use merge3::merge::Options;
use merge3::triple::Triple;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A merge of files that are no resources, with the default options.
fn told() -> Told {
    Told {
        resource: false,
        options: Options::default(),
    }
}

fn merged(texts: &Triple<String>) -> Result<Ran, TestCaseError> {
    run_files(texts.as_ref().map(String::as_str), &told())
}

fn value(text: &str) -> Result<Value, TestCaseError> {
    match load::document(text) {
        Ok(value) => Ok(value.unwrap_or(Value::Null)),
        Err(error) => Err(TestCaseError::fail(format!("{error} in\n{text}"))),
    }
}

/// A failure that shows the texts that were compared; the case itself is shown by what runs it.
fn fails(what: &str, texts: &[(&str, &str)]) -> TestCaseError {
    let texts: String = texts.iter().map(|(name, text)| part(name, text)).collect();
    TestCaseError::fail(format!("{what}\n{texts}"))
}

/// The comment of a line, on a line of its own or behind a value; no `#` is in a value here.
fn comment(line: &str) -> Option<&str> {
    let comment = line[line.find('#')?..].trim_end();
    comment.contains(char::is_alphanumeric).then_some(comment)
}

/// How often each comment is in a text. Lines that frame a banner do not count.
fn comments(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for comment in text.lines().filter_map(comment) {
        *counts.entry(comment).or_default() += 1;
    }
    counts
}

/// The words of a line with content, up to its value; none of a comment or a blank line.
fn entry(line: &str) -> Option<&str> {
    let words = line.trim().trim_start_matches("- ");
    let words = words.split(['#', ':']).next().unwrap_or_default().trim();
    (!words.is_empty() && !line.trim_start().starts_with('#')).then_some(words)
}
