//! Tests `merge3 adopt` and `merge3 diff PACKAGE`.

use std::fs;

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, copy, kptfile, web};

/// Creates four releases upstream and, in the fleet, a changed copy of the third.
fn with_copy() -> Workshop {
    let workshop = Workshop::new();
    for (tag, image) in [
        ("v1.0.0", "1.0"),
        ("v1.1.0", "1.1"),
        ("v1.2.0", "1.2"),
        ("v2.0.0", "2.0"),
    ] {
        let text = web(image, 1);
        let others = format!("a: {image}\nb: 1\n");
        workshop.release(
            tag,
            &[
                ("app/web.yaml", &text),
                ("app/other.yaml", &others),
                ("app/fixed", "x\n"),
            ],
        );
        if tag == "v1.2.0" {
            copy(&workshop.path("upstream/app"), &workshop.path("fleet/app"));
        }
    }
    workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 7 # ours");
    workshop.edit("fleet/app/other.yaml", "b: 1", "b: 2");
    workshop.write("fleet/app/mine.yaml", "mine: 1\n");
    workshop.save("a copy by hand");
    workshop
}

#[test]
fn a_copy_is_adopted_at_the_version_that_is_nearest() {
    let workshop = with_copy();
    let address = format!("{}/app", workshop.url());
    let before = workshop.files("fleet");
    let run = workshop.merge3(&["adopt", "app", &address]).exits(0);
    assert_eq!(
        run.stdout,
        format!(
            "app: v1.2.0 of {address}: 1 of 3 files the same, 2 changed, 1 only here, 4 lines apart; recorded in .merge3.yaml\n"
        )
    );
    let mut after = workshop.files("fleet");
    after.remove("app/.merge3.yaml").unwrap();
    assert_eq!(after, before, "only the record is added");
    workshop.save("adopt");
    workshop
        .merge3(&["upgrade", "app", "--on-conflict", "fail"])
        .exits(0);
    let expected = web("2.0", 1).replace("replicas: 1", "replicas: 7 # ours");
    assert_eq!(workshop.read("fleet/app/web.yaml"), expected);
    assert_eq!(workshop.read("fleet/app/other.yaml"), "a: 2.0\nb: 2\n");
    // the record is that of a package that was got
    let record = workshop.read("fleet/app/.merge3.yaml");
    workshop
        .merge3(&["get", &format!("{address}@v2.0.0"), "got"])
        .exits(0);
    assert_eq!(record, workshop.read("fleet/got/.merge3.yaml"));
}

#[test]
fn versions_that_upstream_does_not_send_end_the_search_for_the_nearest() {
    let workshop = with_copy();
    let commit = workshop.git("upstream", &["rev-parse", "v1.1.0"]);
    let (folder, name) = commit.trim().split_at(2);
    let object = format!("upstream.git/objects/{folder}/{name}");
    fs::remove_file(workshop.path(&object)).unwrap();
    let address = format!("{}/app", workshop.url());
    let run = workshop.merge3(&["adopt", "app", &address]).exits(2);
    let reported = format!("error: the versions of {address} cannot be fetched (");
    assert!(run.stderr.starts_with(&reported), "{}", run.stderr);
    assert!(!workshop.has("fleet/app/.merge3.yaml"));
    workshop
        .merge3(&["adopt", "app", &format!("{address}@v1.2.0")])
        .exits(0);
}

#[test]
fn a_copy_is_adopted_at_a_version_that_is_named() {
    let workshop = with_copy();
    workshop.write(
        "fleet/app/.merge3.yaml",
        "rules:\n- path: a\n  take: local\n",
    );
    let address = format!("{}/app@v1.0.0", workshop.url());
    let run = workshop.merge3(&["adopt", "app", &address]).exits(0);
    assert!(run.stdout.starts_with("app: v1.0.0 of "), "{}", run.stdout);
    let record = workshop.read("fleet/app/.merge3.yaml");
    assert!(
        record.starts_with("rules:\n- path: a\n  take: local\n"),
        "{record}"
    );
    assert!(record.contains("\n    ref: v1.0.0\n"), "{record}");
    // a package can be adopted only once
    let again = workshop.merge3(&["adopt", "app", &address]).exits(2);
    again.says(&["it has a record of where it comes from already"]);
}

#[test]
fn a_copy_with_a_kptfile_has_its_record_there() {
    let workshop = Workshop::new();
    for tag in ["v1.0.0", "v1.1.0"] {
        workshop.release(
            tag,
            &[
                ("app/Kptfile", &kptfile("app")),
                ("app/web.yaml", &web(tag, 1)),
            ],
        );
    }
    copy(&workshop.path("upstream/app"), &workshop.path("fleet/mine"));
    workshop.edit("fleet/mine/Kptfile", "name: app", "name: mine");
    workshop.save("a copy by hand");
    let address = format!("{}/app", workshop.url());
    workshop.merge3(&["adopt", "mine", &address]).exits(0);
    assert!(
        workshop
            .read("fleet/mine/Kptfile")
            .contains("  updateStrategy: resource-merge\n")
    );
    assert!(!workshop.has("fleet/mine/.merge3.yaml"));
    // the diff leaves out the name and the record
    assert_eq!(workshop.merge3(&["diff", "mine"]).exits(0).stdout, "");
}

