//! Files of upstream's do not decide what is fetched, which side wins, or what is merged.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, kptfile, web};

/// Returns a record of a package, as an attacker would write it.
fn record(repository: &str, directory: &str, commit: &str) -> String {
    format!(
        "upstream:\n  type: git\n  git:\n    repo: {repository}\n    directory: /{directory}\n    ref: v1.0.0\nupstreamLock:\n  type: git\n  git:\n    repo: {repository}\n    directory: /{directory}\n    ref: v1.0.0\n    commit: {commit}\n"
    )
}

/// Returns a repository with two releases that only the user who runs the upgrade can read: its URL
/// and a commit.
fn private_repository(workshop: &Workshop) -> (String, String) {
    workshop.git(".", &["init", "-q", "-b", "main", "private"]);
    let mut first = String::new();
    for version in ["1.0", "1.1"] {
        workshop.write(
            "private/secret.yaml",
            &format!("secret: s3cret-{version}\n"),
        );
        workshop.git("private", &["add", "-A"]);
        workshop.git("private", &["commit", "-q", "-m", "x"]);
        workshop.git("private", &["tag", &format!("v{version}.0")]);
        if first.is_empty() {
            first = workshop
                .git("private", &["rev-parse", "HEAD"])
                .trim()
                .to_owned();
        }
    }
    (
        format!("file://{}", workshop.path("private").display()),
        first,
    )
}

/// Upstream adds a nested package whose record says that it comes from another repository.
#[test]
fn a_nested_package_is_not_fetched_from_the_address_of_upstream() {
    for file in ["Kptfile", ".merge3.yaml"] {
        let workshop = Workshop::new();
        let (url, commit) = private_repository(&workshop);
        let head = if file == "Kptfile" {
            kptfile("sub")
        } else {
            String::new()
        };
        let trap = head + &record(&url, "", &commit);
        workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
        workshop.get("app@v1.0.0", "app");
        workshop.release(
            "v1.1.0",
            &[
                ("app/web.yaml", &web("1.1", 1)),
                (&format!("app/sub/{file}"), &trap),
                (
                    "app/sub/deep/Kptfile",
                    &(kptfile("deep") + &record(&url, "", &commit)),
                ),
            ],
        );
        workshop.merge3(&["upgrade", "--all"]);
        assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
        workshop.save("upgrade");
        // after the nested package is here, and in a package that was got with it
        workshop.get("app@v1.1.0", "got");
        for arguments in [
            &["outdated"][..],
            &["upgrade", "--all"],
            &["upgrade", "app/sub"],
            &["upgrade", "app/sub/deep", "--to", "v1.1.0"],
            &["upgrade", "got/sub/deep", "--dry-run", "--diff"],
        ] {
            let run = workshop.merge3(arguments).exits(2);
            if file == "Kptfile" || !arguments.contains(&"app/sub") {
                run.says(&["it is in another package", "--allow-upstream"]);
            }
            assert!(!format!("{run:?}").contains("s3cret"), "{run:?}");
        }
        for (at, folder) in [("app", "."), ("app/sub", "deep")] {
            let run = workshop.merge3_in(&format!("fleet/{at}"), &["upgrade", folder, "--all"]);
            assert_eq!(run.status, 2, "{run:?}");
            workshop
                .merge3_in(&format!("fleet/{at}"), &["upgrade", "--all"])
                .exits(2);
        }
        let all = workshop.files("fleet");
        let leaked = all
            .values()
            .filter(|text| String::from_utf8_lossy(text).contains("s3cret"));
        assert_eq!(leaked.count(), 0);
        if file == "Kptfile" {
            // the user can allow the repository
            let run = workshop.merge3(&["upgrade", "app/sub", "--allow-upstream", &url]);
            assert_eq!(run.status, 0, "{run:?}");
            assert!(workshop.has("fleet/app/sub/secret.yaml") || run.stdout.contains("v1.1.0"));
        } else {
            assert!(!workshop.has("fleet/app/sub/.merge3.yaml"));
        }
    }
}

