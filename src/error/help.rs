//! What to do about each error.

use std::io::ErrorKind;

use super::{Error, shown};

/// What holds after files were changed, and not all of them.
const PARTLY: &str = "every file is whole, old or new; running again finishes the merge";

impl Error {
    /// What to do about it.
    pub(super) fn help(&self) -> Option<String> {
        Some(match self {
            Self::Missing { option, .. } => format!("check the path given to {option}"),
            Self::Unsupported { option, .. } => format!("give {option} a regular file or a folder"),
            Self::NoFile { option, .. } => format!(
                "nothing was written; give {option} a regular file, or one that is not there yet"
            ),
            Self::Git { help, .. }
            | Self::Package { help, .. }
            | Self::Unfit { help, .. }
            | Self::Broken {
                help: Some(help), ..
            } => help.clone(),
            Self::Unfinished {
                journal,
                same: false,
                ..
            } => format!(
                "nothing was written; run that merge again to \
                 finish it, or keep the package as it is now: rm {}",
                shown(journal)
            ),
            Self::ChangedSince { journal, .. } => format!(
                "nothing was written; put the file back (git checkout) \
                 and run again, or keep the package as it is now: rm {}",
                shown(journal)
            ),
            _ => self.fixed_help()?.to_owned(),
        })
    }

    /// The same once more: for all who need what failed once.
    pub(crate) fn again(&self) -> Self {
        Self::git(self.to_string(), self.help().unwrap_or_default())
    }

    /// [`Error::help`], where it is the same for each error of a kind.
    fn fixed_help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty { .. } => "give it a file or folder that has some",
            Self::Mixed { help, .. } => help,
            Self::Read { error, .. } if error.kind() == ErrorKind::PermissionDenied => {
                "make it readable (chmod u+r, for a folder also u+x), or exclude it in .krmignore"
            }
            Self::Read { .. } => "nothing was written; run again when it can be read",
            Self::TooLarge { .. } => {
                "nothing was written; exclude it in .krmignore or with --yaml, or divide it"
            }
            Self::Write { written: 0, .. } => {
                "nothing was written; make the folder writable and see that the disk has room"
            }
            Self::Stopped { written: 0 } => "nothing was written",
            Self::Write { .. } | Self::Stopped { .. } => PARTLY,
            Self::Pattern { .. } => "write it like 'charts/**/*.yaml', in quotes for the shell",
            Self::Output { .. } => {
                "give --output a folder that does not exist yet, \
                 outside of the package, or for files the name of a file"
            }
            Self::NothingThere { .. } | Self::NoPath { .. } => {
                "give the file as it is in the package, and the \
                 path as in `spec.containers[name=app].image`"
            }
            Self::Broken { .. } => "repair the file, or exclude it in .krmignore or with --yaml",
            Self::NotUtf8 { .. } => {
                "save the file as UTF-8 (iconv -t UTF-8), \
                 or exclude it in .krmignore or with --yaml"
            }
            Self::DuplicateResource { .. } => {
                "delete or rename one of the two, or move it to a file of its own"
            }
            Self::Verification { .. } => {
                "nothing was written; this is a defect of \
                 merge3, please report it with the three files"
            }
            Self::Changed { .. } => "nothing lost; run again to merge what is there now",
            Self::Busy { .. } => "nothing was written; run again when the other one is done",
            Self::Unfinished { .. } => {
                "nothing was written; run the merge itself, \
                 and it starts anew from what was there before"
            }
            Self::InTheWay { .. } => "move it away and run again",
            Self::Threads(_) => "try --threads 1",
            _ => return None,
        })
    }
}
