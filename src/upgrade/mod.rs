//! Vendors packages from upstream repositories, finds outdated ones, and upgrades them.
//!
//! The record of a package names its origin and the commit of its files. An upgrade reads that
//! commit and the new one from git's objects, merges them with the local files, and updates the
//! record.
//!
//! The modules, each using those before it: `address` and `host` parse addresses; `version` and
//! `refs` resolve names of versions; `cache` and `remote` talk to servers; `fetch`, `objects` and
//! `registry` get the files of a version, which `tree` checks; `record` and `kptfile`
//! read and write the record; `subpackages` and `package_upgrade` merge one package; `worktree`,
//! `commit` and `branch` make commits; `find` finds packages, and `batch` upgrades them. `get` has
//! the commands `get` and `adopt` (with `nearest`).

mod address;
mod batch;
mod branch;
mod cache;
mod commit;
mod edit;
mod fetch;
mod find;
mod get;
mod host;
mod kptfile;
mod message;
mod nearest;
mod objects;
mod package_upgrade;
mod record;
mod refs;
mod registry;
mod remote;
mod report;
mod subpackages;
mod tree;
mod version;
mod worktree;

pub(crate) use batch::upgrade;
pub(crate) use cache::Cache;
pub(crate) use find::{PackageOutcome, Shard};
pub(crate) use get::{adopt, get, original};
pub(crate) use message::Template;
pub(crate) use package_upgrade::{Upgrade, UpgradeOptions, outdated};
pub(crate) use remote::Remotes;
pub(crate) use report::{
    outdated_json, outdated_markdown, outdated_text, upgrade_html, upgrade_json, upgrade_markdown,
    upgrade_text,
};
pub(crate) use version::Choice;
