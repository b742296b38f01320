//! If the creation of the cache was interrupted, the next run creates it again.

use std::fs;
use std::path::Path;
use std::time::Instant;

use pretty_assertions::assert_eq;

use crate::harness::Workshop;
use crate::interrupted::{start, times};
use crate::moments::Moments;

#[test]
fn a_killed_creation_of_the_cache_is_repeated() {
    let workshop = Workshop::with_app();
    let cache = workshop.path("cache/merge3/git");
    let stores = || -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(&cache).unwrap();
        let entries = entries.map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let spoil: [&dyn Fn(&Path); 5] = [
        // states that a killed run may leave
        &|store| fs::write(store.join("config.lock"), "").unwrap(),
        &|store| fs::write(store.join("config"), "[core").unwrap(),
        &|store| fs::remove_file(store.join("HEAD")).unwrap(),
        &|store| {
            fs::remove_dir_all(store).unwrap();
            fs::create_dir(store).unwrap();
        },
        &|store| {
            fs::remove_dir_all(store).unwrap();
            fs::write(store, "").unwrap_or_default();
            fs::remove_file(store).unwrap();
        },
    ];
    for (number, spoil) in spoil.iter().enumerate() {
        for store in stores() {
            let ready = store.join("merge3-ready");
            if ready.exists() {
                fs::remove_file(ready).unwrap();
            }
            spoil(&store);
        }
        let run = workshop.merge3(&["upgrade", "app", "--dry-run"]);
        assert_eq!(run.status, 0, "{number}: {run:?}");
        assert!(!stores().is_empty());
    }
}

/// Kills runs at any moment of the creation of the cache.
#[test]
fn a_cache_that_is_made_by_runs_that_are_killed_is_whole_in_the_end() {
    let workshop = Workshop::with_app();
    let begun = Instant::now();
    workshop.merge3(&["upgrade", "app", "--dry-run"]).exits(0);
    let duration = begun.elapsed();
    let mut moments = Moments(0x9e37_79b9_7f4a_7c15);
    for round in 0..times(8) {
        fs::remove_dir_all(workshop.path("cache")).unwrap();
        let mut child = start(&workshop, &["upgrade", "app", "--dry-run"]);
        std::thread::sleep(moments.next(duration));
        child.kill().unwrap();
        child.wait().unwrap();
        let run = workshop.merge3(&["upgrade", "app", "--dry-run"]);
        assert_eq!(run.status, 0, "round {round}: {run:?}");
    }
}
