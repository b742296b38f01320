//! Writes the reports of `upgrade` and `outdated`: `markdown` for pull requests, and here the text
//! for the terminal, JSON (docs/report.schema.json), the HTML page, and what all of them share.

mod markdown;

use std::collections::HashMap;

use serde::Serialize;

pub(crate) use markdown::{outdated_markdown, upgrade_markdown};

use super::address::is_hash;
use super::find::PackageOutcome;
use super::package_upgrade::{Outdated, Upgrade};
use super::refs::Version;
use super::remote::Commit;
use crate::error::shown;
use crate::report::{self, Detail, Package, Page};
use crate::visible::visible;

/// The outcomes of a run, grouped. It is serialized without the packages that have a newer version.
#[derive(Serialize)]
struct Outcomes<'o, T> {
    #[serde(skip)]
    newer: Vec<&'o T>,
    up_to_date: Vec<String>,
    failed: Vec<Failed>,
}

/// A package that failed, and the error message.
#[derive(Serialize)]
struct Failed {
    package: String,
    message: String,
}

impl<'o, T> Outcomes<'o, T> {
    fn of(outcomes: &'o [PackageOutcome<T>]) -> Self {
        Self::with(outcomes, |_| false)
    }

    /// Groups the outcomes. A package with a newer version counts as up to date if `stays` returns
    /// true for it.
    fn with(outcomes: &'o [PackageOutcome<T>], stays: impl Fn(&T) -> bool) -> Self {
        let mut grouped = Self {
            newer: Vec::new(),
            up_to_date: Vec::new(),
            failed: Vec::new(),
        };
        for PackageOutcome { package, newer } in outcomes {
            let package = report::portable(package);
            match newer {
                Ok(Some(newer)) if !stays(newer) => grouped.newer.push(newer),
                Ok(_) => grouped.up_to_date.push(package),
                Err(error) => grouped.failed.push(Failed {
                    package,
                    message: error.to_string(),
                }),
            }
        }
        grouped
    }

    /// Returns a sentence with the number of packages that are up to date; empty if there is none.
    fn count_up_to_date(&self) -> String {
        match self.up_to_date.len() {
            0 => String::new(),
            1 => "1 package is up to date\n".to_owned(),
            count => format!("{count} packages are up to date\n"),
        }
    }
}

impl<'o> Outcomes<'o, Upgrade> {
    /// Groups the outcomes and sorts the upgrades: those with open conflicts first, then those with
    /// other conflicts.
    fn by_need(outcomes: &'o [PackageOutcome<Upgrade>]) -> Self {
        let mut grouped = Self::of(outcomes);
        grouped.newer.sort_by_key(|upgrade| {
            let has_no_conflict = upgrade.plan.conflicts.is_empty();
            (!upgrade.facts.open, has_no_conflict)
        });
        grouped
    }
}

/// The report as JSON.
#[derive(Serialize)]
struct Report<'u, T> {
    /// The packages that have a newer version, under one name.
    #[serde(flatten)]
    newer: HashMap<&'static str, &'u [&'u T]>,
    #[serde(flatten)]
    others: &'u Outcomes<'u, T>,
}

fn json<T: Serialize>(name: &'static str, others: &Outcomes<'_, T>) -> String {
    let newer = HashMap::from([(name, others.newer.as_slice())]);
    report::as_json(Report { newer, others })
}

/// Returns the report of upgrades as JSON.
pub(crate) fn upgrade_json(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    json("packages", &Outcomes::of(outcomes))
}

/// Returns the packages that have a newer version as JSON.
pub(crate) fn outdated_json(outcomes: &[PackageOutcome<Outdated>]) -> String {
    json(
        "outdated",
        &Outcomes::with(outcomes, |it| it.wanted.is_none()),
    )
}

/// Returns the report of upgrades as an HTML page. Packages with open conflicts come first.
pub(crate) fn upgrade_html(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    let outcomes = Outcomes::by_need(outcomes);
    let failed = outcomes.failed.into_iter();
    report::page(&Page {
        packages: outcomes.newer.into_iter().map(package).collect(),
        failed: failed.map(|it| (it.package, it.message)).collect(),
        up_to_date: outcomes.up_to_date.len(),
    })
}

/// Returns an upgrade as the page shows it.
fn package(upgrade: &Upgrade) -> Package<'_> {
    let commits = upgrade.commits.iter().flatten();
    let line = |commit: &Commit| {
        let (hash, day) = (short_name(&commit.hash), commit.day());
        format!("{hash} {} ({}, {day})", commit.subject, commit.author)
    };
    Package {
        name: report::portable(&upgrade.package),
        versions: versions(upgrade).map(str::to_owned),
        plan: &upgrade.plan,
        facts: &upgrade.facts,
        commits: commits.map(line).collect(),
    }
}

/// Returns the first 10 digits of a hash or digest; any other name as it is.
pub(super) fn short_name(name: &str) -> &str {
    let digits = name.trim_start_matches("sha256:");
    if is_hash(name) { &digits[..10] } else { name }
}

/// Returns the names of the old and the new version of an upgrade, with short hashes.
pub(super) fn versions(upgrade: &Upgrade) -> [&str; 2] {
    [&upgrade.from, &upgrade.to].map(|version| short_name(&version.full))
}

/// Returns the cells of a row: the package, its version, the wanted one and the newest one.
fn row(outdated: &Outdated) -> [String; 4] {
    let current = &outdated.current;
    // versions of a branch have the same name and differ in the commit
    let is_branch = outdated.latest.name == current.name;
    let name = |version: &Version| match is_branch {
        true => format!("{} {}", version.name, short_name(&version.commit)),
        false => short_name(&version.name).to_owned(),
    };
    [
        report::portable(&outdated.package),
        name(current),
        name(outdated.wanted.as_ref().unwrap_or(current)),
        name(&outdated.latest),
    ]
}

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
