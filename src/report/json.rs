//! The report for programs: JSON, its form written down in `docs/report.schema.json`.

use std::path::Path;

use serde::Serialize;

use super::Facts;
use crate::error::Warning;
use crate::package::{ChangeKind, Counts, FileChange, FileConflict, Plan, Renamed, ResourceId};
use crate::triple::Triple;
use crate::visible::visible_json;

/// The version of the form. It goes up when something that is there changes its meaning or goes
/// away; fields that come do not change it.
pub(crate) const VERSION: u32 = 1;
/// The name and the version of the program.
pub(crate) const PROGRAM: &str = concat!("merge3 ", env!("CARGO_PKG_VERSION"));

#[derive(Serialize)]
struct Report<'p> {
    version: u32,
    program: &'static str,
    #[serde(flatten)]
    merge: Merge<'p>,
}

/// What is told of one merge.
#[derive(Serialize)]
pub(crate) struct Merge<'p> {
    written: bool,
    open: bool,
    duration_ms: f64,
    counts: CountsOut,
    files: Vec<FileOut>,
    conflicts: Vec<RecordOut<'p>>,
    pinned: Vec<RecordOut<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    combined: Vec<CombinedOut<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    renamed: Vec<RenamedOut<'p>>,
    warnings: Vec<WarningOut<'p>>,
}

#[derive(Serialize)]
struct CountsOut {
    read: usize,
    changed: usize,
    added: usize,
    deleted: usize,
    moved: usize,
    conflicts: usize,
    pinned: usize,
}

#[derive(Serialize)]
struct FileOut {
    path: String,
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

#[derive(Serialize)]
struct RecordOut<'p> {
    file: String,
    line: Option<usize>,
    resource: Option<ResourceOut<'p>>,
    path: &'p str,
    kind: &'static str,
    values: ValuesOut,
    hidden: bool,
    resolution: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'p str>,
}

#[derive(Serialize)]
struct CombinedOut<'p> {
    file: String,
    line: Option<usize>,
    resource: Option<ResourceOut<'p>>,
    path: &'p str,
    by: &'static str,
    values: ValuesOut,
    hidden: bool,
}

#[derive(Serialize)]
struct RenamedOut<'p> {
    file: String,
    line: usize,
    original: Option<ResourceOut<'p>>,
    updated: Option<ResourceOut<'p>>,
    local: Option<ResourceOut<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceOut<'p> {
    api_version: &'p str,
    kind: &'p str,
    namespace: &'p str,
    name: &'p str,
}

#[derive(Serialize)]
struct ValuesOut {
    original: Option<String>,
    updated: Option<String>,
    local: Option<String>,
}

#[derive(Serialize)]
struct WarningOut<'p> {
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    message: &'p str,
}

/// The report of a run as JSON.
pub fn json(plan: &Plan, facts: &Facts) -> String {
    pretty(&Report {
        version: VERSION,
        program: PROGRAM,
        merge: merge(plan, facts),
    })
}

/// A report as JSON that a terminal may show.
pub(crate) fn pretty(report: &impl Serialize) -> String {
    // nothing in it can fail to be written: its keys are names, its numbers finite
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    visible_json(&text) + "\n"
}

/// What is told of one merge, to be written as JSON.
pub(crate) fn merge<'p>(plan: &'p Plan, facts: &Facts) -> Merge<'p> {
    Merge {
        written: facts.written,
        open: facts.open,
        duration_ms: (facts.duration.as_secs_f64() * 1e6).round() / 1e3,
        counts: counts(&plan.counts, plan),
        files: plan.files.iter().map(file).collect(),
        conflicts: plan.conflicts.iter().map(record).collect(),
        pinned: plan.pinned.iter().map(record).collect(),
        combined: plan.combined.iter().map(combined).collect(),
        renamed: plan.renamed.iter().map(renamed).collect(),
        warnings: plan.warnings.iter().map(warning).collect(),
    }
}

fn counts(counts: &Counts, plan: &Plan) -> CountsOut {
    CountsOut {
        read: counts.read,
        changed: counts.changed,
        added: counts.added,
        deleted: counts.deleted,
        moved: counts.moved,
        conflicts: plan.conflicts.len(),
        pinned: plan.pinned.len(),
    }
}

/// A path with `/`, on every system.
pub(crate) fn portable(path: &Path) -> String {
    let path = path.to_string_lossy();
    match std::path::MAIN_SEPARATOR {
        '/' => path.into_owned(),
        separator => path.replace(separator, "/"),
    }
}

fn file(change: &FileChange) -> FileOut {
    FileOut {
        path: portable(&change.path),
        change: change.kind.as_str(),
        from: match &change.kind {
            ChangeKind::Moved { from } => Some(portable(from)),
            _ => None,
        },
    }
}

fn values(record: &FileConflict) -> ValuesOut {
    let Triple {
        original,
        updated,
        local,
    } = record.conflict.values.clone();
    ValuesOut {
        original,
        updated,
        local,
    }
}

fn combined(record: &FileConflict) -> CombinedOut<'_> {
    CombinedOut {
        file: portable(&record.file),
        line: record.line,
        resource: record.resource.as_deref().map(resource),
        path: &record.conflict.path,
        by: record.conflict.kind.as_str(),
        values: values(record),
        hidden: record.hidden,
    }
}

fn record(record: &FileConflict) -> RecordOut<'_> {
    RecordOut {
        file: portable(&record.file),
        line: record.line,
        resource: record.resource.as_deref().map(resource),
        path: &record.conflict.path,
        kind: record.conflict.kind.as_str(),
        values: values(record),
        hidden: record.hidden,
        resolution: record.conflict.resolution.as_str(),
        rule: record.conflict.rule.as_deref(),
    }
}

fn renamed(renamed: &Renamed) -> RenamedOut<'_> {
    let names = renamed.names.as_ref();
    let names = names.map(|name| name.as_ref().map(resource));
    RenamedOut {
        file: portable(&renamed.file),
        line: renamed.line,
        original: names.original,
        updated: names.updated,
        local: names.local,
    }
}

fn resource(id: &ResourceId) -> ResourceOut<'_> {
    ResourceOut {
        api_version: &id.api_version,
        kind: &id.kind,
        namespace: &id.namespace,
        name: &id.name,
    }
}

fn warning(warning: &Warning) -> WarningOut<'_> {
    WarningOut {
        file: portable(&warning.path),
        line: warning.place.as_ref().map(|place| place.line),
        column: warning.place.as_ref().map(|place| place.column),
        message: &warning.message,
    }
}
