//! A finished run, told: as a summary, as a diff.
//!
//! Each form is one view of [`Plan`](crate::package::Plan); further ones have their place beside [`summary`] and [`diff`].

mod diff;
mod paint;
mod summary;
mod values;

pub use diff::diff;
pub use summary::{Detail, summary};
