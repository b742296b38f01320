//! Writes a record into the text of its file, after an upgrade or for a new package.

use std::path::Path;

use super::read::parse;
use super::{Format, KPTFILE, Record, SECTIONS, text_of};
use crate::error::Error;
use crate::line_breaks::{ends_line, line_break_of, with_line_break};
use crate::patch::patched;
use crate::upgrade::address::Origin;
use crate::upgrade::edit::{get, in_yaml, map, string};
use crate::upgrade::refs::Version;
use crate::yaml::Tree;

impl Record {
    /// Returns the text of the record's file with the record updated to a version. Only the values
    /// that differ change.
    ///
    /// # Errors
    /// If an edit of the text cannot give the new record.
    pub(in crate::upgrade) fn updated(
        &self,
        text: &str,
        version: &Version,
    ) -> Result<String, Error> {
        let format = Format::of(&self.origin.repository);
        let upstream = |field| get(text, &[SECTIONS[0], format.name, field]).unwrap_or_default();
        let repository = upstream("repo");
        let mut directory = upstream(format.directory);
        if self.origin.directory == self.lock.origin.directory {
            directory.clear();
        }
        let reference = format.reference(version);
        let lock = [&repository, &directory, reference, &version.commit];
        let sections = [["", "", &version.name, ""], lock].map(|values| {
            let fields = format.fields(values);
            let fields = map(fields.map(|(name, value)| (name, string(value))));
            map([(format.name, fields)])
        });
        let new = patched(text, &map(SECTIONS.into_iter().zip(sections)));
        let new = new
            .ok()
            .filter(|new| has_record(&self.file, new, &self.origin, version));
        new.ok_or_else(|| {
            Error::package(
                &self.file,
                "its record of upstream cannot be edited as it is written",
                "write `upstream` and `upstreamLock` as block maps, one field on a line",
            )
        })
    }
}

impl Format {
    /// Returns the value of `ref` in the lock: in git the full name of the tag.
    pub(in crate::upgrade) fn reference(self, version: &Version) -> &str {
        match self.is_git() {
            true => &version.full,
            false => &version.name,
        }
    }

    /// Returns the fields of a section whose name and value are not empty.
    fn fields(
        self,
        [repository, directory, reference, commit]: [&str; 4],
    ) -> impl Iterator<Item = (&'static str, &str)> {
        let fields = [
            ("repo", repository),
            (self.directory, directory),
            ("ref", reference),
            (self.commit, commit),
        ];
        let is_set = |(name, value): &(&str, &str)| !name.is_empty() && !value.is_empty();
        fields.into_iter().filter(is_set)
    }
}

/// Whether a text of a record's file has a record with this origin and version.
fn has_record(file: &Path, text: &str, origin: &Origin, version: &Version) -> bool {
    let is_same = |read: Record| {
        (&read.origin, &read.reference) == (origin, &version.name)
            && (&read.lock.origin, &read.lock.commit) == (origin, &version.commit)
    };
    parse(file, text).is_ok_and(|read| read.is_some_and(is_same))
}

/// Returns the text of a file with the record of a new package in it.
///
/// # Errors
/// If an edit of the text cannot give the record.
pub(in crate::upgrade) fn with_record(
    file: &Path,
    bytes: Vec<u8>,
    origin: &Origin,
    version: &Version,
) -> Result<Vec<u8>, Error> {
    let text = text_of(file, bytes)?;
    // a record that upstream's file has is upstream's own, and is removed
    let patch = map(SECTIONS.map(|section| (section, "null")));
    // a text without content cannot be patched, and has no record
    let mut new = patched(&text, &patch).unwrap_or_else(|_| text.clone());
    let at = end_of_metadata(&new).unwrap_or(new.len());
    let line_break = line_break_of(&text);
    let sections = sections(file, origin, version);
    let sections = with_line_break(sections, line_break);
    let is_behind_line = at > 0 && !ends_line(&new[..at]);
    let before = if is_behind_line { line_break } else { "" };
    new.insert_str(at, &format!("{before}{sections}"));
    match has_record(file, &new, origin, version) {
        true => Ok(new.into_bytes()),
        false => Err(Error::package(
            file,
            "no record of where it comes from can be put into it",
            "upstream's file is not a plain map with one field on each line; tell upstream",
        )),
    }
}

/// Returns the end of the lines of `metadata`, behind which kpt has the record.
fn end_of_metadata(text: &str) -> Option<usize> {
    let tree = Tree::parse(text).ok()??;
    let metadata = tree.find(tree.root().value, "metadata")?;
    Some(tree.end_of_lines(tree.entry(metadata)) as usize)
}

