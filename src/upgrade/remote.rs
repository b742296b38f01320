//! Upstream repositories during one run: reads their refs, finds the repository that an address
//! means, and keeps what was fetched. Reads the commits between two versions of a package.

use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::Serialize;

use super::address::{Address, Origin, is_archive, is_path};
use super::cache::{Cache, Store};
use super::refs::{Refs, Version};
use super::registry;
use super::tree::TreeEntry;
use crate::error::Error;
use crate::git_process::{Git, without_password};

/// The entries of a folder whose files have all been fetched, or the error of fetching them.
pub(super) type Folder = Result<Arc<Vec<TreeEntry>>, Error>;

/// The folders that were fetched in this run, by their origins and commits.
pub(super) type Folders = HashMap<(Origin, String), Folder>;

/// The refs of a repository, or the error of reading them. Threads that need them wait for the first.
type SharedRefs = Arc<OnceLock<Result<Arc<Refs>, Error>>>;

/// Shows a message about what is being fetched, and for which package.
type Tell<'t> = &'t (dyn Fn(&str) + Sync);

/// The upstream repositories of one run. The refs of each are read once.
pub(crate) struct Remotes<'t> {
    pub(super) cache: Cache,
    refs: Mutex<HashMap<String, SharedRefs>>,
    pub(super) folders: Mutex<Folders>,
    tell: Tell<'t>,
}

impl<'t> Remotes<'t> {
    /// Creates an empty set of repositories over a cache. `tell` shows what is being fetched.
    pub(crate) fn new(cache: Cache, tell: Tell<'t>) -> Self {
        Self {
            cache,
            refs: Mutex::default(),
            folders: Mutex::default(),
            tell,
        }
    }

    pub(super) fn tell(&self, what: &str) {
        (self.tell)(what);
    }

    /// Returns the refs of a repository.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub(super) fn refs(&self, repository: &str) -> Result<Arc<Refs>, Error> {
        let slot = {
            let mut slots = self.refs.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(repository.to_owned()).or_default())
        };
        let refs = slot.get_or_init(|| {
            let shown = without_password(repository);
            self.tell(&format!("asking {shown} for its versions"));
            list(repository).map(Arc::new)
        });
        refs.as_ref().map(Arc::clone).map_err(Error::again)
    }

    /// Returns the origin that an address names, its refs, and the version that the address names,
    /// or, if it names none, the version that `default` returns.
    ///
    /// # Errors
    /// If there is no such version, or the address has a password, which would get into the record.
    pub(super) fn version_at(
        &self,
        address: &Address,
        default: impl FnOnce(&Origin, &Refs) -> Result<Option<Version>, Error>,
    ) -> Result<(Origin, Arc<Refs>, Version), Error> {
        let mut origins = address.0.iter().map(|(origin, _)| origin);
        if let Some(origin) = origins.find(|it| without_password(&it.repository) != it.repository) {
            return Err(Error::refused(
                format!(
                    "the address {} holds a user name or a password, \
                     which would be written into the package",
                    origin.shown()
                ),
                "leave it out, and give it to git: git help credentials",
            ));
        }
        let (origin, refs, reference) = self.locate(address)?;
        let version = match reference {
            Some(name) => refs.resolve(name, &origin.directory),
            None => default(&origin, &refs)?,
        };
        let name = reference.unwrap_or("HEAD");
        let version = version.ok_or_else(|| refs.no_version(&origin, name))?;
        let version = self.with_digest(&origin, version)?;
        Ok((origin, refs, version))
    }

    /// Returns the first candidate of an address that is a repository with the ref of the address,
    /// else the last one that is a repository.
    fn locate<'a>(
        &self,
        Address(candidates): &'a Address,
    ) -> Result<(Origin, Arc<Refs>, Option<&'a str>), Error> {
        let repositories = || candidates.iter().map(|(origin, _)| &origin.repository);
        let is_clear = repositories().min() == repositories().max();
        let (mut found, mut reason) = (None, String::new());
        for (origin, reference) in candidates {
            let (origin, reference) = (absolute(origin.clone()), reference.as_deref());
            let is_path = is_path(&origin.repository);
            if !is_clear && is_path && !Path::new(&origin.repository).exists() {
                continue;
            }
            match self.refs(&origin.repository) {
                Ok(refs) => {
                    let has = |name: &str| refs.resolve(name, &origin.directory).is_some();
                    let has_reference = reference.is_none_or(has);
                    found = Some((origin, refs, reference));
                    if has_reference {
                        break;
                    }
                }
                Err(error) if is_clear => return Err(error),
                Err(error) => reason = format!(" ({error})"),
            }
        }
        found.ok_or_else(|| {
            let longest = candidates.iter().map(|(origin, _)| origin.shown());
            let shown = longest.max_by_key(String::len).unwrap_or_default();
            Error::refused(
                format!(
                    "there is no git repository in {shown}, nor in what it begins with{reason}"
                ),
                format!(
                    "write .git or // where the repository ends, and \
                     see that git can reach it: git ls-remote {shown}"
                ),
            )
        })
    }
}

