//! `--output`: the result goes to a place of its own, and the local package stays as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::config::Config;
use crate::error::Error;
use crate::package::{Plan, is_open_already, is_temporary, read_named, replace};

/// Where the result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Standard output: one file.
    Output,
    /// A file or folder.
    Path(PathBuf),
}

/// Writes the result of a merge to `path`: a file, or a folder that is missing or empty. `plan` is about a copy there afterwards.
///
/// # Errors
/// Where something is there already, or the disk says no.
pub(super) fn write(
    config: &Config,
    plan: &mut Plan,
    path: &Path,
    durable: bool,
) -> Result<(), Error> {
    let local = &config.sides.local;
    let failed = |error| Error::Write {
        path: path.to_owned(),
        error,
        written: 0,
    };
    if !local.is_dir() {
        let bytes = result(config, plan)?;
        ready("--output", path)?;
        return put(path, &bytes).map_err(failed);
    }
    let taken = |message| Error::Output {
        path: path.to_owned(),
        message,
    };
    if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(taken("is not empty"));
    }
    fs::create_dir_all(path).map_err(failed)?;
    let (from, to) = (local.canonicalize(), path.canonicalize());
    if let (Ok(from), Ok(to)) = (from, to)
        && to.starts_with(from)
    {
        return Err(taken("is in the local package"));
    }
    copy(local, path).map_err(failed)?;
    plan.root = path.to_owned();
    // the local package is left alone, and the copy has none
    plan.forget_leftovers();
    plan.write(durable)
}

/// Sees that a file can go to `path`, before anything is written: a pipe has perhaps nobody at its other end, and is not opened.
///
/// # Errors
/// Where something other than a file is there, or its folder is not.
pub(super) fn ready(option: &'static str, path: &Path) -> Result<(), Error> {
    if is_open_already(path) {
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(Error::NoFile {
            option,
            path: path.to_owned(),
        }),
        Err(_)
            if path
                .parent()
                .is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir()) =>
        {
            Ok(())
        }
        Err(error) => Err(Error::Write {
            path: path.to_owned(),
            error,
            written: 0,
        }),
    }
}

/// Writes a file that [`ready`] has seen to.
pub(super) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_open_already(path) {
        fs::write(path, bytes)
    } else {
        replace(path, bytes)
    }
}

/// The merged file, where the sides are files.
///
/// # Errors
/// Where they are not, or the local file cannot be read.
pub(super) fn result(config: &Config, plan: &Plan) -> Result<Vec<u8>, Error> {
    let local = &config.sides.local;
    if local.is_dir() {
        return Err(Error::Output {
            path: "-".into(),
            message: "prints one file, and the sides are folders",
        });
    }
    match plan.files.first() {
        Some(change) => Ok(change.new.clone().unwrap_or_default()),
        None => read_named(local).map_err(|error| Error::Read {
            path: local.clone(),
            error,
        }),
    }
}

/// Copies a folder with all that is in it; links stay links, `.git` stays behind.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name() == ".git" || is_temporary(entry.file_name().as_ref()) {
            continue;
        }
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
            fs::set_permissions(&target, entry.metadata()?.permissions())?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        } else if kind.is_symlink() {
            link(&fs::read_link(entry.path())?, &target)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_to: &Path, _at: &Path) -> io::Result<()> {
    Ok(())
}
