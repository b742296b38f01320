//! Hides the values of Secrets in reports and errors.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::FileOutcome;
use super::file_triple::FileTriple;
use super::plan::FileConflict;
use crate::error::Error;
use crate::merge::VerificationError;
use crate::patch::PatchError;
use crate::secret::{HIDDEN, is_kept_by, may_contain_secret};
use crate::triple::Side;
use crate::yaml::ParseError;

/// Hides the values of Secrets in the records of all files.
pub(super) fn hide_all(outcomes: &mut [FileOutcome], triples: &[FileTriple]) {
    for (outcome, triple) in outcomes.iter_mut().zip(triples) {
        let file_may_hold_secret = LazyCell::new(|| {
            let mut sides = triple.bytes().into_iter().flatten();
            sides.any(|bytes| may_contain_secret(bytes))
        });
        for record in outcome.conflicts.iter_mut().chain(&mut outcome.notes) {
            hide(record, || *file_may_hold_secret);
        }
    }
}

/// Returns the error for a result that differs from what was decided, without values if one of
/// `texts` may contain a Secret.
pub(crate) fn verification_error<'t>(
    file: PathBuf,
    verification_error: VerificationError,
    texts: impl IntoIterator<Item = &'t str>,
) -> Error {
    let mut texts = texts.into_iter();
    Error::Verification {
        file,
        path: verification_error.path,
        message: match texts.any(|text| may_contain_secret(text.as_bytes())) {
            true => "a value of a Secret differs".to_owned(),
            false => verification_error.message,
        },
    }
}

/// Returns the error for a patch that cannot be applied or created. `wrong` returns the error for a
/// place in a document of one side. An error of the result for `file` is reported as by
/// [`verification_error`].
pub(super) fn patch_error<'t>(
    file: &Path,
    error: PatchError,
    texts: impl IntoIterator<Item = &'t str>,
    wrong: impl FnOnce(Side, ParseError) -> Error,
) -> Error {
    match error {
        PatchError::Wrong(side, error) => wrong(side, error),
        PatchError::Verification(error) => verification_error(file.to_owned(), error, texts),
    }
}

/// Returns a resource with the values of Secrets hidden: the data and annotations of a Secret, and
/// any text that looks like a Secret.
pub(super) fn masked(mut json: Value) -> Value {
    let hide_values = |json: Option<&mut Value>| match json {
        Some(Value::Object(fields)) => fields.values_mut().for_each(|value| *value = HIDDEN.into()),
        Some(other) if !other.is_null() => *other = HIDDEN.into(),
        _ => {}
    };
    match &mut json {
        Value::Object(fields) => fields.values_mut().for_each(|it| *it = masked(it.take())),
        Value::Array(elements) => elements.iter_mut().for_each(|it| *it = masked(it.take())),
        scalar if may_contain_secret(format!("text: {scalar}").as_bytes()) => {
            *scalar = HIDDEN.into()
        }
        _ => {}
    }
    if json.get("kind").is_some_and(|kind| kind == "Secret") {
        hide_values(json.get_mut("data"));
        hide_values(json.get_mut("stringData"));
        hide_values(json.pointer_mut("/metadata/annotations"));
    }
    json
}

/// Hides the values of a record if they may be those of a Secret: in a resource, if it is a
/// Secret's field with values; elsewhere, if the file may contain a Secret; and always if a value
/// looks like a Secret itself.
fn hide(record: &mut FileConflict, file_may_hold_secret: impl Fn() -> bool) {
    let is_secret_field = match &record.resource {
        Some(resource) => {
            is_kept_by(&resource.kind, record.conflict.path()).unwrap_or_else(file_may_hold_secret)
        }
        None => file_may_hold_secret(),
    };
    let values = record.conflict.values();
    let looks_like_secret = || {
        let mut values = values.into_iter().flatten();
        values.any(|value| may_contain_secret(value.as_bytes()))
    };
    if is_secret_field || looks_like_secret() {
        record.hidden = true;
        record.conflict.hide_values();
    }
}
