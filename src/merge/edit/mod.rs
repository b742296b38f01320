//! Decisions become edits of a text (rules: Text): the target's bytes stay where no decision names
//! them, and what comes is cut out of the source's text and re-indented.

mod aliases;
mod block;
mod comments;
mod compose;
mod draft;
mod edits;
mod flow;
mod habits;
mod holders;
mod incoming;
mod last_lines;
mod layout;
mod overview;
mod part;
mod pieces;
mod reindent;
mod removal;
mod rendered;
mod replace;
mod texts;
mod to_flow;

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::decision::{Child, Incoming, Outcome, Remarks};
use crate::line_breaks::line_break_of;
use crate::yaml::{Entry, EntryId, NodeId, NodeKind, Tree};

use edits::Edits;
use habits::Habits;
use overview::Overview;

pub(crate) use draft::{Draft, Hunk};
pub(crate) use last_lines::{LastLines, set_last_lines};

/// How aliases are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aliases {
    /// They stay where they are, and come along where they come.
    Stay,
    /// Those whose value would change, and those that come, are written out.
    WriteOut,
}

/// The target's text with the decisions carried out. `original` is asked for the lines that
/// conflict markers show.
pub(crate) fn carry_out(
    target: &Tree<'_>,
    source: &Tree<'_>,
    original: Option<&Tree<'_>>,
    outcome: &Outcome,
    aliases: Aliases,
) -> Draft {
    let mut editor = Editor {
        original,
        ..Editor::new(target, source, aliases)
    };
    if outcome.moves_rows() {
        editor.moved_habits = Some(editor.of_target.habits().moved(target, outcome));
    }
    if aliases == Aliases::WriteOut {
        editor.write_out_touched_aliases(outcome);
    }
    editor.root(outcome);
    Draft::new(editor.edits.apply(target.text()), editor.hunks)
}

/// How much longer a text may become when its aliases are written out; a document that repeats
/// itself without end is refused.
const LONGEST: usize = 16 << 20;

/// A document with every alias written out; `None` if that makes it longer than is sensible.
pub(crate) fn without_aliases(tree: &Tree<'_>) -> Option<String> {
    let mut text = tree.text().to_owned();
    loop {
        let tree = Tree::parse(&text).ok().flatten()?;
        if !tree.has_aliases() {
            break;
        }
        let mut editor = Editor::new(&tree, &tree, Aliases::Stay);
        editor.write_out_aliases(0..u32::try_from(tree.text().len()).ok()?);
        let longer = editor.edits.apply(tree.text());
        if longer.len() > tree.text().len() + LONGEST || longer == tree.text() {
            return None;
        }
        text = longer;
    }
    Some(text)
}

/// How the entries of a collection were edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carried {
    /// Each in its place.
    InPlace,
    /// From behind the dash on, on whose line the first one was, all lines were put together
    /// anew.
    Anew {
        /// How many blank lines are above its first entry, for which there is no room behind the
        /// dash.
        blanks: usize,
    },
    /// The same, and they begin with a comment: the first one is below the dash, and not behind it.
    Below {
        /// Where the dash ends.
        dash: u32,
    },
}

/// Turns decisions over a target into edits of its text.
struct Editor<'a> {
    target: &'a Tree<'a>,
    source: &'a Tree<'a>,
    original: Option<&'a Tree<'a>>,
    of_target: Rc<Overview<'a>>,
    of_source: Rc<Overview<'a>>,
    aliases: Aliases,
    /// The habits that the target will have, where rows move in.
    moved_habits: Option<Habits>,
    /// The line break of the target.
    line_break: &'static str,
    /// Whether the walk is inside brackets.
    in_flow: bool,
    /// Whether those hold JSON.
    is_json: bool,
    /// Whether entries there get no comment that local has not got: it is JSON, or entries share
    /// lines.
    no_new_comments: bool,
    edits: Edits,
    /// The lines of which each side has its own.
    hunks: Vec<Hunk>,
    /// Whether of the target a part is cut out, with no other comments than those right above what
    /// is in it.
    cuts_part: bool,
    /// Aliases that are done: written out, or left to follow their anchor.
    done_aliases: FxHashSet<NodeId>,
}

