//! `merge3 diff`: compares two packages, file by file ([`plan_difference`]) or as patches for the
//! resources that differ ([`difference`]), with one document for each changed resource.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::Settings;
use super::definitions::schema;
use super::patching::PatchForm;
use super::plan::Plan;
use super::read::{DocumentInFile, SourceFile, joined, usable};
use super::resource::ResourceId;
use super::secrets::patch_error;
use super::selector::Selector;
use super::single_package::{load_all_files, load_package};
use crate::error::{self, Error};
use crate::patch::{Rules, first_directive, json_difference, merge_difference};
use crate::schema::{Schema, kind_of};
use crate::secret::may_contain_secret;
use crate::visible::visible;
use crate::yaml::{ParseError, equal_documents};

const PROBLEM: &str = "this cannot be compared";

/// Returns the changes that turn the old files into the new ones, in the form of a merge's plan.
/// Each package is a file or folder. All files are compared, unless [`Settings::matches`] names
/// some.
///
/// # Errors
/// If a package cannot be read.
pub fn plan_difference(old: &Path, new: &Path, settings: &Settings) -> Result<Plan, Error> {
    let old = load_all_files(old, "OLD", &settings.matches)?;
    let new = load_all_files(new, "NEW", &settings.matches)?;
    let mut plan = Plan::new(old.root, 0);
    plan.show_secrets = settings.show_secrets;
    let mut new_files = new.files;
    if let ([(old_path, _)], [(new_path, _)]) = (old.files.as_slice(), new_files.as_mut_slice())
        && !old.is_folder
        && !new.is_folder
    {
        // two single files are compared, whatever their names
        new_path.clone_from(old_path);
    }
    let deleted = old.files.iter().map(|(path, _)| (path.clone(), None));
    let new_files = new_files.into_iter().map(|(path, new)| (path, Some(new)));
    let changed = deleted.chain(new_files).collect();
    plan.change_files(old.files, changed);
    Ok(plan)
}

/// A patch in a form that names resources.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The patch: one document for each changed resource. Empty if none changed.
    pub text: String,
    /// A message for each changed Secret that is left out of the patch.
    pub left_out: Vec<String>,
}

/// Returns the patch that turns the old resources into the new ones. Each package is a file or
/// folder; only the given `resources` are compared, or all if there are none. Secrets are left out,
/// unless [`Settings::show_secrets`] is set.
///
/// The items of a list of resources are compared as resources. A JSON patch between two packages of
/// one document each compares the list itself.
///
/// # Errors
/// If a patch cannot express the difference: a resource that only one package has, or, for a JSON
/// patch, more than one changed resource.
pub fn difference(
    old: &Path,
    new: &Path,
    resources: &[Selector],
    form: PatchForm,
    settings: &Settings,
) -> Result<Difference, Error> {
    let mut old = load_package(old, "OLD", &settings.matches)?;
    let mut new = load_package(new, "NEW", &settings.matches)?;
    // warnings about definitions in the packages do not concern the patch
    let schema = schema(
        settings.schema.as_deref(),
        old.sources().chain(new.sources()),
        &mut Vec::new(),
    )?;
    let comparison = Comparison {
        resources,
        are_single_files: !old.is_folder && !new.is_folder,
        form,
        schema,
        show_secrets: settings.show_secrets,
    };
    if form == PatchForm::Json && resources.is_empty() {
        let old_files = usable(&old, PROBLEM)?;
        let new_files = usable(&new, PROBLEM)?;
        let old_documents = comparison.documents(&old_files);
        let new_documents = comparison.documents(&new_files);
        if let ([old], [new]) = (old_documents.as_slice(), new_documents.as_slice()) {
            // a JSON patch names no resource: it can be for any two documents
            let patch = comparison.document_patch(old, new)?;
            return Ok(comparison.shown(patch.map(|text| (*old, *new, text)).into_iter()));
        }
    }
    old.split_lists();
    new.split_lists();
    let old_files = usable(&old, PROBLEM)?;
    let new_files = usable(&new, PROBLEM)?;
    comparison.patch(
        &comparison.documents(&old_files),
        &comparison.documents(&new_files),
    )
}

/// The problem with a change that no patch can express.
const NO_PATCH: &str = "no patch can say this";

/// Returns the error that no patch can express a change. Its place is the kind of the document.
fn unfit(document: &DocumentInFile<'_, '_>, message: String, help: &str) -> Error {
    let error = ParseError::new(document.offset_of(&["kind"]), message).with_help(help);
    document.unfit(NO_PATCH, error)
}

