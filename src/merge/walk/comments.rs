//! Comments merge three-way, apart from the values (SPEC 7).

use rustc_hash::FxHashSet;

use super::{Entries, Walker};
use crate::line_breaks;
use crate::merge::Resolution;
use crate::merge::decision::{Child, CommentChoice, CommentChoices, Outcome};
use crate::merge::place_comment::{comment_lines, place_comment};
use crate::triple::{Change, Triple};
use crate::yaml::{Comments, EntryId, NodeKind, Span, Tree};

impl Walker<'_> {
    /// Which of the comments of an entry that updated and local have are taken from updated.
    pub(super) fn comments(&mut self, entries: Entries, outcome: &Outcome) -> CommentChoices {
        let Some(updated) = entries.updated.filter(|it| !self.is_below_alias(*it)) else {
            return CommentChoices::default();
        };
        let owned = self.trees.zip(entries).map(|(tree, entry)| {
            entry
                .map(|entry| tree.entry(entry).comments())
                .unwrap_or_default()
        });
        let place = self.place_comment_choice(entries);
        if owned.local == owned.updated
            && owned.local == Comments::default()
            && owned.original == owned.local
        {
            return CommentChoices {
                from: Some(updated),
                place,
                ..CommentChoices::default()
            };
        }
        let value_taken = matches!(outcome, Outcome::Take(_)) && self.is_scalar(updated);
        let leading = self.takes_comment(owned.map(|comments| comments.leading), false);
        let line = self.takes_comment(owned.map(|comments| comments.beside()), value_taken);
        // one that upstream took away goes wherever local says it: without the first, the second would stand in its place
        let goes_twice = line.is_updated()
            && owned.updated.beside().is_empty()
            && comment_text(self.trees.original, owned.original.beside())
                == comment_text(self.trees.local, owned.local.behind());
        let tail = match goes_twice {
            true => CommentChoice::Updated,
            false => self.takes_comment(owned.map(|comments| comments.behind()), value_taken),
        };
        CommentChoices {
            from: Some(updated),
            leading,
            line,
            tail,
            place,
        }
    }

    /// Whether an entry stands in what an alias stands for: its comments are written at the anchor, and are that place's.
    fn is_below_alias(&self, updated: EntryId) -> bool {
        let tree = self.trees.updated;
        let is_alias = |entry: EntryId| {
            let node = tree.node(tree.entry(entry).value);
            matches!(node.kind, NodeKind::Alias(_))
        };
        let mut above = self.steps.iter().filter_map(|step| step.entries.updated);
        !self.text_is_value && above.any(|entry| entry != updated && is_alias(entry))
    }

    /// Whether the comments at the place above an entry are the same in original and updated.
    pub(super) fn same_place_comment(&self, original: EntryId, updated: EntryId) -> bool {
        place_comment_text(self.trees.original, original)
            == place_comment_text(self.trees.updated, updated)
    }

    /// Whose comment stands at the place above an entry that all three have: updated's, where only upstream changed it.
    /// Lines that upstream merely moved to another place are no change of this one.
    fn place_comment_choice(&mut self, entries: Entries) -> CommentChoice {
        let (Some(original), Some(updated), Some(local)) =
            (entries.original, entries.updated, entries.local)
        else {
            return CommentChoice::Local;
        };
        // A comment at a place stays, also where upstream has none there any more.
        if place_comment_text(self.trees.updated, updated).is_empty() {
            return CommentChoice::Local;
        }
        let texts = self
            .trees
            .zip(Triple::new(original, updated, local))
            .map(|(tree, entry)| place_comment_text(tree, entry));
        // What stands at the head of a file stays with the file when a document moves, so none is added there, and none is changed
        // where upstream has the document at the head of a file, or had it there.
        let may_be_of_file = texts.original.is_empty() || self.moves_from_head;
        if self.steps.len() == 1 && may_be_of_file && self.is_head(entries) {
            return CommentChoice::Local;
        }
        if matches!(texts.change(), Change::Nobody | Change::Local) || is_spaced_anew(&texts) {
            return CommentChoice::Local;
        }
        let [originals, updateds] = self.comment_lines();
        let went = |line: &&str| !line.is_empty() && !texts.updated.lines().any(|it| it == *line);
        let came = |line: &&str| !line.is_empty() && !texts.original.lines().any(|it| it == *line);
        let moved = texts
            .original
            .lines()
            .filter(went)
            .any(|line| updateds.contains(line))
            || texts
                .updated
                .lines()
                .filter(came)
                .any(|line| originals.contains(line));
        if moved {
            return CommentChoice::Local;
        }
        self.choice_between(texts, false)
    }

    /// Whether an entry is the first of the updated document.
    fn is_head(&self, entries: Entries) -> bool {
        let tree = self.trees.updated;
        let first = tree.entries(tree.root().value).next();
        first.is_some() && first == entries.updated
    }

    /// An entry that comes brings the comment at the place above it, where that is new as well.
    pub(super) fn arriving_child(&self, updated: EntryId, outcome: Outcome) -> Child {
        let tree = self.trees.updated;
        let text = place_comment_text(tree, updated);
        let is_new = !text.is_empty()
            && !text
                .lines()
                .any(|line| self.comment_lines()[0].contains(line));
        let place = if is_new {
            CommentChoice::Updated
        } else {
            CommentChoice::Local
        };
        Child {
            comments: CommentChoices {
                from: Some(updated),
                place,
                ..CommentChoices::default()
            },
            ..Child::updated(updated, outcome)
        }
    }

    fn comment_lines(&self) -> &[FxHashSet<&str>; 2] {
        self.comment_lines
            .get_or_init(|| [self.trees.original, self.trees.updated].map(comment_lines))
    }

    /// Whose comment stands in the result; `with_value` says that the value on its line is taken from updated.
    fn takes_comment(&mut self, spans: Triple<Span>, with_value: bool) -> CommentChoice {
        let texts = self
            .trees
            .zip(spans)
            .map(|(tree, span)| comment_text(tree, span));
        self.choice_between(texts, with_value)
    }

    fn choice_between(&mut self, texts: Triple<String>, with_value: bool) -> CommentChoice {
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

/// Whether upstream changed nothing but blank lines between a comment's lines: those of local stay.
fn is_spaced_anew(texts: &Triple<String>) -> bool {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter(|line| !line.is_empty())
    }
    lines(&texts.original).eq(lines(&texts.updated))
}

/// The comment that nobody would mind, where nobody is to win: local's, where they differ in white space only; of two that were
/// added, the one that has the other's lines in it.
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

/// The lines of the comment at the place above an entry.
fn place_comment_text(tree: &Tree<'_>, entry: EntryId) -> String {
    comment_text(tree, place_comment(tree, tree.entry(entry)))
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