#[test]
fn what_cannot_be_adopted_is_left() {
    let workshop = with_copy();
    workshop.write("fleet/unlike/x.yaml", "a: 1\n");
    workshop.save("another folder");
    let before = workshop.files("fleet");
    let url = workshop.url();
    for (folder, address, message) in [
        ("missing", format!("{url}/app"), "there is no such folder"),
        (
            "app",
            format!("{url}/app@v9"),
            "the nearest that are there: v1.2.0, v2.0.0",
        ),
        (
            "app",
            format!("{url}/nowhere@v1.0.0"),
            "has no folder nowhere",
        ),
        ("unlike", format!("{url}/app@v1.0.0"), "no file of it is in"),
        (
            "app",
            "https://bot:pass@localhost:1/r.git".to_owned(),
            "holds a user name or a password",
        ),
        (
            "app",
            "ext::sh -c x".to_owned(),
            "git would start a program",
        ),
    ] {
        let run = workshop.merge3(&["adopt", folder, &address]).exits(2);
        run.says(&[message]);
        assert!(!run.stderr.contains("pass@"), "{}", run.stderr);
    }
    assert_eq!(workshop.files("fleet"), before);
}

/// A link in the copy does not lead the record out of the package.
#[cfg(unix)]
#[test]
fn a_record_is_not_written_through_a_link() {
    let workshop = with_copy();
    workshop.write("precious", "precious\n");
    let link = workshop.path("fleet/app/.merge3.yaml");
    std::os::unix::fs::symlink(workshop.path("precious"), &link).unwrap();
    let address = format!("{}/app", workshop.url());
    workshop.merge3(&["adopt", "app", &address]);
    assert_eq!(workshop.read("precious"), "precious\n");
}

#[test]
fn what_has_changed_since_upstream_is_a_diff_or_a_list() {
    let workshop = Workshop::with_app();
    assert_eq!(workshop.merge3(&["diff", "app"]).exits(0).stdout, "");
    workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 7 # ours");
    workshop.write("fleet/app/mine.yaml", "mine: 1\n");
    let diff = workshop.merge3(&["diff", "app"]).exits(0).stdout;
    assert!(
        diff.contains("-  replicas: 1\n+  replicas: 7 # ours\n"),
        "{diff}"
    );
    assert!(
        diff.contains("+mine: 1\n") && !diff.contains("upstream"),
        "{diff}"
    );
    let list = workshop.merge3(&["diff", "app", "--list"]).exits(0).stdout;
    assert_eq!(list, "added mine.yaml\nchanged web.yaml\n");
    fs::remove_file(workshop.path("fleet/app/web.yaml")).unwrap();
    let list = workshop.merge3(&["diff", "app", "--list"]).exits(0).stdout;
    assert_eq!(list, "added mine.yaml\ndeleted web.yaml\n");
    workshop.write("fleet/plain/a.yaml", "a: 1\n");
    workshop
        .merge3(&["diff", "plain"])
        .exits(2)
        .says(&["it has no record of where it comes from", "merge3 adopt"]);
}

/// A package that vendir vendored has a record of its origin.
#[test]
fn a_folder_of_vendirs_is_adopted_without_an_address() {
    let workshop = with_copy();
    let commit = workshop.git("upstream", &["rev-parse", "v1.2.0"]);
    let (url, commit) = (workshop.url(), commit.trim());
    std::fs::rename(workshop.path("fleet/app"), workshop.path("fleet/vendored")).unwrap();
    std::fs::create_dir(workshop.path("fleet/third")).unwrap();
    std::fs::rename(
        workshop.path("fleet/vendored"),
        workshop.path("fleet/third/web"),
    )
    .unwrap();
    workshop.write("fleet/vendir.yml", &format!(
        "apiVersion: vendir.k14s.io/v1alpha1\nkind: Config\ndirectories:\n- path: third\n  contents:\n  - path: web\n    git: {{url: \"{url}\", ref: v1.2.0}}\n    newRootPath: app\n"
    ));
    workshop.save("vendir");
    let run = workshop.merge3(&["adopt", "third/web"]).exits(2);
    run.says(&["no vendir.lock.yml says", "REPO[/DIR][@REF]"]);
    workshop.write("fleet/vendir.lock.yml", &format!(
        "apiVersion: vendir.k14s.io/v1alpha1\nkind: LockConfig\ndirectories:\n- path: third\n  contents:\n  - path: web\n    git: {{sha: {commit}, tags: [v1.2.0]}}\n"
    ));
    workshop.merge3(&["adopt", "third/web"]).exits(0);
    let record = workshop.read("fleet/third/web/.merge3.yaml");
    assert!(
        record.contains("    directory: /app\n    ref: v1.2.0\n"),
        "{record}"
    );
    assert!(
        record.contains(&format!("    commit: {commit}\n")),
        "{record}"
    );
}
