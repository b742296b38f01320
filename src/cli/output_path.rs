//! `--output`: the result goes to a place of its own, and the local package stays as it is.

use std::fs;
use std::io;
use std::path::Path;

use super::config::Config;
use super::report::ready;
use crate::error::Error;
use crate::package::{
    Disk, Plan, STANDARD_INPUT, is_open_already, read_named, replace, standard_input,
};

/// Where the result goes.
pub(super) enum Destination<'c> {
    /// Standard output: one file.
    Output,
    /// A file or folder.
    Path(&'c Path),
}

impl<'c> Destination<'c> {
    /// Where the result of a run goes; in the local package's place where nothing is said.
    pub(super) fn of(config: &'c Config) -> Option<Self> {
        match config.output.output.as_deref() {
            Some(path) if path.as_os_str() != STANDARD_INPUT => Some(Self::Path(path)),
            Some(_) => Some(Self::Output),
            // what comes on standard input goes to standard output
            None => (config.sides.local.as_os_str() == STANDARD_INPUT).then_some(Self::Output),
        }
    }
}

/// Whether the local package is what is written.
pub(super) fn is_in_place(config: &Config) -> bool {
    config.writes() && Destination::of(config).is_none()
}

/// Writes the result of a merge to `path`: a file, or a folder that is missing, empty or
/// unfinished. `plan` is about a copy there afterwards.
///
/// # Errors
/// Where something is there already, or the disk says no.
pub(super) fn write(
    config: &Config,
    plan: &mut Plan,
    path: &Path,
    disk: &dyn Disk,
    durable: bool,
) -> Result<(), Error> {
    if !config.sides.local.is_dir() {
        let bytes = result(config, plan)?;
        ready("--output", path)?;
        return put(path, &bytes).map_err(Error::writing(path));
    }
    plan.write_copy(disk, path, durable)
}

/// Writes a file that [`ready`] has seen to.
pub(super) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_open_already(path) {
        fs::write(path, bytes)
    } else {
        replace(path, bytes)
    }
}

/// The merged file, where the sides are files.
///
/// # Errors
/// Where they are not, or the local file cannot be read.
pub(super) fn result(config: &Config, plan: &Plan) -> Result<Vec<u8>, Error> {
    let local = &config.sides.local;
    if local.is_dir() {
        return Err(Error::output(
            Path::new("-"),
            "prints one file, and the sides are folders",
        ));
    }
    match plan.files.first() {
        Some(change) => Ok(change.new.as_deref().unwrap_or_default().to_vec()),
        None if local.as_os_str() == STANDARD_INPUT => Ok(standard_input()?.to_vec()),
        None => read_named(local).map_err(Error::reading(local)),
    }
}
