//! Reads the operations of a JSON patch from its document, and writes the field or element that an
//! operation adds, with its comments.

use crate::merge::{Child, CommentChoice, Incoming, Outcome, Remarks, Shape, edited, shape};
use crate::patch::{PatchError, PatchResult, parse_generated, patch_error_at};
use crate::triple::Triple;
use crate::white_space::{trimmed, trimmed_end, trimmed_start};
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, ScalarType, Span, Tree};

use super::pointer::{Step, steps};

/// An operation of a JSON patch.
pub(super) struct Operation<'t> {
    pub(super) patch: &'t Tree<'t>,
    pub(super) action: Action<'t>,
    pub(super) path: Vec<Step<'t>>,
    /// The node of its path.
    path_node: NodeId,
    /// The node of the operation.
    node: NodeId,
}

impl Operation<'_> {
    /// Returns an error at the path of the operation.
    pub(super) fn error(&self, message: impl Into<String>, help: &str) -> PatchError {
        patch_error_at(self.patch, self.path_node, message, help)
    }

    /// Calls a function with the value of the operation, whose entry is `entry`.
    pub(super) fn with_value<T>(
        &self,
        entry: EntryId,
        use_value: impl FnOnce(Source<'_>) -> PatchResult<T>,
    ) -> PatchResult<T> {
        let patch = self.patch;
        let source = |tree, entry: EntryId| Source {
            tree,
            value: tree.entry(entry).value,
            entry: Some(entry),
        };
        if patch.has_aliases() {
            return use_value(source(patch, entry));
        }
        // parse the operation alone: facts that are computed once per tree would be computed for
        // the whole patch with each operation
        let mut span = patch.node(self.node).span;
        if patch.is_block_collection(self.node) {
            // include the comments after its value
            let lines = patch.lines_of(patch.entry(entry));
            span.end = span.end.max(lines.end);
        }
        let text = patch.outdented(span);
        let alone = parse_generated(&text)?;
        match alone.find(alone.root().value, "value") {
            Some(entry) => use_value(source(&alone, entry)),
            None => use_value(source(patch, entry)),
        }
    }
}

/// What an operation does at its path. Values are given by their entries in the patch.
pub(super) enum Action<'t> {
    Add(EntryId),
    Replace(EntryId),
    Remove,
    Test(NodeId),
    Copy(Vec<Step<'t>>),
    Move(Vec<Step<'t>>),
}

/// Reads all operations of a patch, in order.
pub(super) fn operations<'t>(patch: &'t Tree<'t>) -> PatchResult<Vec<Operation<'t>>> {
    let root = patch.resolve(patch.root().value);
    if shape(patch, root) != Shape::List {
        return Err(patch_error_at(
            patch,
            root,
            "a JSON patch is a list of operations",
            "write a list such as [{op: replace, path: \
             /spec/replicas, value: 3}], or give another --type",
        ));
    }
    patch.values(root).map(|it| operation(patch, it)).collect()
}

fn operation<'t>(patch: &'t Tree<'t>, node: NodeId) -> PatchResult<Operation<'t>> {
    let error = |at, message: &str, help| Err(patch_error_at(patch, at, message, help));
    if shape(patch, node) != Shape::Map {
        let help = "write it like {op: replace, path: /spec/replicas, value: 3}";
        return error(node, "this is not an operation", help);
    }
    let value = || field(patch, node, "value");
    let (op, at_op) = text(patch, node, "op")?;
    let (path, path_node) = pointer(patch, node, "path")?;
    let action = match op {
        "add" => Action::Add(value()?),
        "replace" => Action::Replace(value()?),
        "test" => Action::Test(patch.entry(value()?).value),
        "remove" => Action::Remove,
        "copy" => Action::Copy(pointer(patch, node, "from")?.0),
        "move" => Action::Move(pointer(patch, node, "from")?.0),
        _ => {
            let help = "the operations are add, remove, replace, move, copy and test";
            return error(at_op, &format!("there is no operation `{op}`"), help);
        }
    };
    Ok(Operation {
        patch,
        action,
        path,
        path_node,
        node,
    })
}

/// Returns a field of an operation.
fn field(patch: &Tree<'_>, node: NodeId, name: &str) -> PatchResult<EntryId> {
    patch.find(node, name).ok_or_else(|| {
        let message = format!("this operation has no `{name}`");
        patch_error_at(patch, node, message, &format!("add `{name}` to it"))
    })
}

/// Returns the text in a field of an operation, and its node.
fn text<'t>(patch: &'t Tree<'_>, node: NodeId, name: &str) -> PatchResult<(&'t str, NodeId)> {
    let value = patch.entry(field(patch, node, name)?).value;
    let text = patch.scalar(value);
    let text = text.filter(|scalar| scalar.scalar_type == ScalarType::Str);
    text.map(|scalar| (scalar.content, value)).ok_or_else(|| {
        let message = format!("`{name}` is not a string");
        patch_error_at(patch, value, message, "write a text")
    })
}

/// Returns the steps of the pointer in a field of an operation, and its node.
fn pointer<'t>(
    patch: &'t Tree<'_>,
    node: NodeId,
    name: &str,
) -> PatchResult<(Vec<Step<'t>>, NodeId)> {
    let (text, value) = text(patch, node, name)?;
    let steps = steps(text).ok_or_else(|| {
        let message = format!("`{text}` is not a JSON pointer");
        let help = "begin it with /, and write ~1 for a slash in a name and ~0 for a tilde";
        patch_error_at(patch, value, message, help)
    })?;
    Ok((steps, value))
}

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
            Child::local(only, outcome).with(|extras| extras.remarks = remarks)
        });
        let outcome = Outcome::merge(children.collect());
        let nothing = Tree::empty();
        let trees = Triple::new(&nothing, self.tree, &skeleton_tree);
        let text = edited(trees, &outcome)?;
        Ok(joined_to_dash(&text.unwrap_or(skeleton)))
    }

    fn is_block_list(&self) -> bool {
        let value = self.tree.resolve(self.value);
        shape(self.tree, value) == Shape::List && self.tree.is_block_collection(value)
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
            .map(|comment| format!("{}\n", trimmed(comment)));
        let elements = trimmed_end(&tree.text_of(self.value)).replace('\n', "\n  ");
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
    let only_comments = dash
        .lines()
        .all(|line| trimmed_start(line).starts_with('#'));
    if !is_alone || !only_comments || indent < 2 || rest[indent..].starts_with('#') {
        return text.to_owned();
    }
    format!("{dash}-{}", &rest[1..])
}
