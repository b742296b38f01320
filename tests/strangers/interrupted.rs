//! `upgrade --all --commit` that is interrupted, or meets other processes in the repository: one
//! more run finishes it.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Workshop, merge3, web};
use crate::moments::Moments;

/// Returns the number of packages: 50 in `make soak`.
pub(crate) fn packages() -> usize {
    if soak().is_some() { 50 } else { 10 }
}

fn soak() -> Option<usize> {
    std::env::var("SOAK").ok()?.parse().ok()
}

pub(crate) fn times(short: usize) -> usize {
    soak().unwrap_or(short)
}

/// Creates packages of two files at v1.0.0, committed. v1.1.0 changes all files.
pub(crate) fn fleet() -> Workshop {
    let workshop = Workshop::new();
    let release = |tag: &str, image: &str| {
        let files: Vec<(String, String)> = (0..packages())
            .flat_map(|number| {
                let text = web(image, 1);
                let more = text.replace("web", "more");
                [
                    (format!("p{number}/web.yaml"), text),
                    (format!("p{number}/more.yaml"), more),
                ]
            })
            .collect();
        let mut files: Vec<(&str, &str)> = files.iter().map(|it| (&*it.0, &*it.1)).collect();
        let new: Vec<String> = (0..packages())
            .map(|it| format!("p{it}/new.yaml"))
            .collect();
        if tag != "v1.0.0" {
            files.extend(new.iter().map(|path| (path.as_str(), "new: 1\n")));
        }
        workshop.release(tag, &files);
    };
    release("v1.0.0", "1.0");
    workshop.get("p0@v1.0.0", "p0");
    let record = workshop.read("fleet/p0/.merge3.yaml");
    for number in 1..packages() {
        for name in ["web.yaml", "more.yaml"] {
            let text = workshop.read(&format!("fleet/p0/{name}"));
            workshop.write(&format!("fleet/p{number}/{name}"), &text);
        }
        let record = record.replace("directory: p0", &format!("directory: p{number}"));
        workshop.write(&format!("fleet/p{number}/.merge3.yaml"), &record);
    }
    workshop.save("vendor");
    release("v1.1.0", "1.1");
    // fetches before the test starts
    workshop.merge3(&["upgrade", "--all", "--dry-run"]).exits(0);
    copy(&workshop, "fleet", "before");
    workshop
}

/// Replaces a folder by a copy of another one.
fn copy(workshop: &Workshop, from: &str, to: &str) {
    let _ = fs::remove_dir_all(workshop.path(to));
    let mut command = Command::new("cp");
    command
        .arg("-a")
        .arg(workshop.path(from))
        .arg(workshop.path(to));
    assert!(command.status().unwrap().success());
}

pub(crate) const UPGRADE: [&str; 3] = ["upgrade", "--all", "--commit"];

