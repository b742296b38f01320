//! `--output`: writes the result to another path or to standard output, not to the local package.

use std::path::Path;

use super::config::{Config, is_standard};
use super::report::check_writable;
use crate::error::Error;
use crate::package::{Disk, Plan, read_named, replace, standard_input};

/// Writes the result of a merge to `path`: a file, or a folder that is missing, empty or left by a
/// run that was killed. Afterwards `plan` describes the copy.
///
/// # Errors
/// The folder has other content, or writing fails.
pub(super) fn write(
    config: &Config,
    plan: &mut Plan,
    path: &Path,
    disk: &dyn Disk,
    durable: bool,
) -> Result<(), Error> {
    if !config.sides.local.is_dir() {
        let bytes = merged_file(config, plan)?;
        check_writable("--output", path)?;
        return replace(path, &bytes).map_err(Error::writing(path));
    }
    plan.write_copy(disk, path, durable)
}

/// Returns the content of the merged file, if the sides are files.
///
/// # Errors
/// The sides are folders, or the local file cannot be read.
pub(super) fn merged_file(config: &Config, plan: &Plan) -> Result<Vec<u8>, Error> {
    let local = &config.sides.local;
    if local.is_dir() {
        return Err(Error::output(
            Path::new("-"),
            "prints one file, and the sides are folders",
        ));
    }
    match plan.files.first() {
        Some(change) => Ok(change.new.as_deref().unwrap_or_default().to_vec()),
        None if is_standard(local) => Ok(standard_input()?.to_vec()),
        None => read_named(local).map_err(Error::reading(local)),
    }
}
