//! The seven laws of SPEC 1 on random packages, against a reference merge of plain values.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test that cannot go on fails
#![allow(unreachable_pub)] // what these modules share is seen by this crate alone

mod apply;
mod documents;
mod drive;
#[path = "../generate/mod.rs"]
mod generate;
mod packages;
mod patches;
#[path = "../reference/mod.rs"]
mod reference;
mod rows;
mod survey;
mod untouched;
#[path = "../value/mod.rs"]
mod value;
mod writing;

/// At least so many cases, the same in every run; `PROPTEST_CASES` may ask for more, and then they are others each time.
fn config(cases: u32) -> proptest::test_runner::Config {
    let mut config = proptest::test_runner::Config {
        failure_persistence: None,
        rng_seed: match std::env::var_os("PROPTEST_CASES") {
            Some(_) => proptest::test_runner::RngSeed::Random,
            None => proptest::test_runner::RngSeed::Fixed(1),
        },
        ..Default::default()
    };
    config.cases = cases.max(if std::env::var_os("PROPTEST_CASES").is_some() {
        config.cases
    } else {
        0
    });
    config
}
