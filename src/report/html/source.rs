//! The local files around what is reported.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use crate::merge::Pattern;
use crate::package::{FileConflict, Plan};
use crate::report::hunks::shown_lines;
use crate::yaml::Tree;
use crate::yaml::stream::split;

/// How many lines around a place are shown.
const CONTEXT: usize = 3;
/// How many lines of the place itself.
const MOST: usize = 12;

/// The local files of a package, as they were before the merge.
pub(super) type LocalFiles<'p> = HashMap<&'p Path, LocalFile<'p>>;

/// One of them.
#[derive(Debug)]
pub(super) struct LocalFile<'p> {
    text: &'p str,
    lines: Vec<&'p str>,
    /// For each line whether it may be shown.
    shown: Vec<bool>,
    /// The lines of each document that parses, and its tree.
    trees: OnceCell<Vec<(Range<usize>, Tree<'p>)>>,
}

/// A line of a file, by its number from 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'p> {
    pub(super) number: usize,
    pub(super) text: &'p str,
    /// Whether it is what the record is about, and not only near.
    pub(super) here: bool,
}

pub(super) fn local_files(plan: &Plan) -> LocalFiles<'_> {
    let files = plan.sources.iter();
    let files = files.filter_map(|(path, bytes)| {
        let text = std::str::from_utf8(bytes).ok()?;
        let source = LocalFile {
            text,
            shown: shown_lines(text, plan.show_secrets),
            lines: text.split_inclusive('\n').collect(),
            trees: OnceCell::new(),
        };
        Some((path.as_path(), source))
    });
    files.collect()
}

impl<'p> LocalFile<'p> {
    /// The lines of a record, and those around it; none where the local side has not got it.
    pub(super) fn around(&self, record: &FileConflict) -> Vec<Line<'p>> {
        let Some(first) = record.line.map(|line| line - 1) else {
            return Vec::new();
        };
        let here = match &record.conflict.values.local {
            // a map or list is below its key
            Some(value) => value.lines().count() + usize::from(value.contains('\n')),
            None => 0,
        };
        let end = first + here.min(MOST);
        let (from, to) = (
            first.saturating_sub(CONTEXT),
            (end.max(first + 1) + CONTEXT).min(self.lines.len()),
        );
        let numbers = (from..to).filter(|at| self.shown.get(*at) == Some(&true));
        let line = |at: usize| Line {
            number: at + 1,
            text: self.lines[at].trim_end_matches(['\n', '\r']),
            here: (first..end).contains(&at),
        };
        numbers.map(line).collect()
    }

    /// The part of a record's path that rules know: of what is in a text, the text.
    pub(super) fn ruled_path<'r>(&self, record: &'r FileConflict) -> &'r str {
        let path = &*record.conflict.path;
        let trees = self.trees.get_or_init(|| self.parsed());
        let holds =
            |lines: &Range<usize>| record.line.is_some_and(|line| lines.contains(&(line - 1)));
        let Some((_, tree)) = trees.iter().find(|(lines, _)| holds(lines)) else {
            return path;
        };
        let ends = path.match_indices(['.', '[']).map(|(at, _)| at);
        let is_text = |end: &usize| {
            let found = Pattern::parse(&path[..*end]).ok().map(|it| it.find(tree));
            let first = found.and_then(|it| it.first().copied());
            let scalar = first.and_then(|it| tree.scalar(tree.resolve(tree.entry(it).value)));
            scalar.is_some_and(|scalar| scalar.content.contains('\n'))
        };
        let mut ends = ends.filter(|end| *end > 0);
        ends.find(is_text).map_or(path, |end| &path[..end])
    }

    fn parsed(&self) -> Vec<(Range<usize>, Tree<'p>)> {
        let documents = split(self.text).into_iter();
        let trees = documents.filter_map(|document| {
            let tree = Tree::parse(document.text).ok()??;
            let end = document.line + document.text.lines().count();
            Some((document.line..end, tree))
        });
        trees.collect()
    }
}
