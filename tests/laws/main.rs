//! The seven laws of SPEC 1 on random packages, against a reference merge of plain values.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails
#![allow(unreachable_pub)] // what these modules share is seen by this crate alone

mod documents;
mod drive;
#[path = "../generate/mod.rs"]
mod generate;
mod packages;
#[path = "../reference/mod.rs"]
mod reference;
mod rows;
mod survey;
mod untouched;
#[path = "../value/mod.rs"]
mod value;
mod writing;

/// At least so many cases; the environment may ask for more.
fn config(cases: u32) -> proptest::test_runner::Config {
    let mut config = proptest::test_runner::Config {
        failure_persistence: None,
        ..Default::default()
    };
    config.cases = cases.max(if std::env::var_os("PROPTEST_CASES").is_some() {
        config.cases
    } else {
        0
    });
    config
}
