//! Writes the reports of `upgrade` and `outdated` as JSON (docs/report.schema.json).

use std::path::Path;

use serde::Serialize;

use super::Outcomes;
use crate::git_process::without_password;
use crate::report;
use crate::upgrade::address::Origin;
use crate::upgrade::find::PackageOutcome;
use crate::upgrade::history::Commit;
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
    let upgrades = grouped.newer.iter().map(|it| UpgradeOut {
        package: package_out(&it.package, &it.origin),
        from: version_out(&it.from.full, &it.from),
        to: version_out(&it.to.full, &it.to),
        commits: it.commits.as_ref(),
        commit: it.committed.as_deref(),
        merge: report::merge(&it.plan, &it.facts),
    });
    report::as_json(Upgrades {
        packages: upgrades.collect(),
        others: &grouped,
    })
}

/// Returns the packages that have a newer version as JSON.
pub(crate) fn outdated_json(outcomes: &[PackageOutcome<Outdated>]) -> String {
    let grouped = Outcomes::with(outcomes, |it: &Outdated| it.wanted.is_none());
    let outdated = grouped.newer.iter().filter_map(|it| {
        let wanted = it.wanted.as_ref()?;
        Some(OutdatedOut {
            package: package_out(&it.package, &it.origin),
            current: version_out(&it.current.name, &it.current),
            newest: version_out(&wanted.name, wanted),
            latest: version_out(&it.latest.name, &it.latest),
        })
    });
    report::as_json(NewerVersions {
        outdated: outdated.collect(),
        others: &grouped,
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
