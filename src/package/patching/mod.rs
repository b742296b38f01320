//! Patches applied to a package: each document of a patch file to the resource that it names.

mod name;
pub(super) mod readable;
mod run;
mod target;

use std::hash::Hasher as _;
use std::path::PathBuf;

use rustc_hash::{FxHashMap, FxHasher};

use super::alone::{Package, load_package};
use super::bytes::Bytes;
use super::plan::{ChangeKind, Counts, FileChange, Plan};
use crate::error::{Error, Warning};
use crate::schema::Schema;
use run::Run;
use target::Target;

pub use name::ResourceName;

/// What a patch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchForm {
    /// A strategic merge patch.
    Strategic,
    /// A JSON merge patch (RFC 7386).
    Merge,
    /// A JSON patch (RFC 6902).
    Json,
}

/// Patches, and what they are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patching {
    /// The files with the patches, in the order in which they are applied.
    pub patches: Vec<PathBuf>,
    /// The file or folder that they change.
    pub target: PathBuf,
    /// What the patches are.
    pub form: PatchForm,
    /// The resource that patches are for which name none.
    pub resource: Option<ResourceName>,
    /// Which files of the target are YAML; the usual names where nothing is said.
    pub matches: Vec<String>,
}

/// Applies patches to a package, in memory.
///
/// # Errors
/// Where a patch is wrong, names no resource, or names one that the target does not have or has
/// more than once.
///
/// ```
/// use merge3::package::{PatchForm, Patching, plan_patches};
///
/// let folder = tempfile::tempdir()?;
/// let (target, patch) = (folder.path().join("app.yaml"), folder.path().join("patch.yaml"));
/// std::fs::write(&target, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata:\n  a: x # ours\n")?;
/// std::fs::write(&patch, "kind: ConfigMap\nmetadata: {name: app}\ndata: {a: y}\n")?;
/// let plan = plan_patches(&Patching {
///     patches: vec![patch],
///     target: target.clone(),
///     form: PatchForm::Strategic,
///     resource: None,
///     matches: Vec::new(),
/// })?;
/// plan.write(false)?;
/// assert!(std::fs::read_to_string(&target)?.ends_with("  a: y # ours\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_patches(patching: &Patching) -> Result<Plan, Error> {
    let patches = patching.patches.iter();
    let patches: Vec<(&PathBuf, Package)> = patches
        .map(|path| Ok((path, load_package(path, "--patch", &[])?)))
        .collect::<Result<_, Error>>()?;
    let mut hasher = FxHasher::default();
    for (_, patch) in &patches {
        hasher.write_u64(patch.fingerprint());
    }
    let merge = hasher.finish();
    let mut package = load_package(&patching.target, "TARGET", &patching.matches)?;
    package.settle(merge)?;
    let files = readable::usable(&patching.target, &package, "cannot be patched")?;
    let mut run = Run {
        patching,
        schema: Schema::kubernetes(),
        target: Target::new(files),
        warnings: Vec::new(),
    };
    for (path, patch) in &patches {
        for file in readable::all(path, patch, "this patch cannot be applied")? {
            run.apply(&file)?;
        }
    }
    let Run {
        target, warnings, ..
    } = run;
    let changed = target.into_changed()?;
    Ok(collect(package, merge, changed, warnings))
}

fn collect(
    package: Package,
    merge: u64,
    mut changed: FxHashMap<PathBuf, String>,
    warnings: Vec<Warning>,
) -> Plan {
    let mut plan = Plan {
        root: package.root,
        files: Vec::new(),
        conflicts: Vec::new(),
        pinned: Vec::new(),
        combined: Vec::new(),
        renamed: Vec::new(),
        warnings: package.warnings.into_iter().chain(warnings).collect(),
        counts: Counts {
            read: package.files.len(),
            ..Counts::default()
        },
        show_secrets: false,
        awaits_commit: false,
        merge,
    };
    for (path, source) in package.files {
        let (Some(text), Some(permissions)) = (changed.remove(&path), source.permissions) else {
            continue;
        };
        let new = Bytes::from(text.into_bytes());
        if new == source.bytes {
            continue;
        }
        plan.counts.count(&ChangeKind::Changed);
        plan.files.push(FileChange {
            path,
            kind: ChangeKind::Changed,
            old: Some(source.bytes),
            new: Some(new),
            permissions,
            old_permissions: None,
            seen: source.seen,
        });
    }
    plan
}
