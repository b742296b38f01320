//! Reads Helm repositories: an `index.yaml` lists charts with their versions, digests and archives.

use super::http::{self, is_loopback};
use super::{MAX_ARCHIVE_SIZE, unreachable};
use crate::error::Error;
use crate::upgrade::address::{check_reference, is_digest};
use crate::upgrade::host::{authority, start_of_path};
use crate::upgrade::refs::Refs;
use crate::yaml::{NodeId, Tree};

/// The maximum size of an index in bytes.
const MAX_INDEX_SIZE: u64 = 64 << 20;

/// Returns the versions of all charts, each as a tag `CHART/VERSION`.
pub(super) fn list(repository: &str) -> Result<Refs, Error> {
    let base = base(repository);
    let url = format!("{base}/index.yaml");
    let bytes = get(base, &url, "application/yaml, text/yaml, */*")?.body(MAX_INDEX_SIZE)?;
    let invalid = |reason: &str| unreachable(&url, reason);
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8"))?;
    let tree = Tree::parse(&text).map_err(|error| invalid(&error.message))?;
    let tree = tree.ok_or_else(|| invalid("it is empty"))?;
    let charts = tree.at(&["entries"]);
    let charts = charts.ok_or_else(|| invalid("it lists no charts"))?;
    let mut refs = Refs::default();
    for release in tree.values(charts).flat_map(|chart| tree.values(chart)) {
        if let Some((full, digest, url)) = release_of(&tree, release) {
            refs.add_tag(&full, &digest);
            let key = if digest.is_empty() { full } else { digest };
            refs.urls.insert(key, url);
        }
    }
    Ok(refs)
}

/// Returns the tag name, digest and URL of a release in the index; `None` if the name or the URL is
/// missing, or one is invalid. The digest is empty if the index has none.
fn release_of(tree: &Tree<'_>, release: NodeId) -> Option<(String, String, String)> {
    let field = |name| tree.field_text(release, name);
    let (name, version) = (field("name")?, field("version")?);
    let digest = field("digest").filter(|digest| !digest.is_empty());
    let digest = digest.map_or_else(String::new, |digest| {
        let digits = digest.trim_start_matches("sha256:").to_ascii_lowercase();
        format!("sha256:{digits}")
    });
    let full = format!("{name}/{version}");
    let url = tree.values(tree.field(release, "urls")?).next()?;
    let url = tree.scalar(url)?.content.to_string();
    let has_valid_digest = digest.is_empty() || is_digest(&digest);
    let is_valid = has_valid_digest && check_reference(&full).is_ok() && !name.contains('/');
    is_valid.then_some((full, digest, url))
}

/// Fetches the archive of a chart, by its URL in the index.
pub(super) fn archive(repository: &str, url: &str) -> Result<Vec<u8>, Error> {
    let base = base(repository);
    let is_absolute = url.contains("://");
    let full_url = match (is_absolute, url.strip_prefix('/')) {
        (true, _) => url.to_owned(),
        (false, Some(path)) => format!("{}/{path}", origin(base)),
        (false, None) => format!("{base}/{url}"),
    };
    let is_encrypted = full_url.starts_with("https://");
    let is_plain = full_url.starts_with("http://")
        && (base.starts_with("http://") || is_loopback(authority(&full_url)));
    if !is_encrypted && !is_plain {
        return Err(unreachable(
            &full_url,
            "a chart comes over https from such a repository",
        ));
    }
    get(base, &full_url, "*/*")?.body(MAX_ARCHIVE_SIZE)
}

/// Requests a URL. The password of the repository's host is sent only to that host, and only over
/// HTTPS or on this machine.
fn get(base: &str, url: &str, accept: &str) -> Result<http::Answer, Error> {
    let is_same_host = origin(base) == origin(url);
    let is_safe = is_same_host && (url.starts_with("https://") || is_loopback(authority(url)));
    let basic = is_safe.then(|| http::basic(authority(url))).flatten();
    http::get(url, accept, basic.as_deref())
}

/// Returns the URL of a repository, without a slash at the end.
fn base(repository: &str) -> &str {
    repository.trim_start_matches("helm+").trim_end_matches('/')
}

/// Returns the scheme and the authority of a URL.
fn origin(url: &str) -> &str {
    &url[..start_of_path(url)]
}