pub(crate) fn start(workshop: &Workshop, arguments: &[&str]) -> Child {
    let mut command = Command::new(merge3());
    if cfg!(target_os = "linux") {
        // a child process inherits ignored signals, for instance if `nohup` started the tests
        command = Command::new("env");
        command.args(["--default-signal=HUP,INT,TERM", merge3()]);
    }
    command.args(arguments).current_dir(workshop.path("fleet"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    workshop.isolate(&mut command);
    command.spawn().unwrap()
}

/// Asserts that everything is upgraded and committed, with one commit for each package.
#[track_caller]
pub(crate) fn assert_finished(workshop: &Workshop, what: &str) {
    let status = workshop.git("fleet", &["status", "--porcelain"]);
    assert_eq!(status, "", "{what}");
    for number in 0..packages() {
        for name in ["web.yaml", "more.yaml"] {
            let name = format!("fleet/p{number}/{name}");
            assert!(workshop.read(&name).contains(":1.1"), "{what}: {name}");
        }
        let record = workshop.read(&format!("fleet/p{number}/.merge3.yaml"));
        assert!(record.contains("v1.1.0"), "{what}: {number}");
    }
    let log = workshop.git("fleet", &["log", "--format=%s"]);
    let count = log
        .lines()
        .filter(|line| line.starts_with("Upgrade "))
        .count();
    assert!(count <= packages(), "{what}:\n{log}");
    let left = fs::read_dir(workshop.path("fleet/.git/merge3")).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{what}");
}

/// Returns the number of packages that are written, and how many of these are committed.
fn written_and_committed(workshop: &Workshop) -> (usize, usize) {
    let written = |number: &usize| {
        let record = workshop.read(&format!("fleet/p{number}/.merge3.yaml"));
        record.contains("v1.1.0")
    };
    let log = workshop.git("fleet", &["log", "--format=%s"]);
    let committed = log.lines().filter(|line| line.starts_with("Upgrade "));
    ((0..packages()).filter(written).count(), committed.count())
}

#[test]
fn an_upgrade_that_is_killed_is_committed_by_the_next_run() {
    let workshop = fleet();
    let begun = Instant::now();
    workshop.merge3(&UPGRADE).exits(0);
    let duration = begun.elapsed();
    assert_finished(&workshop, "undisturbed");
    let mut moments = Moments(0x9e37_79b9_7f4a_7c15);
    let (mut before, mut between, mut after) = (0, 0, 0);
    let mut round = 0;
    while round < times(8) || (between == 0 && round < 80) {
        round += 1;
        copy(&workshop, "before", "fleet");
        let mut child = start(&workshop, &UPGRADE);
        std::thread::sleep(moments.next(duration));
        child.kill().unwrap();
        child.wait().unwrap();
        match written_and_committed(&workshop) {
            (0, _) => before += 1,
            (_, committed) if committed == packages() => after += 1,
            _ => between += 1,
        }
        let run = workshop.merge3(&UPGRADE);
        assert_eq!(run.status, 0, "round {round}: {run:?}");
        assert_finished(&workshop, &format!("round {round}: {run:?}"));
    }
    println!("killed {round} times: {before} before, {between} in between, {after} after");
    assert!(between > 0, "{before} before, {after} after");
}

/// Commits in the same repository until `stop` is set. Returns the number of commits.
fn commit_repeatedly(workshop: &Workshop, stop: &AtomicBool) -> usize {
    let mut commits = 0;
    while !stop.load(Ordering::SeqCst) {
        workshop.write("fleet/notes", &format!("{commits}\n"));
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(arguments).current_dir(workshop.path("fleet"));
            workshop.isolated(&mut command).status.success()
        };
        if git(&["add", "notes"]) && git(&["commit", "-q", "-m", "notes", "--", "notes"]) {
            commits += 1;
        }
    }
    // commits what the loop may have left
    workshop.git("fleet", &["add", "notes"]);
    workshop.git("fleet", &["commit", "-q", "--allow-empty", "-m", "notes"]);
    commits
}

#[test]
fn beside_another_committer_everything_is_committed() {
    let workshop = fleet();
    for round in 0..times(2) {
        copy(&workshop, "before", "fleet");
        let stop = AtomicBool::new(false);
        let (run, commits) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| commit_repeatedly(&workshop, &stop));
            let run = workshop.merge3(&UPGRADE);
            stop.store(true, Ordering::SeqCst);
            (run, beside.join().unwrap())
        });
        assert!(commits > 0, "the other process made no commit");
        if soak().is_none() {
            assert_eq!(run.status, 0, "{run:?}");
        }
        let run = workshop.merge3(&UPGRADE);
        assert_eq!(run.status, 0, "round {round}: {run:?}");
        assert_finished(&workshop, &format!("round {round}"));
    }
}

/// Does what `git commit PATH` may do: writes back an index that it read before it had the lock.
/// Removes new files from the index in this way, up to `times` times.
fn remove_from_index(workshop: &Workshop, times: usize, stop: &AtomicBool) -> usize {
    let index = workshop.path("fleet/.git/index");
    let lock = workshop.path("fleet/.git/index.lock");
    let before = fs::read(&index).unwrap();
    let mut removed = 0;
    while removed < times && !stop.load(Ordering::SeqCst) {
        let now = fs::read(&index).unwrap();
        let is_added = now.windows(9).any(|part| part == b"/new.yaml");
        if !is_added {
            std::thread::sleep(Duration::from_micros(100));
            continue;
        }
        // creating the lock file takes the lock
        if let Ok(mut file) = fs::File::create_new(&lock) {
            std::io::Write::write_all(&mut file, &before).unwrap();
            fs::rename(&lock, &index).unwrap();
            removed += 1;
        }
    }
    removed
}

#[test]
fn an_index_that_another_process_writes_back_is_put_right() {
    let workshop = fleet();
    for times in [1, 2, 5, 12] {
        copy(&workshop, "before", "fleet");
        let stop = AtomicBool::new(false);
        let (run, removed) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| remove_from_index(&workshop, times, &stop));
            let run = workshop.merge3(&UPGRADE);
            stop.store(true, Ordering::SeqCst);
            (run, beside.join().unwrap())
        });
        assert!(removed > 0, "the other process made no commit");
        assert_eq!(run.status, 0, "{run:?}");
        assert_finished(&workshop, &format!("{removed} times"));
    }
    // without a limit: the run reports the problem, and the next run finishes the upgrade
    copy(&workshop, "before", "fleet");
    let stop = AtomicBool::new(false);
    let run = std::thread::scope(|scope| {
        scope.spawn(|| remove_from_index(&workshop, usize::MAX, &stop));
        let run = workshop.merge3(&UPGRADE);
        stop.store(true, Ordering::SeqCst);
        run
    });
    run.exits(2)
        .says(&["another process takes files of it out of the index"]);
    workshop.merge3(&UPGRADE).exits(0);
    assert_finished(&workshop, "without end");
}

