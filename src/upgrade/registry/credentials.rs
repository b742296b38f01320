//! The passwords for registries, from the files in which `docker login`, `podman login` and `helm
//! registry login` keep them. No program is started to ask for one.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// What a request says of who asks, for a host; none where nothing is known.
pub(super) fn basic(host: &str) -> Option<String> {
    files().into_iter().find_map(|file| {
        let text = std::fs::read(file).ok()?;
        let config: Value = serde_json::from_slice(&text).ok()?;
        let auths = config.get("auths")?.as_object()?;
        let entry = auths.iter().find(|(name, _)| host_of(name) == host)?.1;
        let field = |name: &str| entry.get(name)?.as_str().filter(|text| !text.is_empty());
        let encoded = match (field("auth"), field("username"), field("password")) {
            (Some(auth), ..) => auth.to_owned(),
            (None, Some(user), Some(password)) => STANDARD.encode(format!("{user}:{password}")),
            _ => return None,
        };
        // what is no text in Base64 is no credential, and none of its bytes go into a request
        let decoded = STANDARD.decode(encoded.trim()).ok()?;
        decoded
            .contains(&b':')
            .then(|| format!("Basic {}", encoded.trim()))
    })
}

/// `https://index.docker.io/v1/`, `ghcr.io/owner` and `ghcr.io` name a host.
fn host_of(name: &str) -> &str {
    let rest = name.split_once("://").map_or(name, |(_, rest)| rest);
    match rest.split('/').next().unwrap_or(rest) {
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
