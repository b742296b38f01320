//! Packages that come as archives: charts from Helm repositories (`helm+https://HOST/PATH`), and
//! charts and packages from OCI registries (`oci://HOST/PATH`). A version is a digest here, where
//! it is a commit in git, and so what is fetched is what was recorded or nothing.

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

/// The most bytes of an archive.
const LARGEST: u64 = 64 << 20;

/// What a server says of its versions.
///
/// # Errors
/// Where it does not.
pub(super) fn list(repository: &str) -> Result<Refs, Error> {
    match repository.strip_prefix("oci://") {
        Some(path) => oci::list(path),
        None => helm::list(repository),
    }
}

/// A digest as records have it.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

/// A server that does not answer as it should.
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
