//! The schema of a run: the kinds built into Kubernetes, and those that custom resource definitions
//! add.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_triple::Source;
use super::load::Loaded;
use super::parsed::{Broken, ParsedFile};
use super::rules::Rules;
use super::{SchemaSource, Settings};
use crate::error::{Error, Place, Warning};
use crate::merge::Options;
use crate::schema::Schema;
use crate::triple::Side;

/// What every custom resource definition says of itself.
const KIND: &[u8] = b"CustomResourceDefinition";

/// The options of a run, with the schema that it asks for, if it asks for one. Definitions in
/// updated count more than local's, and these more than the original's.
///
/// # Errors
/// As for [`schema`].
pub(crate) fn options_of(
    settings: &Settings,
    rules: &Rules,
    loaded: &mut Loaded,
) -> Result<Options, Error> {
    let source = rules.schema_source(settings.schema.as_ref());
    let schema = source.map(|source| {
        let (triples, roots) = (&loaded.triples, &loaded.roots);
        let files = [Side::Original, Side::Local, Side::Updated].map(|side| {
            let yaml = triples.iter().filter(|triple| triple.yaml);
            yaml.filter_map(move |triple| {
                let source = triple.sides[side].as_ref()?;
                Some((roots.paths(triple)[side].clone(), source))
            })
        });
        let files = files.into_iter().flatten();
        schema(Some(&source), files, &mut loaded.warnings)
    });
    let schema = schema.transpose()?.map(Arc::new);
    Ok(Options {
        schema,
        ..settings.merge.clone()
    })
}

/// The kinds that are known to a run: of several definitions of one kind, that of a file that was
/// given counts most, then the last one of `files`. One of `files` that cannot be used is a
/// warning.
///
/// # Errors
/// Where a file that was given cannot be read, or does not hold definitions that can be used.
pub(crate) fn schema<'f>(
    given: Option<&SchemaSource>,
    files: impl Iterator<Item = (PathBuf, &'f Source)>,
    warnings: &mut Vec<Warning>,
) -> Result<Schema, Error> {
    let mut schema = Schema::kubernetes();
    for (path, source) in files {
        if memchr::memmem::find(&source.bytes, KIND).is_none() {
            continue;
        }
        let text = String::from_utf8_lossy(&source.bytes);
        // what is no YAML is told of elsewhere
        if let Ok(file) = ParsedFile::parse(&path, &text)
            && let Err(broken) = add(&mut schema, &path, &file)
        {
            let message = format!(
                "the schema of this definition is not used: {}",
                broken.message
            );
            warnings.push(Warning::at(broken.place, message));
        }
    }
    for path in given.into_iter().flat_map(|given| &given.definitions) {
        let source = Source::read(path, true)?;
        let text = String::from_utf8_lossy(&source.bytes);
        let added = ParsedFile::parse(path, &text).and_then(|file| add(&mut schema, path, &file));
        let problem = ": no custom resource definition that can be used";
        if added.map_err(|it| it.to_error(problem, "repair the file"))? == 0 {
            return Err(no_definition(path, &text));
        }
    }
    Ok(schema)
}

/// Adds the kinds that a file defines; returns how many.
fn add(schema: &mut Schema, path: &Path, file: &ParsedFile<'_>) -> Result<usize, Box<Broken>> {
    let mut added = 0;
    for parsed in &file.documents {
        let Some(tree) = parsed.kept() else { continue };
        added += schema.add_definition(tree).map_err(|error| {
            Box::new(Broken {
                place: Place::new(path, file.text, parsed.document.start + error.offset),
                message: error.message,
                help: error.help,
                utf8: true,
            })
        })?;
    }
    Ok(added)
}

fn no_definition(path: &Path, text: &str) -> Error {
    Error::unfit(
        Place::new(path, text, 0),
        "it defines no kind",
        "no custom resource definition with a schema is in this file",
        "give --crd a file with a document of kind CustomResourceDefinition",
    )
}