fn display_name(document: &DocumentInFile<'_, '_>) -> String {
    match &document.parsed.resource {
        Some(resource) => resource.id.to_string(),
        None => "such document".to_owned(),
    }
}

/// The name by which a document is found in the other package.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Name<'f> {
    /// The identity of a resource.
    Resource(&'f ResourceId<'f>),
    /// Any other document: its file, and its index in that.
    Document(&'f Path, usize),
}

/// The old and the new documents by name.
type ByName<'f, 'a> = FxHashMap<Name<'f>, [Vec<DocumentInFile<'f, 'a>>; 2]>;

/// The settings of a comparison.
struct Comparison<'a> {
    /// The resources to compare; all if empty.
    resources: &'a [Selector],
    /// Whether both packages are files, so that the paths do not count.
    are_single_files: bool,
    form: PatchForm,
    schema: Schema,
    show_secrets: bool,
}

/// A patch with the old and the new document.
type Patch<'f, 'a> = (DocumentInFile<'f, 'a>, DocumentInFile<'f, 'a>, String);

impl Comparison<'_> {
    /// Returns the documents that are compared.
    fn documents<'f, 'a>(&self, files: &'f [SourceFile<'a>]) -> Vec<DocumentInFile<'f, 'a>> {
        let all = files.iter().flat_map(SourceFile::documents);
        all.filter(|document| document.is_meant_by(self.resources))
            .collect()
    }

    /// Returns the name by which a document is found in the other package.
    fn name_of<'f>(&self, document: &DocumentInFile<'f, '_>) -> Name<'f> {
        match &document.parsed.resource {
            Some(resource) => Name::Resource(&resource.id),
            None if self.are_single_files => Name::Document(Path::new(""), document.index),
            None => Name::Document(document.file.name, document.index),
        }
    }

    /// Returns the patches for all changed documents, as one file.
    fn patch(
        &self,
        old: &[DocumentInFile<'_, '_>],
        new: &[DocumentInFile<'_, '_>],
    ) -> Result<Difference, Error> {
        let mut by_name = ByName::default();
        for (side, documents) in [old, new].into_iter().enumerate() {
            for found in documents {
                by_name.entry(self.name_of(found)).or_default()[side].push(*found);
            }
        }
        // old resources whose API version differs in the new package get the name that they have
        // there; also those whose kind Kubernetes moved to another API group
        pair_by_group(&mut by_name, |id| Some(id.group()));
        pair_by_group(&mut by_name, |id| {
            Schema::is_built_in(&id.api_version, &id.kind).then_some("")
        });
        let mut patches: Vec<Patch<'_, '_>> = Vec::new();
        let mut errors = Vec::new();
        for found in new {
            let both = by_name.get(&self.name_of(found));
            match both.map(|both| both.each_ref().map(Vec::as_slice)) {
                Some([[before], [_]]) => match self.resource_patch(before, found) {
                    Ok(text) => patches.extend(text.map(|text| (*before, *found, text))),
                    Err(error) => errors.push(error),
                },
                Some([before @ [_, ..], _]) => errors.extend(ambiguous(before, found)),
                _ => errors.push(unfit(
                    found,
                    format!("OLD has no {}", display_name(found)),
                    "a patch changes what is there: add the document \
                     itself, or compare with --format unified",
                )),
            }
        }
        let removed = by_name.values().filter(|[_, new]| new.is_empty());
        let mut removed: Vec<&DocumentInFile<'_, '_>> = removed.flat_map(|[old, _]| old).collect();
        removed.sort_by_key(|found| (found.file.name, found.index));
        errors.extend(removed.into_iter().map(|found| {
            unfit(
                found,
                format!("NEW has no {}", display_name(found)),
                "a patch changes what is there: delete the \
                 document itself, or compare with --format unified",
            )
        }));
        Error::if_any(errors)?;
        if self.form == PatchForm::Json
            && let [_, (_, second, _), ..] = patches.as_slice()
        {
            return Err(unfit(
                second,
                format!(
                    "{} resources changed, and a JSON patch is about one",
                    patches.len()
                ),
                "say which one with --resource KIND/NAME, or give --format strategic or merge",
            ));
        }
        Ok(self.shown(patches.into_iter()))
    }

    /// Returns the patches as one text, without those between documents of which one may be a
    /// Secret.
    fn shown<'f, 'a: 'f>(&self, patches: impl Iterator<Item = Patch<'f, 'a>>) -> Difference {
        let is_secret = |document: &DocumentInFile<'_, '_>| {
            !self.show_secrets && may_contain_secret(document.parsed.document.text.as_bytes())
        };
        let (secret, shown): (Vec<_>, Vec<_>) =
            patches.partition(|(old, new, _)| is_secret(old) || is_secret(new));
        let message = |(_, new, _): Patch<'_, '_>| {
            let (name, file) = (display_name(&new), error::shown(new.file.name));
            let name = visible(&name);
            format!("{file}: {name} is left out of the patch; --show-secrets shows it")
        };
        Difference {
            text: joined(shown.into_iter().map(|(.., text)| text)),
            left_out: secret.into_iter().map(message).collect(),
        }
    }

    /// Returns the patch for a document that both packages have; `None` if it did not change.
    ///
    /// # Errors
    /// If a document that is not a resource changed, or a patch cannot express the change.
    fn resource_patch(
        &self,
        old: &DocumentInFile<'_, '_>,
        new: &DocumentInFile<'_, '_>,
    ) -> Result<Option<String>, Error> {
        if new.parsed.resource.is_some() {
            return self.document_patch(old, new);
        }
        if equal_documents(old.tree, new.tree) {
            return Ok(None);
        }
        Err(unfit(
            new,
            "this is not a resource, and no patch can name it".to_owned(),
            "compare with --format unified, or this file alone with --format json",
        ))
    }

    /// Returns the patch between two documents, whatever they are; `None` if they are equal.
    fn document_patch(
        &self,
        old: &DocumentInFile<'_, '_>,
        new: &DocumentInFile<'_, '_>,
    ) -> Result<Option<String>, Error> {
        let refuse = |error: ParseError| new.unfit(NO_PATCH, error);
        if self.form == PatchForm::Json {
            return json_difference(old.tree, new.tree).map_err(refuse);
        }
        let kind = kind_of(new.tree, new.tree.root().value)
            .and_then(|(version, kind)| self.schema.kind(version, kind));
        let rules = match kind {
            Some(kind) if self.form == PatchForm::Strategic => Rules::Strategic(kind.root),
            _ => Rules::Merge,
        };
        if self.form == PatchForm::Strategic {
            for found in [old, new] {
                if let Some((name, offset)) = first_directive(found.tree) {
                    let message =
                        format!("this is a patch itself: `{name}` would be obeyed, not set");
                    let help = "compare with --format merge, json or unified";
                    let error = ParseError::new(offset, message).with_help(help);
                    return Err(found.unfit(NO_PATCH, error));
                }
            }
        }
        let patch = merge_difference(old.tree, new.tree, rules);
        // the head of the file may explain the document
        let head = new.parsed.document.head;
        let patch = patch.map(|patch| patch.map(|patch| format!("{head}{patch}")));
        let texts = [old.file.file.text, new.file.file.text];
        patch.map_err(|error| patch_error(new.file.path, error, texts, |_, error| refuse(error)))
    }
}

