//! Fetches commits and files from git repositories into the cache, with few calls for each.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::process::Output;

use rayon::prelude::*;

use super::address::{Origin, is_archive};
use super::cache::Store;
use super::refs::Version;
use super::remote::{FolderListing, Remotes};
use super::tree;
use crate::error::Error;
use crate::git_process::{reason, without_password};
use crate::package::Snapshot;
use crate::report::many;

impl Remotes<'_> {
    /// Fetches versions of packages, with one call for the commits and one for the files of each
    /// repository. `purpose` begins the messages about it. Errors are ignored: what is missing is
    /// fetched again when it is read, and the error is reported then.
    pub(super) fn fetch(&self, wanted: &[(&Origin, &Version)], purpose: &str) {
        for (repository, versions) in by_repository(wanted) {
            let _ = self.fetch_from(repository, &versions, purpose);
        }
    }

    /// Fetches two versions of each of many packages, in parallel. Skips repositories with only one
    /// package, which is fetched when it is upgraded.
    pub(super) fn fetch_many(&self, wanted: &[(&Origin, &Version)]) {
        let shared = by_repository(wanted).into_par_iter();
        let shared = shared.filter(|(_, versions)| versions.len() > 2);
        shared.for_each(|(repository, versions)| {
            let purpose = many(versions.len() / 2, "package");
            let _ = self.fetch_from(repository, &versions, &purpose);
        });
    }

    fn fetch_from(
        &self,
        repository: &str,
        wanted: &[(&Origin, &Version)],
        purpose: &str,
    ) -> Result<(), Error> {
        let wanted = wanted.iter();
        let wanted: Vec<&(&Origin, &Version)> = wanted
            .filter(|(origin, version)| self.fetched_folder(origin, version).is_none())
            .collect();
        let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (origin, version) in &wanted {
            let directories = folders.entry(&version.commit).or_default();
            directories.insert(&origin.directory);
        }
        let store = self.cache.store(repository)?;
        let _lock = store.lock_exclusive()?;
        let commits: Vec<&str> = folders.keys().copied().collect();
        let missing = store.missing_commits(&commits)?;
        if !missing.is_empty() {
            let versions = wanted.iter().map(|(_, version)| version);
            let versions = versions.filter(|version| missing.contains(&&*version.commit));
            let mut seen = BTreeSet::new();
            let names = versions.map(|version| &*version.name);
            let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
            let (names, shown) = (names.join(", "), without_password(repository));
            self.tell(&format!("{purpose}: fetching {names} of {shown}"));
            store.fetch(&["--depth=1", "--filter=blob:none"], &missing)?;
        }
        let objects_of = |listing: &[u8]| -> Vec<String> {
            let entries = tree::parse_listing(listing).unwrap_or_default();
            let objects = tree::file_objects(&entries).into_iter();
            objects.map(str::to_owned).collect()
        };
        let mut listings = Vec::new();
        let mut objects: BTreeSet<String> = BTreeSet::new();
        for (commit, directories) in &folders {
            let found = store.list(commit, directories)?;
            for (directory, listing) in found.map_err(|reason| store.broken(&reason))? {
                objects.extend(objects_of(&listing));
                listings.push((*commit, directory, listing));
            }
        }
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let (sizes, _) = store.fetch_missing_files(&objects, |count| {
            let (count, shown) = (many(count, "file"), without_password(repository));
            self.tell(&format!("{purpose}: fetching {count} of {shown}"));
        })?;
        for (commit, directory, listing) in listings {
            let objects = objects_of(&listing).into_iter();
            // a folder with missing files is fetched again when it is read
            if let Some(sizes) = objects.map(|it| sizes.get(&it).copied()).collect() {
                let folder = FolderListing { listing, sizes };
                self.remember(repository, commit, directory, folder);
            }
        }
        Ok(())
    }

    /// Returns the files of a package at each of some tags: the hash of each file, by its path.
    pub(super) fn file_hashes(
        &self,
        origin: &Origin,
        versions: &[Version],
    ) -> Result<Vec<BTreeMap<PathBuf, String>>, Error> {
        let store = self.store(origin)?;
        let _lock = store.lock_exclusive()?;
        let commits: Vec<&str> = versions.iter().map(|it| it.commit.as_str()).collect();
        let missing: HashSet<&str> = store.missing_commits(&commits)?.into_iter().collect();
        if !missing.is_empty() {
            let count = many(missing.len(), "version");
            self.tell(&format!("fetching {count} of {}", origin.shown()));
            let missing = versions.iter().filter(|it| missing.contains(&*it.commit));
            let names = missing.map(|version| format!("refs/tags/{}", version.full));
            let names: Vec<String> = names.collect();
            let output = store.fetch(&["--depth=1", "--filter=blob:none"], &names)?;
            if !store.missing_commits(&commits)?.is_empty() {
                return Err(versions_not_fetched(origin, &reason(&output)));
            }
        }
        let folder = BTreeSet::from([origin.directory.as_str()]);
        let hashes = |version: &Version| {
            let listing = store.list(&version.commit, &folder)?;
            let listing = listing.map_err(|reason| store.broken(&reason))?;
            let listing = listing.into_values().next().unwrap_or_default();
            let entries = tree::parse_listing(&listing).unwrap_or_default();
            let files = entries.into_iter();
            let files = files.filter(|it| !it.is_own() && !it.is_submodule());
            Ok(files.map(|it| (it.path, it.object)).collect())
        };
        versions.iter().map(hashes).collect()
    }

    /// Returns git's hashes of the files of a copy, by their paths.
    pub(super) fn hashes_of_copy(
        &self,
        origin: &Origin,
        copy: &Snapshot,
    ) -> Result<HashMap<PathBuf, String>, Error> {
        let root = std::path::absolute(&copy.name).unwrap_or_else(|_| copy.name.clone());
        // git reads one path on each line, so a path with a line break is left out
        let paths = copy.entries.keys().filter_map(|path| {
            let text = root.join(path).to_str()?.to_owned();
            (!text.contains('\n')).then_some((path, text))
        });
        let (paths, names): (Vec<&PathBuf>, Vec<String>) = paths.unzip();
        let output = self
            .store(origin)?
            .git()
            .offline()
            .args(["hash-object", "--no-filters", "--stdin-paths"])
            .output_with_lines(&names)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let hashes = paths.into_iter().zip(stdout.lines());
        Ok(hashes
            .map(|(path, hash)| (path.clone(), hash.to_owned()))
            .collect())
    }
}

