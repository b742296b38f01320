//! Three folders, the binary run on them, and what is in them afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

pub(crate) use crate::run_output::RunOutput;

/// A merge to run: a folder for each side in a temporary one.
pub(crate) struct Case {
    folder: TempDir,
    args: Vec<String>,
}

/// Path, bytes and time of every file.
type Snapshot = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

impl Case {
    /// Three packages, a file each: the path, then the original, the updated and the local content.
    pub(crate) fn of(path: &str, original: &str, updated: &str, local: &str) -> Self {
        Self::empty()
            .original(path, original)
            .updated(path, updated)
            .local(path, local)
    }

    /// Three empty packages.
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

    /// The same file on all sides.
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

    /// Further arguments.
    pub(crate) fn arg(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(ToString::to_string));
        self
    }

    pub(crate) fn path(&self, side: &str) -> PathBuf {
        self.folder.path().join(side)
    }

    /// The program, without an argument.
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

    /// Runs, and tells how many seconds a processor worked for it: other processes do not count.
    #[cfg(unix)]
    pub(crate) fn run_timed(&self) -> (RunOutput, f64) {
        let command = self.command();
        // the last line of `times` is about what the shell started: `0m1.5s 0m0.2s`
        let output = Command::new("sh")
            .args(["-c", r#""$@"; status=$?; times >&2; exit $status"#, "sh"])
            .arg(command.get_program())
            .args(command.get_args())
            .output();
        let ran = RunOutput::from(output.unwrap());
        let seconds = |time: &str| {
            let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
            minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
        };
        let times = ran.stderr.lines().last().unwrap();
        let worked = times.split_whitespace().map(seconds).sum();
        (ran, worked)
    }

    /// Runs, and tells how many seconds passed.
    #[cfg(not(unix))]
    pub(crate) fn run_timed(&self) -> (RunOutput, f64) {
        let start = std::time::Instant::now();
        (self.run(), start.elapsed().as_secs_f64())
    }

    /// Runs, and expects it to be merged.
    pub(crate) fn merge(&self) -> RunOutput {
        let ran = self.run();
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran
    }

    /// Runs, and expects that nothing was written.
    pub(crate) fn run_untouched(&self) -> RunOutput {
        let before = snapshot(&self.path("local"));
        let ran = self.run();
        assert_eq!(snapshot(&self.path("local")), before);
        ran
    }

    /// Runs, and expects an error that says all of this, with nothing written.
    pub(crate) fn fails_with(&self, messages: &[&str]) {
        let ran = self.run_untouched();
        assert_eq!(ran.status, 2, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout, "");
        ran.says(messages);
    }

    /// What is in a local file; none where there is none.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.path("local").join(path)).ok()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    /// The local files, by path, with what is in them.
    pub(crate) fn tree(&self) -> Vec<(String, String)> {
        let root = self.path("local");
        let name = |path: &Path| path.strip_prefix(&root).unwrap().display().to_string();
        snapshot(&root)
            .into_iter()
            .map(|(path, (bytes, _))| (name(&path), String::from_utf8(bytes).unwrap()))
            .collect()
    }

    /// Merges, and expects these local files.
    pub(crate) fn gives(&self, files: &[(&str, &str)]) -> RunOutput {
        let ran = self.merge();
        let expected: Vec<(String, String)> = files
            .iter()
            .map(|(path, content)| ((*path).to_owned(), (*content).to_owned()))
            .collect();
        assert_eq!(self.tree(), expected, "{}{}", ran.stdout, ran.stderr);
        ran
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

/// A resource in a file of its own.
pub(crate) fn resource(name: &str, field: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  field: {field}\n")
}
