//! Tests packages from Helm repositories and OCI registries.

use std::process::Command;

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};
use crate::served::{
    Access, CHART, FLUX, IMAGE, PASSWORD, Registry, Server, USER, archive, basic, digest,
};

fn chart_yaml(version: &str) -> String {
    format!("apiVersion: v2\nname: web\nversion: {version}\n")
}

/// Returns a chart's archive at a version.
fn chart(version: &str) -> Vec<u8> {
    let (about, text) = (chart_yaml(version), web(version, 1));
    archive(
        "web/",
        &[("Chart.yaml", &about), ("templates/web.yaml", &text)],
    )
}

const VERSIONS: [&str; 4] = ["1.0.0", "1.1.0", "1.1.1-rc.1", "2.0.0"];

/// Serves a Helm repository with these versions.
fn helm(access: Access) -> (Server, String) {
    let server = Server::new(access);
    for version in VERSIONS {
        server.chart("web", version, &chart(version));
    }
    let address = format!("helm+http://{}/charts/web", server.authority);
    (server, address)
}

fn log_in(workshop: &Workshop, authority: &str) {
    let config = format!(
        "{{\"auths\": {{\"{authority}\": {{\"auth\": \"{}\"}}}}}}",
        basic()
    );
    workshop.write("home/.docker/config.json", &config);
}

/// Gets a package at 1.0.0, changes it, and upgrades it within its major version and to the next
/// one.
fn assert_upgradable(workshop: &Workshop, address: &str) {
    workshop
        .merge3(&["get", &format!("{address}@1.0.0"), "app"])
        .exits(0);
    let file = "fleet/app/templates/web.yaml";
    assert_eq!(workshop.read(file), web("1.0.0", 1));
    workshop.edit(file, "replicas: 1", "replicas: 7 # ours");
    workshop.save("ours");
    assert_eq!(
        workshop
            .merge3(&["outdated", "--within", "minor"])
            .exits(0)
            .stdout,
        "PACKAGE  CURRENT  WANTED  LATEST\napp      1.0.0    1.1.0   2.0.0\n"
    );
    let outdated = workshop.merge3(&["outdated", "--report", "json"]);
    assert_eq!(
        outdated.exits(0).json()["outdated"][0]["current"]["ref"],
        "1.0.0"
    );
    let minor = [
        "upgrade", "app", "--within", "minor", "--commit", "--report", "markdown",
    ];
    let body = workshop.merge3(&minor).exits(0).stdout;
    assert!(body.contains("| `app` | `1.0.0` | `1.1.0` | 0 |"), "{body}");
    assert!(workshop.read(file).contains("image: web:1.1.0"));
    let upgrade = workshop.merge3(&["upgrade", "app", "--report", "json"]);
    let report = upgrade.exits(0).json();
    let [from, to] = ["from", "to"].map(|side| &report["packages"][0][side]["ref"]);
    assert_eq!([from, to], ["1.1.0", "2.0.0"]);
    let expected = web("2.0.0", 1).replace("replicas: 1", "replicas: 7 # ours");
    assert_eq!(workshop.read(file), expected);
    workshop.save("upgrade");
    let run = workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(run.stdout, "1 package is up to date\n");
    assert_eq!(
        workshop.merge3(&["diff", "app", "--list"]).exits(0).stdout,
        "changed templates/web.yaml\n"
    );
}

#[test]
fn a_chart_of_a_helm_repository_is_upgraded() {
    let (server, address) = helm(Access::Everybody);
    let workshop = Workshop::new();
    assert_upgradable(&workshop, &address);
    let record = workshop.read("fleet/app/.merge3.yaml");
    let repo = format!("helm+http://{}/charts", server.authority);
    let digest = digest(&chart("2.0.0"));
    assert_eq!(
        record,
        format!(
            "upstream:\n  type: helm\n  helm:\n    repo: {repo}\n    chart: web\n    ref: \"2.0.0\"\nupstreamLock:\n  type: helm\n  helm:\n    repo: {repo}\n    chart: web\n    ref: \"2.0.0\"\n    digest: {digest}\n"
        )
    );
}

#[test]
fn a_private_helm_repository_is_asked_with_a_password() {
    let (server, address) = helm(Access::Password);
    let workshop = Workshop::new();
    let run = workshop.merge3(&["get", &address, "app"]).exits(2);
    run.says(&["it answers with status 401", "docker login"]);
    log_in(&workshop, &server.authority);
    assert_upgradable(&workshop, &address);
}

