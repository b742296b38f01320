//! The cache of what was fetched from upstream: bare repositories and archives in a folder of the
//! user.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::git_process::Git;
use crate::package::private_folder::{self, named};
use crate::package::{if_there, sha256};

/// The environment variable with the path of the cache.
pub(crate) const CACHE_VARIABLE: &str = "MERGE3_CACHE_DIR";

/// The cache folder. Several processes and threads may use it at the same time.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    pub(crate) root: PathBuf,
}

/// A bare repository in the cache, for one upstream repository.
#[derive(Debug, Clone)]
pub(super) struct Store {
    pub(super) path: PathBuf,
}

impl Cache {
    /// Returns the user's cache: the folder in `MERGE3_CACHE_DIR`, else `merge3` in the system's
    /// folder for caches.
    ///
    /// # Errors
    /// If no environment variable names such a folder.
    pub(crate) fn of_user() -> Result<Self, Error> {
        let root = named(CACHE_VARIABLE)
            .or_else(|| named("XDG_CACHE_HOME").map(|path| path.join("merge3")))
            .or_else(|| named("LOCALAPPDATA").map(|path| path.join("merge3").join("cache")))
            .or_else(|| named("HOME").map(|path| path.join(".cache").join("merge3")));
        root.map(|root| Self { root }).ok_or_else(|| {
            Error::refused(
                "there is no folder for the cache of fetched packages",
                format!("set {CACHE_VARIABLE} to an absolute path"),
            )
        })
    }

    /// Deletes the archives and all repositories, after waiting for each repository until no other
    /// process uses it. Returns the number of repositories.
    ///
    /// # Errors
    /// If something cannot be deleted.
    pub(crate) fn clean(&self) -> Result<usize, Error> {
        let archives = self.root.join("archives");
        if_there(fs::remove_dir_all(&archives)).map_err(unusable(&archives))?;
        let stores = self.root.join("git");
        let entries = if_there(fs::read_dir(&stores)).map_err(unusable(&stores))?;
        let mut count = 0;
        for entry in entries.into_iter().flatten() {
            let path = entry.map_err(unusable(&stores))?.path();
            if path.extension().is_none_or(|extension| extension != "git") {
                continue;
            }
            let store = Store { path };
            let _lock = store.lock(File::lock)?;
            fs::remove_dir_all(&store.path).map_err(unusable(&store.path))?;
            count += 1;
        }
        Ok(count)
    }

    /// Returns the folder with archives, which are named by their digests.
    pub(super) fn archives(&self) -> Result<PathBuf, Error> {
        self.private_folder("archives")
    }

    /// Returns the repository for an address, which may be missing.
    pub(super) fn store(&self, repository: &str) -> Store {
        self.store_named(repository, "")
    }

    fn store_named(&self, name: &str, suffix: &str) -> Store {
        let name = format!("{}{suffix}.git", sha256(name.as_bytes()));
        let path = self.root.join("git").join(name);
        Store { path }
    }

    /// Returns the repository for an address and its exclusive lock. Creates it if it is missing.
    /// With a range, that is a further repository for the history in the range.
    pub(super) fn locked_store(
        &self,
        repository: &str,
        range: Option<&str>,
    ) -> Result<(Store, File), Error> {
        let log = |range| self.store_named(&format!("{repository}\n{range}"), "-log");
        let store = range.map_or_else(|| self.store(repository), log);
        let folder = self.private_folder("git")?;
        let lock = store.lock(File::lock)?;
        if !store.path.join("merge3-ready").is_file() {
            store.create(&folder, repository)?;
        }
        check_private(&store.path)?;
        Ok((store, lock))
    }

    /// Returns a folder in the cache that only the user may write to; creates it if it is missing.
    /// Git runs what the configuration in a repository says, so no one else may write it.
    fn private_folder(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.root.join(name);
        private_folder::make(&folder).map_err(unusable(&folder))?;
        check_private(&self.root)?;
        check_private(&folder)?;
        Ok(folder)
    }
}

/// Refuses a folder that other users may have written to.
fn check_private(folder: &Path) -> Result<(), Error> {
    let help = format!(
        "git runs what is set up there: delete it, or \
         set {CACHE_VARIABLE} to a folder of your own"
    );
    private_folder::check(folder).map_err(|error| refused(folder, error, help))
}

impl Store {
    /// Creates the repository under a temporary name and renames it, so that it is never there in
    /// part. Deletes what a killed run left, so the caller must hold the exclusive lock.
    fn create(&self, folder: &Path, repository: &str) -> Result<(), Error> {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let prefix = format!("{name}.new-");
        for entry in fs::read_dir(folder).map_err(unusable(folder))? {
            let entry = entry.map_err(unusable(folder))?;
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                // a git process of that run may still write to it: the next run deletes it then
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        if_there(fs::remove_dir_all(&self.path)).map_err(unusable(&self.path))?;
        let temporary = tempfile::Builder::new().prefix(&prefix).tempdir_in(folder);
        let temporary = temporary.map_err(unusable(folder))?;
        let path = temporary.path().to_owned();
        Self { path }.init(repository)?;
        let renamed = fs::rename(temporary.path(), &self.path);
        renamed.map_err(unusable(&self.path))
    }

    fn init(&self, repository: &str) -> Result<(), Error> {
        let settings = [
            ("remote.origin.url", repository),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            // no ref keeps the fetched objects: garbage collection would delete them
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("fetch.writeCommitGraph", "false"),
        ];
        let init = Git::new()
            .args(["init", "-q", "--bare", "--template="])
            .arg(&self.path)
            .stdout()?;
        init.map_err(|reason| self.broken(&reason))?;
        for (name, value) in settings {
            let set = self.git().args(["config", name, value]).stdout()?;
            set.map_err(|reason| self.broken(&reason))?;
        }
        let ready = fs::write(self.path.join("merge3-ready"), repository);
        ready.map_err(unusable(&self.path))?;
        // git creates it with the permissions of the user's umask
        private_folder::protect(&self.path).map_err(unusable(&self.path))
    }

    /// Returns a call of git on this repository, which does not fetch the objects that are missing.
    pub(super) fn git(&self) -> Git {
        Git::bare(&self.path).offline()
    }

    /// Waits until no one else uses the repository, or, with [`File::lock_shared`], until no one
    /// changes it. Keeps others from it as long as the returned file is open.
    pub(super) fn lock(&self, lock: fn(&File) -> io::Result<()>) -> Result<File, Error> {
        let path = self.path.with_extension("lock");
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path);
        let locked = file.and_then(|file| lock(&file).map(|()| file));
        locked.map_err(unusable(&path))
    }

    /// Returns the error for a repository in the cache that cannot be used.
    pub(super) fn broken(&self, message: &str) -> Error {
        let help = "empty it with `merge3 cache clean` and run again";
        refused(&self.path, message, help)
    }
}

fn unusable(path: &Path) -> impl Fn(io::Error) -> Error + Copy + use<'_> {
    |error| {
        let help = format!("make it writable, or set {CACHE_VARIABLE} to a folder that is");
        refused(path, error, help)
    }
}

fn refused(path: &Path, why: impl Display, help: impl Into<String>) -> Error {
    let path = path.display();
    Error::refused(format!("the cache in {path} cannot be used: {why}"), help)
}
