//! The laws of a single document, except law 5, which is in `untouched`.

use crate::drive::{
    Setup, any_setup, only_document, run, run_case, run_files, setup_with_defaults,
};
use crate::generate::{self, Case};
use crate::reference::changes_key;
use crate::shown::{Depth, difference, part};
use crate::value::{Value, load};
use merge3::triple::Triple;
use proptest::prelude::*;

/// Returns the texts of a case with the roles changed by `pick`.
fn roles<'t>(case: &'t Case, pick: impl Fn(Triple<&'t str>) -> Triple<&'t str>) -> Triple<&'t str> {
    pick(case.texts.as_ref().map(String::as_str))
}

/// Law 1: if upstream changed nothing, the merge changes nothing.
pub fn keeps_local_if_upstream_unchanged(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let texts = roles(case, |texts| Triple {
        updated: texts.original,
        ..texts
    });
    let outcome = run(texts, setup)?;
    prop_assert_eq!(outcome.text.as_str(), texts.local);
    prop_assert!(outcome.conflicts.is_empty(), "{:?}", outcome.conflicts);
    Ok(())
}

/// Law 2: if local changed nothing, the result is upstream's document.
pub fn fast_forwards(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let texts = roles(case, |texts| Triple {
        local: texts.original,
        ..texts
    });
    let outcome = run(texts, setup)?;
    prop_assert!(outcome.conflicts.is_empty(), "{:?}", outcome.conflicts);
    let values = case.values.as_ref();
    let expected = setup.reference(Triple {
        local: values.original,
        ..values
    });
    if expected.value.as_ref() == Some(values.updated) {
        let (upstream, merged) = (only_document(texts.updated)?, only_document(&outcome.text)?);
        let local = only_document(texts.local)?;
        let upstream = &upstream.text[upstream.body.range()];
        let above = &texts.local[..local.start + local.body.start as usize];
        let below = &local.text[local.body.end as usize..];
        // the end of the local document, a `...`, is on a line of its own
        let end = merged.start + merged.body.end as usize;
        let body = match upstream.ends_with('\n') || below.is_empty() {
            true => &outcome.text[..end],
            false => outcome.text[..end].trim_end_matches(['\n', '\r']),
        };
        let found = body.strip_suffix(upstream).map(str::trim_end);
        prop_assert_eq!(found, Some(above.trim_end()), "merged:\n{}", outcome.text);
    }
    Ok(())
}

/// Law 3: if local already has upstream's document, the merge changes nothing.
pub fn keeps_local_if_equal_to_upstream(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let texts = roles(case, |texts| Triple {
        local: texts.updated,
        ..texts
    });
    let outcome = run(texts, setup)?;
    prop_assert_eq!(outcome.text.as_str(), texts.local);
    prop_assert!(outcome.conflicts.is_empty(), "{:?}", outcome.conflicts);
    Ok(())
}

/// Law 6: the value of the merged text is that of the reference merge.
pub fn has_reference_value(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let expected = setup.reference(case.values.as_ref());
    let outcome = run_case(case, setup)?;
    let value = load::document(&outcome.text)
        .map_err(|error| TestCaseError::fail(format!("{error} in\n{}", outcome.text)))?;
    if !expected.ambiguous {
        prop_assert_eq!(value, expected.value, "merged:\n{}", outcome.text);
    }
    Ok(())
}

/// Law 7: the merge reports conflicts exactly if the reference merge has some.
pub fn has_reference_conflicts(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let expected = setup.reference(case.values.as_ref());
    let outcome = run_case(case, setup)?;
    if !expected.ambiguous {
        let found = outcome.value_conflicts();
        prop_assert_eq!(
            found.is_empty(),
            expected.conflicts.is_empty(),
            "found {:?}, expected {:?}; merged:\n{}",
            found,
            expected.conflicts,
            outcome.text
        );
    }
    Ok(())
}

