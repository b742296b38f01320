//! Calls of git, in the current folder. Each one starts a process.

use std::ffi::OsStr;
use std::process::Output;

use clap::ValueEnum;

use crate::git_process::Git;
use crate::merge::{ConflictStyle, Images};

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

/// The settings in git's configuration that affect how conflicts are found and shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    /// `merge.conflictStyle`
    pub(super) conflict_style: ConflictStyle,
    /// `merge3.images`: whether an image reference merges as one value, the default, or by parts.
    pub(super) images: Images,
}

/// Parses the value of a setting; an unknown one gives the default.
fn parse_or<T: ValueEnum>(value: &str, default: T) -> T {
    T::from_str(value, false).unwrap_or(default)
}

/// Reads the settings in one call, because starting git takes as long as merging a file.
pub(super) fn settings() -> Settings {
    let mut settings = Settings {
        conflict_style: ConflictStyle::Merge,
        images: Images::Whole,
    };
    let names = r"^(merge\.conflictstyle|merge3\.images)$";
    let found = stdout_text(["config", "--get-regexp", names]).unwrap_or_default();
    // the last value of a setting counts
    for (name, value) in found.lines().filter_map(|line| line.split_once(' ')) {
        match name {
            "merge3.images" => settings.images = parse_or(value, Images::Whole),
            _ => settings.conflict_style = parse_or(value, ConflictStyle::Merge),
        }
    }
    settings
}
