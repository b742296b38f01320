//! The patches that turn one package into another: a document for each resource that changed.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::DiffInput;
use crate::error::Error;
use crate::package::Settings;
use crate::package::definitions::schema;
use crate::package::patching::PatchForm;
use crate::package::readable::{InFile, Readable, joined, usable};
use crate::package::resource::ResourceId;
use crate::package::secrets::patch_error;
use crate::package::single_package::{Package, load_package};
use crate::patch::{Rules, first_directive, json_difference, merge_difference};
use crate::schema::{Schema, kind_of};
use crate::yaml::{ParseError, equal_documents};

/// The patch that makes the new resources of the old ones: one document for each that changed.
/// Empty where none did.
///
/// The items of a list of resources are resources like any others, as far as a patch can name them.
///
/// # Errors
/// Where a patch cannot say it: a resource that only one of the two has, or, for a JSON patch, more
/// than one that changed.
pub fn difference(
    input: &DiffInput,
    form: PatchForm,
    settings: &Settings,
) -> Result<String, Error> {
    let mut old = load_package(&input.old, "OLD", &settings.matches)?;
    let mut new = load_package(&input.new, "NEW", &settings.matches)?;
    // what is wrong in a definition that was not given is no matter of the patch's
    let schema = schema(
        settings.schema.as_ref(),
        old.located().chain(new.located()),
        &mut Vec::new(),
    )?;
    let comparison = Comparison {
        input,
        form,
        schema,
    };
    if form == PatchForm::Json && input.resources.is_empty() {
        let olds = comparison.read(&old, &input.old)?;
        let news = comparison.read(&new, &input.new)?;
        let (olds, news) = (comparison.documents(&olds), comparison.documents(&news));
        if let ([old], [new]) = (olds.as_slice(), news.as_slice()) {
            // it names nothing, so that it can be about anything
            return Ok(comparison.one(old, new)?.unwrap_or_default());
        }
    }
    old.split_lists();
    new.split_lists();
    let olds = comparison.read(&old, &input.old)?;
    let news = comparison.read(&new, &input.new)?;
    comparison.patch(&comparison.documents(&olds), &comparison.documents(&news))
}

/// An error about a document.
fn unfit(document: &InFile<'_, '_>, message: String, help: &str) -> Error {
    unfit_at(document, document.offset_of(&["kind"]), message, help)
}

fn unfit_at(document: &InFile<'_, '_>, offset: usize, message: String, help: &str) -> Error {
    let error = ParseError::new(offset, message).with_help(help);
    document.unfit("no patch can say this", error)
}

fn called(document: &InFile<'_, '_>) -> String {
    let resource = document.parsed.resource.as_ref();
    resource.map_or_else(
        || "such document".to_owned(),
        |resource| resource.id.to_string(),
    )
}

/// By what a document is found in the other package. Of two files each is the other, whatever they
/// are called.
fn name<'f>(document: &InFile<'f, '_>, in_files: bool) -> Name<'f> {
    let file = if in_files {
        Path::new("")
    } else {
        document.file.name
    };
    match &document.parsed.resource {
        Some(resource) => Name::Resource(&resource.id),
        None => Name::Document(file, document.number),
    }
}

/// What a document is known by in both packages.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Name<'f> {
    Resource(&'f ResourceId<'f>),
    /// The file, and which of its documents.
    Document(&'f Path, usize),
}

/// Documents by name.
type ByName<'f, 'a> = FxHashMap<Name<'f>, Vec<InFile<'f, 'a>>>;

struct Comparison<'a> {
    input: &'a DiffInput,
    form: PatchForm,
    schema: Schema,
}

