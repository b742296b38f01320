//! The files of a package at one commit, read from git's objects without a checkout.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::{OpenOptions, Permissions};
use std::path::{Component, Path, PathBuf};

use super::address::Place;
use super::cache::Store;
use super::git::{Git, reason, without_password};
use super::remote::{Remotes, Resolved};
use crate::error::Error;
use crate::package::{Entry, Snapshot};

/// What new files get here: plain ones and those that can be run.
#[derive(Debug, Clone)]
pub(super) struct Modes {
    plain: Permissions,
    executable: Permissions,
}

impl Modes {
    /// What a plain file gets.
    pub(super) fn of_new(&self) -> Permissions {
        self.plain.clone()
    }

    /// As the system makes them, the user's mask included.
    pub(super) fn of_system() -> Result<Self, Error> {
        let probe = || -> std::io::Result<Permissions> {
            let folder = tempfile::tempdir()?;
            let file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(folder.path().join("file"))?;
            Ok(file.metadata()?.permissions())
        };
        let plain = probe().map_err(|error| Error::Write {
            path: std::env::temp_dir(),
            error,
            written: 0,
        })?;
        Ok(Self {
            executable: runnable(plain.clone()),
            plain,
        })
    }
}

/// Whoever may read it may run it.
#[cfg(unix)]
fn runnable(permissions: Permissions) -> Permissions {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = permissions.mode();
    Permissions::from_mode(mode | ((mode & 0o444) >> 2))
}

#[cfg(not(unix))]
fn runnable(permissions: Permissions) -> Permissions {
    permissions
}

/// An entry of a tree.
struct Listed {
    mode: Vec<u8>,
    object: String,
    path: PathBuf,
}

impl Remotes {
    /// The files of `place` at a commit. Fetches what is missing: the commit, its trees, and of the files those in the folder.
    ///
    /// # Errors
    /// Where the repository cannot be reached, the commit is gone, there is no such folder in it, or the cache is unusable.
    pub(super) fn snapshot(
        &self,
        place: &Place,
        version: &Resolved,
        modes: &Modes,
    ) -> Result<Snapshot, Error> {
        let store = self.store(place)?;
        for _ in 0..3 {
            let reader = store.shared()?;
            if store.has_commit(&version.commit)? {
                let Some(listed) = store.list(&version.commit, &place.directory)? else {
                    return Err(no_folder(place, version));
                };
                if store.missing(&listed)?.is_empty() {
                    return store.read(listed, place, version, modes);
                }
            }
            drop(reader);
            let _alone = store.alone()?;
            if !store.path.is_dir() {
                // emptied a moment ago
                drop(self.store(place)?);
                continue;
            }
            store.fetch_commit(place, version)?;
            if let Some(listed) = store.list(&version.commit, &place.directory)? {
                store.fetch_objects(&store.missing(&listed)?)?;
            }
        }
        Err(store.broken("what was fetched is not in it"))
    }
}

fn no_folder(place: &Place, version: &Resolved) -> Error {
    Error::Git {
        message: format!(
            "{} has no folder {} at {}",
            without_password(&place.repository),
            place.directory,
            version.name
        ),
        help: "upstream moved or deleted it: look where it is now, and correct `directory` in the record".to_owned(),
    }
}

impl Store {
    pub(super) fn has_commit(&self, commit: &str) -> Result<bool, Error> {
        let kind = self
            .git()
            .offline()
            .args(["cat-file", "-t", commit])
            .ask()?;
        Ok(kind.as_deref() == Some("commit"))
    }

    /// Fetches one commit with its trees and without files, as far as the server can do that.
    fn fetch_commit(&self, place: &Place, version: &Resolved) -> Result<(), Error> {
        if self.has_commit(&version.commit)? {
            return Ok(());
        }
        let shallow = ["--depth=1", "--filter=blob:none"];
        let named = [
            format!("refs/tags/{}", version.full),
            format!("refs/heads/{}", version.full),
        ];
        let everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
        let tries: [(&[&str], Vec<&str>); 5] = [
            (&shallow, vec![version.commit.as_str()]),
            (&shallow, vec![named[0].as_str()]),
            (&shallow, vec![named[1].as_str()]),
            // a server that gives commits by the names of refs only: all of them
            (&["--filter=blob:none"], everything.to_vec()),
            (&["--filter=blob:none", "--unshallow"], everything.to_vec()),
        ];
        let mut first = None;
        for (options, wanted) in tries {
            let output = self.fetch(options, &wanted)?;
            if self.has_commit(&version.commit)? {
                return Ok(());
            }
            if !output.status.success() && first.is_none() {
                first = Some(reason(&output));
            }
        }
        let shown = without_password(&place.repository);
        let said = first.map_or_else(String::new, |reason| format!(" ({reason})"));
        Err(Error::Git {
            message: format!("the commit {} of {shown} is gone{said}", version.commit),
            help: format!(
                "upstream rewrote its history or cannot be reached (git ls-remote {shown}); if the commit is lost, put the \
                 commit that your copy was made from into the record, or vendor the package anew with `merge3 get`"
            ),
        })
    }

    pub(super) fn fetch(
        &self,
        options: &[&str],
        wanted: &[&str],
    ) -> Result<std::process::Output, Error> {
        self.fetching()
            .args(options)
            .arg("origin")
            .args(wanted)
            .output()
    }

    fn fetching(&self) -> Git {
        self.git().quiet_ssh().args([
            "fetch",
            "-q",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
        ])
    }

