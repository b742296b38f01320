//! Writes the reports of `upgrade` and `outdated` for the terminal.

use super::{Outcomes, row, short_name, versions};
use crate::error::shown;
use crate::report::{self, Detail};
use crate::upgrade::find::PackageOutcome;
use crate::upgrade::outdated::Outdated;
use crate::upgrade::package_upgrade::Upgrade;
use crate::visible::visible;

/// The maximum width of a table.
const MAX_WIDTH: usize = 80;
/// The maximum width of a version in a table.
const MAX_VERSION_WIDTH: usize = 18;

/// Returns the report of upgrades for the terminal.
pub(crate) fn upgrade_text(outcomes: &[PackageOutcome<Upgrade>], detail: Detail) -> String {
    let grouped = Outcomes::of(outcomes);
    let mut text = String::new();
    for upgrade in &grouped.newer {
        let [from, to] = versions(upgrade).map(visible);
        let package = shown(&upgrade.package);
        text.push_str(&format!("{package}: {from} -> {to}\n"));
        text.push_str(&report::summary(&upgrade.plan, &upgrade.facts, detail));
        if let Some(commit) = &upgrade.committed {
            text.push_str(&format!("committed as {}\n", short_name(commit)));
        }
    }
    text + &grouped.count_up_to_date()
}

/// Returns the packages that have a newer version as a table of 80 columns.
pub(crate) fn outdated_text(states: &[PackageOutcome<Outdated>]) -> String {
    let head = ["PACKAGE", "CURRENT", "WANTED", "LATEST"].map(str::to_owned);
    let grouped = Outcomes::of(states);
    let newer = grouped.newer.iter();
    let newer = newer.map(|outdated| row(outdated).map(|cell| visible(&cell)));
    let rows: Vec<[String; 4]> = [head].into_iter().chain(newer).collect();
    let mut text = String::new();
    if rows.len() > 1 {
        let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max();
        let [_, versions @ ..] =
            [0, 1, 2, 3].map(|column| widest(column).unwrap_or(0).min(MAX_VERSION_WIDTH));
        let rest = MAX_WIDTH - versions.iter().map(|width| width + 2).sum::<usize>();
        let names = rows.iter().map(|row| width(&row[0]));
        let name_width = names.filter(|width| *width <= rest).max().unwrap_or(rest);
        for [name, cells @ ..] in &rows {
            let mut line = format!("{:name_width$}", shortened(name, MAX_WIDTH));
            if width(&line) > name_width {
                line.push_str(&format!("\n{:name_width$}", ""));
            }
            for (cell, width) in cells.iter().zip(versions) {
                line.push_str(&format!("  {:width$}", shortened(cell, width)));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text + &grouped.count_up_to_date()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Returns a text of at most `max` characters, with `...` instead of its middle if it is longer.
fn shortened(text: &str, max: usize) -> String {
    let count = width(text);
    if count <= max {
        return text.to_owned();
    }
    let begin: String = text.chars().take((max - 3) / 2).collect();
    let rest = max - 3 - width(&begin);
    let end: String = text.chars().skip(count - rest).collect();
    format!("{begin}...{end}")
}