impl Comparison<'_> {
    fn read<'a>(&self, package: &'a Package, path: &Path) -> Result<Vec<Readable<'a>>, Error> {
        usable(path, package, "this cannot be compared")
    }

    fn documents<'f, 'a>(&self, files: &'f [Readable<'a>]) -> Vec<InFile<'f, 'a>> {
        let all = files.iter().flat_map(Readable::documents);
        all.filter(|document| document.is_meant_by(&self.input.resources))
            .collect()
    }

    fn patch(&self, old: &[InFile<'_, '_>], new: &[InFile<'_, '_>]) -> Result<String, Error> {
        let in_files = !self.input.old.is_dir() && !self.input.new.is_dir();
        let (mut olds, news) = (by_name(old, in_files), by_name(new, in_files));
        move_versions(&mut olds, &news);
        let mut patches: Vec<(InFile<'_, '_>, String)> = Vec::new();
        let mut errors = Vec::new();
        for found in new {
            let key = name(found, in_files);
            match (
                olds.get(&key).map(Vec::as_slice),
                news.get(&key).map(Vec::as_slice),
            ) {
                (Some([before]), Some([_])) => match self.changed(before, found) {
                    Ok(text) => patches.extend(text.map(|text| (*found, text))),
                    Err(error) => errors.push(error),
                },
                (Some(before), _) => errors.extend(one_of_many(before, found)),
                (None, _) => errors.push(unfit(
                    found,
                    format!("OLD has no {}", called(found)),
                    "a patch changes what is there: add the document \
                     itself, or compare with --format unified",
                )),
            }
        }
        let gone = olds.iter().filter(|(name, _)| !news.contains_key(*name));
        let mut gone: Vec<&InFile<'_, '_>> = gone.flat_map(|(_, found)| found).collect();
        gone.sort_by_key(|found| (found.file.name, found.number));
        errors.extend(gone.into_iter().map(|found| {
            unfit(
                found,
                format!("NEW has no {}", called(found)),
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

    /// The patch for a document that both have.
    fn changed(&self, old: &InFile<'_, '_>, new: &InFile<'_, '_>) -> Result<Option<String>, Error> {
        if new.parsed.resource.is_some() {
            return self.one(old, new);
        }
        if equal_documents(old.tree, new.tree) {
            return Ok(None);
        }
        Err(unfit(
            new,
            "this is no resource, and no patch can name it".to_owned(),
            "compare with --format unified, or this file alone with --format json",
        ))
    }

    fn one(&self, old: &InFile<'_, '_>, new: &InFile<'_, '_>) -> Result<Option<String>, Error> {
        let refused = |error: ParseError| {
            let help = error.help.unwrap_or_default();
            unfit_at(new, error.offset, error.message, &help)
        };
        if self.form == PatchForm::Json {
            return json_difference(old.tree, new.tree).map_err(refused);
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
        // what is above the document in its file explains it
        let head = new.parsed.document.head;
        let patch = patch.map(|patch| patch.map(|patch| format!("{head}{patch}")));
        let texts = [old.file.file.text, new.file.file.text];
        patch.map_err(|error| patch_error(&new.file.path, error, texts, |_, error| refused(error)))
    }
}

fn by_name<'f, 'a>(all: &[InFile<'f, 'a>], in_files: bool) -> ByName<'f, 'a> {
    let mut by_name = ByName::default();
    for found in all {
        let key = name(found, in_files);
        by_name.entry(key).or_default().push(*found);
    }
    by_name
}

/// Calls what is of another version of its API than in the new package by the name that it has
/// there, and so what is of another API group where Kubernetes has moved the kind.
fn move_versions<'f, 'a>(olds: &mut ByName<'f, 'a>, news: &ByName<'f, 'a>) {
    rename(olds, news, |id| Some(id.group()));
    rename(olds, news, |id| {
        Schema::is_built_in(&id.api_version, &id.kind).then_some("")
    });
}

/// Calls what alone has its `group`, kind, namespace and name in each of the two, of what only one
/// of them has, by the name that it has in the new one.
fn rename<'f, 'a>(
    olds: &mut ByName<'f, 'a>,
    news: &ByName<'f, 'a>,
    group: fn(&'f ResourceId<'f>) -> Option<&'f str>,
) {
    let alone = |all: &ByName<'f, 'a>, others: &ByName<'f, 'a>| {
        let mut alone: FxHashMap<[&'f str; 4], Vec<Name<'f>>> = FxHashMap::default();
        for name in all.keys().filter(|name| !others.contains_key(*name)) {
            if let Name::Resource(id) = name
                && let Some(group) = group(id)
            {
                let key = [group, &id.kind, &id.namespace, &id.name];
                alone.entry(key).or_default().push(*name);
            }
        }
        alone
    };
    let before = alone(olds, news);
    for (key, new) in alone(news, olds) {
        if let ([new], Some([old])) = (new.as_slice(), before.get(&key).map(Vec::as_slice))
            && let Some(found) = olds.remove(old)
        {
            olds.insert(*new, found);
        }
    }
}

/// What to say of a document whose name others have, too; nothing where it did not change.
fn one_of_many(olds: &[InFile<'_, '_>], new: &InFile<'_, '_>) -> Option<Error> {
    let is_there = olds.iter().any(|old| equal_documents(old.tree, new.tree));
    (!is_there).then(|| {
        unfit(
            new,
            format!("there is more than one {}", called(new)),
            "a patch is for the one that it names: compare the two files alone",
        )
    })
}
