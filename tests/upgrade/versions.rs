//! Tests which version a package is upgraded to.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};

fn image(workshop: &Workshop) -> String {
    let text = workshop.read("fleet/app/web.yaml");
    text.rsplit("web:").next().unwrap().trim().to_owned()
}

/// Creates a workshop with these tags and the package at the first of them.
fn released(tags: &[&str]) -> Workshop {
    let workshop = Workshop::new();
    for tag in tags {
        workshop.release(tag, &[("app/web.yaml", &web(tag, 1))]);
    }
    workshop.get(&format!("app@{}", tags[0]), "app");
    workshop
}

fn goes_to(tags: &[&str], arguments: &[&str]) -> String {
    let workshop = released(tags);
    let mut all = vec!["upgrade", "app"];
    all.extend(arguments);
    workshop.merge3(&all).exits(0);
    image(&workshop)
}

#[test]
fn the_newest_release_is_the_default() {
    let tags = [
        "v1.2.3",
        "v1.10.0",
        "v1.9.0",
        "v1.2.4",
        "v2.0.0",
        "v2.1.0-rc.1",
        "other/v9.0.0",
        "latest",
    ];
    assert_eq!(goes_to(&tags, &[]), "v2.0.0");
    assert_eq!(goes_to(&tags, &["--pre-releases"]), "v2.1.0-rc.1");
    assert_eq!(goes_to(&tags, &["--within", "minor"]), "v1.10.0");
    assert_eq!(goes_to(&tags, &["--within", "patch"]), "v1.2.4");
    assert_eq!(goes_to(&tags, &["--to", "v1.9.0"]), "v1.9.0");
}

#[test]
fn tags_with_a_prefix_are_the_packages_own() {
    let tags = ["app/v1.0.0", "app/v1.1.0", "v3.0.0", "other/v4.0.0"];
    assert_eq!(goes_to(&tags, &[]), "app/v1.1.0");
    let workshop = Workshop::new();
    for tag in tags {
        workshop.release(tag, &[("app/web.yaml", &web(tag, 1))]);
    }
    // the record as kpt writes it, without the folder in the tag
    workshop.get("app@v1.0.0", "app");
    assert!(
        workshop
            .read("fleet/app/.merge3.yaml")
            .contains("    ref: v1.0.0\n")
    );
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(image(&workshop), "app/v1.1.0");
    assert!(
        workshop
            .read("fleet/app/.merge3.yaml")
            .contains("    ref: v1.1.0\n")
    );
    assert!(
        workshop
            .read("fleet/app/.merge3.yaml")
            .contains("    ref: app/v1.1.0\n")
    );
}

#[test]
fn a_branch_goes_to_its_head_and_a_commit_stays() {
    let workshop = Workshop::new();
    let first = workshop.release("one", &[("app/web.yaml", &web("one", 1))]);
    workshop.get("app@main", "app");
    let second = workshop.release("two", &[("app/web.yaml", &web("two", 1))]);
    let run = workshop.merge3(&["outdated"]).exits(0);
    let cell = |commit: &str| format!("main {}", &commit[..10]);
    assert!(
        run.stdout.contains(&cell(&first)) && run.stdout.contains(&cell(&second)),
        "{}",
        run.stdout
    );
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(image(&workshop), "two");
    workshop.save("upgrade");
    // an upgrade to a commit stays at it
    workshop
        .merge3(&["upgrade", "app", "--to", &first])
        .exits(0);
    assert_eq!(image(&workshop), "one");
    workshop.save("downgrade");
    let run = workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(run.stdout, "1 package is up to date\n");
}

#[test]
fn commands_without_packages_say_so() {
    let workshop = Workshop::new();
    for command in [&["outdated"][..], &["upgrade", "--all"]] {
        let run = workshop.merge3(command).exits(0);
        assert!(run.stdout.starts_with("no packages here: "), "{run:?}");
    }
}

#[test]
fn outdated_lists_newer_versions() {
    let workshop = Workshop::new();
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    workshop.get("app@v1.0.0", "apps/old");
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
    workshop.get("app@v1.1.0", "apps/new");
    let run = workshop.merge3(&["outdated"]).exits(0);
    assert_eq!(
        run.stdout,
        "PACKAGE   CURRENT  WANTED  LATEST\napps/old  v1.0.0   v1.1.0  v1.1.0\n1 package is up to date\n"
    );
    let report = workshop
        .merge3(&["outdated", "--report", "json"])
        .exits(0)
        .json();
    assert_eq!(report["outdated"].as_array().unwrap().len(), 1);
    assert_eq!(report["outdated"][0]["package"], "apps/old");
    assert_eq!(report["outdated"][0]["newest"]["ref"], "v1.1.0");
    assert_eq!(report["up_to_date"][0], "apps/new");
    let table = workshop
        .merge3(&["outdated", "--report", "markdown"])
        .exits(0)
        .stdout;
    assert!(
        table.contains("| `apps/old` | `v1.0.0` | `v1.1.0` | `v1.1.0` |"),
        "{table}"
    );
}

/// The log has upstream's commits between the two versions that touch the package.
#[test]
fn upstream_commits_are_listed() {
    let workshop = Workshop::new();
    workshop.release(
        "v0.9.0",
        &[("app/web.yaml", &web("0.9", 1)), ("lib/a", "0")],
    );
    workshop.release(
        "v1.0.0",
        &[("app/web.yaml", &web("1.0", 1)), ("lib/a", "1")],
    );
    workshop.get("app@v1.0.0", "app");
    workshop.release("a", &[("app/web.yaml", &web("1.1", 1))]);
    workshop.release("b", &[("lib/a", "2")]);
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.2", 1))]);
    let report = workshop
        .merge3(&["upgrade", "app", "--dry-run", "--report", "json"])
        .exits(0)
        .json();
    let subjects = |report: &serde_json::Value| -> Vec<String> {
        let commits = report["packages"][0]["commits"].as_array().unwrap().clone();
        commits
            .iter()
            .map(|it| it["subject"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(subjects(&report), ["release v1.1.0", "release a"]);
    let text = workshop
        .merge3(&["upgrade", "app", "--dry-run", "--report", "markdown"])
        .exits(0)
        .stdout;
    assert!(
        text.contains("<summary>2 commits upstream</summary>"),
        "{text}"
    );
    let page = workshop
        .merge3(&["upgrade", "--all", "--dry-run", "--report", "html"])
        .exits(0)
        .stdout;
    for shown in [
        "<th scope=\"row\">app</th><td>v1.0.0</td><td>v1.1.0</td>",
        "<h3><code>app/web.yaml</code></h3>",
        "<h2>Upstream&#39;s commits <small>2</small></h2>",
        "<li>app: ",
        " release v1.1.0 (",
    ] {
        assert!(page.contains(shown), "{shown}\n{page}");
    }
    // from a commit that no ref names
    let first = workshop.git("upstream", &["rev-parse", "a"]);
    workshop.git("upstream", &["push", "-q", "origin", ":refs/tags/a"]);
    workshop
        .merge3(&["upgrade", "app", "--to", first.trim()])
        .exits(0);
    workshop.save("to a commit");
    let report = workshop
        .merge3(&[
            "upgrade",
            "app",
            "--to",
            "v1.1.0",
            "--dry-run",
            "--report",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(subjects(&report), ["release v1.1.0"]);
}
