//! A value as text on one line.

use super::super::tree::{ScalarStyle, ScalarType};
use super::type_of_plain;

/// The one-line text for a value in a style; none where the style cannot say that value, type included, on one line.
///
/// The text is right as a value and as a map's key, in block context and, with `in_flow`, between brackets. Only
/// text ([`ScalarType::Str`]) has quoted forms. An absent null (no content) is written `null`. A block style is no
/// one-line style and gives none.
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
            .all(stays_as_it_is)
            .then(|| format!("'{}'", content.replace('\'', "''"))),
        (ScalarStyle::DoubleQuoted, ScalarType::Str) => Some(double_quoted(content)),
        _ => None,
    }
}

/// Whether a character reads back as itself inside quotes.
fn stays_as_it_is(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether a text reads back as itself without quotes, whatever type that makes it.
fn is_plain(content: &str, in_flow: bool) -> bool {
    let bytes = content.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    let starts_well = match first {
        b'-' => bytes.get(1).is_some_and(|next| !b" ,[]{}".contains(next)),
        b'?' | b':' => !in_flow && bytes.get(1).is_some_and(|next| *next != b' '),
        byte => !b",[]{}#&*!|>'\"%@` ".contains(byte),
    };
    starts_well
        && content != "="
        && !matches!(last, b' ' | b':')
        && !(content.starts_with("---") || content.starts_with("..."))
        && content.chars().all(|c| c != '\t' && stays_as_it_is(c))
        && !bytes
            .windows(2)
            .any(|pair| pair == b": " || pair == b" #" || (in_flow && is_flow_colon(pair)))
        && !(in_flow && bytes.iter().any(|byte| b",[]{}".contains(byte)))
}

fn is_flow_colon(pair: &[u8]) -> bool {
    pair[0] == b':' && b",[]{}".contains(&pair[1])
}

/// Between double quotes, with the escapes that JSON knows too wherever there is one.
fn double_quoted(content: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(content.len() + 2);
    text.push('"');
    for c in content.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            c if stays_as_it_is(c) => text.push(c),
            // all that is left is below U+10000
            c => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
        }
    }
    text.push('"');
    text
}
