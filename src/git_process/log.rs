//! Commits, as `git log` tells of them.

use std::ffi::OsStr;

use super::Git;
use crate::error::Error;

/// What a log says of commits: the same fields of each, or why there is none.
type Log<const N: usize> = Result<Vec<[String; N]>, String>;

impl Git {
    /// Has git print fields of commits, as `git log --format` names them, with further arguments.
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
        let printed = log.args(arguments).printed()?;
        Ok(printed.map(|printed| {
            let text = String::from_utf8_lossy(&printed);
            let commits = text.split('\0').filter_map(|commit| {
                let fields: Vec<String> = commit.splitn(N, '\u{1f}').map(str::to_owned).collect();
                fields.try_into().ok().filter(|_| !commit.is_empty())
            });
            commits.collect()
        }))
    }
}
