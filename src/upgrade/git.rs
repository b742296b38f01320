//! The installed git, called so that it never asks anybody anything.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::error::Error;

/// Variables that tie git to a repository, as git itself has them in a hook: none of our calls is about that one.
const TIES: [&str; 11] = [
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
];
/// How lines begin that say nothing of why git failed.
const NOISE: [&str; 5] = [
    "hint:",
    "warning:",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "fatal: Could not read from remote repository.",
];
/// What is said to ssh where nobody has set it up otherwise.
const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=30";

/// A call of git in `folder`, or about the bare repository there.
#[derive(Debug)]
pub(super) struct Git(Command);

impl Git {
    /// A call in a work tree.
    pub(super) fn in_folder(folder: &Path) -> Self {
        let mut git = Self::new();
        git.0.arg("-C").arg(folder);
        git
    }

    /// A call about a bare repository.
    pub(super) fn bare(repository: &Path) -> Self {
        let mut git = Self::new();
        let mut option = std::ffi::OsString::from("--git-dir=");
        option.push(repository);
        git.0.arg(option);
        git
    }

    /// A call about no repository that is there.
    pub(super) fn new() -> Self {
        let mut command = Command::new("git");
        for name in TIES {
            command.env_remove(name);
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GCM_INTERACTIVE", "never")
            // what is left that could open a window or ask on the terminal is answered with a failure
            .env("SSH_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "force")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        for (name, value) in [
            ("GIT_HTTP_LOW_SPEED_LIMIT", "1"),
            ("GIT_HTTP_LOW_SPEED_TIME", "120"),
        ] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        if std::env::var_os("GIT_ALLOW_PROTOCOL").is_none() {
            // ext:: runs any command that an address names
            command.args(["-c", "protocol.ext.allow=never"]);
        }
        Self(command)
    }

    /// Makes ssh fail where it would ask, unless somebody has set up how ssh is called.
    pub(super) fn quiet_ssh(mut self) -> Self {
        let is_set = ["GIT_SSH_COMMAND", "GIT_SSH"]
            .iter()
            .any(|name| std::env::var_os(name).is_some());
        let is_configured = || {
            let asked = Self::new().arg("config").arg("core.sshCommand").output();
            asked.is_ok_and(|output| output.status.success())
        };
        if !is_set && !is_configured() {
            self.0.env("GIT_SSH_COMMAND", SSH);
        }
        self
    }

    /// Lets a question about objects be answered by what is there.
    pub(super) fn offline(mut self) -> Self {
        self.0.env("GIT_NO_LAZY_FETCH", "1");
        self
    }

    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    pub(super) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.0.args(arguments);
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// Where git cannot be started.
    pub(super) fn output(mut self) -> Result<Output, Error> {
        self.0.output().map_err(not_started)
    }

    /// Runs it with something to read.
    ///
    /// # Errors
    /// Where git cannot be started.
    pub(super) fn output_of(mut self, input: &[u8]) -> Result<Output, Error> {
        self.0
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = self.0.spawn().map_err(not_started)?;
        let stdin = child.stdin.take();
        std::thread::scope(|scope| {
            // a pipe that both ends write to and neither reads would hang
            scope.spawn(move || {
                if let Some(mut stdin) = stdin {
                    // where git stops reading, what it says of that tells why
                    let _ = stdin.write_all(input);
                }
            });
            child.wait_with_output().map_err(not_started)
        })
    }

    /// What it prints; none where it fails.
    pub(super) fn ask(self) -> Result<Option<String>, Error> {
        let output = self.output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let text = text.trim_end_matches(['\n', '\r']).to_owned();
        Ok(output.status.success().then_some(text))
    }
}

fn not_started(error: io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::NotFound => "there is no git on this machine".to_owned(),
        _ => format!("git cannot be run: {error}"),
    };
    Error::Git {
        message,
        help: "install git 2.36 or later, and see that it is on the PATH".to_owned(),
    }
}

/// What git says of a failure: its last lines, without what an address holds of a password.
pub(super) fn reason(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.lines().map(str::trim);
    let said: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !NOISE.iter().any(|noise| line.starts_with(noise)))
        .collect();
    let start = said.len().saturating_sub(3);
    let said: Vec<String> = said[start..]
        .iter()
        .map(|line| line.strip_prefix("fatal: ").unwrap_or(line).to_owned())
        .collect();
    if said.is_empty() {
        return "git does not say why".to_owned();
    }
    without_password(&said.join("; "))
}

/// A text in which the user's part of each address is hidden.
pub(super) fn without_password(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        result.push_str(before);
        let end = after
            .find(|c: char| c == '/' || c.is_whitespace() || c == '\'' || c == '"')
            .unwrap_or(after.len());
        let authority = &after[..end];
        match authority.rsplit_once('@') {
            Some((user, host)) if user.contains(':') => {
                let name = user.split(':').next().unwrap_or_default();
                result.push_str(&format!("{name}:***@{host}"));
            }
            _ => result.push_str(authority),
        }
        rest = &after[end..];
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(
            without_password("unable to access 'https://bot:s3cret@example.org/a.git/': no"),
            "unable to access 'https://bot:***@example.org/a.git/': no"
        );
        assert_eq!(without_password("ssh://git@host/a"), "ssh://git@host/a");
    }
}
