//! Reads the operations of a JSON patch from its document.

use crate::merge::{Shape, shape};
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

use super::pointer::{Step, steps};
use super::source::Source;
use crate::patch::{PatchError, PatchResult, parse_generated, patch_error_at};

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
    let entries = patch.entries(root);
    entries
        .map(|entry| operation(patch, patch.entry(entry).value))
        .collect()
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
