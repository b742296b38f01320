//! Fetches packages that are archives, and keeps the archives in the cache.

use std::fs;

use super::address::{Origin, is_digest};
use super::refs::Version;
use super::registry::{digest_of, helm, oci, unpack::unpack};
use super::remote::Remotes;
use super::tree::Fetched;
use crate::error::Error;
use crate::package::replace;
use crate::visible::visible;

impl Remotes<'_> {
    /// Returns the version with its digest. OCI registries do not list digests with the tags, so
    /// the digest of a tag takes a request.
    ///
    /// # Errors
    /// If the registry does not return the digest.
    pub(super) fn with_digest(&self, origin: &Origin, version: Version) -> Result<Version, Error> {
        match origin.repository.strip_prefix("oci://") {
            Some(path) if !is_digest(&version.commit) => {
                self.tell(&format!("asking {} for {}", origin.shown(), version.name));
                let commit = oci::digest_of_tag(path, &version.full)?;
                Ok(Version { commit, ..version })
            }
            _ => Ok(version),
        }
    }

    /// Returns the files of an archive.
    ///
    /// # Errors
    /// If it cannot be fetched, has another digest than recorded, or is no valid package.
    pub(super) fn archive(&self, origin: &Origin, version: &Version) -> Result<Fetched, Error> {
        let what = format!("{} of {}", version.name, origin.shown());
        let (bytes, is_chart) = match origin.repository.strip_prefix("oci://") {
            Some(path) => {
                let manifest = self.content(&version.commit, &what, || {
                    oci::manifest(path, &version.commit)
                })?;
                let layer = oci::layer(&manifest).map_err(|reason| refused(&what, &reason))?;
                let bytes = self.content(&layer.digest, &what, || oci::blob(path, &layer))?;
                (bytes, layer.is_chart)
            }
            None => {
                let bytes = self.content(&version.commit, &what, || {
                    let refs = self.refs(&origin.repository)?;
                    let url = refs
                        .urls
                        .get(&version.commit)
                        .ok_or_else(|| gone(&what, version))?;
                    helm::archive(&origin.repository, url)
                })?;
                (bytes, true)
            }
        };
        let mut fetched = unpack(&bytes, is_chart).map_err(|reason| refused(&what, &reason))?;
        fetched.snapshot.name = format!("{}@{}", origin.shown(), version.name).into();
        Ok(fetched)
    }

    /// Returns the content with a digest, from the cache or by calling `fetch`.
    fn content(
        &self,
        digest: &str,
        what: &str,
        fetch: impl FnOnce() -> Result<Vec<u8>, Error>,
    ) -> Result<Vec<u8>, Error> {
        if !is_digest(digest) {
            return Err(refused(what, "it has no digest of SHA-256"));
        }
        let digits = digest.trim_start_matches("sha256:");
        let file = self.cache.archives()?.join(digits);
        if let Ok(bytes) = fs::read(&file)
            && digest_of(&bytes) == digest
        {
            return Ok(bytes);
        }
        self.tell(&format!("fetching {what}"));
        let bytes = fetch()?;
        let found = digest_of(&bytes);
        if found != digest {
            return Err(refused(
                what,
                &format!("it has the digest {found}, and {digest} was promised"),
            ));
        }
        // without the file in the cache, the next run fetches it again
        let _ = replace(&file, &bytes);
        Ok(bytes)
    }
}

fn refused(what: &str, reason: &str) -> Error {
    Error::refused(
        format!("{} is not a package: {}", visible(what), visible(reason)),
        "tell upstream; nothing was written",
    )
}

fn gone(what: &str, version: &Version) -> Error {
    Error::refused(
        format!(
            "{what} ({}) is not in the repository any more",
            version.commit
        ),
        "upstream deleted or replaced the version: find another one \
         with `merge3 outdated`, and record it with `merge3 adopt`",
    )
}
