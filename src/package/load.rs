//! Three packages in memory: every file that all three sides' rules let in, by its relative path.

use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Settings;
use super::ignored::Ignored;
use super::rules::RULES_FILE;
use super::walk::{Kind, Listing, list};
use crate::error::{Error, Warning};
use crate::merge::pins::is_file_pinned;
use crate::triple::Triple;

/// The file names that are read as YAML unless `--match` says otherwise (SPEC 2).
const YAML_NAMES: [&str; 4] = ["*.yaml", "*.yml", "*.json", "Kptfile"];
/// The options that name the sides.
const OPTIONS: Triple<&str> = Triple::new("--ancestor", "--from", "--to");

/// A file's bytes, and what the disk says about it.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) bytes: Vec<u8>,
    /// None where it is on no disk.
    pub(crate) permissions: Option<Permissions>,
}

/// The files at one relative path.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) path: PathBuf,
    /// Whether the name is one of YAML.
    pub(crate) yaml: bool,
    pub(crate) sides: Triple<Option<Source>>,
}

/// Where the three packages are.
#[derive(Debug)]
pub(crate) enum Roots {
    /// In folders.
    Folders(Triple<PathBuf>),
    /// Each is one file.
    Files(Triple<PathBuf>),
}

impl Slot {
    /// Whether the first line of the local file pins it (SPEC 8).
    pub(crate) fn is_pinned(&self) -> bool {
        let local = self.sides.local.as_ref();
        local.is_some_and(|local| is_file_pinned(&local.bytes, self.yaml))
    }
}

impl Roots {
    /// Where the files at a relative path are.
    pub(crate) fn paths(&self, path: &Path) -> Triple<PathBuf> {
        match self {
            Self::Folders(folders) => folders.as_ref().map(|folder| folder.join(path)),
            Self::Files(files) => files.clone(),
        }
    }

    /// The folder that paths in the local package are relative to.
    pub(crate) fn local(&self) -> PathBuf {
        match self {
            Self::Folders(folders) => folders.local.clone(),
            Self::Files(files) => files
                .local
                .parent()
                .map_or_else(PathBuf::new, Path::to_owned),
        }
    }
}

/// Three packages, read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) roots: Roots,
    /// By path.
    pub(crate) slots: Vec<Slot>,
    /// What is in the local folder.
    pub(crate) local_kinds: FxHashMap<PathBuf, Kind>,
    /// Temporary files in the local folder that a killed run left.
    pub(crate) leftovers: Vec<PathBuf>,
    pub(crate) warnings: Vec<Warning>,
}

/// Reads three packages.
///
/// # Errors
/// A side that is missing, not of the others' sort, or not readable; a pattern that is none.
pub(crate) fn load(sides: &Triple<PathBuf>, settings: &Settings) -> Result<Loaded, Error> {
    let names = yaml_names(&settings.matches)?;
    let kinds = sides
        .as_ref()
        .zip(OPTIONS)
        .try_map(|(path, option)| Ok((path, root_kind(path, option)?)))?;
    let kinds = kinds.into_array();
    let folder = kinds.iter().find(|(_, is_folder)| *is_folder);
    let file = kinds.iter().find(|(_, is_folder)| !is_folder);
    match (folder, file) {
        (Some((folder, _)), Some((file, _))) => Err(Error::Mixed {
            folder: folder.to_path_buf(),
            file: file.to_path_buf(),
            help: "give three folders, or three files: --ancestor, --from and --to must be of one sort",
        }),
        (None, _) => load_files(sides, settings, &names),
        (Some(_), None) => load_folders(sides, settings, &names),
    }
}

