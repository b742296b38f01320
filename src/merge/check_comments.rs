//! The comment check (law 9): finds comments that the merge lost and comment lines that it doubled,
//! and reports them as conflicts.

use std::cell::LazyCell;
use std::hash::BuildHasher as _;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::body::body_in;
use super::check::VerificationError;
use super::decision::{Outcome, Slot};
use super::merged_text::read_again;
use super::{Conflict, ConflictKind, ConflictTexts, Resolution};
use crate::triple::Triple;
use crate::white_space::{is_white_space, trimmed_end};
use crate::yaml::stream::{byte_order_mark, count_lines};
use crate::yaml::{Entry, EntryId, NodeId, Span, Tree};

/// A comment, without the white space around it.
#[derive(Debug, Clone, Copy)]
struct Comment<'t> {
    text: &'t str,
    /// Its offset, and that of its line.
    at: usize,
    line: usize,
    /// Whether nothing else is on the line.
    is_on_own_line: bool,
}

/// How often a text has a comment.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    all: u32,
    /// The number of those on lines of their own.
    on_own_line: u32,
}

/// The comments of several texts. Large texts can have a comment on each line, so each takes 8
/// bytes here and is found in its text again.
struct Comments<'t, const N: usize> {
    texts: [&'t str; N],
    /// For each comment a number of its hash, its text, whether it is on a line of its own, and its
    /// offset.
    places: Vec<u64>,
}

/// The bits of a place: an offset, a flag and the index of the text, below the hash.
const OFFSET_BITS: u32 = 28;
const TEXT_BITS: u32 = 3;
const HASH_SHIFT: u32 = OFFSET_BITS + 1 + TEXT_BITS;

impl<'t, const N: usize> Comments<'t, N> {
    const fn of(texts: [&'t str; N]) -> Self {
        let places = Vec::new();
        Self { texts, places }
    }

    /// Adds comments of a text.
    fn add<'c>(&mut self, text: usize, comments: impl Iterator<Item = Comment<'c>>) {
        self.places.extend(comments.map(|comment| {
            let hash = FxBuildHasher.hash_one(comment.text) >> HASH_SHIFT << HASH_SHIFT;
            let flag = u64::from(comment.is_on_own_line) << OFFSET_BITS;
            hash | (text as u64) << (OFFSET_BITS + 1) | flag | comment.at as u64
        }));
    }

    /// Returns the index of the text that has a comment, and the comment.
    fn at(&self, place: u64) -> (usize, &'t str) {
        let index = (place >> (OFFSET_BITS + 1)) as usize & ((1 << TEXT_BITS) - 1);
        let rest = &self.texts[index][place as usize & ((1 << OFFSET_BITS) - 1)..];
        let end = memchr::memchr(b'\n', rest.as_bytes());
        (index, trimmed_end(&rest[..end.unwrap_or(rest.len())]))
    }

