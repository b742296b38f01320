//! What is reported in tables and lists: the overview, and what is no conflict and no file.

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
            out.within("", &many(some, "package"), " written, ");
            out.number(all - some)
                .raw(" not: this is what would change there. ");
        }
        _ => drop(out.raw("The result is written. ")),
    }
    if open > 0 {
        out.raw("<strong>Conflicts are left: somebody has to resolve them.</strong> ");
    }
    if page.up_to_date > 0 {
        out.within("", &many(page.up_to_date, "package"), " up to date.");
    }
    out.raw("</p>\n");
    if page.packages.is_empty() {
        return;
    }
    out.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Counts\"><table>\n<thead><tr>");
    if named {
        out.raw(
            "<th scope=\"col\">package</th><th scope=\"col\">from</th><th scope=\"col\">to</th>",
        );
    }
    for head in HEADS {
        out.raw("<th scope=\"col\">").raw(head).raw("</th>");
    }
    out.raw("</tr></thead>\n<tbody>\n");
    for package in &page.packages {
        row(out, package, named);
    }
    out.raw("</tbody></table></div>\n");
}

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
        let [from, to] = package
            .versions
            .as_ref()
            .map_or(["", ""], |[from, to]| [from, to]);
        out.within("<th scope=\"row\">", &package.name, "</th>");
        out.within("<td>", from, "</td>")
            .within("<td>", to, "</td>");
    }
    let counts = plan.counts;
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
        out.raw(if number == 0 {
            "<td class=\"zero\">"
        } else {
            "<td>"
        });
        out.number(number).raw("</td>");
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
    out.within("<summary><h2>", title, " <small>")
        .number(rows.len())
        .raw("</small></h2></summary>\n<ul>\n");
    for row in &rows {
        out.within("<li>", row, "</li>\n");
    }
    out.raw("</ul></details></section>\n");
}