/// Law 4: a second merge changes nothing. Lists without a key in which elements repeat may be an
/// exception. The case is merged as a file if all versions of its document have one identity.
pub fn is_idempotent(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let expected = setup.reference(case.values.as_ref());
    let lists = setup.settings().lists;
    let changes_key = |merged: &Value| changes_key(&case.values.local, merged, lists);
    if expected.repeats || expected.value.as_ref().is_some_and(changes_key) {
        return Ok(());
    }
    let values = case.values.as_ref().into_array().into_iter();
    let mut values = values.chain(&expected.value);
    let identity = identity(&case.values.local);
    let run = match values.all(|value| self::identity(value) == identity) {
        true => run_files,
        false => run,
    };
    let texts = case.texts.as_ref().map(String::as_str);
    let first = run(texts, setup)?;
    let local = first.text.as_str();
    let second = run(Triple { local, ..texts }, setup)?;
    let depth = Depth::of(texts.original, texts.updated);
    let [once, twice] = [&first.text, &second.text].map(|text| depth.lines(text));
    let what = difference(&once, &twice);
    let merged = part("merged", &first.text) + &part("again", &second.text);
    prop_assert!(
        what.is_none(),
        "a second merge changes {}\n{merged}",
        what.unwrap_or_default()
    );
    Ok(())
}

/// Returns the fields that pair a resource.
fn identity(value: &Value) -> [Option<&Value>; 4] {
    let metadata = value.field("metadata");
    [
        value.field("apiVersion"),
        value.field("kind"),
        metadata.and_then(|it| it.field("name")),
        metadata.and_then(|it| it.field("namespace")),
    ]
}

/// Law 9: each comment line of the result ends a line of one of the sides.
pub fn has_whole_comments(case: &Case, setup: &Setup) -> Result<(), TestCaseError> {
    let texts = case.texts.as_ref().map(String::as_str);
    let outcome = run(texts, setup)?;
    let lines = outcome.text.lines().map(str::trim);
    for comment in lines.filter(|line| line.starts_with('#')) {
        let is_its_end = |line: &str| line.trim_end().ends_with(comment);
        let mut sides = texts.into_array().into_iter();
        let is_of_a_side = sides.any(|text| text.lines().any(is_its_end));
        prop_assert!(is_of_a_side, "{comment} in\n{}", outcome.text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_1_nothing_upstream_nothing_done(case in generate::case(), setup in any_setup()) {
        keeps_local_if_upstream_unchanged(&case, &setup)?;
    }

    #[test]
    fn law_2_fast_forward(case in generate::case(), setup in any_setup()) {
        fast_forwards(&case, &setup)?;
    }

    #[test]
    fn law_3_already_there(case in generate::case(), setup in any_setup()) {
        keeps_local_if_equal_to_upstream(&case, &setup)?;
    }

    #[test]
    fn law_4_idempotent(case in generate::case(), setup in any_setup()) {
        is_idempotent(&case, &setup)?;
    }

    #[test]
    fn law_6_sound(case in generate::case(), setup in setup_with_defaults()) {
        has_reference_value(&case, &setup)?;
    }

    #[test]
    fn law_6_sound_with_any_options(case in generate::case(), setup in any_setup()) {
        has_reference_value(&case, &setup)?;
    }

    #[test]
    fn law_7_nothing_lost_in_silence(case in generate::case(), setup in setup_with_defaults()) {
        has_reference_conflicts(&case, &setup)?;
    }

    #[test]
    fn law_7_nothing_lost_in_silence_with_any_options(case in generate::case(), setup in any_setup()) {
        has_reference_conflicts(&case, &setup)?;
    }

    #[test]
    fn law_9_comments_are_whole(case in generate::case(), setup in any_setup()) {
        has_whole_comments(&case, &setup)?;
    }

    #[test]
    fn the_reference_obeys_the_laws_of_values(values in generate::triple(), setup in any_setup()) {
        let values = values.as_ref();
        let result = setup.reference(values);
        let unchanged = setup.reference(Triple { updated: values.original, ..values });
        prop_assert_eq!(unchanged.value.as_ref(), Some(values.local));
        let present = setup.reference(Triple { local: values.updated, ..values });
        prop_assert_eq!(present.value.as_ref(), Some(values.updated));
        let forward = setup.reference(Triple { local: values.original, ..values });
        if !setup.settings().null_deletes {
            prop_assert_eq!(forward.value.as_ref(), Some(values.updated));
        }
        for clean in [unchanged, present, forward] {
            prop_assert!(clean.conflicts.is_empty(), "{:?}", clean.conflicts);
        }
        if !result.repeats && !result.value.as_ref().is_some_and(|merged| changes_key(values.local, merged, setup.settings().lists)) {
            let local = result.value.as_ref().expect("the merged document is not deleted");
            let again = setup.reference(Triple { local, ..values });
            prop_assert_eq!(again.value.as_ref(), Some(local));
        }
    }
}
