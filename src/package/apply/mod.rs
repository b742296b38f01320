//! `merge3 apply`: configurations applied to live objects, as `kubectl apply` does it, on files.
//!
//! The configurations are the updated side, the live objects the local one; what was applied last
//! stands in each live object. A document's own rules are in `merge`; here is which document is
//! applied to which.

mod config;
mod last;
mod live;
mod pair;
mod refused;
mod sides;
mod view;
mod what;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Settings;
use super::definitions::schema_of;
use super::documents::Context;
use super::items::{put_back, without_items};
use super::jobs::jobs;
use super::pair::DocRef;
use super::parsed::{Parsed, ParsedFile, Readings, Trees};
use super::plan::Plan;
use super::progress::Progress;
use super::rules::Rules;
use super::run::{all_or_errors, collect, merge_slot};
use super::secrets::hide_all;
use super::sides_read::read_sides;
use crate::error::{Error, Place, Warning};
use crate::merge::{Application, Options, Refused, Side, annotated, apply_document};
use crate::schema::{Schema, kind_of};
use crate::yaml::Tree;

use last::LastApplied;
use live::{LiveItem, live_items};
pub use view::view_last_applied;
pub use what::{ApplyAction, ApplyTo};

use refused::{not_applied, unfaithful, unkeyed};
use sides::{Sources, both_sides, refuse_broken};

/// Applies configurations to live objects, in memory: what `kubectl apply` would leave of each, in
/// the text of the live one.
///
/// A resource that only the configurations have is added; one that only the live side has stays.
/// Nothing is written: see [`Plan::write`].
///
/// # Errors
/// Whatever makes the input unfit; where several files are, all of them are named.
///
/// ```
/// use merge3::package::{ApplyAction, ApplyTo, Progress, Settings, apply_with};
///
/// let folder = tempfile::tempdir()?;
/// let paths = ["config.yaml", "live.yaml"].map(|name| folder.path().join(name));
/// let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
/// std::fs::write(&paths[0], format!("{head}data: {{a: x}}\n"))?;
/// std::fs::write(&paths[1], format!("{head}data: {{a: y, b: z}}\n"))?;
///
/// let [config, live] = paths.clone();
/// let what = ApplyTo {
///     config,
///     live,
///     last_applied: None,
///     namespace: None,
///     prune: false,
///     action: ApplyAction::Apply,
/// };
/// apply_with(&what, &Settings::default(), &Progress::default())?.write(false)?;
/// assert!(std::fs::read_to_string(&paths[1])?.ends_with("data: {a: x, b: z}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply_with(what: &ApplyTo, settings: &Settings, progress: &Progress) -> Result<Plan, Error> {
    let (mut loaded, origins) = both_sides(what, settings)?;
    let source = settings.schema.clone().unwrap_or_default();
    let schema = schema_of(&source, &mut loaded)?;
    let slots = std::mem::take(&mut loaded.slots);
    let readings: Vec<Readings<'_>> = slots
        .par_iter()
        .map(|slot| read_sides(slot, &loaded.roots, Trees::Kept))
        .collect();
    refuse_broken(&readings)?;
    let sources = Sources {
        roots: &loaded.roots,
        origins,
    };
    config::check(&what.config, &slots, &readings, &sources)?;
    let items = live_items(&slots, &readings);
    let namespace = what.namespace.as_deref();
    let paired = pair::pair(&slots, &readings, &sources, &items, namespace)?;
    let last = match &what.last_applied {
        Some(path) => LastApplied::read(path, settings)?,
        None => LastApplied::default(),
    };
    let apply = Apply {
        what,
        schema: &schema,
        sources: &sources,
        last: &last,
        items: &items,
        of_items: &paired.of_items,
    };
    let files: Vec<Option<Readings<'_>>> = readings.into_iter().map(Some).collect();
    let jobs = jobs(&slots, &files, &paired.groups);
    let (options, rules) = (Options::default(), Rules::default());
    let context = Context {
        slots: &slots,
        files: &files,
        options: &options,
        rules: &rules,
        apply: Some(&apply),
        lines: None,
    };
    progress.expect(slots.len());
    let outcomes = (0..slots.len())
        .into_par_iter()
        .map(|target| {
            let outcome = merge_slot(&context, target, &jobs[target], None);
            progress.step();
            outcome
        })
        .collect();
    let mut outcomes = all_or_errors(outcomes)?;
    if !settings.show_secrets {
        hide_all(&mut outcomes, &slots, &jobs);
    }
    let mut plan = collect(slots, &jobs, outcomes, loaded, settings.show_secrets)?;
    // a kind is told of once, whatever number of objects is of it
    let mut seen = FxHashSet::default();
    plan.warnings.retain(|warning| {
        !warning.message.starts_with(UNKNOWN) || seen.insert(warning.message.clone())
    });
    Ok(plan)
}

