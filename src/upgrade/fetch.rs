//! Gets the files of packages at their versions: fetches commits and files from git repositories
//! into the cache, with few calls for each, and reads them from there without a checkout.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::address::{Origin, is_archive};
use super::cache::Store;
use super::refs::Version;
use super::remote::{Folder, Folders, Remotes};
use super::tree::{self, Fetched, TreeEntry};
use crate::error::Error;
use crate::git_process::without_password;
use crate::package::Snapshot;
use crate::report::many;
use crate::visible::visible;

/// How often a version is fetched again if another process empties the cache meanwhile.
const MAX_REPEATS: usize = 3;

impl Remotes<'_> {
    /// Fetches versions of packages, in parallel, with one call for the commits and one for the
    /// files of each repository. Errors are reported when a version is read.
    pub(super) fn fetch(&self, wanted: &[(&Origin, &Version)]) {
        let mut repositories: BTreeMap<&str, Vec<(&Origin, &Version)>> = BTreeMap::new();
        for (origin, version) in wanted {
            let versions = repositories.entry(&origin.repository).or_default();
            versions.push((*origin, *version));
        }
        repositories.retain(|repository, _| !is_archive(repository));
        repositories.into_par_iter().for_each(|(_, versions)| {
            let _ = self.fetch_from_one(&versions);
        });
    }

    /// Fetches versions from one repository, and keeps for each the list of its files or the error.
    fn fetch_from_one(&self, wanted: &[(&Origin, &Version)]) -> Result<(), Error> {
        let Some((origin, _)) = wanted.first() else {
            return Ok(());
        };
        let (store, _lock) = self.cache.locked_store(&origin.repository, None)?;
        let listings = self.listings(&store, wanted)?;
        let files = listings.iter().flatten().map(|it| tree::file_objects(it));
        let files = files.flat_map(BTreeMap::into_keys).map(str::to_owned);
        let files: BTreeSet<String> = files.collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let tell = |count| self.tell_fetching(wanted, &many(count, "file"));
        let (sizes, reason) = store.fetch_files(&files, tell)?;
        for (&(origin, version), listing) in wanted.iter().zip(listings) {
            let folder = listing.and_then(|entries| {
                let entries = tree::with_sizes(entries, &sizes);
                entries.ok_or_else(|| incomplete(origin, version, &reason))
            });
            let key = (origin.clone(), version.commit.clone());
            self.folders().insert(key, folder.map(Arc::new));
        }
        Ok(())
    }

    /// Fetches the commits of versions, and returns the files of each one's folder.
    fn listings(
        &self,
        store: &Store,
        wanted: &[(&Origin, &Version)],
    ) -> Result<Vec<Result<Vec<TreeEntry>, Error>>, Error> {
        let tell = |what: &str| self.tell_fetching(wanted, what);
        let (missing, reason) = store.fetch_commits(wanted, tell)?;
        let is_shallow = !missing.is_empty() && store.is_shallow()?;
        let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (origin, version) in wanted {
            let directories = folders.entry(&version.commit).or_default();
            directories.insert(&origin.directory);
        }
        folders.retain(|commit, _| !missing.contains(commit));
        let mut listings = HashMap::new();
        for (commit, directories) in &folders {
            listings.insert(*commit, store.list(commit, directories)?);
        }
        let entries = wanted.iter().map(|(origin, version)| {
            let found = listings.get(&*version.commit);
            let found = found.ok_or_else(|| not_fetched(origin, version, &reason, is_shallow))?;
            let refused = |reason: &str| refused(origin, version, reason);
            let found = found.as_ref().map_err(|reason| refused(reason))?;
            let entries = found.get(&*origin.directory).cloned();
            let entries = entries.ok_or_else(|| no_folder(origin, version))?;
            tree::check_entries(entries).map_err(|reason| refused(&reason))
        });
        Ok(entries.collect())
    }

    /// Tells what is being fetched, and for which package or how many.
    fn tell_fetching(&self, wanted: &[(&Origin, &Version)], what: &str) {
        let packages: BTreeSet<&Origin> = wanted.iter().map(|(origin, _)| *origin).collect();
        if let Some(origin) = packages.first() {
            let purpose = match packages.len() {
                1 => origin.base_name().to_owned(),
                count => many(count, "package"),
            };
            let shown = without_password(&origin.repository);
            self.tell(&format!("{purpose}: fetching {what} of {shown}"));
        }
    }

    /// Returns the files of a package at a version. Fetches what was not fetched in this run.
    ///
    /// # Errors
    /// If the repository cannot be reached, the commit is gone or lacks the folder, the files are
    /// no valid package, or the cache cannot be used.
    pub(super) fn snapshot(&self, origin: &Origin, version: &Version) -> Result<Fetched, Error> {
        if is_archive(&origin.repository) {
            return self.archive(origin, version);
        }
        let key = (origin.clone(), version.commit.clone());
        let name = format!("{}@{}", origin.shown(), version.name);
        let again = |folder: &Folder| folder.as_ref().map(Arc::clone).map_err(Error::again);
        let mut repeats = 0..MAX_REPEATS;
        loop {
            let fetched = self.folders().get(&key).map(again);
            let Some(entries) = fetched.transpose()? else {
                self.fetch_from_one(&[(origin, version)])?;
                continue;
            };
            let sizes = tree::check_sizes(&entries);
            sizes.map_err(|reason| refused(origin, version, &reason))?;
            let read = || {
                let store = self.cache.store(&origin.repository);
                let _reader = store.lock(File::lock_shared)?;
                store.read(&entries, &name)
            };
            match (read(), repeats.next()) {
                // another process has emptied the cache
                (Err(_), Some(_)) => drop(self.folders().remove(&key)),
                (fetched, _) => return fetched,
            }
        }
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the files of a package at each of some versions: the hash of each file, by its path.
    pub(super) fn file_hashes(
        &self,
        origin: &Origin,
        versions: &[Version],
    ) -> Result<Vec<BTreeMap<PathBuf, String>>, Error> {
        let (store, _lock) = self.cache.locked_store(&origin.repository, None)?;
        let wanted: Vec<(&Origin, &Version)> = versions.iter().map(|it| (origin, it)).collect();
        let tell = |what: &str| self.tell_fetching(&wanted, what);
        let (missing, reason) = store.fetch_commits(&wanted, tell)?;
        if !missing.is_empty() {
            return Err(versions_not_fetched(origin, &reason));
        }
        let listings = self.listings(&store, &wanted)?.into_iter();
        // a version without the folder has no files
        let hashes = listings.map(|listing| {
            let files = listing.unwrap_or_default().into_iter();
            let files = files.filter(|it| !it.is_own() && !it.is_submodule());
            files.map(|it| (it.path, it.object)).collect()
        });
        Ok(hashes.collect())
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
        let git = self.cache.store(&origin.repository).git();
        let output = git
            .args(["hash-object", "--no-filters", "--stdin-paths"])
            .output_with_lines(&names)?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let hashes = paths.into_iter().zip(stdout.lines());
        Ok(hashes
            .map(|(path, hash)| (path.clone(), hash.to_owned()))
            .collect())
    }
}

/// Returns the error for a server that has a commit but not all files of it.
fn incomplete(origin: &Origin, version: &Version, reason: &str) -> Error {
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

/// Returns the error for a tree that is no valid package.
pub(super) fn refused(origin: &Origin, version: &Version, reason: &str) -> Error {
    let (shown, name, reason) = (origin.shown(), &version.name, visible(reason));
    Error::refused(
        format!("{shown} is not a package at {name}: {reason}"),
        "tell upstream; nothing was written",
    )
}

fn no_folder(origin: &Origin, version: &Version) -> Error {
    let shown = without_password(&origin.repository);
    let (directory, name) = (&origin.directory, &version.name);
    Error::refused(
        format!("{shown} has no folder {directory} at {name}"),
        "upstream moved or deleted it: look where it is now, and correct `directory` in the record",
    )
}
