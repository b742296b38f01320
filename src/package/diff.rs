//! `merge3 diff`: compares two packages, file by file ([`plan_difference`]) or as patches for the
//! resources that differ ([`difference`]), with one document for each changed resource.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::Settings;
use super::definitions::schema;
use super::patching::PatchForm;
use super::plan::Plan;
use super::readable::{DocumentInFile, SourceFile, joined, usable};
use super::resource::ResourceId;
use super::secrets::patch_error;
use super::selector::Selector;
use super::single_package::load_package;
use crate::error::Error;
use crate::patch::{Rules, first_directive, json_difference, merge_difference};
use crate::schema::{Schema, kind_of};
use crate::yaml::{ParseError, equal_documents};

const PROBLEM: &str = "this cannot be compared";

/// Two packages to compare.
#[derive(Debug, Clone)]
pub struct DiffInput {
    /// The old package, a file or folder.
    pub old: PathBuf,
    /// The new package, a file or folder.
    pub new: PathBuf,
    /// The resources to compare; all if empty.
    pub resources: Vec<Selector>,
}

/// Returns the changes that turn the old files into the new ones, in the form of a merge's plan.
///
/// # Errors
/// If a package cannot be read.
pub fn plan_difference(input: &DiffInput, settings: &Settings) -> Result<Plan, Error> {
    let old = load_package(&input.old, "OLD", &settings.matches)?;
    let new = load_package(&input.new, "NEW", &settings.matches)?;
    let mut plan = Plan::new(old.root, 0);
    plan.show_secrets = settings.show_secrets;
    let mut new_files = new.files;
    if let ([(old_path, _)], [(new_path, _)]) = (old.files.as_slice(), new_files.as_mut_slice())
        && !input.old.is_dir()
        && !input.new.is_dir()
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

/// Returns the patch that turns the old resources into the new ones: one document for each changed
/// resource. Empty if none changed.
///
/// The items of a list of resources are compared as resources. A JSON patch between two packages of
/// one document each compares the list itself.
///
/// # Errors
/// If a patch cannot express the difference: a resource that only one package has, or, for a JSON
/// patch, more than one changed resource.
pub fn difference(
    input: &DiffInput,
    form: PatchForm,
    settings: &Settings,
) -> Result<String, Error> {
    let mut old = load_package(&input.old, "OLD", &settings.matches)?;
    let mut new = load_package(&input.new, "NEW", &settings.matches)?;
    // warnings about definitions in the packages do not concern the patch
    let schema = schema(
        settings.schema.as_ref(),
        old.sources().chain(new.sources()),
        &mut Vec::new(),
    )?;
    let comparison = Comparison {
        input,
        form,
        schema,
    };
    if form == PatchForm::Json && input.resources.is_empty() {
        let old_files = usable(&old, PROBLEM)?;
        let new_files = usable(&new, PROBLEM)?;
        let old_documents = comparison.documents(&old_files);
        let new_documents = comparison.documents(&new_files);
        if let ([old], [new]) = (old_documents.as_slice(), new_documents.as_slice()) {
            // a JSON patch names no resource: it can be for any two documents
            return Ok(comparison.document_patch(old, new)?.unwrap_or_default());
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

/// Returns the error that no patch can express a change. Its place is the kind of the document.
fn unfit(document: &DocumentInFile<'_, '_>, message: String, help: &str) -> Error {
    unfit_at(document, document.offset_of(&["kind"]), message, help)
}

fn unfit_at(
    document: &DocumentInFile<'_, '_>,
    offset: usize,
    message: String,
    help: &str,
) -> Error {
    let error = ParseError::new(offset, message).with_help(help);
    document.unfit("no patch can say this", error)
}

fn display_name(document: &DocumentInFile<'_, '_>) -> String {
    let resource = document.parsed.resource.as_ref();
    resource.map_or_else(
        || "such document".to_owned(),
        |resource| resource.id.to_string(),
    )
}

/// Returns the name by which a document is found in the other package. The path of its file does
/// not count if both packages are single files.
fn name_of<'f>(document: &DocumentInFile<'f, '_>, are_single_files: bool) -> Name<'f> {
    match &document.parsed.resource {
        Some(resource) => Name::Resource(&resource.id),
        None if are_single_files => Name::Document(Path::new(""), document.index),
        None => Name::Document(document.file.name, document.index),
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

/// Documents by name.
type ByName<'f, 'a> = FxHashMap<Name<'f>, Vec<DocumentInFile<'f, 'a>>>;

/// The settings of a comparison.
struct Comparison<'a> {
    input: &'a DiffInput,
    form: PatchForm,
    schema: Schema,
}

impl Comparison<'_> {
    /// Returns the documents that are compared.
    fn documents<'f, 'a>(&self, files: &'f [SourceFile<'a>]) -> Vec<DocumentInFile<'f, 'a>> {
        let all = files.iter().flat_map(SourceFile::documents);
        all.filter(|document| document.is_meant_by(&self.input.resources))
            .collect()
    }

    /// Returns the patches for all changed documents, as one file.
    fn patch(
        &self,
        old: &[DocumentInFile<'_, '_>],
        new: &[DocumentInFile<'_, '_>],
    ) -> Result<String, Error> {
        let are_single_files = !self.input.old.is_dir() && !self.input.new.is_dir();
        let mut old_by_name = index_by_name(old, are_single_files);
        let new_by_name = index_by_name(new, are_single_files);
        pair_api_versions(&mut old_by_name, &new_by_name);
        let mut patches: Vec<(DocumentInFile<'_, '_>, String)> = Vec::new();
        let mut errors = Vec::new();
        for found in new {
            let name = name_of(found, are_single_files);
            let is_only_one = new_by_name.get(&name).is_some_and(|all| all.len() == 1);
            match old_by_name.get(&name).map(Vec::as_slice) {
                Some([before]) if is_only_one => match self.resource_patch(before, found) {
                    Ok(text) => patches.extend(text.map(|text| (*found, text))),
                    Err(error) => errors.push(error),
                },
                Some(before) => errors.extend(ambiguous(before, found)),
                None => errors.push(unfit(
                    found,
                    format!("OLD has no {}", display_name(found)),
                    "a patch changes what is there: add the document \
                     itself, or compare with --format unified",
                )),
            }
        }
        let removed = old_by_name
            .iter()
            .filter(|(name, _)| !new_by_name.contains_key(*name));
        let mut removed: Vec<&DocumentInFile<'_, '_>> =
            removed.flat_map(|(_, found)| found).collect();
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
            && let [_, (second, _), ..] = patches.as_slice()
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
        Ok(joined(patches.into_iter().map(|(_, text)| text)))
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
        let refuse = |error: ParseError| {
            let help = error.help.unwrap_or_default();
            unfit_at(new, error.offset, error.message, &help)
        };
        if self.form == PatchForm::Json {
            return json_difference(old.tree, new.tree).map_err(refuse);
        }
        let kind = kind_of(new.tree, new.tree.root().value)
            .and_then(|(version, kind)| self.schema.kind(version, kind));
        let rules = match (self.form, kind) {
            (PatchForm::Strategic, Some(kind)) => Rules::Strategic(kind.root),
            _ => Rules::Merge,
        };
        if self.form == PatchForm::Strategic {
            for found in [old, new] {
                if let Some((name, offset)) = first_directive(found.tree) {
                    return Err(unfit_at(
                        found,
                        offset,
                        format!("this is a patch itself: `{name}` would be obeyed, not set"),
                        "compare with --format merge, json or unified",
                    ));
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

fn index_by_name<'f, 'a>(all: &[DocumentInFile<'f, 'a>], are_single_files: bool) -> ByName<'f, 'a> {
    let mut by_name = ByName::default();
    for found in all {
        let key = name_of(found, are_single_files);
        by_name.entry(key).or_default().push(*found);
    }
    by_name
}

/// Renames old resources whose API version differs in the new package to the name that they have
/// there; also those whose kind Kubernetes moved to another API group.
fn pair_api_versions<'f, 'a>(old_by_name: &mut ByName<'f, 'a>, new_by_name: &ByName<'f, 'a>) {
    pair_by_group(old_by_name, new_by_name, |id| Some(id.group()));
    pair_by_group(old_by_name, new_by_name, |id| {
        Schema::is_built_in(&id.api_version, &id.kind).then_some("")
    });
}

/// Pairs the resources that only one package has by `group`, kind, namespace and name. If that is
/// unique in both packages, the old resource gets the name of the new one.
fn pair_by_group<'f, 'a>(
    old_by_name: &mut ByName<'f, 'a>,
    new_by_name: &ByName<'f, 'a>,
    group: fn(&'f ResourceId<'f>) -> Option<&'f str>,
) {
    let unpaired = |all: &ByName<'f, 'a>, others: &ByName<'f, 'a>| {
        let mut unpaired: FxHashMap<[&'f str; 4], Vec<Name<'f>>> = FxHashMap::default();
        for name in all.keys().filter(|name| !others.contains_key(*name)) {
            if let Name::Resource(id) = name
                && let Some(group) = group(id)
            {
                let key = [group, &id.kind, &id.namespace, &id.name];
                unpaired.entry(key).or_default().push(*name);
            }
        }
        unpaired
    };
    let old_names = unpaired(old_by_name, new_by_name);
    for (key, new) in unpaired(new_by_name, old_by_name) {
        if let ([new], Some([old])) = (new.as_slice(), old_names.get(&key).map(Vec::as_slice))
            && let Some(found) = old_by_name.remove(old)
        {
            old_by_name.insert(*new, found);
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