/// One package, read: its YAML files.
#[derive(Debug)]
pub(crate) struct Package {
    /// The folder that paths are relative to.
    pub(crate) root: PathBuf,
    /// The files, by path.
    pub(crate) files: Vec<(PathBuf, Source)>,
    pub(crate) leftovers: Vec<PathBuf>,
    pub(crate) warnings: Vec<Warning>,
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
    let names = yaml_names(matches)?;
    if !root_kind(path, option)? {
        let file = fs::canonicalize(path).map_err(|error| read_error(path, error))?;
        let name = PathBuf::from(file.file_name().unwrap_or_default());
        return Ok(Package {
            root: file.parent().map_or_else(PathBuf::new, Path::to_owned),
            files: vec![(name, read(path)?)],
            leftovers: Vec::new(),
            warnings: Vec::new(),
        });
    }
    let mut warnings = Vec::new();
    let mut listing = list(path);
    let mut ignored = Ignored::default();
    ignored.add(path, &listing, &mut warnings)?;
    let leftovers = std::mem::take(&mut listing.leftovers);
    let mut paths: Vec<PathBuf> = keep(path, listing, &mut ignored)?
        .into_iter()
        .filter(|(path, kind)| *kind == Kind::File && has_yaml_name(&names, path))
        .map(|(path, _)| path)
        .filter(|path| path != Path::new(RULES_FILE))
        .collect();
    paths.sort_unstable();
    let files = paths
        .into_par_iter()
        .map(|relative| read(&path.join(&relative)).map(|source| (relative, source)))
        .collect::<Result<_, Error>>()?;
    Ok(Package {
        root: path.to_owned(),
        files,
        leftovers,
        warnings,
    })
}

fn yaml_names(matches: &[String]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    let given = matches.iter().map(String::as_str);
    let patterns: Vec<&str> = if matches.is_empty() {
        YAML_NAMES.to_vec()
    } else {
        given.collect()
    };
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .build()
            .map_err(|error| Error::Pattern {
                pattern: pattern.to_owned(),
                message: error.kind().to_string(),
            })?;
        set.add(glob);
    }
    set.build().map_err(|error| Error::Pattern {
        pattern: matches.join(" "),
        message: error.kind().to_string(),
    })
}

/// A pattern is held against the relative path and against the file name.
fn has_yaml_name(names: &GlobSet, path: &Path) -> bool {
    names.is_match(path) || path.file_name().is_some_and(|name| names.is_match(name))
}

/// Whether a side is a folder.
pub(crate) fn root_kind(path: &Path, option: &'static str) -> Result<bool, Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(true),
        Ok(metadata) if metadata.is_file() => Ok(false),
        Ok(_) => Err(Error::Unsupported {
            option,
            path: path.to_owned(),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Error::Missing {
            option,
            path: path.to_owned(),
        }),
        Err(error) => Err(read_error(path, error)),
    }
}

fn load_files(
    sides: &Triple<PathBuf>,
    settings: &Settings,
    names: &GlobSet,
) -> Result<Loaded, Error> {
    let yaml = sides
        .as_ref()
        .into_array()
        .iter()
        .any(|path| has_yaml_name(names, path));
    let sources = if yaml || !settings.yaml_only {
        sides.as_ref().try_map(|path| read(path).map(Some))?
    } else {
        Triple::default()
    };
    // a link that was named on purpose is resolved, so that its target is written and not the link replaced
    let local = fs::canonicalize(&sides.local).map_err(|error| read_error(&sides.local, error))?;
    let name = PathBuf::from(local.file_name().unwrap_or_default());
    Ok(Loaded {
        roots: Roots::Files(Triple {
            local,
            ..sides.clone()
        }),
        slots: vec![Slot {
            path: name,
            yaml,
            sides: sources,
        }],
        local_kinds: FxHashMap::default(),
        leftovers: Vec::new(),
        warnings: Vec::new(),
    })
}

