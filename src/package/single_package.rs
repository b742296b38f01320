//! Loads one package alone, for `patch`, `apply` and `diff`: as the local side of three, of which
//! the others are empty.

use std::hash::Hasher as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHasher};

use super::Settings;
use super::disk::hash;
use super::file_triple::Source;
use super::input::{Input, Kind, LARGEST, Snapshot};
use super::items::Origins;
use super::load::{YamlNames, folder_and_name, is_folder, load_folders};
use crate::error::{Error, Warning};
use crate::triple::Triple;

/// The YAML files of one package, in memory.
#[derive(Debug, Default)]
pub(crate) struct Package {
    /// The folder that paths are relative to.
    pub(crate) root: PathBuf,
    /// Whether the package is a folder. Otherwise it is a file.
    pub(crate) is_folder: bool,
    /// The files, sorted by path.
    pub(crate) files: Vec<(PathBuf, Source)>,
    /// The kind of each path in the folder.
    pub(crate) kinds: FxHashMap<PathBuf, Kind>,
    /// The origins of the files that were generated from lists of resources.
    pub(super) origins: Origins,
    pub(crate) warnings: Vec<Warning>,
}

impl Package {
    /// Returns a package of one text that is not in a file. `name` is its name in errors.
    pub(crate) fn of_text(name: &str, text: Vec<u8>) -> Self {
        let source = Source {
            path: name.into(),
            ..Source::new_file(text, false)
        };
        Self::of_file(PathBuf::new(), name.into(), source)
    }

    fn of_file(root: PathBuf, name: PathBuf, source: Source) -> Self {
        Self {
            root,
            files: vec![(name, source)],
            ..Self::default()
        }
    }

    /// Returns a hash of the paths and contents of the files.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (path, source) in &self.files {
            hasher.write(path.as_os_str().as_encoded_bytes());
            hasher.write_u64(hash(&source.bytes));
        }
        hasher.finish()
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.files.iter().map(|(_, source)| source)
    }
}

/// The path that means standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Returns all of standard input. It is read once; later calls return the same bytes.
///
/// # Errors
/// If it cannot be read, or is too large.
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
        // if another thread was first, that one has read all of it
        let _ = TEXT.set(text);
    }
    Ok(TEXT.get().map_or(&[], Vec::as_slice))
}

/// Reads the YAML files of one package. A path to a file is read whatever its name; `-` is standard
/// input. `option` is the option that named the path.
///
/// # Errors
/// If the path does not exist or cannot be read, or a pattern of `matches` is invalid.
pub(crate) fn load_package(
    path: &Path,
    option: &'static str,
    matches: &[String],
) -> Result<Package, Error> {
    load_files(path, option, matches, true)
}

/// Like [`load_package`], with the files that are not YAML unless `matches` has patterns.
pub(super) fn load_all_files(
    path: &Path,
    option: &'static str,
    matches: &[String],
) -> Result<Package, Error> {
    load_files(path, option, matches, !matches.is_empty())
}

fn load_files(
    path: &Path,
    option: &'static str,
    matches: &[String],
    yaml_only: bool,
) -> Result<Package, Error> {
    let names = YamlNames::of(matches)?;
    if path == Path::new(STANDARD_INPUT) {
        return Ok(Package::of_text(STANDARD_INPUT, standard_input()?.to_vec()));
    }
    if !is_folder(path, option)? {
        let (root, name) = folder_and_name(path)?;
        return Ok(Package::of_file(root, name, Source::read(path, true)?));
    }
    let nothing = Input::Read(Snapshot::default());
    let sides = Triple::new(nothing.clone(), nothing, Input::disk(path));
    let settings = Settings {
        yaml_only,
        ..Settings::default()
    };
    let loaded = load_folders(&sides, &settings, &names)?;
    let files = loaded.triples.into_iter();
    Ok(Package {
        root: loaded.root,
        is_folder: true,
        files: files
            .filter_map(|triple| Some((triple.path, triple.sides.local?)))
            .collect(),
        kinds: loaded.local_kinds,
        warnings: loaded.warnings,
        ..Package::default()
    })
}
