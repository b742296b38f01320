//! Commands in the content of a package are not executed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::harness::{Workshop, web};

/// Makes a folder a bare repository whose configuration runs a command.
fn bare_repository(folder: &Path, command: &str) {
    fs::create_dir_all(folder.join("objects")).unwrap();
    fs::create_dir_all(folder.join("refs/heads")).unwrap();
    fs::create_dir_all(folder.join("hooks")).unwrap();
    fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(
        folder.join("config"),
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = {command}\n\tsshCommand = {command}\n\thooksPath = hooks\n\teditor = {command}\n[diff]\n\texternal = {command}\n[url \"ext::{command} \"]\n\tinsteadOf = file\n[protocol]\n\tallow = always\n"
        ),
    )
    .unwrap();
}

/// Returns a script that writes a file, and the path of that file.
fn tracing_script(workshop: &Workshop) -> (String, std::path::PathBuf) {
    let (script, trace) = (workshop.path("trap.sh"), workshop.path("trace"));
    fs::write(&script, format!("#!/bin/sh\ntouch {}\n", trace.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    (script.display().to_string(), trace)
}

/// Upstream has the files of a bare repository at the top of its package, or below.
#[test]
fn a_package_that_is_a_bare_repository_runs_nothing() {
    for place in ["app", "app/sub", "app/sub/deeper"] {
        let workshop = Workshop::new();
        let (script, trace) = tracing_script(&workshop);
        let upstream = workshop.path("upstream").join(place);
        bare_repository(&upstream, &script);
        for folder in ["objects", "refs", "refs/heads", "hooks"] {
            fs::write(upstream.join(folder).join("keep"), "").unwrap();
        }
        fs::copy(workshop.path("trap.sh"), upstream.join("hooks/pre-commit")).unwrap();
        workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
        workshop.get("app@v1.0.0", "app");
        assert!(workshop.has(&format!("fleet/{place}/HEAD")));
        workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
        for arguments in [
            &["outdated"][..],
            &["upgrade", "--all", "--dry-run"],
            &["upgrade", "app", "--diff"],
            &["upgrade", "--all", "--shard", "1/1", "--commit"],
        ] {
            workshop.merge3(arguments).exits(0);
            assert!(!trace.exists(), "{place}: {arguments:?}");
        }
        assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
        // the result is the same for a user whose current folder is the package
        workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
        for arguments in [&["outdated"][..], &["upgrade", "--all"], &["upgrade", "."]] {
            let run = workshop.merge3_in(&format!("fleet/{place}"), arguments);
            assert!(!trace.exists(), "in {place}: {arguments:?}\n{}", run.stderr);
        }
        if place == "app" {
            assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.2", 1));
        }
        let address = format!("{}/app@v1.0.0", workshop.url());
        workshop
            .merge3_in(&format!("fleet/{place}"), &["get", &address, "again"])
            .exits(0);
        assert!(!trace.exists(), "get in {place}");
    }
}

/// If the upgrade commits nothing in the user's repository, the user's hooks are not run.
#[test]
fn hooks_and_monitors_of_the_users_own_run_for_commits_only() {
    let workshop = Workshop::with_app();
    let (script, trace) = tracing_script(&workshop);
    let git = |arguments: &[&str]| workshop.git("fleet", arguments);
    git(&["config", "core.fsmonitor", &script]);
    git(&["config", "diff.external", &script]);
    let hooks = workshop.path("fleet/.git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "post-checkout",
        "reference-transaction",
    ] {
        fs::copy(workshop.path("trap.sh"), hooks.join(hook)).unwrap();
    }
    workshop
        .merge3(&["upgrade", "--all", "--branch", "next"])
        .exits(0);
    assert!(!trace.exists());
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
}

/// The files of a bare repository in a package do not configure git for a user who merges a file
/// there.
#[test]
fn a_package_that_is_a_bare_repository_configures_nothing() {
    let workshop = Workshop::new();
    let (script, trace) = tracing_script(&workshop);
    let folder = workshop.path("fleet/app");
    bare_repository(&folder, &script);
    let config = folder.join("config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text + "[merge]\n\tconflictStyle = diff3\n").unwrap();
    for (name, value) in [("base", 1), ("ours", 2), ("theirs", 3)] {
        workshop.write(&format!("fleet/app/{name}.yaml"), &format!("a: {value}\n"));
        workshop.write(&format!("fleet/app/{name}.txt"), &format!("{value}\n"));
    }
    for kind in ["yaml", "txt"] {
        let names = ["ours", "base", "theirs"].map(|name| format!("{name}.{kind}"));
        let names = [&names[0], &names[1], &names[2]].map(String::as_str);
        let merge = [&["merge-file", "-p"], &names[..]].concat();
        let run = workshop.merge3_in("fleet/app", &merge).exits(1);
        assert!(run.stdout.contains("<<<<<<<"), "{}", run.stdout);
        assert!(!run.stdout.contains("|||||||"), "{}", run.stdout);
    }
    workshop.merge3_in("fleet/app", &["git", "status"]);
    workshop.merge3_in("fleet/app", &["git", "install"]);
    assert!(!trace.exists());
    let text = fs::read_to_string(&config).unwrap();
    assert!(!text.contains("merge3"), "{text}");
}
