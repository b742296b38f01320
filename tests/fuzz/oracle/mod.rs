//! The properties that must hold for any input, however broken. The fuzz targets in `fuzz/` call
//! these functions, and `make test` calls them on the inputs in the corpus.

mod again;
mod input;
pub mod merge;
pub mod package;
pub mod solve;
pub mod tree;
mod untouched;
mod values;

/// Ok, or the property that does not hold.
pub type Verdict = Result<(), String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Verdict {
    ensure(found == expected, || {
        format!("{what}\n found    {found:?}\n expected {expected:?}")
    })
}
