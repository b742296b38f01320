//! What a configuration makes of one live object.

use rustc_hash::FxHashMap;
use serde_json::json;

use super::config;
use super::last::{self, LastApplied};
use super::sides::{Live, Sides};
use super::{ApplyAction, ApplyTo};
use crate::error::{Error, Place, Warning};
use crate::package::items::ChangedItems;
use crate::package::pair::DocRef;
use crate::package::parsed::{Parsed, ParsedFile, Trees};
use crate::package::patching::readable::unfit;
use crate::package::secrets::patch_error;
use crate::patch::{Application, LAST_APPLIED, annotated, apply_document, with_values};
use crate::schema::{Schema, kind_of};
use crate::triple::Side;
use crate::yaml::Tree;

/// How a warning begins about a kind without a schema.
pub(super) const UNKNOWN: &str = "nothing is known of ";
const UNTOLD: &str = "a list element cannot be told from the others";
const NOT_REMOVED: &str =
    "what was applied last is not known, so nothing is removed; from now on it is";

/// What all applications of a run share.
pub(crate) struct Apply<'r, 'a> {
    pub(super) what: &'r ApplyTo,
    pub(super) schema: &'r Schema,
    pub(super) sides: &'r Sides<'r, 'a>,
    pub(super) last: &'r LastApplied,
    /// The configuration of each live object that is an item of a list, where it has one.
    pub(super) of_items: &'r FxHashMap<usize, DocRef>,
}

/// What became of a live object.
#[derive(Default)]
pub(crate) struct AppliedHere {
    /// None where not a byte of it changes.
    pub(crate) text: Option<String>,
    pub(crate) warnings: Vec<Warning>,
}

impl Apply<'_, '_> {
    /// What a configuration makes of a live document.
    pub(crate) fn applied(&self, config: DocRef, live: DocRef) -> Result<AppliedHere, Error> {
        match self.sides.document(Side::Local, live) {
            Some(parsed) => self.applied_to(config, Live::Document(live), parsed),
            None => Ok(AppliedHere::default()),
        }
    }

