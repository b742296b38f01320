//! Packages that come from upstream: the real binary, the real git, bare repositories over file://
//! and over HTTP.
#![allow(clippy::unwrap_used)] // helpers of tests may

mod commits;
#[cfg(unix)]
#[path = "../support/ending.rs"]
mod ending;
mod fleet;
mod guide;
mod harness;
mod http;
#[cfg(unix)]
mod killed;
#[path = "../support/path.rs"]
mod path;
#[path = "../support/ran.rs"]
mod ran;
mod real;
mod refused;
mod server;
mod subpackages;
mod vendoring;
mod versions;
