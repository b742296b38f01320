//! Formats the reports of a finished run: a summary, JSON, Markdown, an HTML page and a diff.
//!
//! Each format is made from a [`Plan`] and [`Facts`], in a module of its own: `summary`, `json`,
//! `markdown`, `html` and `diff`. They share the values of a conflict and the rule that decided it
//! (in `summary`), `hunks` (the parts of a change that may be shown) and `paint` (colours).
//! `body` limits the length of Markdown.

mod body;
mod diff;
mod html;
mod hunks;
mod json;
mod markdown;
pub(crate) mod paint;
mod summary;

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::merge::OnConflict;
use crate::package::Plan;
pub(crate) use crate::package::{portable, serialize_portable};

pub(crate) use body::Body;
pub use diff::{Diff, diff};
pub use html::html;
pub(crate) use html::{Package, Page, page};
pub(crate) use hunks::shown_lines;
pub(crate) use json::as_json;
pub use json::json;
pub use markdown::markdown;
pub(crate) use markdown::{END, cell, code, conflicts, details, folded, line};
pub use summary::{Detail, summary};
pub(crate) use summary::{by_need, many, reason};

/// Facts about a run that a report needs and the plan does not have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Facts {
    /// Whether the result has been written.
    pub written: bool,
    /// Whether conflicts are left for the user.
    pub open: bool,
    /// Whether the run wrote nothing because of conflicts.
    #[serde(skip)]
    pub refused: bool,
    /// The duration of the run.
    #[serde(rename = "duration_ms", serialize_with = "serialize_ms")]
    pub duration: Duration,
}

/// Serializes a duration in milliseconds, with three decimals.
fn serialize_ms<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((duration.as_secs_f64() * 1e6).round() / 1e3)
}

impl Facts {
    /// Returns the facts about a plan that is not written yet. With [`OnConflict::Fail`], the plan
    /// is refused if it has a conflict that no rule decided.
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
