//! Attacks: what packages from strangers try, with the real binary. docs/reliability.md lists them.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "../upgrade/harness.rs"]
#[allow(dead_code)] // it is shared with tests/upgrade
mod harness;
mod interrupted;
mod links;
mod modes;
mod options;
#[path = "../support/ran.rs"]
mod ran;
mod recovery;
mod screens;
mod secrets;
