//! Questions to git. Each one starts a process.

use std::ffi::OsStr;
use std::process::Output;

use clap::ValueEnum;

use crate::git_process::Git;
use crate::merge::{ConflictStyle, Images};

/// Runs git; `None` if it cannot be run.
pub(super) fn git<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<Output> {
    // a merged file is as long as it is
    Git::here().most(u64::MAX).args(arguments).output().ok()
}

/// What git prints, without the line break at the end; `None` if it fails or prints nothing.
pub(super) fn ask<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<String> {
    let text = Git::here().args(arguments).ask().ok()??;
    (!text.is_empty()).then_some(text)
}

/// What git's configuration says of how conflicts are found and shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    /// `merge.conflictStyle`
    pub(super) conflict_style: ConflictStyle,
    /// `merge3.images`: a reference is one value, unless it asks for its parts.
    pub(super) images: Images,
}

/// What a setting calls by its name; anything else is the usual.
fn named<T: ValueEnum>(value: &str, usual: T) -> T {
    T::from_str(value, false).unwrap_or(usual)
}

/// Asks git for them, in one call: to start git takes as long as to merge a file.
pub(super) fn settings() -> Settings {
    let mut settings = Settings {
        conflict_style: ConflictStyle::Merge,
        images: Images::Whole,
    };
    let names = r"^(merge\.conflictstyle|merge3\.images)$";
    let told = ask(["config", "--get-regexp", names]).unwrap_or_default();
    // the last one that is given counts
    for (name, value) in told.lines().filter_map(|line| line.split_once(' ')) {
        match name {
            "merge3.images" => settings.images = named(value, Images::Whole),
            _ => settings.conflict_style = named(value, ConflictStyle::Merge),
        }
    }
    settings
}
