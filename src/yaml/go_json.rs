//! Converts nodes to JSON as Kubernetes' tools read them, and writes JSON as Go's encoder does:
//! compact, with sorted keys, and with `<`, `>` and `&` escaped.

use std::borrow::Cow;
use std::io;

use serde::Serialize as _;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Number, Value};

use super::ParseError;
use super::stored::Tree;
use super::tree::{EntryId, NodeId, NodeKind, Scalar, ScalarStyle, ScalarType};

/// The error for a number that is infinite or none in Go.
struct NotFinite;

/// The result of reading a text as a number in Go; `None` if it is text.
type Parsed = Result<Option<Number>, NotFinite>;

/// Converts a node as a YAML 1.1 reader in Go does.
///
/// # Errors
/// Returns an error if a value has no form in JSON, or if there is a merge key.
///
/// ```
/// use merge3::yaml::{Tree, go_json};
///
/// let tree = Tree::parse("b: [1, 0x10, 1e3, on, '<a>']\na: ~\n").unwrap().unwrap();
/// let value = go_json::value(&tree, tree.root().value).unwrap();
/// assert_eq!(go_json::written(value), r#"{"a":null,"b":[1,16,1000,true,"\u003ca\u003e"]}"#);
/// ```
pub fn value(tree: &Tree<'_>, node: NodeId) -> Result<Value, ParseError> {
    let node = tree.resolve(node);
    let mut entries = tree.entries(node);
    match &tree.node(node).kind {
        NodeKind::Sequence(_) => entries
            .map(|entry| value(tree, tree.entry(entry).value))
            .collect(),
        NodeKind::Mapping(_) => entries
            .try_fold(serde_json::Map::new(), |mut fields, entry| {
                let field_value = value(tree, tree.entry(entry).value)?;
                fields.insert(key(tree, entry)?, field_value);
                Ok(fields)
            })
            .map(Value::Object),
        NodeKind::Scalar(scalar) => self::scalar(*scalar)
            .ok_or_else(|| tree.error_at(node, "this number has no form in JSON")),
        NodeKind::Alias(_) => Ok(Value::Null),
    }
}

/// Writes a value as Go's encoder does.
pub fn written(mut value: Value) -> String {
    value.sort_all_objects();
    let mut bytes = Vec::new();
    // writing to memory cannot fail
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, GoFormatter));
    let mut text = String::from_utf8(bytes).unwrap_or_default();
    // JSON has these only in strings
    for c in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
        if text.contains(c) {
            text = text.replace(c, &format!("\\u{:04x}", u32::from(c)));
        }
    }
    text
}

struct GoFormatter;

impl Formatter for GoFormatter {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(format_float(value).as_bytes())
    }
}

/// Returns the key of a field. Keys of all types become strings in JSON.
fn key(tree: &Tree<'_>, entry: EntryId) -> Result<String, ParseError> {
    let key = tree.entry(entry).key;
    match key.and_then(|node| Some((node, tree.scalar(node)?))) {
        None => Ok(String::new()),
        Some((node, key)) if key.scalar_type == ScalarType::Merge => {
            Err(tree.error_at(node, "a merge key is not a field of a resource"))
        }
        Some((_, key)) => Ok(key_in_json(key.scalar_type, key.content).into_owned()),
    }
}

/// Returns the string that Kubernetes' tools make of a key of this type.
///
/// ```
/// use merge3::yaml::{ScalarType, go_json::key_in_json};
///
/// assert_eq!(key_in_json(ScalarType::Bool, "y"), "true");
/// assert_eq!(key_in_json(ScalarType::Int, "0x10"), "16");
/// assert_eq!(key_in_json(ScalarType::Float, "1.50"), "1.5");
/// assert_eq!(key_in_json(ScalarType::Timestamp, "2020-01-01"), "2020-01-01");
/// ```
pub fn key_in_json(scalar_type: ScalarType, content: &str) -> Cow<'_, str> {
    match scalar_type {
        ScalarType::Bool => is_true(content).to_string().into(),
        ScalarType::Int => match integer(content) {
            Ok(Some(number)) => written(number.into()).into(),
            Ok(None) | Err(NotFinite) => content.into(),
        },
        ScalarType::Float => short_float(content).map_or(content.into(), Into::into),
        _ => content.into(),
    }
}

/// Formats a float as a key: with the fewest digits for single precision, and with an exponent from
/// 1e6 on or below 1e-4.
fn short_float(content: &str) -> Option<String> {
    let value: f32 = content.replace('_', "").parse().ok()?;
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e')?;
    Some(match exponent.parse::<i32>() {
        Ok(-4..=5) | Err(_) => value.to_string(),
        Ok(exponent) => format!("{digits}e{exponent:+03}"),
    })
}

