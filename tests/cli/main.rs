//! Tests of the real binary on real folders.
#![allow(clippy::unwrap_used)] // a failing helper fails the test

mod apply;
mod errors;
mod files;
mod forks;
mod harness;
mod help;
mod limits;
mod merges;
mod output;
mod packages;
mod page;
mod reports;
mod rules;
#[path = "../support/run_output.rs"]
mod run_output;
mod schema;
mod standard_input;
mod texts;
