//! Where a package is: a repository, a folder in it, a ref.

use std::path::Path;

use super::pasted_address::{end_at_known_host, page, with_scheme, without_query};
use crate::error::Error;
use crate::git_process::{ALLOWED_PROTOCOLS, without_password};

/// A repository and a folder in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Origin {
    /// The repository, as git takes it.
    pub repository: String,
    /// The folder, with `/` between names and none around; empty for the whole repository.
    pub directory: String,
}

/// `REPO[/DIR][@REF]`, taken apart as far as the text tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Repository and folder.
    pub(super) location: Location,
    /// The ref; `None` if none is given.
    pub(super) reference: Option<String>,
}

/// A repository and a folder, told apart or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Location {
    /// It is clear where the repository ends.
    Clear(Origin),
    /// Git has to be asked: each may be it, the likeliest first.
    Candidates(Vec<Origin>),
    /// A page of a host's about a folder: behind the repository are a ref and a folder, either of
    /// which may have several names.
    Page(String, String),
}

impl Address {
    /// Reads `REPO[/DIR][@REF]`: kpt's `REPO.git/DIR@REF`, `REPO//DIR@REF`, or without a sign
    /// between the two; kustomize's `REPO//DIR?ref=REF`; the address of a folder at a host, such as
    /// `https://github.com/OWNER/REPO/tree/REF/DIR`. `https://` may be missing before a host.
    ///
    /// # Errors
    /// Where it cannot be one, or is one that must not be.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        if is_archive(text) {
            return Self::of_archive(text);
        }
        let (text, asked) = without_query(text.strip_prefix("git::").unwrap_or(text));
        let text = &with_scheme(text);
        let (location, reference) = match asked {
            Some(_) => (text.as_str(), asked),
            None => split_reference(text),
        };
        if let Some((repository, rest)) = page(location) {
            if reference.is_some() {
                return Err(wrong(text, "it names a version twice"));
            }
            let origin = Origin::new(&repository, "")?;
            return Ok(Self {
                location: Location::Page(origin.repository, rest),
                reference: None,
            });
        }
        if location.is_empty() {
            return Err(wrong(text, "no repository is named"));
        }
        if let Some(reference) = reference {
            check_reference(reference)?;
        }
        let start = location.find("://").map_or(0, |at| at + 3);
        let end_of_repository = if let Some(at) = location[start..].find(".git/") {
            Some(start + at + ".git".len())
        } else if location.ends_with(".git") {
            Some(location.len())
        } else if let Some(at) = location[start..].find("//") {
            Some(start + at)
        } else {
            end_at_known_host(location)
        };
        let location = match end_of_repository.map(|end| location.split_at(end)) {
            Some((repository, directory)) => Location::Clear(Origin::new(repository, directory)?),
            None => Location::Candidates(candidates(location, start)?),
        };
        Ok(Self {
            location,
            reference: reference.map(str::to_owned),
        })
    }

    /// `helm+https://HOST/PATH/CHART[@VERSION]`, `oci://HOST/PATH[@TAG]`, or `:TAG`.
    fn of_archive(text: &str) -> Result<Self, Error> {
        let start = text.find("://").map_or(0, |at| at + 3);
        let path = text[start..].find('/').map_or(text.len(), |at| start + at);
        let sign = match text.starts_with("oci://") {
            true => text[path..].find(['@', ':']),
            false => text[path..].find('@'),
        };
        let (location, reference) = match sign {
            Some(at) => (&text[..path + at], Some(&text[path + at + 1..])),
            None => (text, None),
        };
        if let Some(reference) = reference.filter(|reference| !is_hash(reference)) {
            check_reference(reference)?;
        }
        let location = location.trim_end_matches('/');
        let origin = match (location.starts_with("oci://"), location.rfind('/')) {
            (false, Some(at)) if at >= path => Origin::new(&location[..at], &location[at..])?,
            (true, Some(at)) if at >= path => Origin::new(location, "")?,
            _ => {
                return Err(wrong(
                    text,
                    "no chart or repository is named behind the host",
                ));
            }
        };
        Ok(Self {
            location: Location::Clear(origin),
            reference: reference.map(str::to_owned),
        })
    }
}

impl Origin {
    /// A place, checked.
    ///
    /// # Errors
    /// Where git would take the repository for an option, or the folder leads out of the
    /// repository.
    pub(super) fn new(repository: &str, directory: &str) -> Result<Self, Error> {
        let origin = Self {
            repository: repository.trim_end_matches('/').to_owned(),
            directory: normal(directory).ok_or_else(|| {
                wrong(directory, "a folder in a repository is named without `..`")
            })?,
        };
        if repository.starts_with('-') {
            return Err(wrong(
                repository,
                "it begins with a dash, and git would take it for an option",
            ));
        }
        if let Some(helper) =
            helper(repository).filter(|it| !is_allowed(it) && !is_archive(repository))
        {
            let message = format!(
                "git would start a program for `{helper}`, which \
                 is not allowed unless GIT_ALLOW_PROTOCOL names it"
            );
            return Err(wrong(repository, &message));
        }
        if repository.is_empty() || repository.chars().any(char::is_control) {
            return Err(wrong(repository, "it is empty, or has a line break in it"));
        }
        Ok(origin)
    }

    /// As people read it, without a password.
    pub(crate) fn shown(&self) -> String {
        let repository = without_password(&self.repository);
        match self.directory.as_str() {
            "" => repository,
            directory => format!("{repository}/{directory}"),
        }
    }

