//! The report for people who review: Markdown for the body of a pull request.

use super::json::portable;
use super::summary::{
    by_need, combined_count, counts, deletion_count, renamed_count, renamed_line,
};
use super::values::shown;
use super::{Detail, Facts};
use crate::merge::ConflictKind;
use crate::package::{ChangeKind, FileChange, FileConflict, Plan};
use crate::visible::visible;

/// The report of a run as Markdown: a line that sums it up, a table of the conflicts, one of what
/// pins held back, and folded away what stays deleted, what was paired although its name differs,
/// and the changed files.
pub fn markdown(plan: &Plan, facts: &Facts) -> String {
    let detail = Detail {
        files: false,
        records: true,
        planned_only: !facts.written,
        color: false,
    };
    let mut text = format!("**merge3:** {}\n", counts(plan, detail));
    if facts.open {
        text.push_str("\n**Conflicts are left: somebody has to resolve them.**\n");
    }
    let (live, deleted) = by_need(plan);
    titled(&mut text, "Conflicts", &live);
    let pinned: Vec<&FileConflict> = plan.pinned.iter().collect();
    titled(&mut text, "Held back by `# merge3: keep`", &pinned);
    if !deleted.is_empty() {
        folded(&mut text, &deletion_count(&deleted), |text| {
            table(text, &deleted)
        });
    }
    if !plan.renamed.is_empty() {
        folded(&mut text, &renamed_count(plan), |text| {
            for renamed in &plan.renamed {
                text.push_str(&format!("- {}\n", code(&renamed_line(renamed, false))));
            }
        });
    }
    if !plan.combined.is_empty() {
        let combined: Vec<&FileConflict> = plan.combined.iter().collect();
        folded(&mut text, &combined_count(plan), |text| {
            table(text, &combined)
        });
    }
    if !plan.warnings.is_empty() {
        text.push_str("\n### Warnings\n\n");
        for warning in &plan.warnings {
            let line = format!(
                "- {}: {}\n",
                code(&portable(&warning.path)),
                code(&warning.message)
            );
            text.push_str(&line);
        }
    }
    if !plan.files.is_empty() {
        let count = plan.files.len();
        let plural = if count == 1 { "" } else { "s" };
        folded(&mut text, &format!("{count} file{plural}"), |text| {
            for change in &plan.files {
                text.push_str(&file(change));
            }
        });
    }
    text
}

/// What is shown only to who asks for it.
fn folded(text: &mut String, summary: &str, write: impl FnOnce(&mut String)) {
    text.push_str(&format!("\n<details>\n<summary>{summary}</summary>\n\n"));
    write(text);
    text.push_str("\n</details>\n");
}

fn titled(text: &mut String, title: &str, records: &[&FileConflict]) {
    if !records.is_empty() {
        text.push_str(&format!("\n### {title}\n\n"));
        table(text, records);
    }
}

fn table(text: &mut String, records: &[&FileConflict]) {
    text.push_str(
        "| where | kind | original | updated | local | result |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for record in records {
        text.push_str(&row(record));
    }
}

fn row(record: &FileConflict) -> String {
    let mut place = portable(&record.file);
    if let Some(line) = record.line {
        place = format!("{place}:{line}");
    }
    let mut place = cell(&place);
    if let Some(resource) = &record.resource {
        place = format!("{place}<br>{}", cell(&resource.to_string()));
    }
    if !record.conflict.path.is_empty() {
        place = format!("{place}<br>{}", cell(&record.conflict.path));
    }
    let values = shown(record).map(|value| cell(&value));
    let kind = record.conflict.kind.as_str();
    let result = match record.conflict.kind {
        ConflictKind::Combined(_) => "both",
        _ => record.conflict.resolution.as_str(),
    };
    let (original, updated, local) = (values.original, values.updated, values.local);
    format!("| {place} | {kind} | {original} | {updated} | {local} | {result} |\n")
}

fn file(change: &FileChange) -> String {
    let path = code(&portable(&change.path));
    let what = change.kind.as_str();
    match &change.kind {
        ChangeKind::Moved { from } => format!("- {what} {} to {path}\n", code(&portable(from))),
        _ => format!("- {what} {path}\n"),
    }
}

/// A text as code, between more backticks than it has in a row, on one line: nothing in it is
/// Markdown, or calls anybody. Whatever others wrote is told so.
pub(crate) fn code(text: &str) -> String {
    let line = visible(text);
    let runs = line.split(|c| c != '`').map(str::len);
    let ticks = "`".repeat(runs.max().unwrap_or(0) + 1);
    let space = match line.is_empty() || line.starts_with('`') || line.ends_with('`') {
        true => " ",
        false => "",
    };
    format!("{ticks}{space}{line}{space}{ticks}")
}

/// [`code`] in a cell of a table, where a pipe has a backslash before it. Some read that as the end
/// of the cell where another backslash stands before it: there every character is written as a
/// number.
pub(crate) fn cell(text: &str) -> String {
    let line = visible(text);
    if !line.contains("\\|") {
        return code(text).replace('|', "\\|");
    }
    let mut numbers = String::from("<code>");
    for c in line.chars() {
        match c.is_ascii_alphanumeric() {
            true => numbers.push(c),
            false => numbers.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    numbers + "</code>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_whatever_there_is() {
        assert_eq!(cell("a|b"), "`a\\|b`");
        assert_eq!(cell("a\\|b"), "<code>a&#92;&#124;b</code>");
        assert_eq!(code("a|b"), "`a|b`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(code(""), "`  `");
    }
}
