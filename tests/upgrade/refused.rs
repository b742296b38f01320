//! Tests invalid input: a message says what to do, and nothing is changed.

use std::fs;

use pretty_assertions::assert_eq;

use crate::harness::{RunOutput, Workshop, kptfile, web};

/// Runs an upgrade. Asserts that it fails and changes nothing.
#[track_caller]
fn refuses(workshop: &Workshop, arguments: &[&str], messages: &[&str]) -> RunOutput {
    let before = workshop.files("fleet");
    let run = workshop.merge3(arguments).exits(2);
    run.says(messages);
    run.says(&["help: "]);
    assert_eq!(workshop.files("fleet"), before);
    run
}

#[test]
fn an_unreachable_repository() {
    let workshop = Workshop::with_app();
    fs::remove_dir_all(workshop.path("upstream.git")).unwrap();
    refuses(
        &workshop,
        &["upgrade", "app"],
        &[
            "app failed:\nerror: file://",
            "upstream.git cannot be read",
            "git ls-remote file://",
        ],
    );
    refuses(
        &workshop,
        &["outdated"],
        &["app failed:\nerror: file://", "upstream.git cannot be read"],
    );
    refuses(
        &workshop,
        &["get", &workshop.url(), "new"],
        &["upstream.git cannot be read"],
    );
}

#[test]
fn a_ref_that_is_gone() {
    let workshop = Workshop::with_app();
    refuses(
        &workshop,
        &["upgrade", "app", "--to", "v1.7.0"],
        &["has no tag, branch or commit v1.7.0"],
    );
    refuses(
        &workshop,
        &["upgrade", "app", "--to", "1.1.0"],
        &[
            "has no tag, branch or commit 1.1.0",
            "the nearest that are there: v1.0.0, v1.1.0",
        ],
    );
    workshop.edit("fleet/app/.merge3.yaml", "ref: v1.0.0", "ref: stable");
    workshop.save("follow a branch");
    refuses(
        &workshop,
        &["upgrade", "app"],
        &["has no tag, branch or commit stable", "--to"],
    );
}

/// A release that upstream withdrew is no obstacle as long as its commit exists.
#[test]
fn a_tag_that_is_gone_while_its_commit_is_there() {
    let workshop = Workshop::with_app();
    workshop.git("upstream", &["push", "-q", "origin", ":refs/tags/v1.0.0"]);
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
}

#[test]
fn a_commit_that_was_rewritten_away() {
    let workshop = Workshop::with_app();
    let lost = "0123456789012345678901234567890123456789";
    let commit = workshop.git("upstream", &["rev-parse", "v1.0.0"]);
    workshop.edit("fleet/app/.merge3.yaml", commit.trim(), lost);
    workshop.save("lose");
    refuses(
        &workshop,
        &["upgrade", "app"],
        &[
            &format!("the commit {lost} of "),
            "is gone",
            "rewrote its history",
        ],
    );
}

#[test]
fn a_package_with_uncommitted_changes() {
    let workshop = Workshop::with_app();
    workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 2");
    refuses(
        &workshop,
        &["upgrade", "app"],
        &[
            "app: it has changes that are not committed",
            "--allow-dirty",
        ],
    );
    workshop
        .merge3(&["upgrade", "app", "--allow-dirty"])
        .exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 2));
    // a file that git does not track counts as a change, a file outside the package does not
    let workshop = Workshop::with_app();
    workshop.write("fleet/elsewhere", "x\n");
    workshop.write("fleet/app/new.yaml", "a: 1\n");
    refuses(&workshop, &["upgrade", "app"], &["app/new.yaml"]);
    fs::remove_file(workshop.path("fleet/app/new.yaml")).unwrap();
    workshop.merge3(&["upgrade", "app"]).exits(0);
    // uncommitted changes do not matter if there is nothing to upgrade
    workshop.merge3(&["upgrade", "--all"]).exits(0);
}

