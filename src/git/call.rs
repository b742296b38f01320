//! Calls of git, in the current folder. Each one starts a process.

use std::ffi::OsStr;
use std::process::Output;

use crate::git_process::Git;

/// Runs git; `None` if it cannot be run.
pub(super) fn git<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<Output> {
    // a merged file may have any length
    Git::here()
        .max_output(u64::MAX)
        .args(arguments)
        .output()
        .ok()
}

/// Runs git and returns its standard output without line breaks at the end; `None` if it fails or
/// prints nothing.
pub(super) fn stdout_text<S: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = S>,
) -> Option<String> {
    let text = Git::here().args(arguments).stdout_text().ok()??;
    (!text.is_empty()).then_some(text)
}
