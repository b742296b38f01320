//! The JSON patch that turns one document into another.

use serde::Serialize;
use serde_json::Value;

use crate::merge::{Shape, key_of, shape};
use crate::yaml::{NodeId, Scalar, ScalarType, Tree, equal};

/// One operation, as it is written.
#[derive(Debug, Serialize)]
struct Operation {
    op: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// The JSON patch (RFC 6902) that makes `new` of `old`, an operation on each line; none where they have the same values.
///
/// ```
/// use merge3::patch::json_difference;
/// use merge3::yaml::Tree;
///
/// let old = Tree::parse("a: [1, 2, 3]\nb/c: x\n").unwrap().unwrap();
/// let new = Tree::parse("a: [1, 3]\nd: {e: no}\n").unwrap().unwrap();
/// assert_eq!(
///     json_difference(&old, &new).unwrap(),
///     "[\n  {\"op\":\"remove\",\"path\":\"/a/1\"},\n  {\"op\":\"remove\",\"path\":\"/b~1c\"},\n  \
///      {\"op\":\"add\",\"path\":\"/d\",\"value\":{\"e\":false}}\n]\n"
/// );
/// ```
pub fn json_difference(old: &Tree<'_>, new: &Tree<'_>) -> Option<String> {
    let mut differ = Differ {
        old,
        new,
        operations: Vec::new(),
    };
    differ.value(old.root().value, new.root().value, "");
    let lines: Vec<String> = differ
        .operations
        .iter()
        .filter_map(|operation| serde_json::to_string(operation).ok())
        .collect();
    (!lines.is_empty()).then(|| format!("[\n  {}\n]\n", lines.join(",\n  ")))
}

struct Differ<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    operations: Vec<Operation>,
}

impl Differ<'_> {
    fn value(&mut self, old: NodeId, new: NodeId, path: &str) {
        if equal(self.old, old, self.new, new) {
            return;
        }
        match (shape(self.old, old), shape(self.new, new)) {
            (Shape::Map, Shape::Map) => self.fields(old, new, path),
            (Shape::List, Shape::List) => self.elements(old, new, path),
            _ => self.push("replace", path.to_owned(), Some(new)),
        }
    }

    fn push(&mut self, op: &'static str, path: String, value: Option<NodeId>) {
        let value = value.map(|value| json(self.new, value));
        self.operations.push(Operation { op, path, value });
    }

    fn fields(&mut self, old: NodeId, new: NodeId, path: &str) {
        let (old_tree, new_tree) = (self.old, self.new);
        let (old, new) = (old_tree.resolve(old), new_tree.resolve(new));
        let find = |tree: &Tree<'_>, map: NodeId, name: &str| {
            let mut entries = tree.entries(map);
            entries.find(|entry| key_of(tree, *entry).is_some_and(|key| key.1 == name))
        };
        for entry in old_tree.entries(old) {
            let Some((_, name)) = key_of(old_tree, entry) else {
                continue;
            };
            let below = format!("{path}/{}", escaped(name));
            match find(new_tree, new, name) {
                Some(other) => {
                    self.value(
                        old_tree.entry(entry).value,
                        new_tree.entry(other).value,
                        &below,
                    );
                }
                None => self.push("remove", below, None),
            }
        }
        for entry in new_tree.entries(new) {
            if let Some((_, name)) = key_of(new_tree, entry)
                && find(old_tree, old, name).is_none()
            {
                let below = format!("{path}/{}", escaped(name));
                self.push("add", below, Some(new_tree.entry(entry).value));
            }
        }
    }

    /// What is the same at both ends stays; between, elements at one position change, and the rest goes or comes.
    fn elements(&mut self, old: NodeId, new: NodeId, path: &str) {
        let values = |tree: &Tree<'_>, list: NodeId| -> Vec<NodeId> {
            let entries = tree.entries(tree.resolve(list));
            entries.map(|entry| tree.entry(entry).value).collect()
        };
        let (olds, news) = (values(self.old, old), values(self.new, new));
        let same = |(left, right): (&NodeId, &NodeId)| equal(self.old, *left, self.new, *right);
        let head = olds
            .iter()
            .zip(&news)
            .take_while(|pair| same(*pair))
            .count();
        let shorter = olds.len().min(news.len()) - head;
        let tails = olds.iter().rev().zip(news.iter().rev());
        let tail = tails.take(shorter).take_while(|pair| same(*pair)).count();
        let (old_end, new_end) = (olds.len() - tail, news.len() - tail);
        let both = old_end.min(new_end);
        for index in head..both {
            self.value(olds[index], news[index], &format!("{path}/{index}"));
        }
        for index in (both..old_end).rev() {
            self.push("remove", format!("{path}/{index}"), None);
        }
        for (index, value) in news.iter().enumerate().take(new_end).skip(both) {
            self.push("add", format!("{path}/{index}"), Some(*value));
        }
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A value as JSON.
fn json(tree: &Tree<'_>, node: NodeId) -> Value {
    let node = tree.resolve(node);
    if let Some(scalar) = tree.scalar(node) {
        return json_scalar(scalar);
    }
    let entries = tree.entries(node);
    if shape(tree, node) == Shape::List {
        return entries
            .map(|entry| json(tree, tree.entry(entry).value))
            .collect();
    }
    let fields = entries.filter_map(|entry| {
        let (_, name) = key_of(tree, entry)?;
        Some((name.to_owned(), json(tree, tree.entry(entry).value)))
    });
    Value::Object(fields.collect())
}

fn json_scalar(scalar: &Scalar<'_>) -> Value {
    let content = scalar.content.as_ref();
    let text = || Value::String(content.to_owned());
    match scalar.scalar_type {
        ScalarType::Null => Value::Null,
        ScalarType::Bool => {
            let word = content.to_ascii_lowercase();
            Value::Bool(matches!(word.as_str(), "true" | "yes" | "on" | "y"))
        }
        ScalarType::Int => integer(content).map_or_else(text, Value::from),
        ScalarType::Float => match content.replace('_', "").parse::<f64>() {
            Ok(number) => Value::from(number),
            Err(_) => text(),
        },
        ScalarType::Timestamp | ScalarType::Merge | ScalarType::Str | ScalarType::Custom => text(),
    }
}

fn integer(content: &str) -> Option<i64> {
    let plain = content.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let radix = [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, radix)));
    let (digits, radix) = radix.unwrap_or((digits, 10));
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}
