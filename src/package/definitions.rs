//! The schema of a run: the kinds built into Kubernetes, and those that custom resource definitions
//! add.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::load::Loaded;
use super::parsed::{Broken, ParsedFile, Trees};
use super::rules::Rules;
use super::slot::Source;
use super::{SchemaSource, Settings};
use crate::error::{Error, Place, Warning};
use crate::merge::Options;
use crate::schema::Schema;
use crate::triple::Triple;

/// What every custom resource definition says of itself.
const KIND: &[u8] = b"CustomResourceDefinition";

/// The options of a run, with the schema that it asks for, if it asks for one.
///
/// # Errors
/// As for [`schema`].
pub(crate) fn options_of(
    settings: &Settings,
    rules: &Rules,
    loaded: &mut Loaded,
) -> Result<Options, Error> {
    let schema = match rules.schema_source(settings.schema.as_ref()) {
        Some(source) => Some(Arc::new(schema_of(&source, loaded)?)),
        None => None,
    };
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
    source: &SchemaSource,
    files: impl Iterator<Item = (PathBuf, &'f Source)>,
    warnings: &mut Vec<Warning>,
) -> Result<Schema, Error> {
    let mut schema = Schema::kubernetes();
    for (path, file) in files {
        if memchr::memmem::find(&file.bytes, KIND).is_none() {
            continue;
        }
        // what is no YAML is told of elsewhere
        if let Err(Problem::Definition { place, message, .. }) =
            add(&mut schema, &path, &file.bytes)
        {
            let message = format!("the schema of this definition is not used: {message}");
            warnings.push(Warning::at(*place, message));
        }
    }
    for path in &source.definitions {
        let file = Source::read(path, true)?;
        match add(&mut schema, path, &file.bytes) {
            Ok(0) => return Err(no_definition(path, &file.bytes)),
            Ok(_) => {}
            Err(problem) => return Err(problem.into_error()),
        }
    }
    Ok(schema)
}

/// As [`schema`], with the definitions in three packages: those of updated count more than local's,
/// and these more than the original's.
///
/// # Errors
/// As for [`schema`].
pub(crate) fn schema_of(source: &SchemaSource, loaded: &mut Loaded) -> Result<Schema, Error> {
    let Loaded {
        slots,
        roots,
        warnings,
        ..
    } = loaded;
    let of_side = |side: fn(&Triple<Option<Source>>) -> &Option<Source>,
                   path: fn(Triple<PathBuf>) -> PathBuf| {
        slots.iter().filter(|slot| slot.yaml).filter_map({
            let roots = &*roots;
            move |slot| Some((path(roots.paths(&slot.path)), side(&slot.sides).as_ref()?))
        })
    };
    let files = of_side(|sides| &sides.original, |paths| paths.original)
        .chain(of_side(|sides| &sides.local, |paths| paths.local))
        .chain(of_side(|sides| &sides.updated, |paths| paths.updated));
    schema(source, files, warnings)
}

/// Why definitions cannot be used.
enum Problem {
    File(Box<Broken>),
    Definition {
        place: Box<Place>,
        message: String,
        help: Option<String>,
    },
}

/// Adds the kinds that a file defines; returns how many.
fn add(schema: &mut Schema, path: &Path, bytes: &[u8]) -> Result<usize, Problem> {
    let text = String::from_utf8_lossy(bytes);
    let file = ParsedFile::parse(path, &text, Trees::Kept).map_err(Problem::File)?;
    let mut added = 0;
    for parsed in &file.documents {
        let Some(tree) = parsed.kept() else { continue };
        added += schema
            .add_definition(tree)
            .map_err(|error| Problem::Definition {
                place: Box::new(Place::new(
                    path,
                    &text,
                    parsed.document.start + error.offset,
                )),
                message: error.message,
                help: error.help,
            })?;
    }
    Ok(added)
}

impl Problem {
    fn into_error(self) -> Error {
        let (place, message, help) = match self {
            Self::File(broken) => (Box::new(broken.place), broken.message, broken.help),
            Self::Definition {
                place,
                message,
                help,
            } => (place, message, help),
        };
        Error::unfit(
            place,
            "no custom resource definition that can be used",
            message,
            help.unwrap_or_else(|| "repair the file".to_owned()),
        )
    }
}

fn no_definition(path: &Path, bytes: &[u8]) -> Error {
    Error::unfit(
        Place::new(path, &String::from_utf8_lossy(bytes), 0),
        "it defines no kind",
        "no custom resource definition with a schema is in this file",
        "give --crd a file with a document of kind CustomResourceDefinition",
    )
}
