//! What to do about each error.

use std::io::ErrorKind;

use super::{Error, shown};

/// What holds after files were changed, and not all of them.
const PARTLY: &str = "every file is whole, old or new; running again finishes the merge";

impl Error {
    /// What to do about it.
    pub(super) fn help(&self) -> Option<String> {
        Some(match self {
            Self::Refused { help, .. } | Self::Unfit { help, .. } => help.clone(),
            Self::Unfinished {
                journal,
                same: false,
                ..
            } => format!(
                "nothing was written; run that merge again to \
                 finish it, or keep the package as it is now: rm {}",
                shown(journal)
            ),
            _ => self.fixed_help()?.to_owned(),
        })
    }

    /// The same once more: for all who need what failed once.
    pub(crate) fn again(&self) -> Self {
        Self::refused(self.to_string(), self.help().unwrap_or_default())
    }

    /// [`Error::help`], where it is the same for each error of a kind.
    fn fixed_help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Read { error, .. } if error.kind() == ErrorKind::PermissionDenied => {
                "make it readable (chmod u+r, for a folder also u+x), or exclude it in .krmignore"
            }
            Self::Read { .. } => "nothing was written; run again when it can be read",
            Self::Write { written: 0, .. } => {
                "nothing was written; make the folder writable and see that the disk has room"
            }
            Self::Stopped { written: 0 } => "nothing was written",
            Self::Write { .. } | Self::Stopped { .. } => PARTLY,
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
            _ => return None,
        })
    }
}
