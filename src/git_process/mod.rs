//! The installed git, called so that it never asks anybody anything: the one place where it is
//! started, or any other program.

mod bounded;
mod log;
mod reason;

use std::borrow::Borrow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::error::Error;
use bounded::{Ended, Limits};
pub(crate) use reason::{reason, without_password};

/// Variables that tie git to a repository, as git itself has them in a hook: none of our calls is
/// about that one.
const TIES: [&str; 12] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_QUARANTINE_PATH",
    "GIT_EXTERNAL_DIFF",
];
/// Variable of git's own: the protocols that whoever calls this program allows.
pub(crate) const ALLOWED: &str = "GIT_ALLOW_PROTOCOL";
/// What is said to ssh where nobody has set it up otherwise.
const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30";

/// What git is told in every call, whatever its configuration says: nothing that lies in a package
/// is a repository of its own, and nothing is started that no call of ours needs.
const ALWAYS: [&str; 8] = [
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "submodule.recurse=false",
    "-c",
    "protocol.fd.allow=never",
];
/// The most that git prints for us.
const MOST_PRINTED: u64 = 64 << 20;
/// The most that is kept of what it says of a failure.
const MOST_SAID: usize = 64 << 10;
/// How many seconds a call takes at most where the variable below does not say otherwise.
const PATIENCE: u64 = 600;
/// The variable that says how many seconds a call of git takes at most.
const PATIENCE_VARIABLE: &str = "MERGE3_GIT_TIMEOUT";

/// How long a credential helper may take: it may ask its user.
const HELPER_PATIENCE: Duration = Duration::from_secs(120);

/// The password that a credential helper has for a server, as it prints it; `None` if it cannot be
/// started, has none, or takes too long.
pub(crate) fn ask_helper(program: &Path, server: &str) -> Option<Vec<u8>> {
    let limits = Limits {
        printed: 1 << 20,
        said: 0,
        patience: HELPER_PATIENCE,
        foreign: false,
    };
    let mut command = Command::new(program);
    let output = bounded::run(command.arg("get"), server.as_bytes(), &limits).ok()?;
    output.status.success().then_some(output.stdout)
}

/// Where a program is that is called by its name: in a folder of PATH that is absolute, never in a
/// package.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut files = folders.map(|it| it.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
    files.find(|file| file.is_file())
}

/// A call of git: at the top of a work tree, or about the bare repository that is named.
#[derive(Debug)]
pub(crate) struct Git {
    command: Command,
    /// Whether the hooks that somebody set up are run.
    hooks: bool,
    /// Whether it reads what a server says.
    foreign: bool,
    most: u64,
    arguments: Vec<OsString>,
}

impl Git {
    /// A call in a work tree, at its top: git looks for repositories from there on up, and never in
    /// a package.
    pub(crate) fn at(top: &Path) -> Self {
        let mut git = Self::start();
        git.command.current_dir(top);
        git.foreign = false;
        git
    }

    /// A call where this process is, about the repository that whoever started it means: git
    /// itself, where it calls the merge driver.
    pub(crate) fn here() -> Self {
        let mut git = Self::tied();
        git.foreign = false;
        git
    }

    /// A call about a bare repository.
    pub(crate) fn bare(repository: &Path) -> Self {
        let mut git = Self::new();
        let mut option = OsString::from("--git-dir=");
        option.push(repository);
        git.command.arg(option);
        git
    }

    /// A call about no repository that is there: with the settings of the work tree that this
    /// process is in, if it is in one.
    pub(crate) fn new() -> Self {
        let mut git = Self::start();
        if let Ok(here) = std::env::current_dir() {
            let top = top_of(&here);
            let root = || here.ancestors().last().map(Path::to_owned);
            if let Some(folder) = top.or_else(root) {
                git.command.current_dir(folder);
            }
        }
        git
    }

    fn start() -> Self {
        let mut git = Self::tied();
        for name in TIES {
            git.command.env_remove(name);
        }
        git
    }

