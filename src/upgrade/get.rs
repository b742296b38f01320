//! A package, vendored for the first time.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::address::{Address, Place};
use super::objects::Modes;
use super::record::{KPTFILE, RULES_FILE, with_record};
use super::remote::{Remotes, Resolved};
use super::version::Choice;
use crate::error::{Error, Warning};
use crate::package::{Entry, LEFT_OUT, Snapshot, is_reserved, link, of_new};

/// A package that is new here.
#[derive(Debug)]
pub struct Vendored {
    /// Its folder.
    pub folder: PathBuf,
    /// Where it comes from.
    pub place: Place,
    /// Its version.
    pub version: Resolved,
    /// How many files it has, the record's included.
    pub files: usize,
    /// The file in which its record is.
    pub record: PathBuf,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

/// Vendors the package at `address` (`REPO[/DIR][@REF]`) into `folder`, or one of the package's name here. It is there as a whole
/// afterwards, or not at all.
///
/// # Errors
/// Where it cannot be read, and where the folder has something in it already.
pub fn get(
    remotes: &Remotes,
    address: &str,
    folder: Option<&Path>,
    choice: Choice,
) -> Result<Vendored, Error> {
    let address = Address::parse(address)?;
    let place = remotes.locate(&address)?;
    if place.has_password() {
        return Err(Error::Git {
            message: format!(
                "the address {} holds a password, which would be written into the package",
                place.shown()
            ),
            help: "leave it out, and give it to git: git help credentials".to_owned(),
        });
    }
    let refs = remotes.refs(&place.repository)?;
    let version = match &address.reference {
        Some(name) => refs.resolve(name, &place.directory),
        None => refs.first(&place.directory, choice),
    };
    let version = version.ok_or_else(|| {
        let name = address.reference.as_deref().unwrap_or("at all");
        let alike = refs.alike(name).join(", ");
        Error::Git {
            message: format!("{} has no tag, branch or commit {name}", place.shown()),
            help: match alike.as_str() {
                "" => "see what there is with `git ls-remote`".to_owned(),
                alike => format!("upstream has {alike}"),
            },
        }
    })?;
    let folder = folder.map_or_else(|| PathBuf::from(place.base_name()), Path::to_owned);
    refuse_taken(&folder)?;
    let modes = Modes::of_system()?;
    let snapshot = remotes.snapshot(&place, &version, &modes)?;
    write(&folder, snapshot, place, version, &modes)
}

fn refuse_taken(folder: &Path) -> Result<(), Error> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_free
        && folder
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
    {
        return Ok(());
    }
    Err(Error::Package {
        path: folder.to_owned(),
        message: "there is something already".to_owned(),
        help: "name a folder that does not exist yet; a package that is there already is brought up to date with `merge3 upgrade`".to_owned(),
    })
}

/// Writes the package to a folder beside its own, and renames that.
fn write(
    folder: &Path,
    snapshot: Snapshot,
    place: Place,
    version: Resolved,
    modes: &Modes,
) -> Result<Vendored, Error> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Write {
            path,
            error,
            written: 0,
        }
    };
    let above = folder
        .parent()
        .filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    fs::create_dir_all(above).map_err(failed(above))?;
    let staging = tempfile::Builder::new()
        .prefix(".merge3-")
        .tempdir_in(above)
        .map_err(failed(above))?;
    let root = staging.path().join("package");
    fs::create_dir(&root).map_err(failed(&root))?;
    let mut warnings = Vec::new();
    let mut files = 0;
    let has_kptfile = matches!(
        snapshot.entries.get(Path::new(KPTFILE)),
        Some(Entry::File { .. })
    );
    let record = PathBuf::from(if has_kptfile { KPTFILE } else { RULES_FILE });
    let mut record_text = String::new();
    for (path, entry) in snapshot.entries {
        if path == Path::new(RULES_FILE) {
            warnings.push(Warning::about(
                &path,
                "upstream's own rules for merges are left out: this file is yours",
            ));
            continue;
        }
        if is_reserved(&path) {
            warnings.push(Warning::about(&path, LEFT_OUT));
            continue;
        }
        let target = root.join(&path);
        if let Some(above) = target.parent() {
            fs::create_dir_all(above).map_err(failed(above))?;
        }
        match entry {
            Entry::File { bytes, .. } if path == record => {
                record_text = String::from_utf8(bytes).map_err(|_| Error::Package {
                    path: folder.join(&path),
                    message: "it is not UTF-8".to_owned(),
                    help: "upstream's file is broken; tell upstream".to_owned(),
                })?;
            }
            Entry::File { bytes, permissions } => {
                fs::write(&target, bytes).map_err(failed(&target))?;
                fs::set_permissions(&target, of_new(&permissions)).map_err(failed(&target))?;
                files += 1;
            }
            Entry::Link(to) if stays_within(&path, &to) => {
                link(&to, &target).map_err(failed(&target))?;
                files += 1;
            }
            Entry::Link(to) => {
                let message = format!(
                    "a symbolic link to {}, out of the package, is left out",
                    to.display()
                );
                warnings.push(Warning::about(&path, message));
            }
            Entry::Other => warnings.push(Warning::about(&path, "a submodule is left out")),
        }
    }
    let text = with_record(&folder.join(&record), &record_text, &place, &version)?;
    let target = root.join(&record);
    fs::write(&target, text).map_err(failed(&target))?;
    fs::set_permissions(&target, of_new(&modes.of_new())).map_err(failed(&target))?;
    // an empty folder may be there already
    match fs::remove_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(folder)(error)),
        _ => {}
    }
    fs::rename(&root, folder).map_err(failed(folder))?;
    Ok(Vendored {
        folder: folder.to_owned(),
        place,
        version,
        files: files + 1,
        record,
        warnings,
    })
}

/// Whether a link at `path` leads to something in the package.
fn stays_within(path: &Path, to: &Path) -> bool {
    let mut depth = path.components().count().saturating_sub(1);
    for part in to.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_within_or_does_not() {
        let within = |path: &str, to: &str| stays_within(path.as_ref(), to.as_ref());
        assert!(within("a/b", "../c"));
        assert!(within("a", "b/c"));
        assert!(!within("a", "../c"));
        assert!(!within("a/b", "../../c"));
        assert!(!within("a", "/etc/passwd"));
    }
}
