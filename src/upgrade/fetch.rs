//! Fetches commits and files from git, all that is wanted of a repository at once.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::process::Output;

use rayon::prelude::*;

use super::address::{Origin, is_archive};
use super::cache::Store;
use super::refs::Version;
use super::remote::{Folder, Remotes};
use super::tree;
use crate::error::Error;
use crate::git_process::{reason, without_password};
use crate::package::Snapshot;
use crate::report::many;

impl Remotes<'_> {
    /// Fetches versions of packages, for `who`, with one fetch of the commits and one of the files
    /// of each repository. What is not there afterwards is fetched when it is read, which tells
    /// why.
    pub(super) fn fetch(&self, wanted: &[(&Origin, &Version)], who: &str) {
        for (repository, own) in by_repository(wanted) {
            // whatever goes wrong is told by who reads it
            let _ = self.fetch_of(repository, &own, who);
        }
    }

    /// [`Remotes::fetch`] for many packages, two versions of each. One that is alone in its
    /// repository is fetched when its turn comes.
    pub(super) fn fetch_many(&self, wanted: &[(&Origin, &Version)]) {
        let several = by_repository(wanted).into_par_iter();
        let several = several.filter(|(_, own)| own.len() > 2);
        several.for_each(|(repository, own)| {
            let who = many(own.len() / 2, "package");
            let _ = self.fetch_of(repository, &own, &who);
        });
    }

    fn fetch_of(
        &self,
        repository: &str,
        wanted: &[(&Origin, &Version)],
        who: &str,
    ) -> Result<(), Error> {
        let wanted = wanted.iter();
        let wanted: Vec<&(&Origin, &Version)> = wanted
            .filter(|(origin, version)| self.known(origin, version).is_none())
            .collect();
        let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (origin, version) in &wanted {
            let of_commit = folders.entry(&version.commit).or_default();
            of_commit.insert(&origin.directory);
        }
        let store = self.cache.store(repository)?;
        let _alone = store.alone()?;
        let commits: Vec<&str> = folders.keys().copied().collect();
        let missing = store.lacking(&commits)?;
        if !missing.is_empty() {
            let lacking = wanted.iter().map(|(_, version)| version);
            let lacking = lacking.filter(|version| missing.contains(&&*version.commit));
            let mut seen = BTreeSet::new();
            let names = lacking.map(|version| &*version.name);
            let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
            let shown = without_password(repository);
            self.tell(&format!("{who}: fetching {} of {shown}", names.join(", ")));
            store.fetch(&["--depth=1", "--filter=blob:none"], &missing)?;
        }
        let objects_of = |printed: &[u8]| -> Vec<String> {
            let listed = tree::checked(printed).unwrap_or_default();
            let objects = tree::objects(&listed).into_iter();
            objects.map(str::to_owned).collect()
        };
        let mut listed = Vec::new();
        let mut objects: BTreeSet<String> = BTreeSet::new();
        for (commit, directories) in &folders {
            let printed = store.list(commit, directories)?;
            for (directory, printed) in printed.map_err(|reason| store.broken(&reason))? {
                objects.extend(objects_of(&printed));
                listed.push((*commit, directory, printed));
            }
        }
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let (sizes, _) = store.fetched(&objects, |count| {
            let (count, shown) = (many(count, "file"), without_password(repository));
            self.tell(&format!("{who}: fetching {count} of {shown}"));
        })?;
        for (commit, directory, printed) in listed {
            let objects = objects_of(&printed).into_iter();
            // what is incomplete is looked at again by who reads it
            if let Some(sizes) = objects.map(|it| sizes.get(&it).copied()).collect() {
                self.learn(repository, commit, directory, Folder { printed, sizes });
            }
        }
        Ok(())
    }

    /// The files of a package at each of some tags: for each file its object.
    pub(super) fn trees(
        &self,
        origin: &Origin,
        versions: &[Version],
    ) -> Result<Vec<BTreeMap<PathBuf, String>>, Error> {
        let store = self.store(origin)?;
        let _alone = store.alone()?;
        let commits: Vec<&str> = versions.iter().map(|it| it.commit.as_str()).collect();
        let missing: HashSet<&str> = store.lacking(&commits)?.into_iter().collect();
        if !missing.is_empty() {
            let count = many(missing.len(), "version");
            self.tell(&format!("fetching {count} of {}", origin.shown()));
            let missing = versions.iter().filter(|it| missing.contains(&*it.commit));
            let names = missing.map(|version| format!("refs/tags/{}", version.full));
            let names: Vec<String> = names.collect();
            let output = store.fetch(&["--depth=1", "--filter=blob:none"], &names)?;
            if !store.lacking(&commits)?.is_empty() {
                return Err(versions_not_fetched(origin, &reason(&output)));
            }
        }
        let folder = BTreeSet::from([origin.directory.as_str()]);
        let tree = |version: &Version| {
            let printed = store.list(&version.commit, &folder)?;
            let printed = printed.map_err(|reason| store.broken(&reason))?;
            let printed = printed.into_values().next().unwrap_or_default();
            let listed = tree::checked(&printed).unwrap_or_default().into_iter();
            let files = listed.filter(|it| !it.is_own() && !it.is_submodule());
            Ok(files.map(|it| (it.path, it.object)).collect())
        };
        versions.iter().map(tree).collect()
    }

    /// What git calls the files of a copy.
    pub(super) fn hashes(
        &self,
        origin: &Origin,
        copy: &Snapshot,
    ) -> Result<HashMap<PathBuf, String>, Error> {
        let whole = std::path::absolute(&copy.name).unwrap_or_else(|_| copy.name.clone());
        // a name with a line break in it cannot be told to git so
        let paths = copy.entries.keys().filter_map(|path| {
            let text = whole.join(path).to_str()?.to_owned();
            (!text.contains('\n')).then_some((path, text))
        });
        let (paths, names): (Vec<&PathBuf>, Vec<String>) = paths.unzip();
        let output = self
            .store(origin)?
            .git()
            .offline()
            .args(["hash-object", "--no-filters", "--stdin-paths"])
            .output_with_lines(&names)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let hashes = paths.into_iter().zip(printed.lines());
        Ok(hashes
            .map(|(path, hash)| (path.clone(), hash.to_owned()))
            .collect())
    }
}

