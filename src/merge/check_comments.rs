//! The comment check (law 9): no comment line of local is lost without a conflict, and none is there twice that was not.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::check::Unfaithful;
use super::merged_text::read_again_like;
use super::{Conflict, ConflictKind, Resolution};
use crate::triple::Triple;
use crate::yaml::{NodeId, Span, Tree};

/// How often each comment line is in a text, by what it says.
type Counts<'t> = FxHashMap<&'t str, usize>;

/// The comment lines that a merged text has too few or too many of, as conflicts. A line that upstream removed may go from
/// wherever local has it; a line may be missing where a conflict in `known` shows it.
pub(super) fn check_comments(
    trees: Triple<&Tree<'_>>,
    merged: &str,
    known: &[&[Conflict]],
) -> Result<Vec<Conflict>, Unfaithful> {
    // most lines are as often in the texts as before, whether they are comments or lines of a value
    let texts = trees.map(|tree| tree.text());
    let raw = texts.map(|text| counts(raw_lines(text).map(|(_, line)| line)));
    let of_merged = counts(raw_lines(merged).map(|(_, line)| line));
    if verdicts(&raw, &of_merged).next().is_none() {
        return Ok(Vec::new());
    }
    let merged = read_again_like(merged, Some(trees.local))?;
    let lines = trees.map(comment_lines);
    let sides = lines
        .as_ref()
        .map(|lines| counts(lines.iter().map(|(_, line)| *line)));
    let of_merged = comment_lines(&merged);
    let of_merged = counts(of_merged.iter().map(|(_, line)| *line));
    let mut found: Vec<_> = verdicts(&sides, &of_merged).collect();
    found.sort_unstable();
    let shown = |line: &str| {
        let values = known
            .iter()
            .copied()
            .flatten()
            .map(|conflict| &conflict.values);
        let mut texts = values.filter_map(|values| values.local.as_deref());
        texts.any(|text| text.contains(line))
    };
    let found = found
        .into_iter()
        .filter(|(line, verdict)| *verdict == Verdict::Twice || !shown(line))
        .map(|(line, verdict)| conflict(line, verdict, trees.local, &lines.local));
    Ok(found.collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Lost,
    Twice,
}

/// The lines that a merged text has too few or too many of.
fn verdicts<'a>(
    sides: &'a Triple<Counts<'a>>,
    merged: &'a Counts<'a>,
) -> impl Iterator<Item = (&'a str, Verdict)> {
    let count = |counts: &Counts<'_>, line: &str| counts.get(line).copied().unwrap_or(0);
    let Triple {
        original,
        updated,
        local,
    } = sides;
    let lost = local.iter().filter_map(move |(line, ours)| {
        let is_removed = count(updated, line) < count(original, line);
        (count(merged, line) < *ours && !is_removed).then_some((*line, Verdict::Lost))
    });
    let twice = merged.iter().filter_map(move |(line, there)| {
        let theirs = count(updated, line);
        let added = theirs.saturating_sub(count(original, line));
        // where upstream wins, a line that local removed comes back
        let most = theirs.max(count(local, line) + added);
        (*there > most).then_some((*line, Verdict::Twice))
    });
    lost.chain(twice)
}

fn conflict(line: &str, verdict: Verdict, local: &Tree<'_>, lines: &[(usize, &str)]) -> Conflict {
    let at = lines.iter().find(|(_, it)| *it == line).map(|(at, _)| *at);
    let number = local.text()[..at.unwrap_or(0)].matches('\n').count();
    Conflict {
        path: "(comment)".to_owned(),
        kind: ConflictKind::Text,
        line: number,
        values: Triple::new(None, None, Some(line.to_owned())),
        resolution: match verdict {
            Verdict::Lost => Resolution::Updated,
            Verdict::Twice => Resolution::Local,
        },
        rule: None,
    }
}

fn counts<'t>(lines: impl Iterator<Item = &'t str>) -> Counts<'t> {
    let mut counts = Counts::default();
    for line in lines {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// The lines that begin like a comment, each with its start, white space around it aside.
fn raw_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    starts.filter_map(|start| {
        let line = text[start..].lines().next()?.trim();
        line.starts_with('#').then_some((start, line))
    })
}

/// The comments on lines of their own, each with its start, white space around it aside.
fn comment_lines<'t>(tree: &'t Tree<'_>) -> Vec<(usize, &'t str)> {
    let mut scalars = Vec::new();
    let root = tree.root();
    texts_of_lines(tree, root.value, &mut scalars);
    let is_text = |at: usize| {
        let after = scalars.partition_point(|span: &Range<usize>| span.start <= at);
        after
            .checked_sub(1)
            .is_some_and(|last| scalars[last].contains(&at))
    };
    raw_lines(tree.text())
        .filter(|(at, _)| !is_text(*at))
        .collect()
}

/// The scalars of several lines, in the order of the text.
fn texts_of_lines(tree: &Tree<'_>, node: NodeId, found: &mut Vec<Range<usize>>) {
    let mut add = |span: Span| {
        if tree.slice(span).contains('\n') {
            found.push(span.range());
        }
    };
    if tree.scalar(node).is_some() {
        add(tree.node(node).span);
    }
    for id in tree.entries(node) {
        let entry = tree.entry(id);
        if let Some(key) = entry.key {
            texts_of_lines(tree, key, found);
        }
        texts_of_lines(tree, entry.value, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(texts: Triple<&str>, merged: &str) -> Vec<(String, Resolution)> {
        let trees = texts.map(|text| Tree::parse(text).unwrap().unwrap());
        check_comments(trees.as_ref(), merged, &[])
            .unwrap()
            .into_iter()
            .map(|conflict| (conflict.values.local.unwrap(), conflict.resolution))
            .collect()
    }

    #[test]
    fn a_lost_line_and_a_doubled_one() {
        let texts = Triple::new("a: 1\n", "a: 2\n", "# mine\na: 1 # x\n");
        let lost = ("# mine".to_owned(), Resolution::Updated);
        let twice = ("# mine".to_owned(), Resolution::Local);
        assert_eq!(checked(texts, "a: 2 # x\n"), [lost]);
        assert_eq!(checked(texts, "# mine\na: 2\n  # mine\n"), [twice]);
        assert_eq!(checked(texts, "# mine\na: 2\n"), []);
    }

    #[test]
    fn what_upstream_removed_or_added() {
        let texts = Triple::new("# old\na: 1\n", "# new\na: 1\n", "# old\na: 1\nb: 2\n");
        assert_eq!(checked(texts, "# new\na: 1\nb: 2\n"), []);
    }

    #[test]
    fn a_line_of_a_text_is_no_comment() {
        let texts = Triple::new("a: 1\n", "a: 1\n", "a: |\n  # mine\n  x\n");
        assert_eq!(checked(texts, "a: |\n  x\n"), []);
    }

    #[test]
    fn what_a_conflict_shows() {
        let texts = Triple::new("a: 1\n", "{}\n", "a:\n  # mine\n  b: 1\n");
        let trees = texts.map(|text| Tree::parse(text).unwrap().unwrap());
        let mut known = check_comments(trees.as_ref(), "{}\n", &[]).unwrap();
        assert_eq!(known.len(), 1);
        known[0].kind = ConflictKind::DeletedUpstream;
        assert_eq!(
            check_comments(trees.as_ref(), "{}\n", &[&known]).unwrap(),
            []
        );
    }
}
