//! `--output`: the result goes to a place of its own, and the local package stays as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::config::Config;
use crate::error::Error;
use crate::package::Plan;

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
        return fs::write(path, bytes).map_err(failed);
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
    plan.write(durable)
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
        None => fs::read(local).map_err(|error| Error::Read {
            path: local.clone(),
            error,
        }),
    }
}

/// Copies a folder with all that is in it; links stay links, `.git` stays behind.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_name() == ".git" {
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
