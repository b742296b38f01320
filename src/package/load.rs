//! Reads three packages into memory: every file that is not excluded, by its relative path.

use std::fs;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use super::Settings;
use super::disk::hash;
use super::file_triple::{FileTriple, Roots, Source};
use super::ignored::Ignored;
use super::input::Input;
use super::rules::RULES_FILE;
use super::walk::{Kind, Listing};
use super::write::{LEFT_OUT, Left, left_at, settle};
use super::yaml_names::YamlNames;
use crate::error::{Error, Warning, shown};
use crate::triple::{self, Triple};

/// The options that name the sides.
const OPTIONS: Triple<&str> = Triple::new("--ancestor", "--from", "--to");

/// Three packages, read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) roots: Roots,
    /// By path.
    pub(crate) triples: Vec<FileTriple>,
    /// What is in the local folder.
    pub(crate) local_kinds: FxHashMap<PathBuf, Kind>,
    /// The fingerprint of what upstream changed: which merge this is.
    pub(crate) merge: u64,
    pub(crate) warnings: Vec<Warning>,
    /// What a run left at the local package that did not come to its end, until that is settled.
    left: Option<Left>,
}

/// Reads three packages, the local one as it is where no run is left half done.
///
/// # Errors
/// A side that is missing, not of the others' sort, or not readable; a pattern that is none;
/// [`Error::Unfinished`].
pub(crate) fn load(sides: &Triple<Input>, settings: &Settings) -> Result<Loaded, Error> {
    let names = YamlNames::of(&settings.matches)?;
    let kinds = sides
        .as_ref()
        .zip(OPTIONS)
        .try_map(|(side, option)| Ok((side.name(), side_kind(side, option)?)))?;
    let kinds = kinds.into_array();
    let folder = kinds.iter().find(|(_, is_folder)| *is_folder);
    let file = kinds.iter().find(|(_, is_folder)| !is_folder);
    let mut loaded = match (folder, file) {
        (Some((folder, _)), Some((file, _))) => {
            let help = "give three folders, or three files: \
                        --ancestor, --from and --to must be of one sort";
            return Err(mixed(folder, file, help));
        }
        (None, _) => load_files(&sides.as_ref().map(Input::to_path), settings, &names)?,
        (Some(_), None) => load_folders(sides, settings, &names)?,
    };
    loaded.merge = fingerprint(&loaded.triples);
    settle(&loaded.roots.local(), loaded.left.take(), loaded.merge)?;
    Ok(loaded)
}

/// Whether a side is a folder.
fn side_kind(side: &Input, option: &'static str) -> Result<bool, Error> {
    match side {
        Input::Disk(path) => root_kind(path, option),
        Input::Read(_) => Ok(true),
    }
}

