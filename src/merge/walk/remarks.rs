//! Merges inline comments (`Remarks`), which are on the line of a key or of the end of a value,
//! separately from the values.

use super::sequences::is_scalar;
use super::{Entries, Walker};
use crate::line_breaks;
use crate::merge::decision::{CommentChoice, Outcome, Remarks};
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Change, Triple};
use crate::white_space::{trimmed, trimmed_start};
use crate::yaml::{Comments, EntryId, Span, Tree};

impl Walker<'_> {
    /// Decides which inline comments of an entry that updated and local have are taken from
    /// updated.
    pub(super) fn remarks(&mut self, entries: Entries, outcome: &Outcome) -> Remarks {
        let Some(updated) = entries.updated.filter(|it| !self.is_below_alias(*it)) else {
            return Remarks::default();
        };
        let above = match self.on_own_lines.local {
            true => CommentChoice::Local,
            false => self.comments_above(entries),
        };
        let comments = self.each(entries, |tree, entry| tree.entry(entry).comments());
        let comments = comments.map(Option::unwrap_or_default);
        // most entries have no comment; or local's is at the end of the value, and the one that
        // upstream deleted was at the key
        if comments == Triple::default() || self.is_other_comment(&comments) {
            return Remarks {
                from: Some(updated),
                above,
                ..Remarks::default()
            };
        }
        // There is no place for such a comment between a `? key` and a map or list behind its `:`.
        let is_explicit = |local: EntryId| {
            let tree = self.trees.local;
            let entry = tree.entry(local);
            tree.is_block_collection(entry.value) && tree.slice(entry.span).starts_with('?')
        };
        let has_no_comment =
            comments.local.beside().is_empty() && comments.local.behind().is_empty();
        let is_value_taken =
            matches!(outcome, Outcome::Take(_)) && is_scalar(self.trees.updated, updated);
        let keeps_collection = !is_value_taken && !outcome.is_emptied();
        if has_no_comment && keeps_collection && entries.local.is_some_and(is_explicit) {
            return Remarks::default();
        }
        let line = self.choose_remark(comments.map(|comments| comments.beside()), is_value_taken);
        // Local has the comment that upstream deleted twice. Both go: otherwise the second one
        // would take the place of the first.
        let deletes_both = line.is_updated()
            && comments.updated.beside().is_empty()
            && comment_text(self.trees.original, comments.original.beside())
                == comment_text(self.trees.local, comments.local.behind());
        let tail = match deletes_both {
            true => CommentChoice::Updated,
            false => self.choose_remark(comments.map(|comments| comments.behind()), is_value_taken),
        };
        Remarks {
            from: Some(updated),
            above,
            line,
            tail,
        }
    }

    /// Returns true if upstream deleted a comment at the key that local does not have either, and
    /// local has another comment at the end of the value.
    fn is_other_comment(&self, comments: &Triple<Comments>) -> bool {
        let (original, local) = (comments.original, comments.local);
        !original.line.is_empty()
            && original.tail.is_empty()
            && comments.updated.beside().is_empty()
            && local.line.is_empty()
            && !local.tail.is_empty()
            && comment_text(self.trees.original, original.line)
                != comment_text(self.trees.local, local.tail)
    }

    /// Decides which side's comment lines are above an entry of a flow collection.
    fn comments_above(&mut self, entries: Entries) -> CommentChoice {
        let above = self.each(entries, |tree, entry| {
            tree.comments_above(tree.entry(entry))
        });
        self.choose_comment(above.map(Option::unwrap_or_default), false)
    }

    /// Returns true if an entry is inside the value of an alias. Its comments are at the anchor and
    /// belong to that place.
    fn is_below_alias(&self, updated: EntryId) -> bool {
        let tree = self.trees.updated;
        let is_alias = |entry: EntryId| tree.alias_name(tree.entry(entry).value).is_some();
        let mut above = self.steps.iter().filter_map(|step| step.entries.updated);
        !self.text_is_value && above.any(|entry| entry != updated && is_alias(entry))
    }

    /// Like [`Self::choose_comment`], for a comment beside a value: also decides which side's white
    /// space is before it.
    fn choose_remark(&mut self, spans: Triple<Span>, is_value_taken: bool) -> CommentChoice {
        let choice = self.choose_comment(spans, is_value_taken);
        let is_same = || {
            let texts = self.trees.zip(spans);
            let texts = texts.map(|(tree, span)| comment_text(tree, span));
            texts.updated == texts.local
        };
        match choice {
            CommentChoice::Updated if !self.takes_gap(spans, is_value_taken) => {
                CommentChoice::UpdatedText
            }
            CommentChoice::Local if self.takes_gap(spans, is_value_taken) && is_same() => {
                CommentChoice::Updated
            }
            choice => choice,
        }
    }

    /// Whether upstream changed the white space before a comment, and local did not. If upstream
    /// changed the text before it too, it may only keep the comment in its column: the white space
    /// goes with upstream's value.
    fn takes_gap(&self, spans: Triple<Span>, is_value_taken: bool) -> bool {
        let parts = self.trees.zip(spans).map(|(tree, span)| {
            let gap = tree.white_space_before(span.start);
            let line = Span::new(tree.line_start(span.start), gap.start);
            (!span.is_empty()).then(|| (tree.slice(gap), trimmed_start(tree.slice(line))))
        });
        let gaps = parts.map(|parts| parts.map(|(gap, _)| gap));
        let is_same_line = || {
            let lines = parts.map(|parts| parts.map(|(_, line)| line));
            lines.original == lines.updated
        };
        gaps.change() == Change::Upstream && (is_value_taken || is_same_line())
    }

    /// Decides which side's comment is in the result. `is_value_taken` is true if the value on the
    /// line of the comment is taken from updated.
    fn choose_comment(&mut self, spans: Triple<Span>, is_value_taken: bool) -> CommentChoice {
        let texts = self.trees.zip(spans);
        let texts = texts.map(|(tree, span)| comment_text(tree, span));
        match texts.change() {
            Change::Neither | Change::Local | Change::BothSame => CommentChoice::Local,
            Change::Upstream => CommentChoice::Updated,
            Change::BothDiffer => {
                let (resolution, choice) = match self.resolution() {
                    Resolution::Markers => (Resolution::Markers, CommentChoice::Open),
                    Resolution::Updated if is_value_taken || !texts.original.is_empty() => {
                        (Resolution::Updated, CommentChoice::Updated)
                    }
                    _ => (Resolution::Local, CommentChoice::Local),
                };
                let values = texts.map(|text| (!text.is_empty()).then_some(text));
                self.record_lines(ConflictKind::BothChanged, None, &values, resolution);
                choice
            }
        }
    }
}

/// Returns the lines of a comment without white space at their starts and ends.
pub(crate) fn comment_text(tree: &Tree<'_>, span: Span) -> String {
    if span.is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = line_breaks::lines(tree.slice(span)).map(trimmed).collect();
    lines.join("\n")
}
