//! Parses addresses of packages: a repository, a folder in it, and a ref. Also reads the addresses
//! of web pages and kustomizations, which people copy.
//!
//! [`Address::parse`] splits the text. Where the text alone does not show where the repository
//! ends, the address has candidates, and `remote` asks the servers.

use std::path::Path;

use serde::{Serialize, Serializer};

use super::host::{is_known, start_of_path};
use crate::error::Error;
use crate::git_process::{ALLOWED_PROTOCOLS, without_password};

/// A repository and a folder in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub(crate) struct Origin {
    /// The repository, as an argument of git. Reports show it without a password.
    #[serde(serialize_with = "serialize_without_password")]
    pub repository: String,
    /// The folder, with `/` between names and none at the ends; empty for the whole repository.
    pub directory: String,
}

/// A parsed address `REPO[/DIR][@REF]`: the places that it may mean, the likeliest first. The text
/// may not show where the repository ends, or, in the address of a web page, where the ref ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address(pub(super) Vec<(Origin, Option<String>)>);

impl Address {
    /// Parses `REPO[/DIR][@REF]`. Accepts kpt's `REPO.git/DIR@REF`, `REPO//DIR@REF`, or the two
    /// without a separator; kustomize's `REPO//DIR?ref=REF`; and the web page of a folder, such as
    /// `https://github.com/OWNER/REPO/tree/REF/DIR`. `https://` may be missing before a host.
    ///
    /// # Errors
    /// If the text is no address, or an address that is not allowed.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        if is_archive(text) {
            return Self::of_archive(text);
        }
        let (text, queried) = without_query(text.strip_prefix("git::").unwrap_or(text));
        let text = &with_scheme(text);
        let (location, reference) = match queried {
            Some(_) => (text.as_str(), queried),
            None => split_reference(text),
        };
        if let Some((repository, rest)) = page(location) {
            if reference.is_some() {
                return Err(invalid(text, "it names a version twice"));
            }
            let first = rest.split('/').next().unwrap_or(&rest);
            check_reference(first)?;
            let ends = rest.match_indices('/').map(|(at, _)| at);
            let ends = ends.chain([rest.len()]).rev();
            let ends = ends.filter(|end| check_reference(&rest[..*end]).is_ok());
            let candidates = ends.map(|end| {
                let (reference, directory) = rest.split_at(end);
                let origin = Origin::new(&repository, directory)?;
                Ok((origin, Some(reference.to_owned())))
            });
            return candidates.collect::<Result<_, _>>().map(Self);
        }
        if location.is_empty() {
            return Err(invalid(text, "no repository is named"));
        }
        if let Some(reference) = reference {
            check_reference(reference)?;
        }
        let start = location.find("://").map_or(0, |at| at + 3);
        let find = |sign: &str| location[start..].find(sign).map(|at| start + at);
        let end_of_repository = find(".git/")
            .map(|at| at + ".git".len())
            .or_else(|| location.ends_with(".git").then_some(location.len()))
            .or_else(|| find("//"))
            .or_else(|| end_at_known_host(location));
        let origins = match end_of_repository.map(|end| location.split_at(end)) {
            Some((repository, directory)) => vec![Origin::new(repository, directory)?],
            None => candidates(location, start)?,
        };
        let reference = reference.map(str::to_owned);
        let candidates = origins
            .into_iter()
            .map(|origin| (origin, reference.clone()));
        Ok(Self(candidates.collect()))
    }

    /// Parses `helm+https://HOST/PATH/CHART[@VERSION]` and `oci://HOST/PATH[@TAG]` or `[:TAG]`.
    fn of_archive(text: &str) -> Result<Self, Error> {
        let path = start_of_path(text);
        let is_oci = text.starts_with("oci://");
        let separators: &[char] = if is_oci { &['@', ':'] } else { &['@'] };
        let (location, reference) = split_behind(path, text, separators);
        if let Some(reference) = reference.filter(|reference| !is_hash(reference)) {
            check_reference(reference)?;
        }
        let location = location.trim_end_matches('/');
        let origin = match (is_oci, location.rfind('/')) {
            (false, Some(at)) if at >= path => Origin::new(&location[..at], &location[at..])?,
            (true, Some(at)) if at >= path => Origin::new(location, "")?,
            _ => {
                return Err(invalid(
                    text,
                    "no chart or repository is named behind the host",
                ));
            }
        };
        Ok(Self(vec![(origin, reference.map(str::to_owned))]))
    }
}

impl Origin {
    /// Creates an origin after checking its parts.
    ///
    /// # Errors
    /// If git would take the repository for an option or start a program for it that is not
    /// allowed, or if the folder leads out of the repository.
    pub(super) fn new(repository: &str, directory: &str) -> Result<Self, Error> {
        let origin = Self {
            repository: repository.trim_end_matches('/').to_owned(),
            directory: normalized(directory).ok_or_else(|| {
                invalid(directory, "a folder in a repository is named without `..`")
            })?,
        };
        let helper = helper(repository).filter(|it| !is_archive(repository) && !is_allowed(it));
        let problem = if repository.starts_with('-') {
            "it begins with a dash, and git would take it for an option"
        } else if let Some(helper) = helper {
            &format!(
                "git would start a program for `{helper}`, which \
                 is not allowed unless GIT_ALLOW_PROTOCOL names it"
            )
        } else if repository.is_empty() || repository.chars().any(char::is_control) {
            "it is empty, or has a line break in it"
        } else {
            return Ok(origin);
        };
        Err(invalid(repository, problem))
    }

    /// Returns the address for messages, without a password.
    pub(crate) fn shown(&self) -> String {
        let repository = without_password(&self.repository);
        match self.directory.as_str() {
            "" => repository,
            directory => format!("{repository}/{directory}"),
        }
    }

