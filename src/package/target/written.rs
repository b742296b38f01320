//! The files of a target that changed or come, with their texts.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Patched, PatchedDocument, ResourceRef, Target};
use crate::error::Error;
use crate::line_breaks::{line_break_of, with_line_break};
use crate::package::assemble::{Action, Assembly, Insertion};
use crate::package::head::begins_with_marker;
use crate::package::insertion_point::Neighbours;
use crate::package::parsed::Parsed;
use crate::package::readable::Readable;

impl Target<'_> {
    /// Adds documents of another file to the one at `path`, which is made where there is none: each
    /// by its index in the other file. `existing` has for each document of the other file the
    /// resource that it is for; `named` has those of all files.
    ///
    /// # Errors
    /// Where the file that is made would not hold its documents.
    pub(in crate::package) fn add(
        &mut self,
        path: &Path,
        from: &Readable<'_>,
        new: Vec<(usize, String)>,
        existing: &[Option<ResourceRef>],
        named: &FxHashSet<ResourceRef>,
    ) -> Result<(), Error> {
        let file = self.files.binary_search_by(|it| it.read.name.cmp(path));
        let Ok(file) = file else {
            let mut actions = vec![Action::Remove; from.file.documents.len()];
            for (index, text) in new {
                let text = with_line_break(&text, line_break_of(from.file.text)).into_owned();
                actions[index] = Action::Arrive(text);
            }
            let text = assembled(from, &actions, &[], from.file.ends_line())?;
            self.added.insert(path.to_owned(), text);
            return Ok(());
        };
        let is_here = |it: &ResourceRef| it.file == file && it.item.is_none() && !self.is_gone(*it);
        let local_of = existing.iter().map(|it| Some(it.filter(is_here)?.document));
        let documents = 0..self.files[file].read.file.documents.len();
        let is_own = documents.map(|document| {
            let it = ResourceRef {
                file,
                document,
                item: None,
            };
            !named.contains(&it) && !self.is_gone(it)
        });
        let places = Neighbours {
            local_of: local_of.collect(),
            is_own: is_own.collect(),
        }
        .places();
        let line_break = line_break_of(self.files[file].read.file.text);
        let coming = new.into_iter().map(|(index, text)| Insertion {
            before: places[index],
            text: with_line_break(&text, line_break).into_owned(),
            marks: None,
        });
        let file = &mut self.files[file];
        file.coming.extend(coming);
        file.coming.sort_by_key(|insertion| insertion.before);
        Ok(())
    }

    /// The files that changed or come: their paths in the package, and the new text; `None` for one
    /// that is to be deleted.
    ///
    /// # Errors
    /// Where a list would not hold what became of its items, or a file its documents.
    pub(in crate::package) fn into_changed(
        self,
    ) -> Result<FxHashMap<PathBuf, Option<String>>, Error> {
        let is_changed = |file: &Patched<'_>| {
            !file.coming.is_empty() || file.documents.iter().any(PatchedDocument::is_changed)
        };
        // each file is dropped as soon as its text is there
        let changed = self.files.into_iter().filter(is_changed);
        let changed = changed.map(|file| Ok((file.read.name.to_owned(), file.text()?)));
        changed.chain(self.added.into_iter().map(Ok)).collect()
    }
}

impl Patched<'_> {
    /// The file's new text; `None` if none of its documents stays.
    fn text(&self) -> Result<Option<String>, Error> {
        let documents = self.read.file.documents.iter().zip(&self.documents);
        let action = |(parsed, patched): (&Parsed<'_>, &PatchedDocument)| match patched {
            it if it.is_gone => Ok(parsed.removed()),
            it if it.is_changed() => {
                let text = it.put_back(&self.read.path, parsed.document.text)?;
                Ok(Action::Replace(text.into_owned() + parsed.tail))
            }
            _ => Ok(Action::Keep),
        };
        let actions: Vec<Action> = documents.map(action).collect::<Result<_, Error>>()?;
        // the document above one that goes ends its line
        let ends_line = actions.last() == Some(&Action::Remove) || self.read.file.ends_line();
        assembled(&self.read, &actions, &self.coming, ends_line)
    }
}

/// The text of a file with what becomes of its documents; `None` if none is left.
fn assembled(
    read: &Readable<'_>,
    actions: &[Action],
    insertions: &[Insertion],
    ends_line: bool,
) -> Result<Option<String>, Error> {
    let assembly = Assembly {
        file: &read.file,
        head: read.file.head,
        has_marker: begins_with_marker(&read.file),
        actions,
        insertions,
    };
    if assembly.chunks().is_empty() {
        return Ok(None);
    }
    let text = assembly.text(ends_line, None);
    assembly.verify(&read.path, &text)?;
    Ok(Some(text))
}
