//! The summary after a merge (SPEC 10): how much was done, then each conflict on one line.

use super::paint::Paint;
use super::values;
use crate::error::shown;
use crate::merge::ConflictKind;
use crate::package::{ChangeKind, FileConflict, Plan};
use crate::visible::visible;

/// How much a summary tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Whether each file is named that changes.
    pub files: bool,
    /// Whether nothing has been written, nor will be.
    pub planned_only: bool,
    /// Whether it is coloured.
    pub color: bool,
}

/// The summary of a run, a line for the counts, then one for each conflict; with [`Detail::files`] first one for each
/// file that changes.
pub fn summary(plan: &Plan, detail: Detail) -> String {
    let mut text = String::new();
    if detail.files {
        for change in &plan.files {
            let path = Paint::Name.apply(&shown(&change.path), detail.color);
            let what = change.kind.as_str();
            let line = match &change.kind {
                ChangeKind::Moved { from } => format!("{what} {} to {path}", shown(from)),
                _ => format!("{what} {path}"),
            };
            push_line(&mut text, &line);
        }
    }
    push_line(&mut text, &counts(plan, detail));
    for conflict in &plan.conflicts {
        push_line(&mut text, &record_line("conflict", conflict, detail.color));
    }
    for held in &plan.pinned {
        push_line(&mut text, &record_line("pinned", held, detail.color));
    }
    text
}

/// One line for each conflict.
pub(crate) fn conflict_lines(plan: &Plan) -> Vec<String> {
    let lines = plan.conflicts.iter();
    lines.map(|it| record_line("conflict", it, false)).collect()
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

pub(super) fn counts(plan: &Plan, detail: Detail) -> String {
    let counts = &plan.counts;
    let would = if detail.planned_only { "to be " } else { "" };
    let mut parts = vec![
        many(counts.read, "file") + " read",
        format!("{} {would}changed", counts.changed),
        format!("{} {would}added", counts.added),
        format!("{} {would}deleted", counts.deleted),
    ];
    if counts.moved > 0 {
        parts.push(format!("{} {would}moved", counts.moved));
    }
    parts.push(many(plan.conflicts.len(), "conflict"));
    if !plan.pinned.is_empty() {
        parts.push(format!("{} held back by pins", plan.pinned.len()));
    }
    parts.join(", ")
}

pub(crate) fn many(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// `WORD FILE:LINE: RESOURCE: PATH: KIND: original VALUE, updated VALUE, local VALUE; SIDE taken`
fn record_line(word: &str, conflict: &FileConflict, color: bool) -> String {
    let mut parts = Vec::new();
    let mut file = Paint::Name.apply(&shown(&conflict.file), color);
    if let Some(line) = conflict.line {
        file = format!("{file}:{line}");
    }
    parts.push(format!("{word} {file}"));
    if let Some(resource) = &conflict.resource {
        parts.push(visible(&resource.to_string()));
    }
    if !conflict.conflict.path.is_empty() {
        parts.push(Paint::Place.apply(&visible(&conflict.conflict.path), color));
    }
    let kind = conflict.conflict.kind;
    if kind != ConflictKind::Pinned {
        parts.push(Paint::Removed.apply(kind.as_str(), color));
    }
    let values = values::shown(conflict);
    let by = match &conflict.conflict.rule {
        Some(rule) => format!(" (by {})", visible(rule)),
        None => String::new(),
    };
    let taken = conflict.conflict.resolution.as_str();
    parts.push(format!(
        "original {} | updated {} | local {} -> {taken}{by}",
        values.original, values.updated, values.local
    ));
    parts.join(": ")
}
