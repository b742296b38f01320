//! Reads the patches of a kustomization, in the order in which kustomize applies them.

use std::fs;
use std::path::{Path, PathBuf};

use super::{PatchForm, Selector, Step};
use crate::error::{Error, Warning};
use crate::package::load::missing;
use crate::package::read::{DocumentInFile, all};
use crate::package::single_package::{Package, load_package};
use crate::white_space::trimmed;
use crate::yaml::NodeId;

/// The file names of kustomizations.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The fields that hold patches.
const PATCH_FIELDS: [&str; 3] = ["patchesStrategicMerge", "patches", "patchesJson6902"];

/// Other fields that need no warning.
const IGNORED_FIELDS: [&str; 4] = ["apiVersion", "kind", "metadata", "resources"];

const PROBLEM: &str = "this kustomization cannot be used";

/// Returns true if the file name is that of a kustomization.
pub(in crate::package) fn is_kustomization(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| NAMES.iter().any(|it| name == *it))
}

/// Reads the patches of the kustomization in a folder.
///
/// # Errors
/// If the folder has no kustomization, or a patch in it is invalid.
pub(super) fn steps(folder: &Path, warnings: &mut Vec<Warning>) -> Result<Vec<Step>, Error> {
    let path = NAMES.iter().map(|name| folder.join(name));
    let path = path.into_iter().find(|path| path.is_file());
    let path = path.ok_or_else(|| missing("--kustomization", &folder.join(NAMES[0])))?;
    let package = load_package(&path, "--kustomization", &[])?;
    let mut steps = Vec::new();
    for read in all(&package, PROBLEM)? {
        for document in read.documents() {
            let reader = Kustomization {
                folder,
                path: &path,
                document,
            };
            for field in PATCH_FIELDS {
                reader.read_field(field, &mut steps)?;
            }
            warnings.extend(reader.unsupported_fields_warning());
        }
    }
    if steps.is_empty() {
        warnings.push(Warning::about(&path, "it contains no patch"));
    }
    Ok(steps)
}

struct Kustomization<'a> {
    folder: &'a Path,
    path: &'a Path,
    document: DocumentInFile<'a, 'a>,
}

impl Kustomization<'_> {
    fn wrong(&self, node: NodeId, message: impl Into<String>, help: &str) -> Error {
        let error = self.document.tree.error_at(node, message).with_help(help);
        self.document.unfit(PROBLEM, error)
    }

    fn child(&self, map: NodeId, name: &str) -> Option<NodeId> {
        let value = self.document.tree.field(map, name)?;
        (!self.document.tree.is_null(value)).then_some(value)
    }

    fn read_field(&self, field: &str, steps: &mut Vec<Step>) -> Result<(), Error> {
        let Some(list) = self.child(self.document.tree.root().value, field) else {
            return Ok(());
        };
        for (index, value) in self.document.tree.values(list).enumerate() {
            let name = format!("{}: {field}[{index}]", self.path.display());
            steps.push(self.patch(value, &name, field == "patchesJson6902")?);
        }
        Ok(())
    }

    /// Reads a patch in the form `{path, target}` or `{patch, target}`, or a strategic merge patch
    /// that is only a path or the patch itself.
    fn patch(&self, node: NodeId, name: &str, is_json: bool) -> Result<Step, Error> {
        let content = |node| Some(self.document.tree.scalar(node)?.content);
        let alone = content(node);
        let text = |field| alone.or_else(|| content(self.child(node, field)?));
        let package = self.source(node, name, text("path"), text("patch"))?;
        let target = self.child(node, "target").map(|target| {
            Selector::of_target(self.document.tree, target).map_err(|(node, message)| {
                self.wrong(node, message, "write it as kustomize has it")
            })
        });
        let may = |option| {
            let options = self.child(node, "options");
            let value = options.and_then(|options| self.child(options, option));
            value.is_some_and(|value| trimmed(&self.document.tree.text_of(value)) == "true")
        };
        Ok(Step {
            package,
            form: match alone {
                Some(_) => Some(PatchForm::Strategic),
                None => is_json.then_some(PatchForm::Json),
            },
            target: target.transpose()?,
            is_from_kustomization: true,
            may_rename: may("allowNameChange"),
            may_change_kind: may("allowKindChange"),
        })
    }

    /// Reads the patch in the file `path`, or, if there is no such file, the inline patch.
    fn source(
        &self,
        node: NodeId,
        name: &str,
        path: Option<&str>,
        inline: Option<&str>,
    ) -> Result<Package, Error> {
        let file = path.map(|path| self.folder.join(path));
        let is_file = file.as_ref().is_some_and(|file| file.is_file());
        match (file, inline) {
            (Some(file), _) if is_file => {
                self.check_within_folder(node, &file)?;
                load_package(&file, "--kustomization", &[])
            }
            (_, Some(inline)) => Ok(Package::of_text(name, inline.as_bytes().to_vec())),
            (Some(file), None) => Err(self.wrong(
                node,
                format!("there is no file {}", file.display()),
                "give the path of a file in the kustomization's folder",
            )),
            (None, None) => {
                Err(self.wrong(node, "`path` or `patch` is missing", "give one of the two"))
            }
        }
    }

    /// Checks that the file is in the kustomization's folder, as kustomize does.
    fn check_within_folder(&self, node: NodeId, file: &Path) -> Result<(), Error> {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_within = real(file)
            .zip(real(self.folder))
            .is_some_and(|(file, folder): (PathBuf, PathBuf)| file.starts_with(folder));
        match is_within {
            true => Ok(()),
            false => Err(self.wrong(
                node,
                format!("{} is not in the kustomization's folder", file.display()),
                "copy it there, or give it with --patch",
            )),
        }
    }

    /// Returns a warning about fields of the kustomization that merge3 does not apply.
    fn unsupported_fields_warning(&self) -> Option<Warning> {
        let tree = self.document.tree;
        let names = tree.entries(tree.root().value).filter_map(|entry| {
            let name = tree.key_text(entry)?;
            let is_known = PATCH_FIELDS.contains(&name) || IGNORED_FIELDS.contains(&name);
            (!is_known).then_some(name)
        });
        let names: Vec<&str> = names.collect();
        let message = format!("only patches are applied, not {}", names.join(", "));
        (!names.is_empty()).then(|| Warning::about(self.path, message))
    }
}