impl<'a> Editor<'a> {
    fn new(target: &'a Tree<'a>, source: &'a Tree<'a>, aliases: Aliases) -> Self {
        let overview = |tree| Rc::new(Overview::of(tree));
        Self::over(&overview(target), &overview(source), aliases)
    }

    /// An editor with edits of its own over trees of which something may be known.
    fn over(target: &Rc<Overview<'a>>, source: &Rc<Overview<'a>>, aliases: Aliases) -> Self {
        Self {
            target: target.tree,
            source: source.tree,
            original: None,
            of_target: Rc::clone(target),
            of_source: Rc::clone(source),
            aliases,
            moved_habits: None,
            line_break: line_break_of(target.tree.text()),
            in_flow: false,
            is_json: false,
            no_new_comments: false,
            edits: Edits::default(),
            hunks: Vec::new(),
            cuts_part: false,
            done_aliases: FxHashSet::default(),
        }
    }

    fn root(&mut self, outcome: &Outcome) {
        let root = self.target.root();
        self.value(root, outcome, Remarks::default());
    }

    /// The value and the remarks of an entry that stays.
    fn value(&mut self, entry: Entry<'_>, outcome: &Outcome, comments: Remarks) {
        match outcome {
            // A choice is made before anything is edited.
            Outcome::Keep | Outcome::Remove | Outcome::Apart(_) => self.comments(entry, comments),
            Outcome::Text(text) => {
                self.comments(entry, comments);
                self.replace_lines(entry, text);
            }
            Outcome::Lines(lines) => {
                self.comments(entry, comments);
                let span = self.target.node(entry.value).span;
                self.edits
                    .replace(span.start..span.end, lines.written.as_str());
            }
            Outcome::Take(incoming) if self.is_same_alias(entry, incoming) => {
                self.comments(entry, comments)
            }
            Outcome::Take(incoming) => self.replace(entry, incoming, comments),
            Outcome::Row(row) => {
                match self.row(entry, entry.value, row) {
                    Carried::Anew { blanks } => self.comments_behind_dash(entry, comments, blanks),
                    Carried::Below { dash } => self.comments_above_row(entry, comments, dash),
                    Carried::InPlace => self.comments(entry, comments),
                };
            }
            Outcome::Merge(children) => {
                if matches!(self.target.node(entry.value).kind, NodeKind::Alias(_)) {
                    if self.aliases == Aliases::WriteOut && self.done_aliases.insert(entry.value) {
                        self.write_out_merged(entry, children);
                    }
                } else if let Carried::Anew { blanks } =
                    self.collection(entry, entry.value, children)
                {
                    return self.comments_behind_dash(entry, comments, blanks);
                }
                if is_flow(self.target, entry.value) && !children.iter().any(Child::stays) {
                    self.comments_of_replaced(entry, comments);
                } else {
                    self.comments(entry, comments);
                }
            }
        }
    }

    /// Whether target and source have an alias of one name here: where the anchor changes alike, it
    /// may stay.
    fn is_same_alias(&self, entry: Entry<'_>, incoming: &Incoming) -> bool {
        let (ours, theirs) = (
            self.target.node(entry.value),
            self.source.node(incoming.node),
        );
        self.aliases == Aliases::Stay
            && matches!(
                (&ours.kind, &theirs.kind),
                (NodeKind::Alias(_), NodeKind::Alias(_))
            )
            && self.target.slice(ours.span) == self.source.slice(theirs.span)
    }

    /// The entries of a map or list of the target.
    fn collection(&mut self, owner: Entry<'_>, node: NodeId, children: &[Child]) -> Carried {
        if !children.iter().any(Child::stays) {
            self.empty(owner, node);
        } else if is_flow(self.target, node) {
            self.flow(node, children);
        } else {
            return self.block(node, owner, children);
        }
        Carried::InPlace
    }

    /// The entry of the source whose value a node is; `None` for the root.
    fn owner(&self, node: NodeId) -> Option<EntryId> {
        self.of_source.holders().entry_of(node)
    }
}

/// Whether a map or list is written with brackets.
fn is_flow(tree: &Tree<'_>, node: NodeId) -> bool {
    match &tree.node(node).kind {
        NodeKind::Mapping(collection) | NodeKind::Sequence(collection) => collection.flow,
        NodeKind::Scalar(_) | NodeKind::Alias(_) => false,
    }
}
