//! Reads three packages into memory: every file that is not excluded, by its relative path; and
//! decides by name which files are read as YAML (rules: Packages and files).
//!
//! [`load`] returns a [`FileTriple`] for each path. `single_package` loads one package alone.

use std::fs;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use super::Settings;
use super::disk::hash;
use super::file_triple::{FileTriple, Source};
use super::ignored::Ignored;
use super::input::{Input, Kind, Listing};
use super::rules::RULES_FILE;
use super::write::{LEFT_OUT, settle};
use crate::error::{Error, Warning, shown};
use crate::triple::{Side, Triple};

/// The command line options that name the sides.
const OPTIONS: Triple<&str> = Triple::new("--ancestor", "--from", "--to");

/// Three packages in memory.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// The folder that paths in the local package are relative to.
    pub(crate) root: PathBuf,
    /// Sorted by path.
    pub(crate) triples: Vec<FileTriple>,
    /// The kind of each path in the local folder.
    pub(crate) local_kinds: FxHashMap<PathBuf, Kind>,
    /// The fingerprint of upstream's changes. It identifies the merge.
    pub(crate) merge: u64,
    pub(crate) warnings: Vec<Warning>,
}

/// Reads three packages.
///
/// # Errors
/// If a side does not exist or cannot be read, if folders and files are mixed, or if a pattern of
/// `settings` is invalid; [`Error::Unfinished`] if an unfinished run has to be undone first.
pub(crate) fn load(sides: &Triple<Input>, settings: &Settings) -> Result<Loaded, Error> {
    let names = YamlNames::of(&settings.matches)?;
    let kinds = sides
        .as_ref()
        .zip(OPTIONS)
        .try_map(|(side, option)| match side {
            Input::Disk(path) => Ok((side.name(), is_folder(path, option)?)),
            Input::Read(_) => Ok((side.name(), true)),
        })?
        .into_array();
    let folder = kinds.iter().find(|(_, is_folder)| *is_folder);
    let file = kinds.iter().find(|(_, is_folder)| !is_folder);
    let mut loaded = match (folder, file) {
        (Some((folder, _)), Some((file, _))) => {
            let help = "give three folders, or three files: \
                        --ancestor, --from and --to must all be folders or all be files";
            return Err(mixed(folder, file, help));
        }
        (None, _) => load_files(sides, settings, &names)?,
        (Some(_), None) => load_folders(sides, settings, &names)?,
    };
    loaded.merge = fingerprint(&loaded.triples);
    settle(&loaded.root, loaded.merge)?;
    Ok(loaded)
}

