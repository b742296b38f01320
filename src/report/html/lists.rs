//! Writes the overview table, the changed files, each as a folded diff, and the lists of the page:
//! failed packages, renamed resources, warnings and commits.

use super::out::Out;
use super::{Package, Page};
use crate::error::Warning;
use crate::package::{ChangeKind, FileChange, is_yaml_name};
use crate::report::diff::hunks_of;
use crate::report::summary::renamed_line;
use crate::report::{by_need, many, portable};

/// Writes the overview: a summary and a table with the counts of each package.
pub(super) fn overview(out: &mut Out, page: &Page<'_>) {
    let has_names = page.packages.iter().any(|it| !it.name.is_empty());
    let open = page.packages.iter().filter(|it| it.facts.open).count();
    let written = page.packages.iter().filter(|it| it.facts.written).count();
    out.raw("<p>");
    match (written, page.packages.len()) {
        (_, 0) => {}
        (0, _) => drop(out.raw("Nothing is written: this is what would change. ")),
        (some, all) if some < all => {
            let sentence = "{} written, {} not: this is what would change there. ";
            let others = (all - some).to_string();
            out.fill(sentence, [&many(some, "package"), &others]);
        }
        _ => drop(out.raw("The result is written. ")),
    }
    if open > 0 {
        out.raw("<strong>Conflicts are left: somebody has to resolve them.</strong> ");
    }
    if page.up_to_date > 0 {
        out.fill("{} up to date.", [&many(page.up_to_date, "package")]);
    }
    out.raw("</p>\n");
    let Some(first) = page.packages.first() else {
        return;
    };
    out.raw(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Counts\"><table>\n<thead><tr>",
    );
    let names = NAME_COLUMNS.into_iter().filter(|_| has_names);
    for head in names.chain(counts(first).map(|(name, _)| name)) {
        out.fill("<th scope=\"col\">{}</th>", [head]);
    }
    out.raw("</tr></thead>\n<tbody>\n");
    for package in &page.packages {
        row(out, package, has_names);
    }
    out.raw("</tbody></table></div>\n");
}

/// The columns of pages about named packages.
const NAME_COLUMNS: [&str; 3] = ["package", "from", "to"];

/// Writes the row of a package.
fn row(out: &mut Out, package: &Package<'_>, has_names: bool) {
    out.raw("<tr>");
    if has_names {
        let [from, to] = &package.versions;
        let cells = "<th scope=\"row\">{}</th><td>{}</td><td>{}</td>";
        out.fill(cells, [&package.name, from, to]);
    }
    for (_, number) in counts(package) {
        let cell = match number {
            0 => "<td class=\"zero\">{}</td>",
            _ => "<td>{}</td>",
        };
        out.fill(cell, [&number.to_string()]);
    }
    out.raw("</tr>\n");
}

/// Returns the counts of a package, each with the name of its column.
fn counts(package: &Package<'_>) -> [(&'static str, usize); 10] {
    let plan = package.plan;
    let (conflicts, deleted) = by_need(plan);
    // if the run was refused, all conflicts are left
    let is_refused = package.facts.open && !plan.has_open_conflicts();
    let open = conflicts.iter();
    let open = open.filter(|it| is_refused || it.conflict.resolution.is_open());
    let counts = plan.counts();
    [
        ("conflicts", conflicts.len()),
        ("left to you", open.count()),
        ("put together", plan.combined.len()),
        ("changed", counts.changed),
        ("added", counts.added),
        ("deleted", counts.deleted),
        ("moved", counts.moved),
        ("held back", plan.pinned.len()),
        ("stay deleted", deleted.len()),
        ("warnings", plan.warnings.len()),
    ]
}

/// Writes the list of packages that failed.
pub(super) fn failures(out: &mut Out, page: &Page<'_>) {
    let failed = page.failed.iter();
    let failed = failed.map(|(package, why)| format!("{package}: {why}"));
    list(out, "Failed", failed.collect());
}

/// Writes the lists of renamed resources, warnings and commits. Each row starts with the name of its
/// package, if the package has one.
pub(super) fn notes(out: &mut Out, page: &Page<'_>) {
    let mut write = |title, rows_of: fn(&Package<'_>) -> Vec<String>| {
        let rows = page.packages.iter().flat_map(|package| {
            let rows = rows_of(package).into_iter();
            rows.map(|row| match package.name.as_str() {
                "" => row,
                name => format!("{name}: {row}"),
            })
        });
        list(out, title, rows.collect());
    };
    write("Paired although the name differs", |package| {
        let renamed = package.plan.renamed.iter();
        renamed.map(|it| renamed_line(it, false)).collect()
    });
    write("Warnings", |package| {
        package.plan.warnings.iter().map(warning).collect()
    });
    write("Upstream's commits", |package| package.commits.clone());
}

