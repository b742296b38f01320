//! Writes an added field or element, with its comments.

use crate::merge::{Child, CommentChoice, Incoming, Outcome, Remarks, edited};
use crate::patch::{PatchResult, parse_generated};
use crate::triple::Triple;
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

/// A value that is added.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) tree: &'t Tree<'t>,
    pub(super) value: NodeId,
    /// Its entry, whose comments come with it.
    pub(super) entry: Option<EntryId>,
}

impl Source<'_> {
    /// Returns the text of the value as a field with the name `key`, or as an element if there is
    /// no key.
    pub(super) fn as_entry(&self, key: Option<&str>) -> PatchResult<String> {
        let skeleton = match key {
            Some(key) => format!("{}: x\n", write_text(key, true)),
            None if self.is_block_list() => return Ok(self.list_as_element()),
            None => "- x\n".to_owned(),
        };
        let skeleton_tree = parse_generated(&skeleton)?;
        let remarks = self.entry.map_or_else(Remarks::default, |entry| {
            let entry_with_comments = self.tree.entry(entry);
            let comments = entry_with_comments.comments();
            let choose = |comment: Span| match comment.is_empty() {
                true => CommentChoice::Local,
                false => CommentChoice::Updated,
            };
            Remarks {
                from: Some(entry),
                above: choose(self.tree.comments_above(entry_with_comments)),
                line: choose(comments.beside()),
                tail: choose(comments.behind()),
            }
        });
        let entries = skeleton_tree.entries(skeleton_tree.root().value);
        let children = entries.map(|only| {
            let outcome = Outcome::Take(Incoming::whole(self.value));
            Child::local(only, outcome).with_remarks(remarks)
        });
        let outcome = Outcome::merge(children.collect());
        let nothing = Tree::empty();
        let trees = Triple::new(&nothing, self.tree, &skeleton_tree);
        let text = edited(trees, &outcome)?;
        Ok(joined_to_dash(&text.unwrap_or(skeleton)))
    }

    fn is_block_list(&self) -> bool {
        let kind = &self.tree.node(self.tree.resolve(self.value)).kind;
        matches!(kind, NodeKind::Sequence(list) if !list.flow)
    }

    /// Returns a list as an element of a list. The list may be at the indentation of its key, so
    /// its lines are indented below the dash.
    fn list_as_element(&self) -> String {
        let tree = self.tree;
        let leading = self.entry.map_or("", |entry| {
            tree.slice(tree.comments_above(tree.entry(entry)))
        });
        let comments = leading
            .lines()
            .map(|comment| format!("{}\n", comment.trim()));
        let elements = tree.text_of(self.value).trim_end().replace('\n', "\n  ");
        format!("{}- {elements}\n", comments.collect::<String>())
    }
}

/// Moves a collection below a dash that is alone on its line up to the dash.
fn joined_to_dash(text: &str) -> String {
    let Some((dash, rest)) = text.split_once("-\n") else {
        return text.to_owned();
    };
    let indent = rest.len() - rest.trim_start_matches(' ').len();
    let is_alone = dash.is_empty() || dash.ends_with('\n');
    let only_comments = dash.lines().all(|line| line.trim_start().starts_with('#'));
    if !is_alone || !only_comments || indent < 2 || rest[indent..].starts_with('#') {
        return text.to_owned();
    }
    format!("{dash}-{}", &rest[1..])
}
