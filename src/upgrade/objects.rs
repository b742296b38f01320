//! Reads the files of a package at one commit from git's objects in the cache, without a checkout.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

use super::address::{Origin, is_archive};
use super::cache::Store;
use super::fetch::incomplete;
use super::refs::Version;
use super::remote::{FolderListing, Remotes};
use super::tree::{self, Fetched, TreeEntry, path_of};
use crate::error::Error;
use crate::git_process::{reason, without_password};
use crate::package::{Snapshot, SnapshotEntry};

/// How many folders one call of git lists.
const FOLDERS_PER_CALL: usize = 1000;

impl Remotes<'_> {
    /// Returns the contents of a package at a commit, if they were fetched in this run.
    pub(super) fn fetched_folder(
        &self,
        origin: &Origin,
        version: &Version,
    ) -> Option<Arc<FolderListing>> {
        let key = [&origin.repository, &version.commit, &origin.directory].map(Clone::clone);
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.get(&key).cloned()
    }

    /// Stores the contents of a folder at a commit for this run.
    pub(super) fn remember(
        &self,
        repository: &str,
        commit: &str,
        directory: &str,
        content: FolderListing,
    ) {
        let key = [repository, commit, directory].map(str::to_owned);
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.insert(key, Arc::new(content));
    }

    /// Returns the files of a package at a version. Fetches what is missing: the commit, its trees,
    /// and the files in the folder.
    ///
    /// # Errors
    /// If the repository cannot be reached, the commit is gone or lacks the folder, the files are
    /// no valid package, or the cache cannot be used.
    pub(super) fn snapshot(&self, origin: &Origin, version: &Version) -> Result<Fetched, Error> {
        if is_archive(&origin.repository) {
            return self.archive(origin, version);
        }
        let store = self.store(origin)?;
        let refused = |reason: String| refused(origin, version, &reason);
        let read = |entries: Vec<TreeEntry>, sizes: &HashMap<String, u64>| {
            tree::check_sizes(&entries, sizes).map_err(refused)?;
            let name = format!("{}@{}", origin.shown(), version.name);
            store.read(entries, sizes, name)
        };
        if let Some(folder) = self.fetched_folder(origin, version) {
            let _reader = store.lock_shared()?;
            let entries = tree::parse_listing(&folder.listing).map_err(refused)?;
            let objects = tree::file_objects(&entries).into_iter().map(str::to_owned);
            let sizes = objects.zip(folder.sizes.iter().copied()).collect();
            // if another process has emptied the cache, the files are fetched again below
            if let Ok(fetched) = read(entries, &sizes) {
                return Ok(fetched);
            }
        }
        for _ in 0..4 {
            let lock = store.lock_exclusive()?;
            if !store.path.is_dir() {
                // another process has emptied the cache
                drop(lock);
                self.store(origin)?;
                continue;
            }
            store.fetch_commit(origin, version)?;
            let folder = BTreeSet::from([&*origin.directory]);
            let listing = store.list(&version.commit, &folder)?.map_err(refused)?;
            let listing = listing.into_values().next();
            let listing = listing.ok_or_else(|| no_folder(origin, version))?;
            let entries = tree::parse_listing(&listing).map_err(refused)?;
            let objects = tree::file_objects(&entries);
            let (sizes, failure) = store.fetch_missing_files(&objects, |_| {})?;
            return match failure {
                None => read(entries, &sizes),
                Some(reason) => Err(incomplete(origin, version, &reason)),
            };
        }
        Err(store.broken("what was fetched is not in it"))
    }
}

/// Returns the error for a tree that is no valid package.
fn refused(origin: &Origin, version: &Version, reason: &str) -> Error {
    Error::refused(
        format!(
            "{} is not a package at {}: {reason}",
            origin.shown(),
            version.name
        ),
        "tell upstream; nothing was written",
    )
}

fn no_folder(origin: &Origin, version: &Version) -> Error {
    Error::refused(
        format!(
            "{} has no folder {} at {}",
            without_password(&origin.repository),
            origin.directory,
            version.name
        ),
        "upstream moved or deleted it: look where it is now, and correct `directory` in the record",
    )
}