    fn applied_to(
        &self,
        config_at: DocRef,
        live_at: Live,
        parsed: &Parsed<'_>,
    ) -> Result<AppliedHere, Error> {
        let config = self.sides.document(Side::Updated, config_at);
        let (Some(config), Some(live)) = (config.and_then(Parsed::kept), parsed.kept()) else {
            return Ok(AppliedHere::default());
        };
        let in_config = |offset| self.sides.place_in_config(config_at, offset);
        let in_live = |offset| self.sides.place_in_live(live_at, offset);
        let here = || in_live(live.root().span.start as usize);
        let last = self.last.of(parsed, in_live)?;
        let metadata = live.at(&["metadata"]);
        let namespace = metadata.and_then(|metadata| live.field_text(metadata, "namespace"));
        let annotation = config::annotation(config, namespace, in_config)?;
        let failed = |error| {
            let (file, texts) = (self.sides.path(live_at), [config.text(), live.text()]);
            patch_error(file, error, texts, |side, error| {
                let place = match side {
                    Side::Original => in_live(last.offset),
                    Side::Updated => in_config(error.offset),
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
            return Ok(AppliedHere {
                text: (text != live.text()).then_some(text),
                warnings: Vec::new(),
            });
        }
        let last_tree = last.text.as_deref();
        let last_tree = last_tree.and_then(|text| Tree::parse(text).ok().flatten());
        let named = kind_of(config, config.root().value);
        let applied = apply_document(&Application {
            last: last_tree.as_ref(),
            config,
            live,
            kind: named.and_then(|(api_version, kind)| self.schema.kind(api_version, kind)),
            annotation: &annotation,
        })
        .map_err(failed)?;
        let not_removed = last_tree.is_none().then(|| NOT_REMOVED.to_owned());
        let replaced_whole = || lists_replaced_whole(named.unwrap_or_default());
        let replaced_whole = applied.has_unknown_lists.then(replaced_whole);
        let messages = [not_removed, replaced_whole].into_iter().flatten();
        Ok(AppliedHere {
            text: applied.text,
            warnings: messages.map(|it| Warning::at(here(), it)).collect(),
        })
    }

    /// What is created where there is no live object: the configuration, with the annotation.
    pub(crate) fn created(&self, at: DocRef) -> Result<String, Error> {
        let config = self.sides.document(Side::Updated, at);
        let Some((config, tree)) = config.and_then(|it| Some((it, it.kept()?))) else {
            return Ok(String::new());
        };
        let place = |offset| self.sides.place_in_config(at, offset);
        if self.what.action != ApplyAction::Apply {
            return Err(Error::unfit(
                place(tree.root().span.start as usize),
                "there is no live object that this is for",
                "nothing has this kind and name",
                "apply it first",
            ));
        }
        let namespace = self.what.namespace.as_deref();
        let namespace = namespace.filter(|_| config::may_have_namespace(tree, self.schema));
        let annotation = config::annotation(tree, namespace, place)?;
        let named = namespace.and_then(|namespace| {
            with_values(tree, &json!({"metadata": {"namespace": namespace}}))
        });
        let text = named.as_deref().unwrap_or(config.document.text);
        let file = &self.sides.triples[at.triple].path;
        annotated(text, &annotation).map_err(|error| {
            patch_error(file, error, [text], |_, error| {
                unfit(place(error.offset), UNTOLD, error)
            })
        })
    }

    /// What to tell of a live object that no configuration is for, where it goes: it was applied,
    /// and what was applied is no more.
    pub(crate) fn pruned(&self, live: &Parsed<'_>) -> Option<String> {
        let id = &live.resource.as_ref()?.id;
        let tree = live.kept().filter(|_| self.what.prune)?;
        let is_meant = id.may_be_in(self.what.namespace.as_deref());
        let was_applied = is_meant && last::annotation(tree).is_some();
        was_applied
            .then(|| format!("{id} was applied and is not in --config any more: it is deleted"))
    }

    /// What configurations make of a live document that is a list of resources; `None` if not a
    /// byte of it changes.
    pub(crate) fn applied_items(&self, list: DocRef) -> Result<AppliedHere, Error> {
        let path = self.sides.path(Live::Document(list));
        let mut here = AppliedHere::default();
        let mut changed = ChangedItems::default();
        for number in self.numbers_of(list) {
            let item = &self.sides.items[number].item;
            let file = ParsedFile::parse(path, &item.text, Trees::Kept).ok();
            let Some(live) = file.as_ref().and_then(|file| file.documents.first()) else {
                continue;
            };
            if let Some(config) = self.of_items.get(&number) {
                let applied = self.applied_to(*config, Live::Item(number), live)?;
                here.warnings.extend(applied.warnings);
                let text = applied.text.map(|new| (item.index, new));
                changed.texts.extend(text);
            } else if let Some(message) = self.pruned(live) {
                changed.gone.insert(item.index);
                here.warnings.push(Warning::about(path, message));
            }
        }
        if let Some(parsed) = self
            .sides
            .document(Side::Local, list)
            .filter(|_| !changed.is_empty())
        {
            here.text = Some(changed.put_into(path, parsed.document.text)?.into_owned());
        }
        Ok(here)
    }

    /// The numbers of the live objects that are items of a list: they are in the order of their
    /// lists.
    fn numbers_of(&self, list: DocRef) -> std::ops::Range<usize> {
        let first = self.sides.items.partition_point(|item| item.list < list);
        let items = self.sides.items[first..].iter();
        first..first + items.take_while(|item| item.list == list).count()
    }
}

fn lists_replaced_whole((api_version, kind): (&str, &str)) -> String {
    format!(
        "{UNKNOWN}{api_version} {kind}, so lists were replaced whole; --crd FILE gives its definition"
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