/// Writes a credential helper that returns a password for one host and logs its calls.
#[cfg(unix)]
fn helper(workshop: &Workshop, name: &str, authority: &str, user: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    let asked = workshop.path("asked");
    let script = format!(
        "#!/bin/sh\nread server\necho \"$0 $* $server\" >> '{}'\n[ \"$server\" = {authority} ] || exit 1\n\
         echo '{{\"ServerURL\": \"{authority}\", \"Username\": \"{user}\", \"Secret\": \"{PASSWORD}\"}}'\n",
        asked.display()
    );
    let file = format!("bin/docker-credential-{name}");
    workshop.write(&file, &script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(workshop.path(&file), executable).unwrap();
}

#[cfg(unix)]
#[test]
fn a_credential_helper_is_asked_for_a_password() {
    let (server, address) = helm(Access::Password);
    let authority = &server.authority;
    let workshop = Workshop::new();
    helper(&workshop, "vault", authority, USER);
    helper(&workshop, "token", authority, "<token>");
    let get = |config: &str, path: &str, folder: &str| {
        workshop.write("home/.docker/config.json", config);
        let mut command = Command::new(crate::harness::merge3());
        workshop.isolate(&mut command);
        let before = std::env::var("PATH").unwrap();
        command
            .args(["get", &format!("{address}@1.0.0"), folder])
            .current_dir(workshop.path("fleet"))
            .env("PATH", format!("{path}:{before}"));
        command.output().unwrap().status.code()
    };
    let bin = workshop.path("bin").display().to_string();
    let of_host = format!("{{\"credHelpers\": {{\"{authority}\": \"vault\"}}}}");
    assert_eq!(get(&of_host, &bin, "a"), Some(0));
    // the helper is called once, however many requests need the password
    let asked = workshop.read("asked");
    assert_eq!(
        asked,
        format!("{bin}/docker-credential-vault get {authority}\n")
    );
    let of_all = "{\"auths\": {}, \"credsStore\": \"vault\"}";
    assert_eq!(get(of_all, &bin, "b"), Some(0));
    // a helper that does not exist, returns no password, is not in an absolute folder, or is not a
    // name
    for (name, path) in [
        ("none", &*bin),
        ("token", &bin),
        ("vault", "../bin"),
        ("../bin/docker-credential-vault", &bin),
        ("vault get; touch x", &bin),
    ] {
        let config = format!("{{\"credHelpers\": {{\"{authority}\": \"{name}\"}}}}");
        assert_eq!(get(&config, path, "c"), Some(2), "{name}");
    }
}

#[test]
fn a_chart_copied_by_hand_has_its_version() {
    let (_server, address) = helm(Access::Everybody);
    let workshop = Workshop::new();
    workshop.write("fleet/web/Chart.yaml", &chart_yaml("1.1.0"));
    workshop.write("fleet/web/templates/web.yaml", &web("1.1.0", 3));
    workshop.save("a copy by hand");
    let run = workshop.merge3(&["adopt", "web", &address]).exits(0);
    assert!(
        run.stdout.starts_with("web: web/1.1.0 of "),
        "{}",
        run.stdout
    );
    workshop.save("adopt");
    workshop.merge3(&["upgrade", "web"]).exits(0);
    assert_eq!(
        workshop.read("fleet/web/templates/web.yaml"),
        web("2.0.0", 3)
    );
}

/// A copy without a version is compared with the versions in the repository.
#[test]
fn a_copy_of_an_archive_is_adopted_at_the_nearest_version() {
    let (server, helm) = helm(Access::Everybody);
    let workshop = Workshop::new();
    let oci = format!("oci://{}/kpt/web", server.authority);
    for version in VERSIONS {
        let files = archive("./", &[("web.yaml", &web(version, 1))]);
        server.image("kpt/web", version, IMAGE, &files);
    }
    let ours = web("1.1.0", 1).replace("replicas: 1", "replicas: 7 # ours");
    workshop.write("fleet/kpt/web.yaml", &ours);
    let run = workshop.merge3(&["adopt", "kpt", &oci]).exits(0);
    assert!(run.stdout.contains("1.1.0"), "{}", run.stdout);
    // upstream does not have the copy's version
    workshop.write("fleet/chart/Chart.yaml", &chart_yaml("1.1.0-ours"));
    workshop.write("fleet/chart/templates/web.yaml", &ours);
    let run = workshop.merge3(&["adopt", "chart", &helm]).exits(0);
    assert!(run.stdout.contains("1.1.0"), "{}", run.stdout);
    workshop.save("adopt");
    workshop.merge3(&["upgrade", "kpt", "chart"]).exits(0);
    for file in ["fleet/kpt/web.yaml", "fleet/chart/templates/web.yaml"] {
        assert_eq!(workshop.read(file), ours.replace("1.1.0", "2.0.0"));
    }
}

#[test]
fn a_registry_hands_out_tokens() {
    let server = Server::new(Access::Token);
    for version in VERSIONS {
        server.image("charts/web", version, CHART, &chart(version));
    }
    let address = format!("oci://{}/charts/web", server.authority);
    let workshop = Workshop::new();
    let run = workshop.merge3(&["get", &address, "app"]).exits(2);
    run.says(&["it answers with status 401"]);
    log_in(&workshop, &server.authority);
    assert_upgradable(&workshop, &address);
    let asked = server.asked.lock().unwrap().join("\n");
    let with_password = asked.lines().filter(|line| line.contains("Basic"));
    assert!(
        with_password.clone().count() > 0
            && with_password.clone().all(|line| line.starts_with("/token")),
        "{asked}"
    );
}

#[test]
fn a_tag_has_an_underscore_for_the_plus_of_a_version() {
    let server = Server::new(Access::Everybody);
    for version in ["1.0.0", "1.1.0"] {
        server.image(
            "charts/web",
            &format!("{version}_up2"),
            CHART,
            &chart(version),
        );
    }
    let address = format!("oci://{}/charts/web", server.authority);
    let workshop = Workshop::new();
    for (name, folder) in [("1.0.0+up2", "app"), ("1.0.0_up2", "other")] {
        workshop
            .merge3(&["get", &format!("{address}@{name}"), folder])
            .exits(0);
    }
    workshop.save("get");
    workshop.merge3(&["upgrade", "--all"]).exits(0);
    for folder in ["app", "other"] {
        let text = workshop.read(&format!("fleet/{folder}/templates/web.yaml"));
        assert_eq!(text, web("1.1.0", 1));
    }
    workshop.save("upgrade");
    workshop.merge3(&["outdated", "--exit-code"]).exits(0);
}

/// The digest is optional in Helm's index.
#[test]
fn a_chart_without_a_digest_in_the_index_counts() {
    let (server, address) = helm(Access::Everybody);
    let list = |versions: &[&str]| {
        let entries = versions.iter().map(|version| {
            format!("  - name: web\n    version: {version}\n    urls: [web-{version}.tgz]\n")
        });
        let entries: String = entries.collect();
        let index = format!("apiVersion: v1\nentries:\n  web:\n{entries}");
        server.put("/charts/index.yaml", index.as_bytes());
    };
    list(&VERSIONS);
    let workshop = Workshop::new();
    assert_upgradable(&workshop, &address);
    let record = workshop.read("fleet/app/.merge3.yaml");
    let digest = digest(&chart("2.0.0"));
    assert!(
        record.contains(&format!("    ref: \"2.0.0\"\n    digest: {digest}\n")),
        "{record}"
    );
    // the record has the digest, so an archive that upstream replaced is noticed
    workshop.merge3(&["cache", "clean"]).exits(0);
    server.put("/charts/web-2.0.0.tgz", &chart("2.0.1"));
    let run = workshop.merge3(&["diff", "app"]).exits(2);
    run.says(&[&digest, "was promised"]);
}

#[test]
fn versions_that_are_not_there_and_archives_that_are_gone() {
    let (server, address) = helm(Access::Everybody);
    let workshop = Workshop::new();
    let run = workshop
        .merge3(&["get", &format!("{address}@1.2.0"), "app"])
        .exits(2);
    run.says(&["has no version 1.2.0", "web/1.1.0", "web/2.0.0"]);
    workshop
        .merge3(&["get", &format!("{address}@1.0.0"), "app"])
        .exits(0);
    workshop.save("get");
    workshop.merge3(&["cache", "clean"]).exits(0);
    server.put("/charts/index.yaml", b"entries:\n  web:\n");
    server.chart("web", "2.0.0", &chart("2.0.0"));
    workshop
        .merge3(&["upgrade", "app"])
        .exits(2)
        .says(&["is not in the repository any more"]);
    for (address, message) in [
        (
            format!("oci://{}/nothing", server.authority),
            "it answers with status 404",
        ),
        (
            format!("helm+http://{}/nothing/web", server.authority),
            "it answers with status 404",
        ),
        ("oci://127.0.0.1:1/a/b".to_owned(), "cannot be read"),
        (
            "oci://127.0.0.1:1".to_owned(),
            "no chart or repository is named",
        ),
        ("oci://127.0.0.1:1/A".to_owned(), "in lower case"),
    ] {
        workshop
            .merge3(&["get", &address, "x"])
            .exits(2)
            .says(&[message]);
    }
}

/// The files are the same for every source.
#[test]
fn git_helm_and_a_registry_end_in_the_same_files() {
    let workshop = Workshop::new();
    let server = Server::new(Access::Everybody);
    let flux = |version: &str| {
        let (about, text) = (chart_yaml(version), web(version, 1));
        archive(
            "./",
            &[("Chart.yaml", &about), ("templates/web.yaml", &text)],
        )
    };
    for version in ["1.0.0", "1.1.0"] {
        let (about, text) = (chart_yaml(version), web(version, 1));
        workshop.release(
            version,
            &[
                ("web/Chart.yaml", &about),
                ("web/templates/web.yaml", &text),
            ],
        );
        server.chart("web", version, &chart(version));
        server.image("charts/web", version, CHART, &chart(version));
        server.image("flux/web", version, FLUX, &flux(version));
        server.image("kpt/web", version, IMAGE, &flux(version));
    }
    let authority = &server.authority;
    let addresses = [
        format!("{}/web", workshop.url()),
        format!("helm+http://{authority}/charts/web"),
        format!("oci://{authority}/charts/web"),
        format!("oci://{authority}/flux/web"),
        format!("oci://{authority}/kpt/web"),
    ];
    let mut ends = Vec::new();
    for (at, address) in addresses.iter().enumerate() {
        let folder = format!("app{at}");
        workshop
            .merge3(&["get", &format!("{address}@1.0.0"), &folder])
            .exits(0);
        let file = format!("fleet/{folder}/templates/web.yaml");
        workshop.edit(&file, "replicas: 1", "replicas: 7 # ours");
        workshop.save("ours");
        workshop.merge3(&["upgrade", &folder]).exits(0);
        workshop.save("upgrade");
        let mut files = workshop.files(&format!("fleet/{folder}"));
        files.remove(".merge3.yaml").unwrap();
        ends.push(files);
    }
    assert!(
        ends.iter()
            .all(|files| *files == ends[0] && files.len() == 2)
    );
}

#[test]
fn a_real_registry_gives_charts_and_packages() {
    let Some(registry) = Registry::start() else {
        return;
    };
    let mut digests = Vec::new();
    for version in VERSIONS {
        digests.push(registry.push("team/web", version, CHART, &chart(version)));
    }
    let workshop = Workshop::new();
    let address = format!("oci://{}/team/web", registry.authority);
    let run = workshop.merge3(&["get", &address, "app"]).exits(2);
    run.says(&["it answers with status 401", "docker login"]);
    let wrong = format!(
        "{{\"auths\": {{\"{}\": {{\"username\": \"bot\", \"password\": \"wrong\"}}}}}}",
        registry.authority
    );
    workshop.write("home/.docker/config.json", &wrong);
    workshop
        .merge3(&["get", &address, "app"])
        .exits(2)
        .says(&["status 401"]);
    log_in(&workshop, &registry.authority);
    assert_upgradable(&workshop, &address);
    let record = workshop.read("fleet/app/.merge3.yaml");
    assert!(
        record.contains(&format!("    ref: \"2.0.0\"\n    digest: {}\n", digests[3])),
        "{record}"
    );
    assert!(!record.contains(PASSWORD) && !record.contains(&basic()));
    // by digest
    let by_digest = format!("{address}@{}", digests[1]);
    workshop.merge3(&["get", &by_digest, "pinned"]).exits(0);
    assert_eq!(
        workshop.read("fleet/pinned/templates/web.yaml"),
        web("1.1.0", 1)
    );
    // a tag that moved
    registry.push("team/web", "latest", CHART, &chart("1.0.0"));
    workshop
        .merge3(&["get", &format!("{address}:latest"), "moving"])
        .exits(0);
    workshop.save("get");
    registry.push("team/web", "latest", CHART, &chart("1.1.0"));
    workshop
        .merge3(&["upgrade", "moving", "--to", "latest"])
        .exits(0);
    assert_eq!(
        workshop.read("fleet/moving/templates/web.yaml"),
        web("1.1.0", 1)
    );
}
