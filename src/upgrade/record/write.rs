//! A record that is brought up to date, or comes: an edit of the text.

use std::path::Path;

use super::read::parse;
use super::{Form, KPTFILE, Record, SECTIONS};
use crate::error::Error;
use crate::upgrade::address::Place;
use crate::upgrade::remote::Resolved;
use crate::upgrade::splice::{insert_section, plain_or_quoted, set};
use crate::yaml::{EntryId, NodeKind, Tree, equal};

impl Record {
    /// The text of the record's file after an upgrade, with the least change.
    ///
    /// # Errors
    /// Where it cannot be said by an edit of the text.
    pub(in crate::upgrade) fn updated(
        &self,
        text: &str,
        version: &Resolved,
    ) -> Result<String, Error> {
        let (repository, directory) = &self.written;
        let form = Form::of(&self.place.repository);
        let mut new = text.to_owned();
        let values = [
            (SECTIONS[0], "ref", &version.name),
            (SECTIONS[1], "repo", repository),
            (SECTIONS[1], form.directory, directory),
            (SECTIONS[1], "ref", form.reference(version)),
            (SECTIONS[1], form.commit, &version.commit),
        ];
        for (section, field, value) in values {
            let is_folder = field == form.directory;
            if is_folder && (normal(value) == self.lock.place.directory || field.is_empty()) {
                continue;
            }
            let path = &[section, form.name, field];
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
                    && read.place == self.place
                    && read.strategy == self.strategy
                    && same_beside(text, &new) =>
            {
                Ok(new)
            }
            _ => Err(self.not_edited()),
        }
    }

    fn not_edited(&self) -> Error {
        Error::package(
            &self.file,
            "its record of upstream cannot be edited as it is written",
            "write `upstream` and `upstreamLock` as block maps, one field on a line",
        )
    }
}

impl Form {
    /// What stands for a version in the lock: in git the whole name of the tag.
    fn reference(self, version: &Resolved) -> &String {
        match self.is_git() {
            true => &version.full,
            false => &version.name,
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
pub(in crate::upgrade) fn with_record(
    file: &Path,
    text: &str,
    place: &Place,
    version: &Resolved,
) -> Result<String, Error> {
    let form = Form::of(&place.repository);
    let directory = match form.is_git() {
        true => format!("/{}", place.directory),
        false => place.directory.clone(),
    };
    let section = |name: &str, reference: &str, further: &[(&str, &str)]| {
        let mut lines = vec![
            format!("{name}:"),
            format!("  type: {}", form.name),
            format!("  {}:", form.name),
        ];
        let fields = [
            ("repo", place.repository.as_str()),
            (form.directory, &directory),
            ("ref", reference),
        ];
        for (field, value) in fields.into_iter().filter(|(field, _)| !field.is_empty()) {
            lines.push(format!("    {field}: {}", plain_or_quoted(value)));
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
    let commit = plain_or_quoted(&version.commit);
    let upstream = section(SECTIONS[0], &version.name, strategy);
    let commit_field = format!("    {}", form.commit);
    let lock = section(
        SECTIONS[1],
        form.reference(version),
        &[(&commit_field, &commit)],
    );
    let refused = || {
        Error::package(
            file,
            "no record of where it comes from can be put into it",
            "upstream's file is no plain map with one field on a line; tell upstream",
        )
    };
    let text = insert_section(text, SECTIONS[0], "metadata", &upstream).ok_or_else(refused)?;
    let text = insert_section(&text, SECTIONS[1], SECTIONS[0], &lock).ok_or_else(refused)?;
    let package = file.parent().unwrap_or(Path::new(""));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match parse(package, &name, &text)? {
        Some(read)
            if read.lock.commit == version.commit
                && read.reference == version.name
                && read.place == *place
                && read.lock.place == *place =>
        {
            Ok(text)
        }
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
    let own = |tree: &Tree<'_>, id: EntryId| {
        let key = tree.entry(id).key.and_then(|key| tree.scalar(key));
        key.is_some_and(|key| SECTIONS.contains(&key.content))
    };
    let before: Vec<_> = before.into_iter().filter(|id| !own(&old, *id)).collect();
    let after: Vec<_> = after.into_iter().filter(|id| !own(&new, *id)).collect();
    before.len() == after.len()
        && before.iter().zip(&after).all(|(left, right)| {
            let (left, right) = (old.entry(*left), new.entry(*right));
            equal(&old, left.value, &new, right.value)
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
