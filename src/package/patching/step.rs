//! The patches of a run, in their order: where each comes from and what it is for.

use std::path::{Path, PathBuf};

use super::{Given, PatchForm, Patching, Selector, kustomization};
use crate::error::{Error, Warning};
use crate::package::single_package::{Package, load_package};

/// The documents of one source of patches.
pub(super) struct Step {
    /// What errors call the source.
    pub(super) path: PathBuf,
    pub(super) package: Package,
    /// What its documents are; `None` if each is what it looks like.
    pub(super) form: Option<PatchForm>,
    /// The resources that it is for, whatever it says itself.
    pub(super) target: Option<Selector>,
    /// Whether a kustomization has it.
    pub(super) is_of_kustomize: bool,
    /// Whether it may change the name of what is its target.
    pub(super) may_rename: bool,
    /// Whether it may change its kind.
    pub(super) may_change_kind: bool,
}

impl Step {
    pub(super) fn new(path: &Path, package: Package) -> Self {
        Self {
            path: path.to_owned(),
            package,
            form: None,
            target: None,
            is_of_kustomize: false,
            may_rename: false,
            may_change_kind: false,
        }
    }
}

/// All patches, in the order in which they are applied.
///
/// # Errors
/// Where one cannot be read.
pub(super) fn steps(patching: &Patching, warnings: &mut Vec<Warning>) -> Result<Vec<Step>, Error> {
    let mut steps = Vec::new();
    for given in &patching.patches {
        let step = match given {
            Given::Path(path) => Step::new(path, load_package(path, "--patch", &[])?),
            Given::Words(words) => {
                let package = Package::of_text("-p", words.as_bytes().to_vec());
                Step::new(Path::new("-p"), package)
            }
        };
        steps.push(Step {
            form: Some(patching.form),
            ..step
        });
    }
    if let Some(folder) = &patching.kustomization {
        steps.extend(kustomization::steps(folder, warnings)?);
    }
    Ok(steps)
}
