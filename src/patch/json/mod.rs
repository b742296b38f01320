//! Applies JSON patches (RFC 6902). Operations at independent locations are applied together; each
//! other operation is applied to the text that the previous ones left.

mod batch;
mod operation;
pub(super) mod pointer;

use super::{PatchError, PatchResult, parse_generated, with_block_style};
use crate::merge::without_aliases;
use crate::yaml::Tree;

use batch::Batch;
use operation::{Action, Operation, operations};
use pointer::Step;

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
    let tree = parse_generated(target)?;
    with_block_style(&tree, patch, |patch| apply_all(target, patch))
}

/// The maximum number of bytes that all `copy` operations of a patch may add.
const MAX_COPIED: usize = 8 << 20;

/// Applies all operations.
fn apply_all(target: &str, patch: &Tree<'_>) -> PatchResult<Option<String>> {
    let mut text = target.to_owned();
    let mut copied = 0_usize;
    let operations = operations(patch)?;
    let mut rest = operations.as_slice();
    while !rest.is_empty() {
        let tree = parse_generated(&text)?;
        let applied = match apply_leading(&tree, rest) {
            // operations that cannot be applied together are applied one by one, or fail there
            Err(PatchError::Verification(_)) => apply_leading(&tree, &rest[..1]),
            result => result,
        };
        let (count, next) = match applied {
            // a change at one of several aliases of an anchor: try again with all aliases written
            // out
            Err(PatchError::Verification(_)) if tree.has_aliases() => {
                (0, Some(without_aliases(&tree)?))
            }
            result => result?,
        };
        let (done, later) = rest.split_at(count);
        rest = later;
        let Some(next) = next else { continue };
        if let [.., operation] = done
            && matches!(operation.action, Action::Copy(_))
        {
            copied = copied.saturating_add(next.len().saturating_sub(text.len()));
            if copied > MAX_COPIED {
                let size = MAX_COPIED >> 20;
                return Err(operation.error(
                    format!("the copies in this patch have more than {size} MiB"),
                    "nothing was written; each copy of a copy doubles what is there",
                ));
            }
        }
        text = next;
    }
    Ok((text != target).then_some(text))
}

/// Applies the first operations that can be applied together, at least one. Returns their number
/// and the new text, or `None` if nothing changes.
fn apply_leading(
    target: &Tree<'_>,
    operations: &[Operation<'_>],
) -> PatchResult<(usize, Option<String>)> {
    let mut batch = Batch::new(target);
    let mut count = 0;
    for operation in operations {
        if count == 0
            && let Action::Copy(from) | Action::Move(from) = &operation.action
        {
            return Ok((1, copied(target, operation, from)?));
        }
        match batch.add(operation) {
            Ok(true) => count += 1,
            Err(error) if count == 0 => return Err(error),
            // what fails now may succeed after the operations before it
            Ok(false) | Err(_) => break,
        }
    }
    Ok((count, batch.text()?))
}

/// Copies or moves the value at `from` to the path of the operation, which is a path in what
/// remains.
fn copied(
    target: &Tree<'_>,
    operation: &Operation<'_>,
    from: &[Step<'_>],
) -> PatchResult<Option<String>> {
    let mut removal = Batch::new(target);
    let found = removal.locate(operation, from)?;
    let value = removal.value_at(operation, &found)?;
    if matches!(operation.action, Action::Move(_)) {
        if operation.path == from {
            return Ok(None);
        }
        if operation.path.starts_with(from) {
            return Err(operation.error(
                "a value cannot be moved into itself",
                "use copy, or give another path",
            ));
        }
        removal.remove(operation, &found)?;
    }
    let remaining = removal.text()?;
    let remaining = parse_generated(remaining.as_deref().unwrap_or(target.text()))?;
    let mut addition = Batch::new(&remaining);
    let location = addition.locate(operation, &operation.path)?;
    addition.insert(&location, value)?;
    addition.text()
}
