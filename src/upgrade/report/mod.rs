//! The reports of upgrades and of newer versions: for programs, for people, for a pull request.

mod html;
mod json;
mod markdown;
mod text;

use serde::Serialize;

use super::address::is_hash;
use super::outcome::PackageOutcome;
use super::outdated::Outdated;
use super::package_upgrade::Upgrade;
use super::refs::Version;
use crate::report;

pub(crate) use html::upgrade_html;
pub(crate) use json::{outdated_json, upgrade_json};
pub(crate) use markdown::{outdated_markdown, upgrade_markdown};
pub(crate) use text::{outdated_text, upgrade_text};

/// What became of the packages of a run.
#[derive(Serialize)]
struct Outcomes<'o, T> {
    #[serde(skip)]
    newer: Vec<&'o T>,
    up_to_date: Vec<String>,
    failed: Vec<Failed>,
}

/// A package that failed, and why.
#[derive(Serialize)]
struct Failed {
    package: String,
    message: String,
}

impl<'o, T> Outcomes<'o, T> {
    fn of(outcomes: &'o [PackageOutcome<T>]) -> Self {
        Self::with(outcomes, |_| false)
    }

    /// With the packages that stay at their version although there is a newer one.
    fn with(outcomes: &'o [PackageOutcome<T>], stays: impl Fn(&T) -> bool) -> Self {
        let mut told = Self {
            newer: Vec::new(),
            up_to_date: Vec::new(),
            failed: Vec::new(),
        };
        for PackageOutcome { package, newer } in outcomes {
            let package = report::portable(package);
            match newer {
                Ok(Some(newer)) if !stays(newer) => told.newer.push(newer),
                Ok(_) => told.up_to_date.push(package),
                Err(error) => told.failed.push(Failed {
                    package,
                    message: error.to_string(),
                }),
            }
        }
        told
    }

    /// How many packages need nothing, in words.
    fn count_up_to_date(&self) -> String {
        match self.up_to_date.len() {
            0 => String::new(),
            1 => "1 package is up to date\n".to_owned(),
            count => format!("{count} packages are up to date\n"),
        }
    }
}

impl<'o> Outcomes<'o, Upgrade> {
    /// The upgrades with conflicts that are left to somebody first, then those with others.
    fn by_need(outcomes: &'o [PackageOutcome<Upgrade>]) -> Self {
        let mut told = Self::of(outcomes);
        told.newer.sort_by_key(|upgrade| {
            let is_quiet = upgrade.plan.conflicts.is_empty();
            (!upgrade.facts.open, is_quiet)
        });
        told
    }
}

/// A hash as people write it.
pub(super) fn short_name(name: &str) -> &str {
    let digits = name.trim_start_matches("sha256:");
    if is_hash(name) { &digits[..10] } else { name }
}

/// The two versions of an upgrade, as people name them.
pub(super) fn versions(upgrade: &Upgrade) -> [&str; 2] {
    [&upgrade.from, &upgrade.to].map(|version| short_name(&version.full))
}

/// A package, its version, the one that it would go to, and the newest one.
fn row(outdated: &Outdated) -> [String; 4] {
    let current = &outdated.current;
    // a branch keeps its name: what tells its versions apart is the commit
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
