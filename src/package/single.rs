//! One file of three sides, merged in memory: what a version control system asks for.

use std::path::Path;

use super::Content;
use super::documents::{Context, merge_documents};
use super::jobs::jobs;
use super::load::{Roots, Slot, Source};
use super::pair::pair;
use super::parsed::{ParsedFile, read_sides};
use super::plan::FileConflict;
use super::run::by_documents;
use crate::error::Error;
use crate::merge::Options;
use crate::triple::Triple;
use crate::yaml::Tree;

/// What a merge makes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedFile {
    /// The merged text.
    pub text: String,
    /// The places where both sides changed and do not agree.
    pub conflicts: Vec<FileConflict>,
}

/// Merges three texts of one file document by document (SPEC 3): resources pair by identity, others by index.
///
/// A side that has no such file is an empty text. None where the texts cannot be merged so: where one is not YAML, none has a
/// document, or one resource occurs twice on a side. `path` is what errors and conflicts call the file.
///
/// # Errors
/// Where the merged text does not say what the merge decided (law 6).
///
/// ```
/// use merge3::merge::Options;
/// use merge3::package::merge_file;
/// use merge3::triple::Triple;
///
/// let sides = Triple::new("a: 1\n---\nb: 1\n", "a: 1\n---\nb: 2\n", "a: 9\n---\nb: 1\n");
/// let merged = merge_file("a.yaml".as_ref(), sides, &Options::default())?.unwrap();
/// assert_eq!(merged.text, "a: 9\n---\nb: 2\n");
/// assert_eq!(merge_file("a.yaml".as_ref(), Triple::new("a", "{", "b"), &Options::default())?, None);
/// # Ok::<(), merge3::error::Error>(())
/// ```
pub fn merge_file(
    path: &Path,
    texts: Triple<&str>,
    options: &Options,
) -> Result<Option<MergedFile>, Error> {
    let slots = [Slot {
        path: path.to_owned(),
        yaml: true,
        sides: texts.map(|text| {
            Some(Source {
                bytes: text.as_bytes().to_vec(),
                permissions: None,
            })
        }),
    }];
    let roots = Roots::Files(Triple::new(path, path, path).map(Path::to_owned));
    let (Some(readings), _) = by_documents(Some(read_sides(&slots[0], &roots))) else {
        return Ok(None);
    };
    let is_ambiguous = {
        let sides = readings.as_ref().into_array();
        let mut files = sides.into_iter().flatten().flatten();
        files.any(|file| file.duplicate(path).is_some())
    };
    if is_ambiguous {
        return Ok(None);
    }
    let files = [Some(readings)];
    let groups = pair(&files, false);
    let jobs = jobs(&slots, &files, &groups);
    let context = Context {
        slots: &slots,
        files: &files,
        options,
    };
    let outcome = merge_documents(&context, 0, &jobs[0])?;
    let text = match outcome.content {
        Content::Unchanged => texts.local.to_owned(),
        Content::Delete => String::new(),
        Content::Write(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
    };
    Ok(Some(MergedFile {
        text,
        conflicts: outcome.conflicts,
    }))
}

/// The trees of a file's documents; none where it is not YAML.
pub(crate) fn with_trees<R>(text: &str, work: impl FnOnce(&[&Tree<'_>]) -> R) -> Option<R> {
    let file = ParsedFile::parse(Path::new(""), text).ok()?;
    let trees: Vec<&Tree<'_>> = file
        .documents
        .iter()
        .filter_map(|parsed| parsed.tree.as_ref())
        .collect();
    Some(work(&trees))
}
