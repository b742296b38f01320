//! Laws 3, 4, 6 and 7 for scalars that have parts (rules: Texts and images) and for lists that no
//! key identifies (rules: Lists). Both sides change each of them.

use crate::documents::{
    has_reference_conflicts, has_reference_value, is_idempotent, keeps_local_if_equal_to_upstream,
};
use crate::drive::{Setup, setup_with_defaults};
use crate::generate::Case;
use crate::value::load;
use merge3::triple::Triple;
use proptest::prelude::*;

/// Three values of one kind, one for each side, and how each side writes it.
#[derive(Debug, Clone)]
struct Sides<T>(Triple<T>);

fn image() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "quay.io/a/b", "mirror:5000/b", "k8s.gcr.io/p"]);
    let version = prop::sample::select(vec!["", ":1", ":v1.2", ":2@sha256:0a", "@sha256:0b"]);
    (name, version, 0..3_u8).prop_map(|(name, version, quotes)| match quotes {
        0 => format!("{name}{version}"),
        1 => format!("\"{name}{version}\""),
        _ => format!("'{name}{version}'"),
    })
}

/// Some of a few words, always in the same order.
fn words() -> impl Strategy<Value = Vec<&'static str>> {
    let all = vec![
        "one", "two", "three", "four", "five", "six", "seven", "eight",
    ];
    prop::sample::subsequence(all, 3..=8)
}

/// A text of these lines, below some header.
fn text() -> impl Strategy<Value = String> {
    (words(), 0..5_u8).prop_map(|(words, header)| {
        let block = |header: &str, end: &str| {
            let lines: String = words.iter().map(|word| format!("\n  {word}")).collect();
            format!("{header}{lines}{end}")
        };
        match header {
            0 => block("|-", ""),
            1 => block("|+", "\n\n"),
            2 => format!("\"{}\\n\"", words.join("\\n")),
            _ => block("|", ""),
        }
    })
}

/// A list of scalars and of maps without a key.
fn list() -> impl Strategy<Value = String> {
    let element = |(word, kind, more): (&str, u8, u8)| match kind {
        0 | 1 => format!("\n- {word}"),
        2 => format!("\n- kind: {word}\n  of: [{word}]\n  more: {more}"),
        _ => format!("\n- {{of: {word}, at: {more}, else: {word}s}}"),
    };
    let kinds = prop::collection::vec((0..4_u8, 0..3_u8), 8);
    (words(), kinds).prop_map(move |(words, kinds)| {
        let elements = words.into_iter().zip(kinds);
        elements
            .map(|(word, (kind, more))| element((word, kind, more)))
            .collect()
    })
}

fn sides<T: std::fmt::Debug + Clone>(
    one: impl Fn() -> BoxedStrategy<T>,
) -> impl Strategy<Value = Sides<T>> {
    (one(), one(), one()).prop_map(|(o, u, d)| Sides(Triple::new(o, u, d)))
}

fn case(sides: &Sides<(String, String, String)>) -> Result<Case, TestCaseError> {
    let texts = sides.0.as_ref().map(|(image, text, list)| {
        format!("image: {image}\nabove: 1\ntext: {text}\nbelow: 2\nlist:{list}\nend: 3\n")
    });
    let value = |text: &String| {
        let value = load::document(text).map_err(TestCaseError::fail)?;
        value.ok_or_else(|| TestCaseError::fail("no content"))
    };
    Ok(Case {
        values: texts.as_ref().try_map(value)?,
        texts,
    })
}

fn cases() -> impl Strategy<Value = Sides<(String, String, String)>> {
    sides(|| (image(), text(), list()).boxed())
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_3_already_there(sides in cases(), setup in setup_with_defaults()) {
        keeps_local_if_equal_to_upstream(&case(&sides)?, &setup)?;
    }

    #[test]
    fn law_4_idempotent(sides in cases(), setup in setup_with_defaults()) {
        is_idempotent(&case(&sides)?, &setup)?;
    }

    #[test]
    fn law_6_sound(sides in cases(), setup in setup_with_defaults()) {
        has_reference_value(&case(&sides)?, &setup)?;
    }

    #[test]
    fn law_7_nothing_lost_in_silence(sides in cases(), setup in setup_with_defaults()) {
        has_reference_conflicts(&case(&sides)?, &setup)?;
    }

    #[test]
    fn law_4_where_local_wins(sides in cases(), setup in setup_with_defaults()) {
        let mut setup: Setup = setup;
        setup.options.on_conflict = merge3::merge::OnConflict::Local;
        is_idempotent(&case(&sides)?, &setup)?;
        has_reference_value(&case(&sides)?, &setup)?;
    }
}
