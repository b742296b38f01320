//! Writes the report of upgrades as an HTML page.

use super::{Outcomes, short_name, versions};
use crate::report::{self, Package, Page};
use crate::upgrade::find::PackageOutcome;
use crate::upgrade::history::Commit;
use crate::upgrade::package_upgrade::Upgrade;

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
