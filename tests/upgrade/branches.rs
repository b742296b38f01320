//! Tests `--branch` with an existing branch, and what is never committed.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};
use crate::run_output::RunOutput;

const ARGUMENTS: [&str; 5] = ["upgrade", "--all", "--branch", "bot", "--commit"];

fn head(workshop: &Workshop, of: &str) -> String {
    let hash = workshop.git("fleet", &["rev-parse", of]);
    hash.trim().to_owned()
}

/// Returns the subjects of the commits on the branch that main does not have.
fn log(workshop: &Workshop) -> Vec<String> {
    let log = workshop.git("fleet", &["log", "--reverse", "--format=%s", "main..bot"]);
    log.lines().map(str::to_owned).collect()
}

/// A change that a user makes on the branch.
type Work = fn(&Workshop);

fn upgrade(workshop: &Workshop) -> RunOutput {
    workshop.merge3(&ARGUMENTS)
}

#[test]
fn an_old_upgrade_branch_is_rebuilt() {
    // the upgrade starts on main, or on the branch that is still checked out
    for back in [true, false] {
        let workshop = Workshop::with_app();
        upgrade(&workshop).exits(0);
        assert_eq!(log(&workshop), ["Upgrade app from v1.0.0 to v1.1.0"]);
        workshop.git("fleet", &["checkout", "-q", "main"]);
        workshop.write("fleet/notes", "of today\n");
        workshop.save("something else");
        if !back {
            workshop.git("fleet", &["checkout", "-q", "bot"]);
        }
        workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
        upgrade(&workshop).exits(0);
        assert_eq!(log(&workshop), ["Upgrade app from v1.0.0 to v1.2.0"]);
        assert_eq!(head(&workshop, "bot~1"), head(&workshop, "main"));
        assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.2", 1));
        assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
    }
}

#[test]
fn a_branch_stays_where_nothing_is_new() {
    for back in [true, false] {
        let workshop = Workshop::with_app();
        workshop.get("app@v1.0.0", "second");
        upgrade(&workshop).exits(0);
        let before = head(&workshop, "bot");
        if back {
            workshop.git("fleet", &["checkout", "-q", "main"]);
        }
        // so that another commit would have another date
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let run = workshop.merge3(&[&ARGUMENTS[..], &["--report", "json"]].concat());
        let report = run.exits(0).json();
        assert_eq!(
            head(&workshop, "bot"),
            before,
            "the branch has the same commits"
        );
        assert_eq!(report["packages"][1]["commit"], before);
        assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
        assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
    }
}

