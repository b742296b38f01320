//! Loads plain values from a text, from yaml-rust2's events alone, without any code of the program.

use super::Value;
use std::collections::HashMap;
use yaml_rust2::parser::{Event, MarkedEventReceiver, Parser, Tag};
use yaml_rust2::scanner::{Marker, TScalarStyle};

/// Returns the values of a text's documents. An empty document is null. The name of a field is its
/// key as it is written, whatever its type.
pub fn documents(text: &str) -> Result<Vec<Value>, String> {
    read(text, Loader::default())
}

/// Like [`documents`], with field names from [`Value::into_key`].
#[allow(dead_code)]
pub fn documents_by_type(text: &str) -> Result<Vec<Value>, String> {
    let loader = Loader {
        typed_keys: true,
        ..Loader::default()
    };
    read(text, loader)
}

fn read(text: &str, mut loader: Loader) -> Result<Vec<Value>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let result = Parser::new_from_str(text).load(&mut loader, true);
    result.map_err(|error| error.to_string())?;
    match loader.error {
        Some(error) => Err(error),
        None => Ok(loader.documents),
    }
}

/// Returns the value of a text with a single document, or None if it has no content.
pub fn document(text: &str) -> Result<Option<Value>, String> {
    only(documents(text)?)
}

/// Like [`document`], with field names from [`Value::into_key`].
#[allow(dead_code)]
pub fn document_by_type(text: &str) -> Result<Option<Value>, String> {
    only(documents_by_type(text)?)
}

fn only(mut documents: Vec<Value>) -> Result<Option<Value>, String> {
    match documents.len() {
        0 | 1 => Ok(documents.pop()),
        many => Err(format!("{many} documents where one was expected")),
    }
}

#[derive(Default)]
struct Loader {
    documents: Vec<Value>,
    /// The open collections: whether it is a map, its anchor, and its children. The children of a
    /// map alternate between key and value.
    open: Vec<(bool, usize, Vec<Value>)>,
    anchors: HashMap<usize, Value>,
    error: Option<String>,
    typed_keys: bool,
}

impl Loader {
    fn add(&mut self, value: Value, anchor: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        match self.open.last_mut() {
            Some((_, _, children)) => children.push(value),
            None => self.documents.push(value),
        }
    }

    fn close(&mut self) {
        let Some((is_map, anchor, children)) = self.open.pop() else {
            return;
        };
        let value = match is_map {
            false => Value::List(children),
            true => self.map(children),
        };
        self.add(value, anchor);
    }

    fn map(&mut self, children: Vec<Value>) -> Value {
        let mut fields: Vec<(String, Value)> = Vec::new();
        let mut children = children.into_iter();
        while let (Some(key), Some(value)) = (children.next(), children.next()) {
            let key = match key {
                key if self.typed_keys => key.into_key(),
                Value::Scalar { text, .. } => text,
                Value::Null => "null".to_owned(),
                other => format!("{other:?}"),
            };
            if fields.iter().any(|(k, _)| *k == key) {
                self.error = Some(format!("duplicate key {key:?}"));
            }
            fields.push((key, value));
        }
        Value::Map(fields)
    }
}

impl MarkedEventReceiver for Loader {
    fn on_event(&mut self, event: Event, mark: Marker) {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.add(scalar(text, style, tag), anchor);
            }
            Event::SequenceStart(anchor, _) => self.open.push((false, anchor, Vec::new())),
            Event::MappingStart(anchor, _) => self.open.push((true, anchor, Vec::new())),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(value) => self.add(value.clone(), 0),
                None => self.error = Some(format!("an alias of nothing, line {}", mark.line())),
            },
            _ => {}
        }
    }
}

fn scalar(text: String, style: TScalarStyle, tag: Option<Tag>) -> Value {
    let tag = match tag {
        None if style == TScalarStyle::Plain => return plain(text),
        None => "str".to_owned(),
        Some(Tag { handle, suffix }) => match (handle.as_str(), suffix.as_str()) {
            ("tag:yaml.org,2002:" | "!!", "null") => return Value::Null,
            ("tag:yaml.org,2002:" | "!!", core) => core.to_owned(),
            ("!" | "", "" | "!") => "str".to_owned(),
            (handle, suffix) => format!("{handle}{suffix}"),
        },
    };
    Value::Scalar { tag, text }
}

/// Returns the value of a plain scalar in YAML 1.1 or 1.2.
pub fn plain(text: String) -> Value {
    let Some(tag) = plain_type(&text) else {
        return Value::Null;
    };
    let tag = tag.to_owned();
    Value::Scalar { tag, text }
}

/// Returns the type of a plain scalar, or None for null.
pub fn plain_type(text: &str) -> Option<&'static str> {
    const BOOLEANS: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "y", "n"];
    let as_written = |word: &str| {
        let mut title = word.to_owned();
        title[..1].make_ascii_uppercase();
        text == word || text == word.to_uppercase() || text == title
    };
    if text.is_empty() || text == "~" || as_written("null") {
        return None;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        let rest = digits.strip_prefix(prefix).unwrap_or("");
        !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix))
    };
    Some(if BOOLEANS.into_iter().any(as_written) {
        "bool"
    } else if text == "<<" {
        "merge"
    } else if unsigned.starts_with(|c: char| c.is_ascii_digit())
        && (digits.bytes().all(|b| b.is_ascii_digit())
            || radix("0x", 16)
            || radix("0o", 8)
            || radix("0b", 2))
    {
        "int"
    } else if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && !digits.contains(|c: char| !c.is_ascii_digit() && !"eE.+-".contains(c))
        && digits.parse::<f64>().is_ok()
        || [".inf", ".Inf", ".INF"].contains(&digits.as_str())
        || [".nan", ".NaN", ".NAN"].contains(&text)
    {
        "float"
    } else if is_date(text) {
        "timestamp"
    } else {
        "str"
    })
}

fn is_date(text: &str) -> bool {
    let shape: String = text.chars().take(10).collect();
    let shape = shape.replace(|c: char| c.is_ascii_digit(), "0");
    shape == "0000-00-00"
        && text[10..]
            .chars()
            .all(|c| c.is_ascii_digit() || "Tt:.Zz +-".contains(c))
}

#[test]
fn plain_scalars_have_the_types_of_both_versions() {
    let of = |text| plain_type(text).unwrap_or("null");
    for (text, expected) in [
        ("", "null"),
        ("Null", "null"),
        ("nULL", "str"),
        ("on", "bool"),
        ("NO", "bool"),
        ("8080", "int"),
        ("-1", "int"),
        ("0x1F", "int"),
        ("1_000", "int"),
        ("1.5", "float"),
        ("1e3", "float"),
        ("-.inf", "float"),
        ("2020-01-01", "timestamp"),
        ("2020-01-01T10:00:00Z", "timestamp"),
        ("<<", "merge"),
        ("1.2.3", "str"),
        ("_.2", "str"),
        ("nan", "str"),
        ("inf", "str"),
        ("-", "str"),
        ("v1", "str"),
    ] {
        assert_eq!(of(text), expected, "{text:?}");
    }
}

#[test]
fn aliases_stand_for_their_anchor() {
    let text = "a: &x {b: 1}\nc: *x\nd: &x 2\ne: *x\n";
    let value = document(text).unwrap();
    assert_eq!(
        value,
        document("{a: {b: 1}, c: {b: 1}, d: 2, e: 2}").unwrap()
    );
}

#[test]
fn a_key_that_occurs_twice_is_an_error() {
    assert!(document("a: 1\na: 2\n").is_err());
}
