//! The cache: bare repositories in a folder of the user, with what was fetched from upstream.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::git_process::Git;
use crate::package::private_folder::{self, named};
use crate::package::{gone_is_fine, if_there, sha256};

/// The variable that names the cache folder itself.
pub(crate) const CACHE_VARIABLE: &str = "MERGE3_CACHE_DIR";

/// The folder with what was fetched. Several processes and threads may use it at the same time.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    root: PathBuf,
}

/// The bare repository that stands for one upstream repository.
#[derive(Debug, Clone)]
pub(super) struct Store {
    pub(super) path: PathBuf,
}

impl Cache {
    /// The user's cache: where `MERGE3_CACHE_DIR` says, else `merge3` in the system's folder for
    /// caches.
    ///
    /// # Errors
    /// Where there is no such folder.
    pub(crate) fn of_user() -> Result<Self, Error> {
        let root = named(CACHE_VARIABLE)
            .or_else(|| named("XDG_CACHE_HOME").map(|path| path.join("merge3")))
            .or_else(|| named("LOCALAPPDATA").map(|path| path.join("merge3").join("cache")))
            .or_else(|| named("HOME").map(|path| path.join(".cache").join("merge3")));
        root.map(|root| Self { root }).ok_or_else(|| {
            Error::refused(
                "it is not known where fetched packages can be kept",
                format!("set {CACHE_VARIABLE} to an absolute path"),
            )
        })
    }

    /// Where it is.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Empties it, one repository after the other, each as soon as nobody uses it. Returns how many
    /// there were.
    ///
    /// # Errors
    /// Where something cannot be deleted.
    pub(crate) fn clean(&self) -> Result<usize, Error> {
        let archives = self.root.join("archives");
        let emptied = fs::remove_dir_all(&archives).or_else(gone_is_fine);
        emptied.map_err(unusable(&archives))?;
        let stores = self.root.join("git");
        let entries = if_there(fs::read_dir(&stores));
        let entries = entries.map_err(unusable(&stores))?;
        let mut count = 0;
        for entry in entries.into_iter().flatten() {
            let path = entry.map_err(unusable(&stores))?.path();
            if path.extension().is_none_or(|extension| extension != "git") {
                continue;
            }
            let store = Store { path };
            let _alone = store.alone()?;
            fs::remove_dir_all(&store.path).map_err(unusable(&store.path))?;
            count += 1;
        }
        Ok(count)
    }

    /// The folder with archives, by their digests.
    pub(super) fn archives(&self) -> Result<PathBuf, Error> {
        self.own_folder("archives")
    }

    /// The repository for an address; made where it is missing.
    pub(super) fn store(&self, repository: &str) -> Result<Store, Error> {
        self.store_named(&sha256(repository.as_bytes()), repository)
    }

    /// A further repository for an address.
    pub(super) fn store_named(&self, name: &str, repository: &str) -> Result<Store, Error> {
        let folder = self.own_folder("git")?;
        let path = folder.join(format!("{name}.git"));
        let store = Store { path };
        if !store.is_ready() {
            let _alone = store.alone()?;
            if !store.is_ready() {
                store.make(&folder, repository)?;
            }
        }
        own(&store.path)?;
        Ok(store)
    }

    /// A folder in the cache, which is nobody else's: what is in it says what git runs.
    fn own_folder(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.root.join(name);
        private_folder::make(&folder).map_err(unusable(&folder))?;
        own(&self.root)?;
        own(&folder)?;
        Ok(folder)
    }
}

/// Refuses a folder that others may have written to.
fn own(folder: &Path) -> Result<(), Error> {
    let help = format!(
        "git runs what is set up there: delete it, or \
         set {CACHE_VARIABLE} to a folder of your own"
    );
    private_folder::check(folder).map_err(|error| refused(folder, error, help))
}

impl Store {
    fn is_ready(&self) -> bool {
        self.path.join("merge3-ready").is_file()
    }

    /// Makes it beside its place, so that it is there as a whole. What a run left of it that was
    /// killed goes, and so the caller is alone at it.
    fn make(&self, folder: &Path, repository: &str) -> Result<(), Error> {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let begin = format!("{name}.new-");
        for entry in fs::read_dir(folder).map_err(unusable(folder))? {
            let entry = entry.map_err(unusable(folder))?;
            if entry.file_name().to_string_lossy().starts_with(&begin) {
                // a git that outlived its run may still be at it: then it goes the next time
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let gone = fs::remove_dir_all(&self.path).or_else(gone_is_fine);
        gone.map_err(unusable(&self.path))?;
        let made = tempfile::Builder::new().prefix(&begin).tempdir_in(folder);
        let made = made.map_err(unusable(folder))?;
        let path = made.path().to_owned();
        Self { path }.init(repository)?;
        let placed = fs::rename(made.path(), &self.path);
        placed.map_err(unusable(&self.path))
    }

    fn init(&self, repository: &str) -> Result<(), Error> {
        let settings = [
            ("remote.origin.url", repository),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            // what is fetched hangs on no branch: to git's housekeeping it is rubbish
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
        // whatever the user's mask says
        private_folder::protect(&self.path).map_err(unusable(&self.path))
    }

    /// A call about this repository, with what fetching needs.
    pub(super) fn git(&self) -> Git {
        Git::bare(&self.path)
    }

    /// Waits until nobody else uses it.
    pub(super) fn alone(&self) -> Result<File, Error> {
        self.locked(File::lock)
    }

    /// Waits until nobody changes it.
    pub(super) fn shared(&self) -> Result<File, Error> {
        self.locked(File::lock_shared)
    }

    fn locked(&self, lock: impl FnOnce(&File) -> io::Result<()>) -> Result<File, Error> {
        let path = self.path.with_extension("lock");
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path);
        let locked = file.and_then(|file| lock(&file).map(|()| file));
        locked.map_err(unusable(&path))
    }

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
