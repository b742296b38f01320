//! An upstream repository: its refs, and what is fetched of it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::address::{Address, Location, Origin, check_reference, is_path};
use super::cache::{Cache, Store};
use super::fetch::Folder;
use super::registry;
use super::version::{Choice, Tag, nearest, newer, newest, prefixes};
use crate::error::Error;
use crate::git_process::{Git, reason, without_password};
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
pub struct Version {
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

/// What a server said of its refs: these, or why it did not.
type Listing = Result<Arc<Refs>, Error>;

/// Is told what is being fetched, and for which package.
type Tell<'t> = &'t (dyn Fn(&str) + Sync);

/// What is asked of servers in one run, each thing once.
pub struct Remotes<'t> {
    pub(super) cache: Cache,
    refs: Mutex<HashMap<String, Arc<OnceLock<Listing>>>>,
    /// By repository, commit and folder.
    pub(super) contents: Mutex<HashMap<[String; 3], Arc<Folder>>>,
    tell: Tell<'t>,
}

impl<'t> Remotes<'t> {
    /// With what was fetched before. What is being fetched is told to `tell`.
    pub fn new(cache: Cache, tell: Tell<'t>) -> Self {
        Self {
            cache,
            refs: Mutex::new(HashMap::new()),
            contents: Mutex::new(HashMap::new()),
            tell,
        }
    }

    pub(super) fn tell(&self, what: &str) {
        (self.tell)(what);
    }

    pub(super) fn store(&self, origin: &Origin) -> Result<Store, Error> {
        self.cache.store(&origin.repository)
    }

    /// The refs of a repository.
    ///
    /// # Errors
    /// Where it cannot be reached.
    pub(super) fn refs(&self, repository: &str) -> Result<Arc<Refs>, Error> {
        let slot = {
            let mut known = self.refs.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(repository.to_owned()).or_default())
        };
        let listed = slot.get_or_init(|| {
            let shown = without_password(repository);
            self.tell(&format!("asking {shown} for its versions"));
            list(repository).map(Arc::new)
        });
        listed.as_ref().map(Arc::clone).map_err(Error::again)
    }

    /// Where the package is that an address names, and its ref, where it has one.
    ///
    /// # Errors
    /// Where there is no repository.
    pub(super) fn locate(&self, address: &Address) -> Result<(Origin, Option<String>), Error> {
        if let Location::Page(repository, rest) = &address.location {
            return self.locate_page(repository, rest);
        }
        let origin = self.locate_origin(&address.location)?;
        Ok((origin, address.reference.clone()))
    }

    /// The ref of a page is the longest one that is there.
    fn locate_page(&self, repository: &str, rest: &str) -> Result<(Origin, Option<String>), Error> {
        let refs = self.refs(repository)?;
        let ends = rest.match_indices('/').map(|(at, _)| at);
        let mut ends: Vec<usize> = ends.chain([rest.len()]).collect();
        ends.reverse();
        let is_ref = |end: &usize| {
            let name = &rest[..*end];
            check_reference(name).is_ok() && refs.resolve(name, "").is_some()
        };
        let Some(end) = ends.into_iter().find(is_ref) else {
            let first = rest.split('/').next().unwrap_or(rest);
            return Err(refs.no_version(&Origin::new(repository, "")?, first));
        };
        let (name, directory) = rest.split_at(end);
        Ok((Origin::new(repository, directory)?, Some(name.to_owned())))
    }

    fn locate_origin(&self, location: &Location) -> Result<Origin, Error> {
        let candidates = match location {
            Location::Clear(origin) => return Ok(absolute(origin.clone())),
            Location::Candidates(origins) => origins,
            Location::Page(repository, _) => return Origin::new(repository, ""),
        };
        let mut told = Vec::new();
        for origin in candidates {
            let origin = absolute(origin.clone());
            if is_path(&origin.repository) && !PathBuf::from(&origin.repository).exists() {
                continue;
            }
            match self.refs(&origin.repository) {
                Ok(_) => return Ok(origin),
                Err(error) => told.push(error.to_string()),
            }
        }
        let whole = candidates
            .iter()
            .max_by_key(|origin| origin.repository.len());
        let shown = whole.map_or_else(String::new, Origin::shown);
        let said = told
            .last()
            .map_or_else(String::new, |last| format!(" ({last})"));
        Err(Error::git(
            format!("there is no git repository in {shown}, nor in what it begins with{said}"),
            format!(
                "write .git or // where the repository ends, and see that git can reach it: git ls-remote {shown}"
            ),
        ))
    }
}

/// A path on this machine stays the same wherever the program runs.
fn absolute(origin: Origin) -> Origin {
    if !is_path(&origin.repository) {
        return origin;
    }
    let path = Path::new(&origin.repository);
    let goes_up = path.components().any(|it| it == Component::ParentDir);
    let path = match goes_up {
        true => path.canonicalize(),
        false => std::path::absolute(path),
    };
    Origin {
        repository: path.map_or(origin.repository, |path| {
            path.to_string_lossy().into_owned()
        }),
        directory: origin.directory,
    }
}

fn list(repository: &str) -> Result<Refs, Error> {
    if registry::is_archive(repository) {
        return registry::list(repository);
    }
    let output = Git::new()
        .quiet_ssh()
        .args(["ls-remote", "--symref", "--", repository])
        .output()?;
    if !output.status.success() {
        let shown = without_password(repository);
        return Err(Error::git(
            format!("{shown} cannot be read: {}", reason(&output)),
            format!("check the address, and that git can reach it: git ls-remote {shown}"),
        ));
    }
    let mut refs = Refs::default();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((value, name)) = line.split_once('\t') else {
            continue;
        };
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
    Ok(refs)
}

impl Refs {
    /// Adds a tag.
    pub(super) fn add_tag(&mut self, name: &str, commit: &str) {
        self.commits
            .insert(format!("refs/tags/{name}"), commit.to_owned());
    }

    /// The branch that is there where nobody says which.
    pub(super) fn head(&self) -> Option<&str> {
        self.head.as_deref()
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
            .or_else(|| is_hash(name).then(|| found(name.to_owned(), &name.to_owned(), false)))
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
            [commit] => Some(Version {
                name: (*commit).clone(),
                full: (*commit).clone(),
                commit: (*commit).clone(),
                tag: false,
            }),
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
        let name = tag.or(self.head())?;
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
        Error::git(
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
        let names: Vec<&str> = names
            .filter_map(|name| {
                let tag = name.strip_prefix("refs/tags/");
                tag.or_else(|| name.strip_prefix("refs/heads/"))
            })
            .collect();
        similar::get_close_matches(name, &names, 3, 0.6)
    }
}

/// Whether a name is a whole hash, or the digest of an archive.
pub(super) fn is_hash(name: &str) -> bool {
    if registry::is_digest(name) {
        return true;
    }
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}
