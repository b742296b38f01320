//! Reads the origin of a folder that vendir wrote, from `vendir.yml` and `vendir.lock.yml`.

use std::path::{Path, PathBuf};

use super::address::{Address, Origin};
use super::edit::text_at;
use crate::error::Error;
use crate::package::read_own;
use crate::yaml::{NodeId, Tree};

/// Returns the address of the contents of a folder; `None` if vendir's files do not name the
/// folder.
///
/// # Errors
/// If the files name an invalid address.
pub(super) fn address_of(folder: &Path) -> Result<Option<Address>, Error> {
    let Ok(folder) = folder.canonicalize() else {
        return Ok(None);
    };
    for ancestor in folder.ancestors() {
        let text = |name: &str| String::from_utf8(read_own(&ancestor.join(name)).ok()?).ok();
        let (Some(config), Some(lock)) = (text("vendir.yml"), text("vendir.lock.yml")) else {
            continue;
        };
        let (Ok(Some(config)), Ok(Some(lock))) = (Tree::parse(&config), Tree::parse(&lock)) else {
            continue;
        };
        let relative = folder.strip_prefix(ancestor).unwrap_or(&folder);
        let (wanted, locked) = (content(&config, relative), content(&lock, relative));
        if let (Some(wanted), Some(locked)) = (wanted, locked) {
            return address(&config, wanted, &lock, locked);
        }
    }
    Ok(None)
}

/// Returns the entry of `contents` for a folder, in one of vendir's files.
fn content(tree: &Tree<'_>, folder: &Path) -> Option<NodeId> {
    let directories = tree.at(&["directories"])?;
    for directory in tree.values(directories) {
        let parent = PathBuf::from(text_at(tree, directory, &["path"])?);
        for content in tree.values(tree.field(directory, "contents")?) {
            let path = text_at(tree, content, &["path"])?;
            if parent.join(path).components().eq(folder.components()) {
                return Some(content);
            }
        }
    }
    None
}

/// Makes an address of an entry in the configuration and the one of the same folder in the lock
/// file.
fn address(
    config: &Tree<'_>,
    wanted: NodeId,
    lock: &Tree<'_>,
    locked: NodeId,
) -> Result<Option<Address>, Error> {
    let configured = |path: &[&str]| text_at(config, wanted, path);
    let locked = |path: &[&str]| text_at(lock, locked, path);
    let (git, sha) = (configured(&["git", "url"]), locked(&["git", "sha"]));
    if let (Some(url), Some(commit)) = (git, sha) {
        let directory = configured(&["newRootPath"]).unwrap_or_default();
        let origin = Origin::new(&url, &directory)?;
        return Ok(Some(Address(vec![(origin, Some(commit))])));
    }
    let chart = configured(&["helmChart", "name"]);
    let url = configured(&["helmChart", "repository", "url"]);
    let version = locked(&["helmChart", "version"]);
    let (Some(chart), Some(url), Some(version)) = (chart, url, version) else {
        return Ok(None);
    };
    let base = url.trim_end_matches('/');
    let origin = match base.starts_with("oci://") {
        true => Origin::new(&format!("{base}/{chart}"), "")?,
        false => Origin::new(&format!("helm+{base}"), &chart)?,
    };
    Ok(Some(Address(vec![(origin, Some(version))])))
}
