//! The real binary on real folders.
#![allow(clippy::unwrap_used)] // helpers of tests may

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
#[path = "../support/ran.rs"]
mod ran;
mod reports;
mod rules;
mod schema;
mod standard_input;
mod texts;
