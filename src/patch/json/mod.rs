//! Applies JSON patches (RFC 6902). Each operation edits the text that the previous one left.

mod batch;
mod entry_text;
mod operation;
pub(super) mod pointer;
mod same;

use super::{PatchError, PatchResult, parse_generated, patch_error_at, with_block_style};
use crate::merge::{Child, Incoming, Outcome, Shape, edited, shape, without_aliases};
use crate::yaml::{EntryId, NodeId, Tree};

use entry_text::{entry_text, is_block_list, list_as_element};
use operation::{Action, Operation, operations};
use pointer::{Location, Step};
use same::is_same;

/// Applies a JSON patch and returns the new text of the target, or `None` if nothing changes.
///
/// # Errors
/// Returns an error if the patch is malformed, a path leads nowhere, or a `test` fails. The error
/// names the operation, and none of the patch may be used.
///
/// ```
/// use merge3::patch::json_patch;
/// use merge3::yaml::Tree;
///
/// let text = "spec:\n  args: # how it is called\n  - a # first\n  - c\n";
/// let patch = Tree::parse("- {op: test, path: /spec/args/0, value: a}\n- {op: add, path: /spec/args/1, value: b}\n").unwrap().unwrap();
/// let patched = json_patch(text, &patch).unwrap();
/// assert_eq!(patched.unwrap(), "spec:\n  args: # how it is called\n  - a # first\n  - b\n  - c\n");
/// ```
pub fn json_patch(target: &str, patch: &Tree<'_>) -> Result<Option<String>, PatchError> {
    let patched = apply_all(target, patch)?;
    with_block_style(&parse_generated(target)?, patch, patched, |patch| {
        apply_all(target, patch)
    })
}

/// The maximum number of bytes that all `copy` operations of a patch may add.
const MAX_COPIED: usize = 8 << 20;

/// Applies all operations.
fn apply_all(target: &str, patch: &Tree<'_>) -> PatchResult<Option<String>> {
    let mut text = target.to_owned();
    let mut copied = 0_usize;
    let operations = operations(patch)?;
    let mut at = 0;
    while let Some(operation) = operations.get(at) {
        // operations that cannot be applied together are applied one by one, or fail there
        let batch = batch::apply_batch(&text, patch, &operations[at..]);
        let (count, changed) = batch.unwrap_or((0, None));
        at += count.max(1);
        if count > 0 {
            text = changed.unwrap_or(text);
            continue;
        }
        let next = match apply_operation(&text, patch, operation) {
            // a change at one of several aliases of an anchor: try again with all aliases written
            // out
            Err(error @ PatchError::Verification(_)) => {
                let tree = parse_generated(&text)?;
                let plain = without_aliases(&tree).filter(|_| tree.has_aliases());
                let plain = plain.ok_or(error)?;
                Some(apply_operation(&plain, patch, operation)?.unwrap_or(plain))
            }
            result => result?,
        };
        let Some(next) = next else { continue };
        if matches!(operation.action, Action::Copy(_)) {
            copied = copied.saturating_add(next.len().saturating_sub(text.len()));
        }
        text = next;
        if copied > MAX_COPIED {
            return Err(patch_error_at(
                patch,
                operation.at,
                format!(
                    "the copies in this patch have more than {} MiB",
                    MAX_COPIED >> 20
                ),
                "nothing was written; each copy of a copy doubles what is there",
            ));
        }
    }
    Ok((text != target).then_some(text))
}

/// Applies one operation and returns the new text, or `None` if nothing changes.
fn apply_operation(
    text: &str,
    patch: &Tree<'_>,
    operation: &Operation<'_>,
) -> PatchResult<Option<String>> {
    let target = parse_generated(text)?;
    let single = SingleOperation {
        target: &target,
        patch,
        operation,
    };
    match operation.action {
        Action::Test(value) => single.test(value).map(|()| None),
        Action::Remove => single.remove(&operation.path).map(Some),
        Action::Replace(value) => single.replace(value),
        Action::Add(entry) => {
            let value = patch.entry(entry).value;
            single.add(patch, (value, Some(entry))).map(Some)
        }
        Action::Copy(ref from) => {
            let found = single.value_at(from)?;
            single.add(&target, found).map(Some)
        }
        Action::Move(ref from) => single.move_from(from),
    }
}