/// Versions in git by their repositories.
fn by_repository<'w>(
    wanted: &[(&'w Origin, &'w Version)],
) -> BTreeMap<&'w str, Vec<(&'w Origin, &'w Version)>> {
    let in_git = wanted
        .iter()
        .filter(|(origin, _)| !is_archive(&origin.repository));
    let mut repositories: BTreeMap<&str, Vec<(&Origin, &Version)>> = BTreeMap::new();
    for (origin, version) in in_git {
        let own = repositories.entry(&origin.repository).or_default();
        own.push((origin, version));
    }
    repositories
}

/// A server that has a commit without all that is in it.
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

/// A commit that could not be fetched, and why as far as that can be told.
fn not_fetched(origin: &Origin, version: &Version, reason: &str, is_shallow: bool) -> Error {
    let shown = without_password(&origin.repository);
    let signs = [
        "unable to read",
        "missing",
        "promisor",
        "corruption on the remote",
    ];
    if signs.iter().any(|sign| reason.contains(sign)) {
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
    let said = match reason {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    Error::refused(
        format!("the commit {commit} of {shown} is gone{said}"),
        format!(
            "upstream rewrote its history or cannot be reached (git ls-remote \
             {shown}); if the commit is lost, put the commit that your copy \
             was made from into the record, or find it with `merge3 adopt`"
        ),
    )
}

/// Versions that are compared with a copy, of which some could not be fetched.
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
    pub(super) fn has_commit(&self, commit: &str) -> Result<bool, Error> {
        Ok(self.lacking(&[commit])?.is_empty())
    }

    /// Those of some commits that are not here.
    fn lacking<'c>(&self, commits: &[&'c str]) -> Result<Vec<&'c str>, Error> {
        let told = self.told_of(commits, "%(objecttype)")?;
        // where git fails, it prints fewer lines: the other commits are fetched, which reports why
        let mut types = told.lines();
        let lacking = commits.iter().filter(|_| types.next() != Some("commit"));
        Ok(lacking.copied().collect())
    }

    /// Fetches one commit with its trees and without files, as far as the server can do that.
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
        let tries: [(&[&str], Vec<&str>); 5] = [
            (&shallow, vec![version.commit.as_str()]),
            (&shallow, vec![named[0].as_str()]),
            (&shallow, vec![named[1].as_str()]),
            // a server that gives commits by the names of refs only: all of them
            (&all, everything.to_vec()),
            (&[all[0], all[1], "--unshallow"], everything.to_vec()),
        ];
        let mut first = None;
        for (options, wanted) in tries {
            let output = self.fetch(options, &wanted)?;
            if self.has_commit(&version.commit)? {
                return Ok(());
            }
            if !output.status.success() && first.is_none() {
                first = Some(reason(&output));
            }
        }
        let is_shallow = self.git().args(["rev-parse", "--is-shallow-repository"]);
        let is_shallow = is_shallow.stdout_text()?.as_deref() == Some("true");
        Err(not_fetched(
            origin,
            version,
            &first.unwrap_or_default(),
            is_shallow,
        ))
    }

    /// Fetches refs, commits or other objects by their names, all at once. What the server lacks is
    /// not asked for again object by object, each with a process of its own that asks for the next.
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

    /// Fetches files. Returns what git says where that fails.
    pub(super) fn fetch_objects(&self, objects: &[String]) -> Result<String, Error> {
        // a server that refuses is asked again for each by git itself, when it is read
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