#[test]
fn a_lock_of_another_process_is_waited_for() {
    let workshop = Workshop::with_app();
    let lock = workshop.path("fleet/.git/index.lock");
    fs::write(&lock, "").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(2));
            fs::remove_file(&lock).unwrap();
        });
        workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    });
    let log = workshop.git("fleet", &["log", "-1", "--format=%s"]);
    assert_eq!(log, "Upgrade app from v1.0.0 to v1.1.0\n");
}

#[test]
fn a_lock_that_nobody_holds_is_named_and_the_next_run_commits() {
    let workshop = Workshop::with_app();
    let lock = workshop.path("fleet/.git/index.lock");
    fs::write(&lock, "").unwrap();
    let begun = Instant::now();
    let run = workshop.merge3(&["upgrade", "app", "--commit"]).exits(2);
    assert!(begun.elapsed() < Duration::from_secs(60));
    run.says(&["index.lock", "delete the lock file"]);
    // other commands report the unfinished upgrade
    for looking in [&["outdated"][..], &["upgrade", "app", "--dry-run"]] {
        let run = workshop.merge3(looking).exits(2);
        run.says(&["an earlier run upgraded it, and that is not committed"]);
    }
    fs::remove_file(&lock).unwrap();
    let report = workshop.merge3(&["upgrade", "app", "--commit", "--report", "json"]);
    let report = report.exits(0).json();
    let head = workshop.git("fleet", &["rev-parse", "HEAD"]);
    assert_eq!(report["packages"][0]["commit"], head.trim());
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
    workshop.merge3(&["outdated"]).exits(0);
}

#[test]
fn what_was_changed_or_committed_by_hand_since_is_respected() {
    let unfinished = || {
        let workshop = Workshop::with_app();
        let hook = workshop.path("fleet/.git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&hook, executable).unwrap();
        workshop.merge3(&["upgrade", "app", "--commit"]).exits(2);
        fs::remove_file(hook).unwrap();
        assert!(workshop.read("fleet/app/web.yaml").contains("web:1.1"));
        workshop
    };
    // edited by hand, and not committed
    let workshop = unfinished();
    workshop.edit("fleet/app/web.yaml", "replicas: 1", "replicas: 5");
    let edited = workshop.files("fleet");
    let run = workshop.merge3(&["upgrade", "app", "--commit"]).exits(2);
    run.says(&["web.yaml was changed since", "commit it by hand"]);
    assert_eq!(workshop.files("fleet"), edited);
    // edited by hand, and committed
    workshop.save("by hand");
    workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    assert_eq!(workshop.files("fleet"), edited);
    // reverted
    let workshop = unfinished();
    workshop.git("fleet", &["reset", "-q", "--hard"]);
    workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
    assert!(workshop.read("fleet/app/web.yaml").contains("web:1.1"));
    // upstream has a new release in the meantime
    let workshop = unfinished();
    workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
    workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    let log = workshop.git("fleet", &["log", "-1", "--format=%s"]);
    assert_eq!(log, "Upgrade app from v1.0.0 to v1.2.0\n");
    assert_eq!(workshop.git("fleet", &["status", "--porcelain"]), "");
}

#[test]
fn a_hangup_stops_an_upgrade_like_any_signal() {
    let workshop = fleet();
    let begun = Instant::now();
    workshop.merge3(&UPGRADE).exits(0);
    let duration = begun.elapsed();
    let mut moments = Moments(0x2545_f491_4f6c_dd1d);
    let mut heeded = 0;
    let mut round = 0;
    while round < times(4) || (heeded == 0 && round < 40) {
        round += 1;
        copy(&workshop, "before", "fleet");
        let mut child = start(&workshop, &UPGRADE);
        std::thread::sleep(moments.next(duration));
        kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
        heeded += usize::from(child.wait().unwrap().code() == Some(129));
        let run = workshop.merge3(&UPGRADE);
        assert_eq!(run.status, 0, "round {round}: {run:?}");
        assert_finished(&workshop, &format!("round {round}"));
    }
    assert!(heeded > 0);
}
