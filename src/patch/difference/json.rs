//! Makes the JSON patch that turns one document into another.

use serde_json::{Value, json};

use crate::merge::{FieldIndex, Shape, key_of, shape};
use crate::patch::json::pointer::{escape, field_name};
use crate::yaml::go_json::{is_true, number};
use crate::yaml::{EntryId, NodeId, ParseError, Scalar, ScalarType, Tree, equal};

/// Returns the JSON patch (RFC 6902) that turns `old` into `new`, with one operation on each line,
/// or `None` if both have the same values.
///
/// Numbers and booleans are read as Kubernetes' tools read them: `0644` is 420, and `yes` is true.
///
/// # Errors
/// Returns an error at a value of `new` that JSON cannot represent.
///
/// ```
/// use merge3::patch::json_difference;
/// use merge3::yaml::Tree;
///
/// let old = Tree::parse("a: [1, 2, 3]\nb/c: x\n").unwrap().unwrap();
/// let new = Tree::parse("a: [1, 3]\nd: {e: no}\n").unwrap().unwrap();
/// assert_eq!(
///     json_difference(&old, &new).unwrap().unwrap(),
///     "[\n  {\"op\":\"remove\",\"path\":\"/a/1\"},\n  {\"op\":\"remove\",\"path\":\"/b~1c\"},\n  \
///      {\"op\":\"add\",\"path\":\"/d\",\"value\":{\"e\":false}}\n]\n"
/// );
/// ```
pub fn json_difference(old: &Tree<'_>, new: &Tree<'_>) -> Result<Option<String>, ParseError> {
    let mut differ = JsonDiffer {
        old,
        new,
        is_json: new.is_resource(),
        operations: Vec::new(),
    };
    differ.value(old.root().value, new.root().value, "")?;
    let lines: Vec<String> = differ.operations.iter().map(Value::to_string).collect();
    Ok((!lines.is_empty()).then(|| format!("[\n  {}\n]\n", lines.join(",\n  "))))
}

/// Compares two documents and collects the operations.
struct JsonDiffer<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    /// Whether keys are compared as JSON keys.
    is_json: bool,
    operations: Vec<Value>,
}

impl JsonDiffer<'_> {
    /// Adds the operations for a value that both documents have at `path`.
    fn value(&mut self, old: NodeId, new: NodeId, path: &str) -> Result<(), ParseError> {
        if equal(self.old, old, self.new, new) {
            return Ok(());
        }
        match (shape(self.old, old), shape(self.new, new)) {
            (Shape::Map, Shape::Map) => self.fields(old, new, path),
            (Shape::List, Shape::List) => self.elements(old, new, path),
            _ => self.push("replace", path.to_owned(), Some(new)),
        }
    }

    /// Adds an operation.
    fn push(
        &mut self,
        op: &'static str,
        path: String,
        value: Option<NodeId>,
    ) -> Result<(), ParseError> {
        let mut operation = json!({"op": op, "path": path});
        if let Some(value) = value {
            operation["value"] = in_json(self.new, value, self.is_json)?;
        }
        self.operations.push(operation);
        Ok(())
    }

    /// Adds the operations for two maps.
    fn fields(&mut self, old: NodeId, new: NodeId, path: &str) -> Result<(), ParseError> {
        let (old_tree, new_tree) = (self.old, self.new);
        let (old, new) = (old_tree.resolve(old), new_tree.resolve(new));
        let (old_index, new_index) = (FieldIndex::of(old_tree, old), FieldIndex::of(new_tree, new));
        for entry in old_tree.entries(old) {
            let Some(field_path) = self.field_path(path, old_tree, entry) else {
                continue;
            };
            match key_of(old_tree, entry).and_then(|key| new_index.find(key)) {
                Some(other) => self.value(
                    old_tree.entry(entry).value,
                    new_tree.entry(other).value,
                    &field_path,
                )?,
                None => self.push("remove", field_path, None)?,
            }
        }
        for entry in new_tree.entries(new) {
            let is_new = key_of(new_tree, entry).is_some_and(|key| old_index.find(key).is_none());
            if let Some(field_path) = self.field_path(path, new_tree, entry).filter(|_| is_new) {
                self.push("add", field_path, Some(new_tree.entry(entry).value))?;
            }
        }
        Ok(())
    }

    /// Returns the pointer to a field.
    fn field_path(&self, path: &str, tree: &Tree<'_>, field: EntryId) -> Option<String> {
        let name = field_name(tree, self.is_json, field)?;
        Some(format!("{path}/{}", escape(&name)))
    }

    /// Compares two lists. Equal elements at both ends stay. Between them, elements at the same
    /// position are compared, and the rest of the longer list is removed or added.
    fn elements(&mut self, old: NodeId, new: NodeId, path: &str) -> Result<(), ParseError> {
        let old_values: Vec<NodeId> = self.old.values(old).collect();
        let new_values: Vec<NodeId> = self.new.values(new).collect();
        let same = |(left, right): (&NodeId, &NodeId)| equal(self.old, *left, self.new, *right);
        let heads = old_values.iter().zip(&new_values);
        let head = heads.take_while(|pair| same(*pair)).count();
        let shorter = old_values.len().min(new_values.len()) - head;
        let tails = old_values.iter().rev().zip(new_values.iter().rev());
        let tail = tails.take(shorter).take_while(|pair| same(*pair)).count();
        let (old_end, new_end) = (old_values.len() - tail, new_values.len() - tail);
        let both = old_end.min(new_end);
        for index in head..both {
            let path = format!("{path}/{index}");
            self.value(old_values[index], new_values[index], &path)?;
        }
        for index in (both..old_end).rev() {
            self.push("remove", format!("{path}/{index}"), None)?;
        }
        for (index, value) in new_values.iter().enumerate().take(new_end).skip(both) {
            self.push("add", format!("{path}/{index}"), Some(*value))?;
        }
        Ok(())
    }
}

/// Returns a value as JSON.
fn in_json(tree: &Tree<'_>, node: NodeId, is_json: bool) -> Result<Value, ParseError> {
    let node = tree.resolve(node);
    if let Some(scalar) = tree.scalar(node) {
        return json_scalar(tree, node, scalar);
    }
    if shape(tree, node) == Shape::List {
        let elements = tree.values(node);
        return elements.map(|it| in_json(tree, it, is_json)).collect();
    }
    let fields = tree.entries(node).filter_map(|entry| {
        let name = field_name(tree, is_json, entry)?.into_owned();
        let value = in_json(tree, tree.entry(entry).value, is_json);
        Some(value.map(|value| (name, value)))
    });
    Ok(Value::Object(fields.collect::<Result<_, _>>()?))
}

fn json_scalar(tree: &Tree<'_>, node: NodeId, scalar: Scalar<'_>) -> Result<Value, ParseError> {
    let text = || Value::from(scalar.content);
    let error = |message: &str| {
        let help = "compare with --format strategic, merge or unified";
        Err(tree.error_at(node, message).with_help(help))
    };
    match scalar.scalar_type {
        ScalarType::Null => Ok(Value::Null),
        ScalarType::Bool => Ok(Value::Bool(is_true(scalar.content))),
        ScalarType::Int => Ok(number(scalar).map_or_else(text, Value::Number)),
        ScalarType::Float => match number(scalar) {
            Some(number) => Ok(Value::Number(number)),
            None => error("this number has no form in JSON"),
        },
        ScalarType::Custom => error("this has a tag, which JSON cannot say"),
        ScalarType::Timestamp | ScalarType::Merge | ScalarType::Str => Ok(text()),
    }
}
