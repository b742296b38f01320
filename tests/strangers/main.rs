//! Tests that untrusted packages, repositories and servers cannot harm the user who gets and
//! upgrades them. They run the real binary, the real git, and objects that git itself would refuse
//! to create. docs/reliability.md lists the attacks.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a failing helper fails the test

mod archives;
mod cache;
mod code;
mod decisions;
mod driver;
mod forge;
#[path = "../upgrade/harness.rs"]
#[allow(dead_code)] // tests/upgrade uses the rest of it
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
