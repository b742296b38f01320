//! The files of a package at one commit, read from git's objects without a checkout.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{OpenOptions, Permissions};
use std::path::PathBuf;

use super::address::Place;
use super::cache::Store;
use super::registry::is_archive;
use super::remote::{Remotes, Resolved};
use super::tree::{self, Listed, path_of};
use crate::error::Error;
use crate::git_process::{Git, reason, without_password};
use crate::package::{Entry, Snapshot};
use crate::report::many;

/// What new files get here: plain ones and those that can be run.
#[derive(Debug, Clone)]
pub(super) struct Modes {
    plain: Permissions,
    executable: Permissions,
}

impl Modes {
    /// What a file gets that can be run or not.
    pub(super) fn of_file(&self, is_program: bool) -> Permissions {
        match is_program {
            true => self.executable.clone(),
            false => self.plain.clone(),
        }
    }

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

/// The files of a package at one commit.
#[derive(Debug, Clone)]
pub(super) struct Fetched {
    pub(super) snapshot: Snapshot,
    /// What upstream has there and is left out: this program's own files.
    pub(super) left_out: Vec<PathBuf>,
}

impl Remotes<'_> {
    /// Fetches versions of packages, for `who`, with one fetch of the commits and one of the files
    /// of each repository. What is not there afterwards is fetched when it is read, which tells
    /// why.
    pub(super) fn fetch(&self, wanted: &[(&Place, &Resolved)], who: &str) {
        let repositories: BTreeSet<&str> =
            wanted.iter().map(|(place, _)| &*place.repository).collect();
        let repositories = repositories.into_iter().filter(|it| !is_archive(it));
        for repository in repositories {
            let own = wanted
                .iter()
                .filter(|(place, _)| place.repository == repository);
            let own: Vec<(&Place, &Resolved)> = own.copied().collect();
            // whatever goes wrong is told by who reads it
            let _ = self.fetch_of(repository, &own, who);
        }
    }

