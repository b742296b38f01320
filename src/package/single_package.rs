//! Loads one package by itself, for `patch`, `apply` and `diff`; `load` loads three.

use std::fs;
use std::hash::Hasher as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use super::disk::hash;
use super::file_triple::Source;
use super::ignored::Ignored;
use super::input::{Input, LARGEST};
use super::items::Origins;
use super::load::{keep, root_kind};
use super::rules::RULES_FILE;
use super::walk::Kind;
use super::write::{Left, left_at, settle};
use super::yaml_names::YamlNames;
use crate::error::{Error, Warning};

/// One package, read: its YAML files.
#[derive(Debug)]
pub(crate) struct Package {
    /// The folder that paths are relative to.
    pub(crate) root: PathBuf,
    /// Whether it is a folder, and not one file.
    pub(crate) is_folder: bool,
    /// The files, by path.
    pub(crate) files: Vec<(PathBuf, Source)>,
    /// What is in the folder.
    pub(crate) kinds: FxHashMap<PathBuf, Kind>,
    /// What a run left that did not come to its end.
    pub(crate) left: Option<Left>,
    /// Where files come from that were made of lists.
    pub(super) origins: Origins,
    pub(crate) warnings: Vec<Warning>,
}

impl Package {
    /// A text that is in no file, by the name that errors call it.
    pub(crate) fn of_text(name: &str, text: Vec<u8>) -> Self {
        // nothing is written where it comes from: any permissions will do
        let permissions = fs::metadata(".").ok().map(|it| it.permissions());
        let source = Source {
            permissions,
            ..Source::in_memory(text)
        };
        Self::of_file(PathBuf::new(), name.into(), source)
    }

    fn of_file(root: PathBuf, name: PathBuf, source: Source) -> Self {
        Self {
            root,
            is_folder: false,
            files: vec![(name, source)],
            kinds: FxHashMap::default(),
            left: None,
            origins: Origins::default(),
            warnings: Vec::new(),
        }
    }

    /// A number for what is in it.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (path, source) in &self.files {
            hasher.write(path.as_os_str().as_encoded_bytes());
            hasher.write_u64(hash(&source.bytes));
        }
        hasher.finish()
    }

    /// The files with the paths that they can be read at.
    pub(crate) fn located(&self) -> impl Iterator<Item = (PathBuf, &Source)> {
        let files = self.files.iter();
        files.map(|(path, source)| (self.root.join(path), source))
    }

    /// As [`settle`].
    ///
    /// # Errors
    /// [`Error::Unfinished`] where a run did a part of its work.
    pub(crate) fn settle(&mut self, merge: u64) -> Result<(), Error> {
        settle(&self.root, self.left.take(), merge)
    }
}

/// What stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// What comes on standard input, however often it is asked for.
pub(crate) fn standard_input() -> Result<&'static [u8], Error> {
    static TEXT: OnceLock<Vec<u8>> = OnceLock::new();
    if TEXT.get().is_none() {
        let mut text = Vec::new();
        let input = io::stdin().lock().take(LARGEST + 1);
        { input }
            .read_to_end(&mut text)
            .map_err(Error::reading(Path::new(STANDARD_INPUT)))?;
        if text.len() as u64 > LARGEST {
            return Err(Error::too_large(Path::new(STANDARD_INPUT), LARGEST));
        }
        // whoever was first has read all of it
        let _ = TEXT.set(text);
    }
    Ok(TEXT.get().map_or(&[], Vec::as_slice))
}

/// Reads the YAML files of one package; a file that is named is one whatever it is called, and `-`
/// is standard input.
///
/// # Errors
/// A path that is missing or not readable; a pattern that is none.
pub(crate) fn load_package(
    path: &Path,
    option: &'static str,
    matches: &[String],
) -> Result<Package, Error> {
    let names = YamlNames::of(matches)?;
    if path == Path::new(STANDARD_INPUT) {
        return Ok(Package::of_text(STANDARD_INPUT, standard_input()?.to_vec()));
    }
    if !root_kind(path, option)? {
        let file = fs::canonicalize(path).map_err(Error::reading(path))?;
        let name = PathBuf::from(file.file_name().unwrap_or_default());
        let root = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        return Ok(Package {
            left: left_at(&root)?,
            ..Package::of_file(root, name, Source::read(path, true)?)
        });
    }
    let mut warnings = Vec::new();
    let mut listing = Input::disk(path).list();
    let mut ignored = Ignored::default();
    ignored.add(&Input::disk(path), &listing, &mut warnings)?;
    let left = listing.left.take();
    let kinds: FxHashMap<PathBuf, Kind> = keep(path, listing, &mut ignored)?.into_iter().collect();
    let mut paths: Vec<PathBuf> = kinds
        .iter()
        .filter(|(path, kind)| **kind == Kind::File && names.have(path))
        .map(|(path, _)| path.clone())
        .filter(|path| path != Path::new(RULES_FILE))
        .collect();
    paths.sort_unstable();
    let files = paths
        .into_par_iter()
        .map(|relative| Source::read(&path.join(&relative), true).map(|source| (relative, source)))
        .collect::<Result<_, Error>>()?;
    Ok(Package {
        root: path.to_owned(),
        is_folder: true,
        files,
        kinds,
        left,
        origins: Origins::default(),
        warnings,
    })
}