/// Upstream adds rules in a nested package that say which side wins.
#[test]
fn upstream_rules_do_not_decide_which_side_wins() {
    let rules = "rules:\n- path: spec.replicas\n  take: updated\n- path: \"**\"\n  take: updated\n";
    for vendored in ["get", "otherwise"] {
        let workshop = Workshop::new();
        let sub = kptfile("sub");
        workshop.release(
            "v1.0.0",
            &[
                ("app/web.yaml", &web("1.0", 1)),
                ("app/.merge3.yaml", rules),
                ("app/sub/Kptfile", &sub),
                ("app/sub/web.yaml", &web("1.0", 1)),
                ("app/sub/.merge3.yaml", rules),
            ],
        );
        workshop.get("app@v1.0.0", "app");
        workshop.edit("fleet/app/sub/web.yaml", "replicas: 1", "replicas: 5");
        if vendored == "otherwise" {
            workshop.write("fleet/app/sub/.merge3.yaml", rules);
        } else {
            assert!(!workshop.has("fleet/app/sub/.merge3.yaml"));
        }
        workshop.save("ours");
        workshop.release(
            "v1.1.0",
            &[
                ("app/web.yaml", &web("1.1", 1)),
                ("app/sub/web.yaml", &web("1.1", 3)),
                ("app/sub/.merge3.yaml", &format!("{rules}# more\n")),
            ],
        );
        let before = workshop.files("fleet");
        workshop
            .merge3(&["upgrade", "app", "--on-conflict", "fail"])
            .exits(1)
            .says(&["conflicts are left: nothing was written"]);
        assert_eq!(workshop.files("fleet"), before);
        workshop
            .merge3(&["upgrade", "app", "--on-conflict", "local"])
            .exits(0);
        assert_eq!(workshop.read("fleet/app/sub/web.yaml"), web("1.1", 5));
    }
}

/// The local side's own rules in a nested package apply.
#[test]
fn local_rules_apply_in_a_nested_package() {
    let workshop = Workshop::new();
    let files = |version: &str| {
        [
            ("app/web.yaml", web(version, 1)),
            ("app/sub/Kptfile", kptfile("sub")),
            ("app/sub/web.yaml", web(version, 1)),
        ]
    };
    let release = |tag: &str, version: &str, replicas: u32| {
        let mut files = files(version);
        files[2].1 = web(version, replicas);
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        workshop.release(tag, &files);
    };
    release("v1.0.0", "1.0", 1);
    workshop.get("app@v1.0.0", "app");
    workshop.edit("fleet/app/sub/web.yaml", "replicas: 1", "replicas: 5");
    workshop.write(
        "fleet/app/sub/.merge3.yaml",
        "rules:\n- path: spec.replicas\n  take: local\n",
    );
    workshop.save("ours");
    release("v1.1.0", "1.1", 3);
    workshop
        .merge3(&["upgrade", "app", "--on-conflict", "fail"])
        .exits(0);
    assert_eq!(workshop.read("fleet/app/sub/web.yaml"), web("1.1", 5));
}

/// Upstream adds ignore files, in each release and folder. Upstream's changes come, or the record
/// does not move to that version.
#[test]
fn an_upstream_ignore_file_hides_no_change() {
    for pattern in [
        "*\n",
        "*.yaml\n",
        "web.yaml\n/sub\n",
        "**\n!nothing\n",
        "\u{feff}*\r\n",
    ] {
        for file in ["app/.krmignore", "app/sub/.krmignore"] {
            let workshop = Workshop::new();
            let release = |tag: &str, version: &str| {
                let (web, sub) = (web(version, 1), kptfile("sub"));
                let files = [
                    ("app/web.yaml", web.as_str()),
                    ("app/sub/web.yaml", &web),
                    ("app/sub/Kptfile", &sub),
                    ("app/plain/web.yaml", &web),
                ];
                workshop.release(tag, &files);
            };
            release("v1.0.0", "1.0");
            workshop.get("app@v1.0.0", "app");
            // the ignore file is added, stays, and changes
            for (tag, version, ignore) in [
                ("v1.1.0", "1.1", pattern.to_owned()),
                ("v1.2.0", "1.2", pattern.to_owned()),
                ("v1.3.0", "1.3", format!("# again\n{pattern}")),
            ] {
                workshop.write(&format!("upstream/{file}"), &ignore);
                release(tag, version);
                workshop.merge3(&["upgrade", "app"]).exits(0);
                for name in ["app", "app/sub", "app/plain"] {
                    assert_eq!(
                        workshop.read(&format!("fleet/{name}/web.yaml")),
                        web(version, 1),
                        "{file} {pattern:?} {tag}"
                    );
                }
                assert_eq!(workshop.read(&format!("fleet/{file}")), ignore);
                workshop.save(tag);
            }
            // lines that the local side adds to the ignore file apply
            let content = workshop.read(&format!("fleet/{file}"));
            workshop.write(
                &format!("fleet/{file}"),
                &format!("{content}\nweb.yaml\n# ours\nw*.yaml\n"),
            );
            workshop.save("ours");
            release("v1.4.0", "1.4");
            workshop.merge3(&["upgrade", "app"]).exits(0);
            let folder = file.trim_end_matches("/.krmignore");
            assert_eq!(
                workshop.read(&format!("fleet/{folder}/web.yaml")),
                web("1.3", 1)
            );
        }
    }
}

