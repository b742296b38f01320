//! The report as Markdown, for the body of a pull request.

use super::Facts;
use super::body::Body;
use super::summary::{
    by_need, combined_count, counts, deletion_count, renamed_count, renamed_line, values_of,
};
use crate::merge::ConflictKind;
use crate::package::{FileConflict, Plan, portable};
use crate::visible::{replaced, visible};

/// Returns the report of a run as Markdown: a line with the counts, a table of the conflicts, a
/// table of the pinned values, and folded sections for deletions, renamed resources and combined
/// values. It does not list the changed files, because hosts show them.
pub fn markdown(plan: &Plan, facts: &Facts) -> String {
    let mut body = Body::default();
    body.push(&format!("**merge3:** {}", line(plan, facts)));
    conflicts(&mut body, plan, "### Conflicts");
    details(&mut body, plan);
    body.finish()
}

/// Returns the counts of a run, and a sentence if conflicts are left.
pub(crate) fn line(plan: &Plan, facts: &Facts) -> String {
    let open = match facts.open {
        true => "\n**Conflicts are left: somebody has to resolve them.**\n",
        false => "",
    };
    format!("{}\n{open}", counts(plan, facts))
}

/// Adds a table of the conflicts, except those about deletions.
pub(crate) fn conflicts(body: &mut Body, plan: &Plan, title: &str) {
    let (conflicts, _) = by_need(plan);
    let title = format!("\n{title}\n\n");
    table(body, &title, conflicts, ("conflict", ""));
}

/// Adds the parts that need no decision.
pub(crate) fn details(body: &mut Body, plan: &Plan) {
    let title = "\n### Held back by `# merge3: keep`\n\n";
    table(body, title, &plan.pinned, ("value held back", ""));
    let (_, deleted) = by_need(plan);
    let title = folded(&deletion_count(&deleted));
    table(body, &title, deleted, ("deletion", END));
    let renamed = plan.renamed.iter();
    let renamed = renamed.map(|it| format!("- {}\n", code(&renamed_line(it, false))));
    body.list(&folded(&renamed_count(plan)), renamed, ("pair", END));
    let title = folded(&combined_count(plan));
    table(body, &title, &plan.combined, ("combined value", END));
    let warnings = plan.warnings.iter().map(|warning| {
        let path = code(&portable(&warning.path));
        format!("- {path}: {}\n", code(&warning.message))
    });
    body.list("\n### Warnings\n\n", warnings, ("warning", ""));
}

/// The end of a folded section.
pub(crate) const END: &str = "\n</details>\n";

/// Returns the start of a folded section.
pub(crate) fn folded(summary: &str) -> String {
    format!("\n<details>\n<summary>{summary}</summary>\n\n")
}

/// Adds a table of records. `item_and_tail` is as for [`Body::list`].
fn table<'p>(
    body: &mut Body,
    title: &str,
    records: impl IntoIterator<Item = &'p FileConflict>,
    item_and_tail: (&'static str, &'static str),
) {
    let head = format!(
        "{title}| where | kind | original | updated | local | result |\n\
         | --- | --- | --- | --- | --- | --- |\n"
    );
    body.list(&head, records.into_iter().map(row), item_and_tail);
}

/// Returns the row of a record.
fn row(record: &FileConflict) -> String {
    let file = portable(&record.file);
    let line = record.line.map(|line| format!(":{line}"));
    let resource = record.resource.as_ref().map(ToString::to_string);
    let path = Some(record.conflict.path().to_owned()).filter(|path| !path.is_empty());
    let place = [Some(file + &line.unwrap_or_default()), resource, path];
    let place: Vec<String> = place.iter().flatten().map(|part| cell(part)).collect();
    let place = place.join("<br>");
    let values = values_of(record).map(|value| cell(&value));
    let kind = record.conflict.kind.as_str();
    let result = match record.conflict.kind {
        ConflictKind::Combined(_) => "both",
        _ => record.conflict.resolution.as_str(),
    };
    let (original, updated, local) = (values.original, values.updated, values.local);
    format!("| {place} | {kind} | {original} | {updated} | {local} | {result} |\n")
}

/// Returns a foreign text as inline code on one line. The delimiters have more backticks than any
/// run in the text, so that the text cannot act as Markdown or mention users.
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

/// Returns a foreign text as code in a cell of a table, with pipes escaped by a backslash. If a
/// backslash precedes a pipe in the text, some renderers would end the cell there, so all special
/// characters are written as numeric references.
pub(crate) fn cell(text: &str) -> String {
    let line = visible(text);
    if !line.contains("\\|") {
        return code(text).replace('|', "\\|");
    }
    let number = |c: char| format!("&#{};", u32::from(c));
    let numbers = replaced(&line, |_, c| {
        (!c.is_ascii_alphanumeric()).then(|| number(c))
    });
    format!("<code>{numbers}</code>")
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
