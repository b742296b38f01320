//! A case: a folder under `testdata` with the three packages, the expected result and what the program should say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::conflicts;
use crate::folder::Folder;

/// What may be in a case's folder.
const PARTS: [&str; 9] = [
    "README.md",
    "original",
    "updated",
    "local",
    "expected",
    "arguments",
    "conflicts",
    "status",
    "stderr",
];

/// One of the folders of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Original,
    Updated,
    Local,
    Expected,
}

/// A case as it is on the disk.
#[derive(Debug)]
pub(crate) struct Case {
    /// The folder's name.
    pub(crate) name: String,
    /// Further arguments for the command.
    pub(crate) arguments: Vec<String>,
    /// The conflicts it should report: `FILE PATH KIND RESOLUTION`.
    pub(crate) conflicts: Vec<String>,
    /// The exit status it should end with.
    pub(crate) status: i32,
    /// What standard error should contain.
    pub(crate) stderr: Vec<String>,
    folders: [Folder; 4],
}

/// What a run of the program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) result: Folder,
    /// The conflicts that the library reports for the same input.
    pub(crate) conflicts: Result<Vec<String>, String>,
}

/// The cases whose name contains `filter`, by name.
pub(crate) fn all(filter: &str) -> Result<Vec<Case>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let entries = fs::read_dir(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| {
            entry
                .map(|entry| entry.path())
                .map_err(|error| error.to_string())
        })
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.is_dir());
    paths.sort();
    paths
        .iter()
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().contains(filter))
        })
        .map(|path| Case::read(path))
        .collect()
}

impl Case {
    fn read(path: &Path) -> Result<Self, String> {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        for entry in fs::read_dir(path).map_err(|error| format!("{name}: {error}"))? {
            let part = entry
                .map_err(|error| format!("{name}: {error}"))?
                .file_name();
            if !PARTS.iter().any(|known| part == **known) {
                return Err(format!(
                    "{name}: {} is none of {}",
                    part.display(),
                    PARTS.join(", ")
                ));
            }
        }
        for needed in ["README.md", "updated", "local", "expected"] {
            if !path.join(needed).exists() {
                return Err(format!(
                    "{name}: {needed} is missing (only `original` may be, for a package that is new)"
                ));
            }
        }
        let lines = |file: &str| -> Result<Vec<String>, String> {
            let file = path.join(file);
            if !file.exists() {
                return Ok(Vec::new());
            }
            let text = fs::read_to_string(&file)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        let folder = |side: &str| {
            Folder::read(&path.join(side)).map_err(|error| format!("{name}/{side}: {error}"))
        };
        Ok(Self {
            arguments: lines("arguments")?,
            conflicts: lines("conflicts")?,
            status: match lines("status")?.first() {
                None => 0,
                Some(status) => status
                    .parse()
                    .map_err(|_| format!("{name}/status: {status:?} is no number"))?,
            },
            stderr: lines("stderr")?,
            folders: [
                folder("original")?,
                folder("updated")?,
                folder("local")?,
                folder("expected")?,
            ],
            name,
        })
    }

    /// One of its folders.
    pub(crate) fn folder(&self, side: Side) -> Folder {
        self.folders[side as usize].clone()
    }

    /// Runs `merge3 --ancestor ANCESTOR --from FROM --to TO` in a temporary folder, with the arguments of the case.
    pub(crate) fn run(&self, ancestor: Side, from: Side, to: &Folder) -> Result<Ran, String> {
        let there = tempfile::tempdir().map_err(|error| error.to_string())?;
        let at = |name: &str, folder: &Folder| -> Result<(), String> {
            folder
                .write(&there.path().join(name))
                .map_err(|error| error.to_string())
        };
        at("original", &self.folder(ancestor))?;
        at("updated", &self.folder(from))?;
        at("local", to)?;
        let sides = [
            "--ancestor",
            "original",
            "--from",
            "updated",
            "--to",
            "local",
        ];
        let arguments: Vec<String> = sides
            .iter()
            .map(|word| (*word).to_owned())
            .chain(self.arguments.iter().cloned())
            .collect();
        let conflicts = conflicts::of(&arguments, there.path());
        let output = Command::new(env!("CARGO_BIN_EXE_merge3"))
            .args(&arguments)
            .current_dir(there.path())
            .output()
            .map_err(|error| error.to_string())?;
        Ok(Ran {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            result: Folder::read(&there.path().join("local")).map_err(|error| error.to_string())?,
            conflicts,
        })
    }
}