    /// The last name of the path: what the folder of a package is called where nobody says
    /// otherwise.
    pub(super) fn base_name(&self) -> &str {
        let path = match self.directory.as_str() {
            "" => self.repository.trim_end_matches("/.git"),
            directory => directory,
        };
        let name = path.rsplit(['/', ':']).next().unwrap_or(path);
        name.strip_suffix(".git").unwrap_or(name)
    }

    /// Whether the address holds a password.
    pub(super) fn has_password(&self) -> bool {
        without_password(&self.repository) != self.repository
    }
}

/// The protocols that git speaks itself, or with the helpers that come with it.
const PROTOCOLS: [&str; 7] = ["https", "http", "ssh", "git+ssh", "ssh+git", "git", "file"];

/// What names the program that git would start for an address that it does not know (`ext::`,
/// `fd://`).
fn helper(repository: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    let end = repository.find(|c| !is_name(c))?;
    let (name, rest) = repository.split_at(end);
    let starts = rest.starts_with("::")
        || (rest.starts_with("://") && !PROTOCOLS.contains(&name.to_ascii_lowercase().as_str()));
    starts.then_some(name)
}

/// The protocols of archives.
const ARCHIVES: [&str; 3] = ["helm+https", "helm+http", "oci"];

/// Whether a repository is one of archives.
pub(super) fn is_archive(repository: &str) -> bool {
    let protocol = repository.split_once("://").map(|(protocol, _)| protocol);
    protocol.is_some_and(|protocol| ARCHIVES.contains(&protocol))
}

/// Whether a text is the digest of an archive.
pub(super) fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:");
    digits.is_some_and(|digits| {
        digits.len() == 64
            && digits
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether a name is a whole hash, or the digest of an archive.
pub(super) fn is_hash(name: &str) -> bool {
    if is_digest(name) {
        return true;
    }
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether whoever calls this program allows a protocol by name.
fn is_allowed(protocol: &str) -> bool {
    let named = std::env::var(ALLOWED_PROTOCOLS).unwrap_or_default();
    named.split(':').any(|name| name == protocol)
}

/// Whether a repository is on this machine, by its path.
pub(super) fn is_path(repository: &str) -> bool {
    if repository.contains("://") || repository.contains("::") {
        return false;
    }
    let colon = repository.find(':');
    let slash = repository.find('/');
    match (colon, slash) {
        (None, _) => true,
        (Some(colon), Some(slash)) => slash < colon || Path::new(repository).exists(),
        (Some(_), None) => Path::new(repository).exists(),
    }
}

/// A ref that git cannot take for anything else.
///
/// # Errors
/// Where it could.
pub(super) fn check_reference(reference: &str) -> Result<(), Error> {
    let forbidden = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    let bad = reference.is_empty()
        || reference.starts_with(['-', '/'])
        || reference.ends_with(['/', '.'])
        || reference.contains("..")
        || reference.contains("@{")
        || reference.contains(forbidden);
    if bad {
        return Err(Error::refused(
            format!("'{}' is no tag, branch or commit", reference.escape_debug()),
            "name a tag, a branch or a commit, such as v1.2.3",
        ));
    }
    Ok(())
}

/// The ref is behind the last `@` that is not between a user and a host.
fn split_reference(text: &str) -> (&str, Option<&str>) {
    let start = match (text.find("://"), text.find(".git")) {
        (_, Some(at)) => at,
        (Some(at), None) => {
            let path = text[at + 3..].find('/');
            path.map_or(text.len(), |slash| at + 3 + slash)
        }
        // user@host:path
        (None, None) => match (text.find(':'), text.find('/')) {
            (Some(colon), slash) if slash.is_none_or(|slash| colon < slash) => colon,
            _ => 0,
        },
    };
    match text[start..].find('@') {
        Some(at) => (&text[..start + at], Some(&text[start + at + 1..])),
        None => (text, None),
    }
}

/// The ways to cut a location in two. On a disk the longest path that is a repository counts;
/// elsewhere the shortest one, for a server has no repository in a repository.
fn candidates(location: &str, start: usize) -> Result<Vec<Origin>, Error> {
    let location = location.trim_end_matches('/');
    let on_disk = is_path(location) || location.starts_with("file://");
    let mut cuts: Vec<usize> = location[start..]
        .char_indices()
        .filter(|(at, c)| *c == '/' && *at > 0)
        .map(|(at, _)| start + at)
        .collect();
    cuts.push(location.len());
    if on_disk {
        cuts.reverse();
    } else if start > 0 && cuts.len() > 1 {
        cuts.remove(0); // a host alone is no repository
    }
    cuts.into_iter()
        .map(|at| Origin::new(&location[..at], &location[at..]))
        .collect()
}

/// A folder with `/` between names and none around; `None` if it leads out.
fn normal(directory: &str) -> Option<String> {
    let names = directory
        .split('/')
        .filter(|name| !name.is_empty() && *name != ".");
    let names: Vec<&str> = names.collect();
    let bad = names.contains(&"..") || directory.contains('\0');
    (!bad).then(|| names.join("/"))
}

fn wrong(text: &str, message: &str) -> Error {
    Error::refused(
        format!(
            "'{}' is no address of a package: {message}",
            without_password(text).escape_debug()
        ),
        "write REPO[/DIR]@REF, such as https://example.org/team/charts.git/grafana@v1.2.3",
    )
}

#[cfg(test)]
mod tests;
