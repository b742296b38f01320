//! Why an application cannot be done, as an error.

use std::path::Path;

use crate::error::{Error, Place};
use crate::merge::{LAST_APPLIED, Refused, Unkeyed, VerificationError};
use crate::triple::Side;

pub(super) fn verification_error(file: &Path, verification_error: VerificationError) -> Error {
    Error::Verification {
        file: file.to_owned(),
        path: verification_error.path,
        message: verification_error.message,
    }
}

pub(super) fn not_applied(place: Place) -> Error {
    Error::unfit(
        place,
        "what was applied to this is not known",
        format!("it has no annotation {LAST_APPLIED}"),
        "write it down all the same with --create-annotation",
    )
}

/// Why one document cannot be applied to the live object in a file; what was applied last is
/// at an offset of it.
pub(super) fn refused(
    refused: Refused,
    live: &Path,
    last: usize,
    at: impl Fn(Side, usize) -> Place,
) -> Error {
    match refused {
        Refused::Verification(it) => verification_error(live, it),
        Refused::Unkeyed(Unkeyed {
            side,
            offset,
            keys,
            is_twice,
        }) => {
            let offset = if side == Side::Original {
                last
            } else {
                offset as usize
            };
            unkeyed(at(side, offset), &keys, is_twice, side)
        }
    }
}

fn unkeyed(place: Place, keys: &str, is_twice: bool, side: Side) -> Error {
    let whose = match side {
        Side::Original => "in what was applied last, ",
        Side::Updated | Side::Local => "",
    };
    let (message, help) = match is_twice {
        false => (
            format!("{whose}this element has no `{keys}`, by which the list merges"),
            format!("give it `{keys}`"),
        ),
        true => (
            format!(
                "{whose}this element has the same `{keys}` as one before it, by which the list merges"
            ),
            "remove one of the two".to_owned(),
        ),
    };
    Error::unfit(
        place,
        "a list element cannot be told from the others",
        message,
        help,
    )
}
