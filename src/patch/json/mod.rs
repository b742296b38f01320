//! JSON patch (RFC 6902): operations, one after the other, each an edit of the text that the one
//! before left.

mod arriving;
mod batch;
mod operation;
pub(super) mod pointer;
mod same;

use super::{Decided, PatchError, in_the_style_of, parsed, wrong_at};
use crate::merge::{Child, Incoming, Outcome, Shape, edited, shape, without_aliases};
use crate::yaml::{EntryId, NodeId, Tree};

use arriving::{arriving_text, is_block_list, list_in_list};
use operation::{Action, Operation, operations};
use pointer::{Spot, Step};
use same::is_same;

/// The target's text with a JSON patch applied; `None` if that changes nothing.
///
/// # Errors
/// Where the patch is none, a path leads nowhere, or a `test` fails: the error says which
/// operation, and nothing of the patch is to be taken.
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
    let patched = patched(target, patch)?;
    in_the_style_of(&parsed(target)?, patch, patched, |patch| {
        self::patched(target, patch)
    })
}

/// The most bytes that the `copy` operations of a patch add together.
const MOST_COPIED: usize = 8 << 20;

fn patched(target: &str, patch: &Tree<'_>) -> Decided<Option<String>> {
    let mut text = target.to_owned();
    let mut copied = 0_usize;
    let operations = operations(patch)?;
    let mut at = 0;
    while let Some(operation) = operations.get(at) {
        // what cannot be carried out together is, or fails, one by one
        let batch = batch::carried_out(&text, patch, &operations[at..]);
        let (count, changed) = batch.unwrap_or((0, None));
        at += count.max(1);
        if count > 0 {
            text = changed.unwrap_or(text);
            continue;
        }
        let next = match applied(&text, patch, operation) {
            // what an alias stands for changes in one place: the last resort is to write them all
            // out
            Err(error @ PatchError::Verification(_)) => {
                let tree = parsed(&text)?;
                let plain = without_aliases(&tree).filter(|_| tree.has_aliases());
                let plain = plain.ok_or(error)?;
                Some(applied(&plain, patch, operation)?.unwrap_or(plain))
            }
            result => result?,
        };
        let Some(next) = next else { continue };
        if matches!(operation.action, Action::Copy(_)) {
            copied = copied.saturating_add(next.len().saturating_sub(text.len()));
        }
        text = next;
        if copied > MOST_COPIED {
            return Err(wrong_at(
                patch,
                operation.at,
                format!(
                    "the copies in this patch have more than {} MiB",
                    MOST_COPIED >> 20
                ),
                "nothing was written; each copy of a copy doubles what is there",
            ));
        }
    }
    Ok((text != target).then_some(text))
}

/// The text after one operation; `None` if it changes nothing.
fn applied(text: &str, patch: &Tree<'_>, operation: &Operation<'_>) -> Decided<Option<String>> {
    let target = parsed(text)?;
    let run = SingleOperation {
        target: &target,
        patch,
        operation,
    };
    match operation.action {
        Action::Test(value) => run.test(value).map(|()| None),
        Action::Remove => run.remove(&operation.path).map(Some),
        Action::Replace(value) => run.replace(value),
        Action::Add(entry) => {
            let value = patch.entry(entry).value;
            run.add(patch, (value, Some(entry))).map(Some)
        }
        Action::Copy(ref from) => {
            let found = run.value_at(from)?;
            run.add(&target, found).map(Some)
        }
        Action::Move(ref from) => run.move_from(from),
    }
}

/// One operation on one text.
struct SingleOperation<'a> {
    target: &'a Tree<'a>,
    patch: &'a Tree<'a>,
    operation: &'a Operation<'a>,
}