/// Tags may have the names of the branches.
#[test]
fn a_branch_stays_beside_a_tag_of_its_name() {
    let workshop = Workshop::with_app();
    upgrade(&workshop).exits(0);
    let before = head(&workshop, "refs/heads/bot");
    for tag in ["bot", "main"] {
        workshop.git("fleet", &["tag", tag, "main"]);
    }
    workshop.git("fleet", &["checkout", "-q", "main"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    upgrade(&workshop).exits(0);
    assert_eq!(head(&workshop, "refs/heads/bot"), before);
    let base = workshop.git("fleet", &["config", "branch.bot.merge3base"]);
    assert_eq!(base, "main\n");
}

/// If upstream is unreachable, the commits on the branch are kept.
#[test]
fn a_branch_stays_where_nothing_could_be_upgraded() {
    let workshop = Workshop::with_app();
    upgrade(&workshop).exits(0);
    let before = head(&workshop, "bot");
    std::fs::rename(workshop.path("upstream.git"), workshop.path("gone.git")).unwrap();
    upgrade(&workshop).exits(2);
    assert_eq!(head(&workshop, "bot"), before);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
}

#[test]
fn a_branch_with_other_commits_is_kept() {
    let work: [(&str, Work); 3] = [
        ("a commit", |workshop| {
            workshop.write("fleet/app/more.yaml", "a: 1\n");
            workshop.save("by hand");
        }),
        ("a changed commit", |workshop| {
            workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 9");
            workshop.git("fleet", &["commit", "-q", "-a", "--amend", "--no-edit"]);
        }),
        ("a merge", |workshop| {
            workshop.git("fleet", &["checkout", "-q", "main"]);
            workshop.git("fleet", &["commit", "-q", "--allow-empty", "-m", "main"]);
            workshop.git("fleet", &["checkout", "-q", "bot"]);
            workshop.git("fleet", &["merge", "-q", "--no-ff", "--no-edit", "main"]);
        }),
    ];
    for (what, work) in work {
        for is_remote in [false, true] {
            let workshop = Workshop::with_app();
            upgrade(&workshop).exits(0);
            work(&workshop);
            workshop.git("fleet", &["checkout", "-q", "main"]);
            if is_remote {
                let theirs = "refs/remotes/origin/bot";
                workshop.git("fleet", &["update-ref", theirs, "bot"]);
                workshop.git("fleet", &["branch", "-q", "-D", "bot"]);
            }
            let before = workshop.files("fleet");
            upgrade(&workshop)
                .exits(2)
                .says(&["branch 'bot' is left as it is", "merge or delete it"]);
            assert_eq!(workshop.files("fleet"), before, "{what}");
            // a run that starts on the branch continues from there
            match is_remote {
                true => workshop.git("fleet", &["checkout", "-q", "-b", "bot", "origin/bot"]),
                false => workshop.git("fleet", &["checkout", "-q", "bot"]),
            };
            let tip = head(&workshop, "bot");
            workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
            upgrade(&workshop).exits(0);
            assert_eq!(head(&workshop, "bot~1"), tip, "{what}");
        }
    }
}

#[test]
fn a_branch_on_the_server_is_the_same_branch() {
    let workshop = Workshop::with_app();
    upgrade(&workshop).exits(0);
    let before = head(&workshop, "bot");
    workshop.git("fleet", &["checkout", "-q", "main"]);
    workshop.git("fleet", &["update-ref", "refs/remotes/origin/bot", "bot"]);
    workshop.git("fleet", &["branch", "-q", "-D", "bot"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    upgrade(&workshop).exits(0);
    assert_eq!(head(&workshop, "bot"), before);
}

#[test]
fn invalid_branch_names_are_refused() {
    let workshop = Workshop::with_app();
    let before = workshop.files("fleet");
    for name in ["--branch=--orphan", "--branch=a..b", "--branch=a b"] {
        let run = workshop.merge3(&["upgrade", "app", name, "--commit"]);
        run.exits(2).says(&["is not the name of a branch"]);
    }
    assert_eq!(workshop.files("fleet"), before);
}

#[test]
fn no_conflict_marker_is_committed() {
    let workshop = Workshop::with_app();
    workshop.edit("fleet/app/web.yaml", "web:1.0", "web:ours");
    workshop.save("ours");
    let before = workshop.files("fleet");
    let markers = ["--on-conflict", "markers"];
    workshop
        .merge3(&[&ARGUMENTS[..], &markers].concat())
        .exits(2)
        .says(&["--on-conflict markers", "--commit", "one of the two"]);
    assert_eq!(workshop.files("fleet"), before);
    let fail = ["--on-conflict", "fail"];
    workshop
        .merge3(&[&ARGUMENTS[..], &fail].concat())
        .exits(1)
        .says(&["conflicts are left: nothing was written"]);
    assert_eq!(workshop.files("fleet"), before);
    assert_eq!(
        workshop.git("fleet", &["branch", "--list"]).trim(),
        "* main"
    );
}

#[test]
fn a_message_is_made_from_a_template() {
    let workshop = Workshop::with_app();
    let template = "chore(deps): {name} {from} to {to} ({conflicts})\n\n{upstream} {unknown\n\nFor {package}\n";
    workshop
        .merge3(&[&ARGUMENTS[..], &["--message", template]].concat())
        .exits(0);
    let message = workshop.git("fleet", &["show", "-s", "--format=%B"]);
    let url = workshop.url();
    let expected = format!(
        "chore(deps): app v1.0.0 to v1.1.0 (0)\n\n{url}/app {{unknown\n\nFor app\n\nMerge3-Tree: "
    );
    assert!(message.starts_with(&expected), "{message}");
    workshop
        .merge3(&["upgrade", "app", "--commit", "--message", "{version}"])
        .exits(2)
        .says(&["{version} is not a placeholder", "{package}"]);
}
