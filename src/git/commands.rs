//! The commands: arguments to a merge, its result to a file, an exit status.

use std::io::Write;
use std::path::PathBuf;

use super::files::{print, read_file, write};
use super::hunks::Favor;
use super::install::{self, Scope};
use super::resolve::{Diff, Request, Resolved, Style, resolve};
use super::solve::{self, Solve};
use super::status;
use crate::error::shown;
use crate::package::{Bytes, replace};
use crate::triple::Triple;
use crate::visible::visible_lines;

/// What git takes for a failure and not for a conflict: a status above 128.
pub const FAILED: u8 = 129;
/// What `git merge-file` ends with where it fails.
const MERGE_FILE_FAILED: u8 = 255;
/// The most conflicts that an exit status tells.
const MOST: usize = 127;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `git driver`: what git calls for a file that both sides changed.
    Driver(Driver),
    /// `merge-file`: the same by hand, as `git merge-file`.
    MergeFile(MergeFile),
    /// `solve`: files with conflict markers.
    Solve(Solve),
    /// `git install`
    Install(Scope),
    /// `git mergetool --install`
    InstallMergetool(Scope),
    /// `git uninstall`
    Uninstall(Scope),
    /// `git status`
    Status,
}

/// The arguments of the merge driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// The three files; the result goes to the local one.
    pub sides: Triple<PathBuf>,
    /// Where the result goes instead, if anywhere.
    pub output: Option<PathBuf>,
    /// What the file is called in the repository.
    pub path: Option<PathBuf>,
    /// Who wins conflicts, if anybody.
    pub favor: Option<Favor>,
    /// How conflicts are written.
    pub style: Style,
}

/// The arguments of `merge-file`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeFile {
    /// The three files.
    pub sides: Triple<PathBuf>,
    /// Whether the result goes to standard output and not to the local file.
    pub stdout: bool,
    /// Whether nothing is said about conflicts.
    pub quiet: bool,
    /// Who wins conflicts, if anybody.
    pub favor: Option<Favor>,
    /// How conflicts are written.
    pub style: Style,
}

/// Runs a command and returns the exit status.
pub fn run(command: &Command, output: &mut impl Write, errors: &mut impl Write) -> u8 {
    let (done, failed) = match command {
        Command::Driver(driver) => (drive(driver), FAILED),
        Command::MergeFile(arguments) => (merge_file(arguments, output, errors), MERGE_FILE_FAILED),
        Command::Solve(arguments) => (solve::solve(arguments, output, errors), 2),
        Command::Install(scope) => (install::install(*scope, output).map(|()| 0), 2),
        Command::InstallMergetool(scope) => {
            (install::install_mergetool(*scope, output).map(|()| 0), 2)
        }
        Command::Uninstall(scope) => (install::uninstall(*scope, output).map(|()| 0), 2),
        Command::Status => (status::status(output), 2),
    };
    let message = match done {
        Ok(status) => return status,
        Err(message) => message,
    };
    // there is nobody left to tell where standard error is closed
    let _ = writeln!(errors, "error: {}", visible_lines(&message));
    failed
}

fn drive(driver: &Driver) -> Result<u8, String> {
    let contents = read(&driver.sides)?;
    let target = driver.output.as_ref().unwrap_or(&driver.sides.local);
    let request = Request {
        path: driver.path.as_ref().unwrap_or(&driver.sides.local),
        sides: contents.clone(),
        style: driver.style.clone(),
        favor: driver.favor,
        diff: Diff::Histogram,
    };
    // of binary files git keeps the local one, and says so
    let merged = resolve(&request).unwrap_or_else(|| Resolved {
        bytes: contents.local.to_vec(),
        conflicts: 1,
        structural: false,
    });
    if driver.output.is_some() || merged.bytes != *contents.local {
        // a file that git made for this call
        replace(target, &merged.bytes)
            .map_err(|error| format!("cannot write {}: {error}", shown(target)))?;
    }
    Ok(match driver.output {
        // for tools that know one status for conflicts
        Some(_) => u8::from(merged.conflicts > 0),
        None => status_of(merged.conflicts),
    })
}

fn merge_file(
    arguments: &MergeFile,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<u8, String> {
    let contents = read(&arguments.sides)?;
    let local = &arguments.sides.local;
    let request = Request {
        path: local,
        sides: contents.clone(),
        style: arguments.style.clone(),
        favor: arguments.favor,
        diff: Diff::Myers,
    };
    let merged =
        resolve(&request).ok_or_else(|| format!("cannot merge binary files: {}", shown(local)))?;
    if arguments.stdout {
        print(output, &merged.bytes)?;
    } else if merged.bytes != *contents.local {
        write(local, &merged.bytes)?;
    }
    if merged.conflicts > 0 && !arguments.quiet {
        let _ = writeln!(errors, "warning: conflicts in {}", shown(local));
    }
    Ok(status_of(merged.conflicts))
}

pub(super) fn status_of(conflicts: usize) -> u8 {
    u8::try_from(conflicts.min(MOST)).unwrap_or(u8::MAX)
}

fn read(sides: &Triple<PathBuf>) -> Result<Triple<Bytes>, String> {
    sides
        .as_ref()
        .try_map(|path| read_file(path).map(Bytes::from))
}
