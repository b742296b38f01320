//! Writes an added field or element, with its comments.

use crate::merge::{Child, CommentChoice, Incoming, Outcome, Remarks, edited};
use crate::patch::{PatchResult, parse_generated};
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

/// Returns the text of a value of `source` as a field with the name `key`, or as an element if
/// there is no key. Comments come from `owner`, the entry of the value.
pub(super) fn entry_text(
    source: &Tree<'_>,
    (value, owner): (NodeId, Option<EntryId>),
    key: Option<&str>,
) -> PatchResult<String> {
    let skeleton = match key {
        Some(key) => format!("{}: x\n", write_text(key, true)),
        None => "- x\n".to_owned(),
    };
    if key.is_none() && is_block_list(source, value) {
        return Ok(list_as_element(source, value, owner));
    }
    let skeleton_tree = parse_generated(&skeleton)?;
    let remarks = owner.map_or_else(Remarks::default, |owner| {
        let comments = source.entry(owner).comments();
        let choose = |comment: Span| match comment.is_empty() {
            true => CommentChoice::Local,
            false => CommentChoice::Updated,
        };
        Remarks {
            from: Some(owner),
            above: choose(source.comments_above(source.entry(owner))),
            line: choose(comments.beside()),
            tail: choose(comments.behind()),
        }
    });
    let children = skeleton_tree
        .entries(skeleton_tree.root().value)
        .map(|only| {
            let outcome = Outcome::Take(Incoming::whole(value));
            Child::local(only, outcome).with_remarks(remarks)
        })
        .collect();
    let text = edited(&skeleton_tree, source, &Outcome::merge(children))?;
    Ok(joined_to_dash(&text.unwrap_or(skeleton)))
}

pub(super) fn is_block_list(tree: &Tree<'_>, node: NodeId) -> bool {
    matches!(&tree.node(tree.resolve(node)).kind, NodeKind::Sequence(list) if !list.flow)
}

/// Returns a list as an element of a list. The list may be at the indentation of its key, so its
/// lines are indented below the dash.
pub(super) fn list_as_element(source: &Tree<'_>, list: NodeId, owner: Option<EntryId>) -> String {
    let leading = owner.map_or("", |owner| {
        source.slice(source.comments_above(source.entry(owner)))
    });
    let mut text = String::new();
    for comment in leading.lines() {
        text.push_str(comment.trim());
        text.push('\n');
    }
    let elements = source.text_of(list).trim_end().replace('\n', "\n  ");
    text.push_str(&format!("- {elements}\n"));
    text
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
