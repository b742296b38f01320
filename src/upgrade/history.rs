//! What upstream committed between two versions of a package.

use serde::Serialize;

use super::address::Place;
use super::cache::{Store, hash};
use super::registry::is_archive;
use super::remote::{Remotes, Resolved};
use crate::error::Error;
use crate::git_process::reason;

/// One of upstream's commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Its hash.
    #[serde(rename = "commit")]
    pub hash: String,
    /// When it was committed, as ISO 8601 has it.
    pub date: String,
    /// Who wrote it.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// Between the parts of a line of the log.
const SEPARATOR: char = '\u{1f}';

impl Remotes<'_> {
    /// The commits that lead from one version to another and change something in the package's
    /// folder, the newest first. `None` if the server does not tell.
    ///
    /// # Errors
    /// Where git or the cache cannot be used.
    pub(super) fn commits(
        &self,
        place: &Place,
        from: &Resolved,
        to: &Resolved,
    ) -> Result<Option<Vec<Commit>>, Error> {
        if is_archive(&place.repository) {
            return Ok(None);
        }
        if from.commit == to.commit {
            return Ok(Some(Vec::new()));
        }
        // a repository of its own: what is cut off in it belongs to these two versions
        let range = format!("{}\n{}\n{}", place.repository, from.commit, to.commit);
        let name = format!("{}-log", hash(range.as_bytes()));
        let store = self.cache.store_named(&name, &place.repository)?;
        let _alone = store.alone()?;
        if !store.path.is_dir() {
            return Ok(None);
        }
        if !store.path.join("merge3-fetched").is_file() {
            self.tell(&format!(
                "reading what upstream committed in {}",
                place.shown()
            ));
            if !self.fetch_range(&store, place, from, to)? {
                return Ok(None);
            }
            // where that cannot be noted, it is fetched again
            let _ = std::fs::write(store.path.join("merge3-fetched"), "");
        }
        store.log(place, from, to).map(Some)
    }

    /// Fetches the commits and trees that lead from one version to the other, and one more on each
    /// way.
    fn fetch_range(
        &self,
        store: &Store,
        place: &Place,
        from: &Resolved,
        to: &Resolved,
    ) -> Result<bool, Error> {
        let since = self.store(place)?.date(&from.commit)?;
        let limits = [
            from.tag
                .then(|| format!("--shallow-exclude=refs/tags/{}", from.full)),
            since.map(|date| format!("--shallow-since={date}")),
        ];
        let named = format!("refs/{}/{}", if to.tag { "tags" } else { "heads" }, to.full);
        for limit in limits.into_iter().flatten() {
            for wanted in [to.commit.as_str(), named.as_str()] {
                let fetched = store.fetch(&["--filter=blob:none", &limit], &[wanted])?;
                if fetched.status.success() && store.has_commit(&to.commit)? {
                    let _ = store.fetch(&["--filter=blob:none", "--deepen=1"], &[wanted])?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

impl Store {
    /// When a commit was made, in seconds.
    fn date(&self, commit: &str) -> Result<Option<String>, Error> {
        self.git()
            .offline()
            .args([
                "log",
                "-1",
                "--no-show-signature",
                "--format=%ct",
                commit,
                "--",
            ])
            .ask()
    }

    fn log(&self, place: &Place, from: &Resolved, to: &Resolved) -> Result<Vec<Commit>, Error> {
        // the commits at the edge are there to compare with, and are none of those that lead here
        let shallow = std::fs::read_to_string(self.path.join("shallow")).unwrap_or_default();
        let mut without: Vec<String> = shallow
            .lines()
            .filter(|edge| *edge != to.commit)
            .map(|edge| format!("^{edge}"))
            .collect();
        if self.has_commit(&from.commit)? {
            without.push(format!("^{}", from.commit));
        }
        let format = format!("--format=%H{SEPARATOR}%cI{SEPARATOR}%an{SEPARATOR}%s");
        let mut git = self
            .git()
            .offline()
            .args(["log", "-z", "--no-show-signature", "--no-renames"])
            .args([&format, &to.commit])
            .args(&without)
            .arg("--");
        if !place.directory.is_empty() {
            git = git.arg(&place.directory);
        }
        let output = git.output()?;
        if !output.status.success() {
            return Err(self.broken(&reason(&output)));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.split('\0').filter_map(commit).collect())
    }
}

fn commit(line: &str) -> Option<Commit> {
    let mut parts = line.splitn(4, SEPARATOR).map(str::to_owned);
    Some(Commit {
        hash: parts.next().filter(|hash| !hash.is_empty())?,
        date: parts.next()?,
        author: parts.next()?,
        subject: parts.next()?,
    })
}
