//! The `merge3` command.
#![forbid(unsafe_code)]

fn main() {}
