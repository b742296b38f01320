//! Reads the operations of a JSON patch from its document.

use crate::merge::{Shape, shape};
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

use super::super::{PatchError, PatchResult, patch_error_at};
use super::pointer::{Step, steps};

/// An operation of a JSON patch.
#[derive(Debug)]
pub(super) struct Operation<'t> {
    pub(super) action: Action<'t>,
    pub(super) path: Vec<Step<'t>>,
    /// The node of its path.
    pub(super) at: NodeId,
    /// The node of the operation.
    pub(super) node: NodeId,
}

/// What an operation does at its path. Values are given by their entries in the patch.
#[derive(Debug)]
pub(super) enum Action<'t> {
    Add(EntryId),
    Replace(EntryId),
    Remove,
    Test(NodeId),
    Copy(Vec<Step<'t>>),
    Move(Vec<Step<'t>>),
}

/// Reads all operations of a patch, in order.
pub(super) fn operations<'t>(patch: &'t Tree<'_>) -> PatchResult<Vec<Operation<'t>>> {
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

fn operation<'t>(patch: &'t Tree<'_>, node: NodeId) -> PatchResult<Operation<'t>> {
    if shape(patch, node) != Shape::Map {
        let help = "write it like {op: replace, path: /spec/replicas, value: 3}";
        return Err(patch_error_at(
            patch,
            node,
            "this is not an operation",
            help,
        ));
    }
    let reader = OperationReader { patch, node };
    let (op, at_op) = reader.text("op")?;
    let (path, at) = reader.pointer("path")?;
    let action = match op {
        "add" => Action::Add(reader.field("value")?),
        "replace" => Action::Replace(reader.field("value")?),
        "test" => Action::Test(patch.entry(reader.field("value")?).value),
        "remove" => Action::Remove,
        "copy" => Action::Copy(reader.pointer("from")?.0),
        "move" => Action::Move(reader.pointer("from")?.0),
        _ => {
            return Err(patch_error_at(
                patch,
                at_op,
                format!("there is no operation `{op}`"),
                "the operations are add, remove, replace, move, copy and test",
            ));
        }
    };
    Ok(Operation {
        action,
        path,
        at,
        node,
    })
}

struct OperationReader<'t, 's> {
    patch: &'t Tree<'s>,
    node: NodeId,
}

impl<'t> OperationReader<'t, '_> {
    fn field(&self, name: &str) -> Result<EntryId, PatchError> {
        self.patch.find(self.node, name).ok_or_else(|| {
            patch_error_at(
                self.patch,
                self.node,
                format!("this operation has no `{name}`"),
                &format!("add `{name}` to it"),
            )
        })
    }

    fn text(&self, name: &str) -> PatchResult<(&'t str, NodeId)> {
        let value = self.patch.entry(self.field(name)?).value;
        let patch: &'t Tree<'_> = self.patch;
        match patch.scalar(value) {
            Some(scalar) if scalar.scalar_type == ScalarType::Str => Ok((scalar.content, value)),
            _ => Err(patch_error_at(
                patch,
                value,
                format!("`{name}` is not a string"),
                "write a text",
            )),
        }
    }

    fn pointer(&self, name: &str) -> PatchResult<(Vec<Step<'t>>, NodeId)> {
        let (text, value) = self.text(name)?;
        let steps = steps(text).ok_or_else(|| {
            patch_error_at(
                self.patch,
                value,
                format!("`{text}` is not a JSON pointer"),
                "begin it with /, and write ~1 for a slash in a name and ~0 for a tilde",
            )
        })?;
        Ok((steps, value))
    }
}
