//! `merge3 apply`: configurations applied to live objects, as `kubectl apply` does it, on files.
//!
//! Here is which document is applied to which; what that makes of one is in `patch`. The live
//! objects are a [`Target`], as those of patches are, and say what was applied last.

mod config;
mod last;
mod object;
mod view;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Settings;
use super::definitions::schema;
use super::load::mixed;
use super::patching::{collect, is_kustomization};
use super::plan::Plan;
use super::progress::Progress;
use super::readable::{self, InFile, Readable};
use super::single_package::load_package;
use super::target::{ResourceRef, Target};
use crate::error::{Error, Warning};

use last::LastApplied;
use object::{Applied, Apply};
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
    let mut config = load_package(&what.config, "--config", &settings.matches)?;
    let mut live = load_package(&what.live, "--live", &settings.matches)?;
    if config.is_folder {
        if !live.is_folder {
            let help = "give a folder as --live too: new resources get files of their own in it";
            return Err(mixed(&what.config, &what.live, help));
        }
        // they say how resources are made, and are none
        config.files.retain(|(path, _)| !is_kustomization(path));
    }
    config.split_lists();
    let merge = config.fingerprint();
    live.settle(merge)?;
    let mut warnings = std::mem::take(&mut config.warnings);
    let located = live.located().chain(config.located());
    let schema = schema(settings.schema.as_ref(), located, &mut warnings)?;
    let configs = readable::all(&what.config, &config, "this cannot be applied")?;
    let documents: Vec<InFile<'_, '_>> = configs.iter().flat_map(Readable::documents).collect();
    config::check(&what.config, &documents)?;
    let lives = readable::all(&what.live, &live, "this cannot be applied to")?;
    let mut target = Target::new(lives);
    let apply = Apply {
        what,
        schema: &schema,
        target: &target,
        last: &match &what.last_applied {
            Some(path) => LastApplied::read(path, settings)?,
            None => LastApplied::default(),
        },
    };
    progress.expect(documents.len());
    let applied = documents.par_iter().map(|config| {
        let applied = apply.applied(config);
        progress.step();
        applied
    });
    let mut applied = Error::all(applied.collect::<Vec<_>>())?;
    warnings.extend(told(&mut applied));
    let named: FxHashSet<ResourceRef> = applied.iter().filter_map(|it| it.live).collect();
    for (found, warning) in apply.pruned(&named) {
        target.delete(found);
        warnings.push(warning);
    }
    let only_file = live.files.first().filter(|_| !live.is_folder);
    let only_file = only_file.map(|(path, _)| path.clone());
    let changed = carried_out(target, &configs, applied, &named, only_file.as_deref())?;
    let mut plan = collect(live, merge, changed, warnings)?;
    plan.read += config.files.len();
    plan.show_secrets = settings.show_secrets;
    Ok(plan)
}

/// The files that change, where each document of the configurations was applied, in their order.
/// What is created goes to `only_file` or, without one, to the file of the configuration's name.
fn carried_out(
    mut target: Target<'_>,
    configs: &[Readable<'_>],
    applied: Vec<Applied>,
    named: &FxHashSet<ResourceRef>,
    only_file: Option<&Path>,
) -> Result<FxHashMap<PathBuf, Option<String>>, Error> {
    let mut applied = applied.into_iter();
    for from in configs {
        let mut existing = vec![None; from.file.documents.len()];
        let mut new = Vec::new();
        for (document, Applied { live, text, .. }) in from.documents().zip(&mut applied) {
            existing[document.index] = live;
            match (live, text) {
                (Some(live), Some(text)) => target.set(live, text),
                (None, Some(text)) => new.push((document.index, text)),
                (_, None) => {}
            }
        }
        if !new.is_empty() {
            let path = only_file.unwrap_or(from.name);
            target.add(path, from, new, &existing, named)?;
        }
    }
    target.into_changed()
}

/// What there is to tell: of a kind of which nothing is known once, whatever number of objects is
/// of it.
fn told(applied: &mut [Applied]) -> Vec<Warning> {
    let mut kinds = FxHashSet::default();
    let mut told = Vec::new();
    for applied in applied {
        told.append(&mut applied.warnings);
        let kind = applied.unknown_kind.take();
        told.extend(kind.filter(|it| kinds.insert(it.message.clone())));
    }
    told
}
