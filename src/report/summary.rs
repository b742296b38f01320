//! The summary of a run as text (rules: Reports): a line with the counts, then each conflict on one
//! line (rules: Conflicts). Conflicts that need a decision come first. Deletions come last, as a
//! count.

use super::Facts;
use super::paint::{self, painted};
use crate::error::shown;
use crate::merge::{CombinedBy, Conflict, ConflictKind};
use crate::package::{ChangeKind, FileConflict, Plan, Renamed};
use crate::triple::Triple;
use crate::visible::visible;
use crate::white_space::{trimmed, trimmed_end};

/// The level of detail of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    /// Whether to list each changed file.
    pub files: bool,
    /// Whether to list each record that needs no decision.
    pub records: bool,
    /// Whether to use colours.
    pub color: bool,
}

/// Returns the summary of a run: a line with the counts and a line for each conflict and each
/// pinned value. With [`Detail::files`], a line for each changed file comes first. Renamed
/// resources, combined values and deletions are only counted, unless [`Detail::records`] is set.
pub fn summary(plan: &Plan, facts: &Facts, detail: Detail) -> String {
    let mut lines = Vec::new();
    if detail.files {
        lines.extend(plan.files.iter().map(|change| {
            let path = painted(paint::NAME, &shown(&change.path), detail.color);
            let kind = change.kind.as_str();
            match &change.kind {
                ChangeKind::Moved { from } => format!("{kind} {} to {path}", shown(from)),
                _ => format!("{kind} {path}"),
            }
        }));
    }
    lines.push(counts(plan, facts));
    let (conflicts, deleted) = by_need(plan);
    let line = |word, record: &FileConflict| record_line(word, record, detail.color);
    lines.extend(conflicts.into_iter().map(|it| line("conflict", it)));
    lines.extend(plan.pinned.iter().map(|it| line("pinned", it)));
    let renamed = plan.renamed.iter().map(|it| renamed_line(it, detail.color));
    let combined = plan.combined.iter().map(|it| line("combined", it));
    let deletions = deleted.iter().map(|it| line("conflict", it));
    let is_listed = detail.records;
    list(&mut lines, is_listed, renamed, || renamed_count(plan));
    list(&mut lines, is_listed, combined, || combined_count(plan));
    // a single deletion is listed instead of counted
    let is_listed = is_listed || deleted.len() == 1;
    list(&mut lines, is_listed, deletions, || {
        deletion_count(&deleted)
    });
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Adds further lines, or their count if they are not to be listed.
fn list(
    lines: &mut Vec<String>,
    is_listed: bool,
    further: impl ExactSizeIterator<Item = String>,
    count: impl FnOnce() -> String,
) {
    match is_listed || further.len() == 0 {
        true => lines.extend(further),
        false => lines.push(count()),
    }
}

/// Returns the conflicts in the order in which they need attention (open ones, those that the
/// policy decided, those that a rule decided), and separately the conflicts about what stays
/// deleted.
pub(crate) fn by_need(plan: &Plan) -> (Vec<&FileConflict>, Vec<&FileConflict>) {
    let conflicts = plan.conflicts.iter();
    let (deleted, mut others): (Vec<_>, Vec<_>) = conflicts.partition(|it| it.stays_deleted());
    others.sort_by_key(|FileConflict { conflict, .. }| {
        (!conflict.resolution.is_open(), conflict.rule.is_some())
    });
    (others, deleted)
}

/// Returns a sentence with the number of resources, files and folders that stay deleted.
pub(super) fn deletion_count(deleted: &[&FileConflict]) -> String {
    let resources = deleted.iter().filter(|it| it.resource.is_some()).count();
    let others = deleted.len() - resources;
    let items = match (many(resources, "resource"), many(others, "file")) {
        (resources_only, _) if others == 0 => resources_only,
        (_, others_only) if resources == 0 => format!("{others_only} or folders"),
        (resources, others) => format!("{resources} and {others} or folders"),
    };
    let stay = if deleted.len() == 1 { "stays" } else { "stay" };
    format!(
        "{items} that {} deleted here changed upstream and {stay} deleted",
        was(deleted.len())
    )
}

/// Returns a sentence with the number of resources that were paired although their names differ.
pub(super) fn renamed_count(plan: &Plan) -> String {
    let count = plan.renamed.len();
    let have = if count == 1 { "has" } else { "have" };
    format!(
        "{} {have} another name or namespace than upstream's and {} paired all the same",
        many(count, "resource"),
        was(count)
    )
}

/// Returns a sentence with the number of values that were combined from both sides.
pub(super) fn combined_count(plan: &Plan) -> String {
    let count = plan.combined.len();
    format!(
        "{} that both sides changed {} put together from both",
        many(count, "value"),
        was(count)
    )
}

/// Returns the form of "was" for a count.
const fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// Returns `renamed FILE:LINE: original RESOURCE | updated RESOURCE | local RESOURCE`.
pub(super) fn renamed_line(renamed: &Renamed, color: bool) -> String {
    let file = painted(paint::NAME, &shown(&renamed.file), color);
    let names = renamed.names.as_ref().map(|name| match name {
        Some(name) => name.to_string(),
        None => "(absent)".to_owned(),
    });
    format!(
        "renamed {file}:{}: original {} | updated {} | local {}",
        renamed.line, names.original, names.updated, names.local
    )
}

/// Returns the counts of a run on one line.
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

/// Returns a count and a noun, with the plural `s` if needed.
pub(crate) fn many(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Returns
/// `WORD FILE:LINE: RESOURCE: PATH: KIND: original VALUE | updated VALUE | local VALUE -> RESULT`.
fn record_line(word: &str, record: &FileConflict, color: bool) -> String {
    let conflict = &record.conflict;
    let file = painted(paint::NAME, &shown(&record.file), color);
    let line = record.line.map(|line| format!(":{line}"));
    let mut parts = vec![format!("{word} {file}{}", line.unwrap_or_default())];
    if let Some(resource) = &record.resource {
        parts.push(visible(&resource.to_string()));
    }
    if !conflict.path().is_empty() {
        parts.push(painted(paint::PLACE, &visible(conflict.path()), color));
    }
    if conflict.kind != ConflictKind::Pinned {
        parts.push(painted(paint::REMOVED, conflict.kind.as_str(), color));
    }
    let values = values_of(record);
    let by = match &conflict.rule {
        Some(rule) => format!(" (by {})", visible(rule)),
        None => String::new(),
    };
    let result = match conflict.kind {
        ConflictKind::Combined(_) => String::new(),
        _ => format!(" -> {}", conflict.resolution.as_str()),
    };
    parts.push(format!(
        "original {} | updated {} | local {}{result}{by}",
        values.original, values.updated, values.local
    ));
    parts.join(": ")
}

/// The maximum number of characters of a value.
const MAX_VALUE_WIDTH: usize = 60;

/// Returns the three values of a conflict, each on one line and shortened.
pub(super) fn values_of(conflict: &FileConflict) -> Triple<String> {
    conflict.conflict.values().map(|value| match value {
        None => "(absent)".to_owned(),
        Some(value) => one_line(value),
    })
}

/// Returns a value on one line: line breaks are written as `\n` and indentation is left out. If the
/// line is too long, its end is replaced by `...`.
fn one_line(value: &str) -> String {
    let lines = trimmed_end(value).lines().enumerate();
    let chars = lines.flat_map(|(index, line)| {
        let line_break = if index == 0 { "" } else { "\\n" };
        let line = line_break.to_owned() + &visible(trimmed(line));
        let start = line.chars().take(MAX_VALUE_WIDTH + 1);
        start.collect::<Vec<char>>()
    });
    let chars: Vec<char> = chars.take(MAX_VALUE_WIDTH + 1).collect();
    match chars.len() {
        0 => "(empty)".to_owned(),
        1..=MAX_VALUE_WIDTH => chars.iter().collect(),
        _ => String::from_iter(&chars[..MAX_VALUE_WIDTH - 3]) + "...",
    }
}

/// Returns a sentence about the rule that decided a record.
pub(crate) fn reason(record: &Conflict) -> String {
    let path = match record.path() {
        "" => "the whole document",
        path => path,
    };
    match record.kind {
        ConflictKind::Pinned => format!(
            "a comment `# merge3: keep` at {path} holds upstream's change back (rules: Pins)"
        ),
        ConflictKind::Combined(means) => {
            format!("both sides changed {path}: {}", means_in_words(means))
        }
        kind => {
            let by = match &record.rule {
                Some(rule) => format!("the rule in {rule}"),
                None => "the policy (--on-conflict) or the rule for this kind".to_owned(),
            };
            format!(
                "both sides changed {path} and do not agree: a \
                 conflict, {}; {by} resolves it: {} (rules: Conflicts)",
                kind.as_str(),
                record.resolution.as_str()
            )
        }
    }
}

/// Describes how a value was combined from both sides.
const fn means_in_words(means: CombinedBy) -> &'static str {
    match means {
        CombinedBy::Lines => "the text merges by lines (--texts lines, rules: Texts and images)",
        CombinedBy::Structure => {
            "the text is YAML or JSON and its lines conflict, so it merges \
             by its structure (--texts lines, rules: Texts and images)"
        }
        CombinedBy::Image => {
            "the registry and repository, and the tag and digest of an image \
             merge each on their own (--images parts, rules: Texts and images)"
        }
        CombinedBy::Elements => {
            "no key identifies the elements of the list, so it merges \
             element by element (--lists merge, rules: Lists without a key)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::{Conflict, ConflictKind, ConflictTexts, Resolution};
    use crate::package::ResourceId;
    use std::path::Path;
    use std::sync::Arc;

    fn conflict(kind: &str, path: &str) -> FileConflict {
        FileConflict {
            file: Path::new("a.yaml").into(),
            line: Some(1),
            resource: Some(Arc::new(ResourceId {
                api_version: "v1".into(),
                kind: kind.to_owned().into(),
                namespace: "".into(),
                name: "a".into(),
            })),
            conflict: Conflict {
                texts: ConflictTexts::new(path, &Triple::new(None, Some("eHg="), Some("a:\n  b"))),
                kind: ConflictKind::BothChanged,
                line: 0,
                resolution: Resolution::Updated,
                rule: None,
            },
            hidden: false,
        }
    }

    #[test]
    fn values_are_one_line_each() {
        let values = values_of(&conflict("ConfigMap", "data.key"));
        assert_eq!(
            values.into_array(),
            ["(absent)", "eHg=", "a:\\nb"].map(String::from)
        );
        let cut = format!("{}...", "x".repeat(MAX_VALUE_WIDTH - 3));
        assert_eq!(
            one_line(&"x".repeat(MAX_VALUE_WIDTH)),
            "x".repeat(MAX_VALUE_WIDTH)
        );
        assert_eq!(one_line(&"x".repeat(MAX_VALUE_WIDTH + 1)), cut);
        assert_eq!(
            one_line(&format!("{}\nx", "x".repeat(MAX_VALUE_WIDTH - 1))),
            cut
        );
    }
}
