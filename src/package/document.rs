//! Merges one document of a file.

use super::around::documents_to_merge;
use super::documents::FileMerge;
use super::pair::Group;
use super::parsed::Parsed;
use super::secrets;
use crate::error::Error;
use crate::line_breaks::with_line_break;
use crate::merge::{Merged, ReadDocument, merge_sides};
use crate::triple::{Side, Triple};

impl<'a> FileMerge<'_, '_, 'a> {
    /// The text of a document that comes: upstream's, or that of the local one that moves here,
    /// merged.
    pub(super) fn arriving(&mut self, group: &Group, line_break: &str) -> Result<String, Error> {
        let members = self.members(group);
        if members.local.is_some() {
            let whole = self.whole(group, Side::Local);
            let merged = self.merge(group)?;
            let merged = self.recorded(group, merged);
            let text = merged.as_deref().unwrap_or(whole);
            return Ok(with_line_break(text, line_break).into_owned());
        }
        let whole = self.whole(group, Side::Updated);
        Ok(with_line_break(whole, line_break).into_owned())
    }

    /// The text of a document in its file, with what is below it; nothing if there is none.
    pub(super) fn whole(&self, group: &Group, side: Side) -> &'a str {
        let found = group[side].and_then(|at| {
            let file = self.file(at.triple, side)?;
            Some(file.documents.get(at.document)?.whole(file.text))
        });
        found.unwrap_or("")
    }

    /// What becomes of a local document that upstream has too.
    pub(super) fn merge(&self, group: &Group) -> Result<Merged, Error> {
        let members = self.members(group);
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        let whole = |side: Side| (text(members[side]), self.head_and_tail(group, side));
        if group.updated.is_none()
            || whole(Side::Updated) == whole(Side::Original)
            || whole(Side::Updated) == whole(Side::Local)
        {
            return Ok(Merged::unchanged());
        }
        let local = members.local.and_then(Parsed::tree);
        let trees = Triple {
            updated: members.updated.and_then(Parsed::tree),
            original: match text(members.local) == text(members.original) {
                true => local.clone(),
                false => members.original.and_then(Parsed::tree),
            },
            local,
        };
        let is_lost = |side: Side| members[side].is_some() && trees[side].is_none();
        // to go on would be to merge nothing, in silence
        if Side::ALL.into_array().into_iter().any(is_lost) {
            return Err(Error::Verification {
                file: self.path(group),
                path: String::new(),
                message: "a document was readable, and then it was not".to_owned(),
            });
        }
        let documents = documents_to_merge(&members);
        let sides = documents.as_ref().zip(trees.as_ref());
        let sides = sides.map(|(document, tree)| {
            let (document, tree) = (document.as_ref()?, tree.as_deref()?);
            Some(ReadDocument { document, tree })
        });
        let merged = merge_sides(
            sides,
            is_resource(&members),
            &self.options(group),
            self.context.lines,
        );
        let merged = merged.map_err(|verification_error| {
            let texts = members.map(text).into_array();
            secrets::verification_error(
                self.path(group),
                verification_error,
                texts.into_iter().flatten(),
            )
        })?;
        Ok(self.with_around(group, &documents, merged))
    }

    /// The new text of a document; `None` if it stays as it is. What else there is to know of its
    /// merge is recorded.
    pub(super) fn recorded(&mut self, group: &Group, merged: Merged) -> Option<String> {
        for records in [merged.conflicts, merged.noted] {
            if !records.is_empty() {
                self.record_all(group, records);
            }
        }
        merged.text
    }
}

/// Whether a null is a word of command in a document: whether it is a resource.
pub(super) fn is_resource(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let named = members.local.or(members.updated);
    named.is_some_and(|parsed| parsed.resource.is_some())
}
