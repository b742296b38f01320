//! Applies patches to a package: each document of a patch file to the resource that it names.
//!
//! `kustomization` reads the patches of a kustomization, and `run` applies patches.

mod kustomization;
mod run;

use std::hash::Hasher as _;
use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::Settings;
use super::definitions::schema;
use super::file_triple::Source;
use super::plan::Plan;
use super::read;
use super::selector::Selector;
use super::single_package::{Package, load_package};
use super::target::Target;
use super::write::settle;
use crate::error::{Error, Warning};
use run::PatchRun;

pub(super) use kustomization::is_kustomization;

/// The form of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum PatchForm {
    /// A strategic merge patch.
    #[default]
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902).
    Json,
}

/// A set of patches and their target.
#[derive(Debug, Clone, clap::Args)]
#[group(skip)]
pub struct Patching {
    /// The patch: a file of one or more documents, each for the resource that it names (repeatable)
    #[arg(
        long = "patch", value_name = "PATCH",
        required_unless_present_any = ["words", "kustomization"]
    )]
    pub patches: Vec<PathBuf>,
    /// A patch in words, as in -p '{"spec": {"replicas": 2}}' (repeatable)
    #[arg(short = 'p', value_name = "TEXT")]
    pub words: Vec<String>,
    /// A folder with a kustomization: its patches are applied
    #[arg(long, value_name = "DIR", conflicts_with_all = ["patches", "words", "resources"])]
    pub kustomization: Option<PathBuf>,
    /// The file or folder to change; - reads standard input and prints the result
    pub target: PathBuf,
    /// What the patch is: strategic (default), merge (RFC 7386), json (RFC 6902)
    #[arg(
        long = "type",
        value_enum,
        value_name = "TYPE",
        default_value = "strategic"
    )]
    pub form: PatchForm,
    /// The resource to patch, for patches that name none: KIND/NAME or
    /// KIND/NAMESPACE/NAME (repeatable)
    #[arg(long = "resource", value_name = "KIND/NAME")]
    pub resources: Vec<Selector>,
    /// The namespace of resources that name none
    #[arg(short, long)]
    pub namespace: Option<String>,
}

/// One source of patches.
#[derive(Default)]
struct Step {
    package: Package,
    /// The form of its documents; `None` if it is recognized by their content.
    form: Option<PatchForm>,
    /// The resources to which it applies, if they are not those that the patch names.
    target: Option<Selector>,
    /// Whether it is from a kustomization.
    is_from_kustomization: bool,
    /// Whether it may change the name of its target.
    may_rename: bool,
    /// Whether it may change the kind of its target.
    may_change_kind: bool,
}

/// Applies patches to a package, in memory.
///
/// # Errors
/// If a patch is invalid, names no resource, or names one that the target does not have or has more
/// than once.
///
/// ```
/// use merge3::package::{PatchForm, Patching, Settings, plan_patches};
///
/// let folder = tempfile::tempdir()?;
/// let target = folder.path().join("app.yaml");
/// std::fs::write(&target, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  a: x # ours\n")?;
/// let patching = Patching {
///     patches: Vec::new(),
///     words: vec!["{data: {a: y}}".to_owned()],
///     kustomization: None,
///     target: target.clone(),
///     form: PatchForm::Strategic,
///     resources: vec!["ConfigMap/*".parse()?],
///     namespace: None,
/// };
/// let plan = plan_patches(&patching, &Settings::default())?;
/// plan.write(false)?;
/// assert!(std::fs::read_to_string(&target)?.ends_with("  a: y # ours\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_patches(patching: &Patching, settings: &Settings) -> Result<Plan, Error> {
    let mut warnings = Vec::new();
    let steps = steps(patching, &mut warnings)?;
    let mut hasher = FxHasher::default();
    for step in &steps {
        hasher.write_u64(step.package.fingerprint());
    }
    let merge = hasher.finish();
    let package = load_package(&patching.target, "TARGET", &settings.matches)?;
    settle(&package.root, merge)?;
    let schema = schema(settings.schema.as_deref(), package.sources(), &mut warnings)?;
    let files = read::usable(&package, "cannot be patched")?;
    let mut run = PatchRun {
        patching,
        schema,
        target: Target::new(files, patching.namespace.as_deref()),
        warnings,
        warned_kinds: FxHashSet::default(),
    };
    for step in &steps {
        for file in read::all(&step.package, "this patch cannot be applied")? {
            run.apply(step, &file)?;
        }
    }
    let PatchRun {
        target, warnings, ..
    } = run;
    let changed = target.into_changed()?;
    collect(package, merge, changed, warnings, settings)
}

/// Returns all patches in the order in which they are applied.
///
/// # Errors
/// If a patch cannot be read.
fn steps(patching: &Patching, warnings: &mut Vec<Warning>) -> Result<Vec<Step>, Error> {
    let files = patching.patches.iter();
    let files = files.map(|path| load_package(path, "--patch", &[]));
    let words = patching.words.iter();
    let words = words.map(|words| Ok(Package::of_text("-p", words.as_bytes().to_vec())));
    let mut steps = Vec::new();
    for package in files.chain(words) {
        steps.push(Step {
            package: package?,
            form: Some(patching.form),
            ..Step::default()
        });
    }
    if let Some(folder) = &patching.kustomization {
        steps.extend(kustomization::steps(folder, warnings)?);
    }
    Ok(steps)
}

/// Returns the plan that changes or adds these files of a package; the text `None` deletes a file.
///
/// # Errors
/// If another file or folder is in the way of a new file.
pub(super) fn collect(
    package: Package,
    merge: u64,
    changed: FxHashMap<PathBuf, Option<String>>,
    warnings: Vec<Warning>,
    settings: &Settings,
) -> Result<Plan, Error> {
    let mut plan = Plan::new(package.root, merge);
    plan.show_secrets = settings.show_secrets;
    plan.warnings = package.warnings;
    plan.warnings.extend(warnings);
    plan.read = package.files.len();
    let source = |text: String| Source::new_file(text, false);
    let changed = changed.into_iter();
    let changed = changed.map(|(path, text)| (path, text.map(source)));
    plan.change_files(package.files, changed.collect());
    plan.clear_obstacles(&package.kinds)?;
    Ok(plan)
}
