//! Writes a value as text on one line.

use super::super::tree::{ScalarStyle, ScalarType};
use super::type_of_plain;

/// Returns the text of a value in a style on one line, or `None` if the style cannot represent the
/// value with its type on one line.
///
/// The text is valid as a value and as a key of a map in block context. With `in_flow`, it is also
/// valid between brackets. Only strings ([`ScalarType::Str`]) can be quoted. A null without content
/// is written as `null`. Block styles always give `None`.
///
/// ```
/// use merge3::yaml::{ScalarStyle, ScalarType, scalar::write};
///
/// let plain = |content| write(content, ScalarType::Str, ScalarStyle::Plain, false);
/// assert_eq!(plain("nginx"), Some("nginx".to_owned()));
/// assert_eq!(plain("8080"), None); // would be read as an integer
/// let single = write("it's", ScalarType::Str, ScalarStyle::SingleQuoted, false);
/// assert_eq!(single, Some("'it''s'".to_owned()));
/// ```
pub fn write(
    content: &str,
    scalar_type: ScalarType,
    style: ScalarStyle,
    in_flow: bool,
) -> Option<String> {
    match (style, scalar_type) {
        (_, ScalarType::Custom) | (ScalarStyle::Literal | ScalarStyle::Folded, _) => None,
        (ScalarStyle::Plain, ScalarType::Null) if content.is_empty() => Some("null".to_owned()),
        (ScalarStyle::Plain, _) => (type_of_plain(content) == scalar_type
            && is_plain(content, in_flow))
        .then(|| content.to_owned()),
        (ScalarStyle::SingleQuoted, ScalarType::Str) => content
            .chars()
            .all(is_printable)
            .then(|| format!("'{}'", content.replace('\'', "''"))),
        (ScalarStyle::DoubleQuoted, ScalarType::Str) => Some(double_quoted(content)),
        _ => None,
    }
}

/// Writes a string on one line, as [`write_on_one_line`] does.
pub(crate) fn write_text(text: &str, in_flow: bool) -> String {
    write_on_one_line(text, ScalarType::Str, in_flow)
}

/// Writes a value on one line: plain if that reads back as the value, otherwise in double quotes,
/// or as its content if it cannot be quoted.
pub(crate) fn write_on_one_line(content: &str, scalar_type: ScalarType, in_flow: bool) -> String {
    let in_style = |style| write(content, scalar_type, style, in_flow);
    in_style(ScalarStyle::Plain)
        .or_else(|| in_style(ScalarStyle::DoubleQuoted))
        .unwrap_or_else(|| content.to_owned())
}

/// Whether a character reads back as itself between quotes.
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether a text reads back as itself without quotes, of any type.
fn is_plain(content: &str, in_flow: bool) -> bool {
    let bytes = content.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    let has_valid_start = match first {
        b'-' => bytes.get(1).is_some_and(|next| !b" ,[]{}".contains(next)),
        b'?' | b':' => !in_flow && bytes.get(1).is_some_and(|next| *next != b' '),
        byte => !b",[]{}#&*!|>'\"%@` ".contains(byte),
    };
    has_valid_start
        && content != "="
        && !matches!(last, b' ' | b':')
        && !(content.starts_with("---") || content.starts_with("..."))
        && content.chars().all(|c| c != '\t' && is_printable(c))
        && !bytes
            .windows(2)
            .any(|pair| pair == b": " || pair == b" #" || (in_flow && is_flow_colon(pair)))
        && !(in_flow && bytes.iter().any(|byte| b",[]{}".contains(byte)))
        // yaml-rust2 takes a dash directly before a closing bracket for an indicator
        && !(in_flow && content.ends_with(" -"))
}

fn is_flow_colon(pair: &[u8]) -> bool {
    pair[0] == b':' && b",[]{}".contains(&pair[1])
}

