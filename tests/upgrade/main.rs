//! Tests packages that come from upstream, with the real binary, the real git, and bare
//! repositories over file:// and HTTP.
#![allow(clippy::unwrap_used)] // a failing helper fails the test

mod adopting;
mod archives;
mod bots;
mod branches;
mod commits;
#[cfg(unix)]
#[path = "../support/crashing_disk.rs"]
mod crashing_disk;
mod fleet;
mod guide;
mod harness;
mod http;
#[cfg(unix)]
mod killed;
mod network;
mod outdated;
#[path = "../support/path.rs"]
mod path;
mod real;
mod refused;
#[path = "../support/run_output.rs"]
mod run_output;
#[path = "../support/archives.rs"]
mod served;
mod server;
mod subpackages;
mod vendoring;
mod versions;
