//! Journals and other files of merge3's own that come from an attacker.

use std::fs;
use std::hash::Hasher as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use rustc_hash::FxHasher;

use crate::harness::{Workshop, merge3, web};

/// An entry in a journal of version 1: path, mode, old content, new content.
type Entry<'e> = (&'e str, &'e str, Option<&'e str>, Option<&'e str>);

fn hash(bytes: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes.as_bytes());
    hasher.finish()
}

/// Returns the fingerprint of a merge that changes one file.
fn fingerprint(path: &str, old: &str, new: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(path.as_bytes());
    for side in [old, new] {
        hasher.write_usize(side.len());
        hasher.write_u64(hash(side));
    }
    hasher.finish()
}

/// Returns a journal of version 1. Such journals were in the package and were followed.
fn journal(merge: u64, entries: &[Entry<'_>]) -> String {
    let mut text = format!("merge3 journal 1\nmerge {merge:x}\n");
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    for (path, mode, old, new) in entries {
        let length = |text: &Option<&str>| text.map_or("-".to_owned(), |it| it.len().to_string());
        let print = new.map_or("-".to_owned(), |new| format!("{:x}", hash(new)));
        let line = format!(
            "file {} {mode} {} {} {print}\n",
            path.len(),
            length(old),
            length(new)
        );
        let entry = format!("{line}{path}{}\n", old.unwrap_or_default());
        hasher.write(entry.as_bytes());
        text.push_str(&entry);
    }
    text + &format!("end {:x}\n", hasher.finish())
}

const OWN: &str = "own: 1\n";
const HOOK: &str = "#!/bin/sh\ntouch hooked\n";

/// Returns a journal of the merge from 1.0 to 1.1 that deletes a local file and writes a hook and a
/// setuid file.
fn hostile_journal() -> String {
    let merge = fingerprint("web.yaml", &web("1.0", 1), &web("1.1", 1));
    let entries: [Entry<'_>; 3] = [
        ("own.yaml", "644", None, Some(OWN)),
        (".git/hooks/post-commit", "755", Some(HOOK), None),
        ("root-shell", "4755", Some(HOOK), None),
    ];
    journal(merge, &entries)
}

#[track_caller]
fn assert_unharmed(workshop: &Workshop, package: &str) {
    let has = |name: &str| workshop.has(&format!("{package}/{name}"));
    assert_eq!(workshop.read(&format!("{package}/own.yaml")), OWN);
    assert!(!has(".git/hooks/post-commit") && !has("root-shell"));
}

/// Creates a workshop in which the repository of packages is itself a package, with local changes.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.git(".", &["init", "-q", "-b", "main", "package"]);
    workshop.write("package/own.yaml", OWN);
    workshop
}

#[test]
fn a_journal_that_comes_with_a_package_is_not_obeyed() {
    for place in ["", "deep/er/"] {
        let workshop = workshop();
        workshop.release(
            "v1.0.0",
            &[
                ("app/web.yaml", &web("1.0", 1)),
                (&format!("app/{place}.merge3-journal"), &hostile_journal()),
            ],
        );
        workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
        let address = format!("{}/app@v1.0.0", workshop.url());
        let got = workshop.merge3(&["get", &address, "app"]).exits(0);
        got.says(&["merge3-journal", "upstream's file is left out"]);
        assert!(!workshop.has(&format!("fleet/app/{place}.merge3-journal")));
        workshop.write("fleet/app/own.yaml", OWN);
        workshop.save("vendor");
        let run = workshop.merge3(&["upgrade", "app"]).exits(0);
        run.says(&["upstream's file is left out"]);
        assert_unharmed(&workshop, "fleet/app");
        assert!(workshop.read("fleet/app/web.yaml").contains("web:1.1"));
    }
}

#[test]
fn a_journal_that_lies_in_a_merged_package_is_not_obeyed() {
    for place in ["", "deep/"] {
        let workshop = workshop();
        for (side, image) in [("old", "1.0"), ("new", "1.1"), ("package", "1.0")] {
            workshop.write(&format!("{side}/web.yaml"), &web(image, 1));
        }
        // the journal came with a branch, for instance
        let journal = format!("package/{place}.merge3-journal");
        workshop.write(&journal, &hostile_journal());
        let sides = ["--ancestor", "old", "--from", "new", "--to", "package"];
        workshop.merge3_in(".", &sides).exits(0);
        assert_unharmed(&workshop, "package");
        assert_eq!(workshop.read(&journal), hostile_journal());
        assert!(workshop.read("package/web.yaml").contains("web:1.1"));
    }
}