/// Returns true if the path given to `option` is a folder, false if it is a file.
pub(crate) fn is_folder(path: &Path, option: &'static str) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(metadata) if metadata.is_file() => Ok(false),
        Ok(_) => Err(Error::option(
            option,
            path,
            "is neither a file nor a folder",
            format!("give {option} a regular file or a folder"),
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(missing(option, path)),
        Err(error) => Err(Error::reading(path)(error)),
    }
}

/// Returns the error for sides of which one is a folder and another one a file.
pub(super) fn mixed(folder: &Path, file: &Path, help: &str) -> Error {
    let (folder, file) = (shown(folder), shown(file));
    Error::refused(format!("{folder} is a folder and {file} is a file"), help)
}

/// Returns the error for a path of an option that does not exist.
pub(super) fn missing(option: &str, path: &Path) -> Error {
    let help = format!("check the path given to {option}");
    Error::option(option, path, "does not exist", help)
}

/// Returns the folder of a file, and its name there. A link that the user named is resolved: its
/// target is written, the link is not replaced.
pub(super) fn folder_and_name(file: &Path) -> Result<(PathBuf, PathBuf), Error> {
    let file = fs::canonicalize(file).map_err(Error::reading(file))?;
    let name = PathBuf::from(file.file_name().unwrap_or_default());
    let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
    Ok((folder, name))
}

/// Loads three files.
fn load_files(
    sides: &Triple<Input>,
    settings: &Settings,
    names: &YamlNames,
) -> Result<Loaded, Error> {
    let paths = sides.as_ref().map(Input::name);
    let yaml = paths.into_array().iter().any(|path| names.matches(path));
    let (root, name) = folder_and_name(paths.local)?;
    let local = root.join(&name);
    let sources = if yaml || !settings.yaml_only {
        let paths = Triple {
            local: local.as_path(),
            ..paths
        };
        paths.try_map(|path| Source::read(path, yaml).map(Some))?
    } else {
        Triple::default()
    };
    Ok(Loaded {
        root,
        triples: vec![FileTriple::new(name, yaml, sources)],
        ..Loaded::default()
    })
}

/// Loads three folders.
pub(super) fn load_folders(
    sides: &Triple<Input>,
    settings: &Settings,
    names: &YamlNames,
) -> Result<Loaded, Error> {
    let mut warnings = Vec::new();
    let ((original, updated), local) = rayon::join(
        || rayon::join(|| sides.original.list(), || sides.updated.list()),
        || sides.local.list(),
    );
    let mut listings = Triple::new(original, updated, local);
    let mut ignored = Ignored::of(sides, &listings, settings, &mut warnings)?;
    for path in listings.updated.take_reserved() {
        warnings.push(Warning::about(&path, LEFT_OUT));
    }
    listings.original.take_reserved();
    let included = |(side, listing): (&Input, Listing)| {
        for (path, error) in listing.errors {
            if !ignored.matches(&path, true) {
                return Err(Error::reading(&side.name().join(path))(error));
            }
        }
        let mut entries = listing.entries;
        entries.retain(|(path, kind)| {
            !settings.is_excluded(path) && !ignored.matches(path, *kind == Kind::Folder)
        });
        Ok(entries)
    };
    let listings = sides.as_ref().zip(listings).try_map(included)?;

    let local_kinds = listings.local.iter().cloned().collect();
    let mut triples = Vec::new();
    for (path, kinds) in by_path(listings) {
        if path == Path::new(RULES_FILE) {
            continue; // it configures the merge
        }
        let is_link_or_special =
            |kind: &&Option<Kind>| matches!(kind, Some(Kind::Link(_) | Kind::Special));
        if kinds.as_ref().into_array().iter().any(is_link_or_special) {
            warnings.extend(special_file_warning(sides, &path, &kinds)?);
            continue;
        }
        let yaml = names.matches(&path);
        let files = kinds.map(|kind| kind == Some(Kind::File));
        if files.into_array().contains(&true) && (yaml || !settings.yaml_only) {
            triples.push((path, yaml, files));
        }
    }
    triples.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    warnings.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(Loaded {
        root: sides.local.name().to_owned(),
        triples: read_all(sides, triples)?,
        local_kinds,
        warnings,
        ..Loaded::default()
    })
}

/// Returns the paths on any side that the ignore files of the local and the updated package
/// exclude.
pub(crate) fn ignored(sides: &Triple<Input>, settings: &Settings) -> Result<Vec<PathBuf>, Error> {
    let listings = sides.as_ref().map(Input::list);
    let mut ignored = Ignored::of(sides, &listings, settings, &mut Vec::new())?;
    let entries = listings.into_iter().flat_map(|it| it.entries);
    let paths = entries.filter(|(path, kind)| ignored.matches(path, *kind == Kind::Folder));
    Ok(paths.map(|(path, _)| path).collect())
}

/// Returns a hash of upstream's changes, by which two runs of the same merge are recognized.
fn fingerprint(triples: &[FileTriple]) -> u64 {
    let mut hasher = FxHasher::default();
    for triple in triples {
        let bytes = triple.bytes();
        if bytes.original == bytes.updated {
            continue;
        }
        hasher.write(triple.path.as_os_str().as_encoded_bytes());
        for side in [bytes.original, bytes.updated] {
            hasher.write_usize(side.map_or(usize::MAX, |bytes| bytes.len()));
            hasher.write_u64(side.map_or(0, |bytes| hash(bytes)));
        }
    }
    hasher.finish()
}

fn by_path(listings: Triple<Vec<(PathBuf, Kind)>>) -> FxHashMap<PathBuf, Triple<Option<Kind>>> {
    let mut paths: FxHashMap<PathBuf, Triple<Option<Kind>>> = FxHashMap::default();
    for (side, listing) in Side::ALL.zip(listings) {
        for (path, kind) in listing {
            paths.entry(path).or_default()[side] = Some(kind);
        }
    }
    paths
}

/// Returns a warning if upstream changed a path that is a symbolic link or special file on one
/// side, and local does not have that change. Such paths are left unchanged.
fn special_file_warning(
    sides: &Triple<Input>,
    path: &Path,
    kinds: &Triple<Option<Kind>>,
) -> Result<Option<Warning>, Error> {
    let is_same = |left: Side, right: Side| match (&kinds[left], &kinds[right]) {
        (Some(Kind::File), Some(Kind::File)) => {
            let [left, right] = [left, right].map(|side| sides[side].read(path, false));
            Ok(left?.bytes == right?.bytes)
        }
        (left, right) => Ok(left == right),
    };
    if is_same(Side::Original, Side::Updated)? || is_same(Side::Updated, Side::Local)? {
        return Ok(None);
    }
    let kind = "which is a link or no regular file on one side";
    let what = match &kinds.updated {
        None => format!("upstream deleted this, {kind}"),
        Some(Kind::Link(to)) => format!("upstream has a symbolic link to {} here", to.display()),
        Some(_) => format!("upstream changed this, {kind}"),
    };
    Ok(Some(Warning::about(
        path,
        format!("{what}; links are not merged, update it yourself"),
    )))
}

/// Reads the files of all sides in parallel. Each triple has the path, whether its name is one of
/// YAML, and the sides that have a file there.
fn read_all(
    sides: &Triple<Input>,
    triples: Vec<(PathBuf, bool, Triple<bool>)>,
) -> Result<Vec<FileTriple>, Error> {
    let read_triple = |(path, yaml, files): (PathBuf, bool, Triple<bool>)| {
        let mut read: Triple<Option<Source>> = Triple::default();
        for side in Side::ALL.into_iter().filter(|side| files[*side]) {
            let mut source = sides[side].read(&path, yaml)?;
            let is_same = |other: &&Source| other.bytes == source.bytes;
            // sides with equal bytes share them
            if let Some(other) = read.as_ref().into_iter().flatten().find(is_same) {
                source.bytes = other.bytes.clone();
            }
            read[side] = Some(source);
        }
        Ok(FileTriple::new(path, yaml, read))
    };
    let results: Vec<Result<FileTriple, Error>> = triples
        .into_par_iter()
        .with_max_len(1)
        .map(read_triple)
        .collect();
    Error::all(results)
}

/// The names of the files that are read as YAML without `--yaml`.
pub(crate) const YAML_NAMES: [&str; 4] = ["*.yaml", "*.yml", "*.json", "Kptfile"];

/// The names of the files that are read as YAML.
#[derive(Default)]
pub(super) struct YamlNames(GlobSet);

/// Returns true if a file is read as YAML by default.
pub(crate) fn is_yaml_name(path: &Path) -> bool {
    static NAMES: LazyLock<YamlNames> = LazyLock::new(|| YamlNames::of(&[]).unwrap_or_default());
    NAMES.matches(path)
}

/// Returns a glob for paths, in which only `**` crosses a slash.
pub(super) fn path_glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}

impl YamlNames {
    /// Returns the names that `patterns` match; the default ones if there are none.
    pub(super) fn of(patterns: &[String]) -> Result<Self, Error> {
        let default = YAML_NAMES.iter().filter(|_| patterns.is_empty()).copied();
        let wrong = |pattern: &str, error: globset::Error| Error::pattern(pattern, error.kind());
        let mut set = GlobSetBuilder::new();
        for pattern in patterns.iter().map(String::as_str).chain(default) {
            set.add(path_glob(pattern).map_err(|error| wrong(pattern, error))?);
        }
        let set = set.build();
        Ok(Self(
            set.map_err(|error| wrong(&patterns.join(" "), error))?,
        ))
    }

    /// Returns true if the relative path or the file name matches.
    pub(super) fn matches(&self, path: &Path) -> bool {
        let name = path.file_name();
        self.0.is_match(path) || name.is_some_and(|name| self.0.is_match(name))
    }
}
