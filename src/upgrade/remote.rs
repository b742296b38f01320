//! Upstream repositories during one run: reads their refs, finds the repository that an address
//! means, and keeps what was fetched.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::address::{Address, Location, Origin, check_reference, is_archive, is_path};
use super::cache::{Cache, Store};
use super::refs::Refs;
use super::registry;
use crate::error::Error;
use crate::git_process::{Git, without_password};

/// The contents of a folder at a commit, whose files have all been fetched.
#[derive(Debug)]
pub(super) struct FolderListing {
    /// The output of `git ls-tree`, as [`Store::list`] returns it.
    pub(super) listing: Vec<u8>,
    /// The size of each file in bytes, in the order of [`super::tree::file_objects`]. A map would
    /// take more memory, and there may be thousands of packages.
    pub(super) sizes: Vec<u64>,
}

/// The refs of a repository, or the error of reading them.
type RefsResult = Result<Arc<Refs>, Error>;

/// Shows a message about what is being fetched, and for which package.
type Tell<'t> = &'t (dyn Fn(&str) + Sync);

/// The upstream repositories of one run. The refs of each are read once.
pub(crate) struct Remotes<'t> {
    pub(super) cache: Cache,
    refs: Mutex<HashMap<String, Arc<OnceLock<RefsResult>>>>,
    /// The fetched folders, by repository, commit and folder.
    pub(super) contents: Mutex<HashMap<[String; 3], Arc<FolderListing>>>,
    tell: Tell<'t>,
}

impl<'t> Remotes<'t> {
    /// Creates an empty set of repositories over a cache. `tell` shows what is being fetched.
    pub(crate) fn new(cache: Cache, tell: Tell<'t>) -> Self {
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

    /// Returns the origin that an address names, and the ref of the address if it has one.
    ///
    /// # Errors
    /// If there is no such repository.
    pub(super) fn locate(&self, address: &Address) -> Result<(Origin, Option<String>), Error> {
        let origin = match &address.location {
            Location::Page(repository, rest) => return self.locate_page(repository, rest),
            Location::Clear(origin) => absolute(origin.clone()),
            Location::Candidates(candidates) => self.first_repository(candidates)?,
        };
        Ok((origin, address.reference.clone()))
    }

    /// Splits the rest of a page's address into a ref and a folder, at the longest ref that exists.
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

    /// Returns the first candidate that is a repository.
    fn first_repository(&self, candidates: &[Origin]) -> Result<Origin, Error> {
        let mut last_error = None;
        for origin in candidates {
            let origin = absolute(origin.clone());
            if is_path(&origin.repository) && !PathBuf::from(&origin.repository).exists() {
                continue;
            }
            match self.refs(&origin.repository) {
                Ok(_) => return Ok(origin),
                Err(error) => last_error = Some(error.to_string()),
            }
        }
        let longest = candidates
            .iter()
            .max_by_key(|origin| origin.repository.len());
        let shown = longest.map_or_else(String::new, Origin::shown);
        let reason = last_error.map_or_else(String::new, |error| format!(" ({error})"));
        Err(Error::refused(
            format!("there is no git repository in {shown}, nor in what it begins with{reason}"),
            format!(
                "write .git or // where the repository ends, and \
                 see that git can reach it: git ls-remote {shown}"
            ),
        ))
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
