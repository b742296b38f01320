//! The help text of each error: what the user can do about it.

use std::io::ErrorKind;

use super::{Error, shown};

/// The help for a run that changed some files and not all of them.
const PARTLY_WRITTEN: &str = "every file is whole, old or new; running again finishes the merge";

impl Error {
    /// Returns what the user can do about the error.
    pub(super) fn help(&self) -> Option<String> {
        let help = match self {
            Self::Refused { help, .. } | Self::Unfit { help, .. } => help,
            Self::Unfinished {
                journal,
                same: false,
                ..
            } => {
                return Some(format!(
                    "nothing was written; run that merge again to \
                     finish it, or keep the package as it is now: rm {}",
                    shown(journal)
                ));
            }
            Self::Read { error, .. } if error.kind() == ErrorKind::PermissionDenied => {
                "make it readable (chmod u+r, for a folder also u+x), or exclude it in .krmignore"
            }
            Self::Read { .. } => "nothing was written; run again when it can be read",
            Self::Write { written: 0, .. } => {
                "nothing was written; make the folder writable and see that the disk has room"
            }
            Self::Stopped { written: 0 } => "nothing was written",
            Self::Write { .. } | Self::Stopped { .. } => PARTLY_WRITTEN,
            Self::Verification { .. } => {
                "nothing was written; this is a defect of \
                 merge3, please report it with the three files"
            }
            Self::Changed { .. } => {
                "nothing was lost; run again to merge the files as they are now"
            }
            Self::Busy { .. } => "nothing was written; run again when the other one is done",
            Self::Unfinished { .. } => {
                "nothing was written; run the merge itself, \
                 and it starts anew from what was there before"
            }
            Self::Several(_) => return None,
        };
        Some(help.to_owned())
    }

    /// Returns a copy of the error, as [`Error::Refused`], for each further item that depends on
    /// what failed.
    pub(crate) fn again(&self) -> Self {
        Self::refused(self.to_string(), self.help().unwrap_or_default())
    }
}
