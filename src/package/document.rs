//! Merges one document of a file: its three trees (by `merge`) and the text around it (by
//! `around`).

use super::around::join_head;
use super::documents::FileMerge;
use super::pair::Group;
use super::parsed::Parsed;
use super::secrets;
use crate::error::Error;
use crate::line_breaks::with_line_break;
use crate::merge::{Merged, ReadDocument, merge_sides};
use crate::triple::{Side, Triple};

impl<'a> FileMerge<'_, '_, 'a> {
    /// Returns the text of a document to insert: upstream's text, or the merged text of the local
    /// document that moves here. It ends with `line_break`.
    pub(super) fn inserted_text(
        &mut self,
        group: &Group,
        line_break: &str,
    ) -> Result<String, Error> {
        let text = match group.local {
            Some(_) => {
                let merged = self.merge(group)?;
                let merged = self.record(group, merged);
                merged.unwrap_or_else(|| self.local_text(group))
            }
            None => self.text_of(group, Side::Updated).to_owned(),
        };
        Ok(with_line_break(text, line_break).into_owned())
    }

    /// Returns the text of local's document, with the head and the tail that merge with it.
    pub(super) fn local_text(&self, group: &Group) -> String {
        let (head, tail) = self.head_and_tail(group, Side::Local);
        let document = self.members(group).local.map(|parsed| parsed.document);
        let (above, body) = document.map_or(("", ""), |document| {
            document.text.split_at(document.body.start as usize)
        });
        let is_first = group.local.is_some_and(|it| it.document() == 0);
        join_head(head, above, is_first, false) + body + tail
    }

    /// Returns the text of a document in its file, with its tail; empty if `side` does not have it.
    pub(super) fn text_of(&self, group: &Group, side: Side) -> &'a str {
        let found = group[side].and_then(|at| {
            let file = self.file(at.triple(), side)?;
            Some(file.documents.get(at.document())?.whole(file.text))
        });
        found.unwrap_or("")
    }

    /// Merges a document that local and upstream have.
    ///
    /// # Errors
    /// [`Error::Verification`] if the merged text does not have the decided values (law 6).
    pub(super) fn merge(&self, group: &Group) -> Result<Merged, Error> {
        let members = self.members(group);
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        let full_text = |side: Side| (text(members[side]), self.head_and_tail(group, side));
        if group.updated.is_none()
            || full_text(Side::Updated) == full_text(Side::Original)
            || full_text(Side::Updated) == full_text(Side::Local)
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
        let documents = self.documents(group);
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
        Ok(self.with_around(group, merged))
    }

    /// Records the conflicts and notes of a merged document. Returns its new text; `None` if it
    /// stays as it is.
    pub(super) fn record(&mut self, group: &Group, merged: Merged) -> Option<String> {
        for records in [merged.conflicts, merged.notes] {
            if !records.is_empty() {
                self.record_all(group, records);
            }
        }
        merged.text
    }
}

/// Returns true if a document is a resource: nulls delete fields in it by default (rules: Nulls).
pub(super) fn is_resource(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let named = members.local.or(members.updated);
    named.is_some_and(|parsed| parsed.resource.is_some())
}
