//! Two runs on the same local package.

use std::fs::{self, File};
use std::process::Stdio;
use std::time::Duration;

use pretty_assertions::assert_eq;

use crate::harness::{Packages, RunOutput, times};

#[test]
fn a_run_waits_for_another_one() {
    let packages = Packages::varied();
    let before = packages.tree();
    let folder = File::open(packages.local()).unwrap();
    folder.lock().unwrap();
    let mut child = packages
        .command(&[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    assert_eq!(packages.tree(), before);
    folder.unlock().unwrap();
    let run = RunOutput::from(child.wait_with_output().unwrap());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.stderr.contains("waiting for another run of merge3 at "),
        "{run:?}"
    );
    assert_ne!(packages.tree(), before);
}

#[test]
fn runs_at_once_give_what_one_gives() {
    let packages = Packages::large(60);
    let merged = packages.copy();
    merged.run(&[]);
    for round in 0..times(5).min(100) {
        let work = packages.copy();
        let children: Vec<_> = (0..4)
            .map(|_| {
                let mut command = work.command(&[]);
                command
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let mut at_work = 0;
        for child in children {
            let run = RunOutput::from(child.wait_with_output().unwrap());
            assert_eq!(run.status, 0, "{run:?}");
            at_work += usize::from(!run.stdout.contains(" 0 changed, 0 added, 0 deleted"));
        }
        assert_eq!(
            at_work, 1,
            "round {round}: one run merges, the others find nothing to do"
        );
        assert_eq!(work.tree(), merged.tree());
    }
}

/// Two different merges: the second one does not see a half written result of the first.
#[test]
fn two_other_merges_come_one_after_the_other() {
    for _ in 0..times(5).min(100) {
        let packages = Packages::large(40);
        let other = packages.copy();
        fs::write(other.path("updated/run.sh"), "echo 3\n").unwrap();
        let mut theirs = other.command(&[]);
        theirs.arg("--on-conflict").arg("local");
        // the arguments of the other run, on this run's local package
        let arguments: Vec<_> = theirs.get_args().map(ToOwned::to_owned).collect();
        let mut theirs = std::process::Command::new(theirs.get_program());
        theirs.args(arguments.iter().map(|argument| {
            if *argument == other.local() {
                packages.local().into_os_string()
            } else {
                argument.clone()
            }
        }));
        let mut ours = packages.command(&[]);
        let children = [&mut ours, &mut theirs].map(|command| {
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        });
        for child in children {
            let run = RunOutput::from(child.wait_with_output().unwrap());
            assert_eq!(run.status, 0, "{run:?}");
        }
        let tree = packages.tree();
        assert!(tree.contains_key(std::path::Path::new("new/far/down.yaml")));
        assert!(
            !tree
                .keys()
                .any(|path| path.to_string_lossy().contains(".merge3-"))
        );
    }
}

#[test]
fn the_lock_leaves_no_file() {
    let packages = Packages::varied();
    packages.run(&[]);
    let found = packages.tree();
    assert!(
        !found
            .keys()
            .any(|path| path.to_string_lossy().contains("merge3")),
        "{found:?}"
    );
}
