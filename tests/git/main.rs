//! The merge driver, called by the real git, and what goes with it.
#![allow(clippy::unwrap_used)] // helpers of tests may

mod alike;
mod contract;
mod harness;
mod lost;
mod operations;
#[path = "../support/path.rs"]
mod path;
mod places;
#[path = "../support/ran.rs"]
mod ran;
mod setup;
mod solve;
