//! Applies one configuration to its live object.

use rustc_hash::FxHashSet;
use serde_json::json;

use super::configuration::{LastApplied, annotation, annotation_of, may_have_namespace};
use super::{ApplyAction, ApplyTo};
use crate::error::{Error, Place, Warning};
use crate::package::read::{DocumentInFile, unfit};
use crate::package::secrets::patch_error;
use crate::package::target::{ResourceRef, Target};
use crate::patch::{Application, LAST_APPLIED, annotated, apply_document, patched};
use crate::schema::{Schema, kind_of};
use crate::triple::Side;
use crate::yaml::Tree;

const AMBIGUOUS_ELEMENT: &str = "a list element is not unique";
pub(super) const NOT_REMOVED: &str =
    "what was applied last is not known, so nothing is removed; from now on it is";

/// The input that all applications of a run share.
pub(super) struct ApplyRun<'r, 'a> {
    pub(super) request: &'r ApplyTo,
    pub(super) schema: &'r Schema,
    pub(super) target: &'r Target<'a>,
    pub(super) last: &'r LastApplied,
}

/// The result of applying one configuration.
#[derive(Default)]
pub(super) struct AppliedConfig {
    /// The live object; `None` if it is created.
    pub(super) live: Option<ResourceRef>,
    /// The new text of the object; `None` if it does not change.
    pub(super) text: Option<String>,
    /// The warnings that nothing is removed, because what was applied last is not known, and that
    /// the schema does not know the kind.
    pub(super) warnings: Vec<Warning>,
}

impl ApplyRun<'_, '_> {
    /// Applies a configuration to the live object of its group, kind and name, or creates the
    /// object if there is none.
    ///
    /// # Errors
    /// If there are several such objects, or the configuration cannot be applied.
    pub(super) fn apply(&self, config: &DocumentInFile<'_, '_>) -> Result<AppliedConfig, Error> {
        let Some(resource) = &config.parsed.resource else {
            return Ok(AppliedConfig::default());
        };
        match *self.target.of_group(&resource.id) {
            [] => self.create(config),
            [live] => Ok(AppliedConfig {
                live: Some(live),
                ..self.apply_to(config, live)?
            }),
            [first, second, ..] => Err(Error::unfit(
                self.start(second),
                format!("{} is more than one live object", resource.id),
                format!("another one is {}", self.target.line(first)),
                "give the configuration a `metadata.namespace`, say -n NAMESPACE, \
                 or remove one of the two",
            )),
        }
    }

    /// Applies a configuration to a live object, or only sets its annotation.
    fn apply_to(
        &self,
        config: &DocumentInFile<'_, '_>,
        live_at: ResourceRef,
    ) -> Result<AppliedConfig, Error> {
        let found = self.target.tree(live_at).zip(self.target.id(live_at));
        let Some((live, id)) = &found else {
            return Ok(AppliedConfig::default());
        };
        let in_live = |offset| self.target.place(live_at, live.text(), offset);
        let live_start = || self.start(live_at);
        let last = self.last.of(live, id, in_live)?;
        let namespace = (!id.namespace.is_empty()).then_some(&*id.namespace);
        let annotation = annotation(config, namespace)?;
        let failed = |error| {
            let texts = [config.tree.text(), live.text()];
            patch_error(self.target.path(live_at), error, texts, |side, error| {
                let place = match side {
                    Side::Original => in_live(last.as_ref().map_or(0, |last| last.1)),
                    Side::Updated => config.place(error.offset),
                    Side::Local => in_live(error.offset),
                };
                unfit(place, AMBIGUOUS_ELEMENT, error)
            })
        };
        if let ApplyAction::SetLastApplied { create } = self.request.action {
            if last.is_none() && !create {
                return Err(no_last_applied(live_start()));
            }
            let text = annotated(live.text(), &annotation).map_err(failed)?;
            return Ok(AppliedConfig {
                text: (text != live.text()).then_some(text),
                ..AppliedConfig::default()
            });
        }
        let last_tree = last.as_ref();
        let last_tree = last_tree.and_then(|(text, _)| Tree::parse(text).ok().flatten());
        let named = kind_of(config.tree, config.tree.root().value);
        let applied = apply_document(&Application {
            last: last_tree.as_ref(),
            config: config.tree,
            live,
            kind: named.and_then(|(api_version, kind)| self.schema.kind(api_version, kind)),
            annotation: &annotation,
        })
        .map_err(failed)?;
        let mut warnings = Vec::new();
        if last_tree.is_none() {
            warnings.push(Warning::at(live_start(), NOT_REMOVED));
        }
        if applied.has_unknown_lists {
            let message = lists_replaced_whole(named.unwrap_or_default());
            warnings.push(Warning::at(live_start(), message));
        }
        Ok(AppliedConfig {
            text: applied.text,
            warnings,
            ..AppliedConfig::default()
        })
    }

    /// Creates a live object: the configuration, with the annotation.
    fn create(&self, config: &DocumentInFile<'_, '_>) -> Result<AppliedConfig, Error> {
        if self.request.action != ApplyAction::Apply {
            return Err(Error::unfit(
                config.start(),
                "no live object matches this configuration",
                "nothing has this kind and name",
                "apply it first",
            ));
        }
        let tree = config.tree;
        let namespace = self.request.paths.namespace.as_deref();
        let namespace = namespace.filter(|_| may_have_namespace(tree, self.schema));
        let annotation = annotation(config, namespace)?;
        let named = namespace.and_then(|namespace| {
            let values = json!({"metadata": {"namespace": namespace}});
            patched(tree.text(), &values.to_string()).ok()
        });
        let text = named.as_deref().unwrap_or(tree.text());
        let created = annotated(text, &annotation).map_err(|error| {
            patch_error(config.file.path, error, [text], |_, error| {
                config.unfit(AMBIGUOUS_ELEMENT, error)
            })
        })?;
        Ok(AppliedConfig {
            text: Some(created),
            ..AppliedConfig::default()
        })
    }

    /// Returns the live objects to delete, each with a warning: they were applied and are not in
    /// `configured`, the objects that have a configuration.
    pub(super) fn pruned(
        &self,
        configured: &FxHashSet<ResourceRef>,
    ) -> Vec<(ResourceRef, Warning)> {
        if !self.request.prune {
            return Vec::new();
        }
        let pruned = self.target.resources().filter_map(|found| {
            let id = self
                .target
                .id(found)
                .filter(|_| !configured.contains(&found))?;
            let is_selected = id.may_be_in(self.request.paths.namespace.as_deref());
            annotation_of(&*self.target.tree(found).filter(|_| is_selected)?)?;
            let message =
                format!("{id} was applied and is not in --config any more: it is deleted");
            Some((found, Warning::about(self.target.path(found), message)))
        });
        pruned.collect()
    }

    /// Returns the place where the content of a live object begins.
    fn start(&self, live: ResourceRef) -> Place {
        let tree = self.target.tree(live);
        let (text, start) = tree
            .as_deref()
            .map_or(("", 0), |it| (it.text(), it.root().span.start));
        self.target.place(live, text, start as usize)
    }
}

fn lists_replaced_whole((api_version, kind): (&str, &str)) -> String {
    format!(
        "nothing is known of {api_version} {kind}, so lists were replaced whole; \
         --crd FILE gives its definition"
    )
}

/// Returns the error for a live object without the annotation.
fn no_last_applied(place: Place) -> Error {
    Error::unfit(
        place,
        "what was applied to this is not known",
        format!("it has no annotation {LAST_APPLIED}"),
        "write it down all the same with --create-annotation",
    )
}
