//! `merge3 apply`: applies configurations to live objects in files, as `kubectl apply` does in a
//! cluster.
//!
//! This module finds the live object of each configuration; `patch` computes the new object. The
//! live objects are a [`Target`], as for patches. Their annotations have the last applied
//! configurations.

mod configuration;
mod object;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Settings;
use super::definitions::schema;
use super::load::mixed;
use super::patching::{collect, is_kustomization};
use super::plan::Plan;
use super::read::{self, DocumentInFile, SourceFile};
use super::run::Progress;
use super::single_package::load_package;
use super::target::{ResourceRef, Target};
use super::write::settle;
use crate::error::{Error, Warning};

pub use configuration::view_last_applied;
use configuration::{LastApplied, check};
use object::{AppliedConfig, ApplyRun, NOT_REMOVED};

/// The input of `merge3 apply`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyTo {
    /// The configurations and the live objects.
    pub paths: ApplyPaths,
    /// The last applied configurations, a file or a folder; if missing, they are read from the
    /// annotations of the live objects.
    pub last_applied: Option<PathBuf>,
    /// Whether to delete live objects that were applied and no longer have a configuration.
    pub prune: bool,
    /// What to do.
    pub action: ApplyAction,
}

/// The configurations to apply and the live objects to apply them to.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct ApplyPaths {
    /// The configuration (file or folder): what `kubectl apply -f` would get
    #[arg(long, value_name = "CONFIG")]
    pub config: PathBuf,
    /// The live objects (file or folder); changed in place
    #[arg(long, value_name = "LIVE")]
    pub live: PathBuf,
    /// The namespace of the objects that CONFIG names none of
    #[arg(short, long)]
    pub namespace: Option<String>,
}

/// What to do with configurations and live objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyAction {
    /// Apply the configurations.
    Apply,
    /// Only set the annotations with the last applied configurations.
    SetLastApplied {
        /// Whether to create annotations that are missing.
        create: bool,
    },
}

/// Applies configurations to live objects, in memory. Each object gets the values that
/// `kubectl apply` would give it, in the text of the live object.
///
/// A resource that only the configurations have is added; one that only the live side has stays.
/// Nothing is written to disk: see [`Plan::write`].
///
/// # Errors
/// If some input cannot be used; the error names all files that are concerned.
///
/// ```
/// use merge3::package::{ApplyAction, ApplyPaths, ApplyTo, Progress, Settings, apply_with};
///
/// let folder = tempfile::tempdir()?;
/// let paths = ["config.yaml", "live.yaml"].map(|name| folder.path().join(name));
/// let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
/// std::fs::write(&paths[0], format!("{head}data: {{a: x}}\n"))?;
/// std::fs::write(&paths[1], format!("{head}data: {{a: y, b: z}}\n"))?;
///
/// let [config, live] = paths.clone();
/// let request = ApplyTo {
///     paths: ApplyPaths { config, live, namespace: None },
///     last_applied: None,
///     prune: false,
///     action: ApplyAction::Apply,
/// };
/// apply_with(&request, &Settings::default(), &Progress::default())?.write(false)?;
/// assert!(std::fs::read_to_string(&paths[1])?.ends_with("data: {a: x, b: z}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply_with(
    request: &ApplyTo,
    settings: &Settings,
    progress: &Progress,
) -> Result<Plan, Error> {
    let mut config = load_package(&request.paths.config, "--config", &settings.matches)?;
    let live = load_package(&request.paths.live, "--live", &settings.matches)?;
    if config.is_folder {
        if !live.is_folder {
            let help = "give a folder as --live too: new resources get files of their own in it";
            return Err(mixed(&request.paths.config, &request.paths.live, help));
        }
        // kustomizations are not resources
        config.files.retain(|(path, _)| !is_kustomization(path));
    }
    config.split_lists();
    let merge = config.fingerprint();
    settle(&live.root, merge)?;
    let mut warnings = std::mem::take(&mut config.warnings);
    let sources = live.sources().chain(config.sources());
    let schema = schema(settings.schema.as_deref(), sources, &mut warnings)?;
    let configs = read::all(&config, "this cannot be applied")?;
    let documents: Vec<DocumentInFile<'_, '_>> =
        configs.iter().flat_map(SourceFile::documents).collect();
    check(&request.paths.config, &documents)?;
    let lives = read::all(&live, "this cannot be applied to")?;
    let mut target = Target::new(lives, request.paths.namespace.as_deref());
    let run = ApplyRun {
        request,
        schema: &schema,
        target: &target,
        last: &match &request.last_applied {
            Some(path) => LastApplied::read(path, settings)?,
            None => LastApplied::default(),
        },
    };
    progress.expect(documents.len());
    let results = documents.par_iter().map(|config| {
        let result = run.apply(config);
        progress.step();
        result
    });
    let mut applied = Error::all(results.collect::<Vec<_>>())?;
    warnings.extend(take_warnings(&mut applied));
    let configured: FxHashSet<ResourceRef> = applied.iter().filter_map(|it| it.live).collect();
    for (pruned, warning) in run.pruned(&configured) {
        target.delete(pruned);
        warnings.push(warning);
    }
    let only_file = live.files.first().filter(|_| !live.is_folder);
    let only_file = only_file.map(|(path, _)| path.clone());
    let changed = changed_files(target, &configs, applied, &configured, only_file.as_deref())?;
    let mut plan = collect(live, merge, changed, warnings, settings)?;
    plan.read += config.files.len();
    Ok(plan)
}

/// Returns the new texts of the files that change. `applied` has one result for each document of
/// `configs`, in order. A new object is added to `only_file`, or without one to the file with the
/// path of its configuration. `configured` are the live objects that have a configuration.
fn changed_files(
    mut target: Target<'_>,
    configs: &[SourceFile<'_>],
    applied: Vec<AppliedConfig>,
    configured: &FxHashSet<ResourceRef>,
    only_file: Option<&Path>,
) -> Result<FxHashMap<PathBuf, Option<String>>, Error> {
    let mut applied = applied.into_iter();
    for from in configs {
        let mut existing = vec![None; from.file.documents.len()];
        let mut new = Vec::new();
        for (document, AppliedConfig { live, text, .. }) in from.documents().zip(&mut applied) {
            existing[document.index] = live;
            match (live, text) {
                (Some(live), Some(text)) => target.set(live, text),
                (None, Some(text)) => new.push((document.index, text)),
                (_, None) => {}
            }
        }
        if !new.is_empty() {
            let path = only_file.unwrap_or(from.name);
            target.add(path, from, new, &existing, configured)?;
        }
    }
    target.into_changed()
}

/// Takes the warnings out of the results. The one about an unknown kind comes once for each kind.
fn take_warnings(applied: &mut [AppliedConfig]) -> Vec<Warning> {
    let mut kinds = FxHashSet::default();
    let all = applied
        .iter_mut()
        .flat_map(|it| std::mem::take(&mut it.warnings));
    all.filter(|it| it.message == NOT_REMOVED || kinds.insert(it.message.clone()))
        .collect()
}