impl Store {
    /// Lists the contents of some folders at a commit, with few calls. Returns the output of
    /// `git ls-tree` for each folder, with paths relative to it, or git's error message. A folder
    /// that does not exist or is empty is missing in the result.
    pub(super) fn list<'d>(
        &self,
        commit: &str,
        directories: &BTreeSet<&'d str>,
    ) -> Result<Result<BTreeMap<&'d str, Vec<u8>>, String>, Error> {
        let mut listings: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let all: Vec<&str> = directories.iter().copied().collect();
        for some in all.chunks(FOLDERS_PER_CALL) {
            let has_root = some.contains(&"");
            let list = self
                .git()
                .offline()
                .args(["ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--"])
                .args(some.iter().filter(|_| !has_root))
                .stdout()?;
            let list = match list {
                Ok(list) => list,
                Err(reason) => return Ok(Err(reason)),
            };
            for entry in list.split_inclusive(|byte| *byte == 0) {
                let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else {
                    continue;
                };
                let (head, path) = (&entry[..=tab], &entry[tab + 1..]);
                let ends = path.iter().enumerate();
                let ends = ends.filter_map(|(at, byte)| (*byte == b'/').then_some((at, at + 1)));
                for (end, start) in [(0, 0)].into_iter().chain(ends) {
                    let directory = std::str::from_utf8(&path[..end]).ok();
                    let directory = directory.and_then(|it| directories.get(it));
                    if let Some(directory) = directory.filter(|it| some.binary_search(it).is_ok()) {
                        let listing = listings.entry(directory).or_default();
                        listing.extend_from_slice(head);
                        listing.extend_from_slice(&path[start..]);
                    }
                }
            }
        }
        Ok(Ok(listings))
    }

    /// Fetches the files that the cache does not have; `tell` gets their number first. Returns the
    /// size of each file in bytes, and the reason if files are still missing.
    pub(super) fn fetch_missing_files(
        &self,
        files: &[&str],
        tell: impl FnOnce(usize),
    ) -> Result<(HashMap<String, u64>, Option<String>), Error> {
        let (mut sizes, missing) = self.sizes(files)?;
        if missing.is_empty() {
            return Ok((sizes, None));
        }
        tell(missing.len());
        let reason = self.fetch_objects(&missing)?;
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        let (fetched, still_missing) = self.sizes(&missing)?;
        sizes.extend(fetched);
        Ok((sizes, (!still_missing.is_empty()).then_some(reason)))
    }

    /// Runs `git cat-file --batch-check` with a format and returns its output, a line per object.
    pub(super) fn batch_check(&self, objects: &[&str], format: &str) -> Result<String, Error> {
        if objects.is_empty() {
            return Ok(String::new());
        }
        let check = ["cat-file", &format!("--batch-check={format}")];
        let output = self
            .git()
            .offline()
            .args(check)
            .output_with_lines(objects)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns the size of each file in bytes, and the files that the cache does not have.
    fn sizes(&self, files: &[&str]) -> Result<(HashMap<String, u64>, Vec<String>), Error> {
        let output = self.batch_check(files, "%(objectname) %(objectsize)")?;
        let mut sizes = HashMap::new();
        let mut missing = Vec::new();
        for (name, size) in output.lines().filter_map(|line| line.split_once(' ')) {
            match size.parse() {
                Ok(size) => drop(sizes.insert(name.to_owned(), size)),
                Err(_) => missing.push(name.to_owned()),
            }
        }
        Ok((sizes, missing))
    }

    /// Reads the files of a tree into a snapshot called `name`.
    fn read(
        &self,
        tree_entries: Vec<TreeEntry>,
        sizes: &HashMap<String, u64>,
        name: String,
    ) -> Result<Fetched, Error> {
        let names = tree::file_objects(&tree_entries);
        // git prints a line with hash, type and size before each file
        let max_output = sizes.values().sum::<u64>() + 200 * (names.len() as u64 + 1);
        let output = self
            .git()
            .offline()
            .max_output(max_output)
            .args(["cat-file", "--batch", "--buffer"])
            .output_with_lines(&names)?;
        let contents = contents(&output.stdout)
            .ok_or_else(|| self.broken(&format!("files are missing in it: {}", reason(&output))))?;
        let mut entries = BTreeMap::new();
        let mut left_out = Vec::new();
        for entry in tree_entries {
            if entry.is_own() {
                left_out.push(entry.path);
                continue;
            }
            let bytes = || {
                contents
                    .get(entry.object.as_str())
                    .map(|bytes| bytes.to_vec())
            };
            let content = match entry.mode.as_slice() {
                _ if entry.is_submodule() => Some(SnapshotEntry::Other),
                _ if entry.is_link() => bytes().map(|target| SnapshotEntry::Link(path_of(&target))),
                mode => bytes().map(|bytes| SnapshotEntry::File {
                    bytes,
                    is_executable: mode == b"100755",
                }),
            };
            let content = content.ok_or_else(|| self.broken("a file is missing in it"))?;
            entries.insert(entry.path, content);
        }
        let snapshot = Snapshot {
            name: name.into(),
            entries,
        };
        Ok(Fetched { snapshot, left_out })
    }
}

/// Parses the output of `git cat-file --batch`, which is `OBJECT SP TYPE SP SIZE LF CONTENT LF` for
/// each object. Returns the contents by object; `None` if one is missing or no file.
fn contents(mut output: &[u8]) -> Option<HashMap<&str, &[u8]>> {
    let mut contents = HashMap::new();
    while !output.is_empty() {
        let end = output.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&output[..end]).ok()?;
        let mut words = head.split(' ');
        let (object, kind, size) = (words.next()?, words.next()?, words.next()?);
        let size: usize = size.parse().ok().filter(|_| kind == "blob")?;
        let bytes = output.get(end + 1..end + 1 + size)?;
        contents.insert(object, bytes);
        output = output.get(end + 2 + size..)?;
    }
    Some(contents)
}
