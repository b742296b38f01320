//! Commits, trees and files in a git repository of the cache: fetches, lists and reads them.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::Output;

use super::address::Origin;
use super::cache::Store;
use super::refs::Version;
use super::tree::{self, Fetched, TreeEntry, path_of};
use crate::error::Error;
use crate::git_process::{Git, reason};
use crate::package::{Snapshot, SnapshotEntry};
use crate::report::many;

/// How many folders one call of git lists.
const FOLDERS_PER_CALL: usize = 1000;
/// How many versions a message names.
const MAX_NAMES: usize = 5;

/// The ways to fetch commits, one after the other until all are there: the options, and what is
/// fetched for a version. A server may send only what refs name.
const ATTEMPTS: [(&[&str], &[&str]); 5] = [
    (&SHALLOW, &["COMMIT"]),
    (&SHALLOW, &["refs/tags/NAME"]),
    (&SHALLOW, &["refs/heads/NAME"]),
    (&["--filter=blob:none", "--update-shallow"], &ALL_REFS),
    (&UNSHALLOW, &ALL_REFS),
];
const SHALLOW: [&str; 2] = ["--filter=blob:none", "--depth=1"];
const UNSHALLOW: [&str; 3] = ["--filter=blob:none", "--update-shallow", "--unshallow"];
const ALL_REFS: [&str; 2] = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];

impl Store {
    /// Whether the cache has a commit.
    pub(super) fn has_commit(&self, commit: &str) -> Result<bool, Error> {
        Ok(!self.sizes("commit", &[commit])?.is_empty())
    }

    /// Whether the repository lacks a part of the history.
    pub(super) fn is_shallow(&self) -> Result<bool, Error> {
        let is_shallow = self.git().args(["rev-parse", "--is-shallow-repository"]);
        Ok(is_shallow.stdout_text()?.as_deref() == Some("true"))
    }

