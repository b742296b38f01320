//! What was upgraded, and what could be: as text, JSON, Markdown.

use serde::Serialize;

use super::fleet::{Outcome, Outdated, State};
use super::message::short_name;
use super::one::Upgrade;
use super::remote::Resolved;
use crate::error::shown;
use crate::report::{self, Detail};
use crate::visible::visible;

/// How much a text tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Whether each file is named that changes.
    pub files: bool,
    /// Whether each record is named that needs no decision.
    pub records: bool,
    /// Whether it is coloured.
    pub color: bool,
}

/// The most of upstream's commits that a report for people lists.
const MOST: usize = 100;

#[derive(Serialize)]
struct UpgradeReport<'u> {
    version: u32,
    program: &'static str,
    packages: Vec<UpgradeOut<'u>>,
    up_to_date: Vec<String>,
    failed: Vec<FailedOut>,
}

#[derive(Serialize)]
struct UpgradeOut<'u> {
    package: String,
    repository: String,
    directory: &'u str,
    from: VersionOut<'u>,
    to: VersionOut<'u>,
    commits: Option<Vec<CommitOut<'u>>>,
    commit: Option<&'u str>,
    #[serde(flatten)]
    merge: report::Merge<'u>,
}

#[derive(Serialize)]
struct VersionOut<'u> {
    #[serde(rename = "ref")]
    reference: &'u str,
    commit: &'u str,
}

#[derive(Serialize)]
struct CommitOut<'u> {
    commit: &'u str,
    date: &'u str,
    author: &'u str,
    subject: &'u str,
}

#[derive(Serialize)]
struct FailedOut {
    package: String,
    message: String,
}

#[derive(Serialize)]
struct OutdatedReport<'u> {
    version: u32,
    program: &'static str,
    outdated: Vec<OutdatedOut<'u>>,
    up_to_date: Vec<String>,
    failed: Vec<FailedOut>,
}

#[derive(Serialize)]
struct OutdatedOut<'u> {
    package: String,
    repository: String,
    directory: &'u str,
    current: VersionOut<'u>,
    newest: VersionOut<'u>,
}

/// The report of upgrades for programs (docs/report.schema.json).
pub fn upgrade_json(outcomes: &[Outcome]) -> String {
    let mut told = UpgradeReport {
        version: report::VERSION,
        program: report::PROGRAM,
        packages: Vec::new(),
        up_to_date: Vec::new(),
        failed: Vec::new(),
    };
    for outcome in outcomes {
        match outcome {
            Outcome::Upgraded(upgrade) => told.packages.push(upgrade_out(upgrade)),
            Outcome::UpToDate(package) => told.up_to_date.push(report::portable(package)),
            Outcome::Failed(package, error) => told.failed.push(FailedOut {
                package: report::portable(package),
                message: error.to_string(),
            }),
        }
    }
    report::pretty(&told)
}

fn upgrade_out(upgrade: &Upgrade) -> UpgradeOut<'_> {
    let commits = upgrade.commits.as_ref().map(|commits| {
        let each = commits.iter().map(|commit| CommitOut {
            commit: &commit.hash,
            date: &commit.date,
            author: &commit.author,
            subject: &commit.subject,
        });
        each.collect()
    });
    UpgradeOut {
        package: report::portable(&upgrade.package),
        repository: crate::git_process::without_password(&upgrade.place.repository),
        directory: &upgrade.place.directory,
        from: version_out(&upgrade.from),
        to: version_out(&upgrade.to),
        commits,
        commit: upgrade.committed.as_deref(),
        merge: report::merge(&upgrade.plan, &upgrade.facts),
    }
}

fn version_out(version: &Resolved) -> VersionOut<'_> {
    VersionOut {
        reference: &version.full,
        commit: &version.commit,
    }
}

