//! Merges maps of a patch into the target's maps, field by field.

use crate::merge::{
    Arrival, Child, CommentChoice, FieldIndex, Incoming, Outcome, Remarks, Resident, Shape, key_of,
    name_of, part_of, place, position, shape,
};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

use super::apply::Level;
use super::directives::{Command, PatchMap};
use super::patch_list::ListNodes;
use super::{Context, PatchResult, Patcher};

impl<'a> Patcher<'a> {
    /// Decides the outcome of the whole document.
    pub(super) fn document(&mut self, schema: Option<FieldSchema<'a>>) -> PatchResult {
        let (target, patch) = (self.target.root().value, self.patch.root().value);
        if shape(self.patch, patch) == Shape::Map {
            let patch_map = self.patch_map(patch)?;
            if let Some((Command::Delete, at)) = patch_map.command {
                return Err(self.patch_error(
                    at,
                    "this would delete the whole resource",
                    "delete its document from the file",
                ));
            }
        }
        self.value(target, patch, Context::of(schema))
    }

    /// Decides the outcome of a value that target and patch both have. The patch's value is not
    /// null.
    pub(super) fn value(
        &mut self,
        target: NodeId,
        patch: NodeId,
        context: Context<'a>,
    ) -> PatchResult {
        match (shape(self.target, target), shape(self.patch, patch)) {
            (Shape::Map, Shape::Map) => self.map(target, patch, context),
            (Shape::List, Shape::List) if self.is_apply() => {
                self.applied_list(target, patch, context)
            }
            (Shape::List, Shape::List) => {
                let nodes = ListNodes {
                    list: Some(patch),
                    ..ListNodes::default()
                };
                self.list(target, nodes, context.schema)
            }
            _ => self.replacement(target, patch, context.schema),
        }
    }

    /// Replaces a scalar, or a value by one of another kind.
    fn replacement(
        &self,
        target: NodeId,
        patch: NodeId,
        schema: Option<FieldSchema<'a>>,
    ) -> PatchResult {
        if equal(self.target, target, self.patch, patch) {
            return Ok(Outcome::Keep);
        }
        let quoting = self.target.scalar(target).map(|scalar| scalar.style);
        Ok(Outcome::Take(Incoming {
            quoting,
            ..Incoming::part(patch, self.added_value(patch, schema)?)
        }))
    }

    /// Decides the outcome of a map, by its directives.
    fn map(&mut self, target: NodeId, patch: NodeId, context: Context<'a>) -> PatchResult {
        let patch_map = self.patch_map(patch)?;
        match patch_map.command() {
            Some(Command::Delete) => self.emptied_map(target, &patch_map),
            Some(Command::Replace) => self.replaced(target, patch, context.schema),
            None if self.is_one_value(context.schema) => {
                self.replaced(target, patch, context.schema)
            }
            Some(Command::Merge) | None => self.fields(target, patch, &patch_map, context),
        }
    }

    /// Removes all fields of a map with `$patch: delete`, which leaves an empty map, as the API
    /// server does.
    fn emptied_map(&self, target: NodeId, patch_map: &PatchMap) -> PatchResult {
        if let Some(field) = patch_map.fields.first() {
            let entry = self.patch.entry(*field);
            return Err(self.patch_error(
                entry.key.unwrap_or(entry.value),
                "a field of a map that `$patch: delete` deletes",
                "leave the field out, or write `$patch: replace` \
                 to have nothing but the fields given here",
            ));
        }
        let all = self.target.entries(self.target.resolve(target));
        let removed = all.map(|entry| Child::local(entry, Outcome::Remove));
        Ok(part_of(removed.collect()))
    }