    fn fetch_of(
        &self,
        repository: &str,
        wanted: &[(&Place, &Resolved)],
        who: &str,
    ) -> Result<(), Error> {
        let store = self.cache.store(repository)?;
        let versions: BTreeMap<&str, &Resolved> = wanted
            .iter()
            .map(|(_, version)| (&*version.commit, *version))
            .collect();
        let _alone = store.alone()?;
        let is_missing = |version: &&Resolved| {
            let found = store.has_commit(&version.commit);
            found.is_ok_and(|found| !found)
        };
        let missing: Vec<&Resolved> = versions.into_values().filter(is_missing).collect();
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|version| &*version.name).collect();
            let shown = without_password(repository);
            self.tell(&format!("{who}: fetching {} of {shown}", names.join(", ")));
            let commits: Vec<&str> = missing.iter().map(|version| &*version.commit).collect();
            store.fetch(&["--depth=1", "--filter=blob:none"], &commits)?;
        }
        let packages: BTreeSet<(&str, &str)> = wanted
            .iter()
            .map(|(place, version)| (&*version.commit, &*place.directory))
            .collect();
        let mut objects = BTreeSet::new();
        for (commit, directory) in packages {
            if let Some(Ok(printed)) = store.list(commit, directory)? {
                let listed = tree::checked(&printed).unwrap_or_default();
                objects.extend(tree::objects(&listed).into_iter().map(str::to_owned));
            }
        }
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        let (_, missing) = store.sizes(&objects)?;
        if !missing.is_empty() {
            let count = many(missing.len(), "file");
            let shown = without_password(repository);
            self.tell(&format!("{who}: fetching {count} of {shown}"));
        }
        store.fetch_objects(&missing)?;
        Ok(())
    }

    /// The files of a package at each of some tags, by their commits: for each file its object.
    pub(super) fn trees(
        &self,
        place: &Place,
        versions: &[Resolved],
    ) -> Result<HashMap<String, BTreeMap<PathBuf, String>>, Error> {
        let store = self.store(place)?;
        let _alone = store.alone()?;
        let is_missing = |version: &&Resolved| {
            let found = store.has_commit(&version.commit);
            found.is_ok_and(|found| !found)
        };
        let missing: Vec<&Resolved> = versions.iter().filter(is_missing).collect();
        if !missing.is_empty() {
            let count = many(missing.len(), "version");
            self.tell(&format!("fetching {count} of {}", place.shown()));
            let names = missing
                .iter()
                .map(|version| format!("refs/tags/{}\n", version.full));
            let names: String = names.collect();
            store
                .fetching()
                .args(["--depth=1", "--filter=blob:none", "--stdin", "origin"])
                .output_of(names.as_bytes())?;
        }
        let mut trees = HashMap::new();
        for version in versions {
            if let Some(Ok(printed)) = store.list(&version.commit, &place.directory)? {
                let listed = tree::checked(&printed).unwrap_or_default();
                let files = listed
                    .into_iter()
                    .filter(|it| !it.is_own() && !it.is_submodule());
                let files = files.map(|it| (it.path, it.object)).collect();
                trees.insert(version.commit.clone(), files);
            }
        }
        Ok(trees)
    }

    /// What git calls the files of a copy.
    pub(super) fn hashes(
        &self,
        place: &Place,
        copy: &Snapshot,
    ) -> Result<HashMap<PathBuf, String>, Error> {
        let whole = std::path::absolute(&copy.name).unwrap_or_else(|_| copy.name.clone());
        // a name with a line break in it cannot be told to git so
        let paths = copy.entries.keys().filter_map(|path| {
            let text = whole.join(path).to_str()?.to_owned();
            (!text.contains('\n')).then_some((path, text))
        });
        let (paths, names): (Vec<&PathBuf>, Vec<String>) = paths.unzip();
        let output = self
            .store(place)?
            .git()
            .offline()
            .args(["hash-object", "--no-filters", "--stdin-paths"])
            .output_of((names.join("\n") + "\n").as_bytes())?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let hashes = paths.into_iter().zip(printed.lines());
        Ok(hashes
            .map(|(path, hash)| (path.clone(), hash.to_owned()))
            .collect())
    }

    /// The files of `place` at a commit. Fetches what is missing: the commit, its trees, and of the
    /// files those in the folder.
    ///
    /// # Errors
    /// Where the repository cannot be reached, the commit is gone, there is no such folder in it,
    /// or the cache is unusable.
    pub(super) fn snapshot(
        &self,
        place: &Place,
        version: &Resolved,
        modes: &Modes,
    ) -> Result<Fetched, Error> {
        if is_archive(&place.repository) {
            return self.archive(place, version, modes);
        }
        let store = self.store(place)?;
        let refused = |reason: String| refused(place, version, &reason);
        let mut lacking: Option<String> = None;
        for _ in 0..4 {
            let reader = store.shared()?;
            if store.has_commit(&version.commit)? {
                let printed = store.list(&version.commit, &place.directory)?;
                let printed = printed.ok_or_else(|| no_folder(place, version))?;
                let listed = tree::checked(&printed.map_err(refused)?).map_err(refused)?;
                let (sizes, missing) = store.sizes(&tree::objects(&listed))?;
                if missing.is_empty() {
                    tree::check_sizes(&listed, &sizes).map_err(refused)?;
                    let name = format!("{}@{}", place.shown(), version.name);
                    return store.read(listed, &sizes, name, modes);
                }
                drop(reader);
                if let Some(reason) = lacking {
                    return Err(incomplete(place, version, &reason));
                }
                let _alone = store.alone()?;
                lacking = Some(store.fetch_objects(&missing)?);
                continue;
            }
            drop(reader);
            lacking = None;
            let _alone = store.alone()?;
            if !store.path.is_dir() {
                // emptied a moment ago
                drop(self.store(place)?);
                continue;
            }
            store.fetch_commit(place, version)?;
        }
        Err(store.broken("what was fetched is not in it"))
    }
}

/// A server that has a commit without all that is in it.
fn incomplete(place: &Place, version: &Resolved, reason: &str) -> Error {
    let shown = without_password(&place.repository);
    Error::Git {
        message: format!(
            "{shown} lacks files of {}: it is a partial clone, or broken ({reason})",
            version.name
        ),
        help: "name the repository that it was cloned from in the record, or fetch all of it there: git fetch --refetch --no-filter".to_owned(),
    }
}

/// A tree that no package may be.
fn refused(place: &Place, version: &Resolved, reason: &str) -> Error {
    Error::Git {
        message: format!(
            "{} is no package at {}: {reason}",
            place.shown(),
            version.name
        ),
        help: "tell upstream; nothing was written".to_owned(),
    }
}

