//! Lists the patches of a run in order: where each comes from and to what it applies.

use super::{Given, PatchForm, Patching, Selector, kustomization};
use crate::error::{Error, Warning};
use crate::package::single_package::{Package, load_package};

/// One source of patches.
#[derive(Default)]
pub(super) struct Step {
    pub(super) package: Package,
    /// The form of its documents; `None` if it is recognized by their content.
    pub(super) form: Option<PatchForm>,
    /// The resources to which it applies, if they are not those that the patch names.
    pub(super) target: Option<Selector>,
    /// Whether it is from a kustomization.
    pub(super) is_from_kustomization: bool,
    /// Whether it may change the name of its target.
    pub(super) may_rename: bool,
    /// Whether it may change the kind of its target.
    pub(super) may_change_kind: bool,
}

/// Returns all patches in the order in which they are applied.
///
/// # Errors
/// If a patch cannot be read.
pub(super) fn steps(patching: &Patching, warnings: &mut Vec<Warning>) -> Result<Vec<Step>, Error> {
    let mut steps = Vec::new();
    for given in &patching.patches {
        steps.push(Step {
            package: match given {
                Given::Path(path) => load_package(path, "--patch", &[])?,
                Given::Words(words) => Package::of_text("-p", words.as_bytes().to_vec()),
            },
            form: Some(patching.form),
            ..Step::default()
        });
    }
    if let Some(folder) = &patching.kustomization {
        steps.extend(kustomization::steps(folder, warnings)?);
    }
    Ok(steps)
}