impl SingleOperation<'_> {
    fn wrong(&self, message: impl Into<String>, help: &str) -> PatchError {
        wrong_at(self.patch, self.operation.at, message, help)
    }

    /// The value that a path leads to, and the entry that it is of; the root is of none.
    fn value_at(&self, path: &[Step<'_>]) -> Decided<(NodeId, Option<EntryId>)> {
        let Some(spot) = self.spot(path)? else {
            return Ok((self.target.root().value, None));
        };
        let found = spot.found.ok_or_else(|| self.leads_nowhere(path))?;
        Ok((self.target.entry(found).value, Some(found)))
    }

    fn leads_nowhere(&self, path: &[Step<'_>]) -> PatchError {
        let path = pointer::written(path);
        self.wrong(
            format!("the target has nothing at `{path}`"),
            "give a path that is there: field names and \
             positions from 0, as in /spec/containers/0/image",
        )
    }

    /// The place that a path leads to; `None` for the root.
    fn spot(&self, path: &[Step<'_>]) -> Decided<Option<Spot>> {
        match pointer::spot(self.target, path) {
            Ok(spot) => Ok(spot),
            Err(depth) => Err(self.leads_nowhere(&path[..=depth])),
        }
    }

    fn test(&self, value: NodeId) -> Decided<()> {
        let (found, _) = self.value_at(&self.operation.path)?;
        if is_same(self.target, found, self.patch, value) {
            return Ok(());
        }
        let found = self.target.text_of(found);
        let found = found.lines().next().unwrap_or_default();
        Err(self.wrong(
            format!("the test failed: the target has `{found}` there"),
            "nothing was written; see whether the patch is for this version of the target",
        ))
    }

    fn remove(&self, path: &[Step<'_>]) -> Decided<String> {
        let Some(spot) = self.spot(path)? else {
            return Err(self.wrong(
                "this would remove the whole document",
                "delete it from the file",
            ));
        };
        match spot.found {
            Some(_) => self.with_found(&spot, Outcome::Remove, self.target),
            None => Err(self.leads_nowhere(path)),
        }
    }

    fn replace(&self, entry: EntryId) -> Decided<Option<String>> {
        let (old, owner) = self.value_at(&self.operation.path)?;
        let value = self.patch.entry(entry).value;
        if is_same(self.target, old, self.patch, value) {
            return Ok(None);
        }
        let quoting = self.target.scalar(old).map(|scalar| scalar.style);
        let taken = Outcome::Take(Incoming {
            quoting,
            ..Incoming::whole(value)
        });
        let is_element = owner.is_some_and(|owner| self.target.entry(owner).key.is_none());
        match self.spot(&self.operation.path)? {
            None if self.patch.scalar(value).is_none() => Ok(Some(self.whole(value))),
            None => Ok(edited(self.target, self.patch, &taken)?),
            Some(spot) if is_element && is_block_list(self.patch, value) => {
                let text = list_in_list(self.patch, value, Some(entry));
                let list = parsed(&text)?;
                let value = first_value(&list);
                self.with_found(&spot, Outcome::Take(Incoming::whole(value)), &list)
                    .map(Some)
            }
            Some(spot) => self.with_found(&spot, taken, self.patch).map(Some),
        }
    }

    /// The document with another map or list as all that is in it.
    fn whole(&self, value: NodeId) -> String {
        let (text, root) = (self.target.text(), self.target.root().value);
        let span = self.target.node(root).span;
        format!(
            "{}{}{}",
            &text[..span.start as usize],
            self.patch.text_of(value).trim_end(),
            &text[span.end as usize..]
        )
    }

    /// The text with another outcome for the entry that is at a place.
    fn with_found(&self, spot: &Spot, outcome: Outcome, source: &Tree<'_>) -> Decided<String> {
        let children = self.children(spot);
        let children = children.map(|child| match Some(child) == spot.found {
            true => Child::local(child, outcome.clone()),
            false => Child::keep(child),
        });
        self.changed(spot, Outcome::merge(children.collect()), source)
    }

    /// Adds a value of `source`, that of an entry, where the path says.
    fn add(&self, source: &Tree<'_>, (value, owner): (NodeId, Option<EntryId>)) -> Decided<String> {
        let Some(spot) = self.spot(&self.operation.path)? else {
            let taken = Outcome::Take(Incoming::whole(value));
            return Ok(edited(self.target, source, &taken)?
                .unwrap_or_else(|| self.target.text().to_owned()));
        };
        let is_map = shape(self.target, spot.holder) == Shape::Map;
        if is_map && spot.found.is_some() {
            let taken = Outcome::Take(Incoming::whole(value));
            return self.with_found(&spot, taken, source);
        }
        let key = match self.operation.path.last() {
            Some(step) if is_map => Some(step.as_ref()),
            _ => None,
        };
        let arriving = arriving_text(source, (value, owner), key)?;
        if self.children(&spot).count() == 0 {
            return self.fill(&spot, &arriving);
        }
        let arriving = parsed(&arriving)?;
        let Some(coming) = arriving.entries(arriving.root().value).next() else {
            return Err(self.leads_nowhere(&self.operation.path));
        };
        let value = arriving.entry(coming).value;
        let new = Child::updated(coming, Outcome::Take(Incoming::whole(value)));
        let mut children: Vec<Child> = self.children(&spot).map(Child::keep).collect();
        children.insert(spot.index.min(children.len()), new);
        self.changed(&spot, Outcome::merge(children), &arriving)
    }

    /// An empty map or list takes its first entry, whose text is given.
    fn fill(&self, spot: &Spot, entry: &str) -> Decided<String> {
        let indented: String = entry
            .split_inclusive('\n')
            .map(|line| format!("  {line}"))
            .collect();
        let owner = spot
            .above
            .last()
            .map(|(_, owner)| self.target.entry(*owner));
        // a dash and a key indent what is below them each in its own way
        let holder = match owner.map(|owner| owner.key) {
            Some(None) => format!("-\n{indented}"),
            _ => format!("holder:\n{indented}"),
        };
        let holder = parsed(&holder)?;
        let value = first_value(&holder);
        self.changed(spot, Outcome::Take(Incoming::whole(value)), &holder)
    }

    fn move_from(&self, from: &[Step<'_>]) -> Decided<Option<String>> {
        let path = &self.operation.path;
        let found = self.value_at(from)?;
        if from == path.as_slice() {
            return Ok(None);
        }
        if path.starts_with(from) {
            return Err(self.wrong(
                "a value cannot be moved into itself",
                "use copy, or give another path",
            ));
        }
        let rest = self.remove(from)?;
        let rest = parsed(&rest)?;
        let after = SingleOperation {
            target: &rest,
            ..*self
        };
        after.add(self.target, found).map(Some)
    }

    fn children(&self, spot: &Spot) -> impl Iterator<Item = EntryId> + use<> {
        self.target.entries(spot.holder)
    }

    /// The text with another outcome for the map or list that a place is in.
    fn changed(&self, spot: &Spot, outcome: Outcome, source: &Tree<'_>) -> Decided<String> {
        let mut outcome = outcome;
        for (node, inside) in spot.above.iter().rev() {
            let children = self
                .target
                .entries(*node)
                .map(|entry| match entry == *inside {
                    true => Child::local(entry, outcome.clone()),
                    false => Child::keep(entry),
                });
            outcome = Outcome::merge(children.collect());
        }
        let text = edited(self.target, source, &outcome)?;
        Ok(text.unwrap_or_else(|| self.target.text().to_owned()))
    }
}

/// The value of the first entry of a document.
fn first_value(tree: &Tree<'_>) -> NodeId {
    let root = tree.root().value;
    let first = tree.entries(root).next();
    first.map_or(root, |first| tree.entry(first).value)
}