    /// Fetches commits with their trees, and without files if the server supports that; `tell` gets
    /// the names of the versions first. Returns the commits that are still missing, and the reason.
    pub(super) fn fetch_commits<'v>(
        &self,
        wanted: &[(&Origin, &'v Version)],
        tell: impl FnOnce(&str),
    ) -> Result<(BTreeSet<&'v str>, String), Error> {
        let versions: Vec<&Version> = wanted.iter().map(|(_, version)| *version).collect();
        let mut missing = self.missing(&versions)?;
        if !missing.is_empty() {
            let names: BTreeSet<&str> = missing.iter().map(|version| &*version.name).collect();
            let names: Vec<&str> = names.into_iter().collect();
            tell(&match names.len() {
                ..=MAX_NAMES => names.join(", "),
                count => many(count, "version"),
            });
        }
        let mut first_error = None;
        for (options, names) in ATTEMPTS {
            if missing.is_empty() {
                break;
            }
            let names = missing.iter().flat_map(|version| {
                let names = names.iter().map(|it| it.replace("COMMIT", &version.commit));
                names.map(|it| it.replace("NAME", &version.full))
            });
            let names: Vec<String> = names.collect::<BTreeSet<_>>().into_iter().collect();
            let output = self.fetch(options, &names)?;
            missing = self.missing(&missing)?;
            if !output.status.success() && first_error.is_none() {
                first_error = Some(reason(&output));
            }
        }
        let commits = missing.iter().map(|version| &*version.commit).collect();
        Ok((commits, first_error.unwrap_or_default()))
    }

    /// Returns those of some versions whose commits the cache does not have.
    fn missing<'v>(&self, versions: &[&'v Version]) -> Result<Vec<&'v Version>, Error> {
        let commits: Vec<&str> = versions.iter().map(|it| &*it.commit).collect();
        let there = self.sizes("commit", &commits)?;
        let missing = versions.iter();
        let missing = missing.filter(|version| !there.contains_key(&*version.commit));
        Ok(missing.copied().collect())
    }

    /// Fetches the files that the cache does not have; `tell` gets their number first. Returns the
    /// size of each file in bytes, and the reason if files are still missing.
    pub(super) fn fetch_files<'o>(
        &self,
        files: &[&'o str],
        tell: impl FnOnce(usize),
    ) -> Result<(HashMap<&'o str, u64>, String), Error> {
        let mut sizes = self.sizes("blob", files)?;
        let missing = files.iter().copied();
        let missing: Vec<&str> = missing.filter(|it| !sizes.contains_key(it)).collect();
        if missing.is_empty() {
            return Ok((sizes, String::new()));
        }
        tell(missing.len());
        let fetched = self.fetch(&["--filter=blob:none"], &missing)?;
        let reason = match fetched.status.success() {
            true => "it does not send them".to_owned(),
            false => {
                // a lazy fetch gets the files that the server sends singly
                let lazy = Git::bare(&self.path).without_ssh_prompts();
                lazy.args(["cat-file", "--batch-check"])
                    .output_with_lines(&missing)?;
                reason(&fetched)
            }
        };
        sizes.extend(self.sizes("blob", &missing)?);
        Ok((sizes, reason))
    }

    /// Fetches refs, commits or other objects by their names, all in one call. Lazy fetching is
    /// off, because it would start a further process for each object that the server lacks.
    pub(super) fn fetch(
        &self,
        options: &[&str],
        wanted: &[impl Borrow<str>],
    ) -> Result<Output, Error> {
        let fetch = self.git().without_ssh_prompts().args([
            "fetch",
            "-q",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
        ]);
        let fetch = fetch.args(options).args(["--stdin", "origin"]);
        fetch.output_with_lines(wanted)
    }

    /// Returns the sizes in bytes of those of some objects that the cache has and that have this
    /// type.
    fn sizes<'o>(
        &self,
        object_type: &str,
        objects: &[&'o str],
    ) -> Result<HashMap<&'o str, u64>, Error> {
        if objects.is_empty() {
            return Ok(HashMap::new());
        }
        let check = ["cat-file", "--batch-check=%(objecttype) %(objectsize)"];
        let output = self.git().args(check).output_with_lines(objects)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let sizes = objects.iter().zip(stdout.lines());
        let sizes = sizes.filter_map(|(object, line)| {
            let (found, size) = line.split_once(' ')?;
            let size = size.parse().ok().filter(|_| found == object_type)?;
            Some((*object, size))
        });
        Ok(sizes.collect())
    }

    /// Lists the contents of some folders at a commit, with few calls. Returns the entries of each
    /// folder, with paths relative to it, or the reason why they cannot be listed. A folder that
    /// does not exist or is empty is missing in the result.
    pub(super) fn list<'d>(
        &self,
        commit: &str,
        directories: &BTreeSet<&'d str>,
    ) -> Result<Result<BTreeMap<&'d str, Vec<TreeEntry>>, String>, Error> {
        let mut listings: BTreeMap<&str, Vec<TreeEntry>> = BTreeMap::new();
        let all: Vec<&str> = directories.iter().copied().collect();
        for some in all.chunks(FOLDERS_PER_CALL) {
            let has_root = some.contains(&"");
            let list = self
                .git()
                .args(["ls-tree", "-r", "-t", "-z", "--full-tree", commit, "--"])
                .args(some.iter().filter(|_| !has_root))
                .stdout()?;
            let list = match list {
                Ok(list) => list,
                Err(reason) => return Ok(Err(reason)),
            };
            let unexpected = || "git lists it in another form than expected".to_owned();
            for line in list.split(|byte| *byte == 0).filter(|it| !it.is_empty()) {
                let Some(tab) = memchr::memchr(b'\t', line) else {
                    return Ok(Err(unexpected()));
                };
                let (head, path) = (&line[..tab], &line[tab + 1..]);
                let ends = memchr::memchr_iter(b'/', path).map(|at| (at, at + 1));
                for (end, start) in [(0, 0)].into_iter().chain(ends) {
                    let directory = std::str::from_utf8(&path[..end]).ok();
                    let Some(Ok(at)) = directory.map(|it| some.binary_search(&it)) else {
                        continue;
                    };
                    let entries = listings.entry(some[at]).or_default();
                    // one entry too many is enough to refuse the folder
                    if entries.len() <= tree::MAX_ENTRIES {
                        let Some(entry) = TreeEntry::parse(head, &path[start..]) else {
                            return Ok(Err(unexpected()));
                        };
                        entries.push(entry);
                    }
                }
            }
        }
        Ok(Ok(listings))
    }

    /// Reads the files of a tree into a snapshot called `name`.
    pub(super) fn read(&self, tree_entries: &[TreeEntry], name: &str) -> Result<Fetched, Error> {
        let objects = tree::file_objects(tree_entries);
        let names: Vec<&str> = objects.keys().copied().collect();
        // git prints a line with hash, type and size before each file
        let max_output = objects.values().sum::<u64>() + 200 * (names.len() as u64 + 1);
        let output = self
            .git()
            .max_output(max_output)
            .args(["cat-file", "--batch", "--buffer"])
            .output_with_lines(&names)?;
        let contents = contents(&output.stdout)
            .ok_or_else(|| self.broken(&format!("files are missing in it: {}", reason(&output))))?;
        let mut entries = BTreeMap::new();
        let mut left_out = Vec::new();
        for entry in tree_entries {
            if entry.is_own() {
                left_out.push(entry.path.clone());
                continue;
            }
            let bytes = contents.get(&*entry.object).map(|bytes| bytes.to_vec());
            let content = match bytes {
                _ if entry.is_submodule() => SnapshotEntry::Other,
                None => return Err(self.broken("a file is missing in it")),
                Some(target) if entry.is_link() => SnapshotEntry::Link(path_of(&target)),
                Some(bytes) => SnapshotEntry::File {
                    bytes,
                    is_executable: entry.mode == b"100755",
                },
            };
            entries.insert(entry.path.clone(), content);
        }
        let snapshot = Snapshot {
            name: Path::new(name).to_owned(),
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
