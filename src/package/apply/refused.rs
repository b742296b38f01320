//! Why an application cannot be done, as an error.

use std::path::Path;

use crate::error::{Error, Place};
use crate::merge::{LAST_APPLIED, Refused, Unkeyed};
use crate::package::secrets::verification_error;
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
pub(super) fn refused(
    refused: Refused,
    live: &Path,
    texts: [&str; 2],
    at: impl Fn(Side, usize) -> Place,
) -> Error {
    match refused {
        Refused::Verification(error) => verification_error(live.to_owned(), error, texts),
        Refused::Unkeyed(Unkeyed {
            side,
            offset,
            keys,
            is_twice,
        }) => unkeyed(at(side, offset as usize), &keys, is_twice, side),
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