    /// Merges two maps field by field.
    pub(super) fn fields(
        &mut self,
        target: NodeId,
        patch: NodeId,
        patch_map: &PatchMap,
        context: Context<'a>,
    ) -> PatchResult {
        let (target_tree, patch_tree) = (self.target, self.patch);
        let target = target_tree.resolve(target);
        let patch_index = FieldIndex::new(patch_tree, patch_map.fields.iter().copied()).in_json();
        let target_index = FieldIndex::of(target_tree, target).in_json();
        let last_index = self.last_fields(context);
        let retains = context.retains_keys || context.schema.is_some_and(FieldSchema::retains_keys);
        let clears_rest = self.is_apply()
            && retains
            && self.is_changed_as_union(&patch_map.fields, &target_index);
        let mut residents = Vec::new();
        for entry in target_tree.entries(target) {
            let key = key_of(target_tree, entry);
            let patched = key.and_then(|key| patch_index.find(key));
            let last = key.and_then(|key| last_index.find(key));
            residents.push(Resident {
                child: self.resident((entry, patched, last), patch_map, context, clears_rest)?,
                own: patched.is_none(),
            });
        }
        let mut arrivals = Vec::new();
        for entry in &patch_map.fields {
            let resident = key_of(patch_tree, *entry).and_then(|key| target_index.find(key));
            let resident =
                resident.filter(|it| patch_map.retains(name_of(target_tree, *it).as_deref()));
            arrivals.push(match resident {
                Some(resident) => {
                    Arrival::Resident(position(target_tree.entries(target), resident))
                }
                None => self.arrival(*entry, patch_map, context)?,
            });
        }
        Ok(self
            .walker
            .merged_children(patch, target, place(residents, arrivals)))
    }

    /// Decides the outcome of a field of the target. `patched` is the field in the patch, and
    /// `last` the one in the last applied configuration.
    fn resident(
        &mut self,
        (entry, patched, last): (EntryId, Option<EntryId>, Option<EntryId>),
        patch_map: &PatchMap,
        context: Context<'a>,
        clears_rest: bool,
    ) -> PatchResult<Child> {
        let name = name_of(self.target, entry);
        if !patch_map.retains(name.as_deref()) {
            return Ok(Child::local(entry, Outcome::Remove));
        }
        let name = name.as_deref().unwrap_or_default();
        let target = self.target.entry(entry).value;
        let patch = patched.map(|patched| self.patch.entry(patched).value);
        let field_context = context.field(
            name,
            self.last.zip(last).map(|(it, last)| it.entry(last).value),
        );
        let is_null = patch.is_some_and(|patch| self.patch.is_null(patch));
        let nodes = ListNodes {
            list: patch,
            deletion: patch_map.deletion(name),
            order: patch_map.order(name),
        };
        let has_directives = nodes.deletion.or(nodes.order).is_some();
        let outcome = match patch {
            _ if field_context.level == Level::Protected => Outcome::Keep,
            _ if field_context.level == Level::Annotations && (is_null || patch.is_none()) => {
                self.applied_annotations(target, field_context)
            }
            _ if is_null => Outcome::Remove,
            None if last.is_some() || clears_rest => Outcome::Remove,
            None if !has_directives => Outcome::Keep,
            Some(patch) if !has_directives => self.value(target, patch, field_context)?,
            _ if shape(self.target, target) == Shape::List => {
                if let Some(patch) = patch {
                    let message = format!("`{name}` is not a list, and a directive says it is one");
                    self.require_list_or(
                        patch,
                        message,
                        "write a list, or leave the directive out",
                    )?;
                }
                self.list(target, nodes, field_context.schema)?
            }
            Some(patch) => self.replacement(target, patch, field_context.schema)?,
            None => Outcome::Keep,
        };
        let remarks = self.remarks(entry, patched, &outcome);
        Ok(Child::local(entry, outcome).with_remarks(remarks))
    }

    /// Decides the outcome of a field that the target does not have.
    fn arrival(
        &self,
        entry: EntryId,
        patch_map: &PatchMap,
        context: Context<'a>,
    ) -> PatchResult<Arrival> {
        let value = self.patch.entry(entry).value;
        let name = name_of(self.patch, entry).unwrap_or_default();
        if context.level.of_field(&name) == Level::Protected {
            return Ok(Arrival::Nothing);
        }
        let part = self.added_field(value, &name, patch_map, context.schema)?;
        Ok(part.map_or(Arrival::Nothing, |part| {
            Arrival::New(self.added_child(entry, part))
        }))
    }

    /// Takes the patch's comment beside a scalar, if the target has no comment there.
    fn remarks(&self, entry: EntryId, patched: Option<EntryId>, outcome: &Outcome) -> Remarks {
        let (Some(patched), Outcome::Take(incoming)) = (patched, outcome) else {
            return Remarks::default();
        };
        let target_comments = self.target.entry(entry).comments();
        let patch_comments = self.patch.entry(patched).comments();
        let both_scalars = self.patch.scalar(incoming.node).is_some()
            && self.target.scalar(self.target.entry(entry).value).is_some();
        if self.is_apply()
            || !both_scalars
            || !target_comments.beside().is_empty()
            || patch_comments.beside().is_empty()
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