/// Makes a path on this machine absolute, so that it does not depend on the current folder.
fn absolute(mut origin: Origin) -> Origin {
    if !is_path(&origin.repository) {
        return origin;
    }
    let path = Path::new(&origin.repository);
    let goes_up = path.components().any(|it| it == Component::ParentDir);
    let absolute = match goes_up {
        true => path.canonicalize(),
        false => std::path::absolute(path),
    };
    if let Ok(path) = absolute {
        origin.repository = path.to_string_lossy().into_owned();
    }
    origin
}

/// Reads the refs of a repository from its server.
fn list(repository: &str) -> Result<Refs, Error> {
    if is_archive(repository) {
        return registry::list(repository);
    }
    let listing = Git::new()
        .without_ssh_prompts()
        .args(["ls-remote", "--symref", "--", repository])
        .stdout()?;
    let listing = listing.map_err(|reason| {
        let shown = without_password(repository);
        Error::refused(
            format!("{shown} cannot be read: {reason}"),
            format!("check the address, and that git can reach it: git ls-remote {shown}"),
        )
    })?;
    Ok(Refs::parse(&String::from_utf8_lossy(&listing)))
}

/// One of upstream's commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Commit {
    /// Its hash.
    #[serde(rename = "commit")]
    pub hash: String,
    /// The date of the commit, in ISO 8601.
    pub date: String,
    /// The name of its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// Returns the date without the time.
    pub(super) fn day(&self) -> &str {
        self.date.get(..10).unwrap_or(&self.date)
    }
}

impl Remotes<'_> {
    /// Returns the commits from one version to another that change something in the package's
    /// folder, the newest first. `None` if the server does not send them.
    ///
    /// # Errors
    /// If git or the cache cannot be used.
    pub(super) fn commits(
        &self,
        origin: &Origin,
        from: &Version,
        to: &Version,
    ) -> Result<Option<Vec<Commit>>, Error> {
        if is_archive(&origin.repository) {
            return Ok(None);
        }
        if from.commit == to.commit {
            return Ok(Some(Vec::new()));
        }
        // a separate repository, because the commits at which its history is cut off depend on
        // these two versions
        let range = format!("{}\n{}", from.commit, to.commit);
        let (store, _lock) = self.cache.locked_store(&origin.repository, Some(&range))?;
        if !store.path.join("merge3-fetched").is_file() {
            self.tell(&format!(
                "reading what upstream committed in {}",
                origin.shown()
            ));
            if !self.fetch_range(&store, origin, from, to)? {
                return Ok(None);
            }
            // without this mark, the next run fetches again
            let _ = std::fs::write(store.path.join("merge3-fetched"), "");
        }
        store.log(origin, from, to).map(Some)
    }

    /// Fetches the commits and trees from one version to the other, and one more commit on each
    /// line of history to compare with. Returns whether the server sent them.
    fn fetch_range(
        &self,
        store: &Store,
        origin: &Origin,
        from: &Version,
        to: &Version,
    ) -> Result<bool, Error> {
        let cached = self.cache.store(&origin.repository).git();
        let dates = cached.log(["%ct"], ["-1", &from.commit, "--"])?;
        let since = dates.unwrap_or_default().into_iter().flatten().next();
        let limits = [
            from.tag
                .then(|| format!("--shallow-exclude=refs/tags/{}", from.full)),
            since.map(|date| format!("--shallow-since={date}")),
        ];
        let named = format!("refs/{}/{}", if to.tag { "tags" } else { "heads" }, to.full);
        for limit in limits.into_iter().flatten() {
            for wanted in [to.commit.as_str(), named.as_str()] {
                let fetched = store.fetch(&["--filter=blob:none", &limit], &[wanted])?;
                if fetched.status.success() && store.has_commit(&to.commit)? {
                    let _ = store.fetch(&["--filter=blob:none", "--deepen=1"], &[wanted])?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Store {
    /// Returns the commits of a folder from one version to another.
    fn log(&self, origin: &Origin, from: &Version, to: &Version) -> Result<Vec<Commit>, Error> {
        // the commits at which history is cut off only serve to compare with
        let shallow = std::fs::read_to_string(self.path.join("shallow")).unwrap_or_default();
        let edges = shallow.lines().filter(|edge| *edge != to.commit);
        let mut range: Vec<String> = edges.map(|edge| format!("^{edge}")).collect();
        if self.has_commit(&from.commit)? {
            range.push(format!("^{}", from.commit));
        }
        let folder = Some(origin.directory.as_str()).filter(|folder| !folder.is_empty());
        let arguments = ["--no-renames", &to.commit].into_iter();
        let arguments = arguments.chain(range.iter().map(String::as_str));
        let arguments = arguments.chain(["--"]).chain(folder);
        let log = self.git().log(["%H", "%cI", "%an", "%s"], arguments)?;
        let commits = log.map_err(|reason| self.broken(&reason))?.into_iter();
        let commits = commits.map(|[hash, date, author, subject]| Commit {
            hash,
            date,
            author,
            subject,
        });
        Ok(commits.collect())
    }
}
