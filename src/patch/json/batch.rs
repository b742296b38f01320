//! Carries out operations at independent locations together, so that the target of a long patch is
//! not parsed again for each operation.

use rustc_hash::{FxHashMap, FxHashSet};

use super::operation::{Action, Operation, Source};
use super::pointer::{Location, Locator, Step, format_pointer};
use crate::merge::{Child, Incoming, Outcome, Shape, part_of, shape};
use crate::patch::additions::Additions;
use crate::patch::same::is_same_in_json;
use crate::patch::{PatchError, PatchResult};
use crate::white_space::trimmed_end;
use crate::yaml::{EntryId, NodeId, ScalarStyle, Tree};

/// Operations at independent locations of one text.
pub(super) struct Batch<'a> {
    target: &'a Tree<'a>,
    locator: Locator<'a>,
    /// The outcomes of changed and removed entries; that of the root is under `None`.
    outcomes: FxHashMap<Option<EntryId>, Outcome>,
    /// The entries with a change or an addition inside.
    changed_inside: FxHashSet<EntryId>,
    /// The entries that no other operation may touch: they are changed or removed, a removal shifts
    /// their positions, or a new entry follows. Comments between the two could belong to either.
    settled: FxHashSet<EntryId>,
    /// The number of entries that are removed from each map or list.
    removed: FxHashMap<NodeId, usize>,
    /// The new entries of each map or list, with their positions.
    added: FxHashMap<NodeId, Vec<(usize, Child)>>,
    /// The names of the new fields.
    added_names: FxHashSet<(NodeId, &'a str)>,
    additions: Additions,
    /// The text of another map or list that replaces the root.
    new_root: Option<String>,
    /// Whether no other operation may be added.
    is_complete: bool,
}

impl<'a> Batch<'a> {
    pub(super) fn new(target: &'a Tree<'a>) -> Self {
        Self {
            target,
            locator: Locator::new(target),
            outcomes: FxHashMap::default(),
            changed_inside: FxHashSet::default(),
            settled: FxHashSet::default(),
            removed: FxHashMap::default(),
            added: FxHashMap::default(),
            added_names: FxHashSet::default(),
            additions: Additions::default(),
            new_root: None,
            is_complete: false,
        }
    }

    /// Adds an operation other than `copy` and `move`, which are carried out alone. Returns false
    /// if it depends on the operations of the batch, which the first one never does.
    ///
    /// # Errors
    /// Returns an error if a path leads nowhere, or a `test` fails.
    pub(super) fn add(&mut self, operation: &'a Operation<'a>) -> PatchResult<bool> {
        let location = self.locate(operation, &operation.path)?;
        let mut on_path = location.ancestors.iter().chain(&location.found);
        if self.is_complete
            || on_path.any(|entry| self.settled.contains(entry))
            || location
                .found
                .is_some_and(|it| self.changed_inside.contains(&it))
        {
            return Ok(false);
        }
        match &operation.action {
            Action::Test(value) => self.test(operation, &location, *value).map(|()| true),
            Action::Remove => self.remove(operation, &location),
            Action::Replace(entry) => self.replace(operation, &location, *entry).map(|()| true),
            Action::Add(entry) => {
                operation.with_value(*entry, |value| self.insert(&location, value))
            }
            Action::Copy(_) | Action::Move(_) => Ok(false),
        }
    }

    /// Whether an operation changes something.
    fn is_changed(&self) -> bool {
        !self.outcomes.is_empty() || !self.added.is_empty()
    }

