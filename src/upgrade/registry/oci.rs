//! Reads OCI registries: tags, manifests and blobs, with token authentication.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::http::{self, Answer, is_loopback};
use super::{MAX_ARCHIVE_SIZE, credentials, digest_of, unreachable};
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

/// The layer of a manifest that contains the package.
pub(in crate::upgrade) struct Layer {
    pub(in crate::upgrade) digest: String,
    /// Whether it is a chart, whose files are in a folder with the chart's name.
    pub(in crate::upgrade) is_chart: bool,
    size: u64,
}

/// A repository in a registry: its host and path, and the base URL of the registry's API.
struct Registry<'r> {
    host: &'r str,
    path: &'r str,
    base: String,
}

impl<'r> Registry<'r> {
    fn of(repository: &'r str) -> Result<Self, Error> {
        let (host, path) = repository.split_once('/').unwrap_or((repository, ""));
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(unreachable(
                &format!("oci://{repository}"),
                "this is not the name of a host",
            ));
        }
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
        if path.is_empty()
            || !path.chars().all(is_name)
            || path.split('/').any(|name| name.is_empty() || name == "..")
        {
            return Err(unreachable(
                &format!("oci://{repository}"),
                "a repository is HOST/PATH, in lower case",
            ));
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
        if answer.status != 401 {
            return Ok(answer);
        }
        let challenge = answer
            .header("www-authenticate")
            .unwrap_or_default()
            .to_owned();
        let (scheme, fields) = challenge.split_once(' ').unwrap_or((&challenge, ""));
        let basic = credentials::basic(self.host);
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
        let token = token.filter(is_plain);
        Ok(token
            .ok_or_else(|| unreachable(realm, "it gives no token"))?
            .to_owned())
    }

    /// Returns the URL of a path of the API, in this repository.
    fn url(&self, path: &str) -> String {
        format!("{}/v2/{}/{path}", self.base, self.path)
    }
}

/// Returns the tags of a repository, without digests: each of them takes a request.
pub(in crate::upgrade) fn list(repository: &str) -> Result<Refs, Error> {
    let registry = Registry::of(repository)?;
    let mut refs = Refs::default();
    let mut url = registry.url("tags/list?n=1000");
    for _ in 0..MAX_PAGES {
        let answer = registry.get(&url, "application/json")?;
        let next = answer
            .header("link")
            .and_then(|link| next_page(link, &registry.base));
        let bytes = answer.body(MAX_ANSWER_SIZE)?;
        let page: Value = serde_json::from_slice(&bytes)
            .map_err(|_| unreachable(&url, "it does not list tags"))?;
        for tag in page
            .get("tags")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Some(tag) = tag.as_str().filter(|tag| check_reference(tag).is_ok()) {
                refs.add_tag(tag, "");
            }
        }
        match next {
            Some(next) => url = next,
            None => break,
        }
    }
    Ok(refs)
}

/// Returns the URL of the next page from a header `Link: </v2/x/tags/list?last=y>; rel="next"`;
/// `None` if it leads to another server.
fn next_page(link: &str, base: &str) -> Option<String> {
    let (target, _) = link.strip_prefix('<')?.split_once('>')?;
    let path = target.strip_prefix(base).unwrap_or(target);
    path.starts_with("/v2/").then(|| format!("{base}{path}"))
}

/// Returns the digest of a tag's manifest.
pub(in crate::upgrade) fn digest_of_tag(repository: &str, tag: &str) -> Result<String, Error> {
    manifest(repository, tag).map(|bytes| digest_of(&bytes))
}

/// Fetches the manifest with a digest or of a tag.
pub(in crate::upgrade) fn manifest(repository: &str, name: &str) -> Result<Vec<u8>, Error> {
    let registry = Registry::of(repository)?;
    let url = registry.url(&format!("manifests/{name}"));
    registry.get(&url, MANIFESTS)?.body(MAX_ANSWER_SIZE)
}

/// Returns the layer of a manifest that is an archive.
///
/// # Errors
/// If no layer or more than one is an archive, or the layer has no digest or is too large.
pub(in crate::upgrade) fn layer(manifest: &[u8]) -> Result<Layer, String> {
    let manifest: Value =
        serde_json::from_slice(manifest).map_err(|_| "its manifest is no JSON")?;
    let layers = manifest.get("layers").and_then(Value::as_array);
    let layers = layers.ok_or("it has no layers: an index of images, perhaps")?;
    let archives = layers.iter().filter_map(|layer| {
        let kind = layer.get("mediaType")?.as_str()?;
        let is_archive = kind.contains("tar") && !kind.contains("prov");
        is_archive.then(|| Layer {
            digest: layer
                .get("digest")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            is_chart: kind.contains("helm.chart"),
            size: layer
                .get("size")
                .and_then(Value::as_u64)
                .unwrap_or_default(),
        })
    });
    let mut archives: Vec<Layer> = archives.collect();
    match (archives.pop(), archives.is_empty()) {
        (Some(layer), true) if !is_digest(&layer.digest) => {
            Err("its layer has no digest of SHA-256".to_owned())
        }
        (Some(layer), true) if layer.size > MAX_ARCHIVE_SIZE => Err(format!(
            "its archive has more than {} MiB",
            MAX_ARCHIVE_SIZE >> 20
        )),
        (Some(layer), true) => Ok(layer),
        (Some(_), false) => Err("it has several layers, and a package is one".to_owned()),
        (None, _) => Err("none of its layers is an archive".to_owned()),
    }
}

/// Fetches the archive of a layer.
pub(in crate::upgrade) fn blob(repository: &str, layer: &Layer) -> Result<Vec<u8>, Error> {
    let registry = Registry::of(repository)?;
    let url = registry.url(&format!("blobs/{}", layer.digest));
    registry.get(&url, "*/*")?.body(MAX_ARCHIVE_SIZE)
}
