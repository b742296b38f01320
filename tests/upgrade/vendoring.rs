//! Tests `get` and plain upgrades: what is written, and that the result is that of the main
//! command.

use std::fs;
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::harness::{RunOutput, Workshop, copy, files, kptfile, merge3, web};

#[test]
fn a_package_is_vendored_with_its_record() {
    let workshop = Workshop::new();
    let commit = workshop.release(
        "v1.0.0",
        &[("app/web.yaml", &web("1.0", 1)), ("other.yaml", "a: 1\n")],
    );
    let run = workshop
        .merge3(&["get", &format!("{}/app@v1.0.0", workshop.url())])
        .exits(0);
    assert!(run.stdout.starts_with("app: v1.0.0 of "), "{}", run.stdout);
    let record = format!(
        "upstream:\n  type: git\n  git:\n    repo: {0}\n    directory: /app\n    ref: v1.0.0\nupstreamLock:\n  type: git\n  git:\n    repo: {0}\n    directory: /app\n    ref: v1.0.0\n    commit: {commit}\n",
        workshop.url()
    );
    let got = workshop.files("fleet/app");
    assert_eq!(got.keys().collect::<Vec<_>>(), [".merge3.yaml", "web.yaml"]);
    assert_eq!(
        workshop.read("fleet/app/.merge3.yaml").replace('"', ""),
        record
    );
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.0", 1));
    // nothing is left beside it
    assert_eq!(workshop.files("fleet").len(), 2);
}

