//! The report of upgrades as a page.

use super::{Outcomes, short_name, versions};
use crate::report::{self, Package, Page};
use crate::upgrade::history::Commit;
use crate::upgrade::outcome::PackageOutcome;
use crate::upgrade::package_upgrade::Upgrade;

/// The report of upgrades as a page: packages with conflicts left to somebody come first.
pub(crate) fn upgrade_html(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    let told = Outcomes::by_need(outcomes);
    let failed = told.failed.into_iter();
    report::page(&Page {
        packages: told.newer.into_iter().map(package).collect(),
        failed: failed.map(|it| (it.package, it.message)).collect(),
        up_to_date: told.up_to_date.len(),
    })
}

fn package(upgrade: &Upgrade) -> Package<'_> {
    let commits = upgrade.commits.iter().flatten();
    let told = |commit: &Commit| {
        let (hash, day) = (short_name(&commit.hash), commit.day());
        format!("{hash} {} ({}, {day})", commit.subject, commit.author)
    };
    Package {
        name: report::portable(&upgrade.package),
        versions: versions(upgrade).map(str::to_owned),
        plan: &upgrade.plan,
        facts: &upgrade.facts,
        commits: commits.map(told).collect(),
    }
}
