//! Parses the record of a package from the text of its file.

use std::path::Path;

use super::{FORMATS, Format, Record, SECTIONS, Strategy, UpstreamLock, invalid};
use crate::error::Error;
use crate::upgrade::address::{Origin, check_reference, is_digest, is_hash, is_path};
use crate::upgrade::version::similar_names;
use crate::visible::visible;
use crate::yaml::{NodeId, Tree};

/// Parses the record in a file's text; `None` if it has none.
///
/// # Errors
/// If the text is not YAML, or its record is incomplete or invalid.
pub(super) fn parse(file: &Path, text: &str) -> Result<Option<Record>, Error> {
    let tree = Tree::parse(text).map_err(|error| {
        let help = error.help.unwrap_or_else(|| "repair the file".to_owned());
        invalid(file, text, error.offset, &error.message, &help)
    })?;
    let Some(tree) = tree else { return Ok(None) };
    let root = tree.root().value;
    let tree = &tree;
    let reader = Fields { file, text, tree };
    reader.refuse_misspelled()?;
    if tree.find(root, SECTIONS[0]).is_none() {
        return Ok(None);
    }
    reader.record().map(Some)
}

struct Fields<'r> {
    file: &'r Path,
    text: &'r str,
    tree: &'r Tree<'r>,
}

/// The fields of a record: the path of each map, and its keys.
const FIELDS: [(&[&str], &[&str]); 5] = [
    (&[], &SECTIONS),
    (&["upstream"], &["type", "git", "updateStrategy"]),
    (&["upstream", "git"], &["repo", "directory", "ref"]),
    (&["upstreamLock"], &["type", "git"]),
    (
        &["upstreamLock", "git"],
        &["repo", "directory", "ref", "commit"],
    ),
];

