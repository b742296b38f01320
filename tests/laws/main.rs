//! Property tests of the laws (rules: Laws) on random packages. The merges of the program are
//! compared with a reference merge of plain values (`tests/reference`).

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failing helper fails the test
#![allow(unreachable_pub)] // the modules share items within this crate only

mod apply;
mod comment_grid;
mod comments;
mod documents;
mod drive;
mod files;
mod formats;
#[path = "../generate/mod.rs"]
mod generate;
mod moves;
mod packages;
mod pairing;
mod parts;
mod patches;
#[path = "../reference/mod.rs"]
mod reference;
mod renamed_files;
mod roots;
mod rows;
mod shown;
mod steps;
mod survey;
mod untouched;
#[path = "../value/mod.rs"]
mod value;
mod writing;

/// Like [`config`], for a law that fails so rarely that it needs more cases. `PACKAGES` sets how
/// many.
fn config_of_packages(cases: u32) -> proptest::test_runner::Config {
    let mut config = config(cases);
    let given = std::env::var("PACKAGES").ok();
    if let Some(given) = given.and_then(|it| it.parse().ok()) {
        (config.cases, config.rng_seed) = (given, proptest::test_runner::RngSeed::Random);
    }
    config
}

/// Returns a configuration with at least this many cases, the same in every run. `PROPTEST_CASES`
/// sets a higher number; the cases are then different in each run.
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
