//! Reads the files of a package at one commit from git's objects, without a checkout.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

use super::address::{Origin, is_archive};
use super::cache::Store;
use super::fetch::incomplete;
use super::refs::Version;
use super::remote::{Folder, Remotes};
use super::tree::{self, Fetched, Listed, path_of};
use crate::error::Error;
use crate::git_process::{reason, without_password};
use crate::package::{Snapshot, SnapshotEntry};

/// How many folders are listed with one call.
const AT_ONCE: usize = 1000;

impl Remotes<'_> {
    /// What is known of a package at a commit.
    pub(super) fn known(&self, origin: &Origin, version: &Version) -> Option<Arc<Folder>> {
        let key = [&origin.repository, &version.commit, &origin.directory].map(Clone::clone);
        let contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.get(&key).cloned()
    }

    /// Keeps what is known of a folder at a commit.
    pub(super) fn learn(&self, repository: &str, commit: &str, directory: &str, content: Folder) {
        let key = [repository, commit, directory].map(str::to_owned);
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.insert(key, Arc::new(content));
    }

    /// The files of `place` at a commit. Fetches what is missing: the commit, its trees, and of the
    /// files those in the folder.
    ///
    /// # Errors
    /// Where the repository cannot be reached, the commit is gone, there is no such folder in it,
    /// or the cache is unusable.
    pub(super) fn snapshot(&self, origin: &Origin, version: &Version) -> Result<Fetched, Error> {
        if is_archive(&origin.repository) {
            return self.archive(origin, version);
        }
        let store = self.store(origin)?;
        let refused = |reason: String| refused(origin, version, &reason);
        let read = |listed: Vec<Listed>, sizes: &HashMap<String, u64>| {
            tree::check_sizes(&listed, sizes).map_err(refused)?;
            let name = format!("{}@{}", origin.shown(), version.name);
            store.read(listed, sizes, name)
        };
        if let Some(known) = self.known(origin, version) {
            let _reader = store.shared()?;
            let listed = tree::checked(&known.printed).map_err(refused)?;
            let objects = tree::objects(&listed).into_iter().map(str::to_owned);
            let sizes = objects.zip(known.sizes.iter().copied()).collect();
            // the cache may have been emptied a moment ago
            if let Ok(fetched) = read(listed, &sizes) {
                return Ok(fetched);
            }
        }
        for _ in 0..4 {
            let alone = store.alone()?;
            if !store.path.is_dir() {
                // emptied a moment ago
                drop(alone);
                self.store(origin)?;
                continue;
            }
            store.fetch_commit(origin, version)?;
            let folder = BTreeSet::from([&*origin.directory]);
            let printed = store.list(&version.commit, &folder)?.map_err(refused)?;
            let printed = printed.into_values().next();
            let printed = printed.ok_or_else(|| no_folder(origin, version))?;
            let listed = tree::checked(&printed).map_err(refused)?;
            let (sizes, lacking) = store.fetched(&tree::objects(&listed), |_| {})?;
            return match lacking {
                None => read(listed, &sizes),
                Some(reason) => Err(incomplete(origin, version, &reason)),
            };
        }
        Err(store.broken("what was fetched is not in it"))
    }
}

/// A tree that no package may be.
fn refused(origin: &Origin, version: &Version, reason: &str) -> Error {
    Error::refused(
        format!(
            "{} is no package at {}: {reason}",
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
    /// What git prints of what is in each of some folders at a commit, or why it does not, with one
    /// call for many of them. A folder with nothing in it is none.
    pub(super) fn list<'d>(
        &self,
        commit: &str,
        directories: &BTreeSet<&'d str>,
    ) -> Result<Result<BTreeMap<&'d str, Vec<u8>>, String>, Error> {
        let mut printed: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let all: Vec<&str> = directories.iter().copied().collect();
        for some in all.chunks(AT_ONCE) {
            let of_root = some.contains(&"");
            let list = self
                .git()
                .offline()
                .args(["ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--"])
                .args(some.iter().filter(|_| !of_root))
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
                        let listing = printed.entry(directory).or_default();
                        listing.extend_from_slice(head);
                        listing.extend_from_slice(&path[start..]);
                    }
                }
            }
        }
        Ok(Ok(printed))
    }

    /// How many bytes each file has. Those that are not here are fetched; `tell` is told how many
    /// these are. Also why files are not here afterwards, where that is so.
    pub(super) fn fetched(
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
        let (fetched, lacking) = self.sizes(&missing)?;
        sizes.extend(fetched);
        Ok((sizes, (!lacking.is_empty()).then_some(reason)))
    }

    /// What git says of each of some objects, in this form.
    pub(super) fn told_of(&self, objects: &[&str], form: &str) -> Result<String, Error> {
        if objects.is_empty() {
            return Ok(String::new());
        }
        let check = ["cat-file", &format!("--batch-check={form}")];
        let output = self
            .git()
            .offline()
            .args(check)
            .output_with_lines(objects)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// How many bytes each file has, and the files that are not here.
    fn sizes(&self, files: &[&str]) -> Result<(HashMap<String, u64>, Vec<String>), Error> {
        let told = self.told_of(files, "%(objectname) %(objectsize)")?;
        let mut sizes = HashMap::new();
        let mut missing = Vec::new();
        for (name, said) in told.lines().filter_map(|line| line.split_once(' ')) {
            match said.parse() {
                Ok(size) => drop(sizes.insert(name.to_owned(), size)),
                Err(_) => missing.push(name.to_owned()),
            }
        }
        Ok((sizes, missing))
    }

    /// Reads the files.
    fn read(
        &self,
        listed: Vec<Listed>,
        sizes: &HashMap<String, u64>,
        name: String,
    ) -> Result<Fetched, Error> {
        let names = tree::objects(&listed);
        // before each file a line is that says what it is
        let most = sizes.values().sum::<u64>() + 200 * (names.len() as u64 + 1);
        let output = self
            .git()
            .offline()
            .max_output(most)
            .args(["cat-file", "--batch", "--buffer"])
            .output_with_lines(&names)?;
        let contents = contents(&output.stdout)
            .ok_or_else(|| self.broken(&format!("files are missing in it: {}", reason(&output))))?;
        let mut entries = BTreeMap::new();
        let mut left_out = Vec::new();
        for entry in listed {
            if entry.is_own() {
                left_out.push(entry.path);
                continue;
            }
            let bytes = || {
                contents
                    .get(entry.object.as_str())
                    .map(|bytes| bytes.to_vec())
            };
            let read = match entry.mode.as_slice() {
                _ if entry.is_submodule() => Some(SnapshotEntry::Other),
                _ if entry.is_link() => bytes().map(|target| SnapshotEntry::Link(path_of(&target))),
                mode => bytes().map(|bytes| SnapshotEntry::File {
                    bytes,
                    is_executable: mode == b"100755",
                }),
            };
            let read = read.ok_or_else(|| self.broken("a file is missing in it"))?;
            entries.insert(entry.path, read);
        }
        let snapshot = Snapshot {
            name: name.into(),
            entries,
        };
        Ok(Fetched { snapshot, left_out })
    }
}

/// What `git cat-file --batch` prints: `OBJECT SP TYPE SP SIZE LF CONTENT LF`, again and again.
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
