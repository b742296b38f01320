//! A finished run, told: as a summary, as JSON, as Markdown, as a page to look at, as a diff.
//!
//! Each form is one view of [`Plan`](crate::package::Plan): `summary`, `json`, `markdown`, `html`
//! and `diff`; a further one has its place beside them. They share `values` and `reason`
//! (a conflict's values, and why it came out so), `hunks` (what may be shown of a change) and
//! `paint`; `body` keeps Markdown within the length that hosts take.

mod body;
mod diff;
mod html;
mod hunks;
mod json;
mod markdown;
mod paint;
mod reason;
mod summary;
mod values;

use std::time::Duration;

pub(crate) use body::{Body, Part};
pub use diff::{Diff, diff, diff_in};
pub use html::html;
pub(crate) use html::{Package, Page, page};
pub(crate) use hunks::shown_lines;
pub use json::json;
pub(crate) use json::{Merge, as_json, merge, portable};
pub use markdown::markdown;
pub(crate) use markdown::{END, cell, code, conflicts, details, folded, line};
pub(crate) use paint::Paint;
pub(crate) use reason::reason;
pub use summary::{Detail, summary};
pub(crate) use summary::{by_need, many};

/// What a report tells that the plan does not know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    /// Whether the result has been written.
    pub written: bool,
    /// Whether conflicts are left to somebody.
    pub open: bool,
    /// How long the run took.
    pub duration: Duration,
}
