//! Puts together the texts of the target's changed and new files.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{ResourceRef, Target, TargetDocument, TargetFile};
use crate::error::Error;
use crate::line_breaks::{line_break_of, with_line_break};
use crate::package::assemble::{Action, Assembly, Insertion, verify};
use crate::package::head::begins_with_marker;
use crate::package::order::insertion_points;
use crate::package::parsed::Parsed;
use crate::package::read::SourceFile;

impl Target<'_> {
    /// Adds documents of the file `from` to the one at `path`, which is created if it does not
    /// exist. `new` has the index of each document in `from` and its text. `existing` has the
    /// resource that corresponds to each document of `from`; `named` has the resources that
    /// correspond to documents of any file.
    ///
    /// # Errors
    /// If the new file would not have exactly these documents.
    pub(in crate::package) fn add(
        &mut self,
        path: &Path,
        from: &SourceFile<'_>,
        new: Vec<(usize, String)>,
        existing: &[Option<ResourceRef>],
        named: &FxHashSet<ResourceRef>,
    ) -> Result<(), Error> {
        let file = self.files.binary_search_by(|it| it.read.name.cmp(path));
        let text = file.map_or(from.file.text, |file| self.files[file].read.file.text);
        let line_break = line_break_of(text);
        let places = match file {
            Ok(file) => self.insertion_points(file, existing, named),
            Err(_) => (0..from.file.documents.len()).collect(),
        };
        let insertions = new.into_iter().map(|(index, text)| Insertion {
            before: places[index],
            text: with_line_break(&text, line_break).into_owned(),
            marks: None,
        });
        if let Ok(file) = file {
            self.files[file].insertions.extend(insertions);
        } else {
            let actions = vec![Action::Remove; from.file.documents.len()];
            let insertions: Vec<Insertion> = insertions.collect();
            let text = assembled(from, &actions, &insertions, from.file.ends_line())?;
            self.added.insert(path.to_owned(), text);
        }
        Ok(())
    }

    /// Returns the insertion points in a file for each document of another file. `existing` and
    /// `named` are as in [`Target::add`].
    fn insertion_points(
        &self,
        file: usize,
        existing: &[Option<ResourceRef>],
        named: &FxHashSet<ResourceRef>,
    ) -> Vec<usize> {
        let is_here =
            |it: &ResourceRef| it.file == file && it.item.is_none() && !self.is_deleted(*it);
        let local_of = existing.iter().map(|it| Some(it.filter(is_here)?.document));
        let documents = self.documents_of(file);
        let is_own = documents.map(|it| !named.contains(&it) && !self.is_deleted(it));
        insertion_points(&local_of.collect::<Vec<_>>(), &is_own.collect::<Vec<_>>())
    }

    /// Returns the paths of the changed and new files, with their new text; `None` for a deleted
    /// file.
    ///
    /// # Errors
    /// If a list would not have the expected items, or a file not the expected documents.
    pub(in crate::package) fn into_changed(
        self,
    ) -> Result<FxHashMap<PathBuf, Option<String>>, Error> {
        let is_changed = |file: &TargetFile<'_>| {
            !file.insertions.is_empty() || file.documents.iter().any(TargetDocument::is_changed)
        };
        // each file is dropped as soon as its text is complete, to save memory
        let changed = self.files.into_iter().filter(is_changed);
        let changed = changed.map(|file| Ok((file.read.name.to_owned(), file.text()?)));
        changed.chain(self.added.into_iter().map(Ok)).collect()
    }
}

impl TargetFile<'_> {
    /// Returns the new text of the file; `None` if no document is left.
    fn text(&self) -> Result<Option<String>, Error> {
        let documents = self.read.file.documents.iter().zip(&self.documents);
        let action = |(parsed, patched): (&Parsed<'_>, &TargetDocument)| match patched {
            it if it.is_deleted => Ok(parsed.removed()),
            it if it.is_changed() => {
                let text = it.with_items(self.read.path, parsed.document.text)?;
                Ok(Action::Replace(text.into_owned() + parsed.tail))
            }
            _ => Ok(Action::Keep),
        };
        let actions: Vec<Action> = documents.map(action).collect::<Result<_, Error>>()?;
        // if the last document is deleted, the one above it keeps its line break
        let ends_line = actions.last() == Some(&Action::Remove) || self.read.file.ends_line();
        assembled(&self.read, &actions, &self.insertions, ends_line)
    }
}

/// Returns the text of a file after these actions and insertions; `None` if no document is left.
fn assembled(
    read: &SourceFile<'_>,
    actions: &[Action],
    insertions: &[Insertion],
    ends_line: bool,
) -> Result<Option<String>, Error> {
    let positions = Vec::from_iter(0..actions.len());
    let assembly = Assembly {
        file: &read.file,
        head: read.file.head,
        has_marker: begins_with_marker(&read.file),
        actions,
        positions: &positions,
        insertions,
    };
    let chunks = assembly.chunks();
    if chunks.is_empty() {
        return Ok(None);
    }
    let text = assembly.text(&chunks, ends_line, None);
    verify(read.path, &text, &chunks)?;
    Ok(Some(text))
}
