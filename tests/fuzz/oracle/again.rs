//! Where a merge leaves something that the next one pairs otherwise (docs/rules.md): law 4 has
//! these exceptions.

use crate::reference;
use crate::value::Value;

/// Whether a file after a merge may pair otherwise than the one before it; none is a file that is
/// no YAML, or too large to tell.
pub(super) fn pairs_anew(
    before: Option<Value>,
    after: Option<Value>,
    updated: Option<Value>,
) -> bool {
    let (Some(before), Some(after), Some(updated)) = (before, after, updated) else {
        return true;
    };
    let known = [identities(&before), identities(&updated)].concat();
    reference::changes_key(&before, &after, reference::Lists::Replace)
        || nameless([&before, &after, &updated])
        || identities(&after).iter().any(|it| !known.contains(it))
}

/// Whether a resource of the original is not on another side: in a single file it may be found by
/// how much it is alike.
pub(super) fn renamed(
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

/// Whether upstream deleted the only resource of an identity of which local has two: the one that
/// is left is taken for it.
pub(super) fn taken_for_deleted(original: &[Value], updated: &[Value], local: &[Value]) -> bool {
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

/// Whether of several resources of one identity in local's files, one alone has it after the merge,
/// as upstream brought the others another version of the API: what of upstream's was nobody's then
/// is taken to be its.
pub(super) fn left_alone(original: &[Value], local: &[Value], after: &[Value]) -> bool {
    fn all(files: &[Value]) -> Vec<[Option<&Value>; 5]> {
        files.iter().flat_map(identities).collect()
    }
    let [original, local, after] = [original, local, after].map(all);
    let count = |name, names: &[_]| names.iter().filter(|it| *it == name).count();
    original
        .iter()
        .any(|name| count(name, &local) > 1 && count(name, &after) == 1)
}

/// Whether the sides do not have as many documents that are no resources: those pair by their
/// index, which the second run finds changed.
fn nameless(sides: [&Value; 3]) -> bool {
    let counts = sides.map(|file| file.elements().len() - identities(file).len());
    counts.iter().any(|count| *count != counts[0])
}

/// What the resources of a file are called.
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
