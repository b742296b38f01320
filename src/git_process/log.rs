//! Runs `git log` and parses its output.

use std::ffi::OsStr;

use super::Git;
use crate::error::Error;

/// The requested fields of each commit, or git's error message.
type Log<const N: usize> = Result<Vec<[String; N]>, String>;

impl Git {
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
}
