//! What was upgraded, and what could be, for programs (docs/report.schema.json).

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::git_process::without_password;
use crate::report;
use crate::upgrade::address::Place;
use crate::upgrade::batch::Outcome;
use crate::upgrade::history::Commit;
use crate::upgrade::outdated::Outdated;
use crate::upgrade::package_upgrade::Upgrade;
use crate::upgrade::remote::Resolved;

#[derive(Serialize)]
struct Report<P> {
    version: u32,
    program: &'static str,
    #[serde(flatten)]
    packages: P,
    up_to_date: Vec<String>,
    failed: Vec<FailedOut>,
}

#[derive(Serialize)]
struct FailedOut {
    package: String,
    message: String,
}

#[derive(Serialize)]
struct Upgrades<'u> {
    packages: Vec<UpgradeOut<'u>>,
}

#[derive(Serialize)]
struct UpgradeOut<'u> {
    #[serde(flatten)]
    package: PackageOut<'u>,
    from: VersionOut<'u>,
    to: VersionOut<'u>,
    commits: Option<&'u Vec<Commit>>,
    commit: Option<&'u str>,
    #[serde(flatten)]
    merge: report::Merge<'u>,
}

#[derive(Serialize)]
struct NewerVersions<'u> {
    outdated: Vec<OutdatedOut<'u>>,
}

#[derive(Serialize)]
struct OutdatedOut<'u> {
    #[serde(flatten)]
    package: PackageOut<'u>,
    current: VersionOut<'u>,
    newest: VersionOut<'u>,
    latest: VersionOut<'u>,
}

#[derive(Serialize)]
struct PackageOut<'u> {
    package: String,
    repository: String,
    directory: &'u str,
}

#[derive(Serialize)]
struct VersionOut<'u> {
    #[serde(rename = "ref")]
    reference: &'u str,
    commit: &'u str,
}

/// The report of upgrades for programs (docs/report.schema.json).
pub fn upgrade_json(outcomes: &[Outcome<Upgrade>]) -> String {
    let newer = outcomes.iter().filter_map(Outcome::newer);
    let packages = newer.map(upgrade_out).collect();
    json(outcomes, Upgrades { packages }, |_| None)
}

/// The packages that have a newer version, for programs (docs/report.schema.json).
pub fn outdated_json(outcomes: &[Outcome<Outdated>]) -> String {
    let newer = outcomes.iter().filter_map(Outcome::newer);
    let outdated = newer.filter_map(outdated_out).collect();
    json(outcomes, NewerVersions { outdated }, |it| {
        it.wanted.is_none().then_some(&it.package)
    })
}

/// The report, with the packages that stay at their version although there is a newer one.
fn json<'u, T: 'u>(
    outcomes: &'u [Outcome<T>],
    packages: impl Serialize,
    stays: impl Fn(&'u T) -> Option<&'u PathBuf>,
) -> String {
    let up_to_date = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Newer(newer) => stays(newer),
        Outcome::UpToDate(package) => Some(package),
        Outcome::Failed(..) => None,
    });
    let failed = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Failed(package, error) => Some(FailedOut {
            package: report::portable(package),
            message: error.to_string(),
        }),
        _ => None,
    });
    report::pretty(&Report {
        version: report::VERSION,
        program: report::PROGRAM,
        packages,
        up_to_date: up_to_date.map(|it| report::portable(it)).collect(),
        failed: failed.collect(),
    })
}

fn upgrade_out(upgrade: &Upgrade) -> UpgradeOut<'_> {
    UpgradeOut {
        package: package_out(&upgrade.package, &upgrade.place),
        from: version_out(&upgrade.from.full, &upgrade.from),
        to: version_out(&upgrade.to.full, &upgrade.to),
        commits: upgrade.commits.as_ref(),
        commit: upgrade.committed.as_deref(),
        merge: report::merge(&upgrade.plan, &upgrade.facts),
    }
}

fn outdated_out(outdated: &Outdated) -> Option<OutdatedOut<'_>> {
    let wanted = outdated.wanted.as_ref()?;
    Some(OutdatedOut {
        package: package_out(&outdated.package, &outdated.place),
        current: version_out(&outdated.current.name, &outdated.current),
        newest: version_out(&wanted.name, wanted),
        latest: version_out(&outdated.latest.name, &outdated.latest),
    })
}

fn package_out<'u>(package: &Path, place: &'u Place) -> PackageOut<'u> {
    PackageOut {
        package: report::portable(package),
        repository: without_password(&place.repository),
        directory: &place.directory,
    }
}

fn version_out<'u>(reference: &'u str, version: &'u Resolved) -> VersionOut<'u> {
    VersionOut {
        reference,
        commit: &version.commit,
    }
}
