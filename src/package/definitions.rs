//! Builds the schema of a run: the kinds built into Kubernetes, and those that custom resource
//! definitions add.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Settings;
use super::file_triple::Source;
use super::load::Loaded;
use super::parsed::{Broken, ParsedFile};
use super::rules::Rules;
use crate::error::{Error, Place, Warning};
use crate::merge::Options;
use crate::schema::Schema;
use crate::triple::Side;

/// The kind of a custom resource definition, as it is in the text of each.
const KIND: &[u8] = b"CustomResourceDefinition";

/// Returns the options of a run, with a schema if the settings or rules ask for one. Definitions in
/// the updated package take precedence over local's, and local's over the original's.
///
/// # Errors
/// As for [`schema`].
pub(crate) fn options_of(
    settings: &Settings,
    rules: &Rules,
    loaded: &mut Loaded,
) -> Result<Options, Error> {
    let definitions = rules.definitions(settings.schema.as_deref());
    let schema = definitions.map(|given| {
        let yaml = || loaded.triples.iter().filter(|triple| triple.yaml);
        let sides = [Side::Original, Side::Local, Side::Updated].into_iter();
        let files = sides.flat_map(|side| yaml().filter_map(move |it| it.sides[side].as_ref()));
        schema(Some(&given), files, &mut loaded.warnings)
    });
    let schema = schema.transpose()?.map(Arc::new);
    Ok(Options {
        schema,
        ..settings.merge.clone()
    })
}

/// Returns the kinds that a run knows. If a kind has several definitions, one in a file of `given`
/// takes precedence, then the last one of `files`. A definition in `files` that cannot be used is
/// a warning.
///
/// # Errors
/// If a file of `given` cannot be read, or has no definition that can be used.
pub(crate) fn schema<'f>(
    given: Option<&[PathBuf]>,
    files: impl Iterator<Item = &'f Source>,
    warnings: &mut Vec<Warning>,
) -> Result<Schema, Error> {
    let mut schema = Schema::kubernetes();
    for source in files {
        let path = &source.path;
        if memchr::memmem::find(&source.bytes, KIND).is_none() {
            continue;
        }
        let text = String::from_utf8_lossy(&source.bytes);
        // a file that is not YAML is reported elsewhere
        if let Ok(file) = ParsedFile::parse(path, &text)
            && let Err(broken) = add(&mut schema, path, &file)
        {
            let message = format!(
                "the schema of this definition is not used: {}",
                broken.error.message
            );
            warnings.push(Warning::at(broken.place, message));
        }
    }
    for path in given.into_iter().flatten() {
        let source = Source::read(path, true)?;
        let text = String::from_utf8_lossy(&source.bytes);
        let added = ParsedFile::parse(path, &text).and_then(|file| add(&mut schema, path, &file));
        let problem = ": no custom resource definition that can be used";
        if added.map_err(|it| it.to_error(problem, "repair the file"))? == 0 {
            return Err(Error::unfit(
                Place::new(path, &text, 0),
                "it defines no kind",
                "no custom resource definition with a schema is in this file",
                "give --crd a file with a document of kind CustomResourceDefinition",
            ));
        }
    }
    Ok(schema)
}

/// Adds the kinds that a file defines to `schema`. Returns their number.
fn add(schema: &mut Schema, path: &Path, file: &ParsedFile<'_>) -> Result<usize, Box<Broken>> {
    let mut added = 0;
    for parsed in &file.documents {
        let Some(tree) = parsed.kept() else { continue };
        let broken = |error| Broken::new(path, file.text, parsed.document.start, error);
        added += schema.add_definition(tree).map_err(broken)?;
    }
    Ok(added)
}
