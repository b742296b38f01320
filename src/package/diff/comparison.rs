//! The patches that turn one package into another: a document for each resource that changed.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::DiffInput;
use crate::error::{Error, Place};
use crate::package::Settings;
use crate::package::definitions::schema;
use crate::package::items::{Origin, Origins};
use crate::package::parsed::Parsed;
use crate::package::patching::readable::{Readable, usable};
use crate::package::patching::{PatchForm, joined};
use crate::package::resource::ResourceId;
use crate::package::secrets;
use crate::package::single_package::{Package, load_package};
use crate::patch::{PatchError, Rules, first_directive, json_difference, merge_difference};
use crate::schema::{Schema, kind_of};
use crate::yaml::{ParseError, Tree, equal};

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
        let (olds, news) = (
            comparison.read(&old, &input.old)?,
            comparison.read(&new, &input.new)?,
        );
        let none = Origins::default();
        let documents = (
            comparison.documents(&olds, &none),
            comparison.documents(&news, &none),
        );
        if let ([old], [new]) = (documents.0.as_slice(), documents.1.as_slice()) {
            // it names nothing, so that it can be about anything
            return Ok(comparison.one(old, new)?.unwrap_or_default());
        }
    }
    let origins = (old.take_lists_apart(), new.take_lists_apart());
    let (olds, news) = (
        comparison.read(&old, &input.old)?,
        comparison.read(&new, &input.new)?,
    );
    comparison.patch(
        &comparison.documents(&olds, &origins.0),
        &comparison.documents(&news, &origins.1),
    )
}

/// A document and the file that it is in.
#[derive(Clone, Copy)]
struct Found<'f, 'a> {
    file: &'f Readable<'a>,
    origin: Option<&'f Origin>,
    /// Which document of the file.
    number: usize,
    parsed: &'f Parsed<'a>,
    tree: &'f Tree<'a>,
}

impl<'f> Found<'f, '_> {
    fn unfit(&self, message: String, help: &str) -> Error {
        let root = self.tree.root().value;
        let kind = self.tree.find(root, "kind");
        let span = kind.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        self.unfit_at(span.start as usize, message, help)
    }

    fn unfit_at(&self, offset: usize, message: String, help: &str) -> Error {
        let (path, text) = (&self.file.path, self.file.file.text);
        let offset = self.parsed.document.start + offset;
        let place = match self.origin {
            Some(origin) => origin.place(path, text, offset),
            None => Place::new(path, text, offset),
        };
        Error::unfit(place, "no patch can say this", message, help)
    }

    fn called(&self) -> String {
        let resource = self.parsed.resource.as_ref();
        resource.map_or_else(
            || "such document".to_owned(),
            |resource| resource.id.to_string(),
        )
    }

    /// By what it is found in the other package. Of two files each is the other, whatever they are
    /// called.
    fn name(&self, in_files: bool) -> Name<'f> {
        let file = if in_files {
            Path::new("")
        } else {
            self.file.name
        };
        match &self.parsed.resource {
            Some(resource) => Name::Resource(&resource.id),
            None => Name::Document(file, self.number),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.tree.root().value, other.tree.root().value);
        equal(self.tree, ours, other.tree, theirs)
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
type ByName<'f, 'a> = FxHashMap<Name<'f>, Vec<Found<'f, 'a>>>;

struct Comparison<'a> {
    input: &'a DiffInput,
    form: PatchForm,
    schema: Schema,
}