#[test]
fn a_record_that_does_not_parse() {
    let workshop = Workshop::new();
    workshop.release(
        "v1.0.0",
        &[
            ("app/Kptfile", &kptfile("app")),
            ("app/web.yaml", &web("1.0", 1)),
        ],
    );
    workshop.get("app@v1.0.0", "app");
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
    workshop.edit("fleet/app/Kptfile", "info:", "info: [");
    workshop.save("break");
    refuses(
        &workshop,
        &["upgrade", "app"],
        &[
            "Kptfile: the record of where the package comes from is not valid",
            "app/Kptfile:",
            "bracket",
        ],
    );
    refuses(
        &workshop,
        &["upgrade", "--all"],
        &["Kptfile: the record of where the package comes from is not valid"],
    );
    workshop.edit("fleet/app/Kptfile", "info: [", "info:");
    workshop.edit(
        "fleet/app/Kptfile",
        "    ref: v1.0.0\n  updateStrategy",
        "  updateStrategy",
    );
    workshop.save("break otherwise");
    refuses(
        &workshop,
        &["upgrade", "app"],
        &["`upstream.git.ref` is missing"],
    );
}

#[test]
fn two_packages_in_one_folder() {
    let workshop = Workshop::with_app();
    let record = workshop.read("fleet/app/.merge3.yaml");
    workshop.write("fleet/app/Kptfile", &(kptfile("app") + &record));
    workshop.save("twice");
    refuses(
        &workshop,
        &["upgrade", "app"],
        &[
            "Kptfile and .merge3.yaml both say where it comes from",
            "take `upstream`",
        ],
    );
}

#[test]
fn a_folder_that_is_no_package() {
    let workshop = Workshop::with_app();
    workshop.write("fleet/plain/a.yaml", "a: 1\n");
    refuses(
        &workshop,
        &["upgrade", "plain"],
        &[
            "plain: it has no record of where it comes from",
            "merge3 get",
        ],
    );
    refuses(
        &workshop,
        &["upgrade", "nothing"],
        &["nothing: there is no such folder"],
    );
    workshop.merge3(&["upgrade"]).exits(2).says(&["--all"]);
}

#[test]
fn a_folder_that_upstream_has_not() {
    let workshop = Workshop::with_app();
    refuses(
        &workshop,
        &["get", &format!("{}/nothing@v1.0.0", workshop.url())],
        &["has no folder nothing at v1.0.0"],
    );
    refuses(
        &workshop,
        &["get", &format!("{}/app@v1.0.0", workshop.url())],
        &["app: there is something already"],
    );
    workshop.release(
        "v1.2.0",
        &[("app/web.yaml", ""), ("moved/web.yaml", &web("1.2", 1))],
    );
    refuses(
        &workshop,
        &["upgrade", "app"],
        &["has no folder app at v1.2.0", "`directory`"],
    );
}

#[test]
fn hostile_addresses_and_refs() {
    let workshop = Workshop::with_app();
    let trap = workshop.path("trap");
    let command = format!("touch {}", trap.display());
    let url = workshop.url();
    for address in [
        format!("ext::sh -c {}@v1", command.replace(' ', "% ")),
        format!("{url}/../x@v1"),
        format!("{url}@--upload-pack={command}"),
        format!("{url}@v1..v2"),
        "https://user:secret@127.0.0.1:9/x.git@v1".to_owned(),
    ] {
        let before = workshop.files("fleet");
        let run = workshop.merge3(&["get", &address, "new"]).exits(2);
        assert!(!run.stderr.contains("secret"), "{}", run.stderr);
        assert_eq!(workshop.files("fleet"), before, "{address}");
    }
    for (from, to) in [
        ("directory: /app", "directory: /../app"),
        ("    ref: v1.0.0", "    ref: --upload-pack=x"),
        (&format!("repo: {url}"), "repo: --upload-pack=x"),
        (&format!("repo: {url}"), "repo: ext::sh -c true"),
    ] {
        let record = workshop.read("fleet/app/.merge3.yaml");
        workshop.edit("fleet/app/.merge3.yaml", from, to);
        workshop.save("trap");
        refuses(
            &workshop,
            &["upgrade", "app"],
            &[".merge3.yaml: the record of where the package comes from is not valid"],
        );
        workshop.write("fleet/app/.merge3.yaml", &record);
        workshop.save("mend");
    }
    workshop
        .merge3(&["upgrade", "app", "--to=--output=x"])
        .exits(2);
    assert!(!trap.exists());
}
