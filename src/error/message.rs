//! What is said of each error: what went wrong, and what to do about it.

use std::fmt::{self, Write as _};
use std::io;

use super::{Error, shown};
use crate::visible::visible;

impl Error {
    /// What to do about it.
    pub(super) fn help(&self) -> Option<String> {
        let help = match self {
            Self::Missing { option, .. } => {
                return Some(format!("check the path given to {option}"));
            }
            Self::Unsupported { option, .. } => {
                return Some(format!("give {option} a regular file or a folder"));
            }
            Self::NoFile { option, .. } => {
                return Some(format!(
                    "nothing was written; give {option} a regular file, or one that is not there yet"
                ));
            }
            Self::Empty { .. } => "give it a file or folder that has some",
            Self::Mixed { help, .. } => help,
            Self::Read { error, .. } => match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    "make it readable (chmod u+r, for a folder also u+x), or exclude it in .krmignore"
                }
                _ => "nothing was written; run again when it can be read",
            },
            Self::TooLarge { .. } => {
                "nothing was written; exclude it in .krmignore or with --yaml, or divide it"
            }
            Self::Write { written: 0, .. } => {
                "nothing was written; make the folder writable and see that the disk has room"
            }
            Self::Write { .. } => {
                "every file is whole, old or new; running again finishes the merge"
            }
            Self::Pattern { .. } => "write it like 'charts/**/*.yaml', in quotes for the shell",
            Self::Rules { help, .. }
            | Self::Git { help, .. }
            | Self::Record { help, .. }
            | Self::Package { help, .. }
            | Self::Unfit { help, .. } => return Some(help.clone()),
            Self::Output { .. } => {
                "give --output a folder that does not exist yet, outside of the package, or for files the name of a file"
            }
            Self::NothingThere { .. } | Self::NoPath { .. } => {
                "give the file as it is in the package, and the path as in `spec.containers[name=app].image`"
            }
            Self::Broken { help, .. } => {
                return Some(help.clone().unwrap_or_else(|| {
                    "repair the file, or exclude it in .krmignore or with --yaml".to_owned()
                }));
            }
            Self::NotUtf8 { .. } => {
                "save the file as UTF-8 (iconv -t UTF-8), or exclude it in .krmignore or with --yaml"
            }
            Self::DuplicateResource { .. } => {
                "delete or rename one of the two, or move it to a file of its own"
            }
            Self::Unfaithful { .. } => {
                "nothing was written; this is a defect of merge3, please report it with the three files"
            }
            Self::Changed { .. } => "nothing lost; run again to merge what is there now",
            Self::Busy { .. } => "nothing was written; run again when the other one is done",
            Self::Stopped { written: 0 } => "nothing was written",
            Self::Stopped { .. } => {
                "every file is whole, old or new; running again finishes the merge"
            }
            Self::Unfinished { same: true, .. } => {
                "nothing was written; run the merge itself, and it starts anew from what was there before"
            }
            Self::Unfinished { journal, .. } => {
                return Some(format!(
                    "nothing was written; run that merge again to finish it, or keep the package as it is now: rm {}",
                    shown(journal)
                ));
            }
            Self::ChangedSince { journal, .. } => {
                return Some(format!(
                    "nothing was written; put the file back (git checkout) and run again, or keep the package as it is now: rm {}",
                    shown(journal)
                ));
            }
            Self::InTheWay { .. } => "move it away and run again",
            Self::Threads(_) => "try --threads 1",
            Self::Several(_) => return None,
        };
        Some(help.to_owned())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut message = String::new();
        self.write_message(&mut message)?;
        formatter.write_str(&visible(&message))
    }
}

impl Error {
    /// What went wrong, with whatever foreign text is in it.
    fn write_message(&self, formatter: &mut String) -> fmt::Result {
        match self {
            Self::Missing { option, path } => {
                write!(formatter, "{option}: {} does not exist", shown(path))
            }
            Self::Unsupported { option, path } => write!(
                formatter,
                "{option}: {} is neither a file nor a folder",
                shown(path)
            ),
            Self::NoFile { option, path } => {
                write!(formatter, "{option}: {} is no regular file", shown(path))
            }
            Self::Empty { what, option, path } => {
                write!(formatter, "{option}: {what} in {}", shown(path))
            }
            Self::Mixed { folder, file, .. } => write!(
                formatter,
                "{} is a folder and {} is a file",
                shown(folder),
                shown(file)
            ),
            Self::Read { path, error } => {
                write!(formatter, "cannot read {}: {error}", shown(path))
            }
            Self::TooLarge { path, most } => write!(
                formatter,
                "{} is larger than {} MiB, the most that is read of a YAML file",
                shown(path),
                most >> 20
            ),
            Self::Write { path, error, .. } => {
                write!(formatter, "cannot write {}: {error}", shown(path))
            }
            Self::Pattern { pattern, message } => {
                write!(formatter, "--yaml '{pattern}' is no pattern: {message}")
            }
            Self::Output { path, message } => {
                write!(formatter, "--output: {} {message}", shown(path))
            }
            Self::NothingThere { file, path } => match path {
                Some(path) => write!(
                    formatter,
                    "there is no {path} in {} on any side",
                    shown(file)
                ),
                None => write!(formatter, "no side has {} as YAML", shown(file)),
            },
            Self::NoPath { path, message } => {
                write!(formatter, "'{path}' is no path in a document: {message}")
            }
            Self::Rules { place, .. } => write!(
                formatter,
                "{} does not hold rules for a merge",
                shown(&place.path)
            ),
            Self::Unfit { place, problem, .. } => {
                write!(formatter, "{}: {problem}", shown(&place.path))
            }
            Self::Broken { place, refused, .. } => write!(
                formatter,
                "{} is not valid YAML, and {refused}",
                shown(&place.path)
            ),
            Self::NotUtf8 { place } => {
                write!(formatter, "{} is not UTF-8 text", shown(&place.path))
            }
            Self::DuplicateResource {
                resource,
                first,
                second,
            } => write!(
                formatter,
                "{resource} is twice in {}: in lines {} and {}",
                shown(&first.path),
                first.line,
                second.line
            ),
            Self::Unfaithful {
                file,
                path,
                message,
            } => write!(
                formatter,
                "the merged text of {} is not what was decided, at '{path}': {message}",
                shown(file)
            ),
            Self::Changed { path } => write!(
                formatter,
                "{} changed while the merge was running",
                shown(path)
            ),
            Self::Busy { path } => write!(formatter, "another run of merge3 is at {}", shown(path)),
            Self::Stopped { .. } => write!(formatter, "stopped"),
            Self::Unfinished { package, same, .. } => write!(
                formatter,
                "{} is half merged: a run of {} did not come to its end",
                shown(package),
                if *same { "this merge" } else { "another merge" }
            ),
            Self::ChangedSince { path, .. } => write!(
                formatter,
                "{} was changed after a run was killed that had changed it",
                shown(path)
            ),
            Self::InTheWay { path, obstacle } => write!(
                formatter,
                "upstream has a file {}, but {} is in its way",
                shown(path),
                shown(obstacle)
            ),
            Self::Git { message, .. } => formatter.write_str(message),
            Self::Record { place, message, .. } => write!(
                formatter,
                "{} does not say where the package comes from: {message}",
                shown(&place.path)
            ),
            Self::Package { path, message, .. } => {
                write!(formatter, "{}: {message}", shown(path))
            }
            Self::Threads(message) => write!(formatter, "cannot start threads: {message}"),
            Self::Several(errors) => write!(formatter, "{} errors", errors.len()),
        }
    }
}