impl Comparison<'_> {
    fn read<'a>(&self, package: &'a Package, path: &Path) -> Result<Vec<Readable<'a>>, Error> {
        usable(path, package, "this cannot be compared")
    }

    fn documents<'f, 'a>(
        &self,
        files: &'f [Readable<'a>],
        origins: &'f Origins,
    ) -> Vec<Found<'f, 'a>> {
        let wanted = &self.input.resources;
        let is_wanted = |parsed: &Parsed<'_>| match &parsed.resource {
            _ if wanted.is_empty() => true,
            Some(resource) => {
                let mut wanted = wanted.iter();
                wanted.any(|selector| selector.is_of(&resource.id, parsed.kept()))
            }
            None => false,
        };
        let all = files.iter().flat_map(|file| {
            let documents = file.file.documents.iter();
            let documents = documents.filter_map(|parsed| Some((parsed, parsed.kept()?)));
            documents
                .enumerate()
                .map(move |(number, (parsed, tree))| Found {
                    file,
                    origin: origins.get(file.name),
                    number,
                    parsed,
                    tree,
                })
        });
        all.filter(|found| is_wanted(found.parsed)).collect()
    }

    fn patch(&self, old: &[Found<'_, '_>], new: &[Found<'_, '_>]) -> Result<String, Error> {
        let in_files = !self.input.old.is_dir() && !self.input.new.is_dir();
        let (mut olds, news) = (by_name(old, in_files), by_name(new, in_files));
        move_versions(&mut olds, &news);
        let mut patches: Vec<(Found<'_, '_>, String)> = Vec::new();
        let mut errors = Vec::new();
        for found in new {
            let name = found.name(in_files);
            match (olds.get(&name).map(Vec::as_slice), news.get(&name).map(Vec::as_slice)) {
                (Some([before]), Some([_])) => match self.changed(before, found) {
                    Ok(text) => patches.extend(text.map(|text| (*found, text))),
                    Err(error) => errors.push(error),
                },
                (Some(before), _) => errors.extend(one_of_many(before, found)),
                (None, _) => errors.push(found.unfit(
                    format!("OLD has no {}", found.called()),
                    "a patch changes what is there: add the document itself, or compare with --format unified",
                )),
            }
        }
        let gone = olds.iter().filter(|(name, _)| !news.contains_key(*name));
        let mut gone: Vec<&Found<'_, '_>> = gone.flat_map(|(_, found)| found).collect();
        gone.sort_by_key(|found| (found.file.name, found.number));
        errors.extend(gone.into_iter().map(|found| {
            found.unfit(
                format!("NEW has no {}", found.called()),
                "a patch changes what is there: delete the document itself, or compare with --format unified",
            )
        }));
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

    /// The patch for a document that both have.
    fn changed(&self, old: &Found<'_, '_>, new: &Found<'_, '_>) -> Result<Option<String>, Error> {
        if new.parsed.resource.is_some() {
            return self.one(old, new);
        }
        if old.is_same(new) {
            return Ok(None);
        }
        Err(new.unfit(
            "this is no resource, and no patch can name it".to_owned(),
            "compare with --format unified, or this file alone with --format json",
        ))
    }

    fn one(&self, old: &Found<'_, '_>, new: &Found<'_, '_>) -> Result<Option<String>, Error> {
        let refused = |error: ParseError| {
            let help = error.help.unwrap_or_default();
            new.unfit_at(error.offset, error.message, &help)
        };
        if self.form == PatchForm::Json {
            return json_difference(old.tree, new.tree).map_err(refused);
        }
        let kind = kind_of(new.tree, new.tree.root().value)
            .and_then(|(version, kind)| self.schema.kind(version, kind));
        let rules = match (self.form, kind) {
            (PatchForm::Strategic, Some(kind)) => Rules::Strategic(kind.place),
            _ => Rules::Merge,
        };
        if self.form == PatchForm::Strategic {
            for found in [old, new] {
                if let Some((name, offset)) = first_directive(found.tree) {
                    return Err(found.unfit_at(
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
        patch.map_err(|error| match error {
            PatchError::Patch(error) | PatchError::Target(error) => refused(error),
            PatchError::Unfaithful(error) => {
                let texts = [old.file.file.text, new.file.file.text];
                secrets::unfaithful(new.file.path.clone(), error, texts)
            }
        })
    }
}

fn by_name<'f, 'a>(all: &[Found<'f, 'a>], in_files: bool) -> ByName<'f, 'a> {
    let mut by_name = ByName::default();
    for found in all {
        let name = found.name(in_files);
        by_name.entry(name).or_default().push(*found);
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
fn one_of_many(olds: &[Found<'_, '_>], new: &Found<'_, '_>) -> Option<Error> {
    let is_there = olds.iter().any(|old| old.is_same(new));
    (!is_there).then(|| {
        new.unfit(
            format!("there is more than one {}", new.called()),
            "a patch is for the one that it names: compare the two files alone",
        )
    })
}
