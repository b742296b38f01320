//! Packages with many kinds of changes, on which tests run the real binary and compare the folders
//! before and after.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use merge3::triple::Triple;
use tempfile::TempDir;

pub(crate) use crate::run_output::RunOutput;

/// The entry at a path: a file with its mode and content, a folder, or something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    File(u32, String),
    Folder,
    Other,
}

pub(crate) type Tree = BTreeMap<PathBuf, Entry>;

/// Three packages.
pub(crate) struct Packages {
    folder: TempDir,
}

impl Packages {
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for side in ["original", "updated", "local"] {
            fs::create_dir(folder.path().join(side)).unwrap();
        }
        as_work_tree(folder.path());
        Self { folder }
    }

    /// Creates packages with a conflict, a document that moves between two files, and files and
    /// folders that are added, deleted, moved, replaced by each other, or change only their mode.
    pub(crate) fn varied() -> Self {
        let packages = Self::empty();
        let one = |value: u8| {
            format!(
                "{}---\n{}",
                config_map("stays", value),
                config_map("moves", value)
            )
        };
        packages.put("a.yaml", ["a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 3\nb: 1\n"]);
        packages.put("one.yaml", [&one(1), &config_map("stays", 2), &one(1)]);
        let two = config_map("two", 1);
        let moved = format!("{two}---\n{}", config_map("moves", 2));
        packages.put("two.yaml", [&two, &moved, &format!("# ours\n{two}")]);
        packages.put("gone/far/down.yaml", ["x: 1\n", "", "x: 1\n"]);
        packages.put("new/far/down.yaml", ["", "x: 1\n", ""]);
        packages.put("swap", ["a file\n", "", "a file\n"]);
        packages.put("swap/in.yaml", ["", "x: 1\n", ""]);
        packages.put("fold/in.yaml", ["x: 1\n", "", "x: 1\n"]);
        packages.put("fold", ["", "a file\n", ""]);
        let renamed = config_map("renamed", 1);
        packages.put(
            "old-name.yaml",
            [&renamed, "", &format!("# ours\n{renamed}")],
        );
        packages.put("new/name.yaml", ["", &config_map("renamed", 2), ""]);
        packages.put("run.sh", ["echo 1\n", "echo 2\n", "echo 1\n"]);
        let script = packages.local().join("run.sh");
        fs::set_permissions(script, Permissions::from_mode(0o750)).unwrap();
        packages.put("mode.sh", ["echo 1\n"; 3]);
        let script = packages.path("updated").join("mode.sh");
        fs::set_permissions(script, Permissions::from_mode(0o755)).unwrap();
        packages.put("ours/own.yaml", ["", "", "own: 1\n"]);
        packages
    }

    /// Like [`Packages::varied`], with this many more files that change, are added or are deleted.
    pub(crate) fn large(files: usize) -> Self {
        let packages = Self::varied();
        for file in 0..files {
            let texts: [String; 3] = [1, 2, 1].map(|value| config_map(&format!("c{file}"), value));
            let [old, new, local] = texts.each_ref().map(String::as_str);
            let sides = match file % 4 {
                0 => ["", new, ""],
                1 => [old, "", local],
                _ => [old, new, local],
            };
            packages.put(&format!("f{}/{file}.yaml", file % 7), sides);
        }
        packages
    }

    /// Writes a file in the original, updated and local package. An empty content writes no file.
    pub(crate) fn put(&self, path: &str, contents: [&str; 3]) {
        let sides = ["original", "updated", "local"];
        for (side, content) in sides.into_iter().zip(contents) {
            if !content.is_empty() {
                let path = self.path(side).join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
        }
    }

    /// Returns a copy with its own local package.
    pub(crate) fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(self.folder.path(), folder.path());
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn local(&self) -> PathBuf {
        self.path("local")
    }

    pub(crate) fn sides(&self) -> Triple<PathBuf> {
        Triple::new("original", "updated", "local").map(|side| self.path(side))
    }

    pub(crate) fn tree(&self) -> Tree {
        tree(&self.local())
    }

    /// Restores the local package from another copy.
    pub(crate) fn restore(&self, from: &Self) {
        fs::remove_dir_all(self.local()).unwrap();
        fs::create_dir(self.local()).unwrap();
        copy(&from.local(), &self.local());
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merge3"));
        let sides = self.sides();
        command.arg("--ancestor").arg(sides.original);
        command.arg("--from").arg(sides.updated);
        command.arg("--to").arg(sides.local).args(arguments);
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> RunOutput {
        RunOutput::from(self.command(arguments).output().unwrap())
    }

    /// Runs, and asserts status 2, these messages, and that nothing changed.
    pub(crate) fn fails_with(&self, arguments: &[&str], messages: &[&str]) {
        let before = self.tree();
        let run = self.run(arguments);
        assert_eq!(run.status, 2, "{run:?}");
        run.says(messages);
        assert_eq!(self.tree(), before);
    }
}

/// Makes a folder look like a git work tree, so that runs keep their journals there and not in the
/// user's folder.
pub(crate) fn as_work_tree(folder: &Path) {
    fs::create_dir(folder.join(".git")).unwrap();
    fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
}

/// Returns the journals of runs on all packages in a work tree.
pub(crate) fn journals(folder: &Path) -> Vec<PathBuf> {
    let Ok(runs) = fs::read_dir(folder.join(".git/merge3")) else {
        return Vec::new();
    };
    let journals = runs.map(|run| run.unwrap().path().join("manifest.json"));
    journals.filter(|it| it.exists()).collect()
}

pub(crate) fn config_map(name: &str, value: u8) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  key: \"{value}\"\n"
    )
}

/// Returns everything below a folder, by relative path.
pub(crate) fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            let standing = if kind.is_dir() {
                folders.push(entry.path());
                Entry::Folder
            } else if kind.is_file() {
                let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
                let bytes = fs::read(entry.path()).unwrap_or_default();
                Entry::File(mode, String::from_utf8_lossy(&bytes).into_owned())
            } else {
                Entry::Other
            };
            let path = entry.path().strip_prefix(root).unwrap().to_owned();
            found.insert(path, standing);
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp")
        .arg("-a")
        .arg(from.join("."))
        .arg(to)
        .status();
    assert!(copied.unwrap().success());
}

/// Fails if a file is neither in its old nor in its new state. Temporary files and the journal are
/// ignored.
pub(crate) fn assert_no_partial_file(now: &Tree, before: &Tree, after: &Tree) {
    for (path, standing) in now {
        let name = path.file_name().unwrap().to_string_lossy();
        if !name.starts_with(".merge3-") && matches!(standing, Entry::File(..)) {
            let known = [before.get(path), after.get(path)];
            assert!(
                known.contains(&Some(standing)),
                "{}: {standing:?}",
                path.display()
            );
        }
    }
}

/// Returns the number of rounds: `short` in `make test`, `SOAK` in `make soak`.
pub(crate) fn times(short: usize) -> usize {
    let long = std::env::var("SOAK").ok();
    long.and_then(|times| times.parse().ok()).unwrap_or(short)
}
