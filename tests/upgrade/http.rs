//! Tests smart HTTP on loopback.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};
use crate::server::serve;

#[test]
fn a_package_comes_over_http() {
    let workshop = Workshop::new();
    workshop.git(
        "upstream.git",
        &["config", "uploadpack.allowFilter", "true"],
    );
    let large = "x".repeat(1 << 20);
    workshop.release(
        "v1.0.0",
        &[("app/web.yaml", &web("1.0", 1)), ("unrelated", &large)],
    );
    let url = serve(&workshop.path("."));
    // the end of the repository's path is found by requests
    workshop.git(".", &["clone", "-q", "--bare", "upstream.git", "plain"]);
    workshop.git("plain", &["config", "uploadpack.allowFilter", "true"]);
    workshop
        .merge3(&["get", &format!("{url}/plain/app@v1.0.0"), "found"])
        .exits(0);
    assert!(
        workshop
            .read("fleet/found/.merge3.yaml")
            .contains(&format!("repo: {url}/plain\n"))
    );

    workshop
        .merge3(&["get", &format!("{url}/upstream.git/app@v1.0.0"), "app"])
        .exits(0);
    workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 2 # ours");
    workshop.save("vendor");
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
    assert!(
        workshop
            .merge3(&["outdated"])
            .exits(0)
            .stdout
            .contains("v1.1.0")
    );
    let report = workshop
        .merge3(&["upgrade", "app", "--report", "json"])
        .exits(0)
        .json();
    assert_eq!(
        report["packages"][0]["commits"][0]["subject"],
        "release v1.1.0"
    );
    assert_eq!(
        workshop.read("fleet/app/web.yaml"),
        web("1.1", 2).replace("replicas: 2", "replicas: 2 # ours")
    );
    // files outside the package were not fetched
    let size: usize = workshop.files("cache").values().map(Vec::len).sum();
    assert!(size < 200_000, "{size} bytes in the cache");
    let object = workshop.git("upstream", &["rev-parse", "v1.0.0:unrelated"]);
    let has = |store: &str| {
        workshop.has(&format!(
            "{store}/objects/{}/{}",
            &object[..2],
            object[2..].trim()
        ))
    };
    assert!(has("upstream/.git"), "the object exists upstream");
}

/// A server without filters that serves commits only by the names of refs.
#[test]
fn a_server_with_few_features_works() {
    let workshop = Workshop::with_app();
    workshop.git(
        "upstream.git",
        &["config", "uploadpack.allowFilter", "false"],
    );
    let url = serve(&workshop.path("."));
    workshop.write("home/.gitconfig", "[protocol]\n\tversion = 0\n");
    workshop
        .merge3(&["get", &format!("{url}/upstream.git/app@v1.0.0"), "old"])
        .exits(0);
    workshop.save("vendor");
    // a commit between the releases, which no ref names
    let between = workshop.release("x", &[("app/web.yaml", &web("1.2", 1))]);
    workshop.release("v1.3.0", &[("app/web.yaml", &web("1.3", 1))]);
    workshop.git("upstream", &["push", "-q", "origin", ":refs/tags/x"]);
    workshop
        .merge3(&["upgrade", "old", "--to", &between])
        .exits(0);
    assert_eq!(workshop.read("fleet/old/web.yaml"), web("1.2", 1));
}

#[test]
fn no_password_is_requested() {
    let workshop = Workshop::new();
    let url = serve(&workshop.path("."));
    let run = workshop
        .merge3(&["get", &format!("{url}/private/x.git@v1"), "app"])
        .exits(2);
    run.says(&["cannot be read", "terminal prompts disabled"]);
}
