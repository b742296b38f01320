//! The merged package in a folder of its own: a copy of the local one, in which the plan is carried
//! out.
//!
//! Until it is whole a file at its top says so. What a run leaves there that is killed, the next
//! one takes away.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::disk::{gone_is_fine, link, or_here, read_named};
use super::lock::{Access, lock};
use super::plan::Plan;
use super::walk::{Kind, Listing, list};
use super::write::{Disk, NewFile, UNFINISHED, forget, missing_folders};
use crate::error::Error;

/// What the file says that is there until it is whole.
const MESSAGE: &str = "A run of merge3 that was to put its result here has not come to its end.\n\
    Run it again, or delete this folder.\n";

impl Plan {
    /// Writes the package as it will be to `folder`, which is missing, or empty, or has what a run
    /// left that did not come to its end. The local package stays as it is; the plan is about the
    /// copy afterwards.
    ///
    /// # Errors
    /// [`Error::Refused`] where something else is there, or the folder is in the local package; else
    /// as for [`Plan::write_to`]. What was written is taken away then.
    pub fn write_copy(
        &mut self,
        disk: &dyn Disk,
        folder: &Path,
        durable: bool,
    ) -> Result<(), Error> {
        let local = std::mem::replace(&mut self.root, folder.to_owned());
        refuse_inside(&local, folder)?;
        let mut listing = list(&local);
        if let Some((path, error)) = listing.errors.pop() {
            let path = local.join(path);
            return Err(Error::Read { path, error });
        }
        listing
            .entries
            .sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let copy = Copy {
            disk,
            from: &local,
            to: folder,
            entries: &listing.entries,
            plan: self,
            durable,
        };
        let made = missing_folders(folder);
        copy.make(&made).inspect_err(|_| {
            for folder in made.iter().rev() {
                // one that is not empty stays
                let _ = disk.remove_folder(folder);
            }
        })
    }
}

struct Copy<'p> {
    disk: &'p dyn Disk,
    from: &'p Path,
    to: &'p Path,
    /// What is in the local package, folders before what is in them.
    entries: &'p [(PathBuf, Kind)],
    plan: &'p Plan,
    durable: bool,
}

