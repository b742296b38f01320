//! A copy of a package that is there already: where it comes from, recorded; and what has changed
//! in it since.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::address::{Address, Place};
use super::get::{put, refuse_password};
use super::kptfile;
use super::objects::Modes;
use super::record::{self, Form, KPTFILE, RULES_FILE, with_record};
use super::registry::is_archive;
use super::remote::{Refs, Remotes, Resolved, is_hash};
use super::splice::get;
use super::vendir;
use super::version::{Choice, Tag};
use crate::error::{Error, Warning};
use crate::package::{Entry, Snapshot, read_own, replace};

/// How many versions that have most files alike are compared line by line.
const COMPARED: usize = 5;
/// How many versions are looked at, the newest first.
const MOST: usize = 1000;
/// How many archives are looked at, the newest first: each is fetched as a whole.
const ARCHIVES: usize = 20;
/// How long the lines of a file are compared.
const PATIENCE: Duration = Duration::from_millis(500);

/// A copy whose origin is known now.
#[derive(Debug)]
pub struct Adopted {
    /// Where it comes from.
    pub place: Place,
    /// Its version.
    pub version: Resolved,
    /// The file in which its record is.
    pub record: PathBuf,
    /// How near the copy is to that version.
    pub nearness: Nearness,
}

/// How near a copy is to a version of upstream's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Nearness {
    /// The files of both that are the same.
    pub same: usize,
    /// The files of both that differ.
    pub changed: usize,
    /// The lines that differ in them, and those of text files that only one has.
    pub lines: usize,
    /// The files that only upstream has.
    pub missing: usize,
    /// The files that only the copy has.
    pub added: usize,
}

/// Records where the copy in `folder` comes from: `address` (`REPO[/DIR][@REF]`), or without a ref
/// the version there whose files are nearest to the copy. Without an address it is where vendir has
/// it from. Nothing but the record is written.
///
/// # Errors
/// Where it has a record, or upstream cannot be read.
pub fn adopt(
    remotes: &Remotes<'_>,
    folder: &Path,
    address: Option<&str>,
    choice: Choice,
) -> Result<Adopted, Error> {
    let wrong = |message: &str, help: &str| wrong(folder, message, help);
    if !folder.is_dir() {
        return Err(wrong(
            "there is no such folder",
            "name the folder with the copy",
        ));
    }
    if record::read(folder)?.is_some() {
        let help = "bring it up to date with `merge3 upgrade`, or take `upstream` and `upstreamLock` out of its record";
        return Err(wrong("it says already where it comes from", help));
    }
    let is_named = address.is_some();
    let address = match address {
        Some(address) => Address::parse(address)?,
        None => vendir::address_of(folder)?.ok_or_else(|| {
            let help = "say it: merge3 adopt FOLDER REPO[/DIR][@REF]";
            wrong("no vendir.lock.yml says where it comes from", help)
        })?,
    };
    let (place, reference) = remotes.locate(&address)?;
    refuse_password(&place)?;
    let refs = remotes.refs(&place.repository)?;
    let here = local(folder)?;
    let version = match &reference {
        Some(name) => refs.resolve(name, &place.directory),
        None => unnamed(remotes, &place, &refs, &here, choice)?,
    };
    let version =
        version.ok_or_else(|| refs.no_version(&place, reference.as_deref().unwrap_or("HEAD")))?;
    let version = remotes.fixed(&place, version)?;
    let version = match is_named {
        true => version,
        false => tagged(&place, &refs, version),
    };
    let fetched = remotes.snapshot(&place, &version, &Modes::of_system()?)?;
    let nearness = nearness(&here, &fetched.snapshot);
    if nearness.same + nearness.changed == 0 {
        let message = format!("no file of it is in {} at {}", place.shown(), version.name);
        return Err(wrong(
            &message,
            "name the folder in the repository: REPO/DIR[@REF]",
        ));
    }
    let has_kptfile = here.entries.contains_key(Path::new(KPTFILE));
    let name = match has_kptfile && Form::of(&place.repository).is_git() {
        true => KPTFILE,
        false => RULES_FILE,
    };
    put_record(folder, name, &place, &version)?;
    Ok(Adopted {
        place,
        version,
        record: name.into(),
        nearness,
    })
}

