//! One document of a file, merged: what upstream made of it, or kubectl would.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::documents::FileMerge;
use super::head::{has_directives, has_marker};
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use super::secrets;
use crate::error::{Error, Warning};
use crate::line_breaks::{cut_last_line, line_break_of, lines, with_line_break};
use crate::merge::{Merged, MergedAbove, Side, merge_above, merge_sides, set_off};
use crate::triple::{self, Triple};
use crate::yaml::Tree;
use crate::yaml::stream::byte_order_mark;

impl<'f, 'a> FileMerge<'_, 'f, 'a> {
    /// The text of a document that comes: upstream's, or that of the local one that moves here,
    /// merged.
    pub(super) fn arriving(&mut self, group: &Group, line_break: &str) -> Result<String, Error> {
        let members = self.members(group);
        if let Some(local) = members.local {
            let merged = self.merge(group)?;
            let merged = self.recorded(group, merged);
            let text = merged.as_deref().unwrap_or(local.document.text);
            return Ok(with_line_break(text, line_break).into_owned());
        }
        let Some(updated) = members.updated else {
            return Ok(String::new());
        };
        let text = match self.context.apply.zip(group.updated) {
            Some((apply, config)) => apply.created(config)?,
            None => updated.document.text.to_owned(),
        };
        Ok(with_line_break(text, line_break).into_owned())
    }

    /// The new text of a live document that is a list of resources, where configurations are for
    /// some of them.
    pub(super) fn applied_items(&mut self, local: DocRef) -> Result<Option<String>, Error> {
        let Some(apply) = self.context.apply else {
            return Ok(None);
        };
        let applied = apply.applied_items(local)?;
        self.outcome.warnings.extend(applied.warnings);
        Ok(applied.text)
    }

    /// Whether a live object goes that no configuration is for.
    pub(super) fn is_pruned(&mut self, local: DocRef, file: &'f ParsedFile<'a>) -> bool {
        let message = self
            .context
            .apply
            .and_then(|apply| apply.pruned(&file.documents[local.document]));
        let path = &self.context.triples[local.triple].path;
        let told = message.map(|message| Warning::about(path, message));
        let is_pruned = told.is_some();
        self.outcome.warnings.extend(told);
        is_pruned
    }

    /// What becomes of a local document that upstream has too, with what there is to warn of.
    pub(super) fn merge(&self, group: &Group) -> Result<(Merged, Vec<Warning>), Error> {
        let members = self.members(group);
        if let (Some(apply), Some(config), Some(live)) =
            (self.context.apply, group.updated, group.local)
        {
            let applied = apply.applied(config, live)?;
            let merged = Merged {
                text: applied.text,
                ..Merged::unchanged()
            };
            return Ok((merged, applied.warnings));
        }
        let text = |parsed: Option<&Parsed<'a>>| parsed.map(|parsed| parsed.document.text);
        if group.updated.is_none()
            || text(members.updated) == text(members.original)
            || text(members.updated) == text(members.local)
        {
            return Ok((Merged::unchanged(), Vec::new()));
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
        let lost = members.zip(trees.as_ref()).map(is_lost).into_array();
        if lost.contains(&true) {
            return Err(Error::Verification {
                file: self.path(group),
                path: String::new(),
                message: "a document was readable, and then it was not".to_owned(),
            });
        }
        let sides = members.zip(trees.as_ref()).map(|(parsed, tree)| {
            let (document, tree) = (&parsed?.document, tree.as_deref()?);
            Some(Side { document, tree })
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
        Ok((self.with_above(group, merged), Vec::new()))
    }

    /// A merged document with the merged text above its body.
    fn with_above(&self, group: &Group, merged: Merged) -> Merged {
        let members = self.members(group);
        let (Some(updated), Some(local)) = (members.updated, members.local) else {
            return merged;
        };
        let text = merged.text.as_deref().unwrap_or(local.document.text);
        let own = above(local);
        // a comment may have come behind the `---`, on its line
        let marker = own.trim_end_matches(['\r', '\n']);
        let own = if text.starts_with(own) { own } else { marker };
        let Some(body) = text.strip_prefix(own).filter(|_| !merged.is_held_back()) else {
            return merged;
        };
        let is_left = members
            .original
            .is_some_and(|it| it.document.text == local.document.text);
        let of_updated = &updated.document.text[updated.document.body.range()];
        if is_left
            && has_marker(&updated.document)
            && has_marker(&local.document)
            && !has_directives(local.document.text)
            && !has_directives(updated.document.text)
            && body.trim_start_matches(['\r', '\n']) == of_updated
        {
            // local left it as it was, the frame included
            return Merged {
                text: Some(updated.document.text.to_owned()),
                ..merged
            };
        }
        let Some(above) = self.merged_above(group, local, own) else {
            return merged;
        };
        let text = format!("{}{body}", above.text);
        let conflicts = above.conflicts.into_iter().chain(merged.conflicts);
        Merged {
            text: Some(text).filter(|text| text != local.document.text),
            conflicts: conflicts.collect(),
            ..merged
        }
    }

    /// What comes above the body of local's document in the place of its `own` text.
    fn merged_above(&self, group: &Group, local: &Parsed<'_>, own: &str) -> Option<MergedAbove> {
        // what it is below in another file is no text of its own
        let triple = |member: Option<DocRef>| member.map(|it| it.triple);
        if triple(group.original) != triple(group.local) {
            return None;
        }
        let members = self.members(group);
        let with_own_head = |side: triple::Side, other: triple::Side| {
            let parsed = members[side];
            parsed.map_or(Cow::Borrowed(""), |it| with_own_head(it, members[other]))
        };
        let sides = Triple::new(
            with_own_head(triple::Side::Original, triple::Side::Updated),
            with_own_head(triple::Side::Updated, triple::Side::Original),
            own.into(),
        );
        let sides = sides.as_ref().map(AsRef::as_ref);
        let line_break = line_break_of(local.document.text);
        let mut new = merge_above(sides, line_break, &self.options(group))?;
        if self.stands_there(local, own, &new.text) {
            return None;
        }
        let is_comment = |line: &str| line.trim_start().starts_with('#');
        let ends_in_comment = |text: &str| lines(text).last().is_some_and(is_comment);
        if !ends_in_comment(own) {
            set_off(&mut new.text, line_break);
        }
        Some(new)
    }

    /// Whether the comments that would come above the first document of a file, whose `own` text
    /// there is this, are there already, be it in the head of the file: more often than
    /// upstream's head has them.
    fn stands_there(&self, local: &Parsed<'_>, own: &str, above: &str) -> bool {
        let document = &local.document;
        if document.start > document.head.len() {
            return false;
        }
        let head = self.head.as_deref().unwrap_or(document.head);
        let mut known: FxHashMap<&str, i32> = FxHashMap::default();
        for line in comments_above(head).chain(comments_above(document.text)) {
            *known.entry(line).or_default() += 1;
        }
        let updated_head = self.sides.updated.map_or("", |file| file.head);
        for line in comments_above(updated_head).chain(comments_above(own)) {
            *known.entry(line).or_default() -= 1;
        }
        let mut own: Vec<&str> = comments_above(own).collect();
        let comes = comments_above(above).filter(|line| {
            let at = own.iter().position(|it| it == line);
            at.map(|at| own.swap_remove(at)).is_none()
        });
        let mut comes = comes.peekable();
        comes.peek().is_some()
            && comes.all(|line| {
                let left = known.entry(line).or_default();
                *left -= 1;
                *left >= 0
            })
    }

    /// The new text of a document; `None` if it stays as it is. What else there is to know of its
    /// merge is recorded.
    pub(super) fn recorded(
        &mut self,
        group: &Group,
        merged: (Merged, Vec<Warning>),
    ) -> Option<String> {
        let (merged, warnings) = merged;
        self.outcome.warnings.extend(warnings);
        for records in [merged.conflicts, merged.noted] {
            if !records.is_empty() {
                self.record_all(group, records);
            }
        }
        merged.text
    }
}

/// What has content has a tree: to go on without one would be to merge nothing, in silence.
fn is_lost((parsed, tree): (Option<&Parsed<'_>>, &Option<Arc<Tree<'_>>>)) -> bool {
    parsed.is_some_and(|parsed| parsed.has_content) && tree.is_none()
}

/// What is above a document's body, with what belongs to it of the head of its file.
fn with_own_head<'a>(parsed: &Parsed<'a>, other: Option<&Parsed<'_>>) -> Cow<'a, str> {
    let (_, own) = cut_head(parsed, other);
    match own {
        "" => above(parsed).into(),
        own => format!("{own}{}", above(parsed)).into(),
    }
}

/// The head of a file, cut into what is the file's and what belongs to its first document: the
/// last comments, where that document is not the first one in another version and has these
/// comments above it there.
pub(super) fn cut_head<'a>(parsed: &Parsed<'a>, other: Option<&Parsed<'_>>) -> (&'a str, &'a str) {
    let head = parsed.document.head;
    let is_first = |parsed: &Parsed<'_>| parsed.document.start == parsed.document.head.len();
    let Some(other) = other.filter(|other| is_first(parsed) && !is_first(other)) else {
        return (head, "");
    };
    if comments_above(head).next().is_none() {
        return (head, "");
    }
    let own: FxHashSet<&str> = comments_above(other.document.text).collect();
    let bom = byte_order_mark(head);
    let (mut cut, mut rest) = (head.len(), &head[bom..]);
    loop {
        let (line, above) = cut_last_line(rest);
        match line.trim() {
            // comments with no blank line between are one
            _ if line.is_empty() => return head.split_at(bom),
            "" => cut = cut.min(bom + rest.len()),
            "---" => return head.split_at(bom + rest.len()),
            words if own.contains(words) => {}
            _ => return head.split_at(cut),
        }
        rest = above;
    }
}

/// What is above a document's body.
fn above<'a>(parsed: &Parsed<'a>) -> &'a str {
    &parsed.document.text[..parsed.document.body.start as usize]
}

/// The comment lines above the first content of a text.
fn comments_above(text: &str) -> impl Iterator<Item = &str> {
    let lines = lines(text).map(|line| line.trim_start_matches('\u{feff}').trim());
    let above = lines.take_while(|line| line.is_empty() || line.starts_with(['#', '-']));
    above.filter(|line| line.starts_with('#'))
}

/// Whether a null is a word of command in a document: whether it is a resource.
pub(super) fn is_resource(members: &Triple<Option<&Parsed<'_>>>) -> bool {
    let named = members.local.or(members.updated);
    named.is_some_and(|parsed| parsed.resource.is_some())
}
