//! Tests `--output FOLDER`: the next run completes an interrupted one, and files that belong to
//! others stay.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use merge3::error::Error;
use merge3::package::{Plan, Settings, plan};
use pretty_assertions::assert_eq;

use crate::every_write::{Fault, FaultyDisk};
use crate::harness::{Entry, Packages, RunOutput, Tree, times, tree};
use crate::moments::Moments;

/// The file that marks an output folder as incomplete.
const UNFINISHED: &str = ".merge3-output";

/// Packages, an output folder, and the result of an undisturbed run.
struct Case {
    packages: Packages,
    before: Tree,
    expected: Tree,
}

impl Case {
    fn new(packages: Packages) -> Self {
        std::os::unix::fs::symlink("a.yaml", packages.path("local/link")).unwrap();
        let merged = packages.copy();
        assert_eq!(merged.run(&[]).status, 0);
        Self {
            before: packages.tree(),
            expected: merged.tree(),
            packages,
        }
    }

    fn output_folder(&self) -> PathBuf {
        self.packages.path("in/result")
    }

    fn run(&self) -> RunOutput {
        let output_folder = self.output_folder();
        self.packages
            .run(&["--output", output_folder.to_str().unwrap()])
    }

    /// Writes the result to a disk with a fault.
    fn write(&self, disk: &FaultyDisk) -> Result<(), Error> {
        let plan: Result<Plan, Error> = plan(&self.packages.sides(), &Settings::default());
        plan?.write_copy(disk, &self.output_folder(), true)
    }

    /// Runs, and asserts the whole result.
    fn assert_complete(&self, what: &str) {
        let run = self.run();
        assert_eq!(run.status, 0, "{what}: {run:?}");
        assert_eq!(tree(&self.output_folder()), self.expected, "{what}");
        assert_eq!(self.packages.tree(), self.before, "{what}");
        self.clear();
    }

    fn clear(&self) {
        let _ = fs::remove_dir_all(self.packages.path("in"));
    }

    fn calls(&self) -> usize {
        let disk = FaultyDisk::new(Fault::Fails, usize::MAX);
        self.write(&disk).unwrap();
        assert_eq!(tree(&self.output_folder()), self.expected);
        self.clear();
        disk.calls()
    }
}

#[test]
fn a_call_that_fails_leaves_no_result() {
    let case = Case::new(Packages::varied());
    let calls = case.calls();
    assert!(calls > 80, "{calls}");
    let mut failed = 0;
    for at in 0..calls {
        match case.write(&FaultyDisk::new(Fault::Fails, at)) {
            // a folder of the copy that cannot be deleted is not an error
            Ok(()) => assert!(!case.output_folder().join(UNFINISHED).exists()),
            Err(error) => {
                failed += 1;
                let is_known = matches!(error, Error::Write { written: 0, .. });
                assert!(is_known, "call {at}: {error:?}");
                assert!(!case.packages.path("in").exists(), "call {at}: {error}");
            }
        }
        assert_eq!(case.packages.tree(), case.before, "call {at}");
        case.clear();
    }
    assert!(failed > calls * 3 / 4, "{failed} of {calls}");
}

#[test]
fn a_run_that_ends_in_any_call_is_made_good_by_the_next() {
    let case = Case::new(Packages::varied());
    let mut half = 0;
    let calls = case.calls();
    for at in 0..calls {
        let _ = case.write(&FaultyDisk::new(Fault::Ends, at));
        let is_unfinished = case.output_folder().join(UNFINISHED).exists();
        half += usize::from(is_unfinished);
        if !is_unfinished && case.output_folder().exists() {
            let now = tree(&case.output_folder());
            assert!(now.is_empty() || now == case.expected, "call {at}: {now:?}");
            case.clear();
        }
        case.assert_complete(&format!("call {at}"));
    }
    assert!(half > calls * 3 / 4, "{half} of {calls}");
}

#[test]
fn a_run_that_is_stopped_leaves_no_result() {
    let case = Case::new(Packages::varied());
    let mut stopped = 0;
    for at in 0..case.calls() {
        match case.write(&FaultyDisk::new(Fault::Stops, at)) {
            Ok(()) => assert_eq!(tree(&case.output_folder()), case.expected, "call {at}"),
            Err(error) => {
                stopped += 1;
                assert!(matches!(error, Error::Stopped { written: 0 }), "{error:?}");
                assert!(!case.packages.path("in").exists(), "call {at}");
            }
        }
        case.clear();
    }
    assert!(stopped > 20, "{stopped}");
}

