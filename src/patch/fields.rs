//! Maps of a patch merge into the target's, field by field.

use crate::merge::{
    Arrival, Child, CommentChoice, FieldIndex, Incoming, Outcome, Remarks, Resident, Shape, key_of,
    name_of, part_of, place, position, shape,
};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

use super::apply::Level;
use super::directives::{Command, Directed};
use super::patch_list::ListNodes;
use super::{At, Decided, Patcher};

impl<'a> Patcher<'a> {
    /// What becomes of the whole document.
    pub(super) fn document(&mut self, schema: Option<FieldSchema<'a>>) -> Decided {
        let (target, patch) = (self.target.root().value, self.patch.root().value);
        if shape(self.patch, patch) == Shape::Map {
            let directed = self.directed(patch)?;
            if let Some((Command::Delete, at)) = directed.command {
                return Err(self.wrong(
                    at,
                    "this would delete the whole resource",
                    "delete its document from the file",
                ));
            }
        }
        self.value(target, patch, At::of(schema))
    }

    /// A value that both have; the patch's is no null.
    pub(super) fn value(&mut self, target: NodeId, patch: NodeId, at: At<'a>) -> Decided {
        match (shape(self.target, target), shape(self.patch, patch)) {
            (Shape::Map, Shape::Map) => self.map(target, patch, at),
            (Shape::List, Shape::List) if self.is_apply() => self.applied_list(target, patch, at),
            (Shape::List, Shape::List) => {
                let nodes = ListNodes {
                    list: Some(patch),
                    ..ListNodes::default()
                };
                self.list(target, nodes, at.schema)
            }
            _ => self.single(target, patch, at.schema),
        }
    }

    /// A scalar, or kinds that differ.
    fn single(&self, target: NodeId, patch: NodeId, schema: Option<FieldSchema<'a>>) -> Decided {
        if equal(self.target, target, self.patch, patch) {
            return Ok(Outcome::Keep);
        }
        let quoting = self.target.scalar(target).map(|scalar| scalar.style);
        Ok(Outcome::Take(Incoming {
            quoting,
            ..Incoming::part(patch, self.arriving(patch, schema)?)
        }))
    }

    fn map(&mut self, target: NodeId, patch: NodeId, at: At<'a>) -> Decided {
        let directed = self.directed(patch)?;
        match directed.command() {
            Some(Command::Delete) => self.emptied(target, &directed),
            Some(Command::Replace) => self.replaced(target, patch, at.schema),
            None if self.is_one_value(at.schema) => self.replaced(target, patch, at.schema),
            Some(Command::Merge) | None => self.fields(target, patch, &directed, at),
        }
    }

    /// `$patch: delete` in a map leaves an empty one, as the API server does.
    fn emptied(&self, target: NodeId, directed: &Directed) -> Decided {
        if let Some(field) = directed.fields.first() {
            let entry = self.patch.entry(*field);
            return Err(self.wrong(
                entry.key.unwrap_or(entry.value),
                "a field of a map that `$patch: delete` deletes",
                "leave the field out, or write `$patch: replace` \
                 to have nothing but the fields given here",
            ));
        }
        let all = self.target.entries(self.target.resolve(target));
        let gone = all.map(|entry| Child::local(entry, Outcome::Remove));
        Ok(part_of(gone.collect()))
    }

    /// Maps merge field by field.
    pub(super) fn fields(
        &mut self,
        target: NodeId,
        patch: NodeId,
        directed: &Directed,
        at: At<'a>,
    ) -> Decided {
        let (target_tree, patch_tree) = (self.target, self.patch);
        let target = target_tree.resolve(target);
        let patches = FieldIndex::new(patch_tree, directed.fields.iter().copied()).in_json();
        let targets = FieldIndex::of(target_tree, target).in_json();
        let lasts = self.last_fields(at);
        let retains = at.retains || at.schema.is_some_and(FieldSchema::retains_keys);
        let clears =
            self.is_apply() && retains && self.is_changed_as_union(&directed.fields, &targets);
        let mut residents = Vec::new();
        for entry in target_tree.entries(target) {
            let key = key_of(target_tree, entry);
            let patched = key.and_then(|key| patches.find(key));
            let last = key.and_then(|key| lasts.find(key));
            residents.push(Resident {
                child: self.resident((entry, patched, last), directed, at, clears)?,
                own: patched.is_none(),
            });
        }
        let mut arrivals = Vec::new();
        for entry in &directed.fields {
            let resident = key_of(patch_tree, *entry).and_then(|key| targets.find(key));
            let resident =
                resident.filter(|it| directed.retains(name_of(target_tree, *it).as_deref()));
            arrivals.push(match resident {
                Some(resident) => {
                    Arrival::Resident(position(target_tree.entries(target), resident))
                }
                None => self.arrival(*entry, directed, at)?,
            });
        }
        Ok(self
            .walker
            .merged_children(patch, target, place(residents, arrivals)))
    }

