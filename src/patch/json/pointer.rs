//! JSON pointers (RFC 6901): `/spec/containers/0/image`.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::merge::{Shape, is_resource, key_of, name_of, shape};
use crate::yaml::{EntryId, NodeId, Tree};

/// One step of a pointer: the name of a field, or an element's position.
pub(super) type Step<'t> = Cow<'t, str>;

/// A place in a document, whether something is there or could be.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    /// The maps and lists that it is in, outermost first, each with its entry on the way; without
    /// the innermost.
    pub(super) above: Vec<(NodeId, EntryId)>,
    /// The innermost: the map or list that it is in.
    pub(super) holder: NodeId,
    /// What is there.
    pub(super) found: Option<EntryId>,
    /// Its position; of what is not there yet, the one that it would have.
    pub(super) index: usize,
}

/// The steps of a pointer; `None` if it is none.
pub(super) fn steps(text: &str) -> Option<Vec<Step<'_>>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.strip_prefix('/')?.split('/').map(unescaped).collect()
}

/// `~1` is a slash and `~0` a tilde; nothing else follows a tilde.
fn unescaped(part: &str) -> Option<Step<'_>> {
    let mut rest = part;
    while let Some(at) = rest.find('~') {
        rest = &rest[at + 1..];
        if !rest.starts_with(['0', '1']) {
            return None;
        }
    }
    Some(if part.contains('~') {
        Cow::Owned(part.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(part)
    })
}

/// A pointer as it is written.
pub(super) fn written(steps: &[Step<'_>]) -> String {
    let steps = steps.iter();
    steps.map(|step| format!("/{}", escaped(step))).collect()
}

/// A name as a step of a pointer.
pub(in crate::patch) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The place that steps lead to; `None` for the root. The last step alone may lead to nothing.
///
/// # Errors
/// The index of the step that cannot be taken.
pub(super) fn spot(tree: &Tree<'_>, steps: &[Step<'_>]) -> Result<Option<Spot>, usize> {
    let mut above = Vec::new();
    let mut holder = tree.resolve(tree.root().value);
    for (depth, step) in steps.iter().enumerate() {
        let (found, index) = at(tree, holder, step).ok_or(depth)?;
        if depth + 1 == steps.len() {
            return Ok(Some(Spot {
                above,
                holder,
                found,
                index,
            }));
        }
        let entry = found.ok_or(depth)?;
        above.push((holder, entry));
        holder = tree.resolve(tree.entry(entry).value);
    }
    Ok(None)
}

/// What a step leads to in a map or list, and its position.
fn at(tree: &Tree<'_>, holder: NodeId, name: &str) -> Option<(Option<EntryId>, usize)> {
    let mut entries = tree.entries(holder);
    let count = entries.len();
    match shape(tree, holder) {
        Shape::Map => {
            let is_json = is_resource(tree);
            let is_named =
                |entry: &EntryId| field_name(tree, is_json, *entry).is_some_and(|own| own == name);
            let position = tree.entries(holder).position(|entry| is_named(&entry));
            Some((entries.find(is_named), position.unwrap_or(count)))
        }
        Shape::List if name == "-" => Some((None, count)),
        Shape::List => {
            let index = index_of(name)?;
            (index <= count).then(|| (entries.nth(index), index))
        }
        Shape::Scalar => None,
    }
}

/// The fields of a map that a step can lead to, by name.
pub(super) fn named_fields<'t>(
    tree: &'t Tree<'_>,
    map: NodeId,
) -> FxHashMap<Cow<'t, str>, EntryId> {
    let is_json = is_resource(tree);
    let mut fields = FxHashMap::default();
    for field in tree.entries(map) {
        if let Some(name) = field_name(tree, is_json, field) {
            fields.entry(name).or_insert(field);
        }
    }
    fields
}

/// The position that a step names.
pub(super) fn index_of(name: &str) -> Option<usize> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = name == "0" || !name.starts_with('0');
    name.parse().ok().filter(|_| is_number && is_plain)
}

/// What a pointer calls a field: its key in JSON, where the document is read as that, else what is
/// written.
pub(in crate::patch) fn field_name<'t>(
    tree: &'t Tree<'_>,
    is_json: bool,
    field: EntryId,
) -> Option<Cow<'t, str>> {
    match is_json {
        true => name_of(tree, field),
        false => key_of(tree, field).map(|(_, content)| content.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        let steps = steps(text)?;
        Some(steps.iter().map(|step| step.to_string()).collect())
    }

    #[test]
    fn tildes_escape() {
        assert_eq!(names(""), Some(vec![]));
        assert_eq!(names("/"), Some(vec![String::new()]));
        assert_eq!(
            names("/a~1b/~01"),
            Some(vec!["a/b".to_owned(), "~1".to_owned()])
        );
        assert_eq!(names("/a~2"), None);
        assert_eq!(names("/a~"), None);
        assert_eq!(names("a/b"), None);
    }

    #[test]
    fn steps_lead_into_maps_and_lists() {
        let tree = Tree::parse("a:\n- x\n- {b: 1}\n8080: y\n")
            .unwrap()
            .unwrap();
        let found = |text: &str| {
            let steps = steps(text).unwrap();
            spot(&tree, &steps).map(|spot| spot.map(|it| (it.found.is_some(), it.index)))
        };
        assert_eq!(found("/a/1/b"), Ok(Some((true, 0))));
        assert_eq!(found("/8080"), Ok(Some((true, 1))));
        assert_eq!(found("/a/-"), Ok(Some((false, 2))));
        assert_eq!(found("/a/2"), Ok(Some((false, 2))));
        assert_eq!(found("/c"), Ok(Some((false, 2))));
        assert_eq!(found("/a/3"), Err(1));
        assert_eq!(found("/a/01"), Err(1));
        assert_eq!(found("/c/d"), Err(0));
        assert_eq!(found("/8080/d"), Err(1));
    }
}