#[test]
fn a_run_that_is_killed_is_made_good_by_the_next() {
    let case = Case::new(Packages::large(120));
    let start = Instant::now();
    case.run();
    let duration = start.elapsed();
    case.clear();
    let mut moments = Moments(0x9e37_79b9_7f4a_7c15);
    let (mut none, mut half, mut done) = (0, 0, 0);
    let times = times(10);
    for _ in 0..times {
        let output_folder = case.output_folder();
        let mut command = case
            .packages
            .command(&["--output", output_folder.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moments.next(duration));
        child.kill().unwrap();
        child.wait().unwrap();
        match output_folder.join(UNFINISHED).exists() {
            true => half += 1,
            false if output_folder.exists() && !tree(&output_folder).is_empty() => {
                done += 1;
                assert_eq!(tree(&output_folder), case.expected);
                case.clear();
            }
            false => none += 1,
        }
        case.assert_complete("killed");
    }
    assert!(
        half > times / 20,
        "{none} before, {half} in between, {done} at the end"
    );
    println!(
        "killed {times} times with --output: {none} before the first write, {half} in between, {done} at the end"
    );
}

#[test]
fn files_of_others_are_left_alone() {
    let case = Case::new(Packages::varied());
    let _ = case.write(&FaultyDisk::new(Fault::Ends, case.calls() / 2));
    let output_folder = case.output_folder();
    for (name, content) in [
        ("mine.txt", Some("mine")),
        ("a.yaml", Some("b: mine\n")),
        ("mine", None),
    ] {
        let path = output_folder.join(name);
        let old = fs::read(&path).ok();
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::create_dir(&path).unwrap(),
        }
        let before = tree(&output_folder);
        let run = case.run();
        assert_eq!(run.status, 2, "{run:?}");
        let message = format!("result/{name} is in the way");
        assert!(run.stderr.contains(&message), "{run:?}");
        assert_eq!(tree(&output_folder), before);
        match old {
            Some(old) => fs::write(&path, old).unwrap(),
            None if path.is_dir() => fs::remove_dir(&path).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    case.assert_complete("put right");
}

#[test]
fn a_folder_that_a_run_of_another_merge_left_is_not_touched() {
    let case = Case::new(Packages::varied());
    let _ = case.write(&FaultyDisk::new(Fault::Ends, case.calls() - 1));
    case.packages.put("only-here.yaml", ["", "", "x: 1\n"]);
    case.packages
        .put("a.yaml", ["a: 1\nb: 1\n", "a: 9\nb: 1\n", "a: 8\nb: 1\n"]);
    let before = tree(&case.output_folder());
    assert_eq!(before.get(Path::new(UNFINISHED)).map(is_file), Some(true));
    let run = case.run();
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr.contains("result/a.yaml is in the way"),
        "{run:?}"
    );
    assert_eq!(tree(&case.output_folder()), before);
}

fn is_file(standing: &Entry) -> bool {
    matches!(standing, Entry::File(..))
}

#[test]
fn of_two_runs_to_one_folder_the_later_is_refused() {
    let case = Case::new(Packages::large(120));
    let output_folder = case.output_folder();
    let start = || {
        let mut command = case
            .packages
            .command(&["--output", output_folder.to_str().unwrap()]);
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    for _ in 0..5 {
        let runs =
            [start(), start()].map(|child| RunOutput::from(child.wait_with_output().unwrap()));
        let mut statuses = runs.each_ref().map(|run| run.status);
        statuses.sort_unstable();
        assert_eq!(statuses, [0, 2], "{runs:?}");
        let refused = runs.iter().find(|run| run.status == 2).unwrap();
        assert!(refused.stderr.contains("is not empty"), "{refused:?}");
        assert_eq!(tree(&output_folder), case.expected);
        case.clear();
    }
}

#[test]
fn a_result_that_is_not_finished_is_no_package() {
    let case = Case::new(Packages::varied());
    let _ = case.write(&FaultyDisk::new(Fault::Ends, case.calls() / 2));
    let local = case.packages.local();
    fs::remove_dir_all(&local).unwrap();
    fs::rename(case.output_folder(), &local).unwrap();
    case.packages.fails_with(
        &[],
        &["local/.merge3-output: the run of merge3 that writes its result there did not finish"],
    );
}
