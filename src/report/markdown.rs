//! The report for people who review: Markdown for the body of a pull request.

use super::json::portable;
use super::summary::counts;
use super::values::shown;
use super::{Detail, Facts};
use crate::package::{ChangeKind, FileChange, FileConflict, Plan};
use crate::visible::visible;

/// The report of a run as Markdown: a line that sums it up, a table of the conflicts, one of what pins held back, and the
/// changed files folded away.
pub fn markdown(plan: &Plan, facts: &Facts) -> String {
    let detail = Detail {
        files: false,
        planned_only: !facts.written,
        color: false,
    };
    let mut text = format!("**merge3:** {}\n", counts(plan, detail));
    if facts.open {
        text.push_str("\n**Conflicts are left: somebody has to resolve them.**\n");
    }
    table(&mut text, "Conflicts", &plan.conflicts);
    table(&mut text, "Held back by `# merge3: keep`", &plan.pinned);
    if !plan.warnings.is_empty() {
        text.push_str("\n### Warnings\n\n");
        for warning in &plan.warnings {
            let line = format!(
                "- {}: {}\n",
                code(&portable(&warning.path)),
                escaped(&warning.message)
            );
            text.push_str(&line);
        }
    }
    if !plan.files.is_empty() {
        let count = plan.files.len();
        let plural = if count == 1 { "" } else { "s" };
        text.push_str(&format!(
            "\n<details>\n<summary>{count} file{plural}</summary>\n\n"
        ));
        for change in &plan.files {
            text.push_str(&file(change));
        }
        text.push_str("\n</details>\n");
    }
    text
}

fn table(text: &mut String, title: &str, records: &[FileConflict]) {
    if records.is_empty() {
        return;
    }
    text.push_str(&format!(
        "\n### {title}\n\n| where | kind | original | updated | local | result |\n| --- | --- | --- | --- | --- | --- |\n"
    ));
    for record in records {
        text.push_str(&row(record));
    }
}

fn row(record: &FileConflict) -> String {
    let mut place = portable(&record.file);
    if let Some(line) = record.line {
        place = format!("{place}:{line}");
    }
    let mut place = code(&place);
    if let Some(resource) = &record.resource {
        place = format!("{place}<br>{}", code(&resource.to_string()));
    }
    if !record.conflict.path.is_empty() {
        place = format!("{place}<br>{}", code(&record.conflict.path));
    }
    let values = shown(record).map(|value| code(&value));
    let kind = record.conflict.kind.as_str();
    let result = record.conflict.resolution.as_str();
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

/// A text as code in a cell of a table: between more backticks than it has in a row, on one line, its pipes escaped.
pub(crate) fn code(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let ticks = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    let line = visible(text).replace('|', "\\|");
    format!("{ticks}{space}{line}{space}{ticks}")
}

/// A text in which nothing is Markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#'
        ) {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_whatever_there_is() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a`"), "`` `a` ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(escaped("<b>*x*</b>"), "\\<b\\>\\*x\\*\\</b\\>");
    }
}
