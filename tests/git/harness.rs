//! A repository in a temporary folder with its own configuration, in which tests run git and
//! merge3.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::path::isolate;
pub(crate) use crate::path::path_with;
pub(crate) use crate::run_output::RunOutput;

/// A deployment and two changes of it in neighbouring lines, for which git alone leaves a conflict.
pub(crate) const BASE: &str = "# the shop\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 1\n  image: shop:1\n";
pub(crate) const OURS: &str = "# the shop\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 2\n  image: shop:1\n";
pub(crate) const THEIRS: &str = "# the shop\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 1\n  image: shop:2\n";
pub(crate) const BOTH: &str = "# the shop\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 2\n  image: shop:2\n";
/// A change that conflicts with OURS.
pub(crate) const OTHER: &str = "# the shop\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 3\n  image: shop:2\n";

/// Returns the path of the program.
pub(crate) fn merge3() -> &'static str {
    env!("CARGO_BIN_EXE_merge3")
}

/// A repository.
pub(crate) struct Repository {
    folder: TempDir,
    name: String,
}

impl Repository {
    /// Creates an empty repository on branch `main`, without the driver.
    pub(crate) fn without_driver(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        fs::create_dir_all(folder.path().join(name)).unwrap();
        let repository = Self {
            folder,
            name: name.to_owned(),
        };
        repository.git(&["init", "-q", "-b", "main"]);
        repository
    }

    /// Creates an empty repository with the driver.
    pub(crate) fn new() -> Self {
        let repository = Self::without_driver("repository");
        repository.install();
        repository
    }

    /// Creates two branches that both changed a file: `main`, which is checked out, has `ours`, and
    /// `other` has `theirs`.
    pub(crate) fn diverged(file: &str, base: &str, ours: &str, theirs: &str) -> Self {
        let repository = Self::new();
        repository.diverge(file, base, ours, theirs);
        repository
    }

    pub(crate) fn diverge(&self, file: &str, base: &str, ours: &str, theirs: &str) {
        self.commit(file, base);
        self.git(&["checkout", "-q", "-b", "other"]);
        self.commit(file, theirs);
        self.git(&["checkout", "-q", "main"]);
        self.commit(file, ours);
    }

    pub(crate) fn install(&self) {
        let run = self.merge3(&["git", "install"]);
        assert_eq!(run.status, 0, "{run:?}");
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root().join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        String::from_utf8(fs::read(self.path(file)).unwrap()).unwrap()
    }

    pub(crate) fn write(&self, file: &str, content: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes a file and commits everything.
    pub(crate) fn commit(&self, file: &str, content: &str) {
        self.write(file, content);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", file]);
    }

    /// Runs git, and fails if git fails.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let run = self.try_git(arguments);
        assert_eq!(run.status, 0, "git {arguments:?}: {run:?}");
        run.stdout
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> RunOutput {
        self.run(Command::new("git").args(arguments))
    }

    pub(crate) fn merge3(&self, arguments: &[&str]) -> RunOutput {
        self.run(Command::new(merge3()).args(arguments))
    }

    pub(crate) fn run(&self, command: &mut Command) -> RunOutput {
        isolated(command, &self.home())
            .current_dir(self.root())
            .output()
            .unwrap()
            .into()
    }
}

/// Keeps the user's configuration from affecting a command.
pub(crate) fn isolated<'c>(command: &'c mut Command, home: &Path) -> &'c mut Command {
    isolate(command, home, Path::new(merge3())).env("GIT_EDITOR", "true")
}
