//! Tests Kptfiles below Kptfiles: each package merges on its own.

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, kptfile, web};

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    let (app, sub) = (kptfile("app"), kptfile("sub"));
    let mut files = vec![
        ("app/Kptfile".to_owned(), app),
        ("app/web.yaml".to_owned(), web("1.0", 1)),
    ];
    for name in ["kept", "gone", "changed", "deleted"] {
        files.push((format!("app/{name}/Kptfile"), sub.clone()));
        files.push((format!("app/{name}/web.yaml"), web("1.0", 1)));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    workshop.release("v1.0.0", &files);
    workshop.get("app@v1.0.0", "app");
    workshop
}

#[test]
fn each_merges_on_its_own() {
    let workshop = workshop();
    // all packages have the same resource, and some customise it
    workshop.edit(
        "fleet/app/kept/web.yaml",
        "replicas: 1",
        "replicas: 5 # ours",
    );
    workshop.edit("fleet/app/changed/web.yaml", "replicas: 1", "replicas: 7");
    std::fs::remove_dir_all(workshop.path("fleet/app/deleted")).unwrap();
    workshop.write("fleet/app/own/Kptfile", &kptfile("own"));
    workshop.write("fleet/app/own/web.yaml", &web("own", 1));
    workshop.save("customise");
    workshop.release(
        "v1.1.0",
        &[
            ("app/web.yaml", &web("1.1", 1)),
            ("app/kept/web.yaml", &web("1.1", 1)),
            ("app/deleted/web.yaml", &web("1.1", 1)),
            ("app/new/Kptfile", &kptfile("new")),
            ("app/new/web.yaml", &web("1.1", 1)),
            ("app/gone/Kptfile", ""),
            ("app/gone/web.yaml", ""),
            ("app/changed/Kptfile", ""),
            ("app/changed/web.yaml", ""),
        ],
    );
    let report = workshop
        .merge3(&["upgrade", "app", "--report", "json"])
        .exits(0)
        .json();
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
    assert_eq!(
        workshop.read("fleet/app/kept/web.yaml"),
        web("1.1", 5).replace("replicas: 5", "replicas: 5 # ours")
    );
    assert_eq!(workshop.read("fleet/app/new/web.yaml"), web("1.1", 1));
    assert_eq!(workshop.read("fleet/app/own/web.yaml"), web("own", 1));
    assert!(
        !workshop.has("fleet/app/gone"),
        "deleted upstream, unchanged here"
    );
    assert_eq!(
        workshop.read("fleet/app/changed/web.yaml"),
        web("1.0", 7),
        "deleted upstream, changed here"
    );
    assert!(workshop.has("fleet/app/changed/Kptfile"));
    assert!(!workshop.has("fleet/app/deleted"), "deleted here");
    let conflicts: Vec<String> = report["packages"][0]["conflicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {}", it["file"], it["kind"], it["resolution"]).replace('"', ""))
        .collect();
    assert_eq!(
        conflicts,
        [
            "changed/Kptfile deleted-upstream local",
            "deleted/Kptfile deleted-locally local"
        ]
    );
}

/// What an ignore file of the whole package excludes is also excluded in nested packages.
#[test]
fn what_is_ignored_stays_so() {
    let workshop = workshop();
    workshop.write("fleet/app/.krmignore", "kept\ngone/web.yaml\n");
    workshop.save("ignore");
    workshop.release(
        "v1.1.0",
        &[
            ("app/kept/web.yaml", &web("1.1", 1)),
            ("app/gone/web.yaml", &web("1.1", 1)),
            ("app/changed/web.yaml", &web("1.1", 1)),
        ],
    );
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(workshop.read("fleet/app/kept/web.yaml"), web("1.0", 1));
    assert_eq!(workshop.read("fleet/app/gone/web.yaml"), web("1.0", 1));
    assert_eq!(workshop.read("fleet/app/changed/web.yaml"), web("1.1", 1));
}