/// A commit that could not be fetched, and why as far as that can be told.
fn not_fetched(place: &Place, version: &Resolved, reason: &str, is_shallow: bool) -> Error {
    let shown = without_password(&place.repository);
    let signs = [
        "unable to read",
        "missing",
        "promisor",
        "corruption on the remote",
    ];
    if signs.iter().any(|sign| reason.contains(sign)) {
        return incomplete(place, version, reason);
    }
    let commit = &version.commit;
    if is_shallow {
        return Error::Git {
            message: format!("{shown} has only a part of its history, and not the commit {commit}"),
            help: "it is a shallow mirror: fetch all of it there (git fetch --unshallow), or name the repository that it was cloned \
                   from in the record"
                .to_owned(),
        };
    }
    let said = match reason {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    Error::Git {
        message: format!("the commit {commit} of {shown} is gone{said}"),
        help: format!(
            "upstream rewrote its history or cannot be reached (git ls-remote {shown}); if the commit is lost, put the \
             commit that your copy was made from into the record, or find it with `merge3 adopt`"
        ),
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
        let all = ["--filter=blob:none", "--update-shallow"];
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
            (&all, everything.to_vec()),
            (&[all[0], all[1], "--unshallow"], everything.to_vec()),
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
        let is_shallow = self.git().args(["rev-parse", "--is-shallow-repository"]);
        let is_shallow = is_shallow.ask()?.as_deref() == Some("true");
        Err(not_fetched(
            place,
            version,
            &first.unwrap_or_default(),
            is_shallow,
        ))
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

    /// A call that fetches what it names. What the server lacks is not asked for again object by
    /// object, each with a process of its own that asks for the next.
    fn fetching(&self) -> Git {
        self.git().offline().quiet_ssh().args([
            "fetch",
            "-q",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
        ])
    }

    /// Fetches objects by their names, all at once. Returns what git says where that fails.
    fn fetch_objects(&self, objects: &[String]) -> Result<String, Error> {
        if objects.is_empty() {
            return Ok(String::new());
        }
        let names = objects.join("\n") + "\n";
        // a server that refuses is asked again for each by git itself, when it is read
        let fetched = self
            .fetching()
            .args(["--filter=blob:none", "--stdin", "origin"])
            .output_of(names.as_bytes())?;
        if fetched.status.success() {
            return Ok("it does not send them".to_owned());
        }
        self.git()
            .quiet_ssh()
            .args(["cat-file", "--batch-check"])
            .output_of(names.as_bytes())?;
        Ok(reason(&fetched))
    }

    /// What git prints of what is in a folder at a commit, or why it does not; none where it is no
    /// folder.
    fn list(
        &self,
        commit: &str,
        directory: &str,
    ) -> Result<Option<Result<Vec<u8>, String>>, Error> {
        let tree = format!("{commit}:{directory}");
        let kind = self.git().offline().args(["cat-file", "-t", &tree]).ask()?;
        if kind.as_deref() != Some("tree") {
            return Ok(None);
        }
        let output = self
            .git()
            .args(["ls-tree", "-r", "-t", "-z", "--full-tree", &tree])
            .output()?;
        Ok(Some(match output.status.success() {
            true => Ok(output.stdout),
            false => Err(reason(&output)),
        }))
    }

    /// How many bytes each file has, and the files that are not here.
    fn sizes(&self, files: &[&str]) -> Result<(HashMap<String, u64>, Vec<String>), Error> {
        if files.is_empty() {
            return Ok((HashMap::new(), Vec::new()));
        }
        let names = files.join("\n") + "\n";
        let output = self
            .git()
            .offline()
            .args(["cat-file", "--batch-check=%(objectname) %(objectsize)"])
            .output_of(names.as_bytes())?;
        let told = String::from_utf8_lossy(&output.stdout);
        let mut sizes = HashMap::new();
        let mut missing = Vec::new();
        for (name, said) in told.lines().filter_map(|line| line.split_once(' ')) {
            match said.parse() {
                Ok(size) => drop(sizes.insert(name.to_owned(), size)),
                Err(_) => missing.push(name.to_owned()),
            }
        }
        Ok((sizes, missing))
    }

    /// Reads the files.
    fn read(
        &self,
        listed: Vec<Listed>,
        sizes: &HashMap<String, u64>,
        name: String,
        modes: &Modes,
    ) -> Result<Fetched, Error> {
        let names = tree::objects(&listed);
        // before each file a line stands that says what it is
        let most = sizes.values().sum::<u64>() + 200 * (names.len() as u64 + 1);
        let output = self
            .git()
            .offline()
            .most(most)
            .args(["cat-file", "--batch", "--buffer"])
            .output_of((names.join("\n") + "\n").as_bytes())?;
        let contents = contents(&output.stdout)
            .ok_or_else(|| self.broken(&format!("files are missing in it: {}", reason(&output))))?;
        let mut entries = BTreeMap::new();
        let mut left_out = Vec::new();
        for entry in listed {
            if entry.is_own() {
                left_out.push(entry.path);
                continue;
            }
            let bytes = || {
                contents
                    .get(entry.object.as_str())
                    .map(|bytes| bytes.to_vec())
            };
            let read = match entry.mode.as_slice() {
                _ if entry.is_submodule() => Some(Entry::Other),
                _ if entry.is_link() => bytes().map(|target| Entry::Link(path_of(target))),
                mode => bytes().map(|bytes| Entry::File {
                    bytes,
                    permissions: match mode {
                        b"100755" => modes.executable.clone(),
                        _ => modes.plain.clone(),
                    },
                }),
            };
            let read = read.ok_or_else(|| self.broken("a file is missing in it"))?;
            entries.insert(entry.path, read);
        }
        let snapshot = Snapshot {
            name: name.into(),
            entries,
        };
        Ok(Fetched { snapshot, left_out })
    }
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

/// A path as git prints it.
pub(super) fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    path_of(bytes.to_vec())
}