    /// Returns the last name of the path: the default name of the package's folder.
    pub(super) fn base_name(&self) -> &str {
        let path = match self.directory.as_str() {
            "" => self.repository.trim_end_matches("/.git"),
            directory => directory,
        };
        let name = path.rsplit(['/', ':']).next().unwrap_or(path);
        name.strip_suffix(".git").unwrap_or(name)
    }
}

fn serialize_without_password<S: Serializer>(text: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&without_password(text))
}

/// The protocols that git supports itself or with the helpers that it comes with.
const PROTOCOLS: [&str; 7] = ["https", "http", "ssh", "git+ssh", "ssh+git", "git", "file"];

/// Returns the name of the remote helper that git would start for an address of another protocol,
/// such as `ext::` or `fd://`.
fn helper(repository: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    let end = repository.find(|c| !is_name(c))?;
    let (name, rest) = repository.split_at(end);
    let is_helper = rest.starts_with("::")
        || (rest.starts_with("://") && !PROTOCOLS.contains(&name.to_ascii_lowercase().as_str()));
    is_helper.then_some(name)
}

/// The protocols of archives: Helm repositories and OCI registries.
const ARCHIVES: [&str; 3] = ["helm+https", "helm+http", "oci"];

/// Whether a repository serves archives instead of git objects.
pub(super) fn is_archive(repository: &str) -> bool {
    let protocol = repository.split_once("://").map(|(protocol, _)| protocol);
    protocol.is_some_and(|protocol| ARCHIVES.contains(&protocol))
}

/// Whether a text is the digest of an archive: `sha256:` and 64 hexadecimal digits.
pub(super) fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64
        && digits
            .bytes()
            .all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a name is a full commit hash or the digest of an archive.
pub(super) fn is_hash(name: &str) -> bool {
    let is_hexadecimal = name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest(name) || (matches!(name.len(), 40 | 64) && is_hexadecimal)
}

/// Whether the user allows a protocol in `GIT_ALLOW_PROTOCOL`.
fn is_allowed(protocol: &str) -> bool {
    let allowed = std::env::var(ALLOWED_PROTOCOLS).unwrap_or_default();
    allowed.split(':').any(|name| name == protocol)
}

/// Whether a repository is given by a path on this machine, not by a URL or as `HOST:PATH`.
pub(super) fn is_path(repository: &str) -> bool {
    // before a colon stands a host, unless there is a slash before it or such a file
    let has_slash = |(host, _): (&str, &str)| host.contains('/');
    let is_url = repository.contains("://") || repository.contains("::");
    !is_url && (repository.split_once(':').is_none_or(has_slash) || Path::new(repository).exists())
}

/// Checks that git cannot take a ref for an option, a range or an expression.
///
/// # Errors
/// If it could.
pub(super) fn check_reference(reference: &str) -> Result<(), Error> {
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    let is_bad = reference.is_empty()
        || reference.starts_with(['-', '/'])
        || reference.ends_with(['/', '.'])
        || reference.contains("..")
        || reference.contains("@{")
        || reference.contains(forbidden);
    if is_bad {
        let shown = reference.escape_debug();
        return Err(Error::refused(
            format!("'{shown}' is not a tag, branch or commit"),
            "name a tag, a branch or a commit, such as v1.2.3",
        ));
    }
    Ok(())
}

/// Splits an address at the first `@` that is not between a user and a host, and returns the
/// location and the ref.
fn split_reference(text: &str) -> (&str, Option<&str>) {
    let start = match (text.find("://"), text.find(".git")) {
        (_, Some(at)) => at,
        (Some(_), None) => start_of_path(text),
        // user@host:path
        (None, None) => match (text.find(':'), text.find('/')) {
            (Some(colon), slash) if slash.is_none_or(|slash| colon < slash) => colon,
            _ => 0,
        },
    };
    split_behind(start, text, &['@'])
}

/// Splits a text at the first of some separators that is at `start` or behind it.
fn split_behind<'t>(
    start: usize,
    text: &'t str,
    separators: &[char],
) -> (&'t str, Option<&'t str>) {
    match text[start..].split_once(separators) {
        Some((before, behind)) => (&text[..start + before.len()], Some(behind)),
        None => (text, None),
    }
}

/// Returns all splits of a location into a repository and a folder, the likeliest first: on a disk
/// the longest repository path, on a server the shortest, because servers do not nest repositories.
fn candidates(location: &str, start: usize) -> Result<Vec<Origin>, Error> {
    let location = location.trim_end_matches('/');
    let on_disk = is_path(location) || location.starts_with("file://");
    let slashes = location.match_indices('/').map(|(at, _)| at);
    let ends = slashes.filter(|at| *at > start).chain([location.len()]);
    let mut ends: Vec<usize> = ends.collect();
    if on_disk {
        ends.reverse();
    } else if start > 0 && ends.len() > 1 {
        ends.remove(0); // a host without a path is no repository
    }
    ends.into_iter()
        .map(|at| Origin::new(&location[..at], &location[at..]))
        .collect()
}

/// Returns a folder with `/` between names and none at the ends; `None` if it has `..` or a NUL.
fn normalized(directory: &str) -> Option<String> {
    let names = directory
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".");
    let names: Vec<&str> = names.collect();
    let is_bad = names.contains(&"..") || directory.contains('\0');
    (!is_bad).then(|| names.join("/"))
}

fn invalid(text: &str, message: &str) -> Error {
    Error::refused(
        format!(
            "'{}' is not the address of a package: {message}",
            without_password(text).escape_debug()
        ),
        "write REPO[/DIR]@REF, such as https://example.org/team/charts.git/grafana@v1.2.3",
    )
}

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

#[cfg(test)]
mod tests;
