//! Values of Secrets, kept out of what is told of a merge.

use std::cell::LazyCell;
use std::path::PathBuf;

use super::Outcome;
use super::jobs::Job;
use super::plan::FileConflict;
use super::slot::Slot;
use crate::error::Error;
use crate::merge::Unfaithful;
use crate::secret::{HIDDEN, is_kept_by, may_be_in};

/// Takes the values of Secrets out of what is recorded of all files.
pub(super) fn hide_all(outcomes: &mut [Outcome], slots: &[Slot], jobs: &[Job]) {
    for (index, outcome) in outcomes.iter_mut().enumerate() {
        let base = &slots[jobs[index].base.unwrap_or(index)];
        let in_file = LazyCell::new(|| may_hold_secret(base));
        for record in outcome.conflicts.iter_mut().chain(&mut outcome.noted) {
            hide(record, || *in_file);
        }
    }
}

/// A result that is not what was meant, told without a value where one of the texts may hold a
/// Secret.
pub(super) fn unfaithful<'t>(
    file: PathBuf,
    unfaithful: Unfaithful,
    texts: impl IntoIterator<Item = &'t str>,
) -> Error {
    let mut texts = texts.into_iter();
    Error::Unfaithful {
        file,
        path: unfaithful.path,
        message: match texts.any(|text| may_be_in(text.as_bytes())) {
            true => "a value of a Secret differs".to_owned(),
            false => unfaithful.message,
        },
    }
}

fn may_hold_secret(slot: &Slot) -> bool {
    let sides = slot.sides.as_ref().into_array();
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
