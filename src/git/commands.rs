//! The commands: arguments to a merge, its result to a file, an exit status.

use std::io::Write;
use std::path::PathBuf;

use super::files::{print, read_file, write};
use super::hunks::Favor;
use super::resolve::{Diff, Request, Resolved, Style, resolve};
use crate::error::shown;
use crate::package::{Bytes, replace};
use crate::triple::Triple;

/// What git takes for a failure and not for a conflict: a status above 128.
pub(crate) const FAILED: u8 = 129;
/// The most conflicts that an exit status tells.
const MOST: usize = 127;

/// The arguments of the merge driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Driver {
    /// The three files; the result goes to the local one.
    pub(crate) sides: Triple<PathBuf>,
    /// Where the result goes instead, if anywhere.
    pub(crate) output: Option<PathBuf>,
    /// What the file is called in the repository.
    pub(crate) path: Option<PathBuf>,
    /// Who wins conflicts, if anybody.
    pub(crate) favor: Option<Favor>,
    /// How conflicts are written.
    pub(crate) style: Style,
}

/// The arguments of `merge-file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MergeFile {
    /// The three files.
    pub(crate) sides: Triple<PathBuf>,
    /// Whether the result goes to standard output and not to the local file.
    pub(crate) stdout: bool,
    /// Whether nothing is said about conflicts.
    pub(crate) quiet: bool,
    /// Who wins conflicts, if anybody.
    pub(crate) favor: Option<Favor>,
    /// How conflicts are written.
    pub(crate) style: Style,
}

/// Merges a file that both sides changed, as git calls for it: `git driver`. Returns the exit
/// status.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn drive(driver: &Driver) -> Result<u8, String> {
    let contents = read(&driver.sides)?;
    let target = driver.output.as_ref().unwrap_or(&driver.sides.local);
    let request = Request {
        path: driver.path.as_ref().unwrap_or(&driver.sides.local),
        sides: contents.clone(),
        style: driver.style.clone(),
        favor: driver.favor,
        diff: Diff::Histogram,
    };
    // of binary files git keeps the local one, and says so
    let merged = resolve(&request).unwrap_or_else(|| Resolved {
        bytes: contents.local.to_vec(),
        conflicts: 1,
        structural: false,
    });
    if driver.output.is_some() || merged.bytes != *contents.local {
        // a file that git made for this call
        replace(target, &merged.bytes)
            .map_err(|error| format!("cannot write {}: {error}", shown(target)))?;
    }
    Ok(match driver.output {
        // for tools that know one status for conflicts
        Some(_) => u8::from(merged.conflicts > 0),
        None => status_of(merged.conflicts),
    })
}

/// The same by hand, as `git merge-file`: `merge-file`.
///
/// # Errors
/// As for [`drive`], and for binary files.
pub(crate) fn merge_file(
    arguments: &MergeFile,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<u8, String> {
    let contents = read(&arguments.sides)?;
    let local = &arguments.sides.local;
    let request = Request {
        path: local,
        sides: contents.clone(),
        style: arguments.style.clone(),
        favor: arguments.favor,
        diff: Diff::Myers,
    };
    let merged =
        resolve(&request).ok_or_else(|| format!("cannot merge binary files: {}", shown(local)))?;
    if arguments.stdout {
        print(output, &merged.bytes)?;
    } else if merged.bytes != *contents.local {
        write(local, &merged.bytes)?;
    }
    if merged.conflicts > 0 && !arguments.quiet {
        let _ = writeln!(errors, "warning: conflicts in {}", shown(local));
    }
    Ok(status_of(merged.conflicts))
}

pub(super) fn status_of(conflicts: usize) -> u8 {
    u8::try_from(conflicts.min(MOST)).unwrap_or(u8::MAX)
}

fn read(sides: &Triple<PathBuf>) -> Result<Triple<Bytes>, String> {
    sides
        .as_ref()
        .try_map(|path| read_file(path).map(Bytes::from))
}
