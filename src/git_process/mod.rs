//! Runs the installed git and credential helpers. No other module starts a process.
//!
//! A call is built with [`Git`], never prompts the user, and has limits for time and output
//! (`bounded`). `reason` extracts git's error message.

mod bounded;
mod reason;

use std::borrow::Borrow;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::error::Error;
use bounded::Limits;
pub(crate) use bounded::Running as RunningGit;
pub(crate) use reason::{reason, without_password};

/// Environment variables that select a repository. Git sets them for hooks; calls about another
/// repository remove them.
const REPOSITORY_VARIABLES: [&str; 12] = [
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
/// Git's environment variable with the protocols that the user allows.
pub(crate) const ALLOWED_PROTOCOLS: &str = "GIT_ALLOW_PROTOCOL";
/// The ssh command that git uses unless the user has configured one.
const SSH_COMMAND: &str = "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30";

/// Settings of every call, which override git's configuration: no folder in a package counts as a
/// bare repository, and git starts no file system monitor and enters no submodule.
const COMMON_SETTINGS: [&str; 4] = [
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "submodule.recurse=false",
    "protocol.fd.allow=never",
];
/// The default limit of git's standard output, in bytes.
const MAX_STDOUT: u64 = 64 << 20;
/// The default time limit of a call of git, in seconds.
const DEFAULT_TIMEOUT: u64 = 600;
/// The environment variable that sets the time limit of a call of git, in seconds.
const TIMEOUT_VARIABLE: &str = "MERGE3_GIT_TIMEOUT";

/// The help where git cannot be run.
const INSTALL: &str = "install git 2.36 or later, and see that it is on the PATH";
/// The time limit of a credential helper, which may ask the user.
const HELPER_TIMEOUT: Duration = Duration::from_secs(120);

/// Returns what the `get` command of a docker credential helper prints for a server; `None` if the
/// helper cannot be started, fails, or takes too long.
pub(crate) fn query_credential_helper(program: &Path, server: &str) -> Option<Vec<u8>> {
    let limits = Limits {
        max_stdout: 1 << 20,
        timeout: HELPER_TIMEOUT,
        untrusted: false,
    };
    let mut command = Command::new(program);
    let output = bounded::run(command.arg("get"), server.as_bytes(), &limits).ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns the path of an executable, looked up in the absolute folders of PATH. Relative ones are
/// skipped, because they could lie in a package.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut files = folders.map(|it| it.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
    files.find(|file| file.is_file())
}

/// A builder for one call of git, in a work tree or on a bare repository.
#[derive(Debug)]
pub(crate) struct Git {
    command: Command,
    limits: Limits,
    /// The first argument that a caller added, for errors.
    name: Option<OsString>,
}

/// The requested fields of each commit, or git's error message.
type Log<const N: usize> = Result<Vec<[String; N]>, String>;

impl Git {
    /// A call at the top of a work tree. Git searches for the repository from there upwards, never
    /// in a package.
    pub(crate) fn at(top: &Path) -> Self {
        Self::with_hooks_at(top).without_hooks()
    }

    /// A call like that of [`Git::at`] that runs the user's hooks.
    pub(crate) fn with_hooks_at(top: &Path) -> Self {
        let mut git = Self::without_repository_variables();
        git.command.current_dir(top);
        git.limits.untrusted = false;
        git
    }

    /// A call in the current folder that keeps the environment's choice of a repository, which git
    /// sets when it runs the merge driver.
    pub(crate) fn here() -> Self {
        let mut git = Self::with_common_options().without_hooks();
        git.limits.untrusted = false;
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

    /// A call that needs no existing repository. It uses the configuration of the current work
    /// tree, if there is one.
    pub(crate) fn new() -> Self {
        let mut git = Self::without_repository_variables().without_hooks();
        if let Ok(current) = std::env::current_dir() {
            let top = top_of(&current);
            let root = || current.ancestors().last().map(Path::to_owned);
            if let Some(folder) = top.or_else(root) {
                git.command.current_dir(folder);
            }
        }
        git
    }

    fn without_repository_variables() -> Self {
        let mut git = Self::with_common_options();
        for name in REPOSITORY_VARIABLES {
            git.command.env_remove(name);
        }
        git
    }

    fn with_common_options() -> Self {
        let mut command = Command::new("git");
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GCM_INTERACTIVE", "never")
            // any other prompt, in a window or on the terminal, fails
            .env("SSH_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .args(COMMON_SETTINGS.iter().flat_map(|it| ["-c", it]));
        for (name, value) in [
            ("GIT_HTTP_LOW_SPEED_LIMIT", "1"),
            ("GIT_HTTP_LOW_SPEED_TIME", "120"),
        ] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        if std::env::var_os(ALLOWED_PROTOCOLS).is_none() {
            // ext:: runs any command that an address names
            command.args(["-c", "protocol.ext.allow=never"]);
        }
        Self {
            command,
            limits: Limits {
                max_stdout: MAX_STDOUT,
                timeout: timeout(),
                untrusted: true,
            },
            name: None,
        }
    }

    fn without_hooks(mut self) -> Self {
        self.command.args(["-c", "core.hooksPath=/dev/null"]);
        self
    }

    /// Makes ssh fail instead of prompting, unless the user has configured an ssh command.
    pub(crate) fn without_ssh_prompts(mut self) -> Self {
        let is_set = ["GIT_SSH_COMMAND", "GIT_SSH"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        let is_configured = || {
            let setting = Self::new().arg("config").arg("core.sshCommand").output();
            setting.is_ok_and(|output| output.status.success())
        };
        if !is_set && !is_configured() {
            self.command.env("GIT_SSH_COMMAND", SSH_COMMAND);
        }
        self
    }

    /// Keeps a partial clone from fetching the objects that it lacks.
    pub(crate) fn offline(mut self) -> Self {
        self.command.env("GIT_NO_LAZY_FETCH", "1");
        self
    }

    /// Uses an index file in place of the work tree's.
    pub(crate) fn with_index(mut self, index: &Path) -> Self {
        self.command.env("GIT_INDEX_FILE", index);
        // a split index would look for its shared part beside the work tree's index
        self.command.args(["-c", "core.splitIndex=false"]);
        self
    }

    /// Limits standard output to this many bytes.
    pub(crate) fn max_output(mut self, bytes: u64) -> Self {
        self.limits.max_stdout = bytes;
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(&argument);
        self.name
            .get_or_insert_with(|| argument.as_ref().to_owned());
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = S>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Runs git and returns its output, whatever its exit status is.
    ///
    /// # Errors
    /// If git cannot be started, takes too long or prints too much.
    pub(crate) fn output(self) -> Result<Output, Error> {
        self.output_with_input(&[])
    }

    /// Runs git like [`Git::output`], with `input` on its standard input.
    ///
    /// # Errors
    /// As for [`Git::output`].
    pub(crate) fn output_with_input(mut self, input: &[u8]) -> Result<Output, Error> {
        let output = bounded::run(&mut self.command, input, &self.limits);
        output.map_err(|error| self.error(&error))
    }

    /// Starts git, which then runs beside this process, without input and without its messages. Its
    /// output has to be short.
    ///
    /// # Errors
    /// If git cannot be started.
    pub(crate) fn start(mut self) -> io::Result<RunningGit> {
        let command = self.command.stdin(Stdio::null()).stderr(Stdio::null());
        bounded::start(command, &self.limits)
    }

    /// Runs git like [`Git::output_with_input`], with each of `lines` on a line.
    pub(crate) fn output_with_lines(self, lines: &[impl Borrow<str>]) -> Result<Output, Error> {
        self.output_with_input((lines.join("\n") + "\n").as_bytes())
    }

    /// Runs git and returns its standard output, or the [`reason()`] if it exits with an error.
    ///
    /// # Errors
    /// As for [`Git::output`].
    pub(crate) fn stdout(self) -> Result<Result<Vec<u8>, String>, Error> {
        let output = self.output()?;
        Ok(match output.status.success() {
            true => Ok(output.stdout),
            false => Err(reason(&output)),
        })
    }

    /// Runs git and returns its standard output as text, without line breaks at the end; `None` if
    /// it exits with an error.
    ///
    /// # Errors
    /// As for [`Git::output`].
    pub(crate) fn stdout_text(self) -> Result<Option<String>, Error> {
        let stdout = self.stdout()?.ok();
        Ok(stdout.map(|stdout| {
            let text = String::from_utf8_lossy(&stdout);
            text.trim_end_matches(['\n', '\r']).to_owned()
        }))
    }

    /// Runs `git log` with further arguments and returns fields of each commit. `fields` are
    /// placeholders of `git log --format`.
    ///
    /// # Errors
    /// As for [`Git::output`].
    pub(crate) fn log<const N: usize, S: AsRef<OsStr>>(
        self,
        fields: [&str; N],
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Log<N>, Error> {
        let format = format!("--format={}", fields.join("%x1f"));
        let log = self.args(["log", "-z", "--no-show-signature", &format]);
        let stdout = log.args(arguments).stdout()?;
        Ok(stdout.map(|stdout| {
            let text = String::from_utf8_lossy(&stdout);
            let commits = text.split('\0').filter_map(|commit| {
                let fields: Vec<String> = commit.splitn(N, '\u{1f}').map(str::to_owned).collect();
                fields.try_into().ok().filter(|_| !commit.is_empty())
            });
            commits.collect()
        }))
    }

    /// Returns the error for a call that did not run to its end.
    fn error(&self, error: &io::Error) -> Error {
        let name = self.name.as_ref().map(|it| it.to_string_lossy());
        let (name, limits) = (name.unwrap_or_default(), &self.limits);
        match error.kind() {
            ErrorKind::TimedOut => Error::refused(
                format!(
                    "git {name} did not end within {} seconds, and was stopped",
                    limits.timeout.as_secs()
                ),
                format!(
                    "see whether the server answers; where it is only \
                     slow, set {TIMEOUT_VARIABLE} to more seconds"
                ),
            ),
            ErrorKind::FileTooLarge => Error::refused(
                format!(
                    "git {name} prints more than {} MiB, and was stopped",
                    limits.max_stdout >> 20
                ),
                "no package needs as much: check the size of the upstream package",
            ),
            ErrorKind::NotFound => Error::refused("there is no git on this machine", INSTALL),
            _ => Error::refused(format!("git cannot be run: {error}"), INSTALL),
        }
    }
}

/// Returns the nearest folder, from `folder` upwards, that contains `.git`. A folder that looks
/// like a bare repository does not count, because it may be content of a package.
pub(crate) fn top_of(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let mut ancestors = folder.ancestors();
    ancestors
        .find(|ancestor| ancestor.join(".git").symlink_metadata().is_ok())
        .map(Path::to_owned)
}

fn timeout() -> Duration {
    let value = std::env::var(TIMEOUT_VARIABLE).ok();
    let seconds = value.and_then(|text| text.parse().ok());
    let seconds = seconds.filter(|seconds| *seconds > 0);
    Duration::from_secs(seconds.unwrap_or(DEFAULT_TIMEOUT))
}
