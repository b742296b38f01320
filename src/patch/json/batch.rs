//! Applies operations at independent locations together, so that the target of a long patch is not
//! parsed again for each operation.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::entry_text::{entry_text, is_block_list};
use super::operation::{Action, Operation};
use super::pointer::{Step, index_of, named_fields};
use super::same::is_same;
use crate::merge::{Child, Incoming, Outcome, Shape, edited, part_of, shape};
use crate::patch::{PatchResult, parse_generated};
use crate::yaml::{EntryId, NodeId, Tree};

/// Returns the number of leading operations that can be applied together, and the resulting text,
/// which is `None` if nothing changes. Returns 0 for operations that have to be applied one by one,
/// and for those that fail.
pub(super) fn apply_batch(
    text: &str,
    patch: &Tree<'_>,
    operations: &[Operation<'_>],
) -> PatchResult<(usize, Option<String>)> {
    let can_batch = |at: usize| {
        let action = operations.get(at).map(|operation| &operation.action);
        action.is_some_and(|action| !matches!(action, Action::Copy(_) | Action::Move(_)))
    };
    if !can_batch(0) || !can_batch(1) {
        return Ok((0, None));
    }
    let target = parse_generated(text)?;
    let mut batch = Batch::new(&target, patch);
    let mut count = 0;
    while count < operations.len() && batch.try_add(&operations[count])? {
        count += 1;
    }
    if count < 2 || target.has_aliases() || patch.has_aliases() {
        return Ok((0, None));
    }
    // additions are at the ends of maps and lists, so all other paths stay valid
    let Some(text_with_additions) = batch.text_with_additions()? else {
        return Ok((count, batch.text_with_changes()?));
    };
    let target = parse_generated(&text_with_additions)?;
    let mut second = Batch::new(&target, patch);
    for operation in batch.changes {
        if !second.try_add(operation)? {
            return Ok((0, None));
        }
    }
    let text_with_changes = second.text_with_changes()?;
    Ok((count, text_with_changes.or(Some(text_with_additions))))
}

/// Operations at independent locations of one text.
struct Batch<'a, 'o> {
    target: &'a Tree<'a>,
    patch: &'a Tree<'a>,
    /// The fields of maps that were looked up, by name.
    fields: FxHashMap<NodeId, FxHashMap<Cow<'a, str>, EntryId>>,
    /// The entries with a change or an addition inside.
    changed_inside: FxHashSet<EntryId>,
    /// The outcomes of changed and removed entries.
    outcomes: FxHashMap<EntryId, Outcome>,
    /// The operations of these outcomes.
    changes: Vec<&'o Operation<'o>>,
    /// The number of entries that are removed from a map or list.
    removed: FxHashMap<NodeId, usize>,
    /// The map or list of each added entry.
    parents: Vec<NodeId>,
    /// The entries that come before an added entry.
    last_entries: FxHashSet<EntryId>,
    /// A document with the added entries, each below a key of its own.
    added_text: String,
    /// The names of the added fields.
    added_names: FxHashSet<(NodeId, &'o str)>,
}

impl<'a, 'o> Batch<'a, 'o> {
    fn new(target: &'a Tree<'a>, patch: &'a Tree<'a>) -> Self {
        Self {
            target,
            patch,
            fields: FxHashMap::default(),
            changed_inside: FxHashSet::default(),
            outcomes: FxHashMap::default(),
            changes: Vec::new(),
            removed: FxHashMap::default(),
            parents: Vec::new(),
            last_entries: FxHashSet::default(),
            added_text: String::new(),
            added_names: FxHashSet::default(),
        }
    }

    /// Adds an operation to the batch. Returns false if it depends on an operation in the batch, or
    /// if it needs a special case that only single operations have.
    fn try_add(&mut self, operation: &'o Operation<'o>) -> PatchResult<bool> {
        let Some((last, steps)) = operation.path.split_last() else {
            return Ok(false);
        };
        let mut parent = self.target.root().value;
        let mut ancestors = Vec::with_capacity(steps.len());
        for step in steps {
            match self.find(parent, step) {
                Some(entry) if !self.is_settled(entry) => ancestors.push(entry),
                _ => return Ok(false),
            }
            parent = self.target.entry(ancestors[ancestors.len() - 1]).value;
        }
        let found = self.find(parent, last);
        if found.is_some_and(|it| self.is_settled(it) || self.changed_inside.contains(&it)) {
            return Ok(false);
        }
        let value = found.map(|found| self.target.entry(found).value);
        let is_same = |new| value.is_some_and(|old| is_same(self.target, old, self.patch, new));
        let is_list = shape(self.target, parent) == Shape::List;
        let outcome = match (&operation.action, found) {
            (Action::Test(value), _) => return Ok(is_same(*value)),
            (Action::Remove, Some(_)) => {
                let removed = self.removed.entry(parent).or_default();
                if *removed + 1 == self.target.entries(parent).len() {
                    return Ok(false);
                }
                *removed += 1;
                Outcome::Remove
            }
            (Action::Replace(entry), Some(_)) => {
                let new = self.patch.entry(*entry).value;
                if is_same(new) {
                    return Ok(true);
                }
                if is_list && is_block_list(self.patch, new) {
                    return Ok(false);
                }
                let quoting = value.and_then(|old| self.target.scalar(old));
                Outcome::Take(Incoming {
                    quoting: quoting.map(|scalar| scalar.style),
                    ..Incoming::whole(new)
                })
            }
            (Action::Add(entry), Some(_)) if !is_list => {
                Outcome::Take(Incoming::whole(self.patch.entry(*entry).value))
            }
            (Action::Add(entry), None) => {
                let is_appended = self.try_append((operation.node, *entry), parent, last)?;
                self.changed_inside
                    .extend(ancestors.into_iter().filter(|_| is_appended));
                return Ok(is_appended);
            }
            _ => return Ok(false),
        };
        self.outcomes.extend(found.map(|found| (found, outcome)));
        self.changed_inside.extend(ancestors);
        self.changes.push(operation);
        Ok(true)
    }

    /// Whether no other operation may touch an entry: it is changed or removed, or an entry is
    /// added after it. Comments between the two entries could belong to either.
    fn is_settled(&self, entry: EntryId) -> bool {
        self.outcomes.contains_key(&entry) || self.last_entries.contains(&entry)
    }

    /// Returns the entry that a step leads to.
    fn find(&mut self, parent: NodeId, step: &Step<'_>) -> Option<EntryId> {
        let target = self.target;
        match shape(target, parent) {
            Shape::Map => {
                let fields = self.fields.entry(parent);
                let fields = fields.or_insert_with(|| named_fields(target, parent));
                fields.get(step.as_ref()).copied()
            }
            // removing an element changes the positions of the following ones
            Shape::List if self.removed.contains_key(&parent) => None,
            Shape::List => target.entries(parent).nth(index_of(step)?),
            Shape::Scalar => None,
        }
    }

    /// Adds an operation that appends an entry to a map or list. Returns false if it cannot.
    fn try_append(
        &mut self,
        (add, value): (NodeId, EntryId),
        parent: NodeId,
        step: &'o Step<'_>,
    ) -> PatchResult<bool> {
        let is_list = shape(self.target, parent) == Shape::List;
        let is_new = match is_list {
            true => step == "-",
            false => self.added_names.insert((parent, step.as_ref())),
        };
        let Some(end) = self.target.entries(parent).next_back() else {
            return Ok(false);
        };
        if !is_new || self.outcomes.contains_key(&end) || self.changed_inside.contains(&end) {
            return Ok(false);
        }
        let key = (!is_list).then_some(step.as_ref());
        // parse the operation alone: facts that are computed once per tree would be computed for
        // the whole patch with each operation
        let mut span = self.patch.node(add).span;
        if self.patch.is_block_collection(add) {
            // include the comments after its value
            let lines = self.patch.lines_of(self.patch.entry(value));
            span.end = span.end.max(lines.end);
        }
        let operation_tree = self.patch.outdented(span);
        let operation_tree = parse_generated(&operation_tree)?;
        let Some(entry) = operation_tree.find(operation_tree.root().value, "value") else {
            return Ok(false);
        };
        let value = operation_tree.entry(entry).value;
        let text = entry_text(&operation_tree, (value, Some(entry)), key)?;
        self.added_text
            .push_str(&format!("x{}:\n", self.parents.len()));
        for line in text.split_inclusive('\n') {
            let indent = if line.trim().is_empty() { "" } else { "  " };
            self.added_text.extend([indent, line]);
        }
        self.parents.push(parent);
        self.last_entries.insert(end);
        Ok(true)
    }

    /// Returns the text with the added entries.
    fn text_with_additions(&self) -> PatchResult<Option<String>> {
        if self.parents.is_empty() {
            return Ok(None);
        }
        let source = parse_generated(&self.added_text)?;
        let mut added_children: FxHashMap<NodeId, Vec<Child>> = FxHashMap::default();
        for (entry, parent) in source.entries(source.root().value).zip(&self.parents) {
            let entries = source.entries(source.entry(entry).value);
            let children = entries.map(|entry| {
                let incoming = Incoming::whole(source.entry(entry).value);
                Child::updated(entry, Outcome::Take(incoming))
            });
            added_children.entry(*parent).or_default().extend(children);
        }
        let outcome = self.outcome(self.target.root().value, &mut added_children, |_| None);
        Ok(edited(self.target, &source, &outcome)?)
    }

    /// Returns the text with the changes and without the removed entries.
    fn text_with_changes(&self) -> PatchResult<Option<String>> {
        let outcome_of = |entry| self.outcomes.get(&entry).cloned();
        let outcome = self.outcome(
            self.target.root().value,
            &mut FxHashMap::default(),
            outcome_of,
        );
        Ok(edited(self.target, self.patch, &outcome)?)
    }

    /// Returns the outcome of a node: `outcome_of` gives the outcomes of entries, and
    /// `added_children` the entries to append.
    fn outcome(
        &self,
        node: NodeId,
        added_children: &mut FxHashMap<NodeId, Vec<Child>>,
        outcome_of: impl Fn(EntryId) -> Option<Outcome> + Copy,
    ) -> Outcome {
        let mut children = Vec::with_capacity(self.target.entries(node).len());
        for entry in self.target.entries(node) {
            let outcome =
                outcome_of(entry).unwrap_or_else(|| match self.changed_inside.contains(&entry) {
                    true => {
                        self.outcome(self.target.entry(entry).value, added_children, outcome_of)
                    }
                    false => Outcome::Keep,
                });
            children.push(Child::local(entry, outcome));
        }
        children.extend(added_children.remove(&node).unwrap_or_default());
        part_of(children)
    }
}
