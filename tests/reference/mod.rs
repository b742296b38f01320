//! A three-way merge of plain values, written from the rules (Equality, Fields, Lists). The law
//! tests compare the merge of the program with it (law 6). It works on values without text and
//! shares no code with `src/merge`. [`merge`] takes the three values and returns an [`Outcome`].

mod keys;
mod likeness;
mod parts;
mod renames;
mod sequence;
mod settled;
mod sorted;

pub use keys::changes_key;
use renames::{Renames, renames};

use crate::value::{Value, distinct};
use merge3::triple::Triple;

/// The fields that may identify the elements of a list (rules: Lists). The pairs are tried after
/// the keys that the caller gives.
pub const KEYS: &str = "mountPath devicePath ip type topologyKey name containerPort";
const PAIRS: &str =
    "containerPort+protocol port+protocol mountPath+subPath name+namespace name+kind";

/// How lists merge that are not associative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    Replace,
    Set,
    Merge,
}

/// The settings of a merge. In a resource, a null that a side adds deletes the field (rules:
/// Nulls).
#[derive(Debug, Clone)]
pub struct Settings {
    pub null_deletes: bool,
    pub lists: Lists,
    /// Whether a text of several lines is replaced as one value.
    pub texts_replace: bool,
    pub local_wins: bool,
    pub keys: Vec<String>,
}

/// The result of a merge: the value, the paths of the conflicts, and whether the rules allow more
/// than one answer (an element repeats, or elements moved).
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub value: Option<Value>,
    pub conflicts: Vec<String>,
    pub ambiguous: bool,
    /// Whether an element of a list without a key repeats, which makes the outcome ambiguous.
    pub repeats: bool,
}

type Sides<'v> = Triple<Option<&'v Value>>;

/// Merges three values, each of which may be absent.
pub fn merge(sides: Sides<'_>, settings: &Settings) -> Outcome {
    merge_at("", sides, settings)
}

/// Merges the values at a path. The path of a document is empty.
pub fn merge_at(path: &str, sides: Sides<'_>, settings: &Settings) -> Outcome {
    let outcome = Outcome::default();
    let mut merger = Merger { settings, outcome };
    merger.outcome.value = merger.node(path, sides);
    merger.outcome
}

struct Merger<'s> {
    settings: &'s Settings,
    outcome: Outcome,
}

impl<'s> Merger<'s> {
    /// Records a conflict unless the sides agree, and returns the value of the side that wins.
    fn settle<T>(&mut self, at: &str, agree: bool, updated: T, local: T) -> T {
        if !agree {
            self.outcome.conflicts.push(at.to_owned());
        }
        let keep = !agree && self.settings.local_wins;
        if keep { local } else { updated }
    }

    /// Whether a side's null deletes the field: nulls are deletions here, and the original has no
    /// null (rules: Nulls).
    fn is_deletion(&self, side: Option<&Value>, original: Option<&Value>) -> bool {
        self.settings.null_deletes && side == Some(&Value::Null) && original != side
    }

