//! Why an application cannot be done, as an error.

use std::path::Path;

use crate::error::{Error, Place};
use crate::package::patching::readable::unfit;
use crate::package::secrets::verification_error;
use crate::patch::{LAST_APPLIED, PatchError};
use crate::triple::Side;

pub(super) fn not_applied(place: Place) -> Error {
    Error::unfit(
        place,
        "what was applied to this is not known",
        format!("it has no annotation {LAST_APPLIED}"),
        "write it down all the same with --create-annotation",
    )
}

/// Why one document cannot be applied to the live object in a file, as an error; `texts` are those
/// of both.
pub(super) fn refused<'t>(
    error: PatchError,
    live: &Path,
    texts: impl IntoIterator<Item = &'t str>,
    at: impl Fn(Side, usize) -> Place,
) -> Error {
    let (side, error) = match error {
        PatchError::Verification(error) => {
            return verification_error(live.to_owned(), error, texts);
        }
        PatchError::Patch(error) => (Side::Updated, error),
        PatchError::Target(error) => (Side::Local, error),
        PatchError::Last(error) => (Side::Original, error),
    };
    let problem = "a list element cannot be told from the others";
    unfit(at(side, error.offset), problem, error)
}