/// An operation and the text that it is applied to.
struct SingleOperation<'a> {
    target: &'a Tree<'a>,
    patch: &'a Tree<'a>,
    operation: &'a Operation<'a>,
}

impl SingleOperation<'_> {
    fn patch_error(&self, message: impl Into<String>, help: &str) -> PatchError {
        patch_error_at(self.patch, self.operation.at, message, help)
    }

    /// Returns the value at a path, and its entry, which the root does not have.
    fn value_at(&self, path: &[Step<'_>]) -> PatchResult<(NodeId, Option<EntryId>)> {
        let Some(location) = self.locate(path)? else {
            return Ok((self.target.root().value, None));
        };
        let found = location.found.ok_or_else(|| self.missing_target(path))?;
        Ok((self.target.entry(found).value, Some(found)))
    }

    /// Returns the error for a path that leads nowhere.
    fn missing_target(&self, path: &[Step<'_>]) -> PatchError {
        let path = pointer::format_pointer(path);
        self.patch_error(
            format!("the target has nothing at `{path}`"),
            "give a path that is there: field names and \
             positions from 0, as in /spec/containers/0/image",
        )
    }

    /// Returns the location that a path leads to, or `None` for the root.
    fn locate(&self, path: &[Step<'_>]) -> PatchResult<Option<Location>> {
        match pointer::locate(self.target, path) {
            Ok(location) => Ok(location),
            Err(depth) => Err(self.missing_target(&path[..=depth])),
        }
    }

    fn test(&self, value: NodeId) -> PatchResult<()> {
        let (found, _) = self.value_at(&self.operation.path)?;
        if is_same(self.target, found, self.patch, value) {
            return Ok(());
        }
        let found = self.target.text_of(found);
        let found = found.lines().next().unwrap_or_default();
        Err(self.patch_error(
            format!("the test failed: the target has `{found}` there"),
            "nothing was written; see whether the patch is for this version of the target",
        ))
    }

    fn remove(&self, path: &[Step<'_>]) -> PatchResult<String> {
        let Some(location) = self.locate(path)? else {
            return Err(self.patch_error(
                "this would remove the whole document",
                "delete it from the file",
            ));
        };
        match location.found {
            Some(_) => self.with_outcome(&location, Outcome::Remove, self.target),
            None => Err(self.missing_target(path)),
        }
    }

    fn replace(&self, entry: EntryId) -> PatchResult<Option<String>> {
        let (old, owner) = self.value_at(&self.operation.path)?;
        let value = self.patch.entry(entry).value;
        if is_same(self.target, old, self.patch, value) {
            return Ok(None);
        }
        let quoting = self.target.scalar(old).map(|scalar| scalar.style);
        let outcome = Outcome::Take(Incoming {
            quoting,
            ..Incoming::whole(value)
        });
        let is_element = owner.is_some_and(|owner| self.target.entry(owner).key.is_none());
        match self.locate(&self.operation.path)? {
            None if self.patch.scalar(value).is_none() => Ok(Some(self.with_root(value))),
            None => Ok(edited(self.target, self.patch, &outcome)?),
            Some(location) if is_element && is_block_list(self.patch, value) => {
                let text = list_as_element(self.patch, value, Some(entry));
                let list = parse_generated(&text)?;
                let value = first_value(&list);
                self.with_outcome(&location, Outcome::Take(Incoming::whole(value)), &list)
                    .map(Some)
            }
            Some(location) => self.with_outcome(&location, outcome, self.patch).map(Some),
        }
    }

    /// Returns the document with another map or list as its root.
    fn with_root(&self, value: NodeId) -> String {
        let (text, root) = (self.target.text(), self.target.root().value);
        let span = self.target.node(root).span;
        format!(
            "{}{}{}",
            &text[..span.start as usize],
            self.patch.text_of(value).trim_end(),
            &text[span.end as usize..]
        )
    }

    /// Returns the text with `outcome` for the entry at a location.
    fn with_outcome(
        &self,
        location: &Location,
        outcome: Outcome,
        source: &Tree<'_>,
    ) -> PatchResult<String> {
        let children = self.children(location);
        let children = children.map(|child| match Some(child) == location.found {
            true => Child::local(child, outcome.clone()),
            false => Child::keep(child),
        });
        self.edited_parent(location, Outcome::merge(children.collect()), source)
    }

    /// Adds a value of `source` at the path of the operation. `owner` is the entry of the value.
    fn add(
        &self,
        source: &Tree<'_>,
        (value, owner): (NodeId, Option<EntryId>),
    ) -> PatchResult<String> {
        let Some(location) = self.locate(&self.operation.path)? else {
            let outcome = Outcome::Take(Incoming::whole(value));
            return Ok(edited(self.target, source, &outcome)?
                .unwrap_or_else(|| self.target.text().to_owned()));
        };
        let is_map = shape(self.target, location.parent) == Shape::Map;
        if is_map && location.found.is_some() {
            let outcome = Outcome::Take(Incoming::whole(value));
            return self.with_outcome(&location, outcome, source);
        }
        let key = match self.operation.path.last() {
            Some(step) if is_map => Some(step.as_ref()),
            _ => None,
        };
        let added_text = entry_text(source, (value, owner), key)?;
        if self.children(&location).count() == 0 {
            return self.fill_empty(&location, &added_text);
        }
        let added_tree = parse_generated(&added_text)?;
        let Some(added_entry) = added_tree.entries(added_tree.root().value).next() else {
            return Err(self.missing_target(&self.operation.path));
        };
        let value = added_tree.entry(added_entry).value;
        let new = Child::updated(added_entry, Outcome::Take(Incoming::whole(value)));
        let mut children: Vec<Child> = self.children(&location).map(Child::keep).collect();
        children.insert(location.index.min(children.len()), new);
        self.edited_parent(&location, Outcome::merge(children), &added_tree)
    }

    /// Adds the first entry, given as text, to an empty map or list.
    fn fill_empty(&self, location: &Location, entry: &str) -> PatchResult<String> {
        let indented: String = entry
            .split_inclusive('\n')
            .map(|line| format!("  {line}"))
            .collect();
        let owner = location
            .ancestors
            .last()
            .map(|(_, owner)| self.target.entry(*owner));
        // what is below a dash is indented in another way than what is below a key
        let parent = match owner.map(|owner| owner.key) {
            Some(None) => format!("-\n{indented}"),
            _ => format!("holder:\n{indented}"),
        };
        let parent = parse_generated(&parent)?;
        let value = first_value(&parent);
        self.edited_parent(location, Outcome::Take(Incoming::whole(value)), &parent)
    }

    /// Moves the value at `from` to the path of the operation.
    fn move_from(&self, from: &[Step<'_>]) -> PatchResult<Option<String>> {
        let path = &self.operation.path;
        let found = self.value_at(from)?;
        if from == path.as_slice() {
            return Ok(None);
        }
        if path.starts_with(from) {
            return Err(self.patch_error(
                "a value cannot be moved into itself",
                "use copy, or give another path",
            ));
        }
        let remaining = self.remove(from)?;
        let remaining = parse_generated(&remaining)?;
        let after = SingleOperation {
            target: &remaining,
            ..*self
        };
        after.add(self.target, found).map(Some)
    }

    fn children(&self, location: &Location) -> impl Iterator<Item = EntryId> + use<> {
        self.target.entries(location.parent)
    }

    /// Returns the text with `outcome` for the map or list that contains a location.
    fn edited_parent(
        &self,
        location: &Location,
        outcome: Outcome,
        source: &Tree<'_>,
    ) -> PatchResult<String> {
        let mut outcome = outcome;
        for (node, on_path) in location.ancestors.iter().rev() {
            let children = self
                .target
                .entries(*node)
                .map(|entry| match entry == *on_path {
                    true => Child::local(entry, outcome.clone()),
                    false => Child::keep(entry),
                });
            outcome = Outcome::merge(children.collect());
        }
        let text = edited(self.target, source, &outcome)?;
        Ok(text.unwrap_or_else(|| self.target.text().to_owned()))
    }
}

/// Returns the value of the first entry of a document.
fn first_value(tree: &Tree<'_>) -> NodeId {
    let root = tree.root().value;
    let first = tree.entries(root).next();
    first.map_or(root, |first| tree.entry(first).value)
}
