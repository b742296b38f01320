//! The report for people who review: Markdown for the body of a pull request.

use super::Facts;
use super::body::Body;
use super::json::portable;
use super::summary::{
    by_need, combined_count, counts, deletion_count, renamed_count, renamed_line,
};
use super::values::shown;
use crate::merge::ConflictKind;
use crate::package::{FileConflict, Plan};
use crate::visible::visible;

/// The report of a run as Markdown: a line that sums it up, a table of the conflicts, one of what
/// pins held back, and folded away what stays deleted and what was paired although its name
/// differs. A host shows the changed files itself.
pub fn markdown(plan: &Plan, facts: &Facts) -> String {
    let mut body = Body::default();
    body.push(&format!("**merge3:** {}", line(plan, facts)));
    conflicts(&mut body, plan, "### Conflicts");
    details(&mut body, plan);
    body.finish()
}

/// The counts of a run, and whether somebody has to act.
pub(crate) fn line(plan: &Plan, facts: &Facts) -> String {
    let open = match facts.open {
        true => "\n**Conflicts are left: somebody has to resolve them.**\n",
        false => "",
    };
    format!("{}\n{open}", counts(plan, facts))
}

/// A table of the conflicts that are more than a deletion.
pub(crate) fn conflicts(body: &mut Body, plan: &Plan, title: &str) {
    let (live, _) = by_need(plan);
    table(body, &format!("\n{title}\n\n"), &live, ("conflict", ""));
}

/// What needs no decision.
pub(crate) fn details(body: &mut Body, plan: &Plan) {
    let pinned: Vec<&FileConflict> = plan.pinned.iter().collect();
    let title = "\n### Held back by `# merge3: keep`\n\n";
    table(body, title, &pinned, ("value held back", ""));
    let (_, deleted) = by_need(plan);
    let title = folded(&deletion_count(&deleted));
    table(body, &title, &deleted, ("deletion", END));
    let renamed = plan.renamed.iter();
    let renamed = renamed.map(|it| format!("- {}\n", code(&renamed_line(it, false))));
    body.list(&folded(&renamed_count(plan)), renamed, ("pair", END));
    let combined: Vec<&FileConflict> = plan.combined.iter().collect();
    let title = folded(&combined_count(plan));
    table(body, &title, &combined, ("combined value", END));
    let warnings = plan.warnings.iter().map(|warning| {
        let path = code(&portable(&warning.path));
        format!("- {path}: {}\n", code(&warning.message))
    });
    body.list("\n### Warnings\n\n", warnings, ("warning", ""));
}

/// The end of what is shown only to who asks for it.
pub(crate) const END: &str = "\n</details>\n";

pub(crate) fn folded(summary: &str) -> String {
    format!("\n<details>\n<summary>{summary}</summary>\n\n")
}

fn table(
    body: &mut Body,
    title: &str,
    records: &[&FileConflict],
    of: (&'static str, &'static str),
) {
    let head = format!(
        "{title}| where | kind | original | updated | local | result |\n\
         | --- | --- | --- | --- | --- | --- |\n"
    );
    body.list(&head, records.iter().map(|it| row(it)), of);
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

/// A text as code, between more backticks than it has in a row, on one line: nothing in it is
/// Markdown, or calls anybody. Whatever others wrote is reported so.
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
/// of the cell where another backslash is before it: there every character is written as a
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
