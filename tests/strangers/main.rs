//! What somebody else's package, repository or server can do to whoever gets and upgrades it: nothing. The real binary, the real git,
//! and objects that git itself would refuse to make.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests may

mod code;
mod decisions;
mod forge;
#[allow(dead_code)]
#[path = "../upgrade/harness.rs"]
mod harness;
mod limits;
mod owners;
#[allow(dead_code)]
#[path = "../support/ran.rs"]
mod ran;
mod records;
mod trees;
