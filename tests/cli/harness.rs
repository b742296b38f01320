//! Three packages in folders, on which tests run the real binary.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

pub(crate) use crate::run_output::RunOutput;

/// A merge to run: a temporary folder with a folder for each side.
pub(crate) struct Case {
    folder: TempDir,
    args: Vec<String>,
}

/// The bytes and the modification time of every file, by path.
type Snapshot = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

impl Case {
    /// Creates three packages of one file: its path, and the original, updated and local content.
    pub(crate) fn of(path: &str, original: &str, updated: &str, local: &str) -> Self {
        Self::empty()
            .original(path, original)
            .updated(path, updated)
            .local(path, local)
    }

    /// Creates three empty packages.
    pub(crate) fn empty() -> Self {
        let case = Self {
            folder: tempfile::tempdir().unwrap(),
            args: Vec::new(),
        };
        for side in ["original", "updated", "local"] {
            fs::create_dir(case.path(side)).unwrap();
        }
        case
    }

    pub(crate) fn original(self, path: &str, content: &str) -> Self {
        self.file("original", path, content)
    }

    pub(crate) fn updated(self, path: &str, content: &str) -> Self {
        self.file("updated", path, content)
    }

    pub(crate) fn local(self, path: &str, content: &str) -> Self {
        self.file("local", path, content)
    }

    /// Adds the same file on all sides.
    pub(crate) fn all(self, path: &str, content: &str) -> Self {
        self.original(path, content)
            .updated(path, content)
            .local(path, content)
    }

    pub(crate) fn file(self, side: &str, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(side).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Adds arguments.
    pub(crate) fn arg(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(ToString::to_string));
        self
    }

    pub(crate) fn path(&self, side: &str) -> PathBuf {
        self.folder.path().join(side)
    }

    /// Returns the command without arguments.
    pub(crate) fn program(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command.current_dir(self.folder.path());
        command
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        command
            .arg("--ancestor")
            .arg(self.path("original"))
            .arg("--from")
            .arg(self.path("updated"))
            .arg("--to")
            .arg(self.path("local"))
            .args(&self.args);
        command
    }

    pub(crate) fn run(&self) -> RunOutput {
        RunOutput::from(self.command().output().unwrap())
    }

    /// Runs, and returns the processor time of the run in seconds, which does not depend on other
    /// processes.
    #[cfg(unix)]
    pub(crate) fn run_timed(&self) -> (RunOutput, f64) {
        let command = self.command();
        // the last line of `times` has the times of the shell's children: `0m1.5s 0m0.2s`
        let output = Command::new("sh")
            .args(["-c", r#""$@"; status=$?; times >&2; exit $status"#, "sh"])
            .arg(command.get_program())
            .args(command.get_args())
            .output();
        let run = RunOutput::from(output.unwrap());
        let seconds = |time: &str| {
            let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
            minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
        };
        let times = run.stderr.lines().last().unwrap();
        let worked = times.split_whitespace().map(seconds).sum();
        (run, worked)
    }

    /// Runs, and returns the elapsed seconds.
    #[cfg(not(unix))]
    pub(crate) fn run_timed(&self) -> (RunOutput, f64) {
        let start = std::time::Instant::now();
        (self.run(), start.elapsed().as_secs_f64())
    }

    /// Runs, and asserts that the merge succeeds.
    pub(crate) fn merge(&self) -> RunOutput {
        let run = self.run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        run
    }

    /// Runs, and asserts that nothing was written.
    pub(crate) fn run_untouched(&self) -> RunOutput {
        let before = snapshot(&self.path("local"));
        let run = self.run();
        assert_eq!(snapshot(&self.path("local")), before);
        run
    }

    /// Runs, and asserts an error that has all of these messages, with nothing written.
    pub(crate) fn fails_with(&self, messages: &[&str]) {
        let run = self.run_untouched();
        assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
        assert_eq!(run.stdout, "");
        run.says(messages);
    }

    /// Returns the content of a local file, or None if it does not exist.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.path("local").join(path)).ok()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    /// Returns the local files with their content, sorted by path.
    pub(crate) fn tree(&self) -> Vec<(String, String)> {
        let root = self.path("local");
        let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
        snapshot(&root)
            .into_iter()
            .map(|(path, (bytes, _))| (name(&path), String::from_utf8(bytes).unwrap()))
            .collect()
    }

    /// Merges, and asserts these local files.
    pub(crate) fn gives(&self, files: &[(&str, &str)]) -> RunOutput {
        let run = self.merge();
        let expected: Vec<(String, String)> = files
            .iter()
            .map(|(path, content)| ((*path).to_owned(), (*content).to_owned()))
            .collect();
        assert_eq!(self.tree(), expected, "{}{}", run.stdout, run.stderr);
        run
    }
}

fn snapshot(root: &Path) -> Snapshot {
    let mut files = Snapshot::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let modified = entry.metadata().unwrap().modified().unwrap();
                files.insert(entry.path(), (fs::read(entry.path()).unwrap(), modified));
            }
        }
    }
    files
}

/// Returns a resource as the content of a file.
pub(crate) fn resource(name: &str, field: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  field: {field}\n")
}
