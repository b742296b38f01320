//! Reads packages that are archives: charts from Helm repositories (`helm+https://HOST/PATH`), and
//! charts and packages from OCI registries (`oci://HOST/PATH`).
//!
//! A version is a digest, as it is a commit in git, so that a fetched archive can be checked.
//! `helm` and `oci` list versions and fetch archives, `http` sends requests, `credentials` finds
//! passwords, and `unpack` reads archives.

mod credentials;
pub(super) mod helm;
mod http;
pub(super) mod oci;
pub(super) mod unpack;

use super::refs::Refs;
use crate::error::Error;
use crate::git_process::without_password;
use crate::package::sha256;
use crate::visible::visible;

/// The maximum size of an archive in bytes.
const MAX_ARCHIVE_SIZE: u64 = 64 << 20;

/// Returns the versions of a repository.
///
/// # Errors
/// If the server does not list them.
pub(super) fn list(repository: &str) -> Result<Refs, Error> {
    match repository.strip_prefix("oci://") {
        Some(path) => oci::list(path),
        None => helm::list(repository),
    }
}

/// Returns the digest of an archive in the form of records: `sha256:` and hexadecimal digits.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

/// Returns the error for a URL that cannot be read.
pub(super) fn unreachable(url: &str, reason: &str) -> Error {
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
