//! Reads what git knows about a file with conflicts: its versions in the index, and the length of
//! its markers.

use std::path::{Path, PathBuf};

use super::files::stdout_text;
use crate::git_process::Git;
use crate::merge::MARKER_SIZE;
use crate::package::{Bytes, or_here};
use crate::triple::Triple;

/// Returns the length of the conflict markers that git writes to a file, by its attributes.
pub(super) fn marker_size(file: &Path) -> usize {
    let attribute = || {
        let name = file.file_name()?.to_str()?;
        let attribute = ["check-attr", "-z", "conflict-marker-size", "--", name];
        let found = String::from_utf8(stdout(or_here(file.parent()?), &attribute)?).ok()?;
        found.split('\0').nth(2)?.parse().ok()
    };
    attribute().filter(|size| *size > 0).unwrap_or(MARKER_SIZE)
}

/// Returns the unmerged files of the current work tree, relative to the current folder; `None`
/// outside of a work tree.
pub(super) fn unmerged_files() -> Option<Vec<PathBuf>> {
    let place = stdout_text(["rev-parse", "--is-inside-work-tree", "--show-cdup"])?;
    // the second line is empty at the top of the work tree
    let up = Path::new(place.strip_prefix("true")?.trim_start());
    let listed = stdout(or_here(up), &["ls-files", "--unmerged", "-z"])?;
    let listed = String::from_utf8(listed).ok()?;
    let entries = listed.split_terminator('\0');
    let paths = entries.filter_map(|entry| Some(up.join(entry.split_once('\t')?.1)));
    let mut files: Vec<PathBuf> = paths.collect();
    // each version of a file has an entry
    files.dedup();
    Some(files)
}

/// Returns the three versions of an unmerged file, converted as for the work tree. `None` if the
/// file is merged or a side deleted it. If both sides added it, the original is empty.
pub(super) fn unmerged_versions(file: &Path) -> Option<Triple<Bytes>> {
    let name = file.file_name()?.to_str()?;
    let folder = or_here(file.parent()?);
    let version = |stage| {
        let entry = format!(":{stage}:./{name}");
        stdout(folder, &["cat-file", "--filters", &entry])
    };
    let versions = Triple {
        updated: version(3)?,
        local: version(2)?,
        original: version(1).unwrap_or_default(),
    };
    Some(versions.map(Bytes::from))
}

/// Runs git in a folder and returns its standard output; `None` if it fails.
fn stdout(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    // a merged file may have any length
    let git = Git::here().max_output(u64::MAX).arg("-C").arg(folder);
    git.args(arguments).stdout().ok()?.ok()
}