#[test]
fn what_merge3_keeps_for_itself_does_not_come_from_upstream() {
    let workshop = Workshop::with_app();
    let names = [
        ".merge3-journal",
        ".merge3-output",
        ".merge3-0123456789abcdef-0.tmp",
        ".merge3-notes.tmp",
    ];
    let mut files: Vec<(String, &str)> = vec![("app/web.yaml".to_owned(), "kind: Fresh\n")];
    for name in names {
        files.push((format!("app/{name}"), "theirs\n"));
        files.push((format!("app/deep/{name}"), "theirs\n"));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    workshop.release("v1.2.0", &files);
    // a file of the user's, whatever its name
    workshop.write("fleet/app/.merge3-notes.tmp", "mine\n");
    workshop.save("notes");
    let run = workshop
        .merge3(&["upgrade", "app", "--on-conflict", "updated"])
        .exits(0);
    for name in names {
        let left_out = format!("{name}: upstream's file is left out");
        run.says(&[
            &format!("warning: {left_out}"),
            &format!("warning: deep/{left_out}"),
        ]);
        assert!(!workshop.has(&format!("fleet/app/deep/{name}")));
    }
    let expected = [".merge3-notes.tmp", ".merge3.yaml", "web.yaml"];
    let found = workshop.files("fleet/app");
    assert_eq!(found.keys().collect::<Vec<_>>(), expected);
    assert_eq!(workshop.read("fleet/app/.merge3-notes.tmp"), "mine\n");
    // the package can still be upgraded
    workshop.save("upgrade");
    workshop.release("v1.3.0", &[("app/web.yaml", "kind: Fresher\n")]);
    workshop.merge3(&["upgrade", "app"]).exits(0);
    let address = format!("{}/app@v1.3.0", workshop.url());
    workshop.merge3(&["get", &address, "second"]).exits(0);
    assert_eq!(workshop.files("fleet/second").len(), 2);
}

const FILES: usize = 800;

/// Creates changing files in a package outside a repository.
fn changing_files(workshop: &Workshop) -> [&'static str; 6] {
    for (side, value) in [("old", 1), ("new", 2), ("local", 1)] {
        for file in 0..FILES {
            workshop.write(&format!("{side}/{file}.yaml"), &format!("a: {value}\n"));
        }
    }
    ["--ancestor", "old", "--from", "new", "--to", "local"]
}

fn command(workshop: &Workshop, arguments: &[&str]) -> Command {
    let mut command = Command::new(merge3());
    command.args(arguments).current_dir(workshop.path("."));
    command.env("XDG_STATE_HOME", workshop.path("state"));
    command.stdin(Stdio::null());
    command
}

#[test]
fn outside_of_a_repository_recovery_is_kept_in_the_users_folder() {
    let workshop = Workshop::new();
    let sides = changing_files(&workshop);
    let runs = workshop.path("state/merge3");
    let changed = |file: usize| workshop.read(&format!("local/{file}.yaml")) == "a: 2\n";
    let start = Instant::now();
    while !(0..FILES).any(changed) || (0..FILES).all(changed) {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "no run left the package half merged"
        );
        changing_files(&workshop);
        let mut child = command(&workshop, &sides)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            // threads start at some of these files
            if (0..FILES).step_by(FILES / 8).any(changed) {
                child.kill().unwrap();
            }
        }
    }
    assert_eq!(
        fs::metadata(&runs).unwrap().permissions().mode() & 0o777,
        0o700
    );
    assert_eq!(fs::read_dir(&runs).unwrap().count(), 1);
    let again = command(&workshop, &sides).output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    let stdout = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(stdout.contains(&format!("{FILES} changed")), "{stdout}");
    assert_eq!(workshop.files("local"), workshop.files("new"));
    assert_eq!(fs::read_dir(&runs).unwrap().count(), 0);
}

/// A folder that other users can write to is not trusted.
#[test]
fn a_run_folder_that_others_may_write_to_is_not_used() {
    let workshop = Workshop::new();
    let sides = changing_files(&workshop);
    let shared = workshop.path("state/merge3");
    fs::create_dir_all(&shared).unwrap();
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
    let before = workshop.files("local");
    let run = command(&workshop, &sides).output().unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("other users can write to it"), "{stderr}");
    assert_eq!(workshop.files("local"), before);
    assert!(shared.read_dir().unwrap().next().is_none());
}