    /// Merges a field, an element or the root of a document (rules: Fields).
    fn node(&mut self, at: &str, sides: Sides<'_>) -> Option<Value> {
        let (original, updated, local) = (sides.original, sides.updated, sides.local);
        let is_field = !at.is_empty();
        match (original, updated, local) {
            _ if updated == original || updated == local => local.cloned(),
            // Local's null stays, whichever side wins.
            _ if is_field && self.is_deletion(local, original) => {
                self.settle(at, false, local, local).cloned()
            }
            _ if is_field && self.is_deletion(updated, original) => {
                let agree = local.is_none() || local == original;
                self.settle(at, agree, None, local.cloned())
            }
            (Some(before), None, Some(local_value))
                if *local_value == before.emptied() && before != local_value =>
            {
                let map = matches!(local_value, Value::Map(_)).then(|| local_value.clone()); // a map stays
                self.settle(at, false, map, local.cloned())
            }
            (Some(before), None, Some(_)) => {
                let (empty, known) = (before.emptied(), self.outcome.conflicts.len());
                let both = sides.map(|side| side.or(Some(&empty)));
                let Some(merged) = self.inside(at, both, false) else {
                    return self.settle(at, local == original, None, local.cloned());
                };
                let local_value = Some(merged).filter(|merged| *merged != empty);
                let is_settled = local_value.is_none() || self.outcome.conflicts.len() > known;
                self.settle(at, is_settled, local_value.clone(), local_value)
            }
            (Some(before), Some(_), None) => {
                let upstream_changes = self.upstream_changes(at, before, sides);
                self.settle(at, upstream_changes.is_none(), upstream_changes, None)
            }
            (None, Some(now), None) => Some(now.clone()),
            (_, Some(now), Some(local_value)) => {
                let merged = self.inside(at, sides, matches!(original, Some(Value::List(_))));
                merged.or_else(|| self.parts(at, sides)).or_else(|| {
                    Some(self.settle(at, local == original, now.clone(), local_value.clone()))
                })
            }
            _ => None, // neither side has it
        }
    }

    /// Returns the merged value of an entry, and records a conflict if one side renamed the entry
    /// and the other one deleted it (rules: Renamed keys).
    fn renamed<K: PartialEq>(
        &mut self,
        at: &str,
        renames: &Renames<K>,
        name: &K,
        merged: Option<Value>,
    ) -> Option<Value> {
        if renames.deleted_locally.contains(name) {
            return self.settle(at, false, merged, None);
        }
        let agree = !renames.deleted_upstream.contains(name);
        self.settle(at, agree, merged.clone(), merged)
    }

    /// Returns what upstream changed in a value that local deleted (rules: Maps, Lists). Conflicts
    /// below it are not counted.
    fn upstream_changes(&mut self, at: &str, original: &Value, sides: Sides<'_>) -> Option<Value> {
        let (mut settings, outcome) = (self.settings.clone(), Outcome::default());
        settings.local_wins = false;
        let (settings, empty) = (&settings, original.emptied());
        let both = sides.map(|side| side.or(Some(&empty)));
        match (Merger { settings, outcome }).inside(at, both, false) {
            Some(merged) => Some(merged).filter(|merged| *merged != merged.emptied()),
            None => sides.updated.cloned(),
        }
    }

    /// Merges two maps, two associative lists, or two other lists as `--lists` says. Returns None
    /// if the two sides are merged as single values.
    fn inside(&mut self, at: &str, sides: Sides<'_>, by_element: bool) -> Option<Value> {
        match (sides.updated?, sides.local?) {
            (Value::Map(_), Value::Map(_)) => {
                let (maps, renames) = with_new_keys(sides);
                let sides = maps.as_ref().map(Option::as_ref);
                let (updated, local) = (sides.updated?, sides.local?);
                let added = updated.keys().filter(|key| local.field(key).is_none());
                let fields = local.keys().chain(added).filter_map(|key| {
                    let (fields, path) =
                        (sides.map(|side| side?.field(key)), format!("{at}.{key}"));
                    let merged = self.node(&path, fields);
                    Some((key.clone(), self.renamed(&path, &renames, key, merged)?))
                });
                Some(Value::Map(fields.collect()))
            }
            (Value::List(_), Value::List(_)) => {
                let lists = sides.map(|side| side.map_or(&[][..], Value::elements));
                let is_set = |l: &[Value]| distinct(l) && l.iter().all(|e| id(&[], e).is_some());
                let by = match (self.identity(lists), self.settings.lists) {
                    (Some(by), _) => by,
                    (_, Lists::Set) if lists.into_array().into_iter().all(is_set) => Vec::new(),
                    (_, Lists::Merge) if by_element => return self.sequence(at, lists),
                    _ => return None,
                };
                Some(Value::List(self.elements(at, &by, lists)))
            }
            _ => None,
        }
    }

