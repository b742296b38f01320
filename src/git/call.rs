//! Calls of git, in the current folder. Each one starts a process.

use std::ffi::OsStr;
use std::process::Output;

use clap::ValueEnum;

use crate::git_process::{Git, RunningGit};
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
pub(super) struct Settings {
    /// `merge.conflictStyle`
    pub(super) conflict_style: ConflictStyle,
    /// `merge3.images`: whether an image reference merges as one value, the default, or by parts.
    pub(super) images: Images,
    /// The call, which may still be ending: when it is dropped later, nobody has to wait for it.
    _call: SettingsCall,
}

/// Parses the value of a setting; an unknown one gives the default.
fn parse_or<T: ValueEnum>(value: &str, default: T) -> T {
    T::from_str(value, false).unwrap_or(default)
}

/// A call of git that reads the settings: one for both, because starting git takes as long as
/// merging a file. It runs beside the merge.
pub(super) struct SettingsCall(Option<RunningGit>);

impl SettingsCall {
    /// Starts the call.
    pub(super) fn start() -> Self {
        let names = r"^(merge\.conflictstyle|merge3\.images)$";
        let call = Git::here().args(["config", "--get-regexp", names]);
        Self(call.start().ok())
    }

    /// Waits for the settings. They are the defaults if git cannot be run or fails: then it prints
    /// nothing.
    pub(super) fn settings(mut self) -> Settings {
        let (mut conflict_style, mut images) = (ConflictStyle::Merge, Images::Whole);
        let found = self.0.as_mut().and_then(|call| call.stdout().ok());
        let found = found.unwrap_or_default();
        let found = String::from_utf8_lossy(&found);
        // the last value of a setting counts
        for (name, value) in found.lines().filter_map(|line| line.split_once(' ')) {
            match name {
                "merge3.images" => images = parse_or(value, Images::Whole),
                _ => conflict_style = parse_or(value, ConflictStyle::Merge),
            }
        }
        Settings {
            conflict_style,
            images,
            _call: self,
        }
    }
}