    /// Fetches objects by their names, all at once.
    fn fetch_objects(&self, objects: &[String]) -> Result<(), Error> {
        if objects.is_empty() {
            return Ok(());
        }
        let names = objects.join("\n") + "\n";
        // a server that refuses is asked again for each by git itself, when it is read
        self.fetching()
            .args(["--filter=blob:none", "--stdin", "origin"])
            .output_of(names.as_bytes())?;
        let lines = names.as_bytes();
        self.git()
            .quiet_ssh()
            .args(["cat-file", "--batch-check"])
            .output_of(lines)?;
        Ok(())
    }

    /// What is in a folder at a commit; none where it is no folder.
    fn list(&self, commit: &str, directory: &str) -> Result<Option<Vec<Listed>>, Error> {
        let tree = format!("{commit}:{directory}");
        let kind = self.git().offline().args(["cat-file", "-t", &tree]).ask()?;
        if kind.as_deref() != Some("tree") {
            return Ok(None);
        }
        let output = self
            .git()
            .args(["ls-tree", "-r", "-z", "--full-tree", &tree])
            .output()?;
        if !output.status.success() {
            return Err(self.broken(&reason(&output)));
        }
        let entries = output.stdout.split(|byte| *byte == 0);
        let listed = entries.filter(|entry| !entry.is_empty()).map(listed);
        listed
            .collect::<Option<Vec<_>>>()
            .map(Some)
            .ok_or_else(|| self.broken("git lists a tree in another form than expected"))
    }

    /// The files that are not here.
    fn missing(&self, listed: &[Listed]) -> Result<Vec<String>, Error> {
        let files: Vec<&str> = listed
            .iter()
            .filter(|it| it.mode != b"160000")
            .map(|it| it.object.as_str())
            .collect();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let names = files.join("\n") + "\n";
        let output = self
            .git()
            .offline()
            .args(["cat-file", "--batch-check"])
            .output_of(names.as_bytes())?;
        let told = String::from_utf8_lossy(&output.stdout);
        let mut missing: Vec<String> = told
            .lines()
            .filter_map(|line| line.strip_suffix(" missing"))
            .map(str::to_owned)
            .collect();
        missing.sort_unstable();
        missing.dedup();
        Ok(missing)
    }

    /// Reads the files.
    fn read(
        &self,
        listed: Vec<Listed>,
        place: &Place,
        version: &Resolved,
        modes: &Modes,
    ) -> Result<Snapshot, Error> {
        let mut names: Vec<&str> = listed
            .iter()
            .filter(|it| it.mode != b"160000")
            .map(|it| it.object.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        let output = self
            .git()
            .offline()
            .args(["cat-file", "--batch", "--buffer"])
            .output_of((names.join("\n") + "\n").as_bytes())?;
        let contents = contents(&output.stdout)
            .ok_or_else(|| self.broken(&format!("files are missing in it: {}", reason(&output))))?;
        let mut entries = BTreeMap::new();
        for Listed { mode, object, path } in &listed {
            check_path(path, place, version)?;
            let bytes = || contents.get(object.as_str()).map(|bytes| bytes.to_vec());
            let entry = match mode.as_slice() {
                b"160000" => Some(Entry::Other),
                b"120000" => bytes().map(|target| Entry::Link(path_of(target))),
                mode => bytes().map(|bytes| Entry::File {
                    bytes,
                    permissions: match mode {
                        b"100755" => modes.executable.clone(),
                        _ => modes.plain.clone(),
                    },
                }),
            };
            let entry = entry.ok_or_else(|| self.broken("a file is missing in it"))?;
            entries.insert(path.clone(), entry);
        }
        let name = format!("{}@{}", place.shown(), version.name);
        Ok(Snapshot {
            name: name.into(),
            entries,
        })
    }
}

/// `MODE SP TYPE SP OBJECT TAB PATH`
fn listed(entry: &[u8]) -> Option<Listed> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = entry.split_at(tab);
    let mut words = head.split(|byte| *byte == b' ');
    let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
    Some(Listed {
        mode: mode.to_vec(),
        object: String::from_utf8(object.to_vec()).ok()?,
        path: path_of(path.get(1..)?.to_vec()),
    })
}

/// What `git cat-file --batch` prints: `OBJECT SP TYPE SP SIZE LF CONTENT LF`, again and again.
fn contents(mut output: &[u8]) -> Option<HashMap<&str, &[u8]>> {
    let mut contents = HashMap::new();
    while !output.is_empty() {
        let end = output.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&output[..end]).ok()?;
        let mut words = head.split(' ');
        let (object, kind, size) = (words.next()?, words.next()?, words.next()?);
        let size: usize = size.parse().ok().filter(|_| kind == "blob")?;
        let bytes = output.get(end + 1..end + 1 + size)?;
        contents.insert(object, bytes);
        output = output.get(end + 2 + size..)?;
    }
    Some(contents)
}

/// A path that a tree names stays in the package.
fn check_path(path: &Path, place: &Place, version: &Resolved) -> Result<(), Error> {
    let fine = |part: Component<'_>| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    let whole: PathBuf = path.components().collect();
    if !path.as_os_str().is_empty() && path.components().all(fine) && whole == *path {
        return Ok(());
    }
    Err(Error::Git {
        message: format!(
            "{} has a file {path:?} at {}, which no package may have",
            place.shown(),
            version.name
        ),
        help: "tell upstream; nothing was written".to_owned(),
    })
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;

    OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned()).into()
}

/// A path as git prints it.
pub(super) fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    path_of(bytes.to_vec())
}
