//! One package, read by itself.

use std::fs;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHasher;

use super::ignored::Ignored;
use super::load::{keep, read_error, root_kind, settle};
use super::names::YamlNames;
use super::rules::RULES_FILE;
use super::run_folder::{Left, left_at};
use super::side::Side;
use super::slot::Source;
use super::walk::Kind;
use crate::error::{Error, Warning};

/// One package, read: its YAML files.
#[derive(Debug)]
pub(crate) struct Package {
    /// The folder that paths are relative to.
    pub(crate) root: PathBuf,
    /// The files, by path.
    pub(crate) files: Vec<(PathBuf, Source)>,
    /// What a run left that did not come to its end.
    pub(crate) left: Option<Left>,
    pub(crate) warnings: Vec<Warning>,
}

impl Package {
    /// A number for what is in it.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (path, source) in &self.files {
            hasher.write(path.as_os_str().as_encoded_bytes());
            hasher.write_u64(source.bytes.hash());
        }
        hasher.finish()
    }

    /// As [`Loaded::settle`].
    ///
    /// # Errors
    /// [`Error::Unfinished`] where a run did a part of its work.
    pub(crate) fn settle(&mut self, merge: u64) -> Result<(), Error> {
        settle(&self.root, self.left.take(), merge)
    }
}

/// Reads the YAML files of one package; a file that is named is one whatever it is called.
///
/// # Errors
/// A path that is missing or not readable; a pattern that is none.
pub(crate) fn load_package(
    path: &Path,
    option: &'static str,
    matches: &[String],
) -> Result<Package, Error> {
    let names = YamlNames::of(matches)?;
    if !root_kind(path, option)? {
        let file = fs::canonicalize(path).map_err(|error| read_error(path, error))?;
        let name = PathBuf::from(file.file_name().unwrap_or_default());
        let root = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        return Ok(Package {
            left: left_at(&root)?,
            root,
            files: vec![(name, Source::read(path, true)?)],
            warnings: Vec::new(),
        });
    }
    let mut warnings = Vec::new();
    let mut listing = Side::disk(path).list();
    let mut ignored = Ignored::default();
    ignored.add(&Side::disk(path), &listing, &mut warnings)?;
    let left = listing.left.take();
    let mut paths: Vec<PathBuf> = keep(path, listing, &mut ignored)?
        .into_iter()
        .filter(|(path, kind)| *kind == Kind::File && names.have(path))
        .map(|(path, _)| path)
        .filter(|path| path != Path::new(RULES_FILE))
        .collect();
    paths.sort_unstable();
    let files = paths
        .into_par_iter()
        .map(|relative| Source::read(&path.join(&relative), true).map(|source| (relative, source)))
        .collect::<Result<_, Error>>()?;
    Ok(Package {
        root: path.to_owned(),
        files,
        left,
        warnings,
    })
}
