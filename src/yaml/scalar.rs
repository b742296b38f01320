//! What a scalar is taken for, and how a value is written on one line.

use super::tree::{ScalarStyle, ScalarType};

/// What a reader, of YAML 1.1 or of 1.2 core, takes an untagged plain scalar for (SPEC 4).
///
/// ```
/// use merge3::yaml::{ScalarType, scalar::type_of_plain};
///
/// assert_eq!(type_of_plain("8080"), ScalarType::Int);
/// assert_eq!(type_of_plain("on"), ScalarType::Bool);
/// assert_eq!(type_of_plain("1.2.3"), ScalarType::Str);
/// ```
pub fn type_of_plain(content: &str) -> ScalarType {
    match content.as_bytes() {
        b"" | b"~" | b"null" | b"Null" | b"NULL" => ScalarType::Null,
        b"<<" => ScalarType::Merge,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => type_of_number(content),
        bytes if is_bool(bytes) => ScalarType::Bool,
        _ => ScalarType::Str,
    }
}

/// What a reader takes a scalar for, its style and its resolved tag considered.
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
    bytes.len() <= 5
        && WORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(bytes))
        // lower, UPPER and Title; nothing in between
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

/// `1:30`, `190:20:30`: numbers to the base of 60.
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

/// `2001-12-14`, and with a time `2001-12-14t21:59:43.10-05:00`, `2001-12-14 21:59:43.10 -5`.
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

/// The length of the date at the start and what follows it.
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
