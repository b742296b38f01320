//! The files in git's index that it could not merge.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::call;
use crate::package::{Bytes, or_here};
use crate::triple::Triple;

/// The files of this repository that are unmerged, as they are named from here; none outside of a
/// repository.
pub(super) fn files() -> Option<Vec<PathBuf>> {
    let inside = call::ask(["rev-parse", "--is-inside-work-tree"])?;
    if inside != "true" {
        return None;
    }
    let up = call::ask(["rev-parse", "--show-cdup"]).unwrap_or_default();
    let up = Path::new(&up);
    let listed = entries(or_here(up), &["--"])?;
    let mut files: Vec<PathBuf> = listed
        .into_iter()
        .map(|entry| up.join(entry.path))
        .collect();
    files.dedup();
    Some(files)
}

/// The three versions of an unmerged file, as they would be in the work tree. None of one that is
/// merged, or that a side deleted; where both sides added it, the original is empty.
pub(super) fn versions(file: &Path) -> Option<Triple<Bytes>> {
    let name = file.file_name()?.to_str()?;
    let folder = or_here(file.parent()?);
    let listed = entries(folder, &["--full-name", "--", name])?;
    let version = |stage: &str| {
        let entry = listed.iter().find(|entry| entry.stage == stage)?;
        let path = format!("--path={}", entry.path);
        printed(folder, &["cat-file", "--filters", &path, &entry.object])
    };
    let versions = Triple {
        original: version("1").unwrap_or_default(),
        updated: version("3")?,
        local: version("2")?,
    };
    Some(versions.map(Bytes::from))
}

/// A version of an unmerged file.
struct Stage {
    object: String,
    stage: String,
    path: String,
}

/// What git prints in a folder; `None` if it fails.
fn printed(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let begin = [OsStr::new("-C"), folder.as_os_str()].into_iter();
    let output = call::git(begin.chain(arguments.iter().map(OsStr::new)))?;
    output.status.success().then_some(output.stdout)
}

fn entries(folder: &Path, arguments: &[&str]) -> Option<Vec<Stage>> {
    let list = [&["ls-files", "--unmerged", "-z"], arguments].concat();
    let text = String::from_utf8(printed(folder, &list)?).ok()?;
    let entry = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        let mut about = about.split(' ').skip(1).map(str::to_owned);
        Some(Stage {
            object: about.next()?,
            stage: about.next()?,
            path: path.to_owned(),
        })
    };
    text.split_terminator('\0').map(entry).collect()
}
