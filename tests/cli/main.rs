//! The real binary on real folders.
#![allow(clippy::unwrap_used)] // helpers of tests may

mod errors;
mod files;
mod harness;
mod output;
mod packages;
mod reports;
mod rules;
