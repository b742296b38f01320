//! Upgrades during which something else happens: other upgrades, a folder that becomes a link, a
//! full disk.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::Instant;

use pretty_assertions::assert_eq;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::harness::{RunOutput, Workshop, files, merge3, web};
use crate::interrupted::{UPGRADE, assert_finished, fleet, packages};
use crate::moments::Moments;

/// Every run ends with a clear message, no commit has a part of an upgrade, and one more run
/// finishes all.
#[test]
fn twenty_upgrades_at_once() {
    let workshop = fleet();
    let children: Vec<_> = (0..20)
        .map(|_| {
            let mut command = Command::new(merge3());
            command.args(UPGRADE).current_dir(workshop.path("fleet"));
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            workshop.isolate(&mut command);
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let run = RunOutput::from(child.wait_with_output().unwrap());
        let is_clear = run.status == 0 || (run.status == 2 && run.stderr.contains("help: "));
        assert!(is_clear, "{run:?}");
        assert!(!run.stderr.contains("panicked"), "{run:?}");
    }
    workshop.merge3(&UPGRADE).exits(0);
    assert_finished(&workshop, "twenty at once");
    workshop.git("fleet", &["fsck", "--strict"]);
    let log = ["log", "--name-only", "--format=%s", "--grep", "^Upgrade "];
    let log = workshop.git("fleet", &log);
    let names = log.lines().filter(|line| line.starts_with('p'));
    // each commit has all files of its package, so each file occurs once
    assert_eq!(names.count(), 4 * packages(), "{log}");
}

/// A folder of the package becomes a link to another folder at any moment: the files in that folder
/// do not change.
#[test]
fn a_folder_that_becomes_a_link_meanwhile() {
    let workshop = Workshop::new();
    let release = |version: &str| {
        for number in 0..60 {
            let text = web(version, number);
            workshop.write(&format!("upstream/app/sub/w{number}.yaml"), &text);
        }
        workshop.write(
            &format!("upstream/app/sub/only-in-{version}.yaml"),
            "a: 1\n",
        );
        workshop.release(version, &[]);
    };
    release("v1.0.0");
    workshop.get("app@v1.0.0", "app");
    fs::remove_file(workshop.path("upstream/app/sub/only-in-v1.0.0.yaml")).unwrap();
    release("v1.1.0");
    workshop.merge3(&["upgrade", "app", "--dry-run"]).exits(0);
    let (sub, aside) = (workshop.path("fleet/app/sub"), workshop.path("aside"));
    // the other folder has the same names and contents, so that only the link protects it
    let elsewhere = workshop.path("elsewhere");
    crate::harness::copy(&sub, &elsewhere);
    let before = files(&elsewhere);
    let begun = Instant::now();
    let mut moments = Moments(0x9e37_79b9_7f4a_7c15);
    workshop.merge3(&["upgrade", "app"]).exits(0);
    let duration = begun.elapsed();
    let mut refused = 0;
    for round in 0..40 {
        workshop.git("fleet", &["reset", "-q", "--hard"]);
        workshop.git("fleet", &["clean", "-fdq"]);
        let mut command = Command::new(merge3());
        command
            .args(["upgrade", "app"])
            .current_dir(workshop.path("fleet"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        workshop.isolate(&mut command);
        let child = command.spawn().unwrap();
        std::thread::sleep(moments.next(duration));
        // in one step, because the upgrade may otherwise create the folder again in between
        symlink("../../elsewhere", &aside).unwrap();
        renameat_with(CWD, &sub, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
        let run = RunOutput::from(child.wait_with_output().unwrap());
        refused += usize::from(run.status == 2);
        assert!(!run.stderr.contains("panicked"), "{run:?}");
        assert_eq!(files(&elsewhere), before, "round {round}: {run:?}");
        if sub.is_symlink() {
            fs::remove_file(&sub).unwrap();
        } else {
            fs::remove_dir_all(&sub).unwrap();
        }
        fs::rename(&aside, &sub).unwrap();
        let _ = fs::remove_dir_all(workshop.path("fleet/.git/merge3"));
    }
    println!("refused {refused} of 40");
    assert!(refused > 0);
}

/// No file may be longer than 20 KiB: the upgrade of the package with a longer file fails and
/// writes nothing of it. Without the limit, the next run finishes the upgrade.
#[test]
fn a_file_that_has_no_room() {
    let workshop = Workshop::new();
    let long = format!("a: {}\n", "x".repeat(64 << 10));
    let small = [
        ("app/a.yaml", "a: 1\n"),
        ("app/b.yaml", "b: 1\n"),
        ("fine/a.yaml", "a: 1\n"),
    ];
    workshop.release("v1.0.0", &small);
    workshop.get("app@v1.0.0", "app");
    workshop.get("fine@v1.0.0", "fine");
    let large = [
        ("app/a.yaml", "a: 2\n"),
        ("app/b.yaml", &*long),
        ("app/new.yaml", "n: 1\n"),
        ("fine/a.yaml", "a: 2\n"),
    ];
    workshop.release("v1.1.0", &large);
    // fetches before the test starts
    workshop.merge3(&["upgrade", "--all", "--dry-run"]).exits(0);
    let before = files(&workshop.path("fleet/app"));
    let head = workshop.git("fleet", &["rev-parse", "HEAD"]);
    let mut command = Command::new("sh");
    // the limit is in blocks of 512 or 1024 bytes; its signal is ignored, so that writing fails as
    // on a full disk
    let script = "trap '' XFSZ; ulimit -f 20; exec \"$@\"";
    command.args(["-c", script, "sh", merge3()]).args(UPGRADE);
    command.current_dir(workshop.path("fleet"));
    let run = RunOutput::from(workshop.isolated(&mut command)).exits(2);
    run.says(&["app failed:", "b.yaml", "nothing was written"]);
    assert_eq!(files(&workshop.path("fleet/app")), before);
    assert_eq!(workshop.read("fleet/fine/a.yaml"), "a: 2\n");
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
    assert_ne!(workshop.git("fleet", &["rev-parse", "HEAD"]), head);
    workshop.merge3(&UPGRADE).exits(0);
    assert_eq!(workshop.read("fleet/app/b.yaml"), long);
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
}
