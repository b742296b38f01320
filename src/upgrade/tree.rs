//! Checks what an upstream tree lists before any of it is used. Git refuses most of it too, but a
//! server may send any objects.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::record::{KPTFILE, RULES_FILE};
use crate::package::{Snapshot, SnapshotEntry, folders_above, is_reserved};

/// How many files and folders a package has at most.
pub(super) const MOST_ENTRIES: usize = 100_000;
/// How deep they are at most.
pub(super) const DEEPEST: usize = 100;
/// The most bytes of a file.
const LARGEST_FILE: u64 = 256 << 20;
/// The most bytes of all files, each counted as often as it is listed.
const LARGEST_PACKAGE: u64 = 1 << 30;
/// How many links one after the other are followed.
const MOST_LINKS: usize = 40;
/// Code points that HFS+ takes for nothing in a name.
const NOTHING_ON_HFS: [(char, char); 5] = [
    ('\u{200c}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{206a}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{2060}', '\u{2064}'),
];

/// The files of a package at one commit.
#[derive(Debug, Clone)]
pub(super) struct Fetched {
    pub(super) snapshot: Snapshot,
    /// What upstream has there and is left out: this program's own files.
    pub(super) left_out: Vec<PathBuf>,
}

/// An entry of a tree.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) mode: Vec<u8>,
    pub(super) object: String,
    pub(super) path: PathBuf,
}

impl Listed {
    /// A file, a link or a folder of an archive.
    pub(super) fn new(mode: &[u8], path: &Path) -> Self {
        Self {
            mode: mode.to_vec(),
            object: String::new(),
            path: path.to_owned(),
        }
    }

    /// Reads `MODE SP TYPE SP OBJECT TAB PATH`.
    fn read(entry: &[u8]) -> Option<Self> {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let (head, path) = entry.split_at(tab);
        let mut words = head.split(|byte| *byte == b' ');
        let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
        Some(Self {
            mode: mode.to_vec(),
            object: String::from_utf8(object.to_vec()).ok()?,
            path: path_of(path.get(1..)?),
        })
    }

    pub(super) fn is_submodule(&self) -> bool {
        self.mode == b"160000"
    }

    pub(super) fn is_link(&self) -> bool {
        self.mode == b"120000"
    }

    fn is_folder(&self) -> bool {
        self.mode.ends_with(b"40000")
    }

    /// Whether it is this program's own, and so never comes from upstream.
    pub(super) fn is_own(&self) -> bool {
        let is_rules = |name: &OsStr| name == RULES_FILE;
        self.path.iter().any(is_rules) || self.path.ancestors().any(is_reserved)
    }
}

/// Reads what `git ls-tree -r -t -z` prints, and checks it. The folders are left out of the result.
///
/// # Errors
/// What of it no package may have.
pub(super) fn checked(printed: &[u8]) -> Result<Vec<Listed>, String> {
    let entries = printed.split(|byte| *byte == 0);
    let mut listed = Vec::new();
    for entry in entries.filter(|entry| !entry.is_empty()) {
        let entry = Listed::read(entry).ok_or("git lists it in another form than expected")?;
        if listed.len() == MOST_ENTRIES {
            return Err(format!("it has more than {MOST_ENTRIES} files and folders"));
        }
        listed.push(entry);
    }
    check(listed)
}

/// Checks what a tree or an archive lists. The folders are left out of the result.
///
/// # Errors
/// What of it no package may have.
pub(super) fn check(mut listed: Vec<Listed>) -> Result<Vec<Listed>, String> {
    let mut kinds: HashMap<&Path, bool> = HashMap::new();
    for entry in &listed {
        check_path(entry)?;
        if kinds.insert(&entry.path, entry.is_folder()).is_some() {
            return Err(format!("it lists {:?} twice", entry.path));
        }
    }
    for entry in &listed {
        let above = folders_above(&entry.path).next();
        if above.is_some_and(|above| kinds.get(above) != Some(&true)) {
            return Err(format!("it lists {:?} below what is no folder", entry.path));
        }
    }
    listed.retain(|entry| !entry.is_folder());
    Ok(listed)
}

