//! The tables and lists of the page: the overview, and what is neither a conflict nor a file.

use super::out::Out;
use super::{Package, Page};
use crate::error::Warning;
use crate::report::summary::renamed_line;
use crate::report::{by_need, many, portable};

/// The counts of each package.
pub(super) fn overview(out: &mut Out, page: &Page<'_>) {
    let named = page.packages.iter().any(|it| !it.name.is_empty());
    let open = page.packages.iter().filter(|it| it.facts.open).count();
    let written = page.packages.iter().filter(|it| it.facts.written).count();
    out.raw("<p>");
    match (written, page.packages.len()) {
        (_, 0) => {}
        (0, _) => drop(out.raw("Nothing is written: this is what would change. ")),
        (some, all) if some < all => {
            let told = "{} written, {} not: this is what would change there. ";
            out.fill(told, [&many(some, "package"), &(all - some).to_string()]);
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
    let names = if named { NAMES.as_slice() } else { &[] };
    for head in names.iter().chain(&HEADS) {
        out.fill("<th scope=\"col\">{}</th>", [head]);
    }
    out.raw("</tr></thead>\n<tbody>\n");
    for package in &page.packages {
        row(out, package, named);
    }
    out.raw("</tbody></table></div>\n");
}

const NAMES: [&str; 3] = ["package", "from", "to"];
const HEADS: [&str; 10] = [
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

fn row(out: &mut Out, package: &Package<'_>, named: bool) {
    let plan = package.plan;
    let (live, deleted) = by_need(plan);
    // where all was refused, all is left
    let open = match package.facts.open && !plan.has_open_conflicts() {
        true => live.len(),
        false => live
            .iter()
            .filter(|it| it.conflict.resolution.is_open())
            .count(),
    };
    out.raw("<tr>");
    if named {
        let [from, to] = &package.versions;
        let cells = "<th scope=\"row\">{}</th><td>{}</td><td>{}</td>";
        out.fill(cells, [&package.name, from, to]);
    }
    let counts = plan.counts();
    for number in [
        live.len(),
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

/// The packages that failed.
pub(super) fn failures(out: &mut Out, page: &Page<'_>) {
    let failed = page
        .failed
        .iter()
        .map(|(package, why)| format!("{package}: {why}"));
    list(out, "Failed", failed.collect());
}

/// What is no conflict and no file.
pub(super) fn rest(out: &mut Out, page: &Page<'_>) {
    let each = || page.packages.iter();
    let renamed = each().flat_map(|it| {
        it.plan
            .renamed
            .iter()
            .map(|one| named(it, &renamed_line(one, false)))
    });
    list(out, "Paired although the name differs", renamed.collect());
    let warnings =
        each().flat_map(|it| it.plan.warnings.iter().map(|one| named(it, &warning(one))));
    list(out, "Warnings", warnings.collect());
    let commits = each().flat_map(|it| it.commits.iter().map(|one| named(it, one)));
    list(out, "Upstream's commits", commits.collect());
}

fn named(package: &Package<'_>, text: &str) -> String {
    match package.name.as_str() {
        "" => text.to_owned(),
        name => format!("{name}: {text}"),
    }
}

fn warning(warning: &Warning) -> String {
    let path = portable(&warning.path);
    match &warning.place {
        Some(place) => format!("{path}:{}: {}", place.line, warning.message),
        None => format!("{path}: {}", warning.message),
    }
}

/// A list that is folded where it is long.
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
