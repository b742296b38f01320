//! The functions that the fuzz targets share. `make test` runs them too, in `tests/fuzz`.

#![allow(unreachable_pub, dead_code)] // the modules share items within this crate only

#[path = "../../tests/fuzz/oracle/mod.rs"]
pub mod oracle;
#[path = "../../tests/support/readers.rs"]
mod readers;
#[path = "../../tests/reference/mod.rs"]
mod reference;
#[path = "../../tests/support/spans.rs"]
mod spans;
#[path = "../../tests/value/mod.rs"]
mod value;
