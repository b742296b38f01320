//! One live object, and what configurations make of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rustc_hash::FxHashMap;

use super::config;
use super::last::{self, LastApplied};
use super::live::LiveItem;
use super::refused::{not_applied, refused, unfaithful};
use super::sides::Sources;
use super::what::{ApplyAction, ApplyTo};
use crate::error::{Error, Place, Warning};
use crate::merge::{Application, Applied, Refused, Side, annotated, apply_document};
use crate::package::items::{put_back, without_items};
use crate::package::pair::DocRef;
use crate::package::parsed::{Parsed, ParsedFile, Trees};
use crate::schema::{Schema, kind_of};
use crate::yaml::Tree;

/// How a warning begins about a kind without a schema.
pub(super) const UNKNOWN: &str = "nothing is known of ";

/// The sides by their numbers.
pub(super) const LAST: usize = 0;
const CONFIG: usize = 1;
const LIVE: usize = 2;

/// What all applications of a run share.
pub(crate) struct Apply<'r> {
    pub(super) what: &'r ApplyTo,
    pub(super) schema: &'r Schema,
    pub(super) sources: &'r Sources<'r>,
    pub(super) last: &'r LastApplied,
    /// The live objects that are items of lists.
    pub(super) items: &'r [LiveItem],
    /// The configuration of each of them, where it has one.
    pub(super) of_items: &'r FxHashMap<usize, DocRef>,
}

/// The files that a configuration and a live object are in.
#[derive(Clone, Copy)]
pub(crate) struct SourceFiles<'f> {
    /// In the package.
    pub(crate) config: &'f Path,
    pub(crate) config_text: &'f str,
    /// In the package.
    pub(crate) live: &'f Path,
    /// The item of a list that the live object is, if it is one.
    pub(crate) item: Option<&'f LiveItem>,
}

/// What became of a live object.
#[derive(Default)]
pub(crate) struct AppliedHere {
    /// None where not a byte of it changes.
    pub(crate) text: Option<String>,
    pub(crate) warnings: Vec<Warning>,
}

