//! Applies each document of a patch to its target resources.

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::{PatchForm, Patching, Step};
use crate::error::{Error, Warning};
use crate::package::read::{DocumentInFile, SourceFile, unfit};
use crate::package::resource::ResourceId;
use crate::package::secrets::patch_error;
use crate::package::target::{ResourceRef, Target};
use crate::patch::{Rules, deletes_all, first_directive, json_patch, merge_patch, patched};
use crate::schema::{Schema, kind_of};
use crate::triple::Side;
use crate::yaml::{NodeKind, ParseError, Tree};

/// The state of a run that applies patches to a target.
pub(super) struct PatchRun<'a> {
    pub(super) patching: &'a Patching,
    pub(super) schema: Schema,
    pub(super) target: Target<'a>,
    pub(super) warnings: Vec<Warning>,
    /// The kinds without a schema about which there is a warning already.
    pub(super) warned_kinds: FxHashSet<String>,
}

/// One document of a patch file.
struct Patch<'a> {
    step: &'a Step,
    document: DocumentInFile<'a, 'a>,
    form: PatchForm,
}

impl Patch<'_> {
    fn unfit(&self, error: ParseError) -> Error {
        self.document.unfit("this patch cannot be applied", error)
    }

    /// Returns an error at the fields that name the target resource.
    fn wrong(&self, message: impl Into<String>, help: &str) -> Error {
        let offset = self.document.offset_of(&["kind", "metadata"]);
        self.unfit(ParseError::new(offset, message).with_help(help))
    }
}

