//! Where a package comes from: what its Kptfile or its `.merge3.yaml` says, and how that is brought up to date.

use std::fs;
use std::path::{Path, PathBuf};

use super::address::{Place, check_reference, is_path};
use super::remote::{Resolved, is_hash};
use super::splice::{insert_section, set};
use crate::error::{self, Error};
use crate::yaml::{NodeKind, Tree};

/// kpt's file.
pub(super) const KPTFILE: &str = "Kptfile";
/// Ours.
pub(super) const RULES_FILE: &str = crate::package::RULES_FILE;
/// The sections of a record.
pub(super) const SECTIONS: [&str; 2] = ["upstream", "upstreamLock"];

/// What a package says of where it comes from.
#[derive(Debug, Clone)]
pub struct Record {
    /// The file that says it.
    pub file: PathBuf,
    /// Where upstream is.
    pub place: Place,
    /// The tag, branch or commit that the package follows.
    pub reference: String,
    /// What the local files were made from.
    pub lock: Lock,
    /// How kpt is told to update it.
    pub(super) strategy: Strategy,
    /// As it is written: the repository and the folder.
    written: (String, String),
}

/// What the local files were made from.
#[derive(Debug, Clone)]
pub struct Lock {
    /// Where that was.
    pub place: Place,
    /// Its ref at the time.
    pub reference: String,
    /// Its commit.
    pub commit: String,
}

/// What `updateStrategy` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    Merge,
    /// Only where nothing was changed here.
    FastForward,
    /// Upstream's files, whatever was changed here.
    Replace,
}

/// Reads a package's record; none where it has none.
///
/// # Errors
/// Where a file cannot be read or is no YAML, where what it says of upstream is not complete, and where both files say it.
pub(super) fn read(package: &Path) -> Result<Option<Record>, Error> {
    let kptfile = read_file(package, KPTFILE)?;
    let own = read_file(package, RULES_FILE)?;
    match (kptfile, own) {
        (Some(_), Some(_)) => Err(Error::Package {
            path: package.to_owned(),
            message: format!("{KPTFILE} and {RULES_FILE} both say where it comes from"),
            help: format!(
                "take `upstream` and `upstreamLock` out of one of the two; kpt reads {KPTFILE}"
            ),
        }),
        (kptfile, own) => Ok(kptfile.or(own)),
    }
}

fn read_file(package: &Path, name: &str) -> Result<Option<Record>, Error> {
    let file = package.join(name);
    let text = match fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::Read { path: file, error }),
    };
    let text = String::from_utf8(text).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        wrong(
            &file,
            &text,
            offset,
            "not UTF-8 from here on",
            "save the file as UTF-8",
        )
    })?;
    parse(package, name, &text)
}

/// Reads a record out of a file's text.
pub(super) fn parse(package: &Path, name: &str, text: &str) -> Result<Option<Record>, Error> {
    let file = package.join(name);
    let tree = Tree::parse(text).map_err(|error| {
        let help = error.help.unwrap_or_else(|| "repair the file".to_owned());
        wrong(&file, text, error.offset, &error.message, &help)
    })?;
    let Some(tree) = tree else { return Ok(None) };
    let root = tree.root().value;
    if tree.find(root, SECTIONS[0]).is_none() {
        return Ok(None);
    }
    let reader = Reader {
        package,
        file: &file,
        text,
        tree: &tree,
    };
    reader.record().map(Some)
}

struct Reader<'r> {
    package: &'r Path,
    file: &'r Path,
    text: &'r str,
    tree: &'r Tree<'r>,
}

