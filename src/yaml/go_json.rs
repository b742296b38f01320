//! A node as Go's JSON encoder writes what Kubernetes' tools read it as: compact, keys sorted, `<`,
//! `>` and `&` escaped.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tree::{EntryId, NodeId, NodeKind, ScalarStyle, ScalarType, Tree};

/// A JSON value. Scalars are what they will be printed as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// A number, a text in its quotes, `true`, `false` or `null`.
    Scalar(String),
    /// A list.
    List(Vec<Json>),
    /// A map.
    Map(BTreeMap<String, Json>),
}

/// What cannot be JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoJson {
    /// The node.
    pub node: NodeId,
    /// Why.
    pub message: &'static str,
}

impl Json {
    /// Reads a node, as a YAML 1.1 reader in Go does.
    ///
    /// # Errors
    /// Where it holds what has no form in JSON, or a merge key.
    ///
    /// ```
    /// use merge3::yaml::{Tree, go_json::Json};
    ///
    /// let tree = Tree::parse("b: [1, 0x10, 1e3, on, '<a>']\na: ~\n").unwrap().unwrap();
    /// let json = Json::of(&tree, tree.root().value).unwrap();
    /// assert_eq!(json.to_string(), r#"{"a":null,"b":[1,16,1000,true,"\u003ca\u003e"]}"#);
    /// ```
    pub fn of(tree: &Tree<'_>, node: NodeId) -> Result<Self, NoJson> {
        let node = tree.resolve(node);
        match &tree.node(node).kind {
            NodeKind::Sequence(_) => tree
                .entries(node)
                .map(|entry| Self::of(tree, tree.entry(entry).value))
                .collect::<Result<_, _>>()
                .map(Self::List),
            NodeKind::Mapping(_) => tree
                .entries(node)
                .map(|entry| Ok((key(tree, entry)?, Self::of(tree, tree.entry(entry).value)?)))
                .collect::<Result<_, _>>()
                .map(Self::Map),
            NodeKind::Scalar(_) | NodeKind::Alias(_) => scalar(tree, node).map(Self::Scalar),
        }
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Self::Scalar(quoted(text))
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Scalar(text) if text == "null")
    }

    /// A field of a map.
    pub fn field_mut(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Map(fields) => fields.get_mut(name),
            Self::List(_) | Self::Scalar(_) => None,
        }
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scalar(text) => formatter.write_str(text),
            Self::List(elements) => {
                formatter.write_char('[')?;
                for (index, element) in elements.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    write!(formatter, "{comma}{element}")?;
                }
                formatter.write_char(']')
            }
            Self::Map(fields) => {
                formatter.write_char('{')?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    write!(formatter, "{comma}{}:{value}", quoted(name))?;
                }
                formatter.write_char('}')
            }
        }
    }
}

/// A field's key, which is a text in JSON whatever it is in YAML.
fn key(tree: &Tree<'_>, entry: EntryId) -> Result<String, NoJson> {
    let Some(key) = tree.entry(entry).key else {
        return Ok(String::new());
    };
    let no_json = |message| NoJson { node: key, message };
    let Some(found) = tree.scalar(key) else {
        return Err(no_json("a key has to be a text"));
    };
    match found.scalar_type {
        ScalarType::Merge => Err(no_json("a merge key is no field of a resource")),
        scalar_type => Ok(key_in_json(scalar_type, found.content).into_owned()),
    }
}

/// The text that Kubernetes' tools make of a key of this type.
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
    let number = match scalar_type {
        ScalarType::Bool => return is_true(content).to_string().into(),
        ScalarType::Int => integer(content),
        ScalarType::Float => short_float(content),
        _ => Number::None,
    };
    match number {
        Number::Is(text) => text.into(),
        Number::None | Number::Infinite => content.into(),
    }
}

/// A number as a key: in the fewest digits that single precision needs, six before the point at
/// most.
fn short_float(content: &str) -> Number {
    let Ok(value) = content.replace('_', "").parse::<f32>() else {
        return Number::None;
    };
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return Number::Infinite;
    };
    Number::Is(match exponent.parse::<i32>() {
        Ok(-4..=5) | Err(_) => value.to_string(),
        Ok(exponent) => format!("{digits}e{exponent:+03}"),
    })
}

