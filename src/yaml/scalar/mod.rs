//! Resolves the types of scalars, and writes values on one line.

mod write;

pub use write::write;
pub(crate) use write::{write_on_one_line, write_text};

use std::sync::LazyLock;

use regex::Regex;

use super::tree::{ScalarStyle, ScalarType};

/// Returns the type that a reader of YAML 1.1 or 1.2 core resolves an untagged plain scalar to
/// (rules: Equality).
///
/// ```
/// use merge3::yaml::{ScalarType, scalar::type_of_plain};
///
/// assert_eq!(type_of_plain("8080"), ScalarType::Int);
/// assert_eq!(type_of_plain("on"), ScalarType::Bool);
/// assert_eq!(type_of_plain("1.2.3"), ScalarType::Str);
/// ```
#[inline]
pub fn type_of_plain(content: &str) -> ScalarType {
    // the first byte decides for most texts
    const OTHERS: [bool; 256] = {
        let mut others = [false; 256];
        let bytes = b"~<0123456789+-.nNyYoOtTfF";
        let mut at = 0;
        while at < bytes.len() {
            others[bytes[at] as usize] = true;
            at += 1;
        }
        others
    };
    match content.as_bytes().first() {
        Some(first) if !OTHERS[usize::from(*first)] => ScalarType::Str,
        _ => type_of_special(content),
    }
}

fn type_of_special(content: &str) -> ScalarType {
    match content.as_bytes() {
        b"" | b"~" | b"null" | b"Null" | b"NULL" => ScalarType::Null,
        b"<<" => ScalarType::Merge,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => type_of_number(content),
        bytes if is_bool(bytes) => ScalarType::Bool,
        _ => ScalarType::Str,
    }
}

/// Returns the type of a scalar, by its style and its resolved tag.
pub(crate) fn type_of_tagged(content: &str, style: ScalarStyle, tag: Option<&str>) -> ScalarType {
    let Some(tag) = tag else {
        return match style {
            ScalarStyle::Plain => type_of_plain(content),
            _ => ScalarType::Str,
        };
    };
    match tag.strip_prefix("tag:yaml.org,2002:").unwrap_or(tag) {
        "!" => ScalarType::Str,
        _ if !tag.starts_with("tag:yaml.org,2002:") => ScalarType::Custom,
        "str" => ScalarType::Str,
        "int" => ScalarType::Int,
        "float" => ScalarType::Float,
        "bool" => ScalarType::Bool,
        "null" => ScalarType::Null,
        "timestamp" => ScalarType::Timestamp,
        "merge" => ScalarType::Merge,
        _ => ScalarType::Custom,
    }
}

fn is_bool(bytes: &[u8]) -> bool {
    const WORDS: [&str; 8] = ["y", "n", "yes", "no", "on", "off", "true", "false"];
    matches!(bytes.first(), Some(b'y' | b'n' | b'o' | b't' | b'f' | b'Y' | b'N' | b'O' | b'T' | b'F'))
        && bytes.len() <= 5
        && WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(bytes))
        // lower case, UPPER case or Title case
        && (bytes[1..].iter().all(u8::is_ascii_lowercase)
            || bytes.iter().all(u8::is_ascii_uppercase))
}

fn type_of_number(content: &str) -> ScalarType {
    let unsigned = content.strip_prefix(['+', '-']).unwrap_or(content);
    let bytes = unsigned.as_bytes();
    if matches!(bytes, b".inf" | b".Inf" | b".INF") || matches!(content, ".nan" | ".NaN" | ".NAN") {
        ScalarType::Float
    } else if is_int(bytes) {
        ScalarType::Int
    } else if is_float(bytes) {
        ScalarType::Float
    } else if is_timestamp(content) {
        ScalarType::Timestamp
    } else {
        ScalarType::Str
    }
}

fn is_int(bytes: &[u8]) -> bool {
    let digits = |rest: &[u8], allowed: fn(&u8) -> bool| {
        rest.iter().any(allowed) && rest.iter().all(|byte| allowed(byte) || *byte == b'_')
    };
    match bytes {
        [b'0', b'x', rest @ ..] => digits(rest, u8::is_ascii_hexdigit),
        [b'0', b'o', rest @ ..] => digits(rest, |byte| matches!(byte, b'0'..=b'7')),
        [b'0', b'b', rest @ ..] => digits(rest, |byte| matches!(byte, b'0' | b'1')),
        [b'0', rest @ ..] => are_digits(rest),
        _ => starts_with_digits(bytes) || is_sexagesimal(bytes),
    }
}

