//! Reads upstream's commits between two versions of a package.

use serde::Serialize;

use super::address::{Origin, is_archive};
use super::cache::Store;
use super::refs::Version;
use super::remote::Remotes;
use crate::error::Error;

/// One of upstream's commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Commit {
    /// Its hash.
    #[serde(rename = "commit")]
    pub hash: String,
    /// The date of the commit, in ISO 8601.
    pub date: String,
    /// The name of its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// Returns the date without the time.
    pub(super) fn day(&self) -> &str {
        self.date.get(..10).unwrap_or(&self.date)
    }
}

impl Remotes<'_> {
    /// Returns the commits from one version to another that change something in the package's
    /// folder, the newest first. `None` if the server does not send them.
    ///
    /// # Errors
    /// If git or the cache cannot be used.
    pub(super) fn commits(
        &self,
        origin: &Origin,
        from: &Version,
        to: &Version,
    ) -> Result<Option<Vec<Commit>>, Error> {
        if is_archive(&origin.repository) {
            return Ok(None);
        }
        if from.commit == to.commit {
            return Ok(Some(Vec::new()));
        }
        // a separate repository, because the commits at which its history is cut off depend on
        // these two versions
        let range = format!("{}\n{}", from.commit, to.commit);
        let (store, _lock) = self.cache.locked_log(&origin.repository, &range)?;
        if !store.path.join("merge3-fetched").is_file() {
            self.tell(&format!(
                "reading what upstream committed in {}",
                origin.shown()
            ));
            if !self.fetch_range(&store, origin, from, to)? {
                return Ok(None);
            }
            // without this mark, the next run fetches again
            let _ = std::fs::write(store.path.join("merge3-fetched"), "");
        }
        store.log(origin, from, to).map(Some)
    }

    /// Fetches the commits and trees from one version to the other, and one more commit on each
    /// line of history to compare with. Returns whether the server sent them.
    fn fetch_range(
        &self,
        store: &Store,
        origin: &Origin,
        from: &Version,
        to: &Version,
    ) -> Result<bool, Error> {
        let since = self.cache.store(&origin.repository).date(&from.commit)?;
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
    /// Returns the date of a commit, in seconds.
    fn date(&self, commit: &str) -> Result<Option<String>, Error> {
        let log = self.git().log(["%ct"], ["-1", commit, "--"])?;
        Ok(log
            .ok()
            .and_then(|commits| commits.into_iter().flatten().next()))
    }

    /// Returns the commits of a folder from one version to another.
    fn log(&self, origin: &Origin, from: &Version, to: &Version) -> Result<Vec<Commit>, Error> {
        // the commits at which history is cut off only serve to compare with
        let shallow = std::fs::read_to_string(self.path.join("shallow")).unwrap_or_default();
        let edges = shallow.lines().filter(|edge| *edge != to.commit);
        let mut range: Vec<String> = edges.map(|edge| format!("^{edge}")).collect();
        if self.has_commit(&from.commit)? {
            range.push(format!("^{}", from.commit));
        }
        let folder = Some(origin.directory.as_str()).filter(|folder| !folder.is_empty());
        let arguments = ["--no-renames", &to.commit].into_iter();
        let arguments = arguments.chain(range.iter().map(String::as_str));
        let arguments = arguments.chain(["--"]).chain(folder);
        let log = self.git().log(["%H", "%cI", "%an", "%s"], arguments)?;
        let commits = log.map_err(|reason| self.broken(&reason))?.into_iter();
        let commits = commits.map(|[hash, date, author, subject]| Commit {
            hash,
            date,
            author,
            subject,
        });
        Ok(commits.collect())
    }
}
