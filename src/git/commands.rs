//! The merge driver and `merge-file`: both merge three files, write the result and return an exit
//! status.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::files::{print, read_file, write};
use super::hunks::Favor;
use super::resolve::{Diff, Request, Resolved, resolve};
use crate::error::shown;
use crate::merge::MarkerStyle;
use crate::package::{Bytes, replace};
use crate::triple::Triple;

/// The exit status of a failure. Git takes a status above 128 for a failure, not for conflicts.
pub(crate) const FAILED: u8 = 129;
/// The highest number of conflicts that the exit status shows.
const MAX_STATUS: usize = 127;

/// Three files to merge.
#[derive(Debug)]
pub(crate) struct FilesToMerge {
    /// The paths of the files; the result is written to the local one.
    pub(crate) sides: Triple<PathBuf>,
    /// Which side wins conflicts; `None` leaves them between markers.
    pub(crate) favor: Option<Favor>,
    /// How conflicts are written.
    pub(crate) style: MarkerStyle,
}

impl FilesToMerge {
    /// Returns the content of the local file, and the result of the merge as a file at `path`;
    /// `None` if a side is binary.
    fn merged(&self, path: &Path, diff: Diff) -> Result<(Bytes, Option<Resolved>), String> {
        let read = |path: &PathBuf| read_file(path).map(Bytes::from);
        let contents = self.sides.as_ref().try_map(read)?;
        let local = contents.local.clone();
        let request = Request {
            path,
            sides: contents,
            style: self.style.clone(),
            favor: self.favor,
            diff,
        };
        Ok((local, resolve(&request)))
    }
}

/// Runs `git driver`, which git calls for a file that both sides changed. `path` is the file's path
/// in the repository; the result is written to `output`, or to the local file. Returns the exit
/// status.
///
/// # Errors
/// If a file cannot be read or written.
pub(crate) fn drive(
    files: &FilesToMerge,
    path: Option<&Path>,
    output: Option<&Path>,
) -> Result<u8, String> {
    let local = files.sides.local.as_path();
    let (bytes, merged) = files.merged(path.unwrap_or(local), Diff::Histogram)?;
    // git reports a conflict of binary files and keeps the local one
    let merged = merged.unwrap_or_else(|| Resolved::by_lines(bytes.to_vec(), 1));
    if output.is_some() || merged.bytes != *bytes {
        let target = output.unwrap_or(local);
        replace(target, &merged.bytes)
            .map_err(|error| format!("cannot write {}: {error}", shown(target)))?;
    }
    Ok(match output {
        // other tools than git know only one status for conflicts
        Some(_) => u8::from(merged.conflicts > 0),
        None => status_of(merged.conflicts),
    })
}

/// Runs `merge-file`, which merges like `git merge-file`, and returns the exit status. With
/// `is_printed` the result goes to `output` instead of the local file; with `is_quiet` there is no
/// warning about conflicts.
///
/// # Errors
/// As for [`drive`], and if a side is binary.
pub(crate) fn merge_file(
    files: &FilesToMerge,
    (is_printed, is_quiet): (bool, bool),
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<u8, String> {
    let local = &files.sides.local;
    let (bytes, merged) = files.merged(local, Diff::Myers)?;
    let merged = merged.ok_or_else(|| format!("cannot merge binary files: {}", shown(local)))?;
    if is_printed {
        print(output, &merged.bytes)?;
    } else if merged.bytes != *bytes {
        write(local, &merged.bytes)?;
    }
    if merged.conflicts > 0 && !is_quiet {
        let _ = writeln!(errors, "warning: conflicts in {}", shown(local));
    }
    Ok(status_of(merged.conflicts))
}

fn status_of(conflicts: usize) -> u8 {
    u8::try_from(conflicts.min(MAX_STATUS)).unwrap_or(u8::MAX)
}