    /// Returns the location that a path leads to.
    pub(super) fn locate<'p>(
        &mut self,
        operation: &Operation<'_>,
        path: &'p [Step<'p>],
    ) -> PatchResult<Location<'p>> {
        let location = self.locator.locate(path);
        location.map_err(|depth| missing_target(operation, &path[..=depth]))
    }

    /// Returns the value at a location.
    pub(super) fn value_at(
        &self,
        operation: &Operation<'_>,
        location: &Location<'_>,
    ) -> PatchResult<Source<'a>> {
        let (tree, entry) = (self.target, location.found);
        if location.parent.is_some() && entry.is_none() {
            return Err(missing_target(operation, location.path));
        }
        let value = entry.map_or(tree.root().value, |entry| tree.entry(entry).value);
        Ok(Source { tree, value, entry })
    }

    fn test(
        &self,
        operation: &Operation<'_>,
        location: &Location<'_>,
        value: NodeId,
    ) -> PatchResult<()> {
        let found = self.value_at(operation, location)?.value;
        if is_same_in_json(self.target, found, operation.patch, value) {
            return Ok(());
        }
        let found = self.target.text_of(found);
        let found = found.lines().next().unwrap_or_default();
        Err(operation.error(
            format!("the test failed: the target has `{found}` there"),
            "nothing was written; see whether the patch is for this version of the target",
        ))
    }

    /// Removes the entry at a location. Returns false if others are removed and it is the last one:
    /// with it go the comments of the whole collection.
    pub(super) fn remove(
        &mut self,
        operation: &Operation<'_>,
        location: &Location<'_>,
    ) -> PatchResult<bool> {
        let Some(parent) = location.parent else {
            return Err(operation.error(
                "this would remove the whole document",
                "delete it from the file",
            ));
        };
        self.value_at(operation, location)?;
        let removed = self.removed.entry(parent).or_default();
        *removed += 1;
        let is_emptied = *removed == self.target.entries(parent).len();
        if is_emptied && *removed > 1 {
            return Ok(false);
        }
        if shape(self.target, parent) == Shape::List {
            let shifted = self.target.entries(parent).skip(location.index);
            self.settled.extend(shifted);
        }
        self.change(location, Outcome::Remove);
        Ok(true)
    }

    fn replace(
        &mut self,
        operation: &Operation<'_>,
        location: &Location<'_>,
        entry: EntryId,
    ) -> PatchResult<()> {
        let old = self.value_at(operation, location)?.value;
        let new = operation.patch.entry(entry).value;
        if is_same_in_json(self.target, old, operation.patch, new) {
            return Ok(());
        }
        let quoting = self.target.style_of(old);
        operation.with_value(entry, |value| self.take(location, value, quoting))
    }

    /// Gives the entry at a location, or the root, another value. It keeps its own comments.
    fn take(
        &mut self,
        location: &Location<'_>,
        value: Source<'_>,
        quoting: Option<ScalarStyle>,
    ) -> PatchResult<()> {
        if location.parent.is_none() && value.tree.scalar(value.value).is_none() {
            self.new_root = Some(trimmed_end(&value.tree.text_of(value.value)).to_owned());
            self.is_complete = true;
            return Ok(());
        }
        let value = Source {
            entry: None,
            ..value
        };
        let text = value.as_entry(location.key)?;
        let incoming = Incoming {
            quoting,
            ..self.additions.value(text)
        };
        self.change(location, Outcome::Take(incoming));
        Ok(())
    }

    /// Records the outcome of the entry at a location, or of the root.
    fn change(&mut self, location: &Location<'_>, outcome: Outcome) {
        self.outcomes.insert(location.found, outcome);
        self.settled.extend(location.found);
        self.changed_inside.extend(&location.ancestors);
        // an alias can lead to the same value on another path
        self.is_complete |= location.parent.is_none() || self.target.has_aliases();
    }

    /// Adds a value with its comments. Returns false if this depends on the operations of the
    /// batch.
    pub(super) fn insert(
        &mut self,
        location: &Location<'a>,
        value: Source<'_>,
    ) -> PatchResult<bool> {
        let is_replaced = location.key.is_some() && location.found.is_some();
        let Some(parent) = location.parent.filter(|_| !is_replaced) else {
            return self.take(location, value, None).map(|()| true);
        };
        let end = self.target.entries(parent).next_back();
        let is_appended = end.is_some_and(|end| match location.key {
            _ if self.outcomes.contains_key(&Some(end)) || self.changed_inside.contains(&end) => {
                false
            }
            Some(name) => self.added_names.insert((parent, name)),
            None => location.path.last().is_some_and(|step| step == "-"),
        });
        if !is_appended && self.is_changed() {
            return Ok(false);
        }
        let text = value.as_entry(location.key)?;
        if end.is_none() {
            // an empty map or list is replaced by one with the entry
            let owner = location.ancestors.last().copied();
            // what is below a dash is indented in another way than what is below a key
            let holder = match owner.map(|owner| self.target.entry(owner).key) {
                Some(None) => "-",
                _ => "x:",
            };
            let lines = text.split_inclusive('\n').map(|line| format!("  {line}"));
            let text = format!("{holder}\n{}", lines.collect::<String>());
            let holder = self.additions.value(text);
            self.outcomes.insert(owner, Outcome::Take(holder));
        } else {
            let child = (location.index, self.additions.entry(text));
            self.added.entry(parent).or_default().push(child);
        }
        self.settled.extend(end);
        self.changed_inside.extend(&location.ancestors);
        self.is_complete |= !is_appended || self.target.has_aliases();
        Ok(true)
    }

    /// Returns the text after all operations; `None` if nothing changes.
    pub(super) fn text(mut self) -> PatchResult<Option<String>> {
        if let Some(new_root) = self.new_root {
            let root = self.target.node(self.target.root().value).span;
            let mut text = self.target.text().to_owned();
            text.replace_range(root.start as usize..root.end as usize, &new_root);
            return Ok(Some(text));
        }
        let root = self.outcomes.remove(&None);
        let outcome = root.unwrap_or_else(|| self.outcome(self.target.root().value));
        self.additions.edited(self.target, outcome)
    }

    /// Returns the outcome of a map or list.
    fn outcome(&self, node: NodeId) -> Outcome {
        let node = self.target.resolve(node);
        let entries = self.target.entries(node);
        let children = entries.map(|entry| {
            let outcome = match self.outcomes.get(&Some(entry)) {
                Some(outcome) => outcome.clone(),
                None if self.changed_inside.contains(&entry) => {
                    self.outcome(self.target.entry(entry).value)
                }
                None => Outcome::Keep,
            };
            Child::local(entry, outcome)
        });
        let mut children: Vec<Child> = children.collect();
        let added = self.added.get(&node).into_iter().flatten();
        for (number, (index, child)) in added.enumerate() {
            children.insert(index + number, child.clone());
        }
        part_of(children)
    }
}

/// Returns the error for a path that leads nowhere.
fn missing_target(operation: &Operation<'_>, path: &[Step<'_>]) -> PatchError {
    operation.error(
        format!("the target has nothing at `{}`", format_pointer(path)),
        "give a path that is there: field names and \
         positions from 0, as in /spec/containers/0/image",
    )
}
