//! The local files of a package, for the lines around a record and for the paths of rules.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use super::out::Out;
use crate::merge::Pattern;
use crate::package::{FileConflict, Plan};
use crate::report::hunks::shown_lines;
use crate::yaml::Tree;
use crate::yaml::stream::split;

/// The number of context lines above and below a record.
const CONTEXT: usize = 3;
/// The maximum number of lines of the record itself.
const MAX_LINES: usize = 12;

/// The local files of a package, as they were before the merge.
pub(super) type LocalFiles<'p> = HashMap<&'p Path, LocalFile<'p>>;

/// A local file, as it was before the merge.
#[derive(Debug)]
pub(super) struct LocalFile<'p> {
    text: &'p str,
    lines: Vec<&'p str>,
    /// Whether each line may be shown.
    shown: Vec<bool>,
    /// The line range and the tree of each document that parses.
    trees: OnceCell<Vec<(Range<usize>, Tree<'p>)>>,
}

/// Returns the local files of a plan that are text.
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
    /// Writes the lines of a record and its context; nothing if the local side does not have it.
    pub(super) fn write_lines(&self, out: &mut Out, record: &FileConflict) {
        let Some(first) = record.line.map(|line| line - 1) else {
            return;
        };
        // a value of several lines starts below its key
        let lines_of = |value: &str| value.lines().count() + usize::from(value.contains('\n'));
        let line_count = record.conflict.values().local.map_or(0, lines_of);
        let end = first + line_count.min(MAX_LINES);
        let from = first.saturating_sub(CONTEXT);
        let to = (end.max(first + 1) + CONTEXT).min(self.lines.len());
        let is_shown = |at: &usize| self.shown.get(*at) == Some(&true);
        let mut numbers = (from..to).filter(is_shown).peekable();
        if numbers.peek().is_none() {
            return;
        }
        out.raw("<figure><figcaption>local file, before the merge</figcaption>");
        out.raw("<ol class=\"lines\">\n");
        for at in numbers {
            let item = match (first..end).contains(&at) {
                true => "<li class=\"here\" value=\"{}\"><code>",
                false => "<li value=\"{}\"><code>",
            };
            out.fill(item, [&(at + 1).to_string()]);
            out.yaml(self.lines[at].trim_end_matches(['\n', '\r']));
            out.raw("</code></li>\n");
        }
        out.raw("</ol></figure>\n");
    }

    /// Returns the part of a record's path that a rule can name. For a record within a text of
    /// several lines, that is the path of the text.
    pub(super) fn ruled_path<'r>(&self, record: &'r FileConflict) -> &'r str {
        let path = record.conflict.path();
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

    /// Parses the documents of the file, for [`LocalFile::trees`].
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