/// How a warning begins about a kind without a schema.
const UNKNOWN: &str = "nothing is known of ";

/// What all applications of a run share.
pub(crate) struct Apply<'r> {
    what: &'r ApplyTo,
    schema: &'r Schema,
    sources: &'r Sources<'r>,
    last: &'r LastApplied,
    /// The live objects that are items of lists.
    items: &'r [LiveItem],
    /// The configuration of each of them, where it has one.
    of_items: &'r FxHashMap<usize, DocRef>,
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
            return Ok(AppliedHere {
                text: None,
                warnings: Vec::new(),
            });
        };
        let files = files();
        let at = |side, offset| self.place(&files, side, config, live, offset);
        let last = self.last.of(live, |offset| at(LIVE, offset))?;
        let last_tree = last
            .text
            .as_deref()
            .and_then(|text| Tree::parse(text).ok().flatten());
        let namespace = config::namespace(live_tree);
        let annotation = config::annotation(config_tree, namespace, |offset| at(CONFIG, offset))?;
        if let ApplyAction::SetLastApplied { create } = self.what.action {
            if last.text.is_none() && !create {
                return Err(not_applied(at(LIVE, live_tree.root().span.start as usize)));
            }
            let before = live.document.text;
            let text = annotated(before, &annotation).map_err(|it| unfaithful(files.live, it))?;
            return Ok(AppliedHere {
                text: (text != before).then_some(text),
                warnings: Vec::new(),
            });
        }
        let kind = kind_of(config_tree, config_tree.root().value)
            .and_then(|(api_version, kind)| self.schema.kind(api_version, kind));
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
            kind,
            annotation: &annotation,
        };
        let applied = apply_document(&application).and_then(|applied| {
            // first as it is written: what is wrong has its place there
            let text = config::as_yaml(config_tree, live_tree).filter(|_| applied.text.is_some());
            let file = text
                .as_deref()
                .map(|text| ParsedFile::parse(files.config, text, Trees::Kept));
            let config = file
                .as_ref()
                .and_then(|file| file.as_ref().ok()?.documents.first());
            match config.and_then(|config| Some((config, config.kept()?))) {
                Some((config, tree)) => apply_document(&Application {
                    config: Side {
                        document: &config.document,
                        tree,
                    },
                    ..application
                }),
                None => Ok(applied),
            }
        });
        let applied = applied.map_err(|refused| match refused {
            Refused::Unfaithful(it) => unfaithful(files.live, it),
            Refused::Unkeyed {
                side,
                offset,
                keys,
                is_twice,
            } => {
                let offset = if side == LAST { last.offset } else { offset };
                unkeyed(at(side, offset), &keys, is_twice, side)
            }
        })?;
        let mut warnings = Vec::new();
        let mut warn = |message: &str| {
            let place = at(LIVE, live_tree.root().span.start as usize);
            warnings.push(Warning {
                path: files.live.to_owned(),
                place: Some(place),
                message: message.to_owned(),
            });
        };
        if last_tree.is_none() {
            warn("what was applied last is not known, so nothing is removed; from now on it is");
        }
        if applied.has_unknown_lists {
            let (api_version, kind) =
                kind_of(config_tree, config_tree.root().value).unwrap_or_default();
            warn(&format!(
                "{UNKNOWN}{api_version} {kind}, so lists were replaced whole; --crd FILE gives its definition"
            ));
        }
        Ok(AppliedHere {
            text: applied.text,
            warnings,
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
            return Err(Error::Unfit {
                place: Box::new(at(tree.root().span.start as usize)),
                problem: "there is no live object that this is for".to_owned(),
                message: "nothing has this kind and name".to_owned(),
                help: "apply it first".to_owned(),
            });
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
        let id = live.resource.as_ref()?.id.to_id();
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

    /// What configurations make of a live document that is a list of resources; none where not a
    /// byte of it changes.
    pub(crate) fn applied_items<'f>(
        &'f self,
        path: &Path,
        list: DocRef,
        text: &str,
        config_of: impl Fn(DocRef) -> Option<(&'f Parsed<'f>, SourceFiles<'f>)>,
    ) -> Result<AppliedHere, Error> {
        let mut here = AppliedHere {
            text: None,
            warnings: Vec::new(),
        };
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

    /// The numbers of the live objects that are items of a list: they stand in the order of their
    /// lists.
    fn numbers_of(&self, list: DocRef) -> std::ops::Range<usize> {
        let first = self.items.partition_point(|item| item.list < list);
        let items = self.items[first..].iter();
        first..first + items.take_while(|item| item.list == list).count()
    }
}

/// The sides by their numbers.
const LAST: usize = 0;
const CONFIG: usize = 1;
const LIVE: usize = 2;