/// Whether this is a number in base 60: `1:30`, `190:20:30`.
fn is_sexagesimal(bytes: &[u8]) -> bool {
    let mut parts = bytes.split(|byte| *byte == b':');
    let is_first_valid = parts.next().is_some_and(starts_with_digits);
    is_first_valid
        && bytes.contains(&b':')
        && parts.all(|part| matches!(part, [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
}

fn is_float(bytes: &[u8]) -> bool {
    let mut halves = bytes.splitn(2, |byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = (halves.next().unwrap_or_default(), halves.next());
    let mut halves = mantissa.splitn(2, |byte| *byte == b'.');
    let (whole, fraction) = (halves.next().unwrap_or_default(), halves.next());
    if exponent.is_none() && fraction.is_none() {
        return false;
    }
    let is_exponent_valid = exponent.is_none_or(|exponent| match exponent {
        [b'+' | b'-', digits @ ..] | digits => {
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
    });
    let fraction = fraction.unwrap_or_default();
    let is_mantissa_valid = match whole {
        [] => starts_with_digits(fraction),
        _ => starts_with_digits(whole) || (exponent.is_none() && is_sexagesimal(whole)),
    };
    is_exponent_valid && is_mantissa_valid && are_digits(fraction)
}

/// Whether there are only digits and `_`.
fn are_digits(bytes: &[u8]) -> bool {
    let mut bytes = bytes.iter();
    bytes.all(|byte| byte.is_ascii_digit() || *byte == b'_')
}

/// Whether there is a digit, and then only digits and `_`.
fn starts_with_digits(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(u8::is_ascii_digit) && are_digits(bytes)
}

/// Whether this is a date, such as `2001-12-14`, or a date and time, such as
/// `2001-12-14t21:59:43.10-05:00` or `2001-12-14 21:59:43.10 -5`.
fn is_timestamp(content: &str) -> bool {
    const TIMESTAMP: &str = concat!(
        r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        r"|^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t][ \t\r\n\f]*)",
        r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?",
        r"([ \t\r\n\f]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?$",
    );
    static READ: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TIMESTAMP).ok());
    // versions and quantities are more frequent: do not match them
    content.as_bytes().get(4) == Some(&b'-') && READ.as_ref().is_some_and(|it| it.is_match(content))
}

/// Whether a block scalar, whose text starts with its header, keeps all line breaks at its end.
pub(crate) fn keeps_line_breaks(text: &str) -> bool {
    let header = text.split([' ', '\t', '\r', '\n']).next();
    header.is_some_and(|header| header.contains('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(contents: &[&str], scalar_type: ScalarType) {
        for content in contents {
            assert_eq!(type_of_plain(content), scalar_type, "{content:?}");
        }
    }

    #[test]
    fn words() {
        all(&["", "~", "null", "Null", "NULL"], ScalarType::Null);
        all(
            &["true", "True", "FALSE", "yes", "No", "ON", "off", "y", "N"],
            ScalarType::Bool,
        );
        all(
            &[
                "tRUE", "oN", "nULL", "none", "ye", "o", "truee", "é", "<", "<<<",
            ],
            ScalarType::Str,
        );
        all(&["<<"], ScalarType::Merge);
    }

    #[test]
    fn integers() {
        all(
            &[
                "0",
                "8080",
                "-1",
                "+12",
                "007",
                "08",
                "0o17",
                "0x1F",
                "0b1010",
                "1_000",
                "-0x1",
                "1:30",
                "190:20:30",
            ],
            ScalarType::Int,
        );
        all(
            &[
                "-", "+", "0x", "0xg", "0o8", "0b2", "1a", "1:60", "80:8080", "08:30", "1:", ":1",
                "1-2", "--1", "_1",
            ],
            ScalarType::Str,
        );
    }

    #[test]
    fn floats() {
        all(
            &[
                "1.0", ".5", "5.", "-1.5", "1e3", "1E-3", "1.5e+10", "1_0.0", ".inf", "-.INF",
                "+.Inf", ".nan", "1:30.5",
            ],
            ScalarType::Float,
        );
        all(
            &[
                ".", "..", "1.2.3", "e3", "1e", "1e+", ".e3", "-.nan", ".Nan", "inf", "v1.0",
                "1.5Gi",
            ],
            ScalarType::Str,
        );
    }

    #[test]
    fn dates() {
        all(
            &[
                "2001-12-14",
                "2001-12-14t21:59:43.10-05:00",
                "2001-12-14T21:59:43Z",
                "2001-12-14 21:59:43.10 -5",
                "2001-1-2 3:04:05",
                "2001-12-14 21:59:43 Z",
            ],
            ScalarType::Timestamp,
        );
        all(
            &[
                "2001-12",
                "2001-1-2",
                "2001-12-14T",
                "2001-12-14T21:59",
                "2001-12-14x",
                "2001-12-14 21:59:43 ",
            ],
            ScalarType::Str,
        );
    }

    #[test]
    fn a_tag_decides_the_type() {
        let core = |tag: &str| format!("tag:yaml.org,2002:{tag}");
        let typed = |content, style, tag: &str| type_of_tagged(content, style, Some(tag));
        let quoted = ScalarStyle::DoubleQuoted;
        assert_eq!(
            typed("8080", ScalarStyle::Plain, &core("str")),
            ScalarType::Str
        );
        assert_eq!(typed("8080", quoted, &core("int")), ScalarType::Int);
        assert_eq!(typed("", ScalarStyle::Plain, "!"), ScalarType::Str);
        assert_eq!(
            typed("x", ScalarStyle::Plain, "!custom"),
            ScalarType::Custom
        );
        assert_eq!(
            typed("eA==", ScalarStyle::Plain, &core("binary")),
            ScalarType::Custom
        );
        assert_eq!(typed("x", ScalarStyle::Plain, "str"), ScalarType::Custom);
        assert_eq!(type_of_tagged("8080", quoted, None), ScalarType::Str);
        assert_eq!(
            type_of_tagged("8080", ScalarStyle::Literal, None),
            ScalarType::Str
        );
    }
}