impl Copy<'_> {
    /// The copy, in a folder that is made with those above it.
    fn make(&self, folders: &[PathBuf]) -> Result<(), Error> {
        for folder in folders {
            match self.disk.create_folder(folder) {
                // another run was faster
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(Error::writing(folder))?,
            }
        }
        let _lock = lock(self.to, Access::Write, || ())?;
        self.clear()?;
        self.write().inspect_err(|_| {
            // what cannot be taken away now, the next run takes away
            let _ = self.clear();
        })
    }

    fn write(&self) -> Result<(), Error> {
        self.put(&self.to.join(UNFINISHED), MESSAGE.as_bytes(), None)?;
        for (path, kind) in self.entries {
            if self.disk.is_stopped() {
                return Err(Error::Stopped { written: 0 });
            }
            self.copy(path, kind)?;
        }
        self.plan.write_to(self.disk, self.durable)?;
        self.set_permissions_of_folders()?;
        self.remove(&self.to.join(UNFINISHED))
    }

    fn copy(&self, path: &Path, kind: &Kind) -> Result<(), Error> {
        let (from, to) = (self.from.join(path), self.to.join(path));
        match kind {
            Kind::Folder => self.disk.create_folder(&to).map_err(Error::writing(&to)),
            Kind::Link(target) => link(target, &to).map_err(Error::writing(&to)),
            Kind::File => {
                let metadata = fs::symlink_metadata(&from).map_err(Error::reading(&from))?;
                let bytes = read_named(&from).map_err(Error::reading(&from))?;
                self.put(&to, &bytes, Some(metadata.permissions()))
            }
            // never opened
            Kind::Special => Ok(()),
        }
    }

    fn put(
        &self,
        path: &Path,
        bytes: &[u8],
        permissions: Option<fs::Permissions>,
    ) -> Result<(), Error> {
        let file = NewFile {
            permissions,
            durable: self.durable,
            ..NewFile::default()
        };
        file.put(self.disk, path, bytes)
            .map_err(Error::writing(path))
    }

    /// At the end: in a folder that may not be written nothing could be put. What is another thing
    /// now, or gone, is left alone.
    fn set_permissions_of_folders(&self) -> Result<(), Error> {
        let folders = self.entries.iter().filter(|it| it.1 == Kind::Folder);
        for (path, _) in folders.rev() {
            let (from, to) = (self.from.join(path), self.to.join(path));
            if fs::symlink_metadata(&to).is_ok_and(|it| it.is_dir()) {
                fs::metadata(from)
                    .and_then(|it| fs::set_permissions(&to, it.permissions()))
                    .map_err(Error::writing(&to))?;
            }
        }
        Ok(())
    }

    /// Takes away what a run left there that did not come to its end.
    fn clear(&self) -> Result<(), Error> {
        let names = fs::read_dir(self.to).map_err(Error::writing(self.to))?;
        let mut names = names
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .peekable();
        if names.peek().is_none() {
            return Ok(());
        }
        let names: Vec<_> = names.collect();
        let has = |name: &str| names.iter().any(|it| it == OsStr::new(name));
        if !has(UNFINISHED) || has(".git") {
            return Err(Error::output(self.to, "is not empty"));
        }
        let found = list(self.to);
        self.refuse_strange(&found)?;
        forget(self.disk, self.to)?;
        let (mut folders, files): (Vec<_>, Vec<_>) = found
            .entries
            .iter()
            .partition(|(_, kind)| *kind == Kind::Folder);
        for (path, _) in files {
            self.remove(&self.to.join(path))?;
        }
        folders.sort_unstable_by(|left, right| right.0.cmp(&left.0));
        for (path, _) in folders {
            let path = self.to.join(path);
            self.disk
                .remove_folder(&path)
                .map_err(Error::writing(&path))?;
        }
        self.remove(&self.to.join(UNFINISHED))
    }

    /// Sees that all of it is what a run of this merge puts there, whole or in part.
    fn refuse_strange(&self, found: &Listing) -> Result<(), Error> {
        let local: FxHashMap<&Path, &Kind> = self
            .entries
            .iter()
            .map(|(path, kind)| (path.as_path(), kind))
            .collect();
        let changes = || self.plan.files.iter();
        let is_own = |path: &Path, kind: &Kind| match kind {
            Kind::Folder => {
                local.get(path) == Some(&kind) || changes().any(|it| it.path.starts_with(path))
            }
            Kind::Link(_) => local.get(path) == Some(&kind),
            Kind::File => read_named(&self.to.join(path)).is_ok_and(|bytes| {
                read_named(&self.from.join(path)).is_ok_and(|ours| ours.starts_with(&bytes))
                    || changes().any(|it| it.path == path && it.new.as_deref() == Some(&bytes[..]))
            }),
            Kind::Special => false,
        };
        let unlisted = found.errors.iter().map(|(path, _)| path);
        let unlisted = unlisted.filter(|path| *path != Path::new(UNFINISHED));
        let strange = found
            .entries
            .iter()
            .filter(|(path, kind)| !is_own(path, kind));
        match unlisted.chain(strange.map(|(path, _)| path)).min() {
            None => Ok(()),
            Some(path) => Err(Error::output(
                &self.to.join(path),
                "is in the way: it is not what a run that was killed has put there",
            )),
        }
    }

    fn remove(&self, path: &Path) -> Result<(), Error> {
        self.disk
            .remove_file(path)
            .or_else(gone_is_fine)
            .map_err(Error::writing(path))
    }
}

/// The folder, or where it will be, is not in the local package.
fn refuse_inside(local: &Path, folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|it| it.exists());
    let there = or_here(there.unwrap_or(Path::new("")));
    match (local.canonicalize(), there.canonicalize()) {
        (Ok(local), Ok(there)) if there.starts_with(&local) => {
            Err(Error::output(folder, "is in the local package"))
        }
        _ => Ok(()),
    }
}