    /// Calls `visit` with each comment and how often each text has it.
    fn count(mut self, mut visit: impl FnMut(&'t str, [Count; N])) {
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable();
        let is_same_hash = |a: &u64, b: &u64| a >> HASH_SHIFT == b >> HASH_SHIFT;
        for alike in places.chunk_by_mut(is_same_hash) {
            // different comments can have one hash
            if alike.len() > 1 {
                alike.sort_unstable_by_key(|place| self.at(*place).1);
            }
            for same in alike.chunk_by(|a, b| self.at(*a).1 == self.at(*b).1) {
                let mut counts = [Count::default(); N];
                for place in same {
                    let count = &mut counts[self.at(*place).0];
                    count.all += 1;
                    count.on_own_line += (place >> OFFSET_BITS) as u32 & 1;
                }
                visit(self.at(same[0]).1, counts);
            }
        }
    }
}

/// Returns the comments that a merged text has too few of and the comment lines that it has too
/// many of, as conflicts.
///
/// A comment may be missing if upstream removed it, if it is the original's and was removed with
/// its entry, or if a conflict in `known` shows it. Comments outside of the bodies are not checked:
/// they merge separately.
///
/// # Errors
/// If the merged text cannot be parsed.
pub(super) fn check_comments(
    trees: Triple<&Tree<'_>>,
    bodies: Triple<Span>,
    (merged, outcome): (&str, &Outcome),
    known: &[&[Conflict]],
) -> Result<Vec<Conflict>, VerificationError> {
    // first count without parsing: lines of block scalars may be taken for comments, but if all
    // counts are right, the exact check is not needed
    let texts = trees.map(Tree::text);
    let all = [texts.original, texts.updated, texts.local, merged];
    let merged_body = body_in(merged, texts.local, bodies.local);
    let bodies_of_all = [bodies.original, bodies.updated, bodies.local, merged_body];
    let mut unparsed = Comments::of([all[0], all[1], all[2], all[3], texts.local]);
    for (index, (text, body)) in all.into_iter().zip(bodies_of_all).enumerate() {
        unparsed.add(index, comment_candidates(text, body, |_| true));
    }
    if verdicts(unparsed).is_empty() {
        return Ok(Vec::new());
    }
    let merged = read_again(merged)?;
    let mut exact = Comments::of([all[0], all[1], all[2], all[3], texts.local]);
    let parsed = [trees.original, trees.updated, trees.local, &merged];
    for (index, (tree, body)) in parsed.into_iter().zip(bodies_of_all).enumerate() {
        exact.add(index, comments(tree, body));
    }
    let mut removed = Vec::new();
    let root = trees.local.root().value;
    comments_of_removed_entries(trees.local, root, outcome, &mut removed);
    exact.add(REMOVED, removed.into_iter());
    let shown = known.iter().copied().flatten();
    let shown = shown.filter_map(|conflict| conflict.values().local);
    let shown_comments = shown
        .clone()
        .flat_map(|shown| comment_candidates(shown, whole(shown), |_| true));
    let shown_comments: FxHashSet<&str> = shown_comments.map(|comment| comment.text).collect();
    let is_shown = |text: &str| {
        shown_comments.contains(text) || shown.clone().any(|shown| shown.contains(text))
    };
    let mut found = verdicts(exact);
    found.sort_unstable();
    let of_local = LazyCell::new(|| Vec::from_iter(comments(trees.local, bodies.local)));
    let found = found
        .into_iter()
        .filter(|(text, verdict)| *verdict == Verdict::Twice || !is_shown(text))
        .map(|(text, verdict)| conflict(text, verdict, trees.local, &of_local));
    Ok(found.collect())
}

/// Returns the comments that local has more often than original, in no particular order.
pub(crate) fn own_comments<'t>(original: &Tree<'t>, local: &Tree<'t>) -> Vec<&'t str> {
    let mut both = Comments::of([local.text(), original.text()]);
    both.add(0, comments(local, whole(local.text())));
    both.add(1, comments(original, whole(original.text())));
    let mut own = Vec::new();
    both.count(|text, [local, before]| own.extend((local.all > before.all).then_some(text)));
    own
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Lost,
    Twice,
}

/// The index of the comments of local's entries that the merge removes, below those of original,
/// updated, local and the merged text.
const REMOVED: usize = 4;

/// Returns the comments that the merged text has too few or too many of.
fn verdicts(comments: Comments<'_, 5>) -> Vec<(&str, Verdict)> {
    let mut found = Vec::new();
    comments.count(|text, [original, updated, local, merged, removed]| {
        let is_removed = updated.all < original.all;
        let removed = removed.all.min(original.all);
        if merged.all + removed < local.all && !is_removed {
            found.push((text, Verdict::Lost));
        }
        let added = updated.all.saturating_sub(original.all);
        // where upstream wins, a comment that local removed may come back
        if merged.on_own_line > updated.all.max(local.all + added) {
            found.push((text, Verdict::Twice));
        }
    });
    found
}

fn conflict(text: &str, verdict: Verdict, local: &Tree<'_>, comments: &[Comment<'_>]) -> Conflict {
    let first = comments.iter().find(|comment| comment.text == text);
    let start = first.map_or(0, |comment| comment.line);
    Conflict {
        texts: ConflictTexts::new("(comment)", &Triple::new(None, None, Some(text))),
        kind: ConflictKind::Text,
        line: count_lines(&local.text()[..start]),
        resolution: match verdict {
            Verdict::Lost => Resolution::Updated,
            Verdict::Twice => Resolution::Local,
        },
        rule: None,
    }
}

/// Returns the range of a whole text.
const fn whole(text: &str) -> Span {
    Span::new(0, text.len() as u32)
}

/// Returns the comments in a range of a text: the text from a `#` to the end of its line, if
/// white space or nothing is before it and `can_be` is true for its offset.
fn comment_candidates(
    text: &str,
    range: Span,
    can_be: impl Fn(usize) -> bool,
) -> impl Iterator<Item = Comment<'_>> {
    let mut next = byte_order_mark(text).max(range.start as usize);
    let text = &text[..range.range().end.max(next)];
    let mut line = next;
    std::iter::from_fn(move || {
        loop {
            let at = next + memchr::memchr(b'#', &text.as_bytes()[next..])?;
            if let Some(end) = memchr::memrchr(b'\n', &text.as_bytes()[next..at]) {
                line = next + end + 1;
            }
            next = at + 1;
            let before = &text[line..at];
            if (before.is_empty() || before.ends_with([' ', '\t'])) && can_be(at) {
                let end = memchr::memchr(b'\n', &text.as_bytes()[at..]);
                next = end.map_or(text.len(), |end| at + end);
                return Some(Comment {
                    text: trimmed_end(&text[at..next]),
                    at,
                    line,
                    is_on_own_line: is_white_space(before),
                });
            }
        }
    })
}