impl Reader<'_> {
    fn record(&self) -> Result<Record, Error> {
        let repository = self.needed(&["upstream", "git", "repo"])?;
        let directory = self
            .optional(&["upstream", "git", "directory"])
            .unwrap_or_default();
        let reference = self.needed(&["upstream", "git", "ref"])?;
        self.checked(&["upstream", "git", "ref"], || check_reference(&reference))?;
        let place = self.place("upstream", &repository, &directory)?;
        let locked = |field: &str| self.optional(&["upstreamLock", "git", field]);
        let commit = self.needed(&["upstreamLock", "git", "commit"])?;
        if !is_hash(&commit) {
            let message = "the whole hash of a commit is expected here, 40 digits";
            return Err(self.wrong_at(&["upstreamLock", "git", "commit"], message));
        }
        let lock_repository = locked("repo").unwrap_or_else(|| repository.clone());
        let lock_directory = locked("directory").unwrap_or_else(|| directory.clone());
        Ok(Record {
            file: self.file.to_owned(),
            lock: Lock {
                place: self.place("upstreamLock", &lock_repository, &lock_directory)?,
                reference: locked("ref").unwrap_or_else(|| reference.clone()),
                commit: commit.to_ascii_lowercase(),
            },
            place,
            reference,
            strategy: self.strategy()?,
            written: (repository, directory),
        })
    }

    fn strategy(&self) -> Result<Strategy, Error> {
        let path = ["upstream", "updateStrategy"];
        match self.optional(&path).as_deref() {
            None | Some("" | "resource-merge") => Ok(Strategy::Merge),
            Some("fast-forward") => Ok(Strategy::FastForward),
            Some("force-delete-replace") => Ok(Strategy::Replace),
            Some(_) => Err(self.wrong_at(
                &path,
                "the strategies are `resource-merge`, `fast-forward` and `force-delete-replace`",
            )),
        }
    }

    fn place(&self, section: &str, repository: &str, directory: &str) -> Result<Place, Error> {
        let kind = self.optional(&[section, "type"]);
        if kind.as_deref().is_some_and(|kind| kind != "git") {
            return Err(self.wrong_at(&[section, "type"], "only upstreams in `git` can be read"));
        }
        let path = [section, "git", "repo"];
        let place = self.checked(&path, || Place::new(repository, directory))?;
        // a path that is no absolute one begins at the package, wherever the program runs
        if is_path(repository) && Path::new(repository).is_relative() {
            let absolute = std::path::absolute(self.package.join(repository));
            let repository =
                absolute.map_or(place.repository, |path| path.to_string_lossy().into_owned());
            return Ok(Place {
                repository,
                directory: place.directory,
            });
        }
        Ok(place)
    }

    fn checked<T>(
        &self,
        path: &[&str],
        check: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        check().map_err(|error| self.wrong_at(path, &error.to_string()))
    }

    fn optional(&self, path: &[&str]) -> Option<String> {
        let node = self.node(path).ok()?;
        let scalar = self.tree.scalar(node)?;
        (!self.tree.is_null(node)).then(|| scalar.content.to_string())
    }

    fn needed(&self, path: &[&str]) -> Result<String, Error> {
        self.optional(path)
            .filter(|text| !text.is_empty())
            .ok_or_else(|| self.wrong_at(path, &format!("`{}` is missing", path.join("."))))
    }

    /// The value at a path; where it is not there, the last one on the way.
    fn node(&self, path: &[&str]) -> Result<crate::yaml::NodeId, crate::yaml::NodeId> {
        let mut node = self.tree.root().value;
        for name in path {
            let entry = self.tree.find(node, name).ok_or(node)?;
            node = self.tree.entry(entry).value;
        }
        Ok(node)
    }

    fn wrong_at(&self, path: &[&str], message: &str) -> Error {
        let (Ok(node) | Err(node)) = self.node(path);
        let offset = self.tree.node(node).span.start as usize;
        let help = "give `upstream.git.repo`, `directory` and `ref`, and `upstreamLock.git.commit`: the commit that the \
                    local files were made from. `merge3 get` writes all of them";
        wrong(self.file, self.text, offset, message, help)
    }
}

