//! The branch that upgrades are committed to. A branch that exists is made anew from where this run
//! begins, unless it has a commit that no upgrade made. It stays as it is where that would change
//! nothing.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::commit::TRAILER;
use super::worktree::{PATIENCE, Tried, patiently, why};
use crate::error::Error;
use crate::git_process::Git;
use crate::visible::visible;

/// The branch in each repository of a run.
#[derive(Debug)]
pub(super) struct Branches {
    each: Vec<Branch>,
    done: OnceLock<Result<(), Error>>,
}

#[derive(Debug)]
struct Branch {
    top: PathBuf,
    name: String,
    /// Where it was before, if it was there.
    old: Option<String>,
    /// Whether it is checked out.
    is_here: bool,
}

impl Branches {
    /// Looks at the branch in each repository; where it is checked out, goes back to what it was
    /// made from.
    ///
    /// # Errors
    /// Where it holds somebody's work.
    pub(super) fn prepare(
        tops: &HashMap<PathBuf, PathBuf>,
        name: Option<&str>,
    ) -> Result<Self, Error> {
        let mut each = Vec::new();
        if let Some(name) = name {
            let tops: BTreeSet<&PathBuf> = tops.values().collect();
            for top in tops {
                each.push(Branch::look(top, name)?);
            }
        }
        for branch in &each {
            branch.begin_anew()?;
        }
        Ok(Self {
            each,
            done: OnceLock::new(),
        })
    }

    /// Makes the branches: when there is something to put on them.
    ///
    /// # Errors
    /// Where git refuses.
    pub(super) fn go(&self) -> Result<(), Error> {
        let make = || self.each.iter().try_for_each(Branch::make);
        let done = self.done.get_or_init(make).as_ref();
        done.map_err(Error::again).copied()
    }

    /// Goes back to a branch as it was where nothing has changed; returns the commits that stand
    /// for those of this run then.
    ///
    /// # Errors
    /// Where git cannot be used.
    pub(super) fn finish(&self) -> Result<HashMap<String, String>, Error> {
        let mut same = HashMap::new();
        for branch in &self.each {
            same.extend(branch.finish()?);
        }
        Ok(same)
    }
}

impl Branch {
    fn look(top: &Path, name: &str) -> Result<Self, Error> {
        let git = || Git::at(top);
        let valid = git()
            .args(["check-ref-format", "--branch", name])
            .stdout_text()?;
        if valid.is_none() || name.starts_with('-') {
            let message = format!("'{}' is no name of a branch", visible(name));
            return Err(Error::package(
                top,
                &message,
                "name another one with --branch",
            ));
        }
        let here = git().args(["symbolic-ref", "-q", "HEAD"]).stdout_text()?;
        let is_here = here == Some(format!("refs/heads/{name}"));
        let mut old = None;
        for known in ["refs/heads", "refs/remotes/origin"] {
            let Some(tip) = tip_of(top, known, name)? else {
                continue;
            };
            if !is_here {
                refuse_changed(top, name, &tip)?;
            }
            old.get_or_insert(tip);
        }
        Ok(Self {
            top: top.to_owned(),
            name: name.to_owned(),
            old,
            is_here,
        })
    }

    fn key(&self) -> String {
        format!("branch.{}.merge3base", self.name)
    }

    /// The branch is checked out, and ends in upgrades: goes back to the branch that it was made
    /// from, or to the commit before them.
    fn begin_anew(&self) -> Result<(), Error> {
        if !self.is_here {
            return Ok(());
        }
        // work that is not committed stays where it is, and so does the branch
        let status = ["status", "--porcelain", "--untracked-files=no"];
        if Git::at(&self.top).args(status).stdout()? != Ok(Vec::new()) {
            return Ok(());
        }
        let all = commits(&self.top, &["HEAD"], 1000)?;
        let upgrades = all.iter().take_while(|commit| commit.is_ours).count();
        let Some(below) = all.get(upgrades).filter(|_| upgrades > 0) else {
            return Ok(());
        };
        let base = Git::at(&self.top)
            .args(["config", "--get", &self.key()])
            .stdout_text()?;
        let base = match base {
            Some(base) => {
                // where the branch has got other work in the meantime, that stays below
                let has = |tip: &String| {
                    let more = commits(&self.top, &["HEAD", &format!("^{tip}")], 1001);
                    more.is_ok_and(|more| more.iter().all(|it| it.is_ours))
                };
                tip_of(&self.top, "refs/heads", &base)?.filter(has)
            }
            None => None,
        };
        self.checkout(base.as_deref().unwrap_or(&below.hash))
    }

