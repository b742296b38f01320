//! How block scalars of the source are written, and new content for those of the target.

use super::Editor;
use crate::line_breaks::lines;
use crate::white_space::is_white_space;
use crate::yaml::{Entry, NodeId, NodeKind, Tree};

/// How a block scalar is written.
pub(super) struct BlockScalar<'t> {
    /// The indicators on its first line: `|`, `>-`, `|2+` and the like.
    pub(super) header: &'t str,
    /// The width of its indentation, if the header indicates it.
    pub(super) indicated: Option<usize>,
    /// The number of spaces before its first line that is not blank.
    pub(super) indent: Option<usize>,
}

impl<'t> BlockScalar<'t> {
    /// Returns how a node is written; `None` if it is not a block scalar.
    pub(super) fn of(tree: &'t Tree<'_>, node: NodeId) -> Option<Self> {
        let node = tree.node(node);
        let NodeKind::Scalar(scalar) = node.kind else {
            return None;
        };
        if !scalar.style.is_block() {
            return None;
        }
        let mut lines = lines(tree.slice(node.span));
        let header = lines.next()?.split([' ', '\t']).next()?;
        let first = lines.find(|line| !is_white_space(line));
        Some(Self {
            header,
            indicated: header
                .trim_matches(|c: char| !c.is_ascii_digit())
                .parse()
                .ok(),
            indent: first.map(|line| line.len() - line.trim_start_matches(' ').len()),
        })
    }

    /// Returns the column of its lines, if its entry starts in `column`; `None` if its header does
    /// not say it and all lines are blank.
    fn column_of_lines(&self, column: usize) -> Option<usize> {
        self.indicated.map(|width| column + width).or(self.indent)
    }
}

/// Whether a value is or ends with a block scalar.
pub(super) fn ends_in_block_scalar(tree: &Tree<'_>, node: NodeId) -> bool {
    let last = tree.entries(node).next_back();
    tree.is_block_scalar(node)
        || last.is_some_and(|last| ends_in_block_scalar(tree, tree.entry(last).value))
}

/// Returns the column of the lines of the block scalar that an entry ends with; `None` if it has
/// none, or if the text of the entry is not YAML by itself.
pub(super) fn column_of_last_lines(entry: &str) -> Option<u32> {
    let tree = Tree::parse(entry).ok()??;
    let mut entry = tree.root();
    while let Some(last) = tree.entries(entry.value).next_back() {
        entry = tree.entry(last);
    }
    let column = tree.column(entry.span.start) as usize;
    let scalar = BlockScalar::of(&tree, entry.value)?;
    u32::try_from(scalar.column_of_lines(column)?).ok()
}

impl Editor<'_> {
    /// Replaces a block scalar of the target by a literal one with this content, in its own
    /// indentation.
    pub(super) fn replace_lines(&mut self, entry: Entry<'_>, content: &str) {
        let target = self.target;
        let Some(scalar) = BlockScalar::of(target, entry.value) else {
            return;
        };
        let span = target.node(entry.value).span;
        let header_end = span.start + scalar.header.len() as u32;
        // a document may begin on the line of its `---`
        let column = match self.is_root(entry) {
            true => 0,
            false => target.column(entry.span.start) as usize,
        };
        let starts_with_space = content.trim_start_matches('\n').starts_with(' ');
        let is_indicated = scalar.indicated.is_some() || starts_with_space;
        // the lines of a document that is a text may be in column 0, which no indicator can say
        let width = scalar.column_of_lines(column);
        let width = width.filter(|width| *width > column || !is_indicated);
        let width = width.unwrap_or(column + 2);
        let indicator = match is_indicated {
            true => (width - column).to_string(),
            false => String::new(),
        };
        let body = content.trim_end_matches('\n');
        let breaks = content.len() - body.len();
        let chomping = match breaks {
            0 => "-",
            1 => "",
            _ => "+",
        };
        self.edits
            .replace(span.start..header_end, format!("|{indicator}{chomping}"));
        let lines_start = target.next_line(span.start).min(span.end);
        let margin = " ".repeat(width);
        let blank_below = std::iter::repeat_n("", breaks.saturating_sub(1));
        let lines = body.split('\n').chain(blank_below).map(|line| match line {
            "" => String::new(),
            line => format!("{margin}{line}"),
        });
        let text = lines.collect::<Vec<_>>().join(self.line_break);
        self.edits.replace(lines_start..span.end, text);
    }
}
