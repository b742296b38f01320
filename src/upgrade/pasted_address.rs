//! Reads addresses as people paste them, from a browser or a kustomization.

use std::path::Path;

use super::host::is_known;

/// A text without what follows a question mark, and the ref that this names.
pub(super) fn without_query(text: &str) -> (&str, Option<&str>) {
    let Some((address, query)) = text.split_once('?') else {
        return (text, None);
    };
    let mut fields = query.split('&').filter_map(|field| field.split_once('='));
    let reference = fields.find(|(name, _)| ["ref", "version"].contains(name));
    (address, reference.map(|(_, value)| value))
}

/// `https://` before a known host that has no scheme, where no file is called so.
pub(super) fn with_scheme(text: &str) -> String {
    let host = text.split('/').next().unwrap_or(text);
    match is_known(host) && !Path::new(host).exists() {
        true => format!("https://{text}"),
        false => text.to_owned(),
    }
}

/// The path at a known host, and where it begins in the address.
fn path_at_host(location: &str) -> Option<(&str, usize)> {
    let rest = location.strip_prefix("https://")?;
    let (authority, path) = rest.split_once('/')?;
    let host = authority.rsplit('@').next()?;
    is_known(host).then_some((path, location.len() - path.len()))
}

/// Where the repository ends in an address at a host that has none in another one.
pub(super) fn end_at_known_host(location: &str) -> Option<usize> {
    let (path, start) = path_at_host(location)?;
    // groups of GitLab's may be in groups
    if location.contains("gitlab.com/") {
        return None;
    }
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    slashes.next()?;
    Some(slashes.next().map_or(location.len(), |at| start + at))
}

/// The repository of the page about a folder, and what follows: a ref and a folder.
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
        // a host of somebody's own, by the sign that is GitLab's alone
        None if location.contains("/-/tree/") => (location, 0),
        None => return None,
    };
    let found = signs
        .iter()
        .filter_map(|sign| Some((path.find(sign)?, sign)));
    let (at, sign) = found.min()?;
    let rest = path[at + sign.len()..].trim_matches('/');
    let is_whole = !rest.is_empty();
    is_whole.then(|| (location[..start + at].to_owned(), rest.to_owned()))
}