    fn tied() -> Self {
        let mut command = Command::new("git");
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GCM_INTERACTIVE", "never")
            // what is left that could open a window or ask on the terminal is answered with a
            // failure
            .env("SSH_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .args(ALWAYS);
        for (name, value) in [
            ("GIT_HTTP_LOW_SPEED_LIMIT", "1"),
            ("GIT_HTTP_LOW_SPEED_TIME", "120"),
        ] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        if std::env::var_os(ALLOWED).is_none() {
            // ext:: runs any command that an address names
            command.args(["-c", "protocol.ext.allow=never"]);
        }
        Self {
            command,
            hooks: false,
            foreign: true,
            most: MOST_PRINTED,
            arguments: Vec::new(),
        }
    }

    /// Makes ssh fail where it would ask, unless somebody has set up how ssh is called.
    pub(crate) fn quiet_ssh(mut self) -> Self {
        let is_set = ["GIT_SSH_COMMAND", "GIT_SSH"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        let is_configured = || {
            let asked = Self::new().arg("config").arg("core.sshCommand").output();
            asked.is_ok_and(|output| output.status.success())
        };
        if !is_set && !is_configured() {
            self.command.env("GIT_SSH_COMMAND", SSH);
        }
        self
    }

    /// Lets a question about objects be answered by what is there.
    pub(crate) fn offline(mut self) -> Self {
        self.command.env("GIT_NO_LAZY_FETCH", "1");
        self
    }

    /// Runs the hooks that whoever calls this program has set up.
    pub(crate) fn with_hooks(mut self) -> Self {
        self.hooks = true;
        self
    }

    /// Works on this index in place of that of the work tree.
    pub(crate) fn with_index(mut self, index: &Path) -> Self {
        self.command.env("GIT_INDEX_FILE", index);
        // an index in parts has them beside that of the work tree
        self.command.args(["-c", "core.splitIndex=false"]);
        self
    }

    /// Lets it print that many bytes at most.
    pub(crate) fn most(mut self, bytes: u64) -> Self {
        self.most = bytes;
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        let arguments = arguments.into_iter();
        self.arguments
            .extend(arguments.map(|it| it.as_ref().to_owned()));
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// Where git cannot be started, takes too long or prints too much.
    pub(crate) fn output(self) -> Result<Output, Error> {
        self.output_of(&[])
    }

    /// Runs it with something to read.
    ///
    /// # Errors
    /// As for [`Git::output`].
    pub(crate) fn output_of(mut self, input: &[u8]) -> Result<Output, Error> {
        if !self.hooks {
            self.command.args(["-c", "core.hooksPath=/dev/null"]);
        }
        let name = self.arguments.first().cloned().unwrap_or_default();
        self.command.args(&self.arguments);
        let limits = Limits {
            printed: self.most,
            said: MOST_SAID,
            patience: patience(),
            foreign: self.foreign,
        };
        let name = name.to_string_lossy();
        bounded::run(&mut self.command, input, &limits).map_err(|error| match error {
            Ended::NotStarted(error) => not_started(error),
            Ended::TooLate => Error::refused(
                format!(
                    "git {name} did not end within {} seconds, and was stopped",
                    limits.patience.as_secs()
                ),
                format!(
                    "see whether the server answers; where it is only \
                     slow, set {PATIENCE_VARIABLE} to more seconds"
                ),
            ),
            Ended::TooMuch => Error::refused(
                format!(
                    "git {name} prints more than {} MiB, and was stopped",
                    limits.printed >> 20
                ),
                "no package needs as much: see what upstream has there",
            ),
        })
    }

    /// [`Git::output_of`], with names to read, each on a line.
    pub(crate) fn output_of_names(self, names: &[impl Borrow<str>]) -> Result<Output, Error> {
        self.output_of((names.join("\n") + "\n").as_bytes())
    }

    /// What it prints, or what it says of why it failed.
    ///
    /// # Errors
    /// As for [`Git::output`].
    pub(crate) fn printed(self) -> Result<Result<Vec<u8>, String>, Error> {
        let output = self.output()?;
        Ok(match output.status.success() {
            true => Ok(output.stdout),
            false => Err(reason(&output)),
        })
    }

    /// What it prints as one text; `None` if it fails.
    pub(crate) fn ask(self) -> Result<Option<String>, Error> {
        let printed = self.printed()?.ok();
        Ok(printed.map(|printed| {
            let text = String::from_utf8_lossy(&printed);
            text.trim_end_matches(['\n', '\r']).to_owned()
        }))
    }
}

/// The nearest folder, from `folder` on up, that git's own folder is in. A folder that has the form
/// of a bare repository is none: that is content.
pub(crate) fn top_of(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let mut above = folder.ancestors();
    above
        .find(|above| above.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

fn patience() -> Duration {
    let said = std::env::var(PATIENCE_VARIABLE).ok();
    let seconds = said.and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.filter(|seconds| *seconds > 0).unwrap_or(PATIENCE))
}

fn not_started(error: io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::NotFound => "there is no git on this machine".to_owned(),
        _ => format!("git cannot be run: {error}"),
    };
    Error::refused(
        message,
        "install git 2.36 or later, and see that it is on the PATH",
    )
}
