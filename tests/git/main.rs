//! Tests the merge driver, called by the real git, and its other commands.
#![allow(clippy::unwrap_used)] // a failing helper fails the test

mod alike;
mod contract;
mod harness;
mod lost;
mod operations;
#[path = "../support/path.rs"]
mod path;
mod places;
#[path = "../support/run_output.rs"]
mod run_output;
mod settings;
mod setup;
mod solve;
