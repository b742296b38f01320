//! Merges maps of a patch into the target's maps, field by field.

use crate::merge::{
    Child, CommentChoice, FieldIndex, Incoming, Outcome, Remarks, Shape, UpdatedEntry, fields_of,
    key_of, name_of, part_of, place, position, shape,
};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, equal};

use super::apply::Level;
use super::directives::{Command, PatchMap};
use super::patch_list::PatchNodes;
use super::{Context, PatchResult, Patcher};

impl<'a> Patcher<'a> {
    /// Decides the outcome of the whole document.
    pub(super) fn document(&mut self) -> PatchResult {
        let nodes = PatchNodes::of(self.patch.root().value);
        let level = match self.is_apply() {
            true => Level::Root,
            false => Level::Below,
        };
        let context = Context {
            last: self.last().map(|last| last.root().value),
            level,
            ..Context::of(self.rules.schema())
        };
        self.value(self.target.root().value, nodes, context)
    }

    /// Decides the outcome of a value of the target. The patch's value is not null.
    pub(super) fn value(
        &mut self,
        target: NodeId,
        nodes: PatchNodes,
        context: Context<'a>,
    ) -> PatchResult {
        let patch_shape = nodes.value.map(|patch| (patch, shape(self.patch, patch)));
        match (shape(self.target, target), patch_shape) {
            (Shape::Map, Some((patch, Shape::Map))) => self.map(target, patch, context),
            (Shape::List, None | Some((_, Shape::List))) => self.list(target, nodes, context),
            (_, Some((patch, _))) => self.replacement(target, patch, context.schema),
            (_, None) => Ok(Outcome::Keep),
        }
    }

    /// Replaces a scalar, or a value by one of another kind.
    fn replacement(&self, target: NodeId, patch: NodeId, schema: FieldSchema<'a>) -> PatchResult {
        if equal(self.target, target, self.patch, patch) {
            return Ok(Outcome::Keep);
        }
        let quoting = self.target.style_of(target);
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
        let target = self.target.resolve(target);
        let (existing, own) = self.existing(target, patch_map, context)?;
        let target_index = FieldIndex::of(self.target, target).in_json();
        let mut updated_entries = Vec::new();
        for entry in &patch_map.fields {
            let found = key_of(self.patch, *entry).and_then(|key| target_index.find(key));
            updated_entries.push(match found {
                Some(found) => {
                    UpdatedEntry::Existing(position(self.target.entries(target), found) as u32)
                }
                None => self.updated_entry(*entry, patch_map, context)?,
            });
        }
        let children = place(existing, &own, updated_entries, false, &[]);
        Ok(self.walker.merged_children(patch, target, children))
    }

    /// Decides the outcomes of all fields of a map of the target, and says of each whether the
    /// patch lacks it.
    fn existing(
        &mut self,
        target: NodeId,
        patch_map: &PatchMap,
        context: Context<'a>,
    ) -> PatchResult<(Vec<Child>, Vec<bool>)> {
        let (target_tree, patch_tree) = (self.target, self.patch);
        let patch_index = FieldIndex::new(patch_tree, patch_map.fields.iter().copied()).in_json();
        let last_index = fields_of(self.last().unwrap_or(target_tree), context.last).in_json();
        let clears_rest = self.clears_rest(target, patch_map, context);
        let entries = target_tree.entries(target);
        let existing = entries.map(|entry| {
            let key = key_of(target_tree, entry);
            let patched = key.and_then(|key| patch_index.find(key));
            let last = key.and_then(|key| last_index.find(key));
            let field = (entry, patched, last);
            let child = self.existing_field(field, patch_map, context, clears_rest)?;
            Ok((child, patched.is_none()))
        });
        existing.collect()
    }

    /// Decides the outcome of a field of the target. `patched` is the field in the patch, and
    /// `last` the one in the last applied configuration.
    fn existing_field(
        &mut self,
        (entry, patched, last): (EntryId, Option<EntryId>, Option<EntryId>),
        patch_map: &PatchMap,
        context: Context<'a>,
        clears_rest: bool,
    ) -> PatchResult<Child> {
        let name = &*name_of(self.target, entry).unwrap_or_default();
        let target = self.target.entry(entry).value;
        let patch = patched.map(|patched| self.patch.entry(patched).value);
        let field_context = context.field(name, self.last_value(last));
        let is_null = patch.is_some_and(|patch| self.patch.is_null(patch));
        let nodes = patch_map.nodes_of(name, patch);
        let outcome = match patch {
            _ if !patch_map.retains(name) => Outcome::Remove,
            _ if field_context.level == Level::Protected => Outcome::Keep,
            // an applied object always has annotations: those that were applied last are removed
            _ if field_context.level == Level::Annotations && (is_null || patch.is_none()) => {
                let target = self.target.resolve(target);
                let (existing, _) = self.existing(target, &PatchMap::default(), field_context)?;
                part_of(existing)
            }
            _ if is_null => Outcome::Remove,
            None if last.is_some() || clears_rest => Outcome::Remove,
            Some(patch)
                if nodes.deletion.or(nodes.order).is_some()
                    && shape(self.target, target) == Shape::List
                    && shape(self.patch, patch) != Shape::List =>
            {
                let message = format!("`{name}` is not a list, and a directive says it is one");
                let help = "write a list, or leave the directive out";
                return Err(self.patch_error(patch, message, help));
            }
            _ => self.value(target, nodes, field_context)?,
        };
        let remarks = self.remarks(entry, patched, &outcome);
        Ok(Child::local(entry, outcome).with(|extras| extras.remarks = remarks))
    }

    /// Decides the outcome of a field that the target does not have.
    fn updated_entry(
        &self,
        entry: EntryId,
        patch_map: &PatchMap,
        context: Context<'a>,
    ) -> PatchResult<UpdatedEntry> {
        let value = self.patch.entry(entry).value;
        let name = name_of(self.patch, entry).unwrap_or_default();
        if context.level.of_field(&name) == Level::Protected {
            return Ok(UpdatedEntry::Absent);
        }
        let part = self.added_field(value, &name, patch_map, context.schema)?;
        Ok(part.map_or(UpdatedEntry::Absent, |part| {
            UpdatedEntry::New(self.added_child(entry, part))
        }))
    }

    /// Takes the patch's comment beside a scalar, if the target has no comment there.
    fn remarks(&self, entry: EntryId, patched: Option<EntryId>, outcome: &Outcome) -> Remarks {
        let mut remarks = Remarks::default();
        if let (Some(patched), Outcome::Take(incoming)) = (patched, outcome)
            && !self.is_apply()
            && self.patch.scalar(incoming.node).is_some()
            && self.target.scalar(self.target.entry(entry).value).is_some()
            && self.target.entry(entry).comments().beside().is_empty()
            && !self.patch.entry(patched).comments().beside().is_empty()
        {
            remarks.from = Some(patched);
            remarks.line = CommentChoice::Updated;
        }
        remarks
    }
}
