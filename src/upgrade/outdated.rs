//! `outdated`: finds the packages that have a newer version.

use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use super::address::Origin;
use super::batch::refuse_unfinished;
use super::find::{FoundPackage, PackageOutcome, groups};
use super::package_upgrade::{self, UpgradeOptions};
use super::refs::Version;
use super::remote::Remotes;
use super::version::Within;
use crate::error::Error;
use crate::report::serialize_portable;

/// A package that has a newer version.
#[derive(Debug, Serialize)]
pub(crate) struct Outdated {
    /// The package's folder.
    #[serde(serialize_with = "serialize_portable")]
    pub package: PathBuf,
    /// The origin.
    #[serde(flatten)]
    pub origin: Origin,
    /// The version of the local files.
    pub current: Version,
    /// The version that an upgrade goes to; `None` if no newer version is within the limit.
    #[serde(rename = "newest")]
    pub wanted: Option<Version>,
    /// The newest version.
    pub latest: Version,
}

/// Returns for each package whether it has a newer version.
///
/// # Errors
/// If the packages cannot be found. The error of a single package is in its outcome.
pub(crate) fn outdated(
    remotes: &Remotes<'_>,
    options: &UpgradeOptions,
) -> Result<Vec<PackageOutcome<Outdated>>, Error> {
    let groups = groups(options)?;
    let found: Vec<FoundPackage> = groups.into_iter().flatten().collect();
    let outcomes = found.into_par_iter().map(|found| PackageOutcome {
        package: found.path.clone(),
        newer: newer(remotes, found, options),
    });
    Ok(outcomes.collect())
}

fn newer(
    remotes: &Remotes<'_>,
    found: FoundPackage,
    options: &UpgradeOptions,
) -> Result<Option<Outdated>, Error> {
    let record = found.record?;
    refuse_unfinished(&found.path)?;
    let refs = remotes.refs(&record.origin.repository)?;
    let wanted = package_upgrade::target(remotes, &record, &refs, options)?;
    let mut without_limit = options.clone();
    without_limit.choice.within = Within::Major;
    let latest = package_upgrade::target(remotes, &record, &refs, &without_limit)?;
    Ok(latest.or_else(|| wanted.clone()).map(|latest| Outdated {
        package: found.path,
        current: Version {
            name: record.reference.clone(),
            ..package_upgrade::current(&record, &refs)
        },
        origin: record.origin,
        wanted,
        latest,
    }))
}
