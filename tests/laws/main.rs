//! The seven laws of SPEC 1 on random packages, against a reference merge of plain values.

#![allow(unreachable_pub)] // what these modules share is seen by this crate alone

#[path = "../reference/mod.rs"]
mod reference;
mod rows;
#[path = "../value/mod.rs"]
mod value;
