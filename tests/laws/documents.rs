//! The laws of one document, but for the fifth, which has a file of its own.

use crate::drive::{Told, only_document, run, run_case, run_files, told, told_little};
use crate::generate::{self, Case};
use crate::reference::changes_key;
use crate::shown::{Depth, difference, part};
use crate::value::{Value, load};
use merge3::triple::Triple;
use proptest::prelude::*;

/// Two of a case's texts in three roles.
fn roles<'t>(case: &'t Case, pick: impl Fn(Triple<&'t str>) -> Triple<&'t str>) -> Triple<&'t str> {
    pick(case.texts.as_ref().map(String::as_str))
}

/// Law 1.
pub fn does_nothing_for_nothing(case: &Case, told: &Told) -> Result<(), TestCaseError> {
    let texts = roles(case, |texts| Triple {
        updated: texts.original,
        ..texts
    });
    let ran = run(texts, told)?;
    prop_assert_eq!(ran.text.as_str(), texts.local);
    prop_assert!(ran.conflicts.is_empty(), "{:?}", ran.conflicts);
    Ok(())
}

/// Law 2.
pub fn fast_forwards(case: &Case, told: &Told) -> Result<(), TestCaseError> {
    let texts = roles(case, |texts| Triple {
        local: texts.original,
        ..texts
    });
    let ran = run(texts, told)?;
    prop_assert!(ran.conflicts.is_empty(), "{:?}", ran.conflicts);
    let values = case.values.as_ref();
    let expected = told.reference(Triple {
        local: values.original,
        ..values
    });
    if expected.value.as_ref() == Some(values.updated) {
        let (upstream, merged) = (only_document(texts.updated)?, only_document(&ran.text)?);
        let local = only_document(texts.local)?;
        let upstream = &upstream.text[upstream.body.range()];
        let above = &texts.local[..local.start + local.body.start as usize];
        let below = &local.text[local.body.end as usize..];
        // what ends the local document, a `...`, is on a line of its own
        let end = merged.start + merged.body.end as usize;
        let body = match upstream.ends_with('\n') || below.is_empty() {
            true => &ran.text[..end],
            false => ran.text[..end].trim_end_matches(['\n', '\r']),
        };
        let found = body.strip_suffix(upstream).map(str::trim_end);
        prop_assert_eq!(found, Some(above.trim_end()), "merged:\n{}", ran.text);
    }
    Ok(())
}

/// Law 3.
pub fn leaves_what_is_there(case: &Case, told: &Told) -> Result<(), TestCaseError> {
    let texts = roles(case, |texts| Triple {
        local: texts.updated,
        ..texts
    });
    let ran = run(texts, told)?;
    prop_assert_eq!(ran.text.as_str(), texts.local);
    prop_assert!(ran.conflicts.is_empty(), "{:?}", ran.conflicts);
    Ok(())
}

/// Law 6: the merged text's value is the reference's.
pub fn is_sound(case: &Case, told: &Told) -> Result<(), TestCaseError> {
    let expected = told.reference(case.values.as_ref());
    let ran = run_case(case, told)?;
    let value = load::document(&ran.text)
        .map_err(|error| TestCaseError::fail(format!("{error} in\n{}", ran.text)))?;
    if !expected.ambiguous {
        prop_assert_eq!(value, expected.value, "merged:\n{}", ran.text);
    }
    Ok(())
}

/// Law 7: there are conflicts where the reference has some, and only there.
pub fn is_loud(case: &Case, told: &Told) -> Result<(), TestCaseError> {
    let expected = told.reference(case.values.as_ref());
    let ran = run_case(case, told)?;
    if !expected.ambiguous {
        let found = ran.of_values();
        prop_assert_eq!(
            found.is_empty(),
            expected.conflicts.is_empty(),
            "found {:?}, expected {:?}; merged:\n{}",
            found,
            expected.conflicts,
            ran.text
        );
    }
    Ok(())
}

/// Law 4: a second merge finds nothing to do. (A list without a key in which elements repeat may be
/// an exception.) A file is merged, as long as its document has one identity.
pub fn is_idempotent(case: &Case, told: &Told) -> Result<(), TestCaseError> {
    let expected = told.reference(case.values.as_ref());
    let lists = told.settings().lists;
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
    let first = run(texts, told)?;
    let local = first.text.as_str();
    let second = run(Triple { local, ..texts }, told)?;
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

/// What pairs a resource.
fn identity(value: &Value) -> [Option<&Value>; 4] {
    let metadata = value.field("metadata");
    [
        value.field("apiVersion"),
        value.field("kind"),
        metadata.and_then(|it| it.field("name")),
        metadata.and_then(|it| it.field("namespace")),
    ]
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_1_nothing_upstream_nothing_done(case in generate::case(), told in told()) {
        does_nothing_for_nothing(&case, &told)?;
    }

    #[test]
    fn law_2_fast_forward(case in generate::case(), told in told()) {
        fast_forwards(&case, &told)?;
    }

    #[test]
    fn law_3_already_there(case in generate::case(), told in told()) {
        leaves_what_is_there(&case, &told)?;
    }

    #[test]
    fn law_4_idempotent(case in generate::case(), told in told()) {
        is_idempotent(&case, &told)?;
    }

    #[test]
    fn law_6_sound(case in generate::case(), told in told_little()) {
        is_sound(&case, &told)?;
    }

    #[test]
    fn law_6_sound_with_any_options(case in generate::case(), told in told()) {
        is_sound(&case, &told)?;
    }

    #[test]
    fn law_7_nothing_lost_in_silence(case in generate::case(), told in told_little()) {
        is_loud(&case, &told)?;
    }

    #[test]
    fn law_7_nothing_lost_in_silence_with_any_options(case in generate::case(), told in told()) {
        is_loud(&case, &told)?;
    }

    #[test]
    fn the_reference_obeys_the_laws_of_values(values in generate::triple(), told in told()) {
        let values = values.as_ref();
        let result = told.reference(values);
        let unchanged = told.reference(Triple { updated: values.original, ..values });
        prop_assert_eq!(unchanged.value.as_ref(), Some(values.local));
        let there = told.reference(Triple { local: values.updated, ..values });
        prop_assert_eq!(there.value.as_ref(), Some(values.updated));
        let forward = told.reference(Triple { local: values.original, ..values });
        if !told.settings().null_commands {
            prop_assert_eq!(forward.value.as_ref(), Some(values.updated));
        }
        for clean in [unchanged, there, forward] {
            prop_assert!(clean.conflicts.is_empty(), "{:?}", clean.conflicts);
        }
        if !result.repeats && !result.value.as_ref().is_some_and(|merged| changes_key(values.local, merged, told.settings().lists)) {
            let local = result.value.as_ref().expect("a document stays");
            let again = told.reference(Triple { local, ..values });
            prop_assert_eq!(again.value.as_ref(), Some(local));
        }
    }
}
