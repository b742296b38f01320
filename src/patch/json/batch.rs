//! Operations that touch different places: they are carried out together, so that a long patch does
//! not have its target read again for each.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::arriving::{arriving_text, is_block_list};
use super::operation::{Action, Operation};
use super::pointer::{Step, index_of, named_fields};
use super::same::is_same;
use crate::merge::{Child, Incoming, Outcome, Shape, edited, part_of, shape};
use crate::patch::{Decided, parsed};
use crate::yaml::{EntryId, NodeId, Tree};

/// How many operations can be carried out together, and the text then; `None` if nothing changes.
/// What a single one does, and what goes wrong, is not decided here.
pub(super) fn carried_out(
    text: &str,
    patch: &Tree<'_>,
    operations: &[Operation<'_>],
) -> Decided<(usize, Option<String>)> {
    let is_apart = |at: usize| {
        let action = operations.get(at).map(|operation| &operation.action);
        action.is_some_and(|action| !matches!(action, Action::Copy(_) | Action::Move(_)))
    };
    if !is_apart(0) || !is_apart(1) {
        return Ok((0, None));
    }
    let target = parsed(text)?;
    let mut batch = Batch::new(&target, patch);
    let mut count = 0;
    while count < operations.len() && batch.take(&operations[count])? {
        count += 1;
    }
    if count < 2 || target.has_aliases() || patch.has_aliases() {
        return Ok((0, None));
    }
    // what comes is at the ends: every other path leads where it did
    let Some(grown) = batch.grown()? else {
        return Ok((count, batch.changed()?));
    };
    let target = parsed(&grown)?;
    let mut rest = Batch::new(&target, patch);
    for operation in batch.changes {
        if !rest.take(operation)? {
            return Ok((0, None));
        }
    }
    let changed = rest.changed()?;
    Ok((count, changed.or(Some(grown))))
}

/// Operations on different places of one text.
struct Batch<'a, 'o> {
    target: &'a Tree<'a>,
    patch: &'a Tree<'a>,
    /// The fields of the maps that were asked for, by name.
    fields: FxHashMap<NodeId, FxHashMap<Cow<'a, str>, EntryId>>,
    /// The entries in which something changes or comes.
    ways: FxHashSet<EntryId>,
    /// What becomes of entries that change or go.
    outcomes: FxHashMap<EntryId, Outcome>,
    /// The operations that say so.
    changes: Vec<&'o Operation<'o>>,
    /// How many entries go from a map or list.
    gone: FxHashMap<NodeId, usize>,
    /// The maps and lists to which something comes, once for each entry.
    growing: Vec<NodeId>,
    /// The entries behind which that is.
    ends: FxHashSet<EntryId>,
    /// A document with these entries, each below a key of its own.
    coming: String,
    /// The fields that come.
    named: FxHashSet<(NodeId, &'o str)>,
}

impl<'a, 'o> Batch<'a, 'o> {
    fn new(target: &'a Tree<'a>, patch: &'a Tree<'a>) -> Self {
        Self {
            target,
            patch,
            fields: FxHashMap::default(),
            ways: FxHashSet::default(),
            outcomes: FxHashMap::default(),
            changes: Vec::new(),
            gone: FxHashMap::default(),
            growing: Vec::new(),
            ends: FxHashSet::default(),
            coming: String::new(),
            named: FxHashSet::default(),
        }
    }

    /// Takes an operation up; false where those before have to be carried out first, or where it
    /// needs more care.
    fn take(&mut self, operation: &'o Operation<'o>) -> Decided<bool> {
        let Some((last, steps)) = operation.path.split_last() else {
            return Ok(false);
        };
        let mut holder = self.target.root().value;
        let mut way = Vec::with_capacity(steps.len());
        for step in steps {
            match self.find(holder, step) {
                Some(entry) if !self.is_fixed(entry) => way.push(entry),
                _ => return Ok(false),
            }
            holder = self.target.entry(way[way.len() - 1]).value;
        }
        let found = self.find(holder, last);
        if found.is_some_and(|it| self.is_fixed(it) || self.ways.contains(&it)) {
            return Ok(false);
        }
        let value = found.map(|found| self.target.entry(found).value);
        let is_same = |new| value.is_some_and(|old| is_same(self.target, old, self.patch, new));
        let is_list = shape(self.target, holder) == Shape::List;
        let outcome = match (&operation.action, found) {
            (Action::Test(value), _) => return Ok(is_same(*value)),
            (Action::Remove, Some(_)) => {
                let gone = self.gone.entry(holder).or_default();
                if *gone + 1 == self.target.entries(holder).len() {
                    return Ok(false);
                }
                *gone += 1;
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
                let comes = self.comes((operation.node, *entry), holder, last)?;
                self.ways.extend(way.into_iter().filter(|_| comes));
                return Ok(comes);
            }
            _ => return Ok(false),
        };
        self.outcomes.extend(found.map(|found| (found, outcome)));
        self.ways.extend(way);
        self.changes.push(operation);
        Ok(true)
    }

    /// Whether nothing else may happen in an entry: it changes or goes, or something comes behind
    /// it, and comments may be between the two.
    fn is_fixed(&self, entry: EntryId) -> bool {
        self.outcomes.contains_key(&entry) || self.ends.contains(&entry)
    }

    /// What a step leads to.
    fn find(&mut self, holder: NodeId, step: &Step<'_>) -> Option<EntryId> {
        let target = self.target;
        match shape(target, holder) {
            Shape::Map => {
                let fields = self.fields.entry(holder);
                let fields = fields.or_insert_with(|| named_fields(target, holder));
                fields.get(step.as_ref()).copied()
            }
            // positions are other ones as soon as an element goes
            Shape::List if self.gone.contains_key(&holder) => None,
            Shape::List => target.entries(holder).nth(index_of(step)?),
            Shape::Scalar => None,
        }
    }

    /// Takes up what comes as the last entry of a map or list.
    fn comes(
        &mut self,
        (add, value): (NodeId, EntryId),
        holder: NodeId,
        step: &'o Step<'_>,
    ) -> Decided<bool> {
        let is_list = shape(self.target, holder) == Shape::List;
        let is_new = match is_list {
            true => step == "-",
            false => self.named.insert((holder, step.as_ref())),
        };
        let Some(end) = self.target.entries(holder).next_back() else {
            return Ok(false);
        };
        if !is_new || self.outcomes.contains_key(&end) || self.ways.contains(&end) {
            return Ok(false);
        }
        let key = (!is_list).then_some(step.as_ref());
        // the operation alone: what is found out once of a tree would be of the whole patch each
        // time
        let mut span = self.patch.node(add).span;
        if self.patch.is_block_collection(add) {
            // and what is behind its value
            let lines = self.patch.lines_of(self.patch.entry(value));
            span.end = span.end.max(lines.end);
        }
        let alone = self.patch.outdented(span);
        let alone = parsed(&alone)?;
        let Some(entry) = alone.find(alone.root().value, "value") else {
            return Ok(false);
        };
        let value = alone.entry(entry).value;
        let text = arriving_text(&alone, (value, Some(entry)), key)?;
        self.coming.push_str(&format!("x{}:\n", self.growing.len()));
        for line in text.split_inclusive('\n') {
            let indent = if line.trim().is_empty() { "" } else { "  " };
            self.coming.extend([indent, line]);
        }
        self.growing.push(holder);
        self.ends.insert(end);
        Ok(true)
    }

    /// The text with what comes.
    fn grown(&self) -> Decided<Option<String>> {
        if self.growing.is_empty() {
            return Ok(None);
        }
        let source = parsed(&self.coming)?;
        let mut coming: FxHashMap<NodeId, Vec<Child>> = FxHashMap::default();
        for (entry, holder) in source.entries(source.root().value).zip(&self.growing) {
            let entries = source.entries(source.entry(entry).value);
            let children = entries.map(|entry| {
                let taken = Incoming::whole(source.entry(entry).value);
                Child::updated(entry, Outcome::Take(taken))
            });
            coming.entry(*holder).or_default().extend(children);
        }
        let outcome = self.outcome(self.target.root().value, &mut coming, |_| None);
        Ok(edited(self.target, &source, &outcome)?)
    }

    /// The text with what changes and without what goes.
    fn changed(&self) -> Decided<Option<String>> {
        let outcome_of = |entry| self.outcomes.get(&entry).cloned();
        let outcome = self.outcome(
            self.target.root().value,
            &mut FxHashMap::default(),
            outcome_of,
        );
        Ok(edited(self.target, self.patch, &outcome)?)
    }

    fn outcome(
        &self,
        node: NodeId,
        coming: &mut FxHashMap<NodeId, Vec<Child>>,
        outcome_of: impl Fn(EntryId) -> Option<Outcome> + Copy,
    ) -> Outcome {
        let mut children = Vec::with_capacity(self.target.entries(node).len());
        for entry in self.target.entries(node) {
            let outcome = outcome_of(entry).unwrap_or_else(|| match self.ways.contains(&entry) {
                true => self.outcome(self.target.entry(entry).value, coming, outcome_of),
                false => Outcome::Keep,
            });
            children.push(Child::local(entry, outcome));
        }
        children.extend(coming.remove(&node).unwrap_or_default());
        part_of(children)
    }
}
