//! What somebody else's package, repository or server can do to whoever gets and upgrades it:
//! nothing. The real binary, the real git, and objects that git itself would refuse to make.
//! docs/reliability.md lists the attacks.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests may

mod archives;
mod cache;
mod code;
mod decisions;
mod driver;
mod forge;
#[path = "../upgrade/harness.rs"]
#[allow(dead_code)] // it is shared with tests/upgrade
mod harness;
mod interrupted;
mod limits;
mod links;
mod markdown;
mod meanwhile;
mod modes;
#[path = "../support/moments.rs"]
mod moments;
mod options;
mod owners;
#[path = "../support/path.rs"]
mod path;
mod records;
mod recovery;
#[path = "../support/run_output.rs"]
mod run_output;
mod screens;
mod secrets;
#[path = "../support/archives.rs"]
mod served;
mod trees;
mod words;
