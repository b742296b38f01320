//! Edits as people make them: one change to a random child of a random collection.

use super::values;
use crate::value::{Value, load};
use proptest::prelude::*;

/// One change at one place.
#[derive(Debug, Clone)]
pub struct Edit {
    collection: u16,
    child: u16,
    to: u16,
    change: Change,
}

#[derive(Debug, Clone)]
enum Change {
    Set(Value),
    Delete,
    Add(String, Value),
    Retype,
    Null,
    Empty,
    Move,
    Duplicate,
    /// A copy of the element, changed into another one.
    Copy(Value),
    WrapInMap(String),
    WrapInList,
    Rename(String),
}

/// Any edit.
pub fn edit() -> impl Strategy<Value = Edit> {
    use Change::*;
    let change = prop_oneof![
        6 => values::scalar().prop_map(Set),
        2 => values::small().prop_map(Set),
        5 => Just(Delete),
        6 => (values::key(), values::small()).prop_map(|(key, value)| Add(key, value)),
        1 => Just(Retype),
        2 => Just(Null),
        2 => Just(Empty),
        4 => Just(Move),
        1 => Just(Duplicate),
        2 => values::text().prop_map(Copy),
        1 => values::key().prop_map(WrapInMap),
        1 => Just(WrapInList),
        2 => values::key().prop_map(Rename),
    ];
    (any::<[u16; 3]>(), change).prop_map(|([collection, child, to], change)| Edit {
        collection,
        child,
        to,
        change,
    })
}

impl Edit {
    /// Applies the change, if the value has a place for it.
    pub fn apply(&self, root: &mut Value) {
        let count = collections(root);
        if count > 0 {
            let mut nth = self.collection as usize % count;
            visit(root, &mut nth, &mut |collection| self.change(collection));
        }
    }

    fn change(&self, collection: &mut Value) {
        match collection {
            Value::Map(fields) => self.change_map(fields),
            Value::List(list) => self.change_list(list),
            _ => {}
        }
    }

    fn change_map(&self, fields: &mut Vec<(String, Value)>) {
        let len = fields.len();
        let (child, to) = (at(self.child, len), self.to as usize % (len + 1));
        let free = |key: &String| fields.iter().all(|(k, _)| k != key);
        match (&self.change, child) {
            (Change::Add(key, value), _) if free(key) => {
                fields.insert(to, (key.clone(), value.clone()))
            }
            (Change::Rename(key), Some(child)) if free(key) => fields[child].0.clone_from(key),
            (Change::Delete, Some(child)) => drop(fields.remove(child)),
            (Change::Move, Some(child)) => {
                let field = fields.remove(child);
                fields.insert(to.min(len - 1), field);
            }
            (change, Some(child)) => change.value(&mut fields[child].1),
            _ => {}
        }
    }

    fn change_list(&self, list: &mut Vec<Value>) {
        let len = list.len();
        let (child, to) = (at(self.child, len), self.to as usize % (len + 1));
        match (&self.change, child) {
            (Change::Add(_, value), _) => {
                // the new element resembles its neighbours if they are maps
                let model = child.map(|child| list[child].clone());
                let element = match (model, value) {
                    (Some(Value::Map(fields)), Value::Scalar { .. }) if !fields.is_empty() => {
                        Value::Map(vec![(fields[0].0.clone(), value.clone())])
                    }
                    _ => value.clone(),
                };
                list.insert(to, element);
            }
            (Change::Delete, Some(child)) => drop(list.remove(child)),
            (Change::Move, Some(child)) => {
                let element = list.remove(child);
                list.insert(to.min(len - 1), element);
            }
            (Change::Duplicate, Some(child)) => list.insert(to, list[child].clone()),
            (Change::Copy(name), Some(child)) => {
                let mut copy = list[child].clone();
                match &mut copy {
                    Value::Map(fields) if !fields.is_empty() => fields[0].1 = name.clone(),
                    other => *other = name.clone(),
                }
                list.insert(to, copy);
            }
            (change, Some(child)) => change.value(&mut list[child]),
            _ => {}
        }
    }
}

impl Change {
    fn value(&self, value: &mut Value) {
        match self {
            Self::Set(new) => value.clone_from(new),
            Self::Null => *value = Value::Null,
            Self::Empty => *value = value.emptied(),
            Self::Retype => {
                let retyped = match &*value {
                    Value::Scalar { tag, text } if tag == "str" && !text.contains(['\n', ' ']) => {
                        load::plain(text.clone())
                    }
                    Value::Scalar { text, .. } => Value::text(text),
                    other => other.clone(),
                };
                *value = retyped;
            }
            Self::WrapInMap(key) => *value = Value::Map(vec![(key.clone(), value.clone())]),
            Self::WrapInList => *value = Value::List(vec![value.clone()]),
            _ => {}
        }
    }
}

fn at(index: u16, len: usize) -> Option<usize> {
    (len > 0).then(|| index as usize % len)
}

/// Counts the maps and lists in a value.
fn collections(value: &Value) -> usize {
    match value {
        Value::Map(fields) => {
            1 + fields
                .iter()
                .map(|(_, value)| collections(value))
                .sum::<usize>()
        }
        Value::List(list) => 1 + list.iter().map(collections).sum::<usize>(),
        _ => 0,
    }
}

/// Calls `change` with the nth map or list.
fn visit(value: &mut Value, nth: &mut usize, change: &mut dyn FnMut(&mut Value)) -> bool {
    if !matches!(value, Value::Map(_) | Value::List(_)) {
        return false;
    }
    if *nth == 0 {
        change(value);
        return true;
    }
    *nth -= 1;
    match value {
        Value::Map(fields) => fields
            .iter_mut()
            .any(|(_, value)| visit(value, nth, change)),
        Value::List(list) => list.iter_mut().any(|value| visit(value, nth, change)),
        _ => false,
    }
}
