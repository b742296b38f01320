//! Tests upgrades after a killed one and beside a running one.

use std::fs::File;

use merge3::package::{Settings, plan};
use merge3::triple::Triple;
use pretty_assertions::assert_eq;

use crate::crashing_disk::CrashingDisk;
use crate::harness::{Workshop, copy, web};

/// Creates a package of two files that both change, and upstream's two versions of it as folders.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    for (tag, image) in [("v1.0.0", "1.0"), ("v1.1.0", "1.1")] {
        let text = web(image, 1);
        workshop.release(
            tag,
            &[
                ("app/web.yaml", &text),
                ("app/more.yaml", &text.replace("web", "more")),
            ],
        );
        workshop.write(&format!("{tag}/web.yaml"), &text);
        workshop.write(&format!("{tag}/more.yaml"), &text.replace("web", "more"));
        if tag == "v1.0.0" {
            workshop.get("app@v1.0.0", "app");
        }
    }
    workshop
}

/// Returns the number of runs that left a journal.
fn journals(workshop: &Workshop) -> usize {
    let runs = std::fs::read_dir(workshop.path("fleet/.git/merge3")).unwrap();
    runs.count()
}

#[test]
fn an_upgrade_that_was_killed_is_made_good_by_the_next() {
    let undisturbed = workshop();
    undisturbed.merge3(&["upgrade", "app"]).exits(0);
    let workshop = workshop();
    let sides = Triple::new("v1.0.0", "v1.1.0", "fleet/app").map(|name| workshop.path(name));
    let merge = plan(&sides, &Settings::default()).unwrap();
    assert!(merge.write_to(&CrashingDisk::default(), false).is_err());
    assert_eq!(journals(&workshop), 1);
    let half = workshop.files("fleet");
    workshop
        .merge3(&["upgrade", "app", "--dry-run"])
        .exits(2)
        .says(&["help: "]);
    assert_eq!(workshop.files("fleet"), half);
    workshop.merge3(&["upgrade", "app"]).exits(0);
    assert_eq!(journals(&workshop), 0);
    for name in ["web.yaml", "more.yaml"] {
        let name = format!("fleet/app/{name}");
        assert_eq!(workshop.read(&name), undisturbed.read(&name));
    }
    assert!(workshop.read("fleet/app/.merge3.yaml").contains("v1.1.0"));
}

#[test]
fn the_record_of_an_upgrade_that_was_killed_before_it_comes_with_the_next() {
    let workshop = workshop();
    let sides = Triple::new("v1.0.0", "v1.1.0", "fleet/app").map(|name| workshop.path(name));
    let merge = plan(&sides, &Settings::default()).unwrap();
    merge.write(false).unwrap();
    assert!(workshop.read("fleet/app/.merge3.yaml").contains("v1.0.0"));
    let merged = workshop.read("fleet/app/web.yaml");
    workshop
        .merge3(&["upgrade", "app", "--allow-dirty"])
        .exits(0);
    assert!(workshop.read("fleet/app/.merge3.yaml").contains("v1.1.0"));
    assert_eq!(workshop.read("fleet/app/web.yaml"), merged);
}

#[test]
fn an_upgrade_waits_for_another_run() {
    let workshop = workshop();
    let folder = File::open(workshop.path("fleet/app")).unwrap();
    folder.lock().unwrap();
    let unlocked = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(1500));
        folder.unlock().unwrap();
    });
    let run = workshop.merge3(&["upgrade", "app"]).exits(0);
    run.says(&["waiting for another run of merge3 at app"]);
    unlocked.join().unwrap();
}

#[test]
fn the_temporary_folder_of_a_killed_get_is_no_package() {
    let workshop = workshop();
    let temporary = workshop.path("fleet/.merge3-abc.tmp");
    std::fs::create_dir(&temporary).unwrap();
    copy(&workshop.path("fleet/app"), &temporary.join("package"));
    let run = workshop.merge3(&["outdated"]).exits(0);
    assert_eq!(run.stdout.lines().count(), 2, "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn get_leaves_nothing_behind_if_a_signal_stops_it() {
    use std::process::{Command, Stdio};

    use crate::harness::merge3;
    use rustix::process::{Pid, Signal, kill_process};

    let workshop = Workshop::new();
    let text = web("1.0", 1);
    let names: Vec<String> = (0..4000).map(|at| format!("app/{at}.yaml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|it| (&**it, &*text)).collect();
    workshop.release("v1.0.0", &files);
    let address = format!("{}/app", workshop.url());
    let is_temporary = |name: &str| name.starts_with(".merge3-");
    let left = || {
        let entries = std::fs::read_dir(workshop.path("fleet")).unwrap();
        let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != ".git").collect::<Vec<_>>()
    };
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut get = Command::new(merge3());
        get.args(["get", &address, "app"]);
        get.current_dir(workshop.path("fleet"))
            .stderr(Stdio::null());
        workshop.isolate(&mut get);
        let mut child = get.spawn().unwrap();
        while !left().iter().any(|name| is_temporary(name)) {
            assert_eq!(
                child.try_wait().unwrap(),
                None,
                "it ended before the signal"
            );
            std::thread::yield_now();
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert_eq!(left(), [""; 0]);
    }
}
