//! The exceptions of law 4: the result of a merge may pair differently in the next one
//! (docs/rules.md).

use crate::reference;
use crate::value::Value;

/// Whether the documents or elements of a file may pair differently after the merge. True if one of
/// the texts is not YAML (None) or too large to compare.
pub(super) fn may_pair_differently(
    before: Option<Value>,
    after: Option<Value>,
    updated: Option<Value>,
) -> bool {
    let (Some(before), Some(after), Some(updated)) = (before, after, updated) else {
        return true;
    };
    let known = [identities(&before), identities(&updated)].concat();
    reference::changes_key(&before, &after, reference::Lists::Replace)
        || differs_in_unnamed([&before, &after, &updated])
        || identities(&after).iter().any(|it| !known.contains(it))
}

/// Whether a list has an element twice: it may pair with the other one after the merge.
pub(super) fn has_repeated_elements(value: &Value) -> bool {
    match value {
        Value::List(elements) => {
            let mut others = elements.iter().enumerate();
            others.any(|(at, it)| elements[..at].contains(it) || has_repeated_elements(it))
        }
        Value::Map(fields) => fields.iter().any(|(_, field)| has_repeated_elements(field)),
        _ => false,
    }
}

/// Whether updated or local lacks a resource of the original. In a single file, such a resource may
/// pair with a similar one.
pub(super) fn has_renamed_resource(
    original: Option<Value>,
    updated: Option<Value>,
    local: Option<Value>,
) -> bool {
    let (Some(original), Some(updated), Some(local)) = (original, updated, local) else {
        return true;
    };
    let (updated, local) = (identities(&updated), identities(&local));
    identities(&original)
        .iter()
        .any(|it| !updated.contains(it) || !local.contains(it))
}

/// Whether upstream deleted the only resource of an identity that local has twice. After the merge,
/// the remaining one pairs with the deleted one.
pub(super) fn may_pair_with_deleted(
    original: &[Value],
    updated: &[Value],
    local: &[Value],
) -> bool {
    fn names(files: &[Value]) -> Vec<[Option<&Value>; 4]> {
        let all = files.iter().flat_map(identities);
        all.map(|[kind, name, generated, _, space]| [kind, name, generated, space])
            .collect()
    }
    let [original, updated, local] = [original, updated, local].map(names);
    let count = |name, names: &[_]| names.iter().filter(|it| *it == name).count();
    original.iter().any(|name| {
        count(name, &original) == 1 && count(name, &updated) == 0 && count(name, &local) > 1
    })
}

/// Whether local has several resources of one identity and a single one is left after the merge,
/// because upstream changed the apiVersion of the others. A resource of upstream's that paired with
/// none before then pairs with that one.
pub(super) fn becomes_unique(original: &[Value], local: &[Value], after: &[Value]) -> bool {
    fn all(files: &[Value]) -> Vec<[Option<&Value>; 5]> {
        files.iter().flat_map(identities).collect()
    }
    let [original, local, after] = [original, local, after].map(all);
    let count = |name, names: &[_]| names.iter().filter(|it| *it == name).count();
    original
        .iter()
        .any(|name| count(name, &local) > 1 && count(name, &after) == 1)
}

/// Whether the sides have different numbers of documents that are not resources. These pair by
/// index, and the index has changed for the second merge.
fn differs_in_unnamed(sides: [&Value; 3]) -> bool {
    let counts = sides.map(|file| file.elements().len() - identities(file).len());
    counts.iter().any(|count| *count != counts[0])
}

/// Returns the identities of the resources in a file: kind, name, generateName, apiVersion and
/// namespace.
fn identities(file: &Value) -> Vec<[Option<&Value>; 5]> {
    fn of(document: &Value) -> Option<[Option<&Value>; 5]> {
        let metadata = document.field("metadata")?;
        let name = metadata.field("name").and_then(Value::scalar);
        let generated = metadata.field("generateName").and_then(Value::scalar);
        let kind = document.field("kind").and_then(Value::scalar)?;
        let rest = [document.field("apiVersion"), metadata.field("namespace")];
        name.or(generated)?;
        Some([Some(kind), name, generated, rest[0], rest[1]])
    }
    file.elements().iter().filter_map(of).collect()
}