/// Returns the comments in a range of a document.
fn comments<'t>(tree: &'t Tree<'_>, range: Span) -> impl Iterator<Item = Comment<'t>> {
    let mut scalars = Vec::new();
    scalars_of(tree, tree.root(), &mut scalars);
    scalars.sort_unstable_by_key(|span| span.start);
    let is_outside = move |at: usize| {
        let before = scalars.partition_point(|span| span.start <= at);
        before
            .checked_sub(1)
            .is_none_or(|last| !scalars[last].contains(&at))
    };
    comment_candidates(tree.text(), range, is_outside)
}

/// Adds the ranges of the scalars of an entry, without the headers of block scalars: a comment can
/// be behind a header.
fn scalars_of(tree: &Tree<'_>, entry: Entry<'_>, found: &mut Vec<Range<usize>>) {
    for node in entry.key.into_iter().chain([entry.value]) {
        if tree.scalar(node).is_some() {
            let span = tree.node(node).span;
            let header = match tree.slice(span) {
                text if text.starts_with(['|', '>']) => text.find('\n').unwrap_or(0),
                _ => 0,
            };
            found.push(span.start as usize + header..span.end as usize);
        }
    }
    for below in tree.entries(entry.value) {
        scalars_of(tree, tree.entry(below), found);
    }
}

/// Adds the comments of local's entries that are removed, or whose value upstream's replaces.
fn comments_of_removed_entries<'t>(
    tree: &'t Tree<'_>,
    node: NodeId,
    outcome: &Outcome,
    found: &mut Vec<Comment<'t>>,
) {
    if matches!(outcome, Outcome::Keep) {
        return;
    }
    let outcomes: FxHashMap<EntryId, &Outcome> = outcome
        .children()
        .filter_map(|child| match child.slot {
            Slot::Local(entry) => Some((entry, child.outcome())),
            Slot::Updated(_) => None,
        })
        .collect();
    for id in tree.entries(node) {
        match outcomes.get(&id) {
            Some(outcome) if **outcome != Outcome::Remove => {
                comments_of_removed_entries(tree, tree.entry(id).value, outcome, found);
            }
            _ => found.extend(comments_of(tree, id)),
        }
    }
}

/// Returns the comments in an entry and directly above it.
fn comments_of<'t>(tree: &'t Tree<'_>, id: EntryId) -> impl Iterator<Item = Comment<'t>> {
    let entry = tree.entry(id);
    let lines = Span::new(tree.comments_above(entry).start, tree.lines_of(entry).end);
    comment_candidates(tree.text(), lines, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(texts: Triple<&str>, merged: &str) -> Vec<(Box<str>, Resolution)> {
        let trees = texts.map(|text| Tree::parse(text).unwrap().unwrap());
        check_comments(
            trees.as_ref(),
            texts.map(whole),
            (merged, &Outcome::Keep),
            &[],
        )
        .unwrap()
        .into_iter()
        .map(|conflict| (conflict.values().local.unwrap().into(), conflict.resolution))
        .collect()
    }

    #[test]
    fn lost_comments_and_a_doubled_line() {
        let texts = Triple::new("a: 1\n", "a: 2\n", "# mine\na: 1 # x\n");
        let lost = ("# mine".into(), Resolution::Updated);
        let twice = ("# mine".into(), Resolution::Local);
        assert_eq!(checked(texts, "a: 2 # x\n"), [lost]);
        assert_eq!(checked(texts, "# mine\na: 2 # x\n  # mine\n"), [twice]);
        let lost = ("# x".into(), Resolution::Updated);
        assert_eq!(checked(texts, "# mine\na: 2\n"), [lost]);
        assert_eq!(checked(texts, "# mine\na: 2 # x\n"), []);
    }

    #[test]
    fn removed_and_added_comments_are_no_conflict() {
        let texts = Triple::new("# old\na: 1\n", "# new\na: 1\n", "# old\na: 1\nb: 2\n");
        assert_eq!(checked(texts, "# new\na: 1\nb: 2\n"), []);
    }

    #[test]
    fn a_line_of_a_text_is_no_comment() {
        let texts = Triple::new("a: 1\n", "a: 1\n", "a: |\n  # mine\n  x\n");
        assert_eq!(checked(texts, "a: |\n  x\n"), []);
    }

    #[test]
    fn a_comment_that_a_conflict_shows_is_not_lost() {
        let texts = Triple::new("a: 1\n", "{}\n", "a:\n  # mine\n  b: 1\n");
        let trees = texts.map(|text| Tree::parse(text).unwrap().unwrap());
        let mut known = check_comments(
            trees.as_ref(),
            texts.map(whole),
            ("{}\n", &Outcome::Keep),
            &[],
        )
        .unwrap();
        assert_eq!(known.len(), 1);
        known[0].kind = ConflictKind::DeletedUpstream;
        assert_eq!(
            check_comments(
                trees.as_ref(),
                texts.map(whole),
                ("{}\n", &Outcome::Keep),
                &[&known]
            )
            .unwrap(),
            []
        );
    }
}