fn load_folders(
    sides: &Triple<PathBuf>,
    settings: &Settings,
    names: &GlobSet,
) -> Result<Loaded, Error> {
    let mut warnings = Vec::new();
    let mut listings = sides.as_ref().map(|path| list(path));
    let mut ignored = Ignored::default();
    ignored.add(&sides.local, &listings.local, &mut warnings)?;
    ignored.add(&sides.updated, &listings.updated, &mut warnings)?;
    let leftovers = std::mem::take(&mut listings.local.leftovers);
    let listings = sides
        .as_ref()
        .zip(listings)
        .try_map(|(root, listing)| keep(root, listing, &mut ignored))?;

    let local_kinds = listings.local.iter().cloned().collect();
    let mut slots = Vec::new();
    for (path, kinds) in by_path(listings) {
        if path == Path::new(RULES_FILE) {
            continue; // local's own, and about the merge itself
        }
        let is_entity = |kind: &&Option<Kind>| matches!(kind, Some(Kind::Link(_) | Kind::Special));
        if kinds.as_ref().into_array().iter().any(is_entity) {
            warnings.extend(entity_warning(sides, &path, &kinds)?);
            continue;
        }
        let yaml = has_yaml_name(names, &path);
        let files = kinds.map(|kind| kind == Some(Kind::File));
        if files.into_array().contains(&true) && (yaml || !settings.yaml_only) {
            slots.push((path, yaml, files));
        }
    }
    slots.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    warnings.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(Loaded {
        roots: Roots::Folders(sides.clone()),
        slots: read_all(sides, slots)?,
        local_kinds,
        leftovers,
        warnings,
    })
}

/// What is not excluded.
fn keep(
    root: &Path,
    listing: Listing,
    ignored: &mut Ignored,
) -> Result<Vec<(PathBuf, Kind)>, Error> {
    for (path, error) in listing.errors {
        if !ignored.matches(&path, true) {
            return Err(read_error(&root.join(path), error));
        }
    }
    let mut entries = listing.entries;
    entries.retain(|(path, kind)| !ignored.matches(path, *kind == Kind::Folder));
    Ok(entries)
}

fn by_path(listings: Triple<Vec<(PathBuf, Kind)>>) -> FxHashMap<PathBuf, Triple<Option<Kind>>> {
    let mut paths: FxHashMap<PathBuf, Triple<Option<Kind>>> = FxHashMap::default();
    for (path, kind) in listings.original {
        paths.entry(path).or_default().original = Some(kind);
    }
    for (path, kind) in listings.updated {
        paths.entry(path).or_default().updated = Some(kind);
    }
    for (path, kind) in listings.local {
        paths.entry(path).or_default().local = Some(kind);
    }
    paths
}

/// Links and pipes are left alone; where upstream did something to one, that is said.
fn entity_warning(
    sides: &Triple<PathBuf>,
    path: &Path,
    kinds: &Triple<Option<Kind>>,
) -> Result<Option<Warning>, Error> {
    let same = |left: (&PathBuf, &Option<Kind>), right: (&PathBuf, &Option<Kind>)| {
        let both_files = *left.1 == Some(Kind::File) && left.1 == right.1;
        if both_files {
            return Ok(read(&left.0.join(path))?.bytes == read(&right.0.join(path))?.bytes);
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
    sides: &Triple<PathBuf>,
    slots: Vec<(PathBuf, bool, Triple<bool>)>,
) -> Result<Vec<Slot>, Error> {
    let read_slot = |(path, yaml, files): (PathBuf, bool, Triple<bool>)| {
        let sources = sides
            .as_ref()
            .zip(files)
            .try_map(|(root, is_file)| is_file.then(|| read(&root.join(&path))).transpose())?;
        Ok(Slot {
            path,
            yaml,
            sides: sources,
        })
    };
    let results: Vec<Result<Slot, Error>> = slots.into_par_iter().map(read_slot).collect();
    let mut errors = Vec::new();
    let mut read = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(slot) => read.push(slot),
            Err(error) => errors.push(error),
        }
    }
    Error::from_many(errors).map_or(Ok(read), Err)
}

pub(crate) fn read(path: &Path) -> Result<Source, Error> {
    let source = || {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(Source {
            bytes,
            permissions: Some(metadata.permissions()),
        })
    };
    source().map_err(|error| read_error(path, error))
}

fn read_error(path: &Path, error: std::io::Error) -> Error {
    Error::Read {
        path: path.to_owned(),
        error,
    }
}
