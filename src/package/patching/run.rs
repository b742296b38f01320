//! Each document of a patch, applied to what it is for.

use std::path::Path;

use super::readable::{Readable, unfit};
use super::target::{Found, Target};
use super::{PatchForm, Patching};
use crate::error::{Error, Place, Warning};
use crate::package::resource::ResourceId;
use crate::package::secrets;
use crate::patch::{PatchError, Rules, first_directive, json_patch, merge_patch};
use crate::schema::{Schema, kind_of};
use crate::yaml::{NodeKind, ParseError, Tree};

/// Patches on their way through a target.
pub(super) struct Run<'a> {
    pub(super) patching: &'a Patching,
    pub(super) schema: Schema,
    pub(super) target: Target<'a>,
    pub(super) warnings: Vec<Warning>,
}

/// A patch of a file.
struct Patch<'a> {
    path: &'a Path,
    text: &'a str,
    start: usize,
    tree: &'a Tree<'a>,
}

impl Patch<'_> {
    fn unfit(&self, error: ParseError) -> Error {
        unfit(
            Place::new(self.path, self.text, self.start + error.offset),
            "this patch cannot be applied",
            error,
        )
    }

    fn wrong(&self, offset: usize, message: String, help: &str) -> Error {
        self.unfit(ParseError {
            offset,
            message,
            help: Some(help.to_owned()),
        })
    }

    /// Where it says what it is for.
    fn offset(&self) -> usize {
        let root = self.tree.root().value;
        let named = ["kind", "metadata"]
            .iter()
            .find_map(|name| self.tree.find(root, name));
        let span = named.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        span.start as usize
    }
}

impl Run<'_> {
    /// Applies each document of a file.
    pub(super) fn apply(&mut self, read: &Readable<'_>) -> Result<(), Error> {
        if !read.file.has_documents() {
            let nothing = Warning::about(&read.path, "there is no patch in it");
            self.warnings.push(nothing);
        }
        for parsed in &read.file.documents {
            let Some(tree) = parsed.kept() else { continue };
            self.apply_document(&Patch {
                path: &read.path,
                text: read.file.text,
                start: parsed.document.start,
                tree,
            })?;
        }
        Ok(())
    }

    fn apply_document(&mut self, patch: &Patch<'_>) -> Result<(), Error> {
        let is_list = matches!(
            patch.tree.node(patch.tree.root().value).kind,
            NodeKind::Sequence(_)
        );
        if is_list && self.patching.form != PatchForm::Json {
            return Err(patch.wrong(
                patch.offset(),
                "a list is no merge patch".to_owned(),
                "for a JSON patch give --type json",
            ));
        }
        let found = self.find(patch)?;
        let text = self.target.text(found)?;
        if let Some(patched) = self.patched(&text, patch, found)? {
            self.target.set(found, patched);
        }
        Ok(())
    }

    fn patched(
        &mut self,
        text: &str,
        patch: &Patch<'_>,
        found: Found,
    ) -> Result<Option<String>, Error> {
        let path = self.target.path(found).to_owned();
        let failed = |error: PatchError| match error {
            PatchError::Patch(error) => patch.unfit(error),
            PatchError::Target(error) => unfit(
                self.target.place(found, text, error.offset),
                "this document cannot be patched",
                error,
            ),
            PatchError::Unfaithful(error) => {
                secrets::unfaithful(path.clone(), error, [text, patch.text])
            }
        };
        if self.patching.form == PatchForm::Json {
            return json_patch(text, patch.tree).map_err(failed);
        }
        let Ok(Some(target)) = Tree::parse(text) else {
            return Ok(None);
        };
        let rules = match self.patching.form {
            PatchForm::Strategic => {
                let place = kind_of(&target, target.root().value)
                    .and_then(|(api_version, kind)| self.schema.kind(api_version, kind));
                match place {
                    Some(kind) => Rules::Strategic(kind.place),
                    None => {
                        let warning = self.without_schema(patch, found)?;
                        self.warnings.push(warning);
                        Rules::Merge
                    }
                }
            }
            PatchForm::Merge | PatchForm::Json => Rules::Merge,
        };
        merge_patch(&target, patch.tree, rules).map_err(failed)
    }

    /// What to know where a strategic merge patch is for a kind without a schema: it is a JSON
    /// merge patch then, in which nothing is a directive.
    fn without_schema(&self, patch: &Patch<'_>, found: Found) -> Result<Warning, Error> {
        let id = self.target.id(found);
        let resource = id.map_or_else(|| "this document".to_owned(), |id| id.to_string());
        if let Some((name, offset)) = first_directive(patch.tree) {
            return Err(patch.wrong(
                offset,
                format!("`{name}` needs a schema, and none is known for {resource}"),
                "write it as a JSON merge patch: null removes a field, and a list is given whole",
            ));
        }
        Ok(Warning::about(
            self.target.path(found),
            format!(
                "no schema is known for {resource}: patched by the rules of a JSON merge patch"
            ),
        ))
    }

    /// What a patch is for.
    fn find(&self, patch: &Patch<'_>) -> Result<Found, Error> {
        let id = match self.patching.form {
            PatchForm::Json => None,
            _ => ResourceId::of(patch.tree),
        };
        let (found, called) = match (&id, &self.patching.resource) {
            (Some(id), _) => (self.target.named(id), id.to_string()),
            (None, Some(name)) => (self.target.called(name), name.to_string()),
            (None, None) if self.patching.form == PatchForm::Json => {
                (self.target.documents(), "resource".to_owned())
            }
            (None, None) => {
                return Err(patch.wrong(
                    patch.offset(),
                    "this patch names no resource".to_owned(),
                    "give it kind and metadata.name, or say --resource KIND/NAME",
                ));
            }
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(patch.wrong(
                patch.offset(),
                format!("the target has no {called}"),
                &self.what_there_is(id.as_ref()),
            )),
            [first, second, ..] => Err(patch.wrong(
                patch.offset(),
                format!(
                    "the target has more than one {called}: in {} and {}",
                    self.target.line(*first),
                    self.target.line(*second)
                ),
                if id.is_some() {
                    "give the patch apiVersion and metadata.namespace, or give a smaller target"
                } else {
                    "say which one with --resource KIND/NAME, or give a smaller target"
                },
            )),
        }
    }

    /// What to say where a resource is not there: what is like it.
    fn what_there_is(&self, wanted: Option<&ResourceId>) -> String {
        let names = self.target.like(wanted);
        if names.is_empty() {
            return "check the name in the patch, and the target".to_owned();
        }
        format!("check the name in the patch: there is {}", names.join(", "))
    }
}
