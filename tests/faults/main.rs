//! What goes wrong around a merge: a disk that is full, a process that is killed, two runs at once,
//! input from strangers.
//!
//! What docs/reliability.md promises is shown here. `make soak` runs the long ones longer (`SOAK`).
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests may

#[path = "../support/ending.rs"]
mod ending;
mod every_write;
mod files;
mod full_disk;
mod harness;
mod kill;
#[path = "../support/moments.rs"]
mod moments;
mod output;
#[path = "../support/ran.rs"]
mod ran;
mod secrets;
mod subcommands;
mod two_at_once;
