//! Reads the unmerged files of git's index: their names and their three versions.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::files::{git, stdout_text};
use crate::package::{Bytes, or_here};
use crate::triple::Triple;

/// Returns the unmerged files of the current work tree, relative to the current folder; `None`
/// outside of a work tree.
pub(super) fn files() -> Option<Vec<PathBuf>> {
    let place = stdout_text(["rev-parse", "--is-inside-work-tree", "--show-cdup"])?;
    // the second line is empty at the top of the work tree
    let up = Path::new(place.strip_prefix("true")?.trim_start());
    let listed = entries(or_here(up), &["--"])?.into_iter();
    let mut files: Vec<PathBuf> = listed.map(|entry| up.join(entry.path)).collect();
    files.dedup();
    Some(files)
}

/// Returns the three versions of an unmerged file, converted as for the work tree. `None` if the
/// file is merged or a side deleted it. If both sides added it, the original is empty.
pub(super) fn versions(file: &Path) -> Option<Triple<Bytes>> {
    let name = file.file_name()?.to_str()?;
    let folder = or_here(file.parent()?);
    let listed = entries(folder, &["--full-name", "--", name])?;
    let version = |stage: &str| {
        let entry = listed.iter().find(|entry| entry.stage == stage)?;
        let path = format!("--path={}", entry.path);
        stdout(folder, &["cat-file", "--filters", &path, &entry.object])
    };
    let versions = Triple {
        original: version("1").unwrap_or_default(),
        updated: version("3")?,
        local: version("2")?,
    };
    Some(versions.map(Bytes::from))
}

/// A version of an unmerged file: an entry of the index.
struct IndexEntry {
    object: String,
    /// 1 is the original, 2 local, 3 updated.
    stage: String,
    path: String,
}

/// Runs git in a folder and returns its standard output; `None` if it fails.
fn stdout(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let option = [OsStr::new("-C"), folder.as_os_str()].into_iter();
    let output = git(option.chain(arguments.iter().map(OsStr::new)))?;
    output.status.success().then_some(output.stdout)
}

fn entries(folder: &Path, arguments: &[&str]) -> Option<Vec<IndexEntry>> {
    let list = [&["ls-files", "--unmerged", "-z"], arguments].concat();
    let text = String::from_utf8(stdout(folder, &list)?).ok()?;
    let entry = |line: &str| {
        let (columns, path) = line.split_once('\t')?;
        let mut columns = columns.split(' ').skip(1).map(str::to_owned);
        Some(IndexEntry {
            object: columns.next()?,
            stage: columns.next()?,
            path: path.to_owned(),
        })
    };
    text.split_terminator('\0').map(entry).collect()
}
