//! Merges three texts of one file in memory, for the library and the git driver.
//!
//! [`merge`] also merges texts that are not YAML, line by line; [`merge_file`] merges YAML only.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::Content;
use super::documents::Context;
use super::file_triple::{Bytes, FileTriple, Source};
use super::jobs::jobs;
use super::pair::{look_for_duplicates, pair};
use super::parsed::ParsedFile;
use super::plan::FileConflict;
use super::read::ReadFile;
use super::rules::Rules;
use super::run::merge_triple;
use crate::error::Error;
use crate::merge::Options;
use crate::merge::text::CleanLines;
use crate::triple::{Side, Triple};
use crate::yaml::Tree;

/// The result of merging one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedFile {
    /// The merged text.
    pub text: String,
    /// The places where both sides changed the same thing and do not agree.
    pub conflicts: Vec<FileConflict>,
}

/// Merges the changes from `original` to `updated` into `local`.
///
/// The texts may have several documents: resources pair by their identity, others by their content
/// and position (rules: Documents). What upstream did not change stays in `local` byte for byte.
/// Texts that are not YAML merge line by line (rules: Files that are not YAML).
///
/// # Errors
/// If a text is invalid YAML and a line merge is refused, or if a resource occurs twice in one
/// text. The error names side, line and column.
///
/// ```
/// use merge3::{Options, merge};
///
/// let merged = merge("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1 # ours\nb: 3\n", &Options::default())?;
/// assert_eq!(merged.text, "a: 2 # ours\nb: 3\n");
/// assert!(merged.conflicts.is_empty());
/// # Ok::<(), merge3::Error>(())
/// ```
pub fn merge(
    original: &str,
    updated: &str,
    local: &str,
    options: &Options,
) -> Result<MergedFile, Error> {
    let texts = Triple::new(original, updated, local);
    let mut triple = in_memory("text.yaml".as_ref(), to_bytes(texts));
    for side in Side::ALL {
        if let Some(source) = &mut triple.sides[side] {
            source.path = side.as_str().into();
        }
    }
    let files = [ReadFile::read(&triple, 0)];
    look_for_duplicates(&files)?;
    FileInMemory { texts, files }.merge(None, options)
}

/// Returns a file that exists only in memory.
pub(crate) fn in_memory(path: &Path, sides: Triple<Bytes>) -> FileTriple {
    let sides = sides.map(|bytes| Some(Source::in_memory(bytes)));
    FileTriple::new(path.to_owned(), true, sides)
}

fn to_bytes(texts: Triple<&str>) -> Triple<Bytes> {
    texts.map(|text| text.to_owned().into())
}

/// Merges three texts of one file document by document (rules: Documents): resources pair by
/// identity, others by content and position.
///
/// The text of a side without the file is empty. Returns `None` if the texts cannot be merged this
/// way: one is not YAML, none has a map or a list (any text is a scalar), or a resource occurs
/// twice on one side. `path` is the file's name in errors and conflicts.
///
/// # Errors
/// If the merged text does not have the values that the merge decided (law 6).
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
    let triple = in_memory(path, to_bytes(texts));
    let file = FileInMemory::read(&triple, texts);
    file.map(|file| file.merge(None, options)).transpose()
}

/// Three texts of one file that can be merged document by document. They are read once for all
/// merges.
pub(crate) struct FileInMemory<'a> {
    texts: Triple<&'a str>,
    files: [ReadFile<'a>; 1],
}

impl<'a> FileInMemory<'a> {
    /// Reads `triple`, a file [`in_memory`] with these texts. Returns `None` as [`merge_file`]
    /// does.
    pub(crate) fn read(triple: &'a FileTriple, texts: Triple<&'a str>) -> Option<Self> {
        let file = ReadFile::read(triple, 0);
        let sides = file.yaml().transpose()?.into_array();
        let has_duplicates = |side: &&ParsedFile<'_>| side.duplicate(&triple.path).is_some();
        let can_be_merged =
            sides.iter().any(|it| is_structured(it)) && !sides.iter().any(has_duplicates);
        can_be_merged.then(|| Self {
            texts,
            files: [file],
        })
    }

    /// Merges the texts. `lines` is the clean line merge of the texts, if it is known.
    ///
    /// # Errors
    /// As for [`merge_file`].
    pub(crate) fn merge(
        &self,
        lines: Option<&CleanLines>,
        options: &Options,
    ) -> Result<MergedFile, Error> {
        let groups = pair(&self.files, false);
        let jobs = jobs(&self.files, &groups, &FxHashMap::default());
        let context = Context {
            files: &self.files,
            jobs: &jobs,
            options,
            rules: &Rules::default(),
            lines: lines.map(|lines| (self.texts, lines)),
        };
        let outcome = merge_triple(&context, 0)?;
        let text = match outcome.content {
            Content::Unchanged => self.texts.local.to_owned(),
            Content::Delete => String::new(),
            Content::Updated => self.texts.updated.to_owned(),
            Content::Write(bytes) => String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        };
        Ok(MergedFile {
            text,
            conflicts: outcome.conflicts,
        })
    }
}

/// Returns true if a document of the file is a map or a list that is not empty.
fn is_structured(file: &ParsedFile<'_>) -> bool {
    file.documents.iter().any(|parsed| {
        let root_len = |tree: &Tree<'_>| tree.entries(tree.root().value).len();
        parsed.tree().is_some_and(|tree| root_len(&tree) > 0)
    })
}
