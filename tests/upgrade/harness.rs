//! A workshop in a temporary folder: an upstream repository and a repository with vendored packages
//! (the fleet), in which tests run git and merge3.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::path::isolate;
pub(crate) use crate::run_output::RunOutput;

const SCHEMA: &str = include_str!("../../docs/report.schema.json");

impl RunOutput {
    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Parses standard output as JSON and checks it against its schema.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let report: Value = serde_json::from_str(&self.stdout).unwrap();
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|it| format!("{it} at {}", it.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:?}\n{}", self.stdout);
        report
    }
}

/// A workshop.
pub(crate) struct Workshop {
    folder: TempDir,
}

impl Workshop {
    /// Creates an empty upstream repository and an empty repository for packages.
    pub(crate) fn new() -> Self {
        let workshop = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["home", "upstream", "fleet"] {
            fs::create_dir(workshop.path(name)).unwrap();
        }
        workshop.git("upstream", &["init", "-q", "-b", "main"]);
        workshop.git("fleet", &["init", "-q", "-b", "main"]);
        workshop.git("fleet", &["commit", "-q", "--allow-empty", "-m", "begin"]);
        workshop.git(".", &["init", "-q", "--bare", "-b", "main", "upstream.git"]);
        workshop.git("upstream", &["remote", "add", "origin", &workshop.url()]);
        workshop
    }

    /// Creates a package `app` in the fleet at v1.0.0, committed, and v1.1.0 upstream.
    pub(crate) fn with_app() -> Self {
        let workshop = Self::new();
        workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
        workshop.get("app@v1.0.0", "app");
        workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
        workshop
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.path("upstream.git").display())
    }

    /// Writes files and commits, tags and pushes them. An empty content deletes the file. Returns
    /// the commit.
    pub(crate) fn release(&self, tag: &str, files: &[(&str, &str)]) -> String {
        for (name, content) in files {
            if content.is_empty() {
                fs::remove_file(self.path("upstream").join(name)).unwrap();
            } else {
                self.write(&format!("upstream/{name}"), content);
            }
        }
        self.git("upstream", &["add", "-A"]);
        self.git(
            "upstream",
            &[
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                &format!("release {tag}"),
            ],
        );
        self.git("upstream", &["tag", tag]);
        self.git("upstream", &["push", "-q", "--tags", "origin", "main"]);
        self.git("upstream", &["rev-parse", "HEAD"])
            .trim()
            .to_owned()
    }

    /// Vendors a package into the fleet and commits it.
    pub(crate) fn get(&self, address: &str, folder: &str) {
        let address = format!("{}/{address}", self.url());
        self.merge3(&["get", &address, folder]).exits(0);
        self.save("vendor");
    }

    /// Commits everything in the fleet.
    pub(crate) fn save(&self, message: &str) {
        self.git("fleet", &["add", "-A"]);
        self.git("fleet", &["commit", "-q", "--allow-empty", "-m", message]);
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Replaces a text in a file. Fails if the file does not have it.
    #[track_caller]
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "'{from}' is not in {name}:\n{text}");
        self.write(name, &text.replace(from, to));
    }

    /// Runs git in a folder, and fails if git fails.
    #[track_caller]
    pub(crate) fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let run: RunOutput = self
            .isolated(
                Command::new("git")
                    .args(arguments)
                    .current_dir(self.path(folder)),
            )
            .into();
        assert_eq!(run.status, 0, "git {arguments:?}: {run:?}");
        run.stdout
    }

    /// Runs merge3 in the fleet.
    pub(crate) fn merge3(&self, arguments: &[&str]) -> RunOutput {
        self.merge3_in("fleet", arguments)
    }

    pub(crate) fn merge3_in(&self, folder: &str, arguments: &[&str]) -> RunOutput {
        self.isolated(
            Command::new(merge3())
                .args(arguments)
                .current_dir(self.path(folder)),
        )
        .into()
    }

    /// Runs a command without the user's settings.
    pub(crate) fn isolated(&self, command: &mut Command) -> Output {
        self.isolate(command);
        command.output().unwrap()
    }

    /// Keeps the user's settings and cache from affecting a command.
    pub(crate) fn isolate(&self, command: &mut Command) {
        isolate(command, &self.path("home"), Path::new(merge3()))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("XDG_STATE_HOME")
            .env_remove("MERGE3_CACHE_DIR");
    }

    /// Returns every file in a folder with its content, without git's.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        files(&self.path(folder))
    }
}

pub(crate) fn merge3() -> &'static str {
    env!("CARGO_BIN_EXE_merge3")
}

/// Returns every file in a folder with its content, without git's. The content of a link is its
/// target.
pub(crate) fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let kind = path.symlink_metadata().unwrap().file_type();
            if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                files.insert(name, target.into_os_string().into_encoded_bytes());
            } else if kind.is_file() {
                files.insert(name, fs::read(&path).unwrap());
            } else if path.file_name().unwrap() != ".git" {
                folders.push(path);
            }
        }
    }
    files
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    for (name, content) in files(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Returns a short deployment.
pub(crate) fn web(image: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n  image: web:{image}\n"
    )
}

/// Returns a Kptfile.
pub(crate) fn kptfile(name: &str) -> String {
    format!(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\ninfo:\n  description: {name} # what it is\n"
    )
}
