//! Finds the passwords of registries in the files of `docker login`, `podman login` and `helm
//! registry login`, and in the credential helpers that these files name.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::git_process::{on_path, query_credential_helper};
use crate::upgrade::host::authority;

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