fn wrong(folder: &Path, message: &str, help: &str) -> Error {
    Error::Package {
        path: folder.to_owned(),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}

fn put_record(folder: &Path, name: &str, place: &Place, version: &Resolved) -> Result<(), Error> {
    let file = folder.join(name);
    let text = match read_own(&file) {
        Ok(bytes) => String::from_utf8(bytes)
            .map_err(|_| wrong(&file, "it is not UTF-8", "save the file as UTF-8"))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Error::Read { path: file, error }),
    };
    let text = with_record(&file, &text, place, version)?;
    replace(&file, text.as_bytes()).map_err(|error| Error::Write {
        path: file,
        error,
        written: 0,
    })
}

/// The files of a copy; this program's own are none of them.
fn local(folder: &Path) -> Result<Snapshot, Error> {
    let mut snapshot = super::one::of_disk(folder, &crate::package::Settings::default())?;
    snapshot.entries.remove(Path::new(RULES_FILE));
    Ok(snapshot)
}

/// The tag of a commit, where it has one: a package that follows a commit stays there.
fn tagged(place: &Place, refs: &Refs, version: Resolved) -> Resolved {
    let all = Choice {
        pre_releases: true,
        ..Choice::default()
    };
    let tags = candidates(place, refs, all).into_iter();
    let mut tags = tags.filter(|tag| tag.commit == version.commit && is_hash(&version.name));
    tags.next().unwrap_or(version)
}

/// The version that a copy's `Chart.yaml` says.
fn chart_version(here: &Snapshot) -> Option<String> {
    match here.entries.get(Path::new("Chart.yaml"))? {
        Entry::File { bytes, .. } => get(std::str::from_utf8(bytes).ok()?, &["version"]),
        _ => None,
    }
}

/// The version of a copy that nobody names.
fn unnamed(
    remotes: &Remotes<'_>,
    place: &Place,
    refs: &Refs,
    here: &Snapshot,
    choice: Choice,
) -> Result<Option<Resolved>, Error> {
    let is_archive = is_archive(&place.repository);
    // a chart says its version, unless that was changed here
    let said = chart_version(here).filter(|_| is_archive);
    let said = said.and_then(|name| refs.resolve(&name, &place.directory));
    if said.is_some() {
        return Ok(said);
    }
    let versions = candidates(place, refs, choice);
    if versions.is_empty() {
        return Ok(refs.first(&place.directory, choice));
    }
    if !is_archive {
        return nearest(remotes, place, versions, here);
    }
    let newest = versions.into_iter().take(ARCHIVES);
    let newest = newest.map(|version| remotes.fixed(place, version));
    let newest: Vec<Resolved> = newest.collect::<Result<_, _>>()?;
    closest(remotes, place, newest.iter(), here)
}

/// The version whose files are nearest to those of a copy; of equal ones the newest.
fn nearest(
    remotes: &Remotes<'_>,
    place: &Place,
    versions: Vec<Resolved>,
    here: &Snapshot,
) -> Result<Option<Resolved>, Error> {
    let trees = remotes.trees(place, &versions)?;
    let hashes = remotes.hashes(place, here)?;
    let mut seen = BTreeSet::new();
    // of versions that have the same files, the newest
    let mut best: Vec<(usize, &Resolved)> = Vec::new();
    for version in &versions {
        let Some(files) = trees.get(&version.commit) else {
            continue;
        };
        if seen.insert(files) {
            best.push((apart(files, &hashes), version));
        }
    }
    best.sort_by_key(|(apart, _)| *apart);
    best.truncate(COMPARED);
    let best: Vec<&Resolved> = best.into_iter().map(|(_, version)| version).collect();
    let wanted: Vec<(&Place, &Resolved)> = best.iter().map(|it| (place, *it)).collect();
    remotes.fetch(&wanted, "adopt");
    closest(remotes, place, best.into_iter(), here)
}

/// The version whose lines are nearest to those of a copy; of equal ones the first.
fn closest<'v>(
    remotes: &Remotes<'_>,
    place: &Place,
    versions: impl Iterator<Item = &'v Resolved>,
    here: &Snapshot,
) -> Result<Option<Resolved>, Error> {
    let modes = Modes::of_system()?;
    let mut near = Vec::new();
    for version in versions {
        let fetched = remotes.snapshot(place, version, &modes)?;
        let far = nearness(here, &fetched.snapshot);
        near.push((far.lines, far.changed + far.missing, version));
    }
    let nearest = near
        .into_iter()
        .min_by_key(|(lines, files, _)| (*lines, *files));
    Ok(nearest.map(|(_, _, version)| version.clone()))
}

