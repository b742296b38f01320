//! Writes the overview table and the lists of the page: failed packages, renamed resources,
//! warnings and commits.

use super::out::Out;
use super::{Package, Page};
use crate::error::Warning;
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
            out.fill(
                sentence,
                [&many(some, "package"), &(all - some).to_string()],
            );
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
    if page.packages.is_empty() {
        return;
    }
    out.raw(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Counts\"><table>\n<thead><tr>",
    );
    let name_columns = if has_names {
        NAME_COLUMNS.as_slice()
    } else {
        &[]
    };
    for head in name_columns.iter().chain(&COUNT_COLUMNS) {
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
/// The columns of all pages.
const COUNT_COLUMNS: [&str; 10] = [
    "conflicts",
    "left to you",
    "put together",
    "changed",
    "added",
    "deleted",
    "moved",
    "held back",
    "stay deleted",
    "warnings",
];

/// Writes the row of a package.
fn row(out: &mut Out, package: &Package<'_>, has_names: bool) {
    let plan = package.plan;
    let (conflicts, deleted) = by_need(plan);
    // if the run was refused, all conflicts are left
    let open = match package.facts.open && !plan.has_open_conflicts() {
        true => conflicts.len(),
        false => conflicts
            .iter()
            .filter(|it| it.conflict.resolution.is_open())
            .count(),
    };
    out.raw("<tr>");
    if has_names {
        let [from, to] = &package.versions;
        let cells = "<th scope=\"row\">{}</th><td>{}</td><td>{}</td>";
        out.fill(cells, [&package.name, from, to]);
    }
    let counts = plan.counts();
    for number in [
        conflicts.len(),
        open,
        plan.combined.len(),
        counts.changed,
        counts.added,
        counts.deleted,
        counts.moved,
        plan.pinned.len(),
        deleted.len(),
        plan.warnings.len(),
    ] {
        let cell = match number {
            0 => "<td class=\"zero\">{}</td>",
            _ => "<td>{}</td>",
        };
        out.fill(cell, [&number.to_string()]);
    }
    out.raw("</tr>\n");
}

/// Writes the list of packages that failed.
pub(super) fn failures(out: &mut Out, page: &Page<'_>) {
    let failed = page
        .failed
        .iter()
        .map(|(package, why)| format!("{package}: {why}"));
    list(out, "Failed", failed.collect());
}

/// Writes the lists of renamed resources, warnings and commits.
pub(super) fn notes(out: &mut Out, page: &Page<'_>) {
    let packages = || page.packages.iter();
    let renamed = packages().flat_map(|package| {
        let renamed = package.plan.renamed.iter();
        renamed.map(|it| with_name(package, &renamed_line(it, false)))
    });
    list(out, "Paired although the name differs", renamed.collect());
    let warnings = packages().flat_map(|package| {
        let warnings = package.plan.warnings.iter();
        warnings.map(|it| with_name(package, &warning(it)))
    });
    list(out, "Warnings", warnings.collect());
    let commits = packages().flat_map(|package| {
        let commits = package.commits.iter();
        commits.map(|it| with_name(package, it))
    });
    list(out, "Upstream's commits", commits.collect());
}

/// Returns a text after the name of its package, if the package has one.
fn with_name(package: &Package<'_>, text: &str) -> String {
    match package.name.as_str() {
        "" => text.to_owned(),
        name => format!("{name}: {text}"),
    }
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
