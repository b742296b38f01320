//! Comments merge three-way, apart from the values (SPEC 7).

use super::{Entries, Walker};
use crate::merge::Resolution;
use crate::merge::decision::{CommentChoice, CommentChoices, Outcome};
use crate::triple::{Change, Triple};
use crate::yaml::{Comments, EntryId, NodeKind, Span, Tree};

impl Walker<'_> {
    /// Which of the comments of an entry that updated and local have are taken from updated.
    pub(super) fn comments(&mut self, entries: Entries, outcome: &Outcome) -> CommentChoices {
        let Some(updated) = entries.updated else {
            return CommentChoices::default();
        };
        let owned = self.trees.zip(entries).map(|(tree, entry)| {
            entry
                .map(|entry| tree.entry(entry).comments)
                .unwrap_or_default()
        });
        if owned.local == owned.updated
            && owned.local == Comments::default()
            && owned.original == owned.local
        {
            return CommentChoices::default();
        }
        let value_taken = matches!(outcome, Outcome::Take(_)) && self.is_scalar(updated);
        CommentChoices {
            from: Some(updated),
            leading: self.takes_comment(owned.map(|comments| comments.leading), false),
            line: self.takes_comment(owned.map(|comments| comments.line), value_taken),
            tail: self.takes_comment(owned.map(|comments| comments.tail), value_taken),
        }
    }

    /// Whose comment stands in the result; `with_value` says that the value on its line is taken from updated.
    fn takes_comment(&mut self, spans: Triple<Span>, with_value: bool) -> CommentChoice {
        let texts = self
            .trees
            .zip(spans)
            .map(|(tree, span)| comment_text(tree, span));
        match texts.change() {
            Change::Nobody | Change::Local | Change::BothAlike => CommentChoice::Local,
            Change::Upstream => CommentChoice::Updated,
            Change::BothApart => {
                let (resolution, choice) = match self.resolution() {
                    Resolution::Markers => (Resolution::Markers, CommentChoice::Apart),
                    Resolution::Updated if with_value => {
                        (Resolution::Updated, CommentChoice::Updated)
                    }
                    _ => (Resolution::Local, CommentChoice::Local),
                };
                self.record_comment(texts, resolution);
                choice
            }
        }
    }

    fn is_scalar(&self, entry: EntryId) -> bool {
        let tree = self.trees.updated;
        let node = tree.resolve(tree.entry(entry).value);
        matches!(tree.node(node).kind, NodeKind::Scalar(_))
    }
}

/// A comment's lines without their indentation and the white space at their ends.
pub(crate) fn comment_text(tree: &Tree<'_>, span: Span) -> String {
    if span.is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = tree.slice(span).lines().map(str::trim).collect();
    lines.join("\n")
}
