//! The laws of text, on texts with comments at every place: pieces that one side did not change
//! (law 2), merges that git does cleanly (law 8), and the places of comments (law 9).

mod copied;
mod disturb;
mod disturbed;
mod levels;
mod pieces;
mod repeated;
mod rewritten;
mod stay;
mod survey;
pub mod with_git;

use crate::drive::{MergeResult, Setup, run_files};
use crate::shown::part;
use crate::value::{Value, load};
use merge3::merge::Options;
use merge3::triple::Triple;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The default options, for files that are not resources.
fn default_setup() -> Setup {
    Setup {
        resource: false,
        options: Options::default(),
    }
}

fn merged(texts: &Triple<String>) -> Result<MergeResult, TestCaseError> {
    run_files(texts.as_ref().map(String::as_str), &default_setup())
}

fn value(text: &str) -> Result<Value, TestCaseError> {
    match load::document(text) {
        Ok(value) => Ok(value.unwrap_or(Value::Null)),
        Err(error) => Err(TestCaseError::fail(format!("{error} in\n{text}"))),
    }
}

/// Checks that texts merge to the expected one, without a conflict.
fn merges_to(texts: &Triple<String>, expected: &str) -> Result<(), TestCaseError> {
    let merged = merged(texts)?;
    if merged.text == expected && merged.conflicts.is_empty() {
        return Ok(());
    }
    let texts = [("expected", expected), ("merged", &*merged.text)];
    Err(fails("not as if both sides had edited the text", &texts))
}

/// Returns a failure that shows the compared texts. The test runner shows the case itself.
fn fails(what: &str, texts: &[(&str, &str)]) -> TestCaseError {
    let texts: String = texts.iter().map(|(name, text)| part(name, text)).collect();
    TestCaseError::fail(format!("{what}\n{texts}"))
}

/// Returns the comment of a line, on its own line or after a value. Values here contain no `#`.
fn comment(line: &str) -> Option<&str> {
    let comment = line[line.find('#')?..].trim_end();
    comment.contains(char::is_alphanumeric).then_some(comment)
}

/// Counts each comment of a text. Frame lines of banners are not counted.
fn comments(text: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for comment in text.lines().filter_map(comment) {
        *counts.entry(comment).or_default() += 1;
    }
    counts
}

/// Returns the text of an entry's line up to its value, or None for a comment or a blank line.
fn entry(line: &str) -> Option<&str> {
    let words = line.trim().trim_start_matches("- ");
    let words = words.split(['#', ':']).next().unwrap_or_default().trim();
    (!words.is_empty() && !line.trim_start().starts_with('#')).then_some(words)
}
