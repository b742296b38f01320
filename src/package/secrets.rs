//! Values of Secrets, kept out of what is told of a merge.

use std::cell::LazyCell;
use std::path::PathBuf;

use super::Outcome;
use super::file_triple::FileTriple;
use super::jobs::Job;
use super::plan::FileConflict;
use crate::error::Error;
use crate::merge::VerificationError;
use crate::secret::{HIDDEN, is_kept_by, may_be_in};
use crate::yaml::go_json::Json;

/// Takes the values of Secrets out of what is recorded of all files.
pub(super) fn hide_all(outcomes: &mut [Outcome], triples: &[FileTriple], jobs: &[Job]) {
    for (index, outcome) in outcomes.iter_mut().enumerate() {
        let base = &triples[jobs[index].base.unwrap_or(index)];
        let in_file = LazyCell::new(|| may_hold_secret(base));
        for record in outcome.conflicts.iter_mut().chain(&mut outcome.noted) {
            hide(record, || *in_file);
        }
    }
}

/// A result that is not what was meant, told without a value where one of the texts may hold a
/// Secret.
pub(super) fn verification_error<'t>(
    file: PathBuf,
    verification_error: VerificationError,
    texts: impl IntoIterator<Item = &'t str>,
) -> Error {
    let mut texts = texts.into_iter();
    Error::Verification {
        file,
        path: verification_error.path,
        message: match texts.any(|text| may_be_in(text.as_bytes())) {
            true => "a value of a Secret differs".to_owned(),
            false => verification_error.message,
        },
    }
}

/// A resource without what Secrets keep: of one that is a Secret the values of its data and its
/// annotations, of any the texts that look like one.
pub(super) fn masked(json: Json) -> Json {
    let hide = || Json::text(HIDDEN);
    let hide_values = |json: Option<&mut Json>| match json {
        Some(Json::Map(fields)) => fields.values_mut().for_each(|value| *value = hide()),
        Some(other) if !other.is_null() => *other = hide(),
        _ => {}
    };
    match json {
        Json::Map(fields) => {
            let is_secret = fields.get("kind") == Some(&Json::text("Secret"));
            let fields = fields.into_iter();
            let mut json = Json::Map(fields.map(|(name, it)| (name, masked(it))).collect());
            if is_secret {
                hide_values(json.field_mut("data"));
                hide_values(json.field_mut("stringData"));
                let metadata = json.field_mut("metadata");
                hide_values(metadata.and_then(|it| it.field_mut("annotations")));
            }
            json
        }
        Json::List(elements) => Json::List(elements.into_iter().map(masked).collect()),
        Json::Scalar(text) if may_be_in(format!("text: {text}").as_bytes()) => hide(),
        Json::Scalar(text) => Json::Scalar(text),
    }
}

fn may_hold_secret(triple: &FileTriple) -> bool {
    let sides = triple.sides.as_ref().into_array();
    let mut sources = sides.into_iter().flatten();
    sources.any(|source| may_be_in(&source.bytes))
}

/// Takes the values out of a record where they may be those of a Secret: of one that is a resource
/// what it keeps; of anything that is no resource, all in a file that may hold one; and every value
/// that looks like one itself.
fn hide(record: &mut FileConflict, in_file: impl Fn() -> bool) {
    let in_resource = match &record.resource {
        Some(resource) => is_kept_by(&resource.kind, &record.conflict.path).unwrap_or_else(in_file),
        None => in_file(),
    };
    let values = &mut record.conflict.values;
    let in_value = || {
        let mut values = values.as_ref().into_array().into_iter().flatten();
        values.any(|value| may_be_in(value.as_bytes()))
    };
    if in_resource || in_value() {
        record.hidden = true;
        *values = values
            .as_ref()
            .map(|value| value.as_ref().map(|_| HIDDEN.to_owned()));
    }
}
