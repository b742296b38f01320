//! What was upgraded, and what could be, for programs (docs/report.schema.json).

use serde::Serialize;

use crate::report;
use crate::upgrade::fleet::Outcome;
use crate::upgrade::one::Upgrade;
use crate::upgrade::outdated::State;
use crate::upgrade::remote::Resolved;

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
    latest: VersionOut<'u>,
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

/// The packages that have a newer version, for programs (docs/report.schema.json).
pub fn outdated_json<'s>(states: &'s [State]) -> String {
    let mut told = OutdatedReport {
        version: report::VERSION,
        program: report::PROGRAM,
        outdated: Vec::new(),
        up_to_date: Vec::new(),
        failed: Vec::new(),
    };
    for state in states {
        match state {
            State::Outdated(outdated) => {
                let version = |version: &'s Resolved| VersionOut {
                    reference: &version.name,
                    commit: &version.commit,
                };
                let Some(wanted) = &outdated.wanted else {
                    told.up_to_date.push(report::portable(&outdated.package));
                    continue;
                };
                told.outdated.push(OutdatedOut {
                    package: report::portable(&outdated.package),
                    repository: crate::git_process::without_password(&outdated.place.repository),
                    directory: &outdated.place.directory,
                    current: version(&outdated.current),
                    newest: version(wanted),
                    latest: version(&outdated.latest),
                });
            }
            State::UpToDate(package) => told.up_to_date.push(report::portable(package)),
            State::Failed(package, error) => told.failed.push(FailedOut {
                package: report::portable(package),
                message: error.to_string(),
            }),
        }
    }
    report::pretty(&told)
}
