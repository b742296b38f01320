//! Tests `--branch NAME --commit`.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};

#[test]
fn each_package_gets_a_commit_on_a_branch() {
    let workshop = Workshop::new();
    workshop.release(
        "v1.0.0",
        &[
            ("app/web.yaml", &web("1.0", 1)),
            ("db/web.yaml", &web("1.0", 1)),
        ],
    );
    workshop.get("app@v1.0.0", "apps/app");
    workshop.get("db@v1.0.0", "apps/db");
    workshop.edit("fleet/apps/db/web.yaml", "web:1.0", "web:ours");
    workshop.save("ours");
    workshop.release(
        "v1.1.0",
        &[
            ("app/web.yaml", &web("1.1", 1)),
            ("db/web.yaml", &web("1.1", 1)),
            ("app/debug.log", "x\n"),
        ],
    );
    workshop.write("fleet/.gitignore", "*.log\n");
    workshop.save("ignore");
    // the user's own changes, staged and not staged
    workshop.write("fleet/notes", "staged\n");
    workshop.git("fleet", &["add", "notes"]);
    workshop.write("fleet/notes", "changed\n");
    workshop.write("fleet/scratch", "new\n");

    let report = workshop
        .merge3(&[
            "upgrade",
            "--all",
            "--branch",
            "bot/upgrade",
            "--commit",
            "--report",
            "json",
        ])
        .exits(0)
        .json();
    assert_eq!(
        workshop.git("fleet", &["branch", "--show-current"]).trim(),
        "bot/upgrade"
    );
    assert_eq!(
        workshop
            .git("fleet", &["rev-list", "--count", "main..HEAD"])
            .trim(),
        "2"
    );
    let log = workshop.git("fleet", &["log", "--reverse", "--format=%H", "main..HEAD"]);
    let commits: Vec<&str> = log.lines().collect();
    assert_eq!(report["packages"][0]["commit"], commits[0]);
    assert_eq!(report["packages"][1]["commit"], commits[1]);
    let files = |commit: &str| workshop.git("fleet", &["show", "--format=", "--name-only", commit]);
    assert_eq!(
        files(commits[0]),
        "apps/app/.merge3.yaml\napps/app/debug.log\napps/app/web.yaml\n"
    );
    assert_eq!(
        files(commits[1]),
        "apps/db/.merge3.yaml\napps/db/web.yaml\n"
    );
    let message = workshop.git("fleet", &["show", "-s", "--format=%B", commits[1]]);
    for part in [
        "Upgrade apps/db from v1.0.0 to v1.1.0\n",
        "\nv1.0.0 (",
        "\nConflicts:\n- web.yaml:7 spec.image both-changed -> updated\n",
        "\n\nMerge3-Tree: ",
    ] {
        assert!(message.contains(part), "'{part}' is not in:\n{message}");
    }
    assert!(!message.contains("release"), "{message}");
    // the user's own changes are untouched
    assert_eq!(
        workshop.git("fleet", &["status", "--porcelain"]),
        "AM notes\n?? scratch\n"
    );
    assert_eq!(workshop.git("fleet", &["show", ":notes"]), "staged\n");
    assert_eq!(workshop.read("fleet/notes"), "changed\n");
}

#[test]
fn where_there_is_nothing_to_do_there_is_no_branch() {
    let workshop = Workshop::new();
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    workshop.get("app@v1.0.0", "app");
    workshop
        .merge3(&["upgrade", "--all", "--branch", "bot", "--commit"])
        .exits(0);
    assert_eq!(
        workshop.git("fleet", &["branch", "--list"]).trim(),
        "* main"
    );
}

#[test]
fn an_upgrade_that_cannot_be_committed_does_not_start() {
    let workshop = Workshop::with_app();
    workshop.git("fleet", &["checkout", "-q", "-b", "side"]);
    workshop.git("fleet", &["commit", "-q", "--allow-empty", "-m", "side"]);
    workshop.git("fleet", &["checkout", "-q", "main"]);
    workshop.git("fleet", &["merge", "-q", "--no-ff", "--no-commit", "side"]);
    let before = workshop.files("fleet");
    workshop
        .merge3(&["upgrade", "app", "--commit"])
        .exits(2)
        .says(&["a merge is going on"]);
    assert_eq!(workshop.files("fleet"), before);
}

#[test]
fn a_file_that_becomes_a_folder_is_committed_and_back() {
    let workshop = Workshop::new();
    let config = "a: 1\n";
    workshop.release(
        "v1.0.0",
        &[
            ("app/web.yaml", &web("1.0", 1)),
            ("app/config.yaml", config),
        ],
    );
    workshop.get("app@v1.0.0", "app");
    workshop.release(
        "v1.1.0",
        &[("app/config.yaml", ""), ("app/config.yaml/a.yaml", config)],
    );
    workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    assert_eq!(workshop.read("fleet/app/config.yaml/a.yaml"), config);
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
    std::fs::remove_dir_all(workshop.path("upstream/app/config.yaml")).unwrap();
    workshop.release("v1.2.0", &[("app/config.yaml", config)]);
    workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    assert_eq!(workshop.read("fleet/app/config.yaml"), config);
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
}