/// A path that a tree names stays in the package, and is nobody else's.
fn check_path(entry: &Listed) -> Result<(), String> {
    let path = &entry.path;
    let fine = |part: Component<'_>| match part {
        Component::Normal(name) => !is_gits(name),
        _ => false,
    };
    let whole: PathBuf = path.components().collect();
    let stays = !path.as_os_str().is_empty() && path.components().all(fine);
    if !stays || whole.as_os_str() != path.as_os_str() {
        return Err(format!("it has {path:?}, which no package may have"));
    }
    if path.components().count() > DEEPEST {
        return Err(format!(
            "it has folders in folders, more than {DEEPEST} deep"
        ));
    }
    let is_file = !entry.is_folder() && !entry.is_link() && !entry.is_submodule();
    if path.file_name() == Some(OsStr::new(KPTFILE)) && !is_file {
        return Err(format!("its {path:?} is no file"));
    }
    Ok(())
}

/// Whether a name is `.git` on some system, or has a part that is, where that system ends names at
/// a backslash.
pub(super) fn is_gits(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_nothing = |c: &char| {
        let mut ranges = NOTHING_ON_HFS.iter();
        ranges.any(|(first, last)| (first..=last).contains(&c))
    };
    let seen: String = name.chars().filter(|c| !is_nothing(c)).collect();
    seen.split('\\').any(|part| {
        // NTFS: what follows a colon names a stream, and dots and spaces at the end are not there
        let part = part.split(':').next().unwrap_or_default();
        let stripped = part.trim_end_matches(['.', ' ']);
        let is_up = name.contains('\\') && part == "..";
        is_up
            || [".git", "git~1"]
                .iter()
                .any(|git| stripped.eq_ignore_ascii_case(git))
    })
}

/// Checks how much it is: `sizes` has the bytes of each object.
///
/// # Errors
/// Where it is too much.
pub(super) fn check_sizes(listed: &[Listed], sizes: &HashMap<String, u64>) -> Result<(), String> {
    let mut all = 0_u64;
    for entry in listed {
        let size = sizes.get(&entry.object).copied().unwrap_or_default();
        all = all.saturating_add(size);
        if size > LARGEST_FILE {
            let most = LARGEST_FILE >> 20;
            return Err(format!("{:?} has more than {most} MiB", entry.path));
        }
        if all > LARGEST_PACKAGE {
            let most = LARGEST_PACKAGE >> 20;
            return Err(format!("its files have more than {most} MiB together"));
        }
    }
    Ok(())
}

/// Whether a link at `path` leads to something in the package, as the system will follow it there:
/// by way of the other links.
pub(super) fn link_stays_within(package: &Snapshot, path: &Path, to: &Path) -> bool {
    let mut here = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut way = to.to_owned();
    'links: for _ in 0..MOST_LINKS {
        let mut steps = way.components();
        while let Some(step) = steps.next() {
            match step {
                Component::CurDir => {}
                Component::ParentDir if here.pop() => {}
                Component::Normal(name) if !is_gits(name) => {
                    here.push(name);
                    if let Some(SnapshotEntry::Link(to)) = package.entries.get(&here) {
                        here.pop();
                        way = to.join(steps.as_path());
                        continue 'links;
                    }
                }
                _ => return false,
            }
        }
        return true;
    }
    false
}

/// Every object that is a file's.
pub(super) fn objects(listed: &[Listed]) -> Vec<&str> {
    let files = listed.iter().filter(|entry| !entry.is_submodule());
    let names: BTreeSet<&str> = files.map(|entry| entry.object.as_str()).collect();
    names.into_iter().collect()
}

/// A path as git prints it, or an archive has it.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;

    OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_within_or_does_not() {
        let within = |path: &str, to: &str| {
            link_stays_within(&Snapshot::default(), path.as_ref(), to.as_ref())
        };
        assert!(within("a/b", "../c"));
        assert!(within("a", "b/c"));
        assert!(within("a", "./b"));
        assert!(!within("a", "../c"));
        assert!(!within("a/b", "../../c"));
        assert!(!within("a", "/etc/passwd"));
        assert!(!within("a", "b/.GIT/hooks"));
    }

    #[test]
    fn links_are_followed_by_way_of_links() {
        let mut package = Snapshot::default();
        for (path, to) in [("a/up", ".."), ("a/b/c", "../.."), ("loop", "loop")] {
            let link = SnapshotEntry::Link(to.into());
            package.entries.insert(path.into(), link);
        }
        let within = |path: &str, to: &str| link_stays_within(&package, path.as_ref(), to.as_ref());
        assert!(within("x", "a/up/y"));
        assert!(!within("x", "a/up/../y"));
        assert!(within("x", "a/b/c/y"));
        assert!(!within("x", "a/b/c/.."));
        assert!(!within("x", "loop/y"));
    }
}
