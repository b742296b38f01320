//! Resolves the types of scalars, and writes values on one line.

mod write;

pub use write::write;
pub(crate) use write::write_text;

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
    } else if is_timestamp(content.as_bytes()) {
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
        [b'0'..=b'9', ..] => {
            bytes
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'_')
                || (bytes[0] != b'0' && is_sexagesimal(bytes))
        }
        _ => false,
    }
}

/// Whether this is a number in base 60: `1:30`, `190:20:30`.
fn is_sexagesimal(bytes: &[u8]) -> bool {
    let mut parts = bytes.split(|byte| *byte == b':');
    let first = parts.next().is_some_and(|part| {
        part.first().is_some_and(u8::is_ascii_digit)
            && part
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'_')
    });
    let mut more = 0;
    first
        && parts.all(|part| {
            more += 1;
            matches!(part, [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
        })
        && more > 0
}

fn is_float(bytes: &[u8]) -> bool {
    let exponent = bytes.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let mantissa = &bytes[..exponent.unwrap_or(bytes.len())];
    if let Some(at) = exponent {
        let digits = match &bytes[at + 1..] {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return false;
        }
    }
    let point = mantissa.iter().position(|byte| *byte == b'.');
    let whole = &mantissa[..point.unwrap_or(mantissa.len())];
    let fraction = point.map_or(&[][..], |at| &mantissa[at + 1..]);
    let digits = |part: &[u8]| {
        part.iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'_')
    };
    if !digits(fraction) || (point.is_none() && exponent.is_none()) {
        return false;
    }
    match (whole.first(), fraction.first()) {
        (None, first) => first.is_some_and(u8::is_ascii_digit),
        (Some(first), _) => {
            first.is_ascii_digit()
                && (digits(whole) || (exponent.is_none() && is_sexagesimal(whole)))
        }
    }
}

/// Whether this is a date, such as `2001-12-14`, or a date and time, such as
/// `2001-12-14t21:59:43.10-05:00` or `2001-12-14 21:59:43.10 -5`.
fn is_timestamp(bytes: &[u8]) -> bool {
    let Some((date, rest)) = take_date(bytes) else {
        return false;
    };
    if rest.is_empty() {
        return date == 10;
    }
    let time = match rest {
        [b'T' | b't', time @ ..] => time,
        [b' ' | b'\t', ..] => rest.trim_ascii_start(),
        _ => return false,
    };
    let Some(rest) = take_digits(time, 1..=2)
        .and_then(|rest| rest.strip_prefix(b":"))
        .and_then(|rest| take_digits(rest, 2..=2))
        .and_then(|rest| rest.strip_prefix(b":"))
        .and_then(|rest| take_digits(rest, 2..=2))
    else {
        return false;
    };
    let zone = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            &fraction[digits..]
        }
        _ => rest,
    };
    match zone.trim_ascii_start() {
        [] => zone.is_empty(),
        b"Z" => true,
        [b'+' | b'-', offset @ ..] => take_digits(offset, 1..=2).is_some_and(|rest| match rest {
            [] => true,
            [b':', minutes @ ..] => take_digits(minutes, 2..=2).is_some_and(<[u8]>::is_empty),
            _ => false,
        }),
        _ => false,
    }
}

/// Returns the length of the date at the start, and the rest.
fn take_date(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let rest = take_digits(bytes, 4..=4)?.strip_prefix(b"-")?;
    let rest = take_digits(rest, 1..=2)?.strip_prefix(b"-")?;
    let rest = take_digits(rest, 1..=2)?;
    Some((bytes.len() - rest.len(), rest))
}

fn take_digits(bytes: &[u8], count: std::ops::RangeInclusive<usize>) -> Option<&[u8]> {
    let digits = bytes
        .iter()
        .take(*count.end())
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (digits >= *count.start()).then(|| &bytes[digits..])
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