/// The report of upgrades for the body of a pull request.
pub fn upgrade_markdown(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        match outcome {
            Outcome::Upgraded(upgrade) => push_markdown(&mut text, upgrade),
            Outcome::UpToDate(_) => {}
            Outcome::Failed(package, error) => {
                let package = report::code(&report::portable(package));
                text.push_str(&format!(
                    "## {package}\n\n**failed:** {}\n\n",
                    report::code(&error.to_string())
                ));
            }
        }
    }
    if text.is_empty() {
        text.push_str("Every package is up to date.\n");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn push_markdown(text: &mut String, upgrade: &Upgrade) {
    let (from, to) = (&upgrade.from, &upgrade.to);
    let name = |version: &Resolved| report::code(short_name(&version.full));
    text.push_str(&format!(
        "## {}\n\nFrom {} to {} of {}.\n\n",
        report::code(&report::portable(&upgrade.package)),
        name(from),
        name(to),
        report::code(&upgrade.place.shown())
    ));
    text.push_str(&report::markdown(&upgrade.plan, &upgrade.facts));
    match &upgrade.commits {
        None => text.push_str("\nUpstream does not tell the commits between the two.\n"),
        Some(commits) if commits.is_empty() => {}
        Some(commits) => {
            let count = report::many(commits.len(), "commit");
            text.push_str(&format!(
                "\n<details>\n<summary>{count} upstream</summary>\n\n"
            ));
            for commit in commits.iter().take(MOST) {
                let day: String = commit.date.chars().take(10).collect();
                text.push_str(&format!(
                    "- {} {} ({}, {day})\n",
                    report::code(short_name(&commit.hash)),
                    report::code(&commit.subject),
                    report::code(&commit.author)
                ));
            }
            if commits.len() > MOST {
                text.push_str(&format!("- and {} more\n", commits.len() - MOST));
            }
            text.push_str("\n</details>\n");
        }
    }
    text.push('\n');
}

/// The report of upgrades for people at a terminal.
pub fn upgrade_text(outcomes: &[Outcome], told: Told) -> String {
    let mut text = String::new();
    let mut current = 0;
    for outcome in outcomes {
        match outcome {
            Outcome::UpToDate(_) => current += 1,
            Outcome::Failed(..) => {}
            Outcome::Upgraded(upgrade) => {
                let name = |version: &Resolved| visible(short_name(&version.full));
                let (from, to) = (name(&upgrade.from), name(&upgrade.to));
                let package = shown(&upgrade.package);
                text.push_str(&format!("{package}: {from} -> {to}\n"));
                let detail = Detail {
                    files: told.files,
                    records: told.records,
                    planned_only: !upgrade.facts.written,
                    color: told.color,
                };
                text.push_str(&report::summary(&upgrade.plan, detail));
                if let Some(commit) = &upgrade.committed {
                    text.push_str(&format!("committed as {}\n", short_name(commit)));
                }
            }
        }
    }
    text + &current_packages(current, outcomes.is_empty())
}

/// How many packages are up to date, if any.
fn current_packages(count: usize, is_none_here: bool) -> String {
    match count {
        0 if is_none_here => {
            "no packages here: `merge3 get` vendors one, and records where it comes from\n"
                .to_owned()
        }
        0 => String::new(),
        1 => "1 package is up to date\n".to_owned(),
        count => format!("{count} packages are up to date\n"),
    }
}

/// The packages that have a newer version, for programs (docs/report.schema.json).
pub fn outdated_json(states: &[State]) -> String {
    let mut told = OutdatedReport {
        version: report::VERSION,
        program: report::PROGRAM,
        outdated: Vec::new(),
        up_to_date: Vec::new(),
        failed: Vec::new(),
    };
    for state in states {
        match state {
            State::Outdated(outdated) => told.outdated.push(OutdatedOut {
                package: report::portable(&outdated.package),
                repository: crate::git_process::without_password(&outdated.place.repository),
                directory: &outdated.place.directory,
                current: VersionOut {
                    reference: &outdated.current.0,
                    commit: &outdated.current.1,
                },
                newest: VersionOut {
                    reference: &outdated.newest.name,
                    commit: &outdated.newest.commit,
                },
            }),
            State::UpToDate(package) => told.up_to_date.push(report::portable(package)),
            State::Failed(package, error) => told.failed.push(FailedOut {
                package: report::portable(package),
                message: error.to_string(),
            }),
        }
    }
    report::pretty(&told)
}

/// The packages that have a newer version, as a table; `markdown` as one that a pull request shows.
pub fn outdated_table(states: &[State], markdown: bool) -> String {
    let head = ["PACKAGE", "CURRENT", "NEWEST", "UPSTREAM"].map(str::to_owned);
    let rows: Vec<[String; 4]> = states
        .iter()
        .filter_map(|state| match state {
            State::Outdated(outdated) => Some(row(outdated)),
            _ => None,
        })
        .collect();
    let current = states
        .iter()
        .filter(|state| matches!(state, State::UpToDate(_)))
        .count();
    let mut text = String::new();
    if markdown {
        text.push_str("| package | current | newest | upstream |\n| --- | --- | --- | --- |\n");
        for row in &rows {
            let cells: Vec<String> = row.iter().map(|text| report::cell(text)).collect();
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        return text;
    }
    if !rows.is_empty() {
        // those of Markdown are made so by `cell`
        let rows = rows
            .iter()
            .map(|row| row.each_ref().map(|cell| visible(cell)));
        let rows: Vec<[String; 4]> = rows.collect();
        let all: Vec<&[String; 4]> = std::iter::once(&head).chain(&rows).collect();
        let width = |column: usize| {
            all.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2)];
        for row in all {
            for (cell, width) in row.iter().zip(widths) {
                text.push_str(&format!("{cell:width$}  "));
            }
            text.push_str(&row[3]);
            text.push('\n');
        }
    }
    text + &current_packages(current, states.is_empty())
}

fn row(outdated: &Outdated) -> [String; 4] {
    let newest = &outdated.newest;
    // a branch keeps its name: what tells its versions apart is the commit
    let same = newest.name == outdated.current.0;
    let name = |name: &str, commit: &str| match same {
        true => format!("{name} {}", short_name(commit)),
        false => short_name(name).to_owned(),
    };
    [
        report::portable(&outdated.package),
        name(&outdated.current.0, &outdated.current.1),
        name(&newest.name, &newest.commit),
        outdated.place.shown(),
    ]
}
