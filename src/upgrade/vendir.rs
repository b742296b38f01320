//! Reads where a folder comes from that vendir put there, from `vendir.yml` and `vendir.lock.yml`.

use std::path::{Path, PathBuf};

use super::address::{Address, Location, Origin};
use super::edit::text_at;
use crate::error::Error;
use crate::package::read_own;
use crate::yaml::{NodeId, Tree};

/// The address of what vendir has put into a folder; `None` if it has not.
///
/// # Errors
/// Where what the files say is no address.
pub(super) fn address_of(folder: &Path) -> Result<Option<Address>, Error> {
    let Ok(folder) = folder.canonicalize() else {
        return Ok(None);
    };
    for above in folder.ancestors() {
        let text = |name: &str| {
            let bytes = read_own(&above.join(name)).ok()?;
            String::from_utf8(bytes).ok()
        };
        let (Some(config), Some(lock)) = (text("vendir.yml"), text("vendir.lock.yml")) else {
            continue;
        };
        let (Ok(Some(config)), Ok(Some(lock))) = (Tree::parse(&config), Tree::parse(&lock)) else {
            continue;
        };
        let sought = folder.strip_prefix(above).unwrap_or(&folder);
        let (wanted, locked) = (content(&config, sought), content(&lock, sought));
        if let (Some(wanted), Some(locked)) = (wanted, locked) {
            return address(&config, wanted, &lock, locked);
        }
    }
    Ok(None)
}

/// What a file says of a folder.
fn content(tree: &Tree<'_>, folder: &Path) -> Option<NodeId> {
    let directories = tree.at(&["directories"])?;
    for directory in tree.entries(directories) {
        let directory = tree.entry(directory).value;
        let above = PathBuf::from(text_at(tree, directory, &["path"])?);
        for content in tree.entries(tree.field(directory, "contents")?) {
            let content = tree.entry(content).value;
            let path = text_at(tree, content, &["path"])?;
            let whole = above.join(path);
            if whole.components().eq(folder.components()) {
                return Some(content);
            }
        }
    }
    None
}

fn address(
    config: &Tree<'_>,
    wanted: NodeId,
    lock: &Tree<'_>,
    locked: NodeId,
) -> Result<Option<Address>, Error> {
    let said = |path: &[&str]| text_at(config, wanted, path);
    if let (Some(url), Some(commit)) = (
        said(&["git", "url"]),
        text_at(lock, locked, &["git", "sha"]),
    ) {
        let directory = said(&["newRootPath"]).unwrap_or_default();
        return Ok(Some(Address {
            location: Location::Clear(Origin::new(&url, &directory)?),
            reference: Some(commit),
        }));
    }
    let chart = said(&["helmChart", "name"]);
    let url = said(&["helmChart", "repository", "url"]);
    let version = text_at(lock, locked, &["helmChart", "version"]);
    let (Some(chart), Some(url), Some(version)) = (chart, url, version) else {
        return Ok(None);
    };
    let base = url.trim_end_matches('/');
    let origin = match base.starts_with("oci://") {
        true => Origin::new(&format!("{base}/{chart}"), "")?,
        false => Origin::new(&format!("helm+{base}"), &chart)?,
    };
    Ok(Some(Address {
        location: Location::Clear(origin),
        reference: Some(version),
    }))
}
