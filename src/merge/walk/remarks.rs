//! Remarks merge three-way, apart from the values: the comments on the lines of keys and values.

use super::{Entries, Walker};
use crate::line_breaks;
use crate::merge::decision::{CommentChoice, Outcome, Remarks};
use crate::merge::{ConflictKind, Resolution};
use crate::triple::{Change, Triple};
use crate::yaml::{Comments, EntryId, NodeKind, Span, Tree};

impl Walker<'_> {
    /// Which of the remarks of an entry that updated and local have are taken from updated.
    pub(super) fn remarks(&mut self, entries: Entries, outcome: &Outcome) -> Remarks {
        let Some(updated) = entries.updated.filter(|it| !self.is_below_alias(*it)) else {
            return Remarks::default();
        };
        let above = match self.has_lines.local {
            true => CommentChoice::Local,
            false => self.comments_above(entries),
        };
        let owned = self.trees.zip(entries).map(|(tree, entry)| {
            entry
                .map(|entry| tree.entry(entry).comments())
                .unwrap_or_default()
        });
        if owned
            == Triple::new(
                Comments::default(),
                Comments::default(),
                Comments::default(),
            )
        {
            return Remarks {
                from: Some(updated),
                above,
                ..Remarks::default()
            };
        }
        // a remark has no place of its own between a `? key` and a map or list behind its `:`
        let is_explicit = |local: EntryId| {
            let tree = self.trees.local;
            let entry = tree.entry(local);
            tree.is_block_collection(entry.value) && tree.slice(entry.span).starts_with('?')
        };
        let has_none = owned.local.beside().is_empty() && owned.local.behind().is_empty();
        let value_taken = matches!(outcome, Outcome::Take(_)) && self.is_scalar(updated);
        if has_none && !value_taken && entries.local.is_some_and(is_explicit) {
            return Remarks::default();
        }
        if self.is_another(&owned) {
            // local's is at the value's end, and the one that upstream removed was at the key
            return Remarks {
                from: Some(updated),
                above,
                ..Remarks::default()
            };
        }
        let line = self.choice(owned.map(|comments| comments.beside()), value_taken);
        // one that upstream took away goes wherever local says it: without the first, the second
        // would be in its place
        let goes_twice = line.is_updated()
            && owned.updated.beside().is_empty()
            && comment_text(self.trees.original, owned.original.beside())
                == comment_text(self.trees.local, owned.local.behind());
        let tail = match goes_twice {
            true => CommentChoice::Updated,
            false => self.choice(owned.map(|comments| comments.behind()), value_taken),
        };
        Remarks {
            from: Some(updated),
            above,
            line,
            tail,
        }
    }

    /// Whether upstream removed a remark on a key's line that local has not got either, and local
    /// has one of its own where the value ends.
    fn is_another(&self, owned: &Triple<Comments>) -> bool {
        let (original, local) = (owned.original, owned.local);
        !original.line.is_empty()
            && original.tail.is_empty()
            && owned.updated.beside().is_empty()
            && local.line.is_empty()
            && !local.tail.is_empty()
            && comment_text(self.trees.original, original.line)
                != comment_text(self.trees.local, local.tail)
    }

    /// Whose comment lines are above an entry between brackets.
    fn comments_above(&mut self, entries: Entries) -> CommentChoice {
        let spans = self.trees.zip(entries).map(|(tree, entry)| {
            let above = entry.map(|entry| tree.comments_above(tree.entry(entry)));
            above.unwrap_or_default()
        });
        self.choice(spans, false)
    }

    /// Whether an entry is in what an alias stands for: its comments are written at the anchor,
    /// and are that place's.
    fn is_below_alias(&self, updated: EntryId) -> bool {
        let tree = self.trees.updated;
        let is_alias = |entry: EntryId| {
            let node = tree.node(tree.entry(entry).value);
            matches!(node.kind, NodeKind::Alias(_))
        };
        let mut above = self.steps.iter().filter_map(|step| step.entries.updated);
        !self.text_is_value && above.any(|entry| entry != updated && is_alias(entry))
    }

    /// Whose comment is in the result; `with_value` says that the value on its line is taken
    /// from updated.
    fn choice(&mut self, spans: Triple<Span>, with_value: bool) -> CommentChoice {
        let texts = self
            .trees
            .zip(spans)
            .map(|(tree, span)| comment_text(tree, span));
        match texts.change() {
            Change::Nobody | Change::Local | Change::BothAlike => CommentChoice::Local,
            Change::Upstream => CommentChoice::Updated,
            Change::BothApart => {
                let equals = self.resolution() == Resolution::Markers;
                if let Some(settled) = settled(&texts).filter(|_| equals) {
                    return settled;
                }
                let (resolution, choice) = match self.resolution() {
                    Resolution::Markers => (Resolution::Markers, CommentChoice::Apart),
                    Resolution::Updated if with_value || !texts.original.is_empty() => {
                        (Resolution::Updated, CommentChoice::Updated)
                    }
                    _ => (Resolution::Local, CommentChoice::Local),
                };
                let values = texts.map(|text| (!text.is_empty()).then(|| text.into()));
                self.record_lines(ConflictKind::BothChanged, None, values, resolution);
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

/// The comment that nobody would mind, where nobody is to win: local's, where they differ in white
/// space only; of two that were added, the one that has the other's lines in it.
fn settled(texts: &Triple<String>) -> Option<CommentChoice> {
    let words = |text: &str| -> String { text.split_whitespace().collect() };
    if words(&texts.updated) == words(&texts.local) {
        return Some(CommentChoice::Local);
    }
    let holds = |larger: &str, smaller: &str| {
        let (larger, smaller): (Vec<_>, Vec<_>) =
            (larger.lines().collect(), smaller.lines().collect());
        !smaller.is_empty() && larger.windows(smaller.len()).any(|lines| lines == smaller)
    };
    if !texts.original.is_empty() {
        None
    } else if holds(&texts.local, &texts.updated) {
        Some(CommentChoice::Local)
    } else {
        holds(&texts.updated, &texts.local).then_some(CommentChoice::Updated)
    }
}

/// A comment's lines without their indentation and the white space at their ends.
pub(crate) fn comment_text(tree: &Tree<'_>, span: Span) -> String {
    if span.is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = line_breaks::lines(tree.slice(span))
        .map(str::trim)
        .collect();
    lines.join("\n")
}
