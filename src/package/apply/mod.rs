//! `merge3 apply`: configurations applied to live objects, as `kubectl apply` does it, on files.
//!
//! The configurations are the updated side, the live objects the local one; what was applied last
//! is in each live object. A document's own rules are in `merge`; here is which document is
//! applied to which.

mod config;
mod last;
mod object;
mod pair;
mod sides;
mod view;

use std::path::PathBuf;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Settings;
use super::definitions::schema_of;
use super::documents::Context;
use super::jobs::jobs;
use super::parsed::Trees;
use super::plan::Plan;
use super::progress::Progress;
use super::read::{ReadFile, read_sides};
use super::rules::Rules;
use super::run::{collect, merge_all};
use super::secrets::hide_all;
use crate::error::Error;
use crate::merge::Options;

use last::LastApplied;
pub(crate) use object::Apply;
use object::UNKNOWN;
use sides::{Sides, both_sides, live_items, refuse_broken};
pub use view::view_last_applied;

/// What is applied to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyTo {
    /// The configurations: a file or a folder.
    pub config: PathBuf,
    /// The live objects: a file or a folder.
    pub live: PathBuf,
    /// What was applied last, where that is not read from the live objects: a file or a folder.
    pub last_applied: Option<PathBuf>,
    /// The namespace of the objects that configurations are for which name none.
    pub namespace: Option<String>,
    /// Whether objects go that were applied and that no configuration is for any more.
    pub prune: bool,
    /// What is done.
    pub action: ApplyAction,
}

/// What is done with configurations and live objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyAction {
    /// The first are applied.
    Apply,
    /// It is only written down that they were applied.
    SetLastApplied {
        /// Also where nothing was written down before.
        create: bool,
    },
}

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
    let schema = schema_of(settings.schema.as_ref(), &mut loaded)?;
    let triples = std::mem::take(&mut loaded.triples);
    let readings = triples.par_iter();
    let readings = readings.map(|triple| read_sides(triple, &loaded.roots, Trees::Kept));
    let readings: Vec<_> = readings.collect();
    refuse_broken(&readings)?;
    let files: Vec<_> = readings.into_iter().map(ReadFile::of_yaml).collect();
    let sides = Sides {
        roots: &loaded.roots,
        origins,
        triples: &triples,
        files: &files,
        items: live_items(&triples, &files),
    };
    config::check(&what.config, &sides)?;
    let paired = pair::pair(&sides, what.namespace.as_deref())?;
    let last = match &what.last_applied {
        Some(path) => LastApplied::read(path, settings)?,
        None => LastApplied::default(),
    };
    let apply = Apply {
        what,
        schema: &schema,
        sides: &sides,
        last: &last,
        of_items: &paired.of_items,
    };
    let jobs = jobs(&triples, &files, &paired.groups);
    let (options, rules) = (Options::default(), Rules::default());
    let context = Context {
        triples: &triples,
        files: &files,
        options: &options,
        rules: &rules,
        apply: Some(&apply),
        lines: None,
    };
    progress.expect(triples.len());
    let mut outcomes = merge_all(&context, &jobs, progress)?;
    if !settings.show_secrets {
        hide_all(&mut outcomes, &triples, &jobs);
    }
    let mut plan = collect(triples, &jobs, outcomes, loaded, settings.show_secrets)?;
    // a kind is told of once, whatever number of objects is of it
    let mut seen = FxHashSet::default();
    plan.warnings.retain(|warning| {
        !warning.message.starts_with(UNKNOWN) || seen.insert(warning.message.clone())
    });
    Ok(plan)
}