/// Converts a scalar to JSON; `None` if it has no form in JSON.
fn scalar(scalar: Scalar<'_>) -> Option<Value> {
    let content = scalar.content;
    match scalar.scalar_type {
        ScalarType::Null => Some(Value::Null),
        ScalarType::Bool => Some(is_true(content).into()),
        _ if scalar.style != ScalarStyle::Plain => Some(content.into()),
        _ => Some(parsed(scalar).ok()?.map_or(content.into(), Into::into)),
    }
}

/// Returns the number that Go reads from a scalar, or `None` if it is not a number.
///
/// ```
/// use merge3::yaml::{Tree, go_json::number};
///
/// let read = |text| {
///     let tree = Tree::parse(text).unwrap().unwrap();
///     number(tree.scalar(tree.root().value).unwrap()).map(|number| number.to_string())
/// };
/// assert_eq!(read("0644").as_deref(), Some("420"));
/// assert_eq!(read("-0x1F").as_deref(), Some("-31"));
/// assert_eq!(read("1:30"), None);
/// ```
pub fn number(scalar: Scalar<'_>) -> Option<Number> {
    parsed(scalar).ok().flatten()
}

fn parsed(scalar: Scalar<'_>) -> Parsed {
    match scalar.scalar_type {
        ScalarType::Int => integer(scalar.content),
        ScalarType::Float => float(scalar.content),
        _ => Ok(None),
    }
}

/// Whether a boolean of YAML 1.1 is true.
pub(crate) fn is_true(content: &str) -> bool {
    matches!(content.as_bytes(), [b't' | b'T' | b'y' | b'Y', ..])
        || content.eq_ignore_ascii_case("on")
}

fn integer(content: &str) -> Parsed {
    let text = content.replace('_', "");
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let (base, without_base) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let based = u64::from_str_radix(without_base, base).ok();
    let number = based.or_else(|| digits.parse().ok()).and_then(|value| {
        let value = i128::from(value);
        Number::from_i128(if is_negative { -value } else { value })
    });
    number.map_or_else(|| float(&text), |number| Ok(Some(number)))
}

fn float(content: &str) -> Parsed {
    let text = content.replace('_', "");
    match text.parse::<f64>() {
        Ok(value) => Number::from_f64(value).ok_or(NotFinite).map(Some),
        Err(_)
            if text.to_ascii_lowercase().contains(".inf") || text.eq_ignore_ascii_case(".nan") =>
        {
            Err(NotFinite)
        }
        Err(_) => Ok(None),
    }
}

/// Formats a number as Go does: with an exponent if it is very small or very large.
fn format_float(value: f64) -> String {
    let size = value.abs();
    match size == 0.0 || (1e-6..1e21).contains(&size) {
        true => value.to_string(),
        false => format!("{value:e}").replace('e', "e+").replace("+-", "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        let tree = Tree::parse(text).unwrap().unwrap();
        written(value(&tree, tree.root().value).unwrap())
    }

    /// The expected values are from kubectl 1.32.
    #[test]
    fn scalars_convert_as_in_go() {
        for (yaml, expected) in [
            ("yes", "true"),
            ("y", "true"),
            ("Off", "false"),
            ("0755", "493"),
            ("0o17", "15"),
            ("0x1f", "31"),
            ("1_000", "1000"),
            ("+1", "1"),
            ("-0x10", "-16"),
            ("1.0", "1"),
            ("0.5", "0.5"),
            (".5", "0.5"),
            ("1e3", "1000"),
            ("1e21", "1e+21"),
            ("1e-7", "1e-7"),
            ("123456789012345678901", "123456789012345680000"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("~", "null"),
            ("2001-01-01", "\"2001-01-01\""),
            ("1:30", "\"1:30\""),
            ("'yes'", "\"yes\""),
            (
                "\"\\x01\\b\\u2028\\u00e9<\"",
                "\"\\u0001\\b\\u2028é\\u003c\"",
            ),
        ] {
            assert_eq!(
                json(&format!("[{yaml}]")),
                format!("[{expected}]"),
                "{yaml}"
            );
        }
    }

    #[test]
    fn keys_become_sorted_strings() {
        assert_eq!(
            json("{b: 1, a: {}, 2: [], true: x, B: ''}"),
            "{\"2\":[],\"B\":\"\",\"a\":{},\"b\":1,\"true\":\"x\"}"
        );
    }

    #[test]
    fn values_that_json_cannot_represent() {
        for text in ["a: .inf", "a: .nan", "a: 1e999", "<<: {a: 1}"] {
            let tree = Tree::parse(text).unwrap().unwrap();
            assert!(value(&tree, tree.root().value).is_err(), "{text}");
        }
    }
}
