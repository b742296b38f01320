//! Packages that come from upstream repositories: vendored, seen to be outdated, upgraded.
//!
//! A package's [`Record`] says where it comes from and which commit its files were made from. An
//! upgrade reads that commit and the new one out of git's objects, merges with the same rules as
//! ever, and brings the record up to date.

mod address;
mod adopt;
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
mod nearest;
mod nested_package;
mod objects;
mod outdated;
mod package_upgrade;
mod pasted_address;
mod record;
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
pub use batch::{Commits, Host, Outcome, Packages, upgrade};
pub use cache::{CACHE_VARIABLE, Cache};
pub use find::Shard;
pub use get::{Vendored, get};
pub use history::Commit;
pub use message::Template;
pub use nearest::Nearness;
pub use outdated::{Outdated, outdated};
pub use package_upgrade::{Upgrade, UpgradeOptions};
pub use record::{Lock, Record};
pub use remote::{Remotes, Version};
pub use report::{
    outdated_json, outdated_markdown, outdated_text, upgrade_html, upgrade_json, upgrade_markdown,
    upgrade_text,
};
pub use version::{Choice, Within};
