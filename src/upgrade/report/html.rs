//! What was upgraded, as a page to look at.

use super::{short_name, versions};
use crate::report::{self, Package, Page};
use crate::upgrade::fleet::Outcome;
use crate::upgrade::history::Commit;
use crate::upgrade::one::Upgrade;

/// The report of upgrades as a page: packages with conflicts left to somebody come first.
pub fn upgrade_html(outcomes: &[Outcome]) -> String {
    let mut page = Page::default();
    for outcome in outcomes {
        match outcome {
            Outcome::UpToDate(_) => page.up_to_date += 1,
            Outcome::Failed(package, error) => {
                page.failed
                    .push((report::portable(package), error.to_string()));
            }
            Outcome::Upgraded(upgrade) => page.packages.push(package(upgrade)),
        }
    }
    page.packages.sort_by_key(|package| {
        let is_quiet = package.plan.conflicts.is_empty();
        (!package.facts.open, is_quiet)
    });
    report::page(&page)
}

fn package(upgrade: &Upgrade) -> Package<'_> {
    let commits = upgrade.commits.iter().flatten();
    let told = |commit: &Commit| {
        let day: String = commit.date.chars().take(10).collect();
        let hash = short_name(&commit.hash);
        format!("{hash} {} ({}, {day})", commit.subject, commit.author)
    };
    Package {
        name: report::portable(&upgrade.package),
        versions: Some(versions(upgrade).map(str::to_owned)),
        plan: &upgrade.plan,
        facts: &upgrade.facts,
        commits: commits.map(told).collect(),
    }
}
