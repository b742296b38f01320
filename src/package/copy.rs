//! Writes the merged package to another folder (`--output`): copies the local package there and
//! applies the plan to the copy.
//!
//! A marker file at the top of the folder says that the copy is incomplete. If a run is killed, the
//! next run deletes what it left.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::disk::{if_there, link, or_here, read_named};
use super::input::{Kind, Listing, list};
use super::lock::{Access, lock};
use super::plan::Plan;
use super::write::{Disk, NewFile, UNFINISHED, forget, missing_folders};
use crate::error::Error;

/// The content of the marker file in an incomplete copy.
const MESSAGE: &str = "A run of merge3 that writes its result here has not finished.\n\
    Run it again, or delete this folder.\n";

impl Plan {
    /// Writes the merged package to `folder`, which has to be missing, empty, or left unfinished by
    /// a killed run. The local package stays as it is. Afterwards the root of the plan is `folder`.
    ///
    /// # Errors
    /// [`Error::Refused`] if `folder` has other content or is inside the local package; otherwise
    /// as for [`Plan::write_to`]. On an error, everything that was written is deleted.
    pub fn write_copy(
        &mut self,
        disk: &dyn Disk,
        folder: &Path,
        durable: bool,
    ) -> Result<(), Error> {
        disk.begin();
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
        let copy = PackageCopy {
            disk,
            from: &local,
            to: folder,
            entries: &listing.entries,
            plan: self,
            durable,
        };
        let missing = missing_folders(folder);
        copy.create(&missing).inspect_err(|_| {
            for folder in missing.iter().rev() {
                // this fails if the folder is not empty: it stays then
                let _ = disk.remove_folder(folder);
            }
        })
    }
}

/// A copy of a package that is being written.
struct PackageCopy<'p> {
    disk: &'p dyn Disk,
    /// The local package.
    from: &'p Path,
    /// The folder of the copy.
    to: &'p Path,
    /// The files and folders of the local package, each folder before its entries.
    entries: &'p [(PathBuf, Kind)],
    plan: &'p Plan,
    durable: bool,
}

impl PackageCopy<'_> {
    /// Creates `folders`, outermost first, and writes the copy into the last one.
    fn create(&self, folders: &[PathBuf]) -> Result<(), Error> {
        for folder in folders {
            match self.disk.create_folder(folder) {
                // another run has created it meanwhile
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                result => result.map_err(Error::writing(folder))?,
            }
        }
        let _lock = lock(self.to, Access::Write, || ())?;
        self.clear()?;
        self.write().inspect_err(|_| {
            // the next run deletes what cannot be deleted now
            let _ = self.clear();
        })
    }

    /// Copies the local package and applies the plan to the copy.
    fn write(&self) -> Result<(), Error> {
        self.write_file(&self.to.join(UNFINISHED), MESSAGE.as_bytes(), None)?;
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
                self.write_file(&to, &bytes, Some(metadata.permissions()))
            }
            // pipes, sockets and devices are never opened
            Kind::Special => Ok(()),
        }
    }

    fn write_file(
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

    /// Gives the folders the permissions of the originals. This comes last, because a folder may be
    /// read-only. Folders that the plan deleted or replaced are skipped.
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

    /// Deletes what a killed run left in the folder.
    fn clear(&self) -> Result<(), Error> {
        let names = fs::read_dir(self.to).map_err(Error::writing(self.to))?;
        let names = names.filter_map(|entry| Some(entry.ok()?.file_name()));
        let names: Vec<OsString> = names.collect();
        if names.is_empty() {
            return Ok(());
        }
        let has = |name: &str| names.iter().any(|it| it == OsStr::new(name));
        if !has(UNFINISHED) || has(".git") {
            return Err(Error::output(self.to, "is not empty"));
        }
        let mut found = list(self.to);
        self.refuse_unexpected(&found)?;
        forget(self.disk, self.to)?;
        // each folder after its entries
        found
            .entries
            .sort_unstable_by(|left, right| right.0.cmp(&left.0));
        for (path, kind) in &found.entries {
            let path = self.to.join(path);
            match kind {
                Kind::Folder => self
                    .disk
                    .remove_folder(&path)
                    .map_err(Error::writing(&path))?,
                _ => self.remove(&path)?,
            }
        }
        self.remove(&self.to.join(UNFINISHED))
    }

    /// Checks that everything in the folder was written by a run of this merge, in whole or in
    /// part.
    ///
    /// # Errors
    /// [`Error::Refused`] if something else is in the folder.
    fn refuse_unexpected(&self, found: &Listing) -> Result<(), Error> {
        let local = self.entries.iter().map(|(path, kind)| (&**path, kind));
        let local: FxHashMap<&Path, &Kind> = local.collect();
        let changes = || self.plan.files.iter();
        let is_expected = |path: &Path, kind: &Kind| match kind {
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
        let unexpected = found
            .entries
            .iter()
            .filter(|(path, kind)| !is_expected(path, kind));
        match unlisted.chain(unexpected.map(|(path, _)| path)).min() {
            None => Ok(()),
            Some(path) => Err(Error::output(
                &self.to.join(path),
                "is in the way: an interrupted run did not write it",
            )),
        }
    }

    fn remove(&self, path: &Path) -> Result<(), Error> {
        let removed = if_there(self.disk.remove_file(path)).map_err(Error::writing(path));
        removed.map(drop)
    }
}

/// Checks that `folder`, which may be missing, is not inside the local package.
fn refuse_inside(local: &Path, folder: &Path) -> Result<(), Error> {
    let existing = folder.ancestors().find(|it| it.exists());
    let existing = or_here(existing.unwrap_or(Path::new("")));
    match (local.canonicalize(), existing.canonicalize()) {
        (Ok(local), Ok(existing)) if existing.starts_with(&local) => {
            Err(Error::output(folder, "is in the local package"))
        }
        _ => Ok(()),
    }
}
