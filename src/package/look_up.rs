//! Finds the documents of one file on all sides, paired as a merge pairs them, for `merge3
//! explain`.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::Settings;
use super::definitions::options_of;
use super::input::Input;
use super::jobs::{jobs, members};
use super::load::load;
use super::pair::pair;
use super::read::{ReadFile, read_sides};
use super::rules::load_rules;
use crate::error::Error;
use crate::merge::Options;
use crate::triple::Triple;

/// A document on all sides that have it.
#[derive(Debug)]
pub struct Paired {
    /// Its text on each side.
    pub texts: Triple<Option<String>>,
    /// Whether it is a resource.
    pub resource: bool,
    /// Whether upstream added it to a file or folder that local deleted as a whole.
    pub stays_out: bool,
    /// The options it merges with: those of the run and the rules that match it.
    pub options: Options,
}

/// Returns the documents that are in `file` on any side.
///
/// # Errors
/// As for [`plan`](super::plan()).
pub fn documents_in(
    sides: &Triple<PathBuf>,
    settings: &Settings,
    file: &Path,
) -> Result<Vec<Paired>, Error> {
    let rules = load_rules(settings.config.as_ref(), &sides.local)?;
    let mut loaded = load(&sides.as_ref().map(Input::disk), settings)?;
    let options = options_of(settings, &rules, &mut loaded)?;
    let files = loaded.triples.par_iter().map(|triple| match triple.yaml {
        true => ReadFile {
            readings: read_sides(triple, usize::MAX),
            by_documents: true,
        },
        false => ReadFile::default(),
    });
    let files: Vec<ReadFile<'_>> = files.collect();
    // if the sides are files instead of folders, there is one triple
    let is_requested =
        |triple: usize| loaded.triples.len() == 1 || loaded.triples[triple].path == file;
    let mut documents = Vec::new();
    let groups = pair(&files, settings.path_merge_key);
    let jobs = jobs(&loaded.triples, &files, &groups, &loaded.local_kinds);
    for group in groups {
        let refs = group.into_array();
        if !refs.iter().flatten().any(|it| is_requested(it.triple)) {
            continue;
        }
        let parsed = members(&files, &group);
        let document = parsed.local.or(parsed.updated).or(parsed.original);
        let triple = group.local.or(group.updated).or(group.original);
        let path = triple.map_or(file, |it| &loaded.triples[it.triple].path);
        documents.push(Paired {
            texts: parsed.map(|it| it.map(|it| it.document.text.to_owned())),
            stays_out: group.original.is_none()
                && group.local.is_none()
                && group
                    .updated
                    .is_some_and(|it| jobs[it.triple].deleted_whole.is_some()),
            resource: document.is_some_and(|it| it.resource.is_some()),
            options: rules.options(&options, path, document).into_owned(),
        });
    }
    Ok(documents)
}