#[test]
fn a_record_goes_into_the_kptfile_where_there_is_one() {
    let workshop = Workshop::new();
    workshop.release(
        "app/v1.0.0",
        &[
            ("app/Kptfile", &kptfile("app")),
            ("app/web.yaml", &web("1.0", 1)),
        ],
    );
    workshop.get("app@v1.0.0", "mine");
    assert!(!workshop.has("fleet/mine/.merge3.yaml"));
    let text = workshop.read("fleet/mine/Kptfile");
    assert!(
        text.starts_with(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\nupstream:\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("    ref: v1.0.0\n"),
        "the ref as it was given: {text}"
    );
    assert!(
        text.contains("    ref: app/v1.0.0\n"),
        "the ref as the server has it: {text}"
    );
    assert!(
        text.ends_with("info:\n  description: app # what it is\n"),
        "{text}"
    );
}

/// The local Kptfile keeps its name and its record, and the other changes of both sides merge.
#[test]
fn a_kptfile_merges_but_for_its_name_and_its_record() {
    let workshop = Workshop::new();
    workshop.release("v1.0.0", &[("app/Kptfile", &kptfile("app"))]);
    workshop.get("app@v1.0.0", "mine");
    workshop.edit(
        "fleet/mine/Kptfile",
        "  name: app\n",
        "  name: mine # ours\n",
    );
    workshop.save("rename");
    let upstream = kptfile("renamed").replace("description: renamed", "description: better")
        + "upstream:\n  git:\n    repo: https://example.org/elsewhere\n    ref: v7\n";
    workshop.release("v1.1.0", &[("app/Kptfile", &upstream)]);
    let before = workshop.read("fleet/mine/Kptfile");
    let run = workshop
        .merge3(&["upgrade", "mine", "--report", "json"])
        .exits(0);
    assert_eq!(run.json()["packages"][0]["counts"]["conflicts"], 0);
    let after = workshop.read("fleet/mine/Kptfile");
    let commit = workshop.git("upstream", &["rev-parse", "HEAD"]);
    let old = workshop.git("upstream", &["rev-parse", "HEAD^"]);
    let expected = before
        .replace("description: app #", "description: better #")
        .replace("v1.0.0", "v1.1.0")
        .replace(old.trim(), commit.trim());
    assert_eq!(after.replace('"', ""), expected.replace('"', ""));
}

#[cfg(unix)]
#[test]
fn modes_and_links_come_along_and_nothing_leads_out() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let workshop = Workshop::new();
    workshop.write("upstream/app/run.sh", "#!/bin/sh\n");
    let script = workshop.path("upstream/app/run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    symlink("run.sh", workshop.path("upstream/app/start")).unwrap();
    symlink("../../../etc/passwd", workshop.path("upstream/app/bad")).unwrap();
    workshop.write("upstream/app/line\nbreak.yaml", "a: 1\n");
    workshop.write("upstream/app/.merge3.yaml", "rules: []\n");
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    let run = workshop
        .merge3(&["get", &format!("{}/app@v1.0.0", workshop.url())])
        .exits(0);
    run.says(&[
        "bad: a symbolic link to ../../../etc/passwd, out of the package, is left out",
        "upstream's own rules",
    ]);
    assert!(!workshop.has("fleet/app/bad"));
    assert!(workshop.has("fleet/app/line\nbreak.yaml"));
    let mode = |name: &str| {
        fs::metadata(workshop.path(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("fleet/app/run.sh") & 0o100, 0o100);
    assert_eq!(mode("fleet/app/web.yaml") & 0o111, 0);
    assert_eq!(
        fs::read_link(workshop.path("fleet/app/start")).unwrap(),
        Path::new("run.sh")
    );
    workshop.save("vendor");
    // a new executable file is executable after an upgrade, too
    workshop.write("upstream/app/stop.sh", "#!/bin/sh\n");
    fs::set_permissions(
        workshop.path("upstream/app/stop.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    workshop.release("v1.1.0", &[]);
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(mode("fleet/app/stop.sh") & 0o100, 0o100);
}

/// The end of the repository and the start of the folder in an address are found without a
/// separator.
#[test]
fn a_repository_is_found_in_an_address() {
    let workshop = Workshop::new();
    workshop.release("v1.0.0", &[("deep/app/web.yaml", &web("1.0", 1))]);
    let path = workshop.path("upstream").display().to_string();
    for (address, folder) in [
        (format!("{path}/deep/app@v1.0.0"), "a"),
        (format!("file://{path}/deep/app@v1.0.0"), "b"),
        (format!("{path}//deep/app@v1.0.0"), "c"),
        ("../upstream/deep/app@v1.0.0".to_owned(), "d"),
        (format!("{}/deep/app@v1.0.0", workshop.url()), "e"),
        (format!("{}/deep/app", workshop.url()), "newest"),
        (format!("{}/deep/app@main", workshop.url()), "branch"),
    ] {
        workshop.merge3(&["get", &address, folder]).exits(0);
        assert_eq!(
            workshop.read(&format!("fleet/{folder}/web.yaml")),
            web("1.0", 1),
            "{address}"
        );
    }
    assert!(
        workshop
            .read("fleet/newest/.merge3.yaml")
            .contains("ref: v1.0.0")
    );
    assert!(
        workshop
            .read("fleet/branch/.merge3.yaml")
            .contains("ref: main")
    );
}

/// Vendors a package, replaces its files by the local ones, upgrades it, and asserts that the
/// result is that of the main command.
pub(crate) fn assert_same_as_main_command(
    original: &Path,
    updated: &Path,
    local: &Path,
    arguments: &[&str],
) -> RunOutput {
    let workshop = Workshop::new();
    let replace = |from: &Path, name: &str| {
        for file in workshop
            .files(name)
            .keys()
            .filter(|file| *file != ".merge3.yaml")
        {
            fs::remove_file(workshop.path(name).join(file)).unwrap();
        }
        copy(from, &workshop.path(name));
    };
    fs::create_dir(workshop.path("upstream/app")).unwrap();
    replace(original, "upstream/app");
    workshop.release("v1.0.0", &[]);
    replace(updated, "upstream/app");
    workshop.release("v1.1.0", &[]);
    workshop.get("app@v1.0.0", "app");
    fs::remove_file(workshop.path("fleet/app/Kptfile")).unwrap_or_default();
    replace(local, "fleet/app");
    let commit = workshop.git("upstream", &["rev-parse", "v1.0.0"]);
    let lock = format!(
        "upstream:\n  git:\n    repo: {}\n    directory: app\n    ref: v1.0.0\nupstreamLock:\n  git:\n    commit: {commit}",
        workshop.url()
    );
    workshop.write("fleet/app/.merge3.yaml", &lock);
    workshop.save("customise");

    copy(local, &workshop.path("expected"));
    let sides =
        [original, updated, &workshop.path("expected")].map(|path| path.display().to_string());
    let main = Command::new(merge3())
        .args([
            "--ancestor",
            &sides[0],
            "--from",
            &sides[1],
            "--to",
            &sides[2],
            "--report",
            "json",
        ])
        .args(arguments)
        .output()
        .unwrap();
    let main = RunOutput::from(main);
    let mut upgrade = vec!["upgrade", "app", "--report", "json"];
    upgrade.extend(arguments);
    let run = workshop.merge3(&upgrade).exits(main.status);

    let mut outcome = workshop.files("fleet/app");
    assert!(
        outcome
            .remove(".merge3.yaml")
            .is_some_and(|record| String::from_utf8(record).unwrap().contains("ref: v1.1.0"))
    );
    let expected = workshop.files("expected");
    assert_eq!(
        outcome.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (name, content) in &expected {
        assert!(outcome[name] == *content, "{name} differs");
    }
    let (upgrade, main) = (run.json(), main.json());
    for field in ["conflicts", "pinned", "warnings"] {
        assert_eq!(upgrade["packages"][0][field], main[field], "{field}");
    }
    run
}

#[test]
fn the_result_is_that_of_the_main_command() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/demo");
    let (original, updated, local) = (
        demo.join("original"),
        demo.join("updated"),
        demo.join("local"),
    );
    assert_same_as_main_command(&original, &updated, &local, &[]);
    assert_same_as_main_command(
        &original,
        &updated,
        &local,
        &["--on-conflict", "local", "--lists", "set"],
    );
    // the default labels differ: paths for the main command, names for the upgrade
    let labels = ["-L", "local", "-L", "original", "-L", "updated"];
    let markers = [&["--on-conflict", "markers"][..], &labels].concat();
    assert_same_as_main_command(&original, &updated, &local, &markers);
    assert!(!files(&demo.join("expected")).is_empty());
}

#[test]
fn an_upgrade_that_leaves_conflicts_says_so() {
    let workshop = Workshop::with_app();
    workshop.edit("fleet/app/web.yaml", "web:1.0", "web:ours");
    workshop.save("ours");
    let before = workshop.files("fleet");
    let run = workshop
        .merge3(&["upgrade", "app", "--on-conflict", "fail"])
        .exits(1);
    run.says(&["app: conflicts are left: nothing was written"]);
    assert_eq!(workshop.files("fleet"), before);
    workshop.merge3(&["upgrade", "app", "--dry-run"]).exits(0);
    assert_eq!(workshop.files("fleet"), before);
    let run = workshop
        .merge3(&["upgrade", "app", "--on-conflict", "markers"])
        .exits(1);
    run.says(&["conflicts are left"]);
    assert!(workshop.read("fleet/app/web.yaml").contains("<<<<<<<"));
    assert!(
        workshop
            .read("fleet/app/.merge3.yaml")
            .contains("ref: v1.1.0")
    );
}

/// The record is written last: after an interrupted upgrade, another run finishes it, and the next
/// one has nothing to do.
#[test]
fn an_upgrade_is_done_once() {
    let workshop = Workshop::with_app();
    workshop.write(
        "fleet/app/.merge3.yaml",
        &(workshop.read("fleet/app/.merge3.yaml")
            + "# ours\nrules:\n- path: spec.replicas\n  take: local\n"),
    );
    workshop.save("rules");
    workshop.merge3(&["upgrade", "app"]).exits(0);
    let once = workshop.files("fleet");
    assert!(
        workshop
            .read("fleet/app/.merge3.yaml")
            .ends_with("# ours\nrules:\n- path: spec.replicas\n  take: local\n")
    );
    workshop.save("upgrade");
    let again = workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(again.stdout, "1 package is up to date\n");
    assert_eq!(workshop.files("fleet"), once);
}

#[test]
fn a_cache_is_emptied_and_filled_again() {
    let workshop = Workshop::with_app();
    let path = workshop.merge3(&["cache", "path"]).exits(0).stdout;
    assert_eq!(Path::new(path.trim()), workshop.path("cache/merge3"));
    workshop.merge3(&["cache", "clean"]).exits(0);
    let left = workshop.files("cache");
    assert!(left.keys().all(|name| name.ends_with(".lock")), "{left:?}");
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
}

/// Addresses as users paste them: from a browser, from a kustomization, without a scheme.
#[test]
fn an_address_is_taken_as_it_is_pasted() {
    let workshop = Workshop::new();
    let config = format!(
        "[url \"{}\"]\n\tinsteadOf = https://github.com/acme/charts.git\n\tinsteadOf = https://github.com/acme/charts\n",
        workshop.url()
    );
    workshop.write("home/.gitconfig", &config);
    workshop.release("v1.0.0", &[("apps/app/web.yaml", &web("1.0", 1))]);
    workshop.git(
        "upstream",
        &["push", "-q", "origin", "HEAD:refs/heads/release/1.0"],
    );
    workshop.release("v1.1.0", &[("apps/app/web.yaml", &web("1.1", 1))]);
    for (at, (address, image)) in [
        ("https://github.com/acme/charts/tree/v1.0.0/apps/app", "1.0"),
        (
            "https://github.com/acme/charts/tree/release/1.0/apps/app",
            "1.0",
        ),
        ("github.com/acme/charts/tree/main/apps/app", "1.1"),
        ("github.com/acme/charts/apps/app@v1.0.0", "1.0"),
        ("github.com/acme/charts/apps/app", "1.1"),
        ("https://github.com/acme/charts//apps/app?ref=v1.0.0", "1.0"),
        (
            "github.com/acme/charts//apps/app?ref=release/1.0&timeout=90s",
            "1.0",
        ),
        (
            "git::https://github.com/acme/charts.git//apps/app?ref=v1.0.0",
            "1.0",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = format!("app{at}");
        workshop.merge3(&["get", address, &folder]).exits(0);
        let file = format!("fleet/{folder}/web.yaml");
        assert_eq!(workshop.read(&file), web(image, 1), "{address}");
        let record = workshop.read(&format!("fleet/{folder}/.merge3.yaml"));
        assert!(record.contains("    directory: /apps/app\n"), "{record}");
    }
    workshop
        .merge3(&[
            "get",
            "https://github.com/acme/charts/tree/v9/apps/app",
            "x",
        ])
        .exits(2)
        .says(&["has no tag, branch or commit v9", "v1.1.0"]);
}
