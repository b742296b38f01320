//! Reads OCI registries: tags, manifests and blobs, with token authentication.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

use super::http::{self, Answer, is_loopback};
use super::{MAX_ARCHIVE_SIZE, unreachable};
use crate::error::Error;
use crate::upgrade::address::{check_reference, is_digest};
use crate::upgrade::host::authority;
use crate::upgrade::refs::Refs;

/// The maximum size of a manifest, a page of tags or a token response, in bytes.
const MAX_ANSWER_SIZE: u64 = 4 << 20;
/// The maximum number of pages of a list of tags.
const MAX_PAGES: usize = 100;
/// The characters of a query's value that are percent-encoded.
const ENCODED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const MANIFESTS: &str = "application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.v2+json";

#[derive(Deserialize)]
struct Tags {
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Manifest {
    layers: Option<Vec<Layer>>,
}

/// The layer of a manifest that contains the package.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Layer {
    media_type: String,
    pub(super) digest: String,
    size: u64,
}

impl Layer {
    /// Whether it is a chart, whose files are in a folder with the chart's name.
    pub(super) fn is_chart(&self) -> bool {
        self.media_type.contains("helm.chart")
    }
}

/// A repository in a registry: its host and path, and the base URL of the registry's API.
pub(super) struct Registry<'r> {
    host: &'r str,
    path: &'r str,
    base: String,
}

impl<'r> Registry<'r> {
    pub(super) fn of(repository: &'r str) -> Result<Self, Error> {
        let invalid = |reason: &str| unreachable(&format!("oci://{repository}"), reason);
        let (host, path) = repository.split_once('/').unwrap_or((repository, ""));
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(invalid("this is not the name of a host"));
        }
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
        if path.is_empty()
            || !path.chars().all(is_name)
            || path.split('/').any(|name| name.is_empty() || name == "..")
        {
            return Err(invalid("a repository is HOST/PATH, in lower case"));
        }
        let host = match host {
            "docker.io" => "registry-1.docker.io",
            host => host,
        };
        let protocol = if is_loopback(host) { "http" } else { "https" };
        Ok(Self {
            host,
            path,
            base: format!("{protocol}://{host}"),
        })
    }

    /// Sends a request; if the registry demands authentication, sends it again with a token or a
    /// password.
    fn get(&self, url: &str, accept: &str) -> Result<Answer, Error> {
        let answer = http::get(url, accept, None)?;
        if answer.status() != 401 {
            return Ok(answer);
        }
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        let (scheme, fields) = challenge.split_once(' ').unwrap_or((challenge, ""));
        let basic = http::basic(self.host);
        let authorization = match scheme.to_ascii_lowercase().as_str() {
            "basic" => basic,
            "bearer" => Some(format!("Bearer {}", self.token(fields, basic.as_deref())?)),
            _ => None,
        };
        match authorization {
            Some(authorization) => http::get(url, accept, Some(&authorization)),
            None => Ok(answer),
        }
    }

    /// Requests a token from the server that a challenge names. `fields` are the challenge's.
    fn token(&self, fields: &str, basic: Option<&str>) -> Result<String, Error> {
        let field = |name: &str| {
            let start = fields.find(&format!("{name}=\""))? + name.len() + 2;
            let end = fields[start..].find('"')?;
            Some(&fields[start..start + end])
        };
        let realm = field("realm").unwrap_or_default();
        let is_local =
            is_loopback(self.host) && realm.starts_with("http://") && is_loopback(authority(realm));
        if !realm.starts_with("https://") && !is_local {
            return Err(unreachable(realm, "a token comes over https"));
        }
        let scope = format!("repository:{}:pull", self.path);
        let service = field("service").unwrap_or_default();
        let separator = if realm.contains('?') { '&' } else { '?' };
        let url = format!(
            "{realm}{separator}service={}&scope={}",
            utf8_percent_encode(service, &ENCODED),
            utf8_percent_encode(&scope, &ENCODED)
        );
        let answer = http::get(&url, "application/json", basic)?.body(MAX_ANSWER_SIZE)?;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let token = ["token", "access_token"]
            .into_iter()
            .find_map(|name| answer.get(name)?.as_str());
        let is_plain = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
        let token = token.filter(is_plain).map(str::to_owned);
        token.ok_or_else(|| unreachable(realm, "it gives no token"))
    }

    /// Returns the URL of a path of the API, in this repository.
    fn url(&self, path: &str) -> String {
        format!("{}/v2/{}/{path}", self.base, self.path)
    }

    /// Returns the tags, without digests: each of them takes a request.
    pub(super) fn tags(&self) -> Result<Refs, Error> {
        let mut refs = Refs::default();
        let mut next = Some(self.url("tags/list?n=1000"));
        for _ in 0..MAX_PAGES {
            let Some(url) = next else { break };
            let answer = self.get(&url, "application/json")?;
            let link = answer.header("link");
            next = link.and_then(|link| next_page(link, &self.base));
            let page: Tags = serde_json::from_slice(&answer.body(MAX_ANSWER_SIZE)?)
                .map_err(|_| unreachable(&url, "it does not list tags"))?;
            let tags = page.tags.unwrap_or_default().into_iter();
            for tag in tags.filter(|tag| check_reference(tag).is_ok()) {
                refs.add_tag(&tag, "");
            }
        }
        Ok(refs)
    }

    /// Fetches the manifest with a digest or of a tag.
    pub(super) fn manifest(&self, name: &str) -> Result<Vec<u8>, Error> {
        let url = self.url(&format!("manifests/{name}"));
        self.get(&url, MANIFESTS)?.body(MAX_ANSWER_SIZE)
    }

    /// Fetches the archive of a layer.
    pub(super) fn archive(&self, layer: &Layer) -> Result<Vec<u8>, Error> {
        let url = self.url(&format!("blobs/{}", layer.digest));
        self.get(&url, "*/*")?.body(MAX_ARCHIVE_SIZE)
    }
}

/// Returns the URL of the next page from a header `Link: </v2/x/tags/list?last=y>; rel="next"`;
/// `None` if it leads to another server.
fn next_page(link: &str, base: &str) -> Option<String> {
    let (target, _) = link.strip_prefix('<')?.split_once('>')?;
    let path = target.strip_prefix(base).unwrap_or(target);
    path.starts_with("/v2/").then(|| format!("{base}{path}"))
}

/// Returns the layer of a manifest that is an archive.
///
/// # Errors
/// If no layer or more than one is an archive, or the layer has no digest or is too large.
pub(super) fn layer(manifest: &[u8]) -> Result<Layer, String> {
    let manifest: Manifest =
        serde_json::from_slice(manifest).map_err(|_| "its manifest cannot be read")?;
    let layers = manifest.layers;
    let layers = layers.ok_or("it has no layers: an index of images, perhaps")?;
    let mut archives = layers.into_iter().filter(|layer| {
        let kind = &layer.media_type;
        kind.contains("tar") && !kind.contains("prov")
    });
    let layer = archives.next().ok_or("none of its layers is an archive")?;
    if archives.next().is_some() {
        return Err("it has several layers, and a package is one".to_owned());
    }
    if !is_digest(&layer.digest) {
        return Err("its layer has no digest of SHA-256".to_owned());
    }
    if layer.size > MAX_ARCHIVE_SIZE {
        let max = MAX_ARCHIVE_SIZE >> 20;
        return Err(format!("its archive has more than {max} MiB"));
    }
    Ok(layer)
}
