//! Questions to git, each a process.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Output;

use crate::git_process::Git;
use crate::merge::{ConflictStyle, Images};

/// Runs git; none where it cannot be run.
pub(super) fn git<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<Output> {
    // a merged file is as long as it is
    Git::here().most(u64::MAX).args(arguments).output().ok()
}

/// What git prints, without the line break at the end; none where it fails or prints nothing.
pub(super) fn ask<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<String> {
    let output = git(arguments).filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.is_empty()).then(|| text.to_owned())
}

/// The same as a path.
pub(super) fn ask_path<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<PathBuf> {
    ask(arguments).map(PathBuf::from)
}

/// What `merge.conflictStyle` says.
pub(super) fn conflict_style() -> ConflictStyle {
    match ask(["config", "--get", "merge.conflictStyle"]).as_deref() {
        Some("diff3") => ConflictStyle::Diff3,
        Some("zdiff3") => ConflictStyle::Zdiff3,
        _ => ConflictStyle::Merge,
    }
}

/// What `merge3.images` says: a reference is one value, unless it asks for its parts.
pub(super) fn images() -> Images {
    match ask(["config", "--get", "merge3.images"]).as_deref() {
        Some("parts") => Images::Parts,
        _ => Images::Whole,
    }
}
