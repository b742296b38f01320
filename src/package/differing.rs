//! The patches that turn one package into another.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::load::{Package, load_package};
use super::parsed::{Parsed, ParsedFile, Trees, read};
use super::patching::{PatchForm, ResourceName, unreadable};
use super::plan::{ChangeKind, Counts, FileChange, Plan};
use super::resource::Identity;
use super::secrets;
use crate::error::{Error, Place};
use crate::patch::{PatchError, Rules, json_difference, merge_difference};
use crate::schema::{Schema, kind_of};
use crate::yaml::Tree;

/// Two packages to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// The file or folder that is to become the other.
    pub old: PathBuf,
    /// The other.
    pub new: PathBuf,
    /// The only resource to compare.
    pub resource: Option<ResourceName>,
    /// Which files are YAML; the usual names where nothing is said.
    pub matches: Vec<String>,
}

/// The changes that make the new files of the old ones, as a merge would make them.
///
/// # Errors
/// Where a package cannot be read.
pub fn plan_difference(differing: &Differing) -> Result<Plan, Error> {
    let old = load_package(&differing.old, "OLD", &differing.matches)?;
    let new = load_package(&differing.new, "NEW", &differing.matches)?;
    let mut plan = Plan {
        root: old.root.clone(),
        files: Vec::new(),
        conflicts: Vec::new(),
        pinned: Vec::new(),
        warnings: Vec::new(),
        counts: Counts::default(),
        show_secrets: false,
        leftovers: Vec::new(),
        merge: 0,
    };
    let mut news = new.files;
    if let ([(name, _)], [(other, _)]) = (old.files.as_slice(), news.as_mut_slice())
        && !differing.old.is_dir()
        && !differing.new.is_dir()
    {
        // two files are one file, whatever they are called
        other.clone_from(name);
    }
    let mut contents: FxHashMap<PathBuf, super::load::Source> = news.into_iter().collect();
    for (path, source) in old.files {
        let other = contents.remove(&path);
        if other
            .as_ref()
            .is_some_and(|other| other.bytes == source.bytes)
        {
            continue;
        }
        let Some(permissions) = source.permissions else {
            continue;
        };
        let kind = match other {
            Some(_) => ChangeKind::Changed,
            None => ChangeKind::Deleted,
        };
        plan.files.push(FileChange {
            path,
            kind,
            old: Some(source.bytes),
            new: other.map(|other| other.bytes),
            permissions,
            seen: None,
        });
    }
    for (path, source) in contents {
        let Some(permissions) = source.permissions else {
            continue;
        };
        plan.files.push(FileChange {
            path,
            kind: ChangeKind::Added,
            old: None,
            new: Some(source.bytes),
            permissions,
            seen: None,
        });
    }
    plan.files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(plan)
}

/// The patch that makes the new resources of the old ones: one document for each that changed. Empty where none did.
///
/// # Errors
/// Where a patch cannot say it: a resource that only one of the two has, or, for a JSON patch, more than one that changed.
pub fn difference(differing: &Differing, form: PatchForm) -> Result<String, Error> {
    let old = load_package(&differing.old, "OLD", &differing.matches)?;
    let new = load_package(&differing.new, "NEW", &differing.matches)?;
    let olds = read_files(&differing.old, &old)?;
    let news = read_files(&differing.new, &new)?;
    let comparison = Comparison {
        differing,
        form,
        schema: Schema::kubernetes(),
    };
    comparison.patch(&olds, &news)
}

/// A file that is read, and where it is.
struct File<'a> {
    path: PathBuf,
    file: ParsedFile<'a>,
}

fn read_files<'a>(path: &Path, package: &'a Package) -> Result<Vec<File<'a>>, Error> {
    let mut files = Vec::new();
    for (name, source) in &package.files {
        let shown = if path.is_dir() {
            path.join(name)
        } else {
            path.to_owned()
        };
        match read(&shown, source, Trees::Kept) {
            Ok(file) => files.push(File { path: shown, file }),
            Err(broken) if !path.is_dir() => {
                return Err(unreadable(*broken, "this cannot be compared"));
            }
            // a template, say: no patch can be about it
            Err(_) => {}
        }
    }
    Ok(files)
}

/// A document and the file that it is in.
#[derive(Clone, Copy)]
struct Found<'f, 'a> {
    file: &'f File<'a>,
    parsed: &'f Parsed<'a>,
    tree: &'f Tree<'a>,
}

impl Found<'_, '_> {
    fn unfit(&self, message: String, help: &str) -> Error {
        let root = self.tree.root().value;
        let at = self.tree.find(root, "kind");
        let at = at.map_or(0, |entry| self.tree.entry(entry).span.start as usize);
        Error::Unfit {
            place: Box::new(Place::new(
                &self.file.path,
                self.file.file.text,
                self.parsed.document.start + at,
            )),
            problem: "no patch can say this".to_owned(),
            message,
            help: help.to_owned(),
        }
    }

    fn called(&self) -> String {
        let resource = self.parsed.resource.as_ref();
        resource.map_or_else(
            || "document".to_owned(),
            |resource| resource.id.to_id().to_string(),
        )
    }
}

struct Comparison<'a> {
    differing: &'a Differing,
    form: PatchForm,
    schema: Schema,
}

