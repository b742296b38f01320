//! `apply`, `patch` and `diff` give the same guarantees as a merge.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use merge3::package::{
    ApplyAction, ApplyPaths, ApplyTo, PatchForm, Patching, Plan, Progress, Settings, apply_with,
    plan_patches,
};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::crashing_disk::CrashingDisk;
use crate::harness::{RunOutput, as_work_tree, config_map, journals, tree};

const PRECIOUS: &str = "hunter2";

/// A folder of objects, and the changes to apply to them.
struct Scene(TempDir);

impl Scene {
    fn new(text: impl Fn(&str, u8) -> String) -> Self {
        let scene = Self(tempfile::tempdir().unwrap());
        as_work_tree(scene.0.path());
        let names = ["a", "b", "c"];
        for (folder, value) in [("live", 1), ("config", 2)] {
            fs::create_dir(scene.path(folder)).unwrap();
            for name in names {
                let path = scene.path(folder).join(format!("{name}.yaml"));
                fs::write(path, text(name, value)).unwrap();
            }
        }
        let patch = names.map(|name| text(name, 2)).join("---\n");
        fs::write(scene.path("patch.yaml"), patch).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command.args(arguments).current_dir(self.0.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> RunOutput {
        RunOutput::from(self.command(arguments).output().unwrap())
    }

    fn applied(&self) -> Plan {
        let what = ApplyTo {
            paths: ApplyPaths {
                config: self.path("config"),
                live: self.path("live"),
                namespace: None,
            },
            last_applied: None,
            prune: false,
            action: ApplyAction::Apply,
        };
        apply_with(&what, &Settings::default(), &Progress::default()).unwrap()
    }

    fn patched(&self) -> Plan {
        let patching = Patching {
            patches: vec![self.path("patch.yaml")],
            words: Vec::new(),
            target: self.path("live"),
            form: PatchForm::Strategic,
            kustomization: None,
            resources: Vec::new(),
            namespace: None,
        };
        plan_patches(&patching, &Settings::default()).unwrap()
    }
}

const APPLY: [&str; 5] = ["apply", "--config", "config", "--live", "live"];
const PATCH: [&str; 4] = ["patch", "live", "--patch", "patch.yaml"];

fn assert_recovered(plan: impl Fn(&Scene) -> Plan, arguments: &[&str]) {
    let undisturbed = Scene::new(config_map);
    let scene = Scene::new(config_map);
    let done = undisturbed.run(arguments);
    assert_eq!(done.status, 0, "{done:?}");
    let ending = CrashingDisk::default();
    assert!(plan(&scene).write_to(&ending, false).is_err());
    let half = tree(&scene.path("live"));
    assert_eq!(journals(scene.0.path()).len(), 1);
    let dry = scene.run(&[arguments, &["--dry-run"]].concat());
    assert_eq!(dry.status, 2, "{dry:?}");
    assert_eq!(tree(&scene.path("live")), half);
    let again = scene.run(arguments);
    assert_eq!(again, done);
    assert_eq!(tree(&scene.path("live")), tree(&undisturbed.path("live")));
}

#[test]
fn apply_that_was_killed_is_made_good_by_the_next() {
    assert_recovered(Scene::applied, &APPLY);
}

#[test]
fn patch_that_was_killed_is_made_good_by_the_next() {
    assert_recovered(Scene::patched, &PATCH);
}

#[test]
fn another_patch_does_not_change_a_half_patched_folder() {
    let scene = Scene::new(config_map);
    let ending = CrashingDisk::default();
    assert!(scene.patched().write_to(&ending, false).is_err());
    fs::write(scene.path("patch.yaml"), config_map("a", 3)).unwrap();
    let half = tree(&scene.path("live"));
    let run = scene.run(&PATCH);
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.contains("run that merge again"), "{run:?}");
    assert_eq!(tree(&scene.path("live")), half);
}

#[test]
fn subcommands_wait_for_another_run() {
    for arguments in [&APPLY[..], &PATCH, &["diff", "live", "config"]] {
        let scene = Scene::new(config_map);
        let folder = File::open(scene.path("live")).unwrap();
        folder.lock().unwrap();
        let mut child = scene.command(arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(child.try_wait().unwrap(), None, "{arguments:?}");
        folder.unlock().unwrap();
        let run = RunOutput::from(child.wait_with_output().unwrap());
        assert_eq!(run.status, 0, "{run:?}");
        let waiting = "waiting for another run of merge3 at live";
        assert!(run.stderr.contains(waiting), "{run:?}");
    }
}

#[test]
fn no_subcommand_shows_a_secret() {
    let secret = |name: &str, value: u8| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\nstringData:\n  k: {PRECIOUS}{value}\n"
        )
    };
    let diff = ["diff", "live", "config"];
    let shows_secret = |arguments: &[&str]| {
        let run = Scene::new(secret).run(arguments);
        assert_eq!(run.status, 0, "{run:?}");
        format!("{}{}", run.stdout, run.stderr).contains(PRECIOUS)
    };
    for arguments in [
        &[&APPLY[..], &["--diff"]].concat()[..],
        &[&PATCH[..], &["--diff"]].concat(),
        &diff,
    ] {
        assert!(!shows_secret(arguments), "{arguments:?}");
        assert!(
            shows_secret(&[arguments, &["--show-secrets"]].concat()),
            "{arguments:?}"
        );
    }
}
