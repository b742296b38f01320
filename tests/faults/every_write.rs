//! Lets each disk operation of a run fail in turn: the disk fails, the process ends, or a signal
//! arrives.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use merge3::error::Error;
use merge3::merge::OnConflict;
use merge3::package::{Disk, Plan, RealDisk, Settings, plan};
use pretty_assertions::assert_eq;

use crate::harness::{Entry, Packages, RunOutput, Tree, assert_no_partial_file, journals};

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call fails because the disk is full.
    Fails,
    /// The process ends during the call: no further call has an effect.
    Ends,
    /// From this call on, the run is asked to stop.
    Stops,
}

/// A disk with one fault.
pub(crate) struct FaultyDisk {
    fault: Fault,
    at: usize,
    calls: AtomicUsize,
}

impl FaultyDisk {
    pub(crate) const fn new(fault: Fault, at: usize) -> Self {
        Self {
            fault,
            at,
            calls: AtomicUsize::new(0),
        }
    }

    /// Returns the number of calls.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Carries out the next call, or the part of it that the fault allows.
    fn call<T>(&self, whole: impl FnOnce() -> io::Result<T>, part: impl FnOnce()) -> io::Result<T> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            Fault::Fails if call == self.at => {
                part();
                Err(io::ErrorKind::StorageFull.into())
            }
            Fault::Ends if call >= self.at => {
                if call == self.at {
                    part();
                }
                Err(io::Error::other("the process has ended"))
            }
            _ => whole(),
        }
    }
}

impl Disk for FaultyDisk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.call(|| RealDisk.create_folder(path), || ())
    }

    fn create_file(&self, path: &Path) -> io::Result<File> {
        self.call(|| RealDisk.create_file(path), || ())
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        let mut partly = file.try_clone()?;
        let half = || partly.write_all(&bytes[..bytes.len() / 2]).unwrap();
        self.call(|| RealDisk.write(file, bytes), half)
    }

    fn set_permissions(&self, file: &File, permissions: Permissions) -> io::Result<()> {
        self.call(|| RealDisk.set_permissions(file, permissions), || ())
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.call(|| RealDisk.sync(file), || ())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(|| RealDisk.rename(from, to), || ())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call(|| RealDisk.remove_file(path), || ())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call(|| RealDisk.remove_folder(path), || ())
    }

    fn is_stopped(&self) -> bool {
        self.fault == Fault::Stops && self.calls.load(Ordering::SeqCst) >= self.at
    }
}

/// Packages, with the result and the output of an undisturbed run.
struct Undisturbed {
    packages: Packages,
    before: Tree,
    after: Tree,
    output_of: RunOutput,
}

impl Undisturbed {
    fn new(packages: Packages, arguments: &[&str]) -> Self {
        let before = packages.tree();
        let merged = packages.copy();
        let output_of = output_of(&merged, arguments);
        let after = merged.tree();
        assert_ne!(before, after);
        Self {
            packages,
            before,
            after,
            output_of,
        }
    }
}

/// Returns the output of a run without the path of the packages.
fn output_of(packages: &Packages, arguments: &[&str]) -> RunOutput {
    let mut run = packages.run(arguments);
    let folder = packages.path("").display().to_string();
    run.stdout = run.stdout.replace(&folder, "");
    run.stderr = run.stderr.replace(&folder, "");
    run
}

fn planned(packages: &Packages) -> Plan {
    plan(&packages.sides(), &Settings::default()).unwrap()
}

/// Returns the number of calls in an undisturbed run.
fn calls(packages: &Packages, durable: bool) -> usize {
    let disk = FaultyDisk::new(Fault::Fails, usize::MAX);
    planned(&packages.copy()).write_to(&disk, durable).unwrap();
    disk.calls()
}

#[test]
fn a_call_that_fails_leaves_the_package_as_it_was() {
    let case = Undisturbed::new(Packages::varied(), &[]);
    let calls = calls(&case.packages, true);
    assert!(calls > 50, "{calls}");
    let mut failed = 0;
    for at in 0..calls {
        let packages = case.packages.copy();
        let disk = FaultyDisk::new(Fault::Fails, at);
        match planned(&packages).write_to(&disk, true) {
            // a folder that cannot be deleted is not an error
            Ok(()) => assert_eq!(
                files(packages.tree()),
                files(case.after.clone()),
                "call {at}"
            ),
            Err(error) => {
                failed += 1;
                assert!(
                    matches!(error, Error::Write { written: 0, .. }),
                    "{error:?}"
                );
                assert_eq!(packages.tree(), case.before, "call {at}: {error}");
            }
        }
    }
    // all other calls that fail are errors
    assert!(failed > calls * 3 / 4, "{failed} of {calls}");
}

