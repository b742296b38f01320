//! Tests many packages at once, and shares of them.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, web};

/// Creates a fleet of customised packages from one repository, and a newer version of all.
fn fleet(count: usize) -> Workshop {
    let workshop = Workshop::new();
    let names: Vec<String> = (0..count)
        .map(|number| format!("p{number}/web.yaml"))
        .collect();
    let release = |tag: &str, image: &str| {
        let text = web(image, 1);
        let files: Vec<(&str, &str)> = names
            .iter()
            .map(|name| (name.as_str(), text.as_str()))
            .collect();
        workshop.release(tag, &files);
    };
    release("v1.0.0", "1.0");
    for number in 0..count {
        let address = format!("{}/p{number}@v1.0.0", workshop.url());
        workshop
            .merge3(&["get", &address, &format!("apps/p{number}")])
            .exits(0);
        workshop.edit(
            &format!("fleet/apps/p{number}/web.yaml"),
            "replicas: 1",
            &format!("replicas: {} # ours", number + 2),
        );
    }
    workshop.save("vendor");
    release("v1.1.0", "1.1");
    workshop
}

#[test]
fn the_shares_do_together_what_one_run_does() {
    let workshop = fleet(9);
    workshop.git("fleet", &["worktree", "add", "-q", "../shares", "main~0"]);
    workshop.merge3(&["upgrade", "--all"]).exits(0);
    let mut done: Vec<String> = Vec::new();
    for index in 1..=3 {
        let report = workshop
            .merge3_in(
                "shares",
                &[
                    "upgrade",
                    "--all",
                    "--shard",
                    &format!("{index}/3"),
                    "--report",
                    "json",
                ],
            )
            .exits(0)
            .json();
        let packages = report["packages"].as_array().unwrap().clone();
        assert!(
            packages.len() < 9,
            "a share has fewer packages than the fleet"
        );
        done.extend(
            packages
                .iter()
                .map(|it| it["package"].as_str().unwrap().to_owned()),
        );
    }
    assert_eq!(done.len(), 9, "each package is in one share");
    assert_eq!(done.iter().collect::<BTreeSet<_>>().len(), 9);
    let strip = |files: std::collections::BTreeMap<String, Vec<u8>>| {
        files
            .into_iter()
            .filter(|(name, _)| name != ".git")
            .collect::<Vec<_>>()
    };
    assert_eq!(
        strip(workshop.files("shares")),
        strip(workshop.files("fleet"))
    );
}

/// The share of a package depends only on its path in the repository.
#[test]
fn a_share_is_stable() {
    let workshop = fleet(4);
    let share = |folder: &str| {
        let run = workshop
            .merge3_in(folder, &["outdated", "--shard", "1/2", "--report", "json"])
            .exits(0)
            .json();
        let packages = run["outdated"].as_array().unwrap().clone();
        let name = |it: &serde_json::Value| {
            it["package"]
                .as_str()
                .unwrap()
                .trim_start_matches("apps/")
                .to_owned()
        };
        packages.iter().map(name).collect::<BTreeSet<_>>()
    };
    let all = share("fleet");
    assert_eq!(share("fleet/apps"), all);
    // adding or removing a package does not move the others
    let gone = all.iter().next().cloned();
    if let Some(gone) = &gone {
        std::fs::remove_dir_all(workshop.path(&format!("fleet/apps/{gone}"))).unwrap();
    }
    let left = all
        .iter()
        .filter(|name| Some(*name) != gone.as_ref())
        .cloned()
        .collect();
    assert_eq!(share("fleet"), left);
    workshop
        .merge3(&["upgrade", "--all", "--shard", "3/2"])
        .exits(2)
        .says(&["a share is I/N"]);
}

/// Several processes share one cache.
#[test]
fn runs_at_the_same_time_do_not_hinder_each_other() {
    let workshop = fleet(4);
    workshop.merge3(&["cache", "clean"]).exits(0);
    std::thread::scope(|scope| {
        for number in 0..4 {
            let workshop = &workshop;
            scope.spawn(move || {
                workshop
                    .merge3(&["upgrade", &format!("apps/p{number}")])
                    .exits(0)
            });
        }
        scope.spawn(|| workshop.merge3(&["cache", "clean"]).exits(0));
    });
    for number in 0..4 {
        let text = workshop.read(&format!("fleet/apps/p{number}/web.yaml"));
        assert_eq!(
            text,
            web("1.1", 1).replace("replicas: 1", &format!("replicas: {} # ours", number + 2))
        );
    }
}

#[test]
fn a_failed_package_does_not_stop_the_others() {
    let workshop = fleet(3);
    workshop.edit("fleet/apps/p1/.merge3.yaml", "upstream.git", "gone.git");
    workshop.save("break");
    let run = workshop
        .merge3(&["upgrade", "--all", "--report", "json"])
        .exits(2);
    let report = run.json();
    assert_eq!(report["packages"].as_array().unwrap().len(), 2);
    assert_eq!(report["failed"][0]["package"], "apps/p1");
    run.says(&["gone.git cannot be read", "git ls-remote"]);
    assert_eq!(
        workshop.read("fleet/apps/p2/web.yaml"),
        web("1.1", 1).replace("replicas: 1", "replicas: 4 # ours")
    );
}
