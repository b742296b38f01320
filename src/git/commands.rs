//! The driver and `merge-file`: three files to a merge, its result to a file, an exit status.

use std::io::Write;
use std::path::{Path, PathBuf};

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

/// Three files to merge.
#[derive(Debug)]
pub(crate) struct FilesToMerge {
    /// The files; the result goes to the local one.
    pub(crate) sides: Triple<PathBuf>,
    /// Who wins conflicts, if anybody.
    pub(crate) favor: Option<Favor>,
    /// How conflicts are written.
    pub(crate) style: Style,
}

impl FilesToMerge {
    /// What is in the local file, and what comes of the merge of a file at `path`; `None` if one is
    /// binary.
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

/// Merges a file that both sides changed, as git calls for it: `git driver`. It is called `path` in
/// the repository, and goes to `output` where that is said. Returns the exit status.
///
/// # Errors
/// Where a file cannot be read or written.
pub(crate) fn drive(
    files: &FilesToMerge,
    path: Option<&Path>,
    output: Option<&Path>,
) -> Result<u8, String> {
    let local = files.sides.local.as_path();
    let (bytes, merged) = files.merged(path.unwrap_or(local), Diff::Histogram)?;
    // of binary files git keeps the local one, and says so
    let merged = merged.unwrap_or_else(|| Resolved::by_lines(bytes.to_vec(), 1));
    if output.is_some() || merged.bytes != *bytes {
        let target = output.unwrap_or(local);
        // a file that git made for this call
        replace(target, &merged.bytes)
            .map_err(|error| format!("cannot write {}: {error}", shown(target)))?;
    }
    Ok(match output {
        // for tools that know one status for conflicts
        Some(_) => u8::from(merged.conflicts > 0),
        None => status_of(merged.conflicts),
    })
}

/// The same by hand, as `git merge-file`: `merge-file`. The result is printed where `is_printed`
/// says so; nothing is said about conflicts where it `is_quiet`.
///
/// # Errors
/// As for [`drive`], and for binary files.
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
    u8::try_from(conflicts.min(MOST)).unwrap_or(u8::MAX)
}