impl Fields<'_> {
    /// Refuses a key that is similar to that of a missing field.
    fn refuse_misspelled(&self) -> Result<(), Error> {
        for (path, fields) in FIELDS {
            let Ok(map) = self.node(path) else { continue };
            for entry in self.tree.entries(map) {
                let key = self.tree.key_text(entry).unwrap_or_default();
                let similar = similar_names(key, fields.iter().copied());
                let is_missing = |name: &&str| self.tree.find(map, name).is_none();
                if let Some(field) = similar.first().copied().filter(is_missing) {
                    let message = format!("`{}` is not a field of a record", visible(key));
                    let offset = self.tree.entry(entry).span.start as usize;
                    let help = format!("write `{field}`");
                    return Err(invalid(self.file, self.text, offset, &message, &help));
                }
            }
        }
        Ok(())
    }

    fn record(&self) -> Result<Record, Error> {
        let format = self.format("upstream")?;
        let kind = format.name;
        if self.node(&["upstreamLock"]).is_ok() && self.format("upstreamLock")? != format {
            let message = format!("`{kind}` is expected here, as in `upstream`");
            return Err(self.invalid_at(&["upstreamLock", "type"], &message));
        }
        let repository = self.required(&["upstream", kind, "repo"])?;
        // the folder or the chart of a section
        let directory_in = |section| {
            let directory = self.optional(&[section, kind, format.directory]);
            directory.filter(|_| !format.directory.is_empty())
        };
        let directory = directory_in("upstream").unwrap_or_default();
        let reference_at = ["upstream", kind, "ref"];
        let reference = self.required(&reference_at)?;
        if !is_digest(&reference) {
            let checked = check_reference(&reference);
            checked.map_err(|error| self.invalid_at(&reference_at, &error.to_string()))?;
        }
        let commit_at = ["upstreamLock", kind, format.commit];
        let commit = self.required(&commit_at)?;
        if !is_hash(&commit) || is_digest(&commit) == format.is_git() {
            let message = match format.is_git() {
                true => "the whole hash of a commit is expected here, 40 digits",
                false => "a digest is expected here: sha256: and 64 digits",
            };
            return Err(self.invalid_at(&commit_at, message));
        }
        // what the lock leaves out is as in `upstream`
        let locked = |field, default: &String| {
            let value = self.optional(&["upstreamLock", kind, field]);
            value.unwrap_or_else(|| default.clone())
        };
        let lock_repository = locked("repo", &repository);
        let lock_directory = directory_in("upstreamLock");
        let lock_directory = lock_directory.as_ref().unwrap_or(&directory);
        Ok(Record {
            file: self.file.to_owned(),
            origin: self.origin("upstream", format, &repository, &directory)?,
            lock: UpstreamLock {
                origin: self.origin("upstreamLock", format, &lock_repository, lock_directory)?,
                reference: locked("ref", &reference),
                commit: commit.to_ascii_lowercase(),
            },
            reference,
            strategy: self.strategy()?,
        })
    }

    /// Returns the format of a section.
    fn format(&self, section: &str) -> Result<Format, Error> {
        let kind = self.optional(&[section, "type"]);
        let kind = kind.as_deref().unwrap_or("git");
        let found = FORMATS.into_iter().find(|format| format.name == kind);
        found.ok_or_else(|| {
            let message = "only upstreams in `git`, `helm` and `oci` can be read";
            self.invalid_at(&[section, "type"], message)
        })
    }

    fn strategy(&self) -> Result<Strategy, Error> {
        let path = ["upstream", "updateStrategy"];
        match self.optional(&path).as_deref() {
            None | Some("" | "resource-merge") => Ok(Strategy::Merge),
            Some("fast-forward") => Ok(Strategy::FastForward),
            Some("force-delete-replace") => Ok(Strategy::Replace),
            Some(_) => Err(self.invalid_at(
                &path,
                "the strategies are `resource-merge`, `fast-forward` and `force-delete-replace`",
            )),
        }
    }

    fn origin(
        &self,
        section: &str,
        format: Format,
        repository: &str,
        directory: &str,
    ) -> Result<Origin, Error> {
        let path = [section, format.name, "repo"];
        if Format::of(repository) != format {
            let message = format!("this is not an address for the type `{}`", format.name);
            return Err(self.invalid_at(&path, &message));
        }
        let origin = Origin::new(repository, directory);
        let mut origin = origin.map_err(|error| self.invalid_at(&path, &error.to_string()))?;
        // a relative path is relative to the package, not to the current folder
        if is_path(repository) && Path::new(repository).is_relative() {
            let package = self.file.parent().unwrap_or(Path::new(""));
            if let Ok(path) = std::path::absolute(package.join(repository)) {
                origin.repository = path.to_string_lossy().into_owned();
            }
        }
        Ok(origin)
    }

    /// Returns the content of the scalar at a path; `None` if it is missing or null.
    fn optional(&self, path: &[&str]) -> Option<String> {
        let node = self.node(path).ok()?;
        let scalar = self.tree.scalar(node)?;
        (!self.tree.is_null(node)).then(|| scalar.content.to_string())
    }

    /// Returns the content of the scalar at a path.
    fn required(&self, path: &[&str]) -> Result<String, Error> {
        self.optional(path)
            .filter(|text| !text.is_empty())
            .ok_or_else(|| self.invalid_at(path, &format!("`{}` is missing", path.join("."))))
    }

    /// Returns the value at a path; as the error, the last value on the way that exists.
    fn node(&self, path: &[&str]) -> Result<NodeId, NodeId> {
        let root = self.tree.root().value;
        let mut names = path.iter();
        names.try_fold(root, |node, name| self.tree.field(node, name).ok_or(node))
    }

    fn invalid_at(&self, path: &[&str], message: &str) -> Error {
        let (Ok(node) | Err(node)) = self.node(path);
        let offset = self.tree.node(node).span.start as usize;
        let help = "give `upstream.git.repo`, `directory` and `ref`, \
            and `upstreamLock.git.commit`: the commit that the local \
            files were made from. `merge3 get` writes all of them";
        invalid(self.file, self.text, offset, message, help)
    }
}