/// Returns the sections of a new package's record.
fn sections(file: &Path, origin: &Origin, version: &Version) -> String {
    let format = Format::of(&origin.repository);
    let directory = match format.is_git() {
        true => format!("/{}", origin.directory),
        false => origin.directory.clone(),
    };
    let section = |name: &str, reference: &str, commit: &str| {
        let fields = format.fields([&origin.repository, &directory, reference, commit]);
        let fields = fields.map(|(name, value)| format!("    {name}: {}\n", in_yaml(value)));
        let fields: String = fields.collect();
        format!("{name}:\n  type: {0}\n  {0}:\n{fields}", format.name)
    };
    let strategy = match file.ends_with(KPTFILE) {
        true => "  updateStrategy: resource-merge\n",
        false => "",
    };
    let upstream = section(SECTIONS[0], &version.name, "");
    let lock = section(SECTIONS[1], format.reference(version), &version.commit);
    format!("{upstream}{strategy}{lock}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "1111111111111111111111111111111111111111";
    const OTHER: &str = "22222222222222222222222222222222222222ab";

    /// Returns the text of a file with the record of a new package.
    fn recorded(name: &str, text: &str, version: &Version) -> String {
        let origin = Origin::new("https://h/r.git", "pkg").unwrap();
        let new = with_record(Path::new(name), text.into(), &origin, version).unwrap();
        String::from_utf8(new).unwrap()
    }

    fn version(name: &str, full: &str) -> Version {
        Version {
            name: name.into(),
            full: full.into(),
            commit: OTHER.into(),
            tag: true,
        }
    }

    fn kptfile() -> String {
        format!(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: mine\nupstream:\n  type: git\n  git:\n    repo: https://h/r\n    directory: /pkg\n    ref: v1.0.0 # renovate: x\n  updateStrategy: resource-merge\n\
             upstreamLock:\n  type: git\n  git:\n    repo: https://h/r\n    directory: /pkg\n    ref: \"pkg/v1.0.0\"\n    commit: {COMMIT}\n\
             \n# ours\ninfo:\n  description: a thing\n"
        )
    }

    #[test]
    fn updates_a_record_in_place() {
        let text = kptfile();
        let record = parse(Path::new("p/Kptfile"), &text).unwrap().unwrap();
        assert_eq!(record.origin.directory, "pkg");
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
    fn quotes_a_ref_that_looks_like_a_number() {
        let text = kptfile();
        let record = parse(Path::new("p/Kptfile"), &text).unwrap().unwrap();
        let new = record.updated(&text, &version("1.10", "1.10")).unwrap();
        assert!(new.contains("    ref: \"1.10\" # renovate: x\n"), "{new}");
    }

    #[test]
    fn an_alias_of_the_record_keeps_its_value() {
        let shared = kptfile()
            .replace("upstream:\n", "upstream: &here\n")
            .replace("a thing\n", "a thing\nown: *here\n");
        let record = parse(Path::new("p/Kptfile"), &shared).unwrap().unwrap();
        let new = record
            .updated(&shared, &version("v1.1.0", "pkg/v1.1.0"))
            .unwrap();
        assert!(new.contains("ref: v1.1.0 # renovate: x\n"), "{new}");
        let alias = new.split("own:").last().unwrap();
        assert!(alias.contains("ref: v1.0.0"), "{new}");
    }

    #[test]
    fn the_lock_gets_the_new_address_of_the_repository() {
        let text = kptfile().replacen("https://h/r", "https://h/moved", 1);
        let record = parse(Path::new("p/Kptfile"), &text).unwrap().unwrap();
        let new = record.updated(&text, &version("v2.0.0", "v2.0.0")).unwrap();
        assert!(!new.contains("https://h/r\n"), "{new}");
    }

    #[test]
    fn adds_the_record_of_a_new_package() {
        let text = "kind: Kptfile # a\nmetadata:\n  name: pkg\n\ninfo:\n  site: x\n";
        let new = recorded("p/Kptfile", text, &version("v1.1.0", "pkg/v1.1.0"));
        let expected = format!(
            "kind: Kptfile # a\nmetadata:\n  name: pkg\nupstream:\n  type: git\n  git:\n    repo: https://h/r.git\n    directory: /pkg\n    ref: v1.1.0\n  updateStrategy: resource-merge\n\
             upstreamLock:\n  type: git\n  git:\n    repo: https://h/r.git\n    directory: /pkg\n    ref: pkg/v1.1.0\n    commit: {OTHER}\n\
             \ninfo:\n  site: x\n"
        );
        assert_eq!(new, expected);
        let rules_file = recorded("p/.merge3.yaml", "", &version("v1.1.0", "v1.1.0"));
        let start = "upstream:\n  type: git\n";
        assert!(rules_file.starts_with(start), "{rules_file}");
        let text = "# ours\r\n# too";
        let commented = recorded("p/.merge3.yaml", text, &version("v1.1.0", "v1.1.0"));
        assert!(
            commented.starts_with("# ours\r\n# too\r\nupstream:\r\n  type: git\r\n"),
            "{commented}"
        );
        // a record that upstream's file has is replaced
        let again = recorded("p/Kptfile", &new, &version("v3", "v3"));
        assert_eq!(again.matches("upstream:").count(), 1, "{again}");
    }

    #[test]
    fn refuses_an_incomplete_record_at_its_place() {
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
            let result = parse(Path::new("p/Kptfile"), &text);
            let is_unfit = matches!(result, Err(Error::Unfit { .. }));
            assert!(is_unfit, "{to}: {result:?}");
        }
    }
}
