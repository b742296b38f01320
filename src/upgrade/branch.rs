//! The branch that upgrades are committed to.
//!
//! An existing branch is recreated from the commit at which the run starts, unless it has a commit
//! that no upgrade made: then it is refused. If the new commits equal the old ones, the branch is
//! restored, so that its commits keep their hashes.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::commit::TRAILER;
use super::worktree::{LOCK_TIMEOUT, retry_while_locked, succeeded};
use crate::error::Error;
use crate::git_process::Git;
use crate::visible::visible;

/// The branches of a run, one in each repository.
#[derive(Debug)]
pub(super) struct Branches {
    branches: Vec<Branch>,
    created: OnceLock<Result<(), Error>>,
}

#[derive(Debug)]
struct Branch {
    top: PathBuf,
    name: String,
    /// The commit of the branch before the run, if it existed.
    old: Option<String>,
    /// Whether it was checked out before the run.
    is_checked_out: bool,
}

impl Branches {
    /// Checks the branch in each repository. If it is checked out, goes back to the commit that it
    /// was made from.
    ///
    /// # Errors
    /// If the name is invalid, or the branch has a commit that no upgrade made.
    pub(super) fn prepare(
        tops: &HashMap<PathBuf, PathBuf>,
        name: Option<&str>,
    ) -> Result<Self, Error> {
        let tops: BTreeSet<&PathBuf> = tops.values().filter(|_| name.is_some()).collect();
        let examine = |top: &PathBuf| Branch::examine(top, name.unwrap_or_default());
        let branches: Vec<Branch> = tops.into_iter().map(examine).collect::<Result<_, _>>()?;
        branches.iter().try_for_each(Branch::go_to_base)?;
        Ok(Self {
            branches,
            created: OnceLock::new(),
        })
    }

    /// Creates the branches and checks them out, at the first call: before the first upgrade is
    /// written.
    ///
    /// # Errors
    /// If git fails.
    pub(super) fn create(&self) -> Result<(), Error> {
        let create = || self.branches.iter().try_for_each(Branch::create);
        let created = self.created.get_or_init(create).as_ref();
        created.map_err(Error::again).copied()
    }

    /// Restores each branch to its old commits if the new ones equal them. Returns the old commit
    /// for each new one that it replaces.
    ///
    /// # Errors
    /// If git fails.
    pub(super) fn finish(&self) -> Result<HashMap<String, String>, Error> {
        let mut replaced = HashMap::new();
        for branch in &self.branches {
            replaced.extend(branch.finish()?);
        }
        Ok(replaced)
    }
}

impl Branch {
    /// Reads the state of a branch.
    fn examine(top: &Path, name: &str) -> Result<Self, Error> {
        let check = ["check-ref-format", "--branch", name];
        let valid = Git::at(top).args(check).stdout_text()?;
        if valid.is_none() || name.starts_with('-') {
            let message = format!("'{}' is not the name of a branch", visible(name));
            let help = "name another one with --branch";
            return Err(Error::package(top, message, help));
        }
        let is_checked_out = current_branch(top)?.as_deref() == Some(name);
        let mut old = None;
        for refs in ["refs/heads", "refs/remotes/origin"] {
            let Some(tip) = tip_of(top, refs, name)? else {
                continue;
            };
            if !is_checked_out {
                refuse_changed(top, name, &tip)?;
            }
            old.get_or_insert(tip);
        }
        Ok(Self {
            top: top.to_owned(),
            name: name.to_owned(),
            old,
            is_checked_out,
        })
    }

    /// Returns the key in git's configuration with the name of the branch that this one was made
    /// from.
    fn base_key(&self) -> String {
        format!("branch.{}.merge3base", self.name)
    }

    /// If the branch is checked out and ends in commits of upgrades, resets it to the branch that
    /// it was made from, or to the commit below the upgrades.
    fn go_to_base(&self) -> Result<(), Error> {
        if !self.is_checked_out {
            return Ok(());
        }
        // a reset could lose uncommitted changes
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
            .args(["config", "--get", &self.base_key()])
            .stdout_text()?;
        let base = base.map(|base| tip_of(&self.top, "refs/heads", &base));
        // the base branch does not serve if this one has other commits too: they must stay
        let has_all_others = |tip: &String| {
            let more = commits(&self.top, &["HEAD", &format!("^{tip}")], 1001);
            more.is_ok_and(|more| more.iter().all(|it| it.is_ours))
        };
        let base = base.transpose()?.flatten().filter(has_all_others);
        self.checkout(base.as_deref().unwrap_or(&below.hash))
    }