#[test]
fn a_run_that_ends_in_any_call_is_made_good_by_the_next() {
    let case = Undisturbed::new(Packages::varied(), &[]);
    let calls = calls(&case.packages, true);
    let mut half = 0;
    for at in 0..calls {
        let packages = case.packages.copy();
        let disk = FaultyDisk::new(Fault::Ends, at);
        // at most, an empty folder is missing after a run that ended here
        let _ = planned(&packages).write_to(&disk, true);
        let now = packages.tree();
        assert_no_partial_file(&now, &case.before, &case.after);
        half += usize::from(now != case.before && now != case.after);
        let run = output_of(&packages, &[]);
        assert_eq!(packages.tree(), case.after, "call {at}: {run:?}");
        assert_eq!(run, case.output_of, "call {at}");
    }
    assert!(half > calls / 2, "{half} of {calls}");
}

#[test]
fn a_run_that_ends_during_a_rollback_is_recovered_too() {
    let case = Undisturbed::new(Packages::varied(), &[]);
    let calls = calls(&case.packages, false);
    // a failure during the renames, and the end of the process some calls later
    for (at, later) in [
        (calls / 2, 1),
        (calls / 2, 5),
        (calls * 2 / 3, 3),
        (calls * 3 / 4, 9),
    ] {
        let packages = case.packages.copy();
        let disk = FailsThenEnds {
            fails: FaultyDisk::new(Fault::Fails, at),
            ends: FaultyDisk::new(Fault::Ends, at + later),
        };
        planned(&packages).write_to(&disk, false).unwrap_err();
        assert_no_partial_file(&packages.tree(), &case.before, &case.after);
        assert_eq!(output_of(&packages, &[]), case.output_of);
        assert_eq!(packages.tree(), case.after);
    }
}

/// A disk with two faults, one after the other.
struct FailsThenEnds {
    fails: FaultyDisk,
    ends: FaultyDisk,
}

impl FailsThenEnds {
    fn call<T>(&self, whole: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.fails
            .call(|| Ok(()), || ())
            .and(self.ends.call(|| Ok(()), || ()))
            .and_then(|()| whole())
    }
}

