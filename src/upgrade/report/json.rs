//! Writes the reports of `upgrade` and `outdated` as JSON (docs/report.schema.json).

use std::path::Path;

use serde::Serialize;

use super::Outcomes;
use crate::git_process::without_password;
use crate::report;
use crate::upgrade::address::Origin;
use crate::upgrade::history::Commit;
use crate::upgrade::outcome::PackageOutcome;
use crate::upgrade::outdated::Outdated;
use crate::upgrade::package_upgrade::Upgrade;
use crate::upgrade::refs::Version;

#[derive(Serialize)]
struct Upgrades<'u> {
    packages: Vec<UpgradeOut<'u>>,
    #[serde(flatten)]
    others: &'u Outcomes<'u, Upgrade>,
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
    #[serde(flatten)]
    others: &'u Outcomes<'u, Outdated>,
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

/// Returns the report of upgrades as JSON.
pub(crate) fn upgrade_json(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    let grouped = Outcomes::of(outcomes);
    report::as_json(Upgrades {
        packages: grouped.newer.iter().map(|it| upgrade_out(it)).collect(),
        others: &grouped,
    })
}

/// Returns the packages that have a newer version as JSON.
pub(crate) fn outdated_json(outcomes: &[PackageOutcome<Outdated>]) -> String {
    let grouped = Outcomes::with(outcomes, |it: &Outdated| it.wanted.is_none());
    report::as_json(NewerVersions {
        outdated: grouped
            .newer
            .iter()
            .filter_map(|it| outdated_out(it))
            .collect(),
        others: &grouped,
    })
}

fn upgrade_out(upgrade: &Upgrade) -> UpgradeOut<'_> {
    UpgradeOut {
        package: package_out(&upgrade.package, &upgrade.origin),
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
        package: package_out(&outdated.package, &outdated.origin),
        current: version_out(&outdated.current.name, &outdated.current),
        newest: version_out(&wanted.name, wanted),
        latest: version_out(&outdated.latest.name, &outdated.latest),
    })
}

fn package_out<'u>(package: &Path, origin: &'u Origin) -> PackageOut<'u> {
    PackageOut {
        package: report::portable(package),
        repository: without_password(&origin.repository),
        directory: &origin.directory,
    }
}

fn version_out<'u>(reference: &'u str, version: &'u Version) -> VersionOut<'u> {
    VersionOut {
        reference,
        commit: &version.commit,
    }
}
