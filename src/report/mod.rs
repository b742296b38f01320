//! The reports of a finished run: a summary, JSON, Markdown, a page, a diff.
//!
//! Each form is one view of [`Plan`]: `summary`, `json`, `markdown`, `html`
//! and `diff`; a new form is added beside them. They share `values` and `reason`
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

use crate::merge::OnConflict;
use crate::package::Plan;

pub(crate) use body::Body;
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
    /// Whether nothing is written because of them.
    pub refused: bool,
    /// How long the run took.
    pub duration: Duration,
}

impl Facts {
    /// What is known of a plan before it is written. With [`OnConflict::Fail`], a conflict that no
    /// rule decides refuses it.
    pub(crate) fn of(plan: &Plan, on_conflict: OnConflict, duration: Duration) -> Self {
        let mut conflicts = plan.conflicts.iter();
        let refused =
            on_conflict == OnConflict::Fail && conflicts.any(|it| it.conflict.rule.is_none());
        Self {
            written: false,
            open: refused || plan.has_open_conflicts(),
            refused,
            duration,
        }
    }
}
