//! A case: a folder under `testdata` with three packages, the expected result and the expected
//! messages.

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use crate::commands::RUN;
use crate::conflicts;
use crate::folder::Folder;
use crate::testdata::{folders, name};

/// Files that a case's folder may have beside the packages.
const PARTS: [&str; 6] = [
    "README.md",
    "command",
    "arguments",
    "conflicts",
    "status",
    "stderr",
];

/// A command and the folders that it works on, each with the option that names it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The words before the options.
    words: &'static [&'static str],
    /// For each [`Side`], the option and the folder's name.
    sides: [(&'static str, &'static str); 3],
    /// Whether the first folder is optional. If it is missing, its option is left out.
    is_first_optional: bool,
}

/// The three-way merge, which needs no file `command`.
const MERGE: Command = Command {
    words: &[],
    sides: [
        ("--ancestor", "original"),
        ("--from", "updated"),
        ("--to", "local"),
    ],
    is_first_optional: false,
};

/// The other commands, by the content of the file `command`.
const COMMANDS: [(&str, Command); 1] = [(
    "apply",
    Command {
        words: &["apply"],
        sides: [
            ("--last-applied", "last-applied"),
            ("--config", "config"),
            ("--live", "live"),
        ],
        is_first_optional: true,
    },
)];

/// One of the folders of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Original,
    Updated,
    Local,
    Expected,
}

/// A case on the disk.
#[derive(Debug)]
pub(crate) struct Case {
    /// The folder's name.
    pub(crate) name: String,
    /// The command that is run.
    command: &'static Command,
    /// Further arguments for the command.
    pub(crate) arguments: Vec<String>,
    /// The expected conflicts: `FILE PATH KIND RESOLUTION`.
    pub(crate) conflicts: Vec<String>,
    /// The expected exit status.
    pub(crate) status: i32,
    /// Lines that standard error must contain.
    pub(crate) stderr: Vec<String>,
    folders: [Folder; 4],
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) result: Folder,
    /// The conflicts that the library reports for the same input.
    pub(crate) conflicts: Result<Vec<String>, String>,
}

/// Returns the cases whose name contains `filter`, sorted by name.
pub(crate) fn all(filter: &str) -> Result<Vec<Case>, String> {
    folders()
        .iter()
        .filter(|path| name(path).contains(filter) && !path.join(RUN).exists())
        .map(|path| Case::read(path))
        .collect()
}

impl Case {
    fn read(path: &Path) -> Result<Self, String> {
        let name = name(path);
        let lines = |file: &str| -> Result<Vec<String>, String> {
            let file = path.join(file);
            if !file.exists() {
                return Ok(Vec::new());
            }
            let text = fs::read_to_string(&file)
                .map_err(|error| format!("{}: {error}", file.display()))?;
            Ok(text.lines().map(str::to_owned).collect())
        };
        let command = match lines("command")?.first() {
            None => &MERGE,
            Some(word) => COMMANDS
                .iter()
                .find_map(|(name, command)| (name == word).then_some(command))
                .ok_or_else(|| format!("{name}/command: {word:?} is not a command"))?,
        };
        let [first, second, third] = command.sides.map(|(_, folder)| folder);
        let parts = PARTS.into_iter().chain([first, second, third, "expected"]);
        let parts: Vec<&str> = parts.collect();
        for entry in fs::read_dir(path).map_err(|error| format!("{name}: {error}"))? {
            let part = entry
                .map_err(|error| format!("{name}: {error}"))?
                .file_name();
            if !parts.iter().any(|known| part == **known) {
                return Err(format!(
                    "{name}: {} is none of {}",
                    part.display(),
                    parts.join(", ")
                ));
            }
        }
        for needed in ["README.md", second, third, "expected"] {
            if !path.join(needed).exists() {
                return Err(format!(
                    "{name}: {needed} is missing (only `{first}` may be)"
                ));
            }
        }
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
                    .map_err(|_| format!("{name}/status: {status:?} is not a number"))?,
            },
            stderr: lines("stderr")?,
            folders: [
                folder(first)?,
                folder(second)?,
                folder(third)?,
                folder("expected")?,
            ],
            command,
            name,
        })
    }

    /// Whether this is a case of the three-way merge.
    pub(crate) fn is_merge(&self) -> bool {
        *self.command == MERGE
    }

    /// Returns one of the folders of the case.
    pub(crate) fn folder(&self, side: Side) -> Folder {
        self.folders[side as usize].clone()
    }

    /// Runs the command in a temporary folder with the arguments of the case, for example `merge3
    /// --ancestor ANCESTOR --from FROM --to TO`.
    pub(crate) fn run(&self, ancestor: Side, from: Side, to: &Folder) -> Result<RunOutput, String> {
        self.run_with([self.folder(ancestor), self.folder(from), to.clone()])
    }

    /// Like [`Case::run`], on the given folders.
    pub(crate) fn run_with(&self, folders: [Folder; 3]) -> Result<RunOutput, String> {
        let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
        let words = self.command.words.iter();
        let mut arguments: Vec<String> = words.map(|word| (*word).to_owned()).collect();
        for (index, ((option, name), folder)) in self.command.sides.iter().zip(folders).enumerate()
        {
            if index == 0 && self.command.is_first_optional && folder == Folder::default() {
                continue;
            }
            folder
                .write(&temporary.path().join(name))
                .map_err(|error| error.to_string())?;
            arguments.extend([(*option).to_owned(), (*name).to_owned()]);
        }
        arguments.extend(self.arguments.iter().cloned());
        let result = temporary.path().join(self.command.sides[2].1);
        let conflicts = match self.is_merge() {
            true => conflicts::of(&arguments, temporary.path()),
            false => Ok(Vec::new()),
        };
        let output = Process::new(env!("CARGO_BIN_EXE_merge3"))
            .args(&arguments)
            .current_dir(temporary.path())
            .output()
            .map_err(|error| error.to_string())?;
        Ok(RunOutput {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            result: Folder::read(&result).map_err(|error| error.to_string())?,
            conflicts,
        })
    }
}
