//! Carries decisions out on a text (rules: Text).
//!
//! The input is a target tree, which is edited (local), a source tree, from which new values come
//! (updated), and an [`Outcome`] for the root of the target. The output is the text of the target
//! with edits, as a [`Draft`]. Bytes of the target that no decision affects stay. What comes is cut
//! out of the source's text and re-indented.
//!
//! [`carry_out`] is the entry point. `block` and `compose` write block collections, `open_hunks` the
//! sides of open conflicts, `flow` flow collections, `replace` and `rendered` values from the
//! source; `reindent` moves their lines, `comments` edits remarks, `edits` collects the changes of
//! the text.

mod aliases;
mod block;
mod block_scalar;
mod comments;
mod compose;
mod draft;
mod edits;
mod flow;
mod habits;
mod incoming;
mod last_lines;
mod layout;
mod open_hunks;
mod overview;
mod part;
mod pieces;
mod reindent;
mod removal;
mod rendered;
mod replace;
mod to_flow;
mod value_comments;

use rustc_hash::FxHashSet;

use super::decision::{Child, Incoming, Outcome, Remarks};
use crate::line_breaks::line_break_of;
use crate::triple::Triple;
use crate::yaml::{Entry, NodeId, NodeKind, Tree};

use edits::Edits;
use flow::FlowStyle;
use habits::Habits;
use overview::Overview;

pub(crate) use draft::{Draft, Hunk};
pub(crate) use last_lines::{LastLines, set_last_lines};

/// How aliases are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aliases<'a> {
    /// Aliases stay aliases, also in values that come from the source.
    Stay,
    /// Aliases of the target whose value would change are written out.
    WriteOutTouched,
    /// Those in values from the source are written out, too.
    WriteOut,
    /// As with `WriteOut`, but aliases of these anchors, with their `&`, stay in values from the
    /// source.
    WriteOutBut(&'a FxHashSet<&'a str>),
}

impl Aliases<'_> {
    /// Whether aliases in values from the source are written out.
    fn are_written_out(self) -> bool {
        matches!(self, Self::WriteOut | Self::WriteOutBut(_))
    }

    /// Whether aliases of an anchor stay aliases in values from the source.
    fn stay(self, anchor: &str) -> bool {
        match self {
            Self::Stay | Self::WriteOutTouched => true,
            Self::WriteOut => false,
            Self::WriteOutBut(anchors) => anchors.contains(anchor),
        }
    }
}

/// Returns local's text, the target, with the decisions carried out. New values come from updated,
/// the source.
pub(crate) fn carry_out(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    aliases: Aliases<'_>,
) -> Draft {
    let trees = trees.map(Overview::of);
    let target = &trees.local;
    let mut editor = Editor {
        moved_habits: Habits::moved(target, outcome),
        ..Editor::new(trees.as_ref(), aliases)
    };
    if aliases != Aliases::Stay {
        editor.write_out_touched_aliases(outcome);
    }
    editor.edit_value(target.tree.root(), outcome, Remarks::default());
    Draft {
        text: editor.edits.apply(target.text()),
        hunks: editor.hunks,
    }
}

/// The number of bytes by which writing aliases out may lengthen a text. Aliases of aliases can
/// make it grow exponentially.
const MAX_GROWTH: usize = 16 << 20;

/// Returns the text of a document with its aliases written out; `None` if it can become too long.
pub(crate) fn written_out(tree: &Tree<'_>, aliases: Aliases<'_>) -> Option<String> {
    if !can_write_out_aliases(tree) {
        return None;
    }
    let overview = Overview::of(tree);
    let mut editor = Editor::new(overview.on_all_sides(), aliases);
    editor.write_out_aliases(tree.root());
    Some(editor.edits.apply(tree.text()))
}

/// Whether the aliases of a document, all written out, make it longer by no more than
/// [`MAX_GROWTH`]. The values of aliases may have aliases, so that a few lines can be too long.
pub(crate) fn can_write_out_aliases(tree: &Tree<'_>) -> bool {
    // where each alias starts, and the growth by it and all above it
    let mut aliases: Vec<(u32, usize)> = Vec::new();
    let grown_above = |aliases: &[(u32, usize)], at: u32| {
        let count = aliases.partition_point(|(start, _)| *start < at);
        count.checked_sub(1).map_or(0, |last| aliases[last].1)
    };
    for entry in tree.entries_within(tree.root()) {
        let NodeKind::Alias(node) = tree.node(entry.value).kind else {
            continue;
        };
        let span = tree.node(node).span;
        let inside = grown_above(&aliases, span.end) - grown_above(&aliases, span.start);
        let above = aliases.last().map_or(0, |last| last.1);
        let grown = above + inside + span.range().len();
        if grown > MAX_GROWTH {
            return false;
        }
        aliases.push((tree.node(entry.value).span.start, grown));
    }
    true
}

