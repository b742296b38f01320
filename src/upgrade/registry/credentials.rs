//! The passwords for registries, from the files in which `docker login`, `podman login` and `helm
//! registry login` keep them, and from the credential helpers that these name.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::git_process::{on_path, query_credential_helper};
use crate::upgrade::host::authority;

/// What a request says of who asks, for a host; `None` if nothing is known. Each host is looked up
/// once in a run.
pub(super) fn basic(host: &str) -> Option<String> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Option<String>>>> = LazyLock::new(Mutex::default);
    // whoever asks at the same time waits: a helper may ask its user
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.entry(host.to_owned());
    found.or_insert_with(|| look_up(host)).clone()
}

fn look_up(host: &str) -> Option<String> {
    files().into_iter().find_map(|file| {
        let text = std::fs::read(file).ok()?;
        let config: Value = serde_json::from_slice(&text).ok()?;
        let of_host = |field: &str| {
            let mut entries = config.get(field)?.as_object()?.iter();
            Some(entries.find(|(name, _)| host_of(name) == host)?.1)
        };
        let helper = |name: Option<&Value>| of_helper(name?.as_str()?, host);
        helper(of_host("credHelpers"))
            .or_else(|| of_file(of_host("auths")?))
            .or_else(|| helper(config.get("credsStore")))
    })
}

/// What a file itself says.
fn of_file(entry: &Value) -> Option<String> {
    let field = |name: &str| entry.get(name)?.as_str().filter(|text| !text.is_empty());
    let encoded = match (field("auth"), field("username"), field("password")) {
        (Some(auth), ..) => auth.trim().to_owned(),
        (None, Some(user), Some(password)) => STANDARD.encode(format!("{user}:{password}")),
        _ => return None,
    };
    // what is no text in Base64 is no credential, and none of its bytes go into a request
    let decoded = STANDARD.decode(&encoded).ok()?;
    decoded.contains(&b':').then(|| format!("Basic {encoded}"))
}

/// What the program `docker-credential-NAME` says. It is started without a shell, and only from a
/// folder of PATH that is absolute: never from a package.
fn of_helper(name: &str, host: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        return None;
    }
    let program = on_path(&format!("docker-credential-{name}"))?;
    let server = match host {
        "registry-1.docker.io" => "https://index.docker.io/v1/",
        host => host,
    };
    let told = query_credential_helper(&program, server)?;
    let told: Value = serde_json::from_slice(&told).ok()?;
    let field = |name: &str| told.get(name)?.as_str().filter(|text| !text.is_empty());
    let (user, secret) = (field("Username")?, field("Secret")?);
    // this is no password, but what a token is made from
    let is_token = user == "<token>";
    (!is_token).then(|| format!("Basic {}", STANDARD.encode(format!("{user}:{secret}"))))
}

/// `https://index.docker.io/v1/`, `ghcr.io/owner` and `ghcr.io` name a host.
fn host_of(name: &str) -> &str {
    match authority(name) {
        "index.docker.io" | "docker.io" => "registry-1.docker.io",
        host => host,
    }
}

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