impl Disk for FailsThenEnds {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.call(|| RealDisk.create_folder(path))
    }

    fn create_file(&self, path: &Path) -> io::Result<File> {
        self.call(|| RealDisk.create_file(path))
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        self.call(|| RealDisk.write(file, bytes))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(|| RealDisk.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call(|| RealDisk.remove_file(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call(|| RealDisk.remove_folder(path))
    }
}

#[test]
fn a_run_that_is_stopped_leaves_the_package_as_it_was() {
    let case = Undisturbed::new(Packages::varied(), &[]);
    let calls = calls(&case.packages, true);
    let mut stopped = 0;
    for at in 0..calls {
        let packages = case.packages.copy();
        match planned(&packages).write_to(&FaultyDisk::new(Fault::Stops, at), true) {
            Ok(()) => assert_eq!(packages.tree(), case.after, "call {at}"),
            Err(error) => {
                stopped += 1;
                assert!(matches!(error, Error::Stopped { written: 0 }), "{error:?}");
                assert_eq!(packages.tree(), case.before, "call {at}");
            }
        }
    }
    assert!(stopped > calls / 2, "{stopped} of {calls}");
}

/// A half merged package has conflict markers, which are not YAML; the next run must recover from
/// that.
#[test]
fn conflict_markers_do_not_stand_in_the_way_of_the_next_run() {
    let arguments = ["--on-conflict", "markers", "-Lours", "-Lbase", "-Ltheirs"];
    let case = Undisturbed::new(Packages::varied(), &arguments);
    let packages = case.packages.copy();
    let mut settings = Settings::default();
    settings.merge.on_conflict = OnConflict::Markers;
    let is_marked = |tree: Tree| {
        let Some(Entry::File(_, text)) = tree.get(Path::new("a.yaml")) else {
            return false;
        };
        text.contains("<<<<<<<")
    };
    let mut at = 0;
    while !is_marked(packages.tree()) {
        packages.restore(&case.packages);
        let plan = plan(&packages.sides(), &settings).unwrap();
        let _ = plan.write_to(&FaultyDisk::new(Fault::Ends, at), false);
        at += 1;
    }
    assert_ne!(packages.tree(), case.after);
    assert_eq!(output_of(&packages, &arguments), case.output_of);
    assert_eq!(packages.tree(), case.after);
}

/// Returns the packages of a run that ended after some files were written.
fn half_merged(packages: &Packages) -> Packages {
    let script = Entry::File(0o750, "echo 2\n".to_owned());
    run_until(packages, |tree| {
        tree.get(Path::new("run.sh")) == Some(&script)
    })
}

/// Returns the packages of a run that ended as soon as the local package met the condition.
fn run_until(packages: &Packages, condition: impl Fn(&Tree) -> bool) -> Packages {
    for at in 0..calls(packages, false) {
        let packages = packages.copy();
        let _ = planned(&packages).write_to(&FaultyDisk::new(Fault::Ends, at), false);
        let tree = packages.tree();
        if condition(&tree) {
            assert_eq!(journals(&packages.path("")).len(), 1);
            return packages;
        }
    }
    panic!("no run met the condition");
}

/// Removes the folders from a tree.
fn files(mut tree: Tree) -> Tree {
    tree.retain(|_, standing| *standing != Entry::Folder);
    tree
}

#[test]
fn dry_runs_report_a_half_merged_package() {
    for option in ["--dry-run", "--diff", "--check"] {
        half_merged(&Packages::varied()).fails_with(
            &[option],
            &[
                "local is half merged: a run of this merge did not finish",
                "help: nothing was written; run the merge itself",
            ],
        );
    }
}

#[test]
fn another_merge_does_not_touch_a_half_merged_package() {
    let packages = half_merged(&Packages::varied());
    fs::write(packages.path("updated/a.yaml"), "a: 5\n").unwrap();
    packages.fails_with(
        &[],
        &[
            "a run of another merge did not finish",
            "run that merge again to finish it, or keep the package as it is now: rm ",
            "/old",
        ],
    );
    // follows the advice in the message
    let journal = journals(&packages.path("")).remove(0);
    fs::remove_file(journal.with_file_name("old")).unwrap();
    assert_eq!(packages.run(&["--yaml-only"]).status, 0);
    let left = packages.tree();
    assert!(
        !left
            .keys()
            .any(|path| path.to_string_lossy().contains(".merge3-")),
        "{left:?}"
    );
}

#[test]
fn what_was_changed_after_the_kill_is_not_taken_back() {
    let packages = half_merged(&Packages::varied());
    fs::write(packages.path("local/run.sh"), "echo mine\n").unwrap();
    packages.fails_with(
        &[],
        &[
            "local/run.sh was changed by a run that was killed, and again since",
            "git checkout",
        ],
    );
}

/// A journal inside a package, as earlier versions wrote it, is a file like any other.
#[test]
fn a_journal_from_elsewhere_does_no_harm() {
    for (content, path) in [
        ("nothing of the kind", "a.yaml"),
        (
            "merge3 journal 1\nmerge 0\nfile 9 644 2 - -\n../../xx\nx\nend 0\n",
            "xx",
        ),
    ] {
        let packages = Packages::varied();
        let merged = packages.copy();
        assert_eq!(merged.run(&[]).status, 0);
        fs::write(packages.path(path), "precious\n").unwrap();
        fs::write(packages.path("local/.merge3-journal"), content).unwrap();
        fs::write(packages.path("updated/.merge3-journal"), "upstream's").unwrap();
        let run = packages.run(&[]);
        assert_eq!(run.status, 0);
        assert!(
            run.stderr.contains("upstream's file is left out"),
            "{run:?}"
        );
        assert_eq!(
            fs::read_to_string(packages.path(path)).unwrap(),
            "precious\n"
        );
        let mut now = packages.tree();
        let Some(Entry::File(_, kept)) = now.remove(Path::new(".merge3-journal")) else {
            panic!("the local file is gone");
        };
        assert_eq!(kept, content);
        assert_eq!(now, merged.tree());
    }
}

#[test]
fn a_file_in_the_place_of_a_temporary_one_is_not_written_to() {
    let case = Undisturbed::new(Packages::varied(), &[]);
    let is_staged = |path: &&PathBuf| {
        path.to_string_lossy().starts_with(".merge3-") && path.extension().is_some()
    };
    let packages = run_until(&case.packages, |tree| {
        tree.keys().any(|path| is_staged(&path))
    });
    let staged = packages.tree().keys().find(is_staged).unwrap().clone();
    // somebody who guesses its name puts a link to another file there
    let precious = packages.path("precious");
    fs::write(&precious, "precious\n").unwrap();
    fs::remove_file(packages.local().join(&staged)).unwrap();
    std::os::unix::fs::symlink(&precious, packages.local().join(&staged)).unwrap();
    assert_eq!(output_of(&packages, &[]), case.output_of);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious\n");
    assert_eq!(packages.tree(), case.after);
}

/// The name alone does not make a file one of merge3's own.
#[test]
fn a_local_file_with_the_name_of_a_temporary_one_stays() {
    let notes = [".merge3-notes.tmp", "ours/.merge3-0123456789abcdef-0.tmp"];
    let packages = Packages::varied();
    for name in notes {
        fs::write(packages.path("local").join(name), "mine\n").unwrap();
    }
    for packages in [packages.copy(), half_merged(&packages)] {
        assert_eq!(packages.run(&[]).status, 0);
        let tree = packages.tree();
        for name in notes {
            let kept = tree.get(Path::new(name));
            let is_kept = matches!(kept, Some(Entry::File(_, text)) if text == "mine\n");
            assert!(is_kept, "{name}: {kept:?}");
        }
        let ours = tree
            .keys()
            .filter(|it| it.to_string_lossy().contains(".merge3-"));
        assert_eq!(ours.count(), notes.len(), "{tree:?}");
        assert!(journals(&packages.path("")).is_empty());
    }
}
