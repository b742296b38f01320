//! Checks the entries of an upstream tree or archive before any of them is used. Git refuses most
//! invalid trees too, but a server may send any objects.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::record::{KPTFILE, RULES_FILE};
use crate::package::{Snapshot, SnapshotEntry, folders_above, is_reserved};

/// The maximum number of files and folders of a package.
pub(super) const MAX_ENTRIES: usize = 100_000;
/// The maximum number of names in a path.
const MAX_DEPTH: usize = 100;
/// The maximum size of a file in bytes.
const MAX_FILE_SIZE: u64 = 256 << 20;
/// The maximum size of all files in bytes, each counted as often as it is entries.
const MAX_PACKAGE_SIZE: u64 = 1 << 30;
/// The maximum number of links that are followed for one path.
const MAX_LINKS: usize = 40;

/// The files of a package at one commit.
#[derive(Debug, Clone)]
pub(super) struct Fetched {
    pub(super) snapshot: Snapshot,
    /// The paths of upstream's files for merge3, which are left out.
    pub(super) left_out: Vec<PathBuf>,
}

/// An entry of a tree or an archive.
#[derive(Debug, Clone)]
pub(super) struct TreeEntry {
    /// Git's mode, in octal digits.
    pub(super) mode: Vec<u8>,
    /// The hash; empty in an archive.
    pub(super) object: String,
    pub(super) path: PathBuf,
    /// The size of a file in bytes; 0 as long as it is not known.
    size: u64,
}

impl TreeEntry {
    /// Creates an entry of an archive.
    pub(super) fn new(mode: &[u8], path: &Path) -> Self {
        Self {
            mode: mode.to_vec(),
            object: String::new(),
            path: path.to_owned(),
            size: 0,
        }
    }

