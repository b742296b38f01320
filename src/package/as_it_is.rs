//! Finds the files that are local's or upstream's as they are (laws 2 and 3).

use super::Content;
use super::document::is_resource;
use super::documents::FileMerge;
use super::pair::Group;
use super::parsed::Parsed;
use crate::merge::Nulls;
use crate::merge::pins::may_pin;
use crate::triple::Side;

impl<'a> FileMerge<'_, '_, 'a> {
    /// Returns the content of the file if it is one side's, without a merge of its documents.
    pub(super) fn content_as_it_is(&self) -> Option<Content> {
        match self.is_already_there() {
            true => Some(Content::Unchanged),
            false => self.fast_forward(),
        }
    }

    /// Returns true if local's bytes are upstream's and each of its documents pairs with the same
    /// one of upstream's file (law 3).
    fn is_already_there(&self) -> bool {
        let sides = &self.context.files[self.target].triple.sides;
        let texts = sides.local.as_ref().zip(sides.updated.as_ref());
        self.job.file.local == Some(self.target)
            && texts.is_some_and(|(local, updated)| local.bytes == updated.bytes)
            && self.job.moving_out.is_empty()
            && self.inserted.is_empty()
            && self.job.staying.iter().all(|it| it.local == it.updated)
    }

    /// Returns upstream's file if local's bytes are the original's and all pairs are within (law
    /// 2).
    fn fast_forward(&self) -> Option<Content> {
        let base = self.job.file.local?;
        let triple = |file: usize| self.context.files[file].triple;
        triple(self.target).sides.updated.as_ref()?;
        let sides = &triple(base).sides;
        let local = sides.local.as_ref()?;
        if sides.original.as_ref()?.bytes != local.bytes || may_pin(&local.bytes) {
            return None;
        }
        let stays_within_file = |group: &Group| {
            group.original.is_some_and(|it| it.triple() == base)
                && group.updated.is_none_or(|it| it.triple() == self.target)
        };
        let is_new = |group: &Group| group.local.is_none();
        let staying = &self.job.staying;
        let of_updated = staying.iter().filter(|group| group.updated.is_some());
        let expected = of_updated.count() + self.inserted.len();
        let count = self.file(self.target, Side::Updated)?.documents.len();
        let is_forward = staying.iter().all(stays_within_file)
            && self.inserted.iter().all(is_new)
            && self.job.moving_out.is_empty()
            && count == expected
            && !staying.iter().any(|it| self.may_delete_by_null(it));
        is_forward.then_some(Content::Updated)
    }

    /// Returns true if upstream may have added a null to this document that deletes a field (rules:
    /// Nulls). Then it merges by fields, which gives upstream's text if there is no such null.
    fn may_delete_by_null(&self, group: &Group) -> bool {
        let members = self.members(group);
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        let nulls = self.context.options.nulls;
        members.updated.is_some_and(|updated| updated.may_have_null)
            && text(members.original) != text(members.updated)
            && nulls.map_or_else(|| is_resource(&members), |it| it == Nulls::Clear)
    }
}
