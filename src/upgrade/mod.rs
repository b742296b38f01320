//! Vendors packages from upstream repositories, finds outdated ones, and upgrades them.
//!
//! A package's [`Record`] says where it comes from and which commit its files were made from. An
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

pub use address::Origin;
pub use adopt::{Adopted, adopt, original};
pub use batch::{Commits, Host, upgrade};
pub use cache::{CACHE_VARIABLE, Cache};
pub use find::{Packages, Shard};
pub use get::{Vendored, get};
pub use history::Commit;
pub use message::Template;
pub use nearest::Nearness;
pub use outcome::PackageOutcome;
pub use outdated::{Outdated, outdated};
pub use package_upgrade::{Upgrade, UpgradeOptions};
pub use record::{Record, UpstreamLock};
pub use refs::Version;
pub use remote::Remotes;
pub use report::{
    outdated_json, outdated_markdown, outdated_text, upgrade_html, upgrade_json, upgrade_markdown,
    upgrade_text,
};
pub use version::{Choice, Within};
