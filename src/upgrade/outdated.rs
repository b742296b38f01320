//! Which packages have a newer version.

use std::path::PathBuf;

use rayon::prelude::*;

use super::address::Origin;
use super::find::{Member, Packages, families};
use super::outcome::PackageOutcome;
use super::package_upgrade::{self, UpgradeOptions};
use super::refs::Version;
use super::remote::Remotes;
use super::unfinished::refuse_unfinished;
use super::version::Within;
use crate::error::Error;

/// A package that has a newer version.
#[derive(Debug)]
pub(crate) struct Outdated {
    /// The package's folder.
    pub package: PathBuf,
    /// Where it comes from.
    pub origin: Origin,
    /// The version here.
    pub current: Version,
    /// The one that an upgrade goes to; `None` if the newest one is too far.
    pub wanted: Option<Version>,
    /// The newest one.
    pub latest: Version,
}

/// Which packages have a newer version.
///
/// # Errors
/// Where the packages cannot be found; what is wrong with one of them is in its state.
pub(crate) fn outdated(
    remotes: &Remotes<'_>,
    packages: &Packages,
    options: &UpgradeOptions,
) -> Result<Vec<PackageOutcome<Outdated>>, Error> {
    let families = families(packages, &options.allowed)?;
    let found: Vec<Member> = families.into_iter().flatten().collect();
    let outcomes = found.into_par_iter().map(|found| PackageOutcome {
        package: found.path.clone(),
        newer: newer(remotes, found, options),
    });
    Ok(outcomes.collect())
}

fn newer(
    remotes: &Remotes<'_>,
    found: Member,
    options: &UpgradeOptions,
) -> Result<Option<Outdated>, Error> {
    let record = found.record?;
    refuse_unfinished(&found.path)?;
    let refs = remotes.refs(&record.origin.repository)?;
    let wanted = package_upgrade::target(remotes, &record, &refs, options)?;
    let mut widest = options.clone();
    widest.choice.within = Within::Major;
    let latest = package_upgrade::target(remotes, &record, &refs, &widest)?;
    Ok(latest.or_else(|| wanted.clone()).map(|latest| Outdated {
        package: found.path,
        current: package_upgrade::current(&record, &refs),
        origin: record.origin,
        wanted,
        latest,
    }))
}
