//! Packages that come from upstream repositories: vendored, seen to be outdated, upgraded.
//!
//! A package's [`Record`] says where it comes from and which commit its files were made from. An
//! upgrade reads that commit and the new one out of git's objects, merges with the same rules as
//! ever, and brings the record up to date.

mod address;
mod adopt;
mod branch;
mod cache;
mod commit;
mod fetch;
mod find;
mod fleet;
mod get;
mod history;
mod host;
mod kptfile;
mod message;
mod nested;
mod objects;
mod one;
mod outdated;
mod owner;
mod pasted;
mod record;
mod registry;
mod remote;
mod report;
mod repositories;
mod splice;
mod subpackages;
mod tree;
mod unfinished;
mod vendir;
mod version;
mod worktree;

pub use address::Place;
pub use adopt::{Adopted, Nearness, adopt, original};
pub use cache::{CACHE_VARIABLE, Cache};
pub use find::Shard;
pub use fleet::{Commits, Host, Outcome, Packages, upgrade};
pub use get::{Vendored, get};
pub use history::Commit;
pub use message::Template;
pub use one::{Upgrade, Wish};
pub use outdated::{Outdated, State, outdated};
pub use record::{Lock, Record};
pub use remote::{Remotes, Resolved};
pub use report::{
    Told, outdated_json, outdated_markdown, outdated_text, upgrade_html, upgrade_json,
    upgrade_markdown, upgrade_text,
};
pub use version::{Choice, Within};
