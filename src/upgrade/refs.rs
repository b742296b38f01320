//! The refs of an upstream repository: which version a name means, and which one is the newest.

use std::collections::BTreeMap;

use super::address::{Origin, is_hash};
use super::misspelled::names_like;
use super::version::{Choice, Tag, nearest, newer, newest, prefixes};
use crate::error::Error;
use crate::git_process::without_password;
use crate::visible::visible;

/// The refs of a repository.
#[derive(Debug, Default)]
pub(super) struct Refs {
    /// The branch that is there where nobody says which.
    head: Option<String>,
    /// The commit of each ref, by its full name.
    commits: BTreeMap<String, String>,
    /// Where archives are, by their digests.
    pub(super) urls: BTreeMap<String, String>,
}

/// A ref and the commit that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// As a person names it: without `refs/tags/`, and without the package's folder where the
    /// record leaves that out.
    pub name: String,
    /// The name on the server, without `refs/tags/` or `refs/heads/`; for a commit its hash.
    pub full: String,
    /// The commit.
    pub commit: String,
    /// Whether it is a tag.
    pub(super) tag: bool,
}

impl Version {
    /// A commit that has no other name.
    fn of_commit(commit: &str) -> Self {
        Self {
            name: commit.to_owned(),
            full: commit.to_owned(),
            commit: commit.to_owned(),
            tag: false,
        }
    }
}

impl Refs {
    /// Those that `git ls-remote --symref` lists.
    pub(super) fn listed(printed: &str) -> Self {
        let mut refs = Self::default();
        for (value, name) in printed.lines().filter_map(|line| line.split_once('\t')) {
            if let Some(target) = value.strip_prefix("ref: ") {
                if name == "HEAD" {
                    refs.head = target.strip_prefix("refs/heads/").map(str::to_owned);
                }
                continue;
            }
            // of a tag with a message, the commit that it names comes behind the tag itself
            let name = name.strip_suffix("^{}").unwrap_or(name);
            refs.commits.insert(name.to_owned(), value.to_owned());
        }
        refs
    }

    /// Adds a tag.
    pub(super) fn add_tag(&mut self, name: &str, commit: &str) {
        self.commits
            .insert(format!("refs/tags/{name}"), commit.to_owned());
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        self.commits
            .keys()
            .filter_map(|name| name.strip_prefix("refs/tags/"))
    }

    fn named(&self, kind: &str, name: &str) -> Option<&String> {
        self.commits.get(&format!("refs/{kind}/{name}"))
    }

    /// What a tag, branch or commit names, for a package in `directory`: as kpt does, a tag
    /// `DIRECTORY/NAME` comes first.
    pub(super) fn resolve(&self, name: &str, directory: &str) -> Option<Version> {
        let short = name
            .strip_prefix("refs/tags/")
            .or_else(|| name.strip_prefix("refs/heads/"))
            .unwrap_or(name);
        let found = |full: String, commit: &String, tag: bool| Version {
            name: short.to_owned(),
            full,
            commit: commit.clone(),
            tag,
        };
        let branches_only = name.starts_with("refs/heads/");
        let tag = |full: String| {
            let commit = self.named("tags", &full).filter(|_| !branches_only)?;
            Some(found(full, commit, true))
        };
        let branch = || {
            let commit = self.named("heads", short)?;
            Some(found(short.to_owned(), commit, false))
        };
        let below = |folder: &str| {
            let is_full = folder.is_empty() || name.starts_with("refs/");
            (!is_full).then(|| format!("{folder}/{short}"))
        };
        let last = directory.rsplit('/').next().unwrap_or_default();
        below(directory)
            .and_then(tag)
            .or_else(|| tag(short.to_owned()))
            .or_else(branch)
            .or_else(|| below(last).and_then(tag))
            .or_else(|| is_hash(name).then(|| Version::of_commit(name)))
            .or_else(|| self.abbreviated(name))
    }

    /// The commit of a ref that a shortened hash stands for.
    fn abbreviated(&self, name: &str) -> Option<Version> {
        let is_short = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut commits: Vec<&String> = self
            .commits
            .values()
            .filter(|commit| is_short && commit.starts_with(&name.to_ascii_lowercase()))
            .collect();
        commits.dedup();
        match commits.as_slice() {
            [commit] => Some(Version::of_commit(commit)),
            _ => None,
        }
    }

    /// The newest version after `current`, which a record names: a tag's next one, a branch's head.
    /// None where there is none.
    pub(super) fn newest(&self, current: &str, directory: &str, choice: Choice) -> Option<Version> {
        let resolved = self.resolve(current, directory);
        match resolved {
            Some(found) if !found.tag => return (found.commit != current).then_some(found),
            _ => {}
        }
        // the present version may be gone, and the others are called as ever
        let unknown = || {
            let below = format!("{directory}/");
            let has = |tag: &str| tag.starts_with(&below);
            match !directory.is_empty() && self.tags().any(has) {
                true => below.clone() + current,
                false => current.to_owned(),
            }
        };
        let full = resolved.map_or_else(unknown, |found| found.full);
        let tag = Tag::parse(&full)?;
        let next = newer(&tag, self.tags(), choice)?;
        // what the record leaves out stays left out
        let left_out = full.strip_suffix(current).unwrap_or_default();
        let name = next.strip_prefix(left_out).unwrap_or(next);
        Some(Version {
            name: name.to_owned(),
            full: next.to_owned(),
            commit: self.named("tags", next)?.clone(),
            tag: true,
        })
    }

    /// What is vendored where nobody says which version: the newest release, else the branch that
    /// is there.
    pub(super) fn first(&self, directory: &str, choice: Choice) -> Option<Version> {
        // no tag has a slash alone as its prefix
        let mut prefixes = prefixes(directory).into_iter();
        let tag = prefixes.find_map(|prefix| newest(&prefix, self.tags(), choice));
        let name = tag.or(self.head.as_deref())?;
        self.resolve(name, "")
    }

    /// That a name is none here.
    pub(super) fn no_version(&self, origin: &Origin, name: &str) -> Error {
        let alike = self.alike(name);
        let help = match alike.as_slice() {
            [] => format!(
                "name one with --to or @; see what there is: git ls-remote {}",
                without_password(&origin.repository)
            ),
            names => {
                let names: Vec<String> = names.iter().map(|name| visible(name)).collect();
                format!("the nearest that are there: {}", names.join(", "))
            }
        };
        Error::refused(
            format!(
                "{} has no tag, branch or commit {}",
                origin.shown(),
                visible(name)
            ),
            help,
        )
    }

    /// Some names that are near to one that is none: the versions around it, else what is written
    /// almost alike.
    fn alike(&self, name: &str) -> Vec<&str> {
        let near = nearest(name, self.tags());
        if !near.is_empty() {
            return near;
        }
        let names = self.commits.keys();
        let names = names.filter_map(|name| {
            let tag = name.strip_prefix("refs/tags/");
            tag.or_else(|| name.strip_prefix("refs/heads/"))
        });
        names_like(name, names)
    }
}