/// Whether a path is a folder's.
pub(crate) fn root_kind(path: &Path, option: &'static str) -> Result<bool, Error> {
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

/// A folder is given for one side, and a file for another.
pub(super) fn mixed(folder: &Path, file: &Path, help: &str) -> Error {
    let (folder, file) = (shown(folder), shown(file));
    Error::refused(format!("{folder} is a folder and {file} is a file"), help)
}

/// Nothing is where an option says.
pub(super) fn missing(option: &str, path: &Path) -> Error {
    let help = format!("check the path given to {option}");
    Error::option(option, path, "does not exist", help)
}

/// Three files.
fn load_files(
    sides: &Triple<PathBuf>,
    settings: &Settings,
    names: &YamlNames,
) -> Result<Loaded, Error> {
    let yaml = sides
        .as_ref()
        .into_array()
        .iter()
        .any(|path| names.have(path));
    let sources = if yaml || !settings.yaml_only {
        sides
            .as_ref()
            .try_map(|path| Source::read(path, yaml).map(Some))?
    } else {
        Triple::default()
    };
    // a link that was named on purpose is resolved, so that its target is written and not the link
    // replaced
    let local = fs::canonicalize(&sides.local).map_err(Error::reading(&sides.local))?;
    let name = PathBuf::from(local.file_name().unwrap_or_default());
    let roots = Roots::Files(Triple {
        local,
        ..sides.clone()
    });
    Ok(Loaded {
        left: left_at(&roots.local())?,
        roots,
        triples: vec![FileTriple::new(name, yaml, sources)],
        local_kinds: FxHashMap::default(),
        merge: 0,
        warnings: Vec::new(),
    })
}

/// Three folders.
fn load_folders(
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
    let left = listings.local.left.take();
    for path in listings.updated.take_reserved() {
        warnings.push(Warning::about(&path, LEFT_OUT));
    }
    listings.original.take_reserved();
    let listings = sides
        .as_ref()
        .zip(listings)
        .try_map(|(side, mut listing)| {
            listing
                .entries
                .retain(|(path, _)| !settings.is_excluded(path));
            keep(side.name(), listing, &mut ignored)
        })?;

    let local_kinds = listings.local.iter().cloned().collect();
    let mut triples = Vec::new();
    for (path, kinds) in by_path(listings) {
        if path == Path::new(RULES_FILE) {
            continue; // local's own, and about the merge itself
        }
        let is_entity = |kind: &&Option<Kind>| matches!(kind, Some(Kind::Link(_) | Kind::Special));
        if kinds.as_ref().into_array().iter().any(is_entity) {
            warnings.extend(entity_warning(sides, &path, &kinds)?);
            continue;
        }
        let yaml = names.have(&path);
        let files = kinds.map(|kind| kind == Some(Kind::File));
        if files.into_array().contains(&true) && (yaml || !settings.yaml_only) {
            triples.push((path, yaml, files));
        }
    }
    triples.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    warnings.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(Loaded {
        roots: Roots::Folders(sides.as_ref().map(Input::to_path)),
        triples: read_all(sides, triples)?,
        local_kinds,
        merge: 0,
        warnings,
        left,
    })
}

/// The paths that the ignore files of the local and the updated package exclude, on any side.
pub(crate) fn ignored(sides: &Triple<Input>, settings: &Settings) -> Result<Vec<PathBuf>, Error> {
    let listings = sides.as_ref().map(Input::list);
    let mut ignored = Ignored::of(sides, &listings, settings, &mut Vec::new())?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for (path, kind) in listings.into_array().into_iter().flat_map(|it| it.entries) {
        if ignored.matches(&path, kind == Kind::Folder) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// A number for what upstream changed, so that it can be told whether two merges are the same.
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

/// What is not excluded.
pub(super) fn keep(
    root: &Path,
    listing: Listing,
    ignored: &mut Ignored,
) -> Result<Vec<(PathBuf, Kind)>, Error> {
    for (path, error) in listing.errors {
        if !ignored.matches(&path, true) {
            return Err(Error::reading(&root.join(path))(error));
        }
    }
    let mut entries = listing.entries;
    entries.retain(|(path, kind)| !ignored.matches(path, *kind == Kind::Folder));
    Ok(entries)
}

fn by_path(listings: Triple<Vec<(PathBuf, Kind)>>) -> FxHashMap<PathBuf, Triple<Option<Kind>>> {
    let mut paths: FxHashMap<PathBuf, Triple<Option<Kind>>> = FxHashMap::default();
    for (side, listing) in triple::Side::ALL.zip(listings).into_array() {
        for (path, kind) in listing {
            paths.entry(path).or_default()[side] = Some(kind);
        }
    }
    paths
}

/// Links and pipes are left alone; where upstream did something to one, that is said.
fn entity_warning(
    sides: &Triple<Input>,
    path: &Path,
    kinds: &Triple<Option<Kind>>,
) -> Result<Option<Warning>, Error> {
    let same = |left: (&Input, &Option<Kind>), right: (&Input, &Option<Kind>)| {
        let both_files = *left.1 == Some(Kind::File) && left.1 == right.1;
        if both_files {
            return Ok(left.0.read(path, false)?.bytes == right.0.read(path, false)?.bytes);
        }
        Ok(left.1 == right.1)
    };
    let entities = sides.as_ref().zip(kinds.as_ref());
    if same(entities.original, entities.updated)? || same(entities.updated, entities.local)? {
        return Ok(None);
    }
    let what = match &kinds.updated {
        None => "upstream deleted this, which is a link or no regular file on one side".to_owned(),
        Some(Kind::Link(target)) => {
            format!("upstream has a symbolic link to {} here", target.display())
        }
        Some(_) => {
            "upstream changed this, which is a link or no regular file on one side".to_owned()
        }
    };
    Ok(Some(Warning::about(
        path,
        format!("{what}; links are left alone, see to it by hand"),
    )))
}

/// Reads the files of all sides, in parallel.
fn read_all(
    sides: &Triple<Input>,
    triples: Vec<(PathBuf, bool, Triple<bool>)>,
) -> Result<Vec<FileTriple>, Error> {
    let read_triple = |(path, yaml, files): (PathBuf, bool, Triple<bool>)| {
        let read = |side: &Input, is_file: bool, known: [Option<&Source>; 2]| {
            let source = is_file.then(|| side.read(&path, yaml)).transpose()?;
            Ok(source.map(|source| source.sharing(known)))
        };
        let original = read(&sides.original, files.original, [None, None])?;
        let updated = read(&sides.updated, files.updated, [original.as_ref(), None])?;
        let known = [original.as_ref(), updated.as_ref()];
        let local = read(&sides.local, files.local, known)?;
        let sides = Triple::new(original, updated, local);
        Ok(FileTriple::new(path, yaml, sides))
    };
    let results: Vec<Result<FileTriple, Error>> = triples
        .into_par_iter()
        .with_max_len(1)
        .map(read_triple)
        .collect();
    Error::all(results)
}