/// Pairs the resources that only one package has by `group`, kind, namespace and name. If that is
/// unique in both packages, the old resource gets the name of the new one.
fn pair_by_group<'f>(
    by_name: &mut ByName<'f, '_>,
    group: fn(&'f ResourceId<'f>) -> Option<&'f str>,
) {
    let mut unpaired: FxHashMap<[&'f str; 4], [Vec<Name<'f>>; 2]> = FxHashMap::default();
    for (name, [old, new]) in by_name.iter() {
        if let Name::Resource(id) = name
            && (old.is_empty() || new.is_empty())
            && let Some(group) = group(id)
        {
            let key = [group, &id.kind, &id.namespace, &id.name];
            unpaired.entry(key).or_default()[usize::from(old.is_empty())].push(*name);
        }
    }
    for names in unpaired.into_values() {
        if let [[old], [new]] = names.each_ref().map(Vec::as_slice)
            && let Some([found, _]) = by_name.remove(old)
            && let Some([unnamed, _]) = by_name.get_mut(new)
        {
            *unnamed = found;
        }
    }
}

/// Returns the error for a document whose name is not unique; `None` if it did not change.
fn ambiguous(old: &[DocumentInFile<'_, '_>], new: &DocumentInFile<'_, '_>) -> Option<Error> {
    let is_unchanged = old.iter().any(|it| equal_documents(it.tree, new.tree));
    (!is_unchanged).then(|| {
        unfit(
            new,
            format!("there is more than one {}", display_name(new)),
            "a patch is for the one that it names: compare the two files alone",
        )
    })
}
