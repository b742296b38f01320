//! Vendors packages from upstream repositories, finds outdated ones, and upgrades them.
//!
//! A package's record says where it comes from and which commit its files were made from. An
//! upgrade reads that commit and the new one out of git's objects, merges with the same rules as
//! any merge, and brings the record up to date.
//!
//! From the ground up: `address` and `host` read addresses; `version` and `refs` say what a
//! name means; `registry`, `cache` and `remote` speak with servers, and `fetch`, `objects` and
//! `archives` get the files of a version, which `tree` checks; `record` and `kptfile` are what a
//! package says of itself; `subpackages` and `package_upgrade` merge one package; `worktree`,
//! `commit` and `branch` commit; `find` finds packages, and `batch` upgrades many of them. Beside
//! it stand the other commands: `get`, `adopt` (with `nearest` and `vendir`) and `outdated`.

mod address;
mod adopt;
mod archives;
mod batch;
mod branch;
mod cache;
mod commit;
mod edit;
mod fetch;
mod find;
mod get;
mod history;
mod host;
mod kptfile;
mod message;
mod misspelled;
mod nearest;
mod nested_package;
mod objects;
mod outcome;
mod outdated;
mod package_upgrade;
mod pasted_address;
mod record;
mod refs;
mod registry;
mod remote;
mod report;
mod repositories;
mod subpackages;
mod tree;
mod unfinished;
mod vendir;
mod version;
mod worktree;

pub(crate) use adopt::{adopt, original};
pub(crate) use batch::{Host, upgrade};
pub(crate) use cache::Cache;
pub(crate) use find::{Packages, Shard};
pub(crate) use get::get;
pub(crate) use message::Template;
pub(crate) use outcome::PackageOutcome;
pub(crate) use outdated::outdated;
pub(crate) use package_upgrade::{Upgrade, UpgradeOptions};
pub(crate) use remote::Remotes;
pub(crate) use report::{
    outdated_json, outdated_markdown, outdated_text, upgrade_html, upgrade_json, upgrade_markdown,
    upgrade_text,
};
pub(crate) use version::{Choice, Within};