impl Apply<'_> {
    /// What a configuration makes of a live object.
    pub(crate) fn applied<'f>(
        &self,
        config: &Parsed<'_>,
        live: &Parsed<'_>,
        files: impl Fn() -> SourceFiles<'f>,
    ) -> Result<AppliedHere, Error> {
        let (Some(config_tree), Some(live_tree)) = (config.kept(), live.kept()) else {
            return Ok(AppliedHere::default());
        };
        let files = files();
        let at = |side, offset| self.place(&files, side, config, live, offset);
        let here = || at(LIVE, live_tree.root().span.start as usize);
        let last = self.last.of(live, |offset| at(LIVE, offset))?;
        let namespace = config::namespace(live_tree);
        let annotation = config::annotation(config_tree, namespace, |offset| at(CONFIG, offset))?;
        if let ApplyAction::SetLastApplied { create } = self.what.action {
            return match last.text.is_none() && !create {
                true => Err(not_applied(here())),
                false => set_last_applied(live, &annotation, files.live),
            };
        }
        let last_tree = last.text.as_deref();
        let last_tree = last_tree.and_then(|text| Tree::parse(text).ok().flatten());
        let named = kind_of(config_tree, config_tree.root().value);
        let application = Application {
            last: last_tree.as_ref(),
            config: Side {
                document: &config.document,
                tree: config_tree,
            },
            live: Side {
                document: &live.document,
                tree: live_tree,
            },
            kind: named.and_then(|(api_version, kind)| self.schema.kind(api_version, kind)),
            annotation: &annotation,
        };
        let applied = applied_in_block_style(&application, files.config);
        let applied = applied.map_err(|it| refused(it, files.live, last.offset, at))?;
        let not_removed = last_tree.is_none().then(|| {
            "what was applied last is not known, so nothing is removed; from now on it is"
                .to_owned()
        });
        let replaced_whole = applied.has_unknown_lists.then(|| {
            let (api_version, kind) = named.unwrap_or_default();
            format!(
                "{UNKNOWN}{api_version} {kind}, so lists were replaced whole; --crd FILE gives its definition"
            )
        });
        let messages = [not_removed, replaced_whole].into_iter().flatten();
        Ok(AppliedHere {
            text: applied.text,
            warnings: messages.map(|it| Warning::at(here(), it)).collect(),
        })
    }

    /// What is created where there is no live object: the configuration, with the annotation.
    pub(crate) fn created<'f>(
        &self,
        config: &Parsed<'_>,
        files: impl Fn() -> SourceFiles<'f>,
    ) -> Result<String, Error> {
        let Some(tree) = config.kept() else {
            return Ok(config.document.text.to_owned());
        };
        let files = files();
        let at = |offset| self.place(&files, CONFIG, config, config, offset);
        if self.what.action != ApplyAction::Apply {
            return Err(Error::unfit(
                at(tree.root().span.start as usize),
                "there is no live object that this is for",
                "nothing has this kind and name",
                "apply it first",
            ));
        }
        let namespace = self.what.namespace.as_deref();
        let namespace = namespace.filter(|_| config::may_have_namespace(tree, self.schema));
        let annotation = config::annotation(tree, namespace, at)?;
        let named = namespace.and_then(|namespace| config::in_namespace(tree, namespace));
        let text = named.as_deref().unwrap_or(config.document.text);
        annotated(text, &annotation).map_err(|it| unfaithful(files.config, it))
    }

    /// What to tell of a live object that no configuration is for, where it goes: it was applied,
    /// and what was applied is no more.
    pub(crate) fn pruned(&self, live: &Parsed<'_>) -> Option<String> {
        let id = &live.resource.as_ref()?.id;
        let tree = live.kept().filter(|_| self.what.prune)?;
        let is_meant = match &self.what.namespace {
            Some(namespace) => id.namespace.is_empty() || id.namespace == *namespace,
            None => true,
        };
        let was_applied = is_meant && last::annotation(tree).is_some();
        was_applied
            .then(|| format!("{id} was applied and is not in --config any more: it is deleted"))
    }

    /// A place in a document, as errors show it.
    fn place(
        &self,
        files: &SourceFiles<'_>,
        side: usize,
        config: &Parsed<'_>,
        live: &Parsed<'_>,
        offset: usize,
    ) -> Place {
        if side == CONFIG {
            let (file, text) = (files.config, files.config_text);
            return self.sources.config(file, text, &config.document, offset);
        }
        if let Some(item) = files.item {
            let path = self.sources.roots.paths(files.live).local;
            return item.item.origin.place(path, &item.item.text, offset);
        }
        self.sources.live(files.live, &live.document, offset)
    }

    /// What configurations make of a live document that is a list of resources; `None` if not a
    /// byte of it changes.
    pub(crate) fn applied_items<'f>(
        &'f self,
        path: &Path,
        list: DocRef,
        text: &str,
        config_of: impl Fn(DocRef) -> Option<(&'f Parsed<'f>, SourceFiles<'f>)>,
    ) -> Result<AppliedHere, Error> {
        let mut here = AppliedHere::default();
        let mut texts = BTreeMap::new();
        let mut gone = BTreeSet::new();
        for number in self.numbers_of(list) {
            let item = &self.items[number];
            let Ok(file) = ParsedFile::parse(path, &item.item.text, Trees::Kept) else {
                continue;
            };
            let Some(live) = file.documents.first() else {
                continue;
            };
            let config = self.of_items.get(&number).and_then(|at| config_of(*at));
            let Some((config, files)) = config else {
                if let Some(message) = self.pruned(live) {
                    gone.insert(item.item.index);
                    here.warnings.push(Warning::about(path, message));
                }
                continue;
            };
            let applied = self.applied(config, live, || SourceFiles {
                item: Some(item),
                ..files
            })?;
            here.warnings.extend(applied.warnings);
            texts.extend(applied.text.map(|new| (item.item.index, new)));
        }
        if !texts.is_empty() {
            here.text = Some(put_back(path, text, &texts)?);
        }
        if !gone.is_empty() {
            let text = here.text.as_deref().unwrap_or(text);
            here.text = Some(without_items(path, text, &gone)?);
        }
        Ok(here)
    }

    /// The numbers of the live objects that are items of a list: they are in the order of their
    /// lists.
    fn numbers_of(&self, list: DocRef) -> std::ops::Range<usize> {
        let first = self.items.partition_point(|item| item.list < list);
        let items = self.items[first..].iter();
        first..first + items.take_while(|item| item.list == list).count()
    }
}

/// Only writes down that a configuration was applied.
fn set_last_applied(
    live: &Parsed<'_>,
    annotation: &str,
    file: &Path,
) -> Result<AppliedHere, Error> {
    let before = live.document.text;
    let text = annotated(before, annotation).map_err(|it| unfaithful(file, it))?;
    Ok(AppliedHere {
        text: (text != before).then_some(text),
        warnings: Vec::new(),
    })
}

/// An application, in which a configuration in JSON comes in block style where the live object is.
fn applied_in_block_style(application: &Application<'_>, path: &Path) -> Result<Applied, Refused> {
    // first as it is written: what is wrong has its place there
    let applied = apply_document(application)?;
    let text = config::as_yaml(application.config.tree, application.live.tree);
    let Some(text) = text.filter(|_| applied.text.is_some()) else {
        return Ok(applied);
    };
    let file = ParsedFile::parse(path, &text, Trees::Kept).ok();
    let config = file.as_ref().and_then(|file| file.documents.first());
    match config.and_then(|config| Some((&config.document, config.kept()?))) {
        Some((document, tree)) => apply_document(&Application {
            config: Side { document, tree },
            ..*application
        }),
        None => Ok(applied),
    }
}
