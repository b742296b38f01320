//! The refs of an upstream repository: resolves names to versions, and finds the newest version.

use std::collections::BTreeMap;

use serde::Serialize;

use super::address::{Origin, is_archive, is_hash};
use super::version::{Choice, Tag, nearest, newest, prefixes, similar_names};
use crate::error::Error;
use crate::git_process::without_password;
use crate::visible::visible;

/// The refs of a repository.
#[derive(Debug, Default)]
pub(super) struct Refs {
    /// The default branch.
    head: Option<String>,
    /// The commit of each ref, by the ref's full name.
    commits: BTreeMap<String, String>,
    /// The URLs of archives, by their digests; of those without one, by the names of their tags.
    pub(super) urls: BTreeMap<String, String>,
}

/// A version of a package: a ref and its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Version {
    /// The name that the user gave or the record has: without `refs/tags/`, and possibly without
    /// the package's folder.
    #[serde(rename = "ref")]
    pub name: String,
    /// The name on the server, without `refs/tags/` or `refs/heads/`; for a commit its hash.
    #[serde(skip)]
    pub full: String,
    /// The hash of the commit, or the digest of an archive.
    pub commit: String,
    /// Whether it is a tag.
    #[serde(skip)]
    pub(super) tag: bool,
}

impl Version {
    /// Returns the version with another name, for reports.
    pub(super) fn with_name(self, name: String) -> Self {
        Self {
            full: name.clone(),
            name,
            ..self
        }
    }

    /// A version that is a commit without a ref.
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
    /// Parses the output of `git ls-remote --symref`.
    pub(super) fn parse(listing: &str) -> Self {
        let mut refs = Self::default();
        for (value, name) in listing.lines().filter_map(|line| line.split_once('\t')) {
            if let Some(target) = value.strip_prefix("ref: ") {
                if name == "HEAD" {
                    refs.head = target.strip_prefix("refs/heads/").map(str::to_owned);
                }
                continue;
            }
            // the line with the commit of an annotated tag follows that of the tag object
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

    /// Resolves the name of a tag, branch or commit for the package in `directory`. As in kpt, a
    /// tag `DIRECTORY/NAME` takes precedence. A `+` in the name may be a `_` in the tag, as Helm
    /// writes it in OCI registries.
    pub(super) fn resolve(&self, name: &str, directory: &str) -> Option<Version> {
        let short = tag_or_branch(name).unwrap_or(name);
        let named = |kind: &str, full: &str| {
            let commit = self.commits.get(&format!("refs/{kind}/{full}"))?;
            Some(Version {
                name: short.to_owned(),
                full: full.to_owned(),
                commit: commit.clone(),
                tag: kind == "tags",
            })
        };
        let is_branch = name.starts_with("refs/heads/");
        let tag = |full: &str| named("tags", full).filter(|_| !is_branch);
        let tag_of_folder = |folder: &str| {
            let is_full = folder.is_empty() || name.starts_with("refs/");
            tag(&format!("{folder}/{short}")).filter(|_| !is_full)
        };
        let last = directory.rsplit('/').next().unwrap_or_default();
        tag_of_folder(directory)
            .or_else(|| tag(short))
            .or_else(|| named("heads", short))
            .or_else(|| tag_of_folder(last))
            .or_else(|| tag(&short.replace('+', "_")))
            .or_else(|| is_hash(name).then(|| Version::of_commit(name)))
            .or_else(|| self.abbreviated(name))
    }

    /// Resolves an abbreviated hash, if exactly one commit of a ref begins with it.
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

    /// Returns the newest version after `current`, the ref in a record: the newest tag after a tag,
    /// the head of a branch. `None` if there is no newer one.
    pub(super) fn newest(&self, current: &str, directory: &str, choice: Choice) -> Option<Version> {
        let resolved = self.resolve(current, directory);
        if let Some(head) = resolved.as_ref().filter(|found| !found.tag) {
            return (head.commit != current).then(|| head.clone());
        }
        // the current tag may be deleted: newer ones are found by the name that it must have had
        let deleted_name = || {
            let prefix = format!("{directory}/");
            let has_prefix = |tag: &str| tag.starts_with(&prefix);
            match !directory.is_empty() && self.tags().any(has_prefix) {
                true => prefix.clone() + current,
                false => current.to_owned(),
            }
        };
        let full = resolved.map_or_else(deleted_name, |found| found.full);
        let tag = Tag::parse(&full)?;
        let next = newest(tag.prefix, self.tags(), choice, Some(&tag))?;
        // the new name leaves out the same prefix as the record
        let left_out = full.strip_suffix(current).unwrap_or_default();
        let name = next.strip_prefix(left_out).unwrap_or(next);
        Some(Version {
            name: name.to_owned(),
            ..self.resolve(&format!("refs/tags/{next}"), "")?
        })
    }

    /// Returns the version to vendor by default: the newest release, else the default branch.
    pub(super) fn default_version(&self, directory: &str, choice: Choice) -> Option<Version> {
        // without a directory the first prefix is `/`, which no tag has
        let mut prefixes = prefixes(directory).into_iter();
        let tag = prefixes.find_map(|prefix| newest(&prefix, self.tags(), choice, None));
        let name = tag.or(self.head.as_deref())?;
        self.resolve(name, "")
    }

    /// Returns the error for a name that cannot be resolved, with the most similar names.
    pub(super) fn no_version(&self, origin: &Origin, name: &str) -> Error {
        // the versions around it, else names with a similar spelling
        let mut similar = nearest(name, self.tags());
        if similar.is_empty() {
            let names = self.commits.keys().filter_map(|name| tag_or_branch(name));
            similar = similar_names(name, names);
        }
        let repository = without_password(&origin.repository);
        let (kind, how) = match is_archive(&origin.repository) {
            true => ("version", String::new()),
            false => (
                "tag, branch or commit",
                format!("; see what there is: git ls-remote {repository}"),
            ),
        };
        let help = match similar.as_slice() {
            [] => format!("name one with --to or @{how}"),
            names => {
                let names: Vec<String> = names.iter().map(|name| visible(name)).collect();
                format!("the nearest that are there: {}", names.join(", "))
            }
        };
        Error::refused(
            format!("{} has no {kind} {}", origin.shown(), visible(name)),
            help,
        )
    }
}

/// Returns the name of a tag or branch without what git puts before it.
fn tag_or_branch(name: &str) -> Option<&str> {
    let tag = name.strip_prefix("refs/tags/");
    tag.or_else(|| name.strip_prefix("refs/heads/"))
}
