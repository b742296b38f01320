//! Tests what can go wrong around a merge: a full disk, a killed process, two runs at once,
//! untrusted input.
//!
//! The tests show the promises of docs/reliability.md. `make soak` runs the long ones longer
//! (`SOAK`).
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // a failing helper fails the test

#[path = "../support/crashing_disk.rs"]
mod crashing_disk;
mod every_write;
mod files;
mod full_disk;
mod harness;
mod kill;
#[path = "../support/moments.rs"]
mod moments;
mod output;
#[path = "../support/run_output.rs"]
mod run_output;
mod secrets;
mod subcommands;
mod two_at_once;
