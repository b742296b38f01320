//! What a configuration makes of one live object.

use rustc_hash::FxHashSet;
use serde_json::json;

use super::config;
use super::last::{self, LastApplied};
use super::{ApplyAction, ApplyTo};
use crate::error::{Error, Place, Warning};
use crate::package::readable::{InFile, unfit};
use crate::package::secrets::patch_error;
use crate::package::target::{ResourceRef, Target};
use crate::patch::{Application, LAST_APPLIED, annotated, apply_document, with_values};
use crate::schema::{Schema, kind_of};
use crate::triple::Side;
use crate::yaml::Tree;

const UNTOLD: &str = "a list element cannot be told from the others";
const NOT_REMOVED: &str =
    "what was applied last is not known, so nothing is removed; from now on it is";

/// What all applications of a run share.
pub(super) struct Apply<'r, 'a> {
    pub(super) what: &'r ApplyTo,
    pub(super) schema: &'r Schema,
    pub(super) target: &'r Target<'a>,
    pub(super) last: &'r LastApplied,
}

/// What a configuration makes of a live object, or creates.
#[derive(Default)]
pub(super) struct Applied {
    /// None where it is created.
    pub(super) live: Option<ResourceRef>,
    /// None where not a byte changes.
    pub(super) text: Option<String>,
    pub(super) warnings: Vec<Warning>,
    /// What to tell once for each kind of which nothing is known.
    pub(super) unknown_kind: Option<Warning>,
}

impl Apply<'_, '_> {
    /// What a configuration makes of its live object, that of its group, kind and name; what is
    /// created where there is none.
    ///
    /// # Errors
    /// Where there is more than one, or it cannot be applied.
    pub(super) fn applied(&self, config: &InFile<'_, '_>) -> Result<Applied, Error> {
        let Some(resource) = &config.parsed.resource else {
            return Ok(Applied::default());
        };
        let namespace = self.what.namespace.as_deref();
        match *self.target.of_group(&resource.id, namespace) {
            [] => self.created(config),
            [live] => Ok(Applied {
                live: Some(live),
                ..self.applied_to(config, live)?
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

    fn applied_to(&self, config: &InFile<'_, '_>, live_at: ResourceRef) -> Result<Applied, Error> {
        let found = self.target.tree(live_at).zip(self.target.id(live_at));
        let Some((live, id)) = &found else {
            return Ok(Applied::default());
        };
        let in_live = |offset| self.target.place(live_at, live.text(), offset);
        let here = || self.start(live_at);
        let last = self.last.of(live, id, in_live)?;
        let namespace = (!id.namespace.is_empty()).then_some(&*id.namespace);
        let annotation = config::annotation(config, namespace)?;
        let failed = |error| {
            let texts = [config.tree.text(), live.text()];
            patch_error(self.target.path(live_at), error, texts, |side, error| {
                let place = match side {
                    Side::Original => in_live(last.offset),
                    Side::Updated => config.place(error.offset),
                    Side::Local => in_live(error.offset),
                };
                unfit(place, UNTOLD, error)
            })
        };
        if let ApplyAction::SetLastApplied { create } = self.what.action {
            if last.text.is_none() && !create {
                return Err(not_applied(here()));
            }
            let text = annotated(live.text(), &annotation).map_err(failed)?;
            return Ok(Applied {
                text: (text != live.text()).then_some(text),
                ..Applied::default()
            });
        }
        let last_tree = last.text.as_deref();
        let last_tree = last_tree.and_then(|text| Tree::parse(text).ok().flatten());
        let named = kind_of(config.tree, config.tree.root().value);
        let applied = apply_document(&Application {
            last: last_tree.as_ref(),
            config: config.tree,
            live,
            kind: named.and_then(|(api_version, kind)| self.schema.kind(api_version, kind)),
            annotation: &annotation,
        })
        .map_err(failed)?;
        let not_removed = || Warning::at(here(), NOT_REMOVED);
        let unknown_kind = || Warning::at(here(), lists_replaced_whole(named.unwrap_or_default()));
        Ok(Applied {
            text: applied.text,
            warnings: last_tree.is_none().then(not_removed).into_iter().collect(),
            unknown_kind: applied.has_unknown_lists.then(unknown_kind),
            ..Applied::default()
        })
    }

    /// What is created where there is no live object: the configuration, with the annotation.
    fn created(&self, config: &InFile<'_, '_>) -> Result<Applied, Error> {
        if self.what.action != ApplyAction::Apply {
            return Err(Error::unfit(
                config.start(),
                "there is no live object that this is for",
                "nothing has this kind and name",
                "apply it first",
            ));
        }
        let tree = config.tree;
        let namespace = self.what.namespace.as_deref();
        let namespace = namespace.filter(|_| config::may_have_namespace(tree, self.schema));
        let annotation = config::annotation(config, namespace)?;
        let named = namespace.and_then(|namespace| {
            with_values(tree, &json!({"metadata": {"namespace": namespace}}))
        });
        let text = named.as_deref().unwrap_or(tree.text());
        let created = annotated(text, &annotation).map_err(|error| {
            patch_error(&config.file.path, error, [text], |_, error| {
                config.unfit(UNTOLD, error)
            })
        })?;
        Ok(Applied {
            text: Some(created),
            ..Applied::default()
        })
    }

    /// The live objects that go, with what to tell of each: no configuration is for them, and they
    /// were applied.
    pub(super) fn pruned(&self, named: &FxHashSet<ResourceRef>) -> Vec<(ResourceRef, Warning)> {
        if !self.what.prune {
            return Vec::new();
        }
        let pruned = self.target.resources().filter_map(|found| {
            let id = self.target.id(found).filter(|_| !named.contains(&found))?;
            let is_meant = id.may_be_in(self.what.namespace.as_deref());
            last::annotation(&*self.target.tree(found).filter(|_| is_meant)?)?;
            let message =
                format!("{id} was applied and is not in --config any more: it is deleted");
            Some((found, Warning::about(self.target.path(found), message)))
        });
        pruned.collect()
    }

    /// Where the content of a live object begins.
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

fn not_applied(place: Place) -> Error {
    Error::unfit(
        place,
        "what was applied to this is not known",
        format!("it has no annotation {LAST_APPLIED}"),
        "write it down all the same with --create-annotation",
    )
}
