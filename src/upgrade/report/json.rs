//! Writes the reports of `upgrade` and `outdated` as JSON (docs/report.schema.json).

use std::path::Path;

use serde::Serialize;

use super::Outcomes;
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
    #[serde(serialize_with = "report::serialize_portable")]
    package: &'u Path,
    #[serde(flatten)]
    origin: &'u Origin,
    from: Version,
    to: Version,
    commits: Option<&'u Vec<Commit>>,
    commit: Option<&'u str>,
    #[serde(flatten)]
    merge: report::Merge<'u>,
}

#[derive(Serialize)]
struct NewerVersions<'u> {
    outdated: &'u [&'u Outdated],
    #[serde(flatten)]
    others: &'u Outcomes<'u, Outdated>,
}

/// Returns the report of upgrades as JSON.
pub(crate) fn upgrade_json(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    let grouped = Outcomes::of(outcomes);
    let upgrades = grouped.newer.iter().map(|it| UpgradeOut {
        package: &it.package,
        origin: &it.origin,
        from: with_full_name(&it.from),
        to: with_full_name(&it.to),
        commits: it.commits.as_ref(),
        commit: it.committed.as_deref(),
        merge: report::Merge(&it.plan, &it.facts),
    });
    report::as_json(Upgrades {
        packages: upgrades.collect(),
        others: &grouped,
    })
}

/// Returns the packages that have a newer version as JSON.
pub(crate) fn outdated_json(outcomes: &[PackageOutcome<Outdated>]) -> String {
    let grouped = Outcomes::with(outcomes, |it: &Outdated| it.wanted.is_none());
    report::as_json(NewerVersions {
        outdated: &grouped.newer,
        others: &grouped,
    })
}

/// Returns a version that is reported with its name on the server.
fn with_full_name(version: &Version) -> Version {
    Version {
        name: version.full.clone(),
        ..version.clone()
    }
}
