//! An upstream repository: its refs, and what is fetched of it.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::address::{Address, Location, Origin, check_reference, is_archive, is_path};
use super::cache::{Cache, Store};
use super::refs::Refs;
use super::registry;
use crate::error::Error;
use crate::git_process::{Git, without_password};

/// What is in a folder at a commit, all of which has been fetched.
#[derive(Debug)]
pub(super) struct Folder {
    /// What git prints of it, as [`Store::list`] has it.
    pub(super) printed: Vec<u8>,
    /// How many bytes each file has, in the order of [`objects`](super::tree::objects): there may be thousands of
    /// packages.
    pub(super) sizes: Vec<u64>,
}

/// What a server said of its refs: these, or why it did not.
type Listing = Result<Arc<Refs>, Error>;

/// Is told what is being fetched, and for which package.
type Tell<'t> = &'t (dyn Fn(&str) + Sync);

/// What is asked of servers in one run, each thing once.
pub(crate) struct Remotes<'t> {
    pub(super) cache: Cache,
    refs: Mutex<HashMap<String, Arc<OnceLock<Listing>>>>,
    /// By repository, commit and folder.
    pub(super) contents: Mutex<HashMap<[String; 3], Arc<Folder>>>,
    tell: Tell<'t>,
}

impl<'t> Remotes<'t> {
    /// With what was fetched before. What is being fetched is told to `tell`.
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
        let origin = match &address.location {
            Location::Page(repository, rest) => return self.locate_page(repository, rest),
            Location::Clear(origin) => absolute(origin.clone()),
            Location::Candidates(candidates) => self.locate_origin(candidates)?,
        };
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

    /// The first of some origins that is a repository.
    fn locate_origin(&self, candidates: &[Origin]) -> Result<Origin, Error> {
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
        Err(Error::refused(
            format!("there is no git repository in {shown}, nor in what it begins with{said}"),
            format!(
                "write .git or // where the repository ends, and \
                 see that git can reach it: git ls-remote {shown}"
            ),
        ))
    }
}

/// A path on this machine stays the same wherever the program runs.
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

fn list(repository: &str) -> Result<Refs, Error> {
    if is_archive(repository) {
        return registry::list(repository);
    }
    let printed = Git::new()
        .without_ssh_prompts()
        .args(["ls-remote", "--symref", "--", repository])
        .stdout()?;
    let printed = printed.map_err(|reason| {
        let shown = without_password(repository);
        Error::refused(
            format!("{shown} cannot be read: {reason}"),
            format!("check the address, and that git can reach it: git ls-remote {shown}"),
        )
    })?;
    Ok(Refs::listed(&String::from_utf8_lossy(&printed)))
}
