//! The report as JSON, for programs. `docs/report.schema.json` describes its format.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::Facts;
use crate::error::Warning;
use crate::merge::ConflictKind;
use crate::package::{Counts, FileChange, FileConflict, Plan, Renamed, portable};
use crate::visible::visible_json;

/// The version of the format. It increases when a field changes its meaning or is removed, and
/// stays the same when fields are added.
const VERSION: u32 = 1;
/// The name and the version of the program.
pub(crate) const PROGRAM: &str = concat!("merge3 ", env!("CARGO_PKG_VERSION"));

/// A report: the version of its format, the program, and the content.
#[derive(Serialize)]
struct Report<T> {
    version: u32,
    program: &'static str,
    #[serde(flatten)]
    content: T,
}

/// The report of one merge.
#[derive(Serialize)]
pub(crate) struct Merge<'p> {
    written: bool,
    open: bool,
    duration_ms: f64,
    counts: CountsOut,
    files: &'p [FileChange],
    #[serde(serialize_with = "records")]
    conflicts: &'p [FileConflict],
    #[serde(serialize_with = "records")]
    pinned: &'p [FileConflict],
    #[serde(serialize_with = "records", skip_serializing_if = "<[_]>::is_empty")]
    combined: &'p [FileConflict],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    renamed: &'p [Renamed],
    warnings: Vec<WarningOut<'p>>,
}

#[derive(Serialize)]
struct CountsOut {
    #[serde(flatten)]
    files: Counts,
    conflicts: usize,
    pinned: usize,
}

/// A record: a conflict, a pinned value, or a value combined from both sides. `by` says how a value
/// was combined; the other records have `kind` and `resolution`.
struct Record<'p>(&'p FileConflict);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(record) = self;
        let conflict = &record.conflict;
        let is_combined = matches!(conflict.kind, ConflictKind::Combined(_));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", &portable(&record.file))?;
        map.serialize_entry("line", &record.line)?;
        map.serialize_entry("resource", &record.resource.as_deref())?;
        map.serialize_entry("path", conflict.path())?;
        let kind = if is_combined { "by" } else { "kind" };
        map.serialize_entry(kind, conflict.kind.as_str())?;
        map.serialize_entry("values", &conflict.values())?;
        map.serialize_entry("hidden", &record.hidden)?;
        if !is_combined {
            map.serialize_entry("resolution", conflict.resolution.as_str())?;
            if let Some(rule) = &conflict.rule {
                map.serialize_entry("rule", &**rule)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct WarningOut<'p> {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    message: &'p str,
}

/// Returns the report of a run as JSON.
pub fn json(plan: &Plan, facts: &Facts) -> String {
    as_json(merge(plan, facts))
}

/// Returns a report as JSON, with control and invisible characters escaped.
pub(crate) fn as_json(content: impl Serialize) -> String {
    let report = Report {
        version: VERSION,
        program: PROGRAM,
        content,
    };
    // this cannot fail: all keys are strings and all numbers finite
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    visible_json(text) + "\n"
}

/// Returns the report of one merge, to serialize as JSON.
pub(crate) fn merge<'p>(plan: &'p Plan, facts: &Facts) -> Merge<'p> {
    Merge {
        written: facts.written,
        open: facts.open,
        duration_ms: (facts.duration.as_secs_f64() * 1e6).round() / 1e3,
        counts: CountsOut {
            files: plan.counts(),
            conflicts: plan.conflicts.len(),
            pinned: plan.pinned.len(),
        },
        files: &plan.files,
        conflicts: &plan.conflicts,
        pinned: &plan.pinned,
        combined: &plan.combined,
        renamed: &plan.renamed,
        warnings: plan.warnings.iter().map(warning).collect(),
    }
}

/// Serializes records without collecting them first: there may be very many.
fn records<S: Serializer>(records: &[FileConflict], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(records.iter().map(Record))
}

fn warning(warning: &Warning) -> WarningOut<'_> {
    WarningOut {
        file: portable(&warning.path),
        line: warning.place.as_ref().map(|place| place.line),
        column: warning.place.as_ref().map(|place| place.column),
        message: &warning.message,
    }
}