/// Groups versions by their repositories, without those of archives.
fn by_repository<'w>(
    wanted: &[(&'w Origin, &'w Version)],
) -> BTreeMap<&'w str, Vec<(&'w Origin, &'w Version)>> {
    let in_git = wanted
        .iter()
        .filter(|(origin, _)| !is_archive(&origin.repository));
    let mut repositories: BTreeMap<&str, Vec<(&Origin, &Version)>> = BTreeMap::new();
    for (origin, version) in in_git {
        let versions = repositories.entry(&origin.repository).or_default();
        versions.push((origin, version));
    }
    repositories
}

/// Returns the error for a server that has a commit but not all files of it.
pub(super) fn incomplete(origin: &Origin, version: &Version, reason: &str) -> Error {
    let shown = without_password(&origin.repository);
    Error::refused(
        format!(
            "{shown} lacks files of {}: it is a partial clone, or broken ({reason})",
            version.name
        ),
        "name the repository that it was cloned from in the record, \
         or fetch all of it there: git fetch --refetch --no-filter",
    )
}

/// Returns the error for a commit that could not be fetched, with the likely cause.
fn not_fetched(origin: &Origin, version: &Version, reason: &str, is_shallow: bool) -> Error {
    let shown = without_password(&origin.repository);
    let signs_of_missing_objects = [
        "unable to read",
        "missing",
        "promisor",
        "corruption on the remote",
    ];
    let is_sign = |sign: &&str| reason.contains(sign);
    if signs_of_missing_objects.iter().any(is_sign) {
        return incomplete(origin, version, reason);
    }
    let commit = &version.commit;
    if is_shallow {
        return Error::refused(
            format!("{shown} has only a part of its history, and not the commit {commit}"),
            "it is a shallow mirror: fetch all of it there (git fetch --unshallow), \
             or name the repository that it was cloned from in the record",
        );
    }
    let reason = match reason {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    Error::refused(
        format!("the commit {commit} of {shown} is gone{reason}"),
        format!(
            "upstream rewrote its history or cannot be reached (git ls-remote \
             {shown}); if the commit is lost, put the commit that your copy \
             was made from into the record, or find it with `merge3 adopt`"
        ),
    )
}

/// Returns the error for versions that could not be fetched to compare them with a copy.
fn versions_not_fetched(origin: &Origin, reason: &str) -> Error {
    let shown = origin.shown();
    let repository = without_password(&origin.repository);
    Error::refused(
        format!("the versions of {shown} cannot be fetched ({reason})"),
        format!(
            "see whether the server answers (git ls-remote {repository}), or name the version that \
             your copy was made from: merge3 adopt FOLDER {shown}@VERSION"
        ),
    )
}

impl Store {
    /// Whether the cache has a commit.
    pub(super) fn has_commit(&self, commit: &str) -> Result<bool, Error> {
        Ok(self.missing_commits(&[commit])?.is_empty())
    }

    /// Returns those of some commits that the cache does not have.
    fn missing_commits<'c>(&self, commits: &[&'c str]) -> Result<Vec<&'c str>, Error> {
        let types = self.batch_check(commits, "%(objecttype)")?;
        // if git fails, it prints fewer lines: the other commits are then fetched, and the error is
        // reported there
        let mut types = types.lines();
        let missing = commits.iter().filter(|_| types.next() != Some("commit"));
        Ok(missing.copied().collect())
    }

    /// Fetches one commit with its trees, and without files if the server supports that.
    pub(super) fn fetch_commit(&self, origin: &Origin, version: &Version) -> Result<(), Error> {
        if self.has_commit(&version.commit)? {
            return Ok(());
        }
        let shallow = ["--depth=1", "--filter=blob:none"];
        let all = ["--filter=blob:none", "--update-shallow"];
        let named = [
            format!("refs/tags/{}", version.full),
            format!("refs/heads/{}", version.full),
        ];
        let everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        let attempts: [(&[&str], Vec<&str>); 5] = [
            (&shallow, vec![version.commit.as_str()]),
            (&shallow, vec![named[0].as_str()]),
            (&shallow, vec![named[1].as_str()]),
            // a server may send only what refs name: the commit is then found by fetching all refs
            (&all, everything.to_vec()),
            (&[all[0], all[1], "--unshallow"], everything.to_vec()),
        ];
        let mut first_error = None;
        for (options, wanted) in attempts {
            let output = self.fetch(options, &wanted)?;
            if self.has_commit(&version.commit)? {
                return Ok(());
            }
            if !output.status.success() && first_error.is_none() {
                first_error = Some(reason(&output));
            }
        }
        let is_shallow = self.git().args(["rev-parse", "--is-shallow-repository"]);
        let is_shallow = is_shallow.stdout_text()?.as_deref() == Some("true");
        Err(not_fetched(
            origin,
            version,
            &first_error.unwrap_or_default(),
            is_shallow,
        ))
    }

    /// Fetches refs, commits or other objects by their names, all in one call. Lazy fetching is
    /// off, because it would start a further process for each object that the server lacks.
    pub(super) fn fetch(
        &self,
        options: &[&str],
        wanted: &[impl Borrow<str>],
    ) -> Result<Output, Error> {
        let fetch = self.git().offline().without_ssh_prompts().args([
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

    /// Fetches files by their hashes. Returns the reason to report if some are still missing.
    pub(super) fn fetch_objects(&self, objects: &[String]) -> Result<String, Error> {
        // if the server refuses this call, a lazy fetch gets the files that it would send singly
        let fetched = self.fetch(&["--filter=blob:none"], objects)?;
        if fetched.status.success() {
            return Ok("it does not send them".to_owned());
        }
        self.git()
            .without_ssh_prompts()
            .args(["cat-file", "--batch-check"])
            .output_with_lines(objects)?;
        Ok(reason(&fetched))
    }
}