/// Returns a string in double quotes, with the escapes that JSON also has, if possible.
fn double_quoted(content: &str) -> String {
    let json = serde_json::Value::from(content).to_string();
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match is_printable(c) {
            true => text.push(c),
            // all characters from U+10000 on are printable, so four digits are enough
            false => text.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::{Tree, equal};

    const STYLES: [ScalarStyle; 3] = [
        ScalarStyle::Plain,
        ScalarStyle::SingleQuoted,
        ScalarStyle::DoubleQuoted,
    ];

    fn text(content: &str, style: ScalarStyle) -> Option<String> {
        write(content, ScalarType::Str, style, false)
    }

    #[test]
    fn text_without_quotes() {
        for content in [
            "a",
            "a b",
            "a:b",
            "a#b",
            "-x",
            "x-",
            "a'b",
            "http://x:80",
            "é",
            "1.2.3",
            "C:\\x",
        ] {
            assert_eq!(text(content, ScalarStyle::Plain).as_deref(), Some(content));
        }
        for content in [
            "",
            " a",
            "a ",
            "a: b",
            "a:",
            "a #b",
            "- a",
            "-",
            "?",
            ": a",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a",
            "{a",
            "[a",
            "#a",
            "|",
            ">",
            "'a",
            "\"a",
            ",a",
            "---",
            "--- a",
            "...",
            "a\nb",
            "a\tb",
            "5",
            "true",
            "null",
            "~",
            "<<",
            "=",
            "2001-01-01",
            "\u{feff}a",
            "\u{7}",
        ] {
            assert_eq!(text(content, ScalarStyle::Plain), None, "{content:?}");
        }
    }

    #[test]
    fn text_between_brackets() {
        let in_flow = |content| write(content, ScalarType::Str, ScalarStyle::Plain, true);
        assert_eq!(in_flow("a b").as_deref(), Some("a b"));
        for content in ["a,b", "a]", "{{ a }}", "a{b", "?a", ":a", "-,"] {
            assert_eq!(in_flow(content), None, "{content:?}");
        }
    }

    #[test]
    fn quotes() {
        assert_eq!(
            text("it's", ScalarStyle::SingleQuoted).as_deref(),
            Some("'it''s'")
        );
        assert_eq!(text("", ScalarStyle::SingleQuoted).as_deref(), Some("''"));
        assert_eq!(text("a\nb", ScalarStyle::SingleQuoted), None);
        assert_eq!(text("a\u{7}b", ScalarStyle::SingleQuoted), None);
        let all = "a\"\\\n\r\t\u{8}\u{c}\u{7}\0é𝄞\u{85}\u{2028}\u{feff}";
        assert_eq!(
            text(all, ScalarStyle::DoubleQuoted).as_deref(),
            Some(r#""a\"\\\n\r\t\b\f\u0007\u0000é𝄞\u0085\u2028\ufeff""#)
        );
    }

    #[test]
    fn other_types_have_no_quotes() {
        for style in [ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted] {
            assert_eq!(write("5", ScalarType::Int, style, false), None);
        }
        assert_eq!(
            write("5", ScalarType::Int, ScalarStyle::Plain, true).as_deref(),
            Some("5")
        );
        assert_eq!(
            write("5", ScalarType::Float, ScalarStyle::Plain, true),
            None
        );
        assert_eq!(
            write("", ScalarType::Null, ScalarStyle::Plain, false).as_deref(),
            Some("null")
        );
        assert_eq!(
            write("x", ScalarType::Custom, ScalarStyle::Plain, false),
            None
        );
        assert_eq!(
            write("x", ScalarType::Str, ScalarStyle::Literal, false),
            None
        );
    }

    fn reads_back(content: &str, style: ScalarStyle) -> Result<(), TestCaseError> {
        for in_flow in [false, true] {
            let Some(text) = write(content, ScalarType::Str, style, in_flow) else {
                continue;
            };
            // keys are tested as well; all contents are short enough for a key
            let (value, key) = match in_flow {
                false => (format!("k:\n  - {text}\n"), format!("{text}: v\n")),
                true => (format!("k: [{text}]\n"), format!("{{{text}: v}}\n")),
            };
            let expected_value = format!("k: [\"{}\"]", content.escape_unicode_for_yaml());
            let expected_key = format!("\"{}\": v", content.escape_unicode_for_yaml());
            for (got, expected) in [(value, expected_value), (key, expected_key)] {
                let trees = [&got, &expected].map(|text| Tree::parse(text));
                let [Ok(Some(left)), Ok(Some(right))] = trees else {
                    return Err(TestCaseError::fail(format!(
                        "{got:?} or {expected:?} is no YAML"
                    )));
                };
                prop_assert!(
                    equal(&left, left.root().value, &right, right.root().value),
                    "{got:?} is not {expected:?}"
                );
            }
        }
        Ok(())
    }

    trait Escape {
        fn escape_unicode_for_yaml(&self) -> String;
    }

    impl Escape for str {
        /// Escapes each character as `\U` and eight digits.
        fn escape_unicode_for_yaml(&self) -> String {
            self.chars()
                .map(|c| format!("\\U{:08x}", u32::from(c)))
                .collect()
        }
    }

    #[test]
    fn a_dash_at_the_end_needs_quotes_between_brackets() {
        let plain = |in_flow| write("x -", ScalarType::Str, ScalarStyle::Plain, in_flow);
        assert_eq!(plain(false), Some("x -".to_owned()));
        assert_eq!(plain(true), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 2_000,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]

        #[test]
        fn written_text_reads_back(content in "[a1\\-?:,\\[\\]{}#&*!|>'\"%@` ~.=<\t\n\r\\\\\u{0}\u{7f}\u{85}\u{a0}é\u{2028}\u{feff}𝄞]{0,6}") {
            for style in STYLES {
                reads_back(&content, style)?;
            }
        }

        #[test]
        fn any_text_reads_back(content in any::<String>()) {
            for style in STYLES {
                reads_back(&content, style)?;
            }
        }
    }
}