/// Returns a warning on one line.
fn warning(warning: &Warning) -> String {
    let path = portable(&warning.path);
    match &warning.place {
        Some(place) => format!("{path}:{}: {}", place.line, warning.message),
        None => format!("{path}: {}", warning.message),
    }
}

/// Writes a list, folded if it has more than 20 rows.
fn list(out: &mut Out, title: &'static str, rows: Vec<String>) {
    if rows.is_empty() {
        return;
    }
    out.raw("<section class=\"list\"><details");
    out.raw(if rows.len() <= 20 { " open>" } else { ">" });
    let head = "<summary><h2>{} <small>{}</small></h2></summary>\n<ul>\n";
    out.fill(head, [title, &rows.len().to_string()]);
    for row in &rows {
        out.fill("<li>{}</li>\n", [row]);
    }
    out.raw("</ul></details></section>\n");
}

/// The maximum number of diff lines of a file.
const MAX_FILE_LINES: usize = 2_000;
/// The maximum number of diff lines of the page.
const MAX_TOTAL_LINES: usize = 40_000;

/// Writes the section of changed files.
pub(super) fn changes(out: &mut Out, page: &Page<'_>) {
    if page.packages.iter().all(|it| it.plan.files.is_empty()) {
        return;
    }
    out.raw("<section><h2>Changed files</h2>\n");
    let mut remaining_lines = MAX_TOTAL_LINES;
    for package in &page.packages {
        for change in &package.plan.files {
            file(out, package, change, &mut remaining_lines);
        }
    }
    out.raw("</section>\n");
}

/// Writes a changed file. `remaining_lines` is the number of diff lines that the page may still
/// have.
fn file(out: &mut Out, package: &Package<'_>, change: &FileChange, remaining_lines: &mut usize) {
    let path = package.path(&change.path);
    let kind = change.kind.as_str();
    let hunks = hunks_of(change, package.plan.show_secrets);
    let count = |sign| {
        let lines = hunks.text.lines();
        lines.filter(|it| it.starts_with(sign)).count().to_string()
    };
    let head = "<details class=\"item file\" data-kind=\"{}\" data-file=\"{}\"><summary>";
    out.fill(head, [kind, &path]);
    let name = "<h3><code>{}</code></h3> <span class=\"kind\">{}</span>";
    out.fill(name, [&path, kind]);
    if let ChangeKind::Moved { from } = &change.kind {
        let from = package.path(from);
        out.fill(" <span class=\"where\">from {}</span>", [&from]);
    }
    let counts = " <span class=\"result\">+{} \u{2212}{}</span></summary>\n";
    out.fill(counts, [&count('+'), &count('-')]);
    if hunks.is_partial {
        out.raw(
            "<p class=\"note\">What changes in Secrets is left \
             out; <code>--show-secrets</code> shows it.</p>\n",
        );
    } else if hunks.text.is_empty() && change.old == change.new {
        out.raw("<p class=\"note\">Its text stays as it is.</p>\n");
    } else if hunks.text.is_empty() {
        out.raw("<p class=\"note\">It is not text.</p>\n");
    }
    let max_lines = MAX_FILE_LINES.min(*remaining_lines);
    let is_yaml = is_yaml_name(&change.path);
    let mut lines = hunks.text.lines();
    out.raw("<pre class=\"diff\">");
    for line in lines.by_ref().take(max_lines) {
        *remaining_lines -= 1;
        diff_line(out, line, is_yaml);
    }
    out.raw("</pre>\n");
    let rest = lines.count();
    if rest > 0 {
        let note = "<p class=\"note\">{} of the diff left \
            out; <code>--diff</code> prints all of it.</p>\n";
        out.fill(note, [&many(rest, "more line")]);
    }
    out.raw("</details>\n");
}

/// Writes a line of a diff.
fn diff_line(out: &mut Out, line: &str, is_yaml: bool) {
    let line = line.trim_end_matches('\r');
    let (sign, body) = line.split_at(line.len().min(1));
    let (open, close) = match sign {
        "+" => ("<ins>+", "</ins>\n"),
        "-" => ("<del>-", "</del>\n"),
        " " => (" ", "\n"),
        _ => {
            out.fill("<span class=\"h\">{}</span>\n", [line]);
            return;
        }
    };
    out.raw(open);
    match is_yaml {
        true => out.yaml(body),
        false => drop(out.text(body)),
    }
    out.raw(close);
}
