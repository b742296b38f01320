//! Reads and writes the files of the commands, prints their output, and calls git in the current
//! folder. Each call starts a process. Finds the folder with the user's files for git.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::error::shown;
use crate::git_process::Git;
use crate::package::{Access, is_open_already, lock, read_named, replace};

/// Prints to standard output. A closed pipe is no error.
pub(super) fn print(output: &mut impl Write, bytes: &[u8]) -> Result<(), String> {
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let read = if is_open_already(path) {
        fs::read(path)
    } else {
        read_named(path)
    };
    read.map_err(|error| format!("cannot read {}: {error}", shown(path)))
}

/// Replaces the content of a file by way of a temporary file beside it, so that the file is
/// complete at any moment. Links and permissions stay.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let _lock = lock(path, Access::Write, || ()).map_err(|error| error.to_string())?;
    replace(path, bytes).map_err(|error| format!("cannot write {}: {error}", shown(path)))
}

/// Runs git; `None` if it cannot be run.
pub(super) fn git<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Option<Output> {
    Git::here().args(arguments).output().ok()
}

/// Runs git and returns its standard output without line breaks at the end; `None` if it fails or
/// prints nothing.
pub(super) fn stdout_text<S: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = S>,
) -> Option<String> {
    let text = Git::here().args(arguments).stdout_text().ok()??;
    (!text.is_empty()).then_some(text)
}

/// Returns the folder for git's files in the folder of the user's configuration. As for git, an
/// empty variable counts as missing.
pub(super) fn user_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let config = named("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(PathBuf::from(named("HOME")?).join(".config")))?;
    Some(config.join("git"))
}