impl Comparison<'_> {
    fn patch(&self, olds: &[File<'_>], news: &[File<'_>]) -> Result<String, Error> {
        let (old, new) = (self.documents(olds), self.documents(news));
        let mut patches: Vec<(Found<'_, '_>, String)> = Vec::new();
        let mut errors = Vec::new();
        let is_resource = |found: &&Found<'_, '_>| found.parsed.resource.is_some();
        let find = |all: &[Found<'_, '_>], id: &Identity<'_>| {
            all.iter().position(|other| {
                other
                    .parsed
                    .resource
                    .as_ref()
                    .is_some_and(|it| it.id == *id)
            })
        };
        for found in new.iter().filter(is_resource) {
            let Some(resource) = &found.parsed.resource else {
                continue;
            };
            match find(&old, &resource.id) {
                Some(index) => {
                    if let Some(text) = self.one(&old[index], found)? {
                        patches.push((*found, text));
                    }
                }
                None => errors.push(found.unfit(
                    format!("OLD has no {}", found.called()),
                    "a patch changes what is there: add the document itself, or compare with --format unified",
                )),
            }
        }
        for found in old.iter().filter(is_resource) {
            if let Some(resource) = &found.parsed.resource
                && find(&new, &resource.id).is_none()
            {
                errors.push(found.unfit(
                    format!("NEW has no {}", found.called()),
                    "a patch changes what is there: delete the document itself, or compare with --format unified",
                ));
            }
        }
        self.others(&old, &new, &mut patches, &mut errors)?;
        if let Some(error) = Error::from_many(errors) {
            return Err(error);
        }
        if self.form == PatchForm::Json
            && let [_, (second, _), ..] = patches.as_slice()
        {
            return Err(second.unfit(
                format!(
                    "{} resources changed, and a JSON patch is about one",
                    patches.len()
                ),
                "say which one with --resource KIND/NAME, or give --format strategic or merge",
            ));
        }
        Ok(joined(patches.into_iter().map(|(_, text)| text)))
    }

    /// Documents that are no resources: one in each package is comparable, for a JSON patch.
    fn others<'f, 'a>(
        &self,
        old: &[Found<'f, 'a>],
        new: &[Found<'f, 'a>],
        patches: &mut Vec<(Found<'f, 'a>, String)>,
        errors: &mut Vec<Error>,
    ) -> Result<(), Error> {
        if self.differing.resource.is_some() {
            return Ok(());
        }
        let others = |all: &[Found<'f, 'a>]| -> Vec<Found<'f, 'a>> {
            let others = all.iter().filter(|found| found.parsed.resource.is_none());
            others.copied().collect()
        };
        let (olds, news) = (others(old), others(new));
        let is_alone = old.len() == 1 && new.len() == 1;
        for (before, after) in olds.iter().zip(&news) {
            if self.form == PatchForm::Json && is_alone {
                patches.extend(self.one(before, after)?.map(|text| (*after, text)));
            } else if !crate::yaml::equal(
                before.tree,
                before.tree.root().value,
                after.tree,
                after.tree.root().value,
            ) {
                errors.push(after.unfit(
                    "this is no resource, and no patch can name it".to_owned(),
                    "compare with --format unified, or this file alone with --format json",
                ));
            }
        }
        Ok(())
    }

    fn documents<'f, 'a>(&self, files: &'f [File<'a>]) -> Vec<Found<'f, 'a>> {
        let is_wanted = |parsed: &Parsed<'_>| match (&self.differing.resource, &parsed.resource) {
            (None, _) => true,
            (Some(name), Some(resource)) => name.is_of(&resource.id.to_id()),
            (Some(_), None) => false,
        };
        let all = files.iter().flat_map(|file| {
            let documents = file.file.documents.iter();
            documents.filter_map(move |parsed| {
                let tree = parsed.kept()?;
                Some(Found { file, parsed, tree })
            })
        });
        all.filter(|found| is_wanted(found.parsed)).collect()
    }

    /// The patch for one document.
    fn one(&self, old: &Found<'_, '_>, new: &Found<'_, '_>) -> Result<Option<String>, Error> {
        if self.form == PatchForm::Json {
            return Ok(json_difference(old.tree, new.tree));
        }
        let kind = kind_of(new.tree, new.tree.root().value)
            .and_then(|(version, kind)| self.schema.kind(version, kind));
        let rules = match (self.form, kind) {
            (PatchForm::Strategic, Some(kind)) => Rules::Strategic(kind.place),
            _ => Rules::Merge,
        };
        merge_difference(old.tree, new.tree, rules).map_err(|error| match error {
            PatchError::Patch(error) | PatchError::Target(error) => new.unfit(error.message, ""),
            PatchError::Unfaithful(error) => {
                let texts = [old.file.file.text, new.file.file.text];
                secrets::unfaithful(new.file.path.clone(), error, texts)
            }
        })
    }
}

/// Documents as one file.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            if !all.ends_with('\n') {
                all.push('\n');
            }
            if !text
                .lines()
                .any(|line| line == "---" || line.starts_with("--- "))
            {
                all.push_str("---\n");
            }
        }
        all.push_str(&text);
    }
    all
}
