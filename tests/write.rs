//! Tests the writing of a plan while other programs change the same files, and after interrupted
//! runs (rules: Writing).
#![allow(clippy::unwrap_used)] // a failing helper fails the test

use std::fs;
use std::path::{Path, PathBuf};

use merge3::error::Error;
use merge3::package::{Plan, Settings, plan};
use merge3::triple::Triple;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

/// Packages in which two files change, one is added and one is deleted.
struct Packages {
    _folder: TempDir,
    sides: Triple<PathBuf>,
}

impl Packages {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // makes the folder a work tree, so that the journal is here and not in the user's folder
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::write(folder.path().join(".git/HEAD"), "").unwrap();
        let sides =
            Triple::new("original", "updated", "local").map(|side| folder.path().join(side));
        for (side, value) in [(&sides.original, 1), (&sides.updated, 2), (&sides.local, 1)] {
            fs::create_dir(side).unwrap();
            fs::write(side.join("a.yaml"), format!("a: {value}\n")).unwrap();
            fs::write(side.join("b.yaml"), format!("b: {value}\n")).unwrap();
        }
        fs::write(sides.updated.join("new.yaml"), "new: 1\n").unwrap();
        for side in [&sides.original, &sides.local] {
            fs::write(side.join("gone.yaml"), "gone: 1\n").unwrap();
        }
        Self {
            _folder: folder,
            sides,
        }
    }

    fn plan(&self) -> Plan {
        plan(&self.sides, &Settings::default()).unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.sides.local.join(name), content).unwrap();
    }

    fn local(&self) -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> = fs::read_dir(&self.sides.local)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (name(&path), fs::read_to_string(&path).unwrap()))
            .collect();
        files.sort();
        files
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_overwritten() {
    for (file, content) in [
        ("a.yaml", "a: 1 # just now\n"),
        ("b.yaml", ""),
        ("gone.yaml", "gone: 2\n"),
        ("new.yaml", "mine: 1\n"),
    ] {
        let packages = Packages::new();
        let plan = packages.plan();
        packages.write(file, content);
        let before = packages.local();
        let error = plan.write(false).unwrap_err();
        assert!(
            matches!(&error, Error::Changed { path } if name(path) == file),
            "{error:?}"
        );
        let text = error.render(false);
        assert!(text.contains(file) && text.contains("help: "), "{text}");
        assert_eq!(packages.local(), before);
    }
}

#[test]
fn a_file_that_was_deleted_since_it_was_read_does_not_come_back() {
    let packages = Packages::new();
    let plan = packages.plan();
    fs::remove_file(packages.sides.local.join("a.yaml")).unwrap();
    let before = packages.local();
    assert!(matches!(plan.write(false), Err(Error::Changed { .. })));
    assert_eq!(packages.local(), before);
}

#[test]
fn another_run_finishes_one_that_was_killed() {
    let whole = Packages::new();
    whole.plan().write(true).unwrap();
    let expected = whole.local();
    assert_eq!(expected.len(), 3, "{expected:?}");

    // any part of the plan may have been carried out before
    for done in 0..16 {
        let packages = Packages::new();
        let steps = [
            ("a.yaml", "a: 2\n"),
            ("b.yaml", "b: 2\n"),
            ("new.yaml", "new: 1\n"),
        ];
        for (bit, (file, content)) in steps.iter().enumerate() {
            if done >> bit & 1 == 1 {
                packages.write(file, content);
            }
        }
        if done >> 3 & 1 == 1 {
            fs::remove_file(packages.sides.local.join("gone.yaml")).unwrap();
        }
        let plan = packages.plan();
        assert_eq!(plan.conflicts, []);
        plan.write(false).unwrap();
        assert_eq!(packages.local(), expected, "after {done:04b}");
    }
}

#[test]
fn a_failed_value_check_names_the_place_and_says_that_it_is_a_bug() {
    let error = Error::Verification {
        file: "a.yaml".into(),
        path: "spec.replicas".into(),
        message: "3 was decided, 2 is there".into(),
    };
    let text = error.render(false);
    for part in [
        "a.yaml",
        "'spec.replicas'",
        "3 was decided",
        "help: nothing was written; this is a defect",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