    /// Returns the keys that identify the elements of these lists (rules: Lists).
    fn identity(&self, lists: Triple<&[Value]>) -> Option<Vec<&'s str>> {
        let lists = lists.into_array();
        let unique = |by: &Vec<&str>| {
            let ids = |list: &[Value]| list.iter().map(|e| id(by, e)).collect::<Option<Vec<_>>>();
            lists.iter().all(|list| ids(list).is_some_and(distinct))
        };
        let given = self.settings.keys.iter().map(|key| vec![key.as_str()]);
        let keys = KEYS.split(' ').map(|key| vec![key]).chain(given);
        let pairs = PAIRS.split(' ').map(|pair| pair.split('+').collect());
        let some = lists.iter().any(|list| !list.is_empty());
        keys.chain(pairs).find(|by| some && unique(by))
    }

    /// Merges associative lists, or sets.
    fn elements(&mut self, at: &str, by: &[&str], lists: Triple<&[Value]>) -> Vec<Value> {
        let (lists, renames) = with_new_identities(by, lists);
        let lists = lists.as_ref().map(Vec::as_slice);
        let mut result = Vec::new();
        for local_value in lists.local {
            let path = format!("{at}[{:?}]", id(by, local_value));
            let sides = lists.map(|list| find(by, list, local_value));
            let merged = match (sides.original, sides.updated) {
                (Some(before), None) => self.settle(
                    &path,
                    before == local_value,
                    None,
                    Some(local_value.clone()),
                ),
                _ => self.node(&path, sides),
            };
            result.extend(self.renamed(&path, &renames, &id(by, local_value), merged));
        }
        self.order(at, by, lists, &mut result);
        for (index, now) in lists.updated.iter().enumerate() {
            let path = format!("{at}[{:?}]", id(by, now));
            let sides = lists.map(|list| find(by, list, now));
            let inserted = match (sides.original, sides.local) {
                (None, None) => self.renamed(&path, &renames, &id(by, now), Some(now.clone())),
                (Some(before), None) if before != now => {
                    let upstream_changes = self.upstream_changes(&path, before, sides);
                    let upstream_changes = upstream_changes
                        .map(|upstream_changes| with_key(by, now, &upstream_changes));
                    self.settle(&path, upstream_changes.is_none(), upstream_changes, None)
                }
                _ => None,
            };
            if let Some(inserted) = inserted {
                result.insert(insertion_index(by, &result, lists.updated, index), inserted);
            }
        }
        result
    }

    /// Reorders the result if only upstream moved elements that all three lists have. Otherwise
    /// local's order stays.
    fn order(&mut self, at: &str, by: &[&str], lists: Triple<&[Value]>, result: &mut [Value]) {
        let in_all = |e: &Value| lists.into_array().iter().all(|l| find(by, l, e).is_some());
        let order = |list: &[Value]| -> Vec<_> {
            let shared = list.iter().filter(|e| in_all(e));
            shared.map(|e| id(by, e)).collect()
        };
        let orders = lists.map(order);
        if orders.updated == orders.original || orders.updated == orders.local {
            return;
        } else if orders.local != orders.original {
            return self.settle(at, false, (), ());
        }
        let before = result.to_vec();
        let slots = result.iter_mut().filter(|e| in_all(e));
        for (slot, wanted) in slots.zip(orders.updated) {
            let moved = before.iter().find(|e| id(by, e) == wanted);
            slot.clone_from(moved.unwrap_or(&Value::Null));
        }
    }
}

/// Returns the maps with every field that one side renamed under its new key on all sides.
fn with_new_keys(maps: Sides<'_>) -> (Triple<Option<Value>>, Renames<String>) {
    let fields = maps.map(|map| match map {
        Some(Value::Map(fields)) => fields.iter().map(|(key, value)| (key, value)).collect(),
        _ => Vec::new(),
    });
    let fields = fields.map(|fields| {
        let fields = fields.into_iter();
        fields
            .map(|(key, value)| (key.clone(), value))
            .collect::<Vec<_>>()
    });
    let renames = renames(fields.as_ref().map(Vec::as_slice), 0);
    let maps = maps.map(|map| match map {
        Some(Value::Map(fields)) => {
            let new = |key: &String| renames.common.iter().find(|(old, _)| old == key);
            let name = |key: &String| new(key).map_or(key, |(_, new)| new).clone();
            let fields = fields.iter().map(|(key, value)| (name(key), value.clone()));
            Some(Value::Map(fields.collect()))
        }
        other => other.cloned(),
    });
    (maps, renames)
}

