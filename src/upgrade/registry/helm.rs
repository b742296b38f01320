//! A Helm repository: an `index.yaml` that lists charts, their versions, digests and archives.

use super::http::{self, is_loopback};
use super::{LARGEST, credentials, unreachable};
use crate::error::Error;
use crate::upgrade::address::{check_reference, is_digest};
use crate::upgrade::edit::text_at;
use crate::upgrade::host::authority;
use crate::upgrade::refs::Refs;
use crate::yaml::{NodeId, Tree};

/// The most bytes of an index.
const LARGEST_INDEX: u64 = 64 << 20;

/// The versions of all charts, each as a tag `CHART/VERSION`.
pub(in crate::upgrade) fn list(repository: &str) -> Result<Refs, Error> {
    let base = base(repository);
    let url = format!("{base}/index.yaml");
    let bytes = get(base, &url, "application/yaml, text/yaml, */*")?.bytes(LARGEST_INDEX)?;
    let wrong = |reason: &str| unreachable(&url, reason);
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8"))?;
    let tree = Tree::parse(&text).map_err(|error| wrong(&error.message))?;
    let tree = tree.ok_or_else(|| wrong("it is empty"))?;
    let charts = tree
        .find(tree.root().value, "entries")
        .ok_or_else(|| wrong("it lists no charts"))?;
    let mut refs = Refs::default();
    for chart in tree.entries(tree.entry(charts).value) {
        for release in tree.entries(tree.entry(chart).value) {
            if let Some((full, digest, url)) = release_of(&tree, tree.entry(release).value) {
                refs.add_tag(&full, &digest);
                refs.urls.insert(digest, url);
            }
        }
    }
    Ok(refs)
}

/// The full name, digest and address of a release in the index, as far as it can be one.
fn release_of(tree: &Tree<'_>, release: NodeId) -> Option<(String, String, String)> {
    let field = |name| text_at(tree, release, &[name]);
    let (name, version, digest) = (field("name")?, field("version")?, field("digest")?);
    let digits = digest.trim_start_matches("sha256:").to_ascii_lowercase();
    let digest = format!("sha256:{digits}");
    let full = format!("{name}/{version}");
    let urls = tree.entry(tree.find(release, "urls")?).value;
    let url = tree.entry(tree.entries(urls).next()?).value;
    let url = tree.scalar(url)?.content.to_string();
    let is_one = is_digest(&digest) && check_reference(&full).is_ok() && !name.contains('/');
    is_one.then_some((full, digest, url))
}

/// The archive of a chart, by its address in the index.
pub(in crate::upgrade) fn archive(repository: &str, url: &str) -> Result<Vec<u8>, Error> {
    let base = base(repository);
    let is_absolute = url.contains("://");
    let whole = match (is_absolute, url.strip_prefix('/')) {
        (true, _) => url.to_owned(),
        (false, Some(path)) => format!("{}/{path}", origin(base)),
        (false, None) => format!("{base}/{url}"),
    };
    let is_encrypted = whole.starts_with("https://");
    let is_plain = whole.starts_with("http://")
        && (base.starts_with("http://") || is_loopback(authority(&whole)));
    if !is_encrypted && !is_plain {
        return Err(unreachable(
            &whole,
            "a chart comes over https from such a repository",
        ));
    }
    get(base, &whole, "*/*")?.bytes(LARGEST)
}

/// Asks with the password for the repository's host, where it has one and the request goes there.
fn get(base: &str, url: &str, accept: &str) -> Result<http::Answer, Error> {
    let is_own = origin(base) == origin(url);
    let may_tell = is_own && (url.starts_with("https://") || is_loopback(authority(url)));
    let basic = may_tell
        .then(|| credentials::basic(authority(url)))
        .flatten();
    http::get(url, accept, basic.as_deref())
}

fn base(repository: &str) -> &str {
    repository.trim_start_matches("helm+").trim_end_matches('/')
}

fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    &url[..end]
}