    /// Creates the branch at the current commit and checks it out, unless it was checked out.
    fn create(&self) -> Result<(), Error> {
        if self.is_checked_out {
            return Ok(());
        }
        let from = current_branch(&self.top)?;
        self.checkout("HEAD")?;
        if let Some(from) = from {
            // without this setting, the commit below the upgrades is the base
            let config = ["config", &self.base_key(), &from];
            Git::at(&self.top).args(config).output()?;
        }
        Ok(())
    }

    /// Sets the branch to a commit and checks it out.
    fn checkout(&self, commit: &str) -> Result<(), Error> {
        let options = ["checkout", "-q", "--no-track", "-B"];
        let attempt = || {
            let checkout = Git::at(&self.top).args(options);
            let checkout = checkout.args([&self.name, commit, "--"]);
            Ok(succeeded(&checkout.output()?))
        };
        retry_while_locked(LOCK_TIMEOUT, attempt)?.map_err(|failure| {
            let (name, reason) = (&self.name, failure.reason);
            let message = format!("branch '{name}' cannot be made: {reason}");
            let help = "check it out yourself, delete it, or name another one with --branch";
            Error::package(&self.top, message, help)
        })
    }

    /// Restores the branch to its old commits if the new ones equal them, or if it was checked out
    /// and has no new ones. Returns pairs of a new commit and the old one that replaces it.
    fn finish(&self) -> Result<Vec<(String, String)>, Error> {
        let is_current = current_branch(&self.top)?.as_ref() == Some(&self.name);
        let Some(old) = self.old.as_ref().filter(|_| is_current) else {
            return Ok(Vec::new());
        };
        let new = commits(&self.top, &["HEAD", &format!("^{old}")], 10_000)?;
        let before = commits(&self.top, &[old, "^HEAD"], 10_000)?;
        // without new commits, the branch must not lose the old ones
        let is_unused = new.is_empty() && self.is_checked_out;
        let contents = new.iter().map(|commit| &commit.content);
        let is_same = contents.eq(before.iter().map(|commit| &commit.content))
            && new.last().map(|it| &it.parents) == before.last().map(|it| &it.parents);
        if !is_unused && !is_same {
            return Ok(Vec::new());
        }
        self.checkout(old)?;
        let pairs = new.into_iter().zip(before);
        Ok(pairs.map(|(new, old)| (new.hash, old.hash)).collect())
    }
}

/// Returns the name of the branch that is checked out; `None` if no branch is.
fn current_branch(top: &Path) -> Result<Option<String>, Error> {
    // with --short, git adds "heads/" to the name if a tag has the same one
    let head = Git::at(top).args(["symbolic-ref", "-q", "HEAD"]);
    let name = |head: String| head.strip_prefix("refs/heads/").map(str::to_owned);
    Ok(head.stdout_text()?.and_then(name))
}

/// Returns the commit of a branch below `refs`, if the branch exists.
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
        "branch '{name}' is left as it is: it has a commit that merge3 did not make ({} {})",
        &foreign.hash[..10],
        visible(&foreign.subject)
    );
    let help =
        "merge or delete it, check it out to go on from there, or name another one with --branch";
    Err(Error::package(top, &message, help))
}

/// A commit of a branch.
struct BranchCommit {
    hash: String,
    parents: String,
    subject: String,
    /// The tree and the message.
    content: [String; 2],
    /// Whether an upgrade made it and it was not amended since.
    is_ours: bool,
}

/// Returns at most `max` commits of a range, the newest first. An invalid range has no commits.
fn commits(top: &Path, range: &[&str], max: usize) -> Result<Vec<BranchCommit>, Error> {
    let trailer = format!("%(trailers:key={TRAILER},valueonly,separator=%x20)");
    let max = format!("--max-count={max}");
    let arguments = ["--first-parent", &max].into_iter();
    let arguments = arguments.chain(range.iter().copied()).chain(["--"]);
    let fields = ["%H", "%T", "%P", "%B", "%s", &trailer];
    let commits = Git::at(top).log(fields, arguments)?.unwrap_or_default();
    let commits = commits.into_iter();
    let commits = commits.map(
        |[hash, tree, parents, message, subject, trailer]| BranchCommit {
            is_ours: trailer.trim() == tree && !parents.contains(' '),
            hash,
            parents,
            subject,
            content: [tree, message],
        },
    );
    Ok(commits.collect())
}