/// Returns the lists with every element that one side renamed under its new identity on all sides.
fn with_new_identities(
    by: &[&str],
    lists: Triple<&[Value]>,
) -> (Triple<Vec<Value>>, Renames<Option<Vec<Value>>>) {
    let named = lists.map(|list| list.iter().map(|e| (id(by, e), e)).collect::<Vec<_>>());
    let renames = renames(named.as_ref().map(Vec::as_slice), by.len());
    let lists = lists.map(|list| {
        let name = |element: &Value| {
            let new = renames
                .common
                .iter()
                .find(|(old, _)| *old == id(by, element));
            let model = new.and_then(|(_, new)| {
                let mut all = lists.updated.iter().chain(lists.local);
                all.find(|element| id(by, element) == *new)
            });
            model.map_or_else(
                || element.clone(),
                |model| with_identity_of(by, element, model),
            )
        };
        list.iter().map(name).collect()
    });
    (lists, renames)
}

/// Returns an element with the identity of `model`.
fn with_identity_of(by: &[&str], element: &Value, model: &Value) -> Value {
    let mut fields = element.clone().into_fields();
    fields.retain(|(key, _)| !by.contains(&key.as_str()));
    let identity = by
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), model.field(key)?.clone())));
    fields.extend(identity);
    Value::Map(fields)
}

/// Returns the identity of an element: the values of its keys. A missing second key of a pair
/// counts as an empty text.
fn id(by: &[&str], element: &Value) -> Option<Vec<Value>> {
    let part = |(n, key): (usize, &&str)| match element.field(key) {
        None if n == 1 => Some(Value::text("")),
        part => part?.scalar().cloned(),
    };
    let whole = element
        .scalar()
        .or((*element == Value::Null).then_some(element));
    match by {
        [] => Some(vec![whole?.clone()]),
        _ => by.iter().enumerate().map(part).collect(),
    }
}

/// Returns the element of a list that has the same identity as `wanted`.
fn find<'v>(by: &[&str], list: &'v [Value], wanted: &Value) -> Option<&'v Value> {
    list.iter()
        .find(|element| id(by, element) == id(by, wanted))
}

/// Returns an element reduced to its keys and the fields that changed.
fn with_key(by: &[&str], element: &Value, changed: &Value) -> Value {
    let part = |(key, value): (String, Value)| match changed.field(&key) {
        None if by.contains(&key.as_str()) => Some((key, value)),
        part => Some((key, part?.clone())),
    };
    let fields = element.clone().into_fields().into_iter();
    Value::Map(fields.filter_map(part).collect())
}

/// Returns the index at which to insert an element of `updated`: after the nearest element before
/// it that the list has, and the local elements that follow that one; otherwise before the nearest
/// element after it; otherwise at the end. An element that comes after all elements that both lists
/// have goes to the end.
fn insertion_index(by: &[&str], list: &[Value], updated: &[Value], index: usize) -> usize {
    let at = |near: &Value| list.iter().position(|e| id(by, e) == id(by, near));
    let is_local_only = |element: &&Value| find(by, updated, element).is_none();
    let has_any = updated[..index].iter().any(|e| at(e).is_some());
    if has_any && !by.is_empty() && !updated[index + 1..].iter().any(|e| at(e).is_some()) {
        return list.len();
    }
    match updated[..index].iter().rev().find_map(at) {
        Some(before) => before + 1 + list[before + 1..].iter().take_while(is_local_only).count(),
        None => updated[index..].iter().find_map(at).unwrap_or(list.len()),
    }
}