/// Turns decisions about a target into edits of its text.
struct Editor<'a> {
    target: &'a Overview<'a>,
    source: &'a Overview<'a>,
    original: &'a Overview<'a>,
    aliases: Aliases<'a>,
    /// The indentation habits of the result, if the decisions change the indentation of rows.
    moved_habits: Option<Habits>,
    /// The line break of the target.
    line_break: &'static str,
    /// The style of the flow collection that the editor is in.
    flow: Option<FlowStyle>,
    edits: Edits,
    /// The hunks of open conflicts, in the order of the text.
    hunks: Vec<Hunk>,
    /// Whether the editor cuts a part out of the target. Of the comments, only those directly above
    /// an entry of the part come with it.
    cuts_part: bool,
    /// Aliases that are done: they were written out, or they follow their anchor.
    done_aliases: FxHashSet<NodeId>,
    /// Block collections that begin on the line of a dash and move to the next line.
    moved_below_dash: FxHashSet<NodeId>,
}

impl<'a> Editor<'a> {
    /// Returns an editor without edits.
    fn new(trees: Triple<&'a Overview<'a>>, aliases: Aliases<'a>) -> Self {
        let target = trees.local;
        Self {
            target,
            source: trees.updated,
            original: trees.original,
            aliases,
            moved_habits: None,
            line_break: line_break_of(target.text()),
            flow: None,
            edits: Edits::default(),
            hunks: Vec::new(),
            cuts_part: false,
            done_aliases: FxHashSet::default(),
            moved_below_dash: FxHashSet::default(),
        }
    }

    /// Returns an editor of the same texts without edits.
    fn without_edits(&self) -> Self {
        Self {
            moved_habits: self.moved_habits,
            flow: self.flow,
            cuts_part: self.cuts_part,
            ..Self::new(self.trees(), self.aliases)
        }
    }

    const fn trees(&self) -> Triple<&'a Overview<'a>> {
        Triple::new(self.original, self.source, self.target)
    }

    /// Edits the value and the remarks of an entry that stays.
    fn edit_value(&mut self, entry: Entry<'_>, outcome: &Outcome, remarks: Remarks) {
        match outcome {
            // open conflicts are resolved, or become hunks, before this is called
            Outcome::Keep | Outcome::Remove | Outcome::Open(_) => {
                self.edit_comments(entry, remarks)
            }
            Outcome::Text(text) => {
                self.edit_comments(entry, remarks);
                self.replace_lines(entry, text);
            }
            Outcome::Lines(lines) => {
                self.edit_comments(entry, remarks);
                let span = self.target.node(entry.value).span;
                self.edits.replace(span, lines.written.as_str());
            }
            Outcome::Take(incoming) if self.is_same_alias(entry, incoming) => {
                self.edit_comments(entry, remarks)
            }
            Outcome::Take(incoming) => self.replace(entry, incoming, remarks, ""),
            Outcome::Row(row) => self.rewrite_row(entry, entry.value, row, remarks),
            Outcome::Merge(children) => match self.target.node(entry.value).kind {
                NodeKind::Alias(_) => {
                    if self.aliases != Aliases::Stay && self.done_aliases.insert(entry.value) {
                        self.write_out_merged(entry, children);
                    }
                    self.edit_comments(entry, remarks);
                }
                _ => self.edit_collection(entry, entry.value, children, remarks),
            },
        }
    }

    /// Whether target and source have an alias of the same name here. It may stay if its anchor
    /// changes to the same value; the check finds out.
    fn is_same_alias(&self, entry: Entry<'_>, incoming: &Incoming) -> bool {
        let (ours, theirs) = (
            self.target.node(entry.value),
            self.source.node(incoming.node),
        );
        self.aliases == Aliases::Stay
            && matches!(ours.kind, NodeKind::Alias(_))
            && self.target.slice(ours.span) == self.source.slice(theirs.span)
    }

    /// Edits the entries of a map or list of the target, and the remarks of its entry.
    fn edit_collection(
        &mut self,
        owner: Entry<'_>,
        node: NodeId,
        children: &[Child],
        remarks: Remarks,
    ) {
        let is_flow = self.target.is_flow(node) == Some(true);
        match children.iter().any(Child::stays) {
            false => match self.empty_collection(owner, node) {
                Some(end) => self.comments_of_replaced(owner, remarks, end),
                None => self.edit_comments(owner, remarks),
            },
            true if is_flow => {
                self.edit_flow(node, children);
                self.edit_comments(owner, remarks);
            }
            true => self.edit_block(node, owner, children, remarks),
        }
    }
}
