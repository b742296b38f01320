//! Parses addresses that people copy from a browser or a kustomization.

use std::path::Path;

use super::host::is_known;

/// Splits a query (`?ref=REF`) from an address; returns the address and the ref of the query.
pub(super) fn without_query(text: &str) -> (&str, Option<&str>) {
    let Some((address, query)) = text.split_once('?') else {
        return (text, None);
    };
    let mut fields = query.split('&').filter_map(|field| field.split_once('='));
    let reference = fields.find(|(name, _)| ["ref", "version"].contains(name));
    (address, reference.map(|(_, value)| value))
}

/// Adds `https://` to an address that begins with a known host, unless there is a file with the
/// host's name.
pub(super) fn with_scheme(text: &str) -> String {
    let host = text.split('/').next().unwrap_or(text);
    match is_known(host) && !Path::new(host).exists() {
        true => format!("https://{text}"),
        false => text.to_owned(),
    }
}

/// Returns the path at a known host, and the index in the address at which it begins.
fn path_at_host(location: &str) -> Option<(&str, usize)> {
    let rest = location.strip_prefix("https://")?;
    let (authority, path) = rest.split_once('/')?;
    let host = authority.rsplit('@').next()?;
    is_known(host).then_some((path, location.len() - path.len()))
}

/// Returns the index at which the repository ends, for hosts that do not nest repositories.
pub(super) fn end_at_known_host(location: &str) -> Option<usize> {
    let (path, start) = path_at_host(location)?;
    // GitLab's groups can be nested, so that a path may have any number of names
    if location.contains("gitlab.com/") {
        return None;
    }
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    slashes.next()?;
    Some(slashes.next().map_or(location.len(), |at| start + at))
}

/// Splits the address of a folder's web page into the repository and the rest: a ref and a folder.
pub(super) fn page(location: &str) -> Option<(String, String)> {
    let signs = [
        "/-/tree/",
        "/tree/",
        "/src/branch/",
        "/src/tag/",
        "/src/commit/",
    ];
    let (path, start) = match path_at_host(location) {
        Some(found) => found,
        // only GitLab has this in addresses, so that the host may have any name
        None if location.contains("/-/tree/") => (location, 0),
        None => return None,
    };
    let found = signs
        .iter()
        .filter_map(|sign| Some((path.find(sign)?, sign)));
    let (at, sign) = found.min()?;
    let rest = path[at + sign.len()..].trim_matches('/');
    let has_ref = !rest.is_empty();
    has_ref.then(|| (location[..start + at].to_owned(), rest.to_owned()))
}
