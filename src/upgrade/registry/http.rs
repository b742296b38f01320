//! Sends HTTP requests with limits for time and size. Finds the passwords of registries in the
//! files of `docker login`, `podman login` and `helm registry login`, and in the credential helpers
//! that these files name.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use ureq::config::RedirectAuthHeaders;
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use super::unreachable;
use crate::error::Error;
use crate::git_process::{on_path, query_credential_helper};
use crate::upgrade::host::{authority, host_in};

/// The time limit of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(300);
/// The time limit of connecting to a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The response of a server, whose body is not read yet.
pub(super) struct Answer {
    response: Response<Body>,
    url: String,
}

/// Sends all requests.
static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    let provider = rustls::crypto::ring::default_provider();
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(provider))
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(5)
        .redirect_auth_headers(RedirectAuthHeaders::Never)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(REQUEST_TIMEOUT))
        .user_agent(concat!("merge3/", env!("CARGO_PKG_VERSION")))
        .build();
    config.into()
});

/// Sends a GET request with the headers `Accept` and `Authorization`.
///
/// # Errors
/// If there is no response.
pub(super) fn get(url: &str, accept: &str, authorization: Option<&str>) -> Result<Answer, Error> {
    let mut request = AGENT.get(url).header("Accept", accept);
    if let Some(authorization) = authorization {
        request = request.header("Authorization", authorization);
    }
    let response = request
        .call()
        .map_err(|error| unreachable(url, &error.to_string()))?;
    Ok(Answer {
        response,
        url: url.to_owned(),
    })
}

impl Answer {
    pub(super) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// Reads the body, of at most `max` bytes.
    ///
    /// # Errors
    /// If the status is not 200, or the body is larger or cannot be read.
    pub(super) fn body(mut self, max: u64) -> Result<Vec<u8>, Error> {
        let unreadable = |reason: &str| unreachable(&self.url, reason);
        if self.status() != 200 {
            let status = self.status();
            return Err(unreadable(&format!("it answers with status {status}")));
        }
        let body = self.response.body_mut().with_config().limit(max);
        body.read_to_vec().map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => {
                unreadable(&format!("it has more than {} MiB", max >> 20))
            }
            error => unreadable(&error.to_string()),
        })
    }
}

/// Whether an authority names this machine, to which no encryption is needed.
pub(super) fn is_loopback(authority: &str) -> bool {
    let host = host_in(authority);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Returns the `Authorization` header for a host; `None` if no password is known. Each host is
/// looked up once in a run.
pub(super) fn basic(host: &str) -> Option<String> {
    static HEADERS: LazyLock<Mutex<HashMap<String, Option<String>>>> =
        LazyLock::new(Mutex::default);
    // the lock is held during the look-up, so that a helper prompts the user only once
    let mut headers = HEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    let header = headers.entry(host.to_owned());
    header.or_insert_with(|| look_up(host)).clone()
}

fn look_up(host: &str) -> Option<String> {
    files().into_iter().find_map(|file| {
        let text = std::fs::read(file).ok()?;
        let config: Value = serde_json::from_slice(&text).ok()?;
        let of_host = |field: &str| {
            let mut entries = config.get(field)?.as_object()?.iter();
            Some(entries.find(|(name, _)| host_of(name) == host)?.1)
        };
        let helper = |name: Option<&Value>| from_helper(name?.as_str()?, host);
        helper(of_host("credHelpers"))
            .or_else(|| from_entry(of_host("auths")?))
            .or_else(|| helper(config.get("credsStore")))
    })
}

/// Returns the `Authorization` header from a host's entry in a file.
fn from_entry(entry: &Value) -> Option<String> {
    let encoded = match ["auth", "username", "password"].map(|name| text_of(entry, name)) {
        [Some(auth), ..] => auth.trim().to_owned(),
        [None, Some(user), Some(password)] => STANDARD.encode(format!("{user}:{password}")),
        _ => return None,
    };
    // invalid Base64 is rejected, so that no other bytes of the file get into a request
    let decoded = STANDARD.decode(&encoded).ok()?;
    decoded.contains(&b':').then(|| format!("Basic {encoded}"))
}

/// Returns the `Authorization` header from the program `docker-credential-NAME`. The program is
/// started without a shell, and only from an absolute folder of PATH, never from a package.
fn from_helper(name: &str, host: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        return None;
    }
    let program = on_path(&format!("docker-credential-{name}"))?;
    let server = match host {
        "registry-1.docker.io" => "https://index.docker.io/v1/",
        host => host,
    };
    let answer = query_credential_helper(&program, server)?;
    let answer: Value = serde_json::from_slice(&answer).ok()?;
    let (user, secret) = (text_of(&answer, "Username")?, text_of(&answer, "Secret")?);
    // with this user name the secret is a refresh token, not a password
    let is_token = user == "<token>";
    (!is_token).then(|| format!("Basic {}", STANDARD.encode(format!("{user}:{secret}"))))
}

/// Returns the text of a field; `None` if it is missing or empty.
fn text_of<'v>(object: &'v Value, field: &str) -> Option<&'v str> {
    object.get(field)?.as_str().filter(|text| !text.is_empty())
}

/// Returns the host of an entry's name, such as `https://index.docker.io/v1/`, `ghcr.io/owner` or
/// `ghcr.io`.
fn host_of(name: &str) -> &str {
    match authority(name) {
        "index.docker.io" | "docker.io" => "registry-1.docker.io",
        host => host,
    }
}

/// Returns the files that may contain passwords, in the order in which they are read.
fn files() -> Vec<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .filter(|it| !it.is_empty())
            .map(PathBuf::from)
    };
    let home = || folder("HOME").or_else(|| folder("USERPROFILE"));
    let docker = folder("DOCKER_CONFIG").or_else(|| Some(home()?.join(".docker")));
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")));
    let files = [
        folder("REGISTRY_AUTH_FILE"),
        docker.map(|folder| folder.join("config.json")),
        folder("XDG_RUNTIME_DIR").map(|folder| folder.join("containers/auth.json")),
        config.map(|folder| folder.join("helm/registry/config.json")),
    ];
    files.into_iter().flatten().collect()
}