fn scalar(tree: &Tree<'_>, node: NodeId) -> Result<String, NoJson> {
    let NodeKind::Scalar(scalar) = &tree.node(node).kind else {
        return Ok("null".to_owned());
    };
    let content = scalar.content;
    let number = match scalar.scalar_type {
        ScalarType::Null => return Ok("null".to_owned()),
        ScalarType::Bool => return Ok(is_true(content).to_string()),
        ScalarType::Int if scalar.style == ScalarStyle::Plain => integer(content),
        ScalarType::Float if scalar.style == ScalarStyle::Plain => float(content),
        _ => return Ok(quoted(content)),
    };
    match number {
        Number::Is(text) => Ok(text),
        Number::None => Ok(quoted(content)),
        Number::Infinite => Err(NoJson {
            node,
            message: "this number has no form in JSON",
        }),
    }
}

/// The digits of an integer in JSON, in decimal notation; `None` if it is none to Go.
///
/// ```
/// use merge3::yaml::go_json::decimal;
///
/// assert_eq!(decimal("0644").as_deref(), Some("420"));
/// assert_eq!(decimal("-0x1F").as_deref(), Some("-31"));
/// assert_eq!(decimal("1:30"), None);
/// ```
pub fn decimal(content: &str) -> Option<String> {
    match integer(content) {
        Number::Is(text) => Some(text),
        Number::None | Number::Infinite => None,
    }
}

/// Whether a boolean of YAML 1.1 is true.
pub(crate) fn is_true(content: &str) -> bool {
    matches!(content.as_bytes(), [b't' | b'T' | b'y' | b'Y', ..])
        || content.eq_ignore_ascii_case("on")
}

enum Number {
    Is(String),
    /// It is text to Go.
    None,
    Infinite,
}

fn integer(content: &str) -> Number {
    let plain = content.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let based = |prefix: &str, base| {
        let digits = digits.strip_prefix(prefix)?;
        u64::from_str_radix(digits, base).ok()
    };
    let value = based("0x", 16)
        .or_else(|| based("0X", 16))
        .or_else(|| based("0b", 2))
        .or_else(|| based("0B", 2))
        .or_else(|| based("0o", 8))
        .or_else(|| based("0O", 8))
        .or_else(|| based("0", 8));
    if let Some(value) = value {
        return Number::Is(format!("{sign}{value}"));
    }
    match (digits.parse::<u64>(), sign) {
        (Ok(value), "-") if value <= 1 << 63 => Number::Is(format!("-{value}")),
        (Ok(value), "") => Number::Is(value.to_string()),
        _ => float(&plain),
    }
}

fn float(content: &str) -> Number {
    let plain = content.replace('_', "");
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() => Number::Is(printed(value)),
        Ok(_) => Number::Infinite,
        Err(_)
            if plain.to_ascii_lowercase().contains(".inf")
                || plain.eq_ignore_ascii_case(".nan") =>
        {
            Number::Infinite
        }
        Err(_) => Number::None,
    }
}

/// A number as Go prints it: with an exponent where it is very small or very large.
fn printed(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{value:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                format!("{digits}e+{exponent}")
            }
            _ => text,
        };
    }
    format!("{value}")
}

/// A text as Go's JSON encoder quotes it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                // writing to a String cannot fail
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        let tree = Tree::parse(text).unwrap().unwrap();
        Json::of(&tree, tree.root().value).unwrap().to_string()
    }

    /// What kubectl 1.32 made of the same scalars.
    #[test]
    fn scalars_are_what_go_takes_them_for() {
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
    fn keys_are_texts_in_their_order() {
        assert_eq!(
            json("{b: 1, a: {}, 2: [], true: x, B: ''}"),
            "{\"2\":[],\"B\":\"\",\"a\":{},\"b\":1,\"true\":\"x\"}"
        );
    }

    #[test]
    fn what_has_no_form_in_json() {
        for text in ["a: .inf", "a: .nan", "a: 1e999", "<<: {a: 1}"] {
            let tree = Tree::parse(text).unwrap().unwrap();
            assert!(Json::of(&tree, tree.root().value).is_err(), "{text}");
        }
    }
}
