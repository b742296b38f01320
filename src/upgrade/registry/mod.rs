//! Reads packages that are archives: charts from Helm repositories (`helm+https://HOST/PATH`), and
//! charts and packages from OCI registries (`oci://HOST/PATH`).
//!
//! A version is a digest, as it is a commit in git, so that a fetched archive can be checked.
//! Archives are kept in the cache by their digests.
//! `helm` and `oci` list versions and fetch archives, `http` finds passwords and sends requests,
//! and `unpack` reads archives.

mod helm;
mod http;
mod oci;
mod unpack;

use std::fs;
use std::path::PathBuf;

use super::address::{Origin, is_archive, is_digest};
use super::fetch::refused;
use super::refs::{Refs, Version};
use super::remote::Remotes;
use super::tree::Fetched;
use crate::error::Error;
use crate::git_process::without_password;
use crate::package::{replace, sha256};
use crate::visible::visible;

/// The maximum size of an archive in bytes.
const MAX_ARCHIVE_SIZE: u64 = 64 << 20;

/// Returns the versions of a repository.
///
/// # Errors
/// If the server does not list them.
pub(super) fn list(repository: &str) -> Result<Refs, Error> {
    match repository.strip_prefix("oci://") {
        Some(path) => oci::Registry::of(path)?.tags(),
        None => helm::list(repository),
    }
}

impl Remotes<'_> {
    /// Returns the version with its digest. OCI registries do not list digests with the tags, and
    /// the index of a Helm repository may lack them: then the digest takes a request.
    ///
    /// # Errors
    /// If the registry does not return the digest.
    pub(super) fn with_digest(&self, origin: &Origin, version: Version) -> Result<Version, Error> {
        if !is_archive(&origin.repository) || is_digest(&version.commit) {
            return Ok(version);
        }
        self.tell(&format!("asking {} for {}", origin.shown(), version.name));
        let bytes = match origin.repository.strip_prefix("oci://") {
            Some(path) => oci::Registry::of(path)?.manifest(&version.full)?,
            None => self.chart(origin, &version)?,
        };
        let commit = digest_of(&bytes);
        self.keep(&commit, &bytes)?;
        Ok(Version { commit, ..version })
    }

    /// Fetches the archive of a chart.
    fn chart(&self, origin: &Origin, version: &Version) -> Result<Vec<u8>, Error> {
        let refs = self.refs(&origin.repository)?;
        let by_name = || {
            refs.urls
                .get(&refs.resolve(&version.name, &origin.directory)?.full)
        };
        let url = refs.urls.get(&version.commit).or_else(by_name);
        helm::archive(
            &origin.repository,
            url.ok_or_else(|| gone(origin, version))?,
        )
    }

    /// Returns the path of the content with a digest in the cache.
    fn cached(&self, digest: &str) -> Result<PathBuf, Error> {
        let digits = digest.trim_start_matches("sha256:");
        Ok(self.cache.archives()?.join(digits))
    }

    /// Keeps content in the cache. Without it, the next run fetches it again.
    fn keep(&self, digest: &str, bytes: &[u8]) -> Result<(), Error> {
        let _ = replace(&self.cached(digest)?, bytes);
        Ok(())
    }

    /// Returns the files of an archive.
    ///
    /// # Errors
    /// If it cannot be fetched, has another digest than recorded, or is no valid package.
    pub(super) fn archive(&self, origin: &Origin, version: &Version) -> Result<Fetched, Error> {
        let refused = |reason: String| refused(origin, version, &reason);
        let (bytes, is_chart) = match origin.repository.strip_prefix("oci://") {
            Some(path) => {
                let registry = oci::Registry::of(path)?;
                let manifest = self.content(origin, version, &version.commit, || {
                    registry.manifest(&version.commit)
                })?;
                let layer = oci::layer(&manifest).map_err(refused)?;
                let bytes =
                    self.content(origin, version, &layer.digest, || registry.archive(&layer))?;
                (bytes, layer.is_chart())
            }
            None => {
                let fetch = || self.chart(origin, version);
                (self.content(origin, version, &version.commit, fetch)?, true)
            }
        };
        let mut fetched = unpack::unpack(&bytes, is_chart).map_err(refused)?;
        fetched.snapshot.name = format!("{}@{}", origin.shown(), version.name).into();
        Ok(fetched)
    }

    /// Returns the content with a digest, which belongs to a version: from the cache, or by calling
    /// `fetch`.
    fn content(
        &self,
        origin: &Origin,
        version: &Version,
        digest: &str,
        fetch: impl FnOnce() -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<u8>, Error> {
        if !is_digest(digest) {
            return Err(refused(origin, version, "it has no digest of SHA-256"));
        }
        if let Ok(bytes) = fs::read(self.cached(digest)?)
            && digest_of(&bytes) == digest
        {
            return Ok(bytes);
        }
        self.tell(&format!("fetching {} of {}", version.name, origin.shown()));
        let bytes = fetch()?;
        let found = digest_of(&bytes);
        if found != digest {
            let reason = format!("it has the digest {found}, and {digest} was promised");
            return Err(refused(origin, version, &reason));
        }
        self.keep(digest, &bytes)?;
        Ok(bytes)
    }
}

fn gone(origin: &Origin, version: &Version) -> Error {
    let Version { name, commit, .. } = version;
    let shown = origin.shown();
    Error::refused(
        format!("{name} of {shown} ({commit}) is not in the repository any more"),
        "upstream deleted or replaced the version: find another one \
         with `merge3 outdated`, and record it with `merge3 adopt`",
    )
}

/// Returns the digest of an archive in the form of records: `sha256:` and hexadecimal digits.
fn digest_of(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

/// Returns the error for a URL that cannot be read.
fn unreachable(url: &str, reason: &str) -> Error {
    let shown = visible(&without_password(url));
    Error::refused(
        format!(
            "{shown} cannot be read: {}",
            visible(&without_password(reason))
        ),
        "check the address, and where it needs a password, \
         log in with `docker login` or `helm registry login`",
    )
}