/// The tags that name a version of the package, the newest first.
fn candidates(place: &Place, refs: &Refs, choice: Choice) -> Vec<Resolved> {
    let directory = place.directory.as_str();
    let last = directory.rsplit('/').next().unwrap_or_default();
    let tags = refs
        .tags()
        .filter_map(|name| Some((Tag::parse(name)?, name)));
    let tags = tags.filter(|(tag, _)| choice.pre_releases || tag.version.pre.is_empty());
    let tags: Vec<(Tag<'_>, &str)> = tags.collect();
    let of = |prefix: &str| {
        let own = tags.iter().filter(|(tag, _)| tag.prefix == prefix);
        own.cloned().collect::<Vec<_>>()
    };
    let prefixes = [format!("{directory}/"), format!("{last}/"), String::new()];
    let own = prefixes
        .iter()
        .map(|prefix| of(prefix))
        .find(|own| !own.is_empty());
    let mut own = own.unwrap_or(tags);
    own.sort_by(|(left, _), (right, _)| right.version.cmp(&left.version));
    let names = own.iter().take(MOST).map(|(_, name)| *name);
    names
        .filter_map(|name| refs.resolve(&format!("refs/tags/{name}"), ""))
        .collect()
}

/// How many files of two packages are not the same.
fn apart(left: &BTreeMap<PathBuf, String>, right: &HashMap<PathBuf, String>) -> usize {
    let same = left
        .iter()
        .filter(|(path, hash)| right.get(*path) == Some(hash));
    left.len() + right.len() - 2 * same.count()
}

/// Compares a copy with a version of upstream's.
fn nearness(here: &Snapshot, upstream: &Snapshot) -> Nearness {
    let bytes = |snapshot: &Snapshot, path: &Path| match snapshot.entries.get(path) {
        Some(Entry::File { bytes, .. }) => Some(bytes.clone()),
        _ => None,
    };
    let paths: BTreeSet<&PathBuf> = here.entries.keys().chain(upstream.entries.keys()).collect();
    let mut told = Nearness::default();
    for path in paths {
        match (bytes(here, path), bytes(upstream, path)) {
            (Some(left), Some(right)) if left == right => told.same += 1,
            (Some(left), Some(right)) => {
                told.changed += 1;
                told.lines += lines(&left, &right);
            }
            (None, Some(right)) => {
                told.missing += 1;
                told.lines += lines(&[], &right);
            }
            (Some(_), None) => told.added += 1,
            (None, None) => {}
        }
    }
    told
}

/// How many lines two files do not have in common.
fn lines(left: &[u8], right: &[u8]) -> usize {
    let [left, right] = [left, right].map(String::from_utf8_lossy);
    let diff = similar::TextDiff::configure()
        .timeout(PATIENCE)
        .diff_lines(&*left, &*right);
    let changes = diff.iter_all_changes();
    let apart = changes.filter(|change| change.tag() != similar::ChangeTag::Equal);
    apart.count()
}

/// The package as it was when its files were made from upstream, in a folder of its own: what is
/// this program's or kpt's bookkeeping is the same there as here.
///
/// # Errors
/// Where the package has no record, or upstream cannot be read.
pub fn original(remotes: &Remotes<'_>, package: &Path) -> Result<TempDir, Error> {
    let record = record::read(package)?.ok_or_else(|| super::fleet::no_record(package))?;
    let refs = remotes.refs(&record.lock.place.repository)?;
    let version = super::one::current(&record, &refs);
    let place = &record.lock.place;
    let mut snapshot = remotes
        .snapshot(place, &version, &Modes::of_system()?)?
        .snapshot;
    kptfile::keep_locals(&mut snapshot, package)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Write {
            path,
            error,
            written: 0,
        }
    };
    let folder = tempfile::tempdir().map_err(failed(&std::env::temp_dir()))?;
    let mut left_out: Vec<Warning> = Vec::new();
    put(snapshot, folder.path(), &mut left_out)?;
    let rules = package.join(RULES_FILE);
    if rules.is_file() && !rules.is_symlink() {
        let to = folder.path().join(RULES_FILE);
        fs::copy(&rules, &to).map_err(failed(&to))?;
    }
    Ok(folder)
}