/// A nested package that is at another version than in its parent is left unchanged, with its
/// record.
#[test]
fn a_nested_package_of_another_version_is_unchanged() {
    let workshop = Workshop::new();
    let base = workshop.release(
        "v1.0.0",
        &[
            ("base/Kptfile", &kptfile("base")),
            ("base/web.yaml", &web("1.0", 1)),
            ("base/more.yaml", "a: 1\n"),
        ],
    );
    let kpt = |commit: &str| kptfile("base") + &record(&workshop.url(), "base", commit);
    workshop.release(
        "app/v1.0.0",
        &[
            ("app/web.yaml", &web("1.0", 1)),
            ("app/base/Kptfile", &kpt(&base)),
            ("app/base/web.yaml", &web("1.0", 1)),
            ("app/base/more.yaml", "a: 1\n"),
        ],
    );
    workshop.get("app@v1.0.0", "app");
    let second = workshop.release("v2.0.0", &[("base/web.yaml", &web("2.0", 1))]);
    // the nested package is upgraded to a version of its own
    workshop
        .merge3(&["upgrade", "app/base", "--to", "v2.0.0"])
        .exits(0);
    workshop.save("base 2.0");
    assert_eq!(workshop.read("fleet/app/base/web.yaml"), web("2.0", 1));
    let before = workshop.files("fleet/app/base");
    // upstream's parent package moves to another version of it
    let third = workshop.release(
        "v1.5.0",
        &[
            ("base/web.yaml", &web("1.5", 1)),
            ("base/more.yaml", "a: 2\n"),
        ],
    );
    workshop.release(
        "app/v1.1.0",
        &[
            ("app/web.yaml", &web("1.1", 1)),
            ("app/base/Kptfile", &kpt(&third).replace("v1.0.0", "v1.5.0")),
            ("app/base/web.yaml", &web("1.5", 1)),
            ("app/base/more.yaml", "a: 2\n"),
            ("app/base/new.yaml", "n: 1\n"),
        ],
    );
    let run = workshop.merge3(&["upgrade", "app"]).exits(0);
    run.says(&["base: a package with a record of its own here"]);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
    assert_eq!(workshop.files("fleet/app/base"), before);
    assert!(workshop.read("fleet/app/base/Kptfile").contains(&second));
    workshop.save("upgrade");
    // upstream deletes the nested package, and local's stays
    workshop.release(
        "app/v1.2.0",
        &[
            ("app/base/Kptfile", ""),
            ("app/base/web.yaml", ""),
            ("app/base/more.yaml", ""),
            ("app/base/new.yaml", ""),
        ],
    );
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(workshop.files("fleet/app/base"), before);
}

/// A nested package as its parent brought it is upgraded with the parent, files and record.
#[test]
fn a_nested_package_that_came_with_its_parent_is_upgraded_with_it() {
    let workshop = Workshop::new();
    let mut record_of = String::new();
    for (tag, version) in [("v1.0.0", "1.0"), ("v1.1.0", "1.1")] {
        let base = workshop.release(
            &format!("base/{tag}"),
            &[("base/web.yaml", &web(version, 1))],
        );
        record_of =
            kptfile("base") + &record(&workshop.url(), "base", &base).replace("v1.0.0", tag);
        workshop.release(
            &format!("app/{tag}"),
            &[
                ("app/web.yaml", &web(version, 1)),
                ("app/base/Kptfile", &record_of),
                ("app/base/web.yaml", &web(version, 1)),
            ],
        );
        if version == "1.0" {
            workshop.get("app@v1.0.0", "app");
            workshop.edit("fleet/app/base/web.yaml", "replicas: 1", "replicas: 4");
            workshop.save("ours");
        }
    }
    workshop.merge3(&["upgrade", "--all"]).exits(0);
    assert_eq!(workshop.read("fleet/app/base/web.yaml"), web("1.1", 4));
    assert_eq!(workshop.read("fleet/app/base/Kptfile"), record_of);
}