    fn make(&self) -> Result<(), Error> {
        if self.is_here {
            return Ok(());
        }
        let git = || Git::at(&self.top);
        let from = git()
            .args(["symbolic-ref", "-q", "--short", "HEAD"])
            .stdout_text()?;
        self.checkout("HEAD")?;
        if let Some(from) = from {
            // where that cannot be noted, the commit below the upgrades is the base
            git().args(["config", &self.key(), &from]).output()?;
        }
        Ok(())
    }

    /// Puts the branch at a commit and goes to it.
    fn checkout(&self, commit: &str) -> Result<(), Error> {
        let attempt = || {
            let output = Git::at(&self.top)
                .args([
                    "checkout",
                    "-q",
                    "--no-track",
                    "-B",
                    &self.name,
                    commit,
                    "--",
                ])
                .output()?;
            Ok(Tried::of(output))
        };
        let Tried::Refused(output) = patiently(PATIENCE, attempt)? else {
            return Ok(());
        };
        let message = format!("branch '{}' cannot be made: {}", self.name, why(&output));
        let help = "check it out yourself, delete it, or name another one with --branch";
        Err(Error::package(&self.top, &message, help))
    }

    fn finish(&self) -> Result<Vec<(String, String)>, Error> {
        let head = Git::at(&self.top).args(["symbolic-ref", "-q", "--short", "HEAD"]);
        let is_here = head.stdout_text()?.as_deref() == Some(self.name.as_str());
        let Some(old) = self.old.as_ref().filter(|_| is_here) else {
            return Ok(Vec::new());
        };
        let new = commits(&self.top, &["HEAD", &format!("^{old}")], 10_000)?;
        let before = commits(&self.top, &[old, "^HEAD"], 10_000)?;
        // nothing could be put on it: it is not to lose what it had
        let is_back = new.is_empty() && self.is_here;
        let is_same = new.len() == before.len()
            && new
                .iter()
                .zip(&before)
                .all(|(new, before)| new.is_like(before))
            && new.last().map(|it| &it.parents) == before.last().map(|it| &it.parents);
        if !is_back && !is_same {
            return Ok(Vec::new());
        }
        self.checkout(old)?;
        let pairs = new.into_iter().zip(before);
        Ok(pairs.map(|(new, old)| (new.hash, old.hash)).collect())
    }
}

/// The commit of a branch, if it is there.
fn tip_of(top: &Path, refs: &str, branch: &str) -> Result<Option<String>, Error> {
    let verify = ["rev-parse", "-q", "--verify", "--end-of-options"];
    let name = format!("{refs}/{branch}^{{commit}}");
    Git::at(top).args(verify).arg(name).stdout_text()
}

/// Refuses a branch with a commit that no upgrade made.
fn refuse_changed(top: &Path, name: &str, tip: &str) -> Result<(), Error> {
    let commits = commits(top, &[tip, "^HEAD"], 10_000)?;
    let Some(foreign) = commits.iter().find(|commit| !commit.is_ours) else {
        return Ok(());
    };
    let message = format!(
        "branch '{name}' is left as it is: somebody else's commit is on it ({} {})",
        &foreign.hash[..10],
        visible(&foreign.subject)
    );
    let help =
        "merge or delete it, check it out to go on from there, or name another one with --branch";
    Err(Error::package(top, &message, help))
}

/// A commit of a branch.
struct Logged {
    hash: String,
    tree: String,
    parents: String,
    message: String,
    subject: String,
    /// Whether an upgrade made it, and nobody changed it since.
    is_ours: bool,
}

impl Logged {
    fn is_like(&self, other: &Self) -> bool {
        self.tree == other.tree && self.message == other.message
    }
}

/// So many commits of a range, the newest first.
fn commits(top: &Path, range: &[&str], most: usize) -> Result<Vec<Logged>, Error> {
    let trailer = format!("%(trailers:key={TRAILER},valueonly,separator=%x20)");
    let most = format!("--max-count={most}");
    let arguments = ["--first-parent", &most].into_iter();
    let arguments = arguments.chain(range.iter().copied()).chain(["--"]);
    let fields = ["%H", "%T", "%P", "%B", "%s", &trailer];
    // a range that is none has no commits
    let commits = Git::at(top).log(fields, arguments)?.unwrap_or_default();
    let commits = commits.into_iter();
    let commits = commits.map(|[hash, tree, parents, message, subject, said]| Logged {
        is_ours: said.trim() == tree && !parents.contains(' '),
        hash,
        tree,
        parents,
        message,
        subject,
    });
    Ok(commits.collect())
}