/// Nested packages that come from other repositories are upgraded, too, after the package that they
/// are in.
#[test]
fn a_local_package_in_a_package() {
    let workshop = workshop();
    workshop.get("app/kept@v1.0.0", "app/mine");
    workshop.release(
        "v1.1.0",
        &[
            ("app/web.yaml", &web("1.1", 1)),
            ("app/kept/web.yaml", &web("1.1", 1)),
        ],
    );
    let report = workshop
        .merge3(&["upgrade", "--all", "--report", "json"])
        .exits(0)
        .json();
    let packages: Vec<&str> = report["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["package"].as_str().unwrap())
        .collect();
    assert_eq!(packages, ["app", "app/mine"]);
    assert_eq!(workshop.read("fleet/app/mine/web.yaml"), web("1.1", 1));
    assert_eq!(workshop.read("fleet/app/kept/web.yaml"), web("1.1", 1));
}

/// A folder that upstream moved comes to its new place. Local changes stay at the old place, and a
/// message says so.
#[test]
fn a_package_that_upstream_moved() {
    let workshop = workshop();
    workshop.edit("fleet/app/changed/web.yaml", "replicas: 1", "replicas: 7");
    workshop.save("customise");
    workshop.release(
        "v1.1.0",
        &[
            ("app/gone/Kptfile", ""),
            ("app/gone/web.yaml", ""),
            ("app/changed/Kptfile", ""),
            ("app/changed/web.yaml", ""),
            ("app/there/Kptfile", &kptfile("sub")),
            ("app/there/web.yaml", &web("1.1", 1)),
        ],
    );
    let run = workshop.merge3(&["upgrade", "app"]).exits(0);
    assert!(
        run.stdout
            .contains("conflict changed/Kptfile: deleted-upstream"),
        "{}",
        run.stdout
    );
    assert!(!workshop.has("fleet/app/gone"));
    assert_eq!(workshop.read("fleet/app/changed/web.yaml"), web("1.0", 7));
    assert_eq!(workshop.read("fleet/app/there/web.yaml"), web("1.1", 1));
}

/// `kpt pkg get` writes an annotation and a comment into each resource.
#[test]
fn what_kpt_writes_is_no_change() {
    let workshop = workshop();
    for file in ["app", "app/gone", "app/changed", "app/kept", "app/deleted"] {
        workshop.edit(
            &format!("fleet/{file}/web.yaml"),
            "metadata:\n  name: web\n",
            "metadata: # kpt-merge: /web\n  name: web\n  annotations:\n    internal.kpt.dev/upstream-identifier: 'apps|Deployment|default|web'\n",
        );
    }
    workshop.edit("fleet/app/changed/web.yaml", "replicas: 1", "replicas: 7");
    workshop.edit("fleet/app/Kptfile", "resource-merge", "fast-forward");
    workshop.save("as kpt has it");
    workshop.release(
        "v1.1.0",
        &[
            ("app/web.yaml", ""),
            ("app/own.yaml", "a: 1\n"),
            ("app/gone/Kptfile", ""),
            ("app/gone/web.yaml", ""),
            ("app/changed/Kptfile", ""),
            ("app/changed/web.yaml", ""),
        ],
    );
    workshop
        .merge3(&["upgrade", "app"])
        .exits(2)
        .says(&["it was changed here, and its updateStrategy is `fast-forward`"]);
    workshop.edit("fleet/app/Kptfile", "fast-forward", "resource-merge");
    workshop.save("merge");
    let report = workshop
        .merge3(&["upgrade", "app", "--report", "json"])
        .exits(0)
        .json();
    assert!(!workshop.has("fleet/app/gone"));
    assert!(!workshop.has("fleet/app/web.yaml"));
    let conflicts = report["packages"][0]["conflicts"].as_array().unwrap();
    let files: Vec<&str> = conflicts
        .iter()
        .map(|it| it["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["changed/Kptfile"]);
}

#[test]
fn kpts_strategies_are_followed() {
    let workshop = workshop();
    workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 3");
    workshop.edit("fleet/app/Kptfile", "resource-merge", "fast-forward");
    workshop.save("ours");
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
    let before = workshop.files("fleet");
    workshop
        .merge3(&["upgrade", "app"])
        .exits(2)
        .says(&["it was changed here, and its updateStrategy is `fast-forward`"]);
    assert_eq!(workshop.files("fleet"), before);
    workshop.edit("fleet/app/Kptfile", "fast-forward", "force-delete-replace");
    workshop.save("replace");
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
    assert!(workshop.read("fleet/app/Kptfile").contains("ref: v1.1.0"));
}