impl PatchRun<'_> {
    /// Applies each document of a patch file.
    pub(super) fn apply(&mut self, step: &Step, read: &SourceFile<'_>) -> Result<(), Error> {
        if read.file.documents.is_empty() {
            let nothing = Warning::about(read.path, "it contains no patch");
            self.warnings.push(nothing);
        }
        for document in read.documents() {
            let tree = document.tree;
            let is_list = matches!(tree.node(tree.root().value).kind, NodeKind::Sequence(_));
            let form = step.form.unwrap_or(match is_list {
                true => PatchForm::Json,
                false => PatchForm::Strategic,
            });
            let patch = Patch {
                step,
                document,
                form,
            };
            if is_list && form != PatchForm::Json {
                let help = "for a JSON patch give --type json";
                return Err(patch.wrong("a list is not a merge patch", help));
            }
            self.apply_document(&patch)?;
        }
        Ok(())
    }

    fn apply_document(&mut self, patch: &Patch<'_>) -> Result<(), Error> {
        for found in self.find(patch)? {
            if patch.form == PatchForm::Strategic && deletes_all(patch.document.tree) {
                self.target.delete(found);
                continue;
            }
            if let Some(mut patched) = self.patched(patch, found)? {
                if patch.step.target.is_some() {
                    patched = self.with_identity(patch.step, patched, found);
                }
                self.target.set(found, patched);
            }
        }
        Ok(())
    }

    /// Returns the text of a resource patched by a patch with a `target`: name, kind and namespace
    /// stay those of the resource, unless the patch may change them.
    fn with_identity(&self, step: &Step, text: String, found: ResourceRef) -> String {
        let Some(id) = self.target.id(found) else {
            return text;
        };
        let value = |name: &str| match name {
            "" => Value::Null,
            name => name.into(),
        };
        let mut patch = json!({"metadata": {"namespace": value(&id.namespace)}});
        if !step.may_rename {
            patch["metadata"]["name"] = value(&id.name);
        }
        if !step.may_change_kind {
            patch["apiVersion"] = value(&id.api_version);
            patch["kind"] = value(&id.kind);
        }
        patched(&text, &patch.to_string()).unwrap_or(text)
    }

    /// Returns the text of a resource with a patch applied; `None` if it does not change.
    fn patched(&mut self, patch: &Patch<'_>, found: ResourceRef) -> Result<Option<String>, Error> {
        let text = &*self.target.text(found)?;
        let path = self.target.path(found).to_owned();
        let wrong = |side: Side, error: ParseError| match side {
            Side::Updated => patch.unfit(error),
            Side::Local | Side::Original => {
                let place = self.target.place(found, text, error.offset);
                unfit(place, "this document cannot be patched", error)
            }
        };
        let texts = [text, patch.document.file.file.text];
        let failed = |error| patch_error(&path, error, texts, wrong);
        if patch.form == PatchForm::Json {
            return json_patch(text, patch.document.tree).map_err(failed);
        }
        let Ok(Some(target)) = Tree::parse(text) else {
            return Ok(None);
        };
        let kind = kind_of(&target, target.root().value);
        let kind_schema = kind.and_then(|(api_version, kind)| self.schema.kind(api_version, kind));
        let rules = match (patch.form, kind_schema) {
            (PatchForm::Strategic, Some(kind)) if patch.step.is_from_kustomization => {
                Rules::Kustomize(kind.root)
            }
            (PatchForm::Strategic, Some(kind)) => Rules::Strategic(kind.root),
            (PatchForm::Strategic, None) => {
                let (api_version, kind) = kind.unwrap_or_default();
                let kind = format!("{api_version} {kind}");
                let warning = self.missing_schema_warning(patch, found, &kind)?;
                if self.warned_kinds.insert(kind) {
                    self.warnings.push(warning);
                }
                Rules::Merge
            }
            (PatchForm::Merge | PatchForm::Json, _) => Rules::Merge,
        };
        merge_patch(&target, patch.document.tree, rules).map_err(failed)
    }

    /// Returns the warning about a strategic merge patch for a kind without a schema. It is applied
    /// as a JSON merge patch.
    ///
    /// # Errors
    /// If the patch has a directive, which needs a schema.
    fn missing_schema_warning(
        &self,
        patch: &Patch<'_>,
        found: ResourceRef,
        kind: &str,
    ) -> Result<Warning, Error> {
        if let Some((name, offset)) = first_directive(patch.document.tree) {
            let message = format!("`{name}` needs a schema, and none is known for {kind}");
            let help = "write it as a JSON merge patch: null removes a field, and a list is given \
                whole; --crd FILE gives the definition of a custom kind";
            return Err(patch.unfit(ParseError::new(offset, message).with_help(help)));
        }
        Ok(Warning::about(
            self.target.path(found),
            format!(
                "no schema is known for {kind}: it is patched by the rules of a JSON merge patch; \
                 --crd FILE gives its definition"
            ),
        ))
    }

    /// Returns the resources to which a patch applies.
    fn find(&mut self, patch: &Patch<'_>) -> Result<Vec<ResourceRef>, Error> {
        if let Some(target) = &patch.step.target {
            let found = self.target.selected(target, None);
            if found.is_empty() {
                let message = format!("the target has nothing that is {target}");
                self.warnings
                    .push(Warning::about(patch.document.file.path, message));
            }
            return Ok(found);
        }
        let id = match patch.form {
            PatchForm::Json => None,
            _ => ResourceId::of(patch.document.tree),
        };
        let namespace = self.patching.namespace.as_deref();
        let selectors = &self.patching.resources;
        if let (None, false) = (&id, selectors.is_empty()) {
            let mut all: Vec<ResourceRef> = Vec::new();
            for selector in selectors {
                let found = self.target.selected(selector, namespace);
                if selector.names_one || found.is_empty() {
                    self.expect_one(patch, &found, &selector.to_string(), None)?;
                }
                all.extend(found);
            }
            let mut seen = FxHashSet::default();
            all.retain(|found| seen.insert(*found));
            return Ok(all);
        }
        let (found, description) = match &id {
            Some(id) => (self.target.for_patch(id), id.to_string()),
            None if patch.form == PatchForm::Json => {
                (self.target.documents(), "resource".to_owned())
            }
            None => {
                return Err(patch.wrong(
                    "this patch names no resource",
                    "give it kind and metadata.name, or say --resource KIND/NAME",
                ));
            }
        };
        self.expect_one(patch, &found, &description, id.as_ref())?;
        Ok(found)
    }

    /// Checks that exactly one resource was found. `description` names it in errors; `id` is the
    /// identity in the patch.
    fn expect_one(
        &self,
        patch: &Patch<'_>,
        found: &[ResourceRef],
        description: &str,
        id: Option<&ResourceId<'_>>,
    ) -> Result<(), Error> {
        match found {
            [_] => Ok(()),
            [] => Err(patch.wrong(
                format!("the target has no {description}"),
                &self.suggestion(id),
            )),
            [first, second, ..] => Err(patch.wrong(
                format!(
                    "the target has more than one {description}: in {} and {}",
                    self.target.line(*first),
                    self.target.line(*second)
                ),
                if id.is_some() {
                    "give the patch apiVersion and metadata.namespace, \
                     say -n NAMESPACE, or give a smaller target"
                } else {
                    "say which one with --resource KIND/NAMESPACE/NAME, or give a smaller target"
                },
            )),
        }
    }

    /// Returns the help for a resource that was not found: the resources with a similar identity.
    fn suggestion(&self, wanted: Option<&ResourceId<'_>>) -> String {
        let names = self.target.similar_names(wanted);
        if names.is_empty() {
            return "check the name in the patch, and the target".to_owned();
        }
        format!("check the name in the patch: there is {}", names.join(", "))
    }
}
