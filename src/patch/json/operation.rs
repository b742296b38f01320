//! Reads the operations of a JSON patch from its document, and writes the field or element that an
//! operation adds, with its comments.

use crate::merge::{Child, CommentChoice, Incoming, Outcome, Remarks, Shape, edited, shape};
use crate::patch::{PatchError, PatchResult, parse_generated, patch_error_at};
use crate::triple::Triple;
use crate::yaml::scalar::write_text;
use crate::yaml::{EntryId, NodeId, NodeKind, ScalarType, Span, Tree};

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
    let reader = OperationReader { patch, node };
    if shape(patch, node) != Shape::Map {
        let help = "write it like {op: replace, path: /spec/replicas, value: 3}";
        return Err(reader.error(node, "this is not an operation", help));
    }
    let (op, at_op) = reader.text("op")?;
    let (path, path_node) = reader.pointer("path")?;
    let action = match op {
        "add" => Action::Add(reader.field("value")?),
        "replace" => Action::Replace(reader.field("value")?),
        "test" => Action::Test(patch.entry(reader.field("value")?).value),
        "remove" => Action::Remove,
        "copy" => Action::Copy(reader.pointer("from")?.0),
        "move" => Action::Move(reader.pointer("from")?.0),
        _ => {
            let message = format!("there is no operation `{op}`");
            let help = "the operations are add, remove, replace, move, copy and test";
            return Err(reader.error(at_op, message, help));
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

struct OperationReader<'t, 's> {
    patch: &'t Tree<'s>,
    node: NodeId,
}

impl<'t> OperationReader<'t, '_> {
    fn error(&self, node: NodeId, message: impl Into<String>, help: &str) -> PatchError {
        patch_error_at(self.patch, node, message, help)
    }

    fn field(&self, name: &str) -> PatchResult<EntryId> {
        self.patch.find(self.node, name).ok_or_else(|| {
            let message = format!("this operation has no `{name}`");
            self.error(self.node, message, &format!("add `{name}` to it"))
        })
    }

    fn text(&self, name: &str) -> PatchResult<(&'t str, NodeId)> {
        let value = self.patch.entry(self.field(name)?).value;
        let patch: &'t Tree<'_> = self.patch;
        match patch.scalar(value) {
            Some(scalar) if scalar.scalar_type == ScalarType::Str => Ok((scalar.content, value)),
            _ => Err(self.error(value, format!("`{name}` is not a string"), "write a text")),
        }
    }

    fn pointer(&self, name: &str) -> PatchResult<(Vec<Step<'t>>, NodeId)> {
        let (text, value) = self.text(name)?;
        let steps = steps(text).ok_or_else(|| {
            let message = format!("`{text}` is not a JSON pointer");
            let help = "begin it with /, and write ~1 for a slash in a name and ~0 for a tilde";
            self.error(value, message, help)
        })?;
        Ok((steps, value))
    }
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
