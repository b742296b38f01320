//! The summary after a merge (rules: Reports): how much was done, then each conflict on one line
//! (rules: Conflicts): what needs a decision first, what was decided long ago last and counted.

use super::paint::Paint;
use super::{Facts, values};
use crate::error::shown;
use crate::merge::ConflictKind;
use crate::package::{ChangeKind, FileConflict, Plan, Renamed};
use crate::visible::visible;

/// How much a summary tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Whether each file is named that changes.
    pub files: bool,
    /// Whether each record is named that needs no decision.
    pub records: bool,
    /// Whether it is coloured.
    pub color: bool,
}

/// The summary of a run, a line for the counts, then one for each conflict; with [`Detail::files`]
/// first one for each file that changes. What was decided long ago, and what was paired by its
/// place, is counted unless [`Detail::records`] asks for each.
pub fn summary(plan: &Plan, facts: &Facts, detail: Detail) -> String {
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
    push_line(&mut text, &counts(plan, facts));
    let (live, deleted) = by_need(plan);
    for conflict in live {
        push_line(&mut text, &record_line("conflict", conflict, detail.color));
    }
    for held in &plan.pinned {
        push_line(&mut text, &record_line("pinned", held, detail.color));
    }
    let line = |word, record: &FileConflict| record_line(word, record, detail.color);
    let renamed = plan.renamed.iter().map(|it| renamed_line(it, detail.color));
    push_lines(&mut text, detail, renamed, || renamed_count(plan));
    let combined = plan.combined.iter().map(|it| line("combined", it));
    push_lines(&mut text, detail, combined, || combined_count(plan));
    let all = Detail {
        records: detail.records || deleted.len() == 1,
        ..detail
    };
    let stay = deleted.iter().map(|it| line("conflict", it));
    push_lines(&mut text, all, stay, || deletion_count(&deleted));
    text
}

/// Adds lines, or where those that need no decision are left out, how many there are.
fn push_lines(
    text: &mut String,
    detail: Detail,
    lines: impl ExactSizeIterator<Item = String>,
    count: impl FnOnce() -> String,
) {
    if detail.records {
        lines.for_each(|line| push_line(text, &line));
    } else if lines.len() > 0 {
        push_line(text, &count());
    }
}

/// The conflicts by how much they need somebody: those left to somebody, those that the policy
/// decided, those that a rule did; and apart from them those that say what stays deleted.
pub(crate) fn by_need(plan: &Plan) -> (Vec<&FileConflict>, Vec<&FileConflict>) {
    let conflicts = plan.conflicts.iter();
    let (deleted, mut live): (Vec<_>, Vec<_>) = conflicts.partition(|it| it.stays_deleted());
    live.sort_by_key(|it| {
        (
            !it.conflict.resolution.is_open(),
            it.conflict.rule.is_some(),
        )
    });
    (live, deleted)
}

/// How much stays deleted, in words.
pub(super) fn deletion_count(deleted: &[&FileConflict]) -> String {
    let resources = deleted.iter().filter(|it| it.resource.is_some()).count();
    let others = deleted.len() - resources;
    let (resources, others) = (many(resources, "resource"), many(others, "file"));
    let what = match (resources.starts_with("0 "), others.starts_with("0 ")) {
        (_, true) => resources,
        (true, false) => format!("{others} or folders"),
        (false, false) => format!("{resources} and {others} or folders"),
    };
    let stay = if deleted.len() == 1 { "stays" } else { "stay" };
    format!(
        "{what} that {} deleted here changed upstream and {stay} deleted",
        was(deleted.len())
    )
}

/// How many resources have another name, in words.
pub(super) fn renamed_count(plan: &Plan) -> String {
    let count = plan.renamed.len();
    let have = if count == 1 { "has" } else { "have" };
    format!(
        "{} {have} another name or namespace than upstream's and {} paired all the same",
        many(count, "resource"),
        was(count)
    )
}

/// How many values were put together from both sides, in words.
pub(super) fn combined_count(plan: &Plan) -> String {
    let count = plan.combined.len();
    format!(
        "{} that both sides changed {} put together from both",
        many(count, "value"),
        was(count)
    )
}

const fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// `renamed FILE:LINE: original RESOURCE | updated RESOURCE | local RESOURCE`
pub(super) fn renamed_line(renamed: &Renamed, color: bool) -> String {
    let file = Paint::Name.apply(&shown(&renamed.file), color);
    let names = renamed.names.as_ref();
    let names = names.map(|name| {
        name.as_ref()
            .map_or("(absent)".to_owned(), ToString::to_string)
    });
    format!(
        "renamed {file}:{}: original {} | updated {} | local {}",
        renamed.line, names.original, names.updated, names.local
    )
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

pub(super) fn counts(plan: &Plan, facts: &Facts) -> String {
    let counts = plan.counts();
    let would = if facts.written { "" } else { "to be " };
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
    let result = match kind {
        ConflictKind::Combined(_) => String::new(),
        _ => format!(" -> {}", conflict.conflict.resolution.as_str()),
    };
    parts.push(format!(
        "original {} | updated {} | local {}{result}{by}",
        values.original, values.updated, values.local
    ));
    parts.join(": ")
}