    /// What becomes of a field that the target has, and perhaps the patch and what was applied last.
    fn resident(
        &mut self,
        (entry, patched, last): (EntryId, Option<EntryId>, Option<EntryId>),
        directed: &Directed,
        at: At<'a>,
        clears: bool,
    ) -> Decided<Child> {
        let name = name_of(self.target, entry);
        if !directed.retains(name.as_deref()) {
            return Ok(Child::local(entry, Outcome::Remove));
        }
        let name = name.as_deref().unwrap_or_default();
        let target = self.target.entry(entry).value;
        let patch = patched.map(|patched| self.patch.entry(patched).value);
        let below = at.field(
            name,
            self.last.zip(last).map(|(it, last)| it.entry(last).value),
        );
        let is_null = patch.is_some_and(|patch| self.patch.is_null(patch));
        let nodes = ListNodes {
            list: patch,
            deletion: directed.deletion(name),
            order: directed.order(name),
        };
        let has_directives = nodes.deletion.or(nodes.order).is_some();
        let outcome = match patch {
            _ if below.level == Level::LeftAlone => Outcome::Keep,
            _ if below.level == Level::Annotations && (is_null || patch.is_none()) => {
                self.applied_annotations(target, below)
            }
            _ if is_null => Outcome::Remove,
            None if last.is_some() || clears => Outcome::Remove,
            None if !has_directives => Outcome::Keep,
            Some(patch) if !has_directives => self.value(target, patch, below)?,
            _ if shape(self.target, target) == Shape::List => {
                if let Some(patch) = patch {
                    let message =
                        format!("`{name}` is no list here, and a directive says it is one");
                    self.must_be_list(patch, message, "write a list, or leave the directive out")?;
                }
                self.list(target, nodes, below.schema)?
            }
            Some(patch) => self.single(target, patch, below.schema)?,
            None => Outcome::Keep,
        };
        let remarks = self.remarks(entry, patched, &outcome);
        Ok(Child::local(entry, outcome).with_remarks(remarks))
    }

    /// A field that the target does not have.
    fn arrival(&self, entry: EntryId, directed: &Directed, at: At<'a>) -> Decided<Arrival> {
        let value = self.patch.entry(entry).value;
        let name = name_of(self.patch, entry).unwrap_or_default();
        if at.level.below(&name) == Level::LeftAlone {
            return Ok(Arrival::Nothing);
        }
        let part = self.arriving_field(value, &name, directed, at.schema)?;
        Ok(part.map_or(Arrival::Nothing, |part| {
            Arrival::New(self.taken(entry, part))
        }))
    }

    /// A comment beside a scalar comes with it, where the target has none there.
    fn remarks(&self, entry: EntryId, patched: Option<EntryId>, outcome: &Outcome) -> Remarks {
        let (Some(patched), Outcome::Take(incoming)) = (patched, outcome) else {
            return Remarks::default();
        };
        let ours = self.target.entry(entry).comments();
        let theirs = self.patch.entry(patched).comments();
        let both_scalars = self.patch.scalar(incoming.node).is_some()
            && self.target.scalar(self.target.entry(entry).value).is_some();
        if self.is_apply()
            || !both_scalars
            || !ours.beside().is_empty()
            || theirs.beside().is_empty()
        {
            return Remarks::default();
        }
        Remarks {
            from: Some(patched),
            line: CommentChoice::Updated,
            ..Remarks::default()
        }
    }
}