fn wrong(file: &Path, text: &str, offset: usize, message: &str, help: &str) -> Error {
    Error::Record {
        place: Box::new(error::Place::new(file, text, offset)),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}

impl Record {
    /// The text of the record's file after an upgrade, with the least change.
    ///
    /// # Errors
    /// Where it cannot be said by an edit of the text.
    pub(super) fn updated(&self, text: &str, version: &Resolved) -> Result<String, Error> {
        let (repository, directory) = &self.written;
        let mut new = text.to_owned();
        let values: [(&[&str], &str); 5] = [
            (&["upstream", "git", "ref"], &version.name),
            (&["upstreamLock", "git", "repo"], repository),
            (&["upstreamLock", "git", "directory"], directory),
            (&["upstreamLock", "git", "ref"], &version.full),
            (&["upstreamLock", "git", "commit"], &version.commit),
        ];
        for (path, value) in values {
            let is_folder = path.last() == Some(&"directory");
            if is_folder && normal(value) == self.lock.place.directory {
                continue;
            }
            new = set(&new, path, value).ok_or_else(|| self.not_edited())?;
        }
        let package = self.file.parent().unwrap_or(Path::new(""));
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        // the edit says what it should
        match parse(package, &name, &new)? {
            Some(read)
                if read.lock.commit == version.commit
                    && read.reference == version.name
                    && read.lock.place == self.place
                    && same_beside(text, &new) =>
            {
                Ok(new)
            }
            _ => Err(self.not_edited()),
        }
    }

    fn not_edited(&self) -> Error {
        Error::Package {
            path: self.file.clone(),
            message: "its record of upstream cannot be edited as it is written".to_owned(),
            help: "write `upstream` and `upstreamLock` as block maps, one field on a line"
                .to_owned(),
        }
    }
}

fn normal(directory: &str) -> String {
    Place::new("x", directory).map_or_else(|_| directory.to_owned(), |place| place.directory)
}

/// The text of a file with the record of a new package.
///
/// # Errors
/// Where the file's text does not allow it.
pub(super) fn with_record(
    file: &Path,
    text: &str,
    place: &Place,
    version: &Resolved,
) -> Result<String, Error> {
    let facts = |reference: &str| {
        [
            ("repo", place.repository.clone()),
            ("directory", format!("/{}", place.directory)),
            ("ref", reference.to_owned()),
        ]
    };
    let section = |name: &str, reference: &str, further: &[(&str, &str)]| {
        let mut lines = vec![
            format!("{name}:"),
            "  type: git".to_owned(),
            "  git:".to_owned(),
        ];
        for (field, value) in facts(reference) {
            lines.push(format!(
                "    {field}: {}",
                super::splice::plain_or_quoted(&value)
            ));
        }
        lines.extend(
            further
                .iter()
                .map(|(field, value)| format!("{field}: {value}")),
        );
        lines
    };
    let is_kptfile = file.file_name().is_some_and(|name| name == KPTFILE);
    let strategy: &[(&str, &str)] = if is_kptfile {
        &[("  updateStrategy", "resource-merge")]
    } else {
        &[]
    };
    let commit = super::splice::plain_or_quoted(&version.commit);
    let upstream = section(SECTIONS[0], &version.name, strategy);
    let lock = section(SECTIONS[1], &version.full, &[("    commit", &commit)]);
    let refused = || Error::Package {
        path: file.to_owned(),
        message: "no record of where it comes from can be put into it".to_owned(),
        help: "upstream's file is no plain map with one field on a line; tell upstream".to_owned(),
    };
    let text = insert_section(text, SECTIONS[0], "metadata", &upstream).ok_or_else(refused)?;
    let text = insert_section(&text, SECTIONS[1], SECTIONS[0], &lock).ok_or_else(refused)?;
    let package = file.parent().unwrap_or(Path::new(""));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match parse(package, &name, &text)? {
        Some(read) if read.lock.commit == version.commit => Ok(text),
        _ => Err(refused()),
    }
}

/// Whether two texts say the same in all fields but the record's.
fn same_beside(old: &str, new: &str) -> bool {
    let (Ok(Some(old)), Ok(Some(new))) = (Tree::parse(old), Tree::parse(new)) else {
        return false;
    };
    let fields = |tree: &Tree<'_>| tree.entries(tree.root().value).collect::<Vec<_>>();
    let (before, after) = (fields(&old), fields(&new));
    if !matches!(old.node(old.root().value).kind, NodeKind::Mapping(_)) {
        return false;
    }
    let own = |tree: &Tree<'_>, id: crate::yaml::EntryId| {
        let key = tree.entry(id).key.and_then(|key| tree.scalar(key));
        key.is_some_and(|key| SECTIONS.contains(&&*key.content))
    };
    let before: Vec<_> = before.into_iter().filter(|id| !own(&old, *id)).collect();
    let after: Vec<_> = after.into_iter().filter(|id| !own(&new, *id)).collect();
    before.len() == after.len()
        && before.iter().zip(&after).all(|(left, right)| {
            let (left, right) = (old.entry(*left), new.entry(*right));
            crate::yaml::equal(&old, left.value, &new, right.value)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "1111111111111111111111111111111111111111";
    const OTHER: &str = "22222222222222222222222222222222222222ab";

    fn version(name: &str, full: &str) -> Resolved {
        Resolved {
            name: name.into(),
            full: full.into(),
            commit: OTHER.into(),
            tag: true,
        }
    }

    fn kptfile() -> String {
        format!(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: mine\nupstream:\n  type: git\n  git:\n    repo: https://h/r\n    directory: /pkg\n    ref: v1.0.0 # renovate: x\n  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: https://h/r\n    directory: /pkg\n    ref: \"pkg/v1.0.0\"\n    commit: {COMMIT}\n\n# ours\ninfo:\n  description: a thing\n"
        )
    }

    #[test]
    fn a_record_is_brought_up_to_date_in_place() {
        let text = kptfile();
        let record = parse(Path::new("p"), KPTFILE, &text).unwrap().unwrap();
        assert_eq!(record.place.directory, "pkg");
        let new = record
            .updated(&text, &version("v1.1.0", "pkg/v1.1.0"))
            .unwrap();
        let expected = text
            .replace("ref: v1.0.0 #", "ref: v1.1.0 #")
            .replace("\"pkg/v1.0.0\"", "\"pkg/v1.1.0\"")
            .replace(COMMIT, OTHER);
        assert_eq!(new, expected);
    }

    #[test]
    fn a_ref_that_looks_like_a_number_stays_text() {
        let text = kptfile();
        let record = parse(Path::new("p"), KPTFILE, &text).unwrap().unwrap();
        let new = record.updated(&text, &version("1.10", "1.10")).unwrap();
        assert!(new.contains("    ref: \"1.10\" # renovate: x\n"), "{new}");
    }

    #[test]
    fn a_lock_follows_a_repository_that_moved() {
        let text = kptfile().replacen("https://h/r", "https://h/moved", 1);
        let record = parse(Path::new("p"), KPTFILE, &text).unwrap().unwrap();
        let new = record.updated(&text, &version("v2.0.0", "v2.0.0")).unwrap();
        assert!(!new.contains("https://h/r\n"), "{new}");
    }

    #[test]
    fn a_new_package_gets_a_record() {
        let place = Place::new("https://h/r.git", "pkg").unwrap();
        let text = "kind: Kptfile # a\nmetadata:\n  name: pkg\n\ninfo:\n  site: x\n";
        let new = with_record(
            Path::new("p/Kptfile"),
            text,
            &place,
            &version("v1.1.0", "pkg/v1.1.0"),
        )
        .unwrap();
        let expected = format!(
            "kind: Kptfile # a\nmetadata:\n  name: pkg\nupstream:\n  type: git\n  git:\n    repo: https://h/r.git\n    directory: /pkg\n    ref: v1.1.0\n  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: https://h/r.git\n    directory: /pkg\n    ref: pkg/v1.1.0\n    commit: {OTHER}\n\ninfo:\n  site: x\n"
        );
        assert_eq!(new, expected);
        let own = with_record(
            Path::new("p/.merge3.yaml"),
            "",
            &place,
            &version("v1.1.0", "v1.1.0"),
        )
        .unwrap();
        assert!(own.starts_with("upstream:\n  type: git\n"), "{own}");
        // what upstream itself vendored is not where this package comes from
        let again =
            with_record(Path::new("p/Kptfile"), &new, &place, &version("v3", "v3")).unwrap();
        assert_eq!(again.matches("upstream:").count(), 1, "{again}");
    }

    #[test]
    fn an_incomplete_record_is_an_error_that_says_where() {
        for (from, to) in [
            ("    ref: v1.0.0 # renovate: x\n", ""),
            (
                "    repo: https://h/r\n    directory: /pkg\n    ref: v1",
                "    ref: v1",
            ),
            (
                "repo: https://h/r\n    directory: /pkg\n    ref: v1",
                "repo: --upload-pack=x\n    ref: v1",
            ),
            (
                "directory: /pkg\n    ref: v1",
                "directory: /../x\n    ref: v1",
            ),
            (
                "type: git\n  git:\n    repo: https://h/r\n    directory: /pkg\n    ref: v1",
                "type: oci\n  git:\n    repo: https://h/r\n    ref: v1",
            ),
            (COMMIT, "abc"),
            ("resource-merge", "magic"),
            ("kind: Kptfile", "kind: [Kptfile"),
        ] {
            let text = kptfile();
            assert!(text.contains(from), "{from}");
            let text = text.replacen(from, to, 1);
            let told = parse(Path::new("p"), KPTFILE, &text);
            assert!(matches!(told, Err(Error::Record { .. })), "{to}: {told:?}");
        }
    }
}