    /// Creates an entry from its line in the output of `git ls-tree`: `MODE SP TYPE SP OBJECT TAB
    /// PATH`. The path may be relative to another folder than in the line.
    pub(super) fn parse(head: &[u8], path: &[u8]) -> Option<Self> {
        let mut words = head.split(|byte| *byte == b' ');
        let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
        Some(Self {
            object: String::from_utf8(object.to_vec()).ok()?,
            ..Self::new(mode, &path_of(path))
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

    /// Whether merge3 uses the file for itself, so that it is never taken from upstream.
    pub(super) fn is_own(&self) -> bool {
        let is_rules = |name: &OsStr| name == RULES_FILE;
        self.path.iter().any(is_rules) || self.path.ancestors().any(is_reserved)
    }
}

/// Checks the entries of a tree or an archive. Folders are left out of the result.
///
/// # Errors
/// The reason why the entries are no valid package.
pub(super) fn check_entries(mut entries: Vec<TreeEntry>) -> Result<Vec<TreeEntry>, String> {
    if entries.len() > MAX_ENTRIES {
        return Err(format!("it has more than {MAX_ENTRIES} files and folders"));
    }
    let mut is_folder: HashMap<&Path, bool> = HashMap::new();
    for entry in &entries {
        check_path(entry)?;
        if is_folder.insert(&entry.path, entry.is_folder()).is_some() {
            return Err(format!("it lists {:?} twice", entry.path));
        }
    }
    for entry in &entries {
        let parent = folders_above(&entry.path).next();
        if parent.is_some_and(|parent| is_folder.get(parent) != Some(&true)) {
            return Err(format!(
                "it lists {:?} below something that is not a folder",
                entry.path
            ));
        }
    }
    entries.retain(|entry| !entry.is_folder());
    Ok(entries)
}

/// Checks that the path of an entry stays in the package and has no name that is special to git.
///
/// # Errors
/// The reason why no package may have the entry.
pub(super) fn check_path(entry: &TreeEntry) -> Result<(), String> {
    let path = &entry.path;
    let is_allowed = |part: Component<'_>| match part {
        Component::Normal(name) => !is_git_folder(name),
        _ => false,
    };
    let normalized: PathBuf = path.components().collect();
    let is_valid = !path.as_os_str().is_empty() && path.components().all(is_allowed);
    if !is_valid || normalized.as_os_str() != path.as_os_str() {
        return Err(format!("it has {path:?}, which no package may have"));
    }
    if path.components().count() > MAX_DEPTH {
        return Err(format!(
            "it has folders in folders, more than {MAX_DEPTH} deep"
        ));
    }
    let is_file = !entry.is_folder() && !entry.is_link() && !entry.is_submodule();
    if path.file_name() == Some(OsStr::new(KPTFILE)) && !is_file {
        return Err(format!("its {path:?} is not a file"));
    }
    Ok(())
}

/// Whether a name means `.git` on some system. Systems with backslashes as separators see several
/// names in it: then one of them means `.git`, or is `..`.
pub(super) fn is_git_folder(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let visible: String = name.chars().filter(|c| !is_ignored_on_hfs(*c)).collect();
    visible.split('\\').any(|part| {
        // on NTFS a colon begins the name of a stream, and dots and spaces at the end are ignored
        let part = part.split(':').next().unwrap_or_default();
        let stripped = part.trim_end_matches(['.', ' ']);
        let is_parent = name.contains('\\') && part == "..";
        is_parent
            || [".git", "git~1"]
                .iter()
                .any(|git| stripped.eq_ignore_ascii_case(git))
    })
}

/// Whether HFS+ ignores a character in names.
fn is_ignored_on_hfs(c: char) -> bool {
    matches!(c,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns the entries with the sizes of their files; `None` if one is unknown.
pub(super) fn with_sizes(
    mut entries: Vec<TreeEntry>,
    sizes: &HashMap<&str, u64>,
) -> Option<Vec<TreeEntry>> {
    for entry in entries.iter_mut().filter(|entry| !entry.is_submodule()) {
        entry.size = *sizes.get(&*entry.object)?;
    }
    Some(entries)
}

/// Checks the sizes of the files.
///
/// # Errors
/// If a file or the package is too large.
pub(super) fn check_sizes(entries: &[TreeEntry]) -> Result<(), String> {
    let mut total = 0_u64;
    for entry in entries {
        total = total.saturating_add(entry.size);
        if entry.size > MAX_FILE_SIZE {
            let max = MAX_FILE_SIZE >> 20;
            return Err(format!("{:?} has more than {max} MiB", entry.path));
        }
        if total > MAX_PACKAGE_SIZE {
            let max = MAX_PACKAGE_SIZE >> 20;
            return Err(format!("its files have more than {max} MiB together"));
        }
    }
    Ok(())
}

/// Whether the target `to` of a link at `path` stays in the package. Other links on the way are
/// followed, as the system does it.
pub(super) fn link_stays_within(package: &Snapshot, path: &Path, to: &Path) -> bool {
    let mut current = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut remaining = to.to_owned();
    'links: for _ in 0..MAX_LINKS {
        let mut steps = remaining.components();
        while let Some(step) = steps.next() {
            match step {
                Component::CurDir => {}
                Component::ParentDir if current.pop() => {}
                Component::Normal(name) if !is_git_folder(name) => {
                    current.push(name);
                    if let Some(SnapshotEntry::Link(to)) = package.entries.get(&current) {
                        current.pop();
                        remaining = to.join(steps.as_path());
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

/// Returns the hashes of all files and links, each with its size.
pub(super) fn file_objects(entries: &[TreeEntry]) -> BTreeMap<&str, u64> {
    let files = entries.iter().filter(|entry| !entry.is_submodule());
    files.map(|entry| (&*entry.object, entry.size)).collect()
}

/// Converts the bytes of a path in git's output or in an archive.
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
    fn checks_that_links_stay_in_the_package() {
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
    fn follows_other_links_on_the_way() {
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
