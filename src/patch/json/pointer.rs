//! JSON pointers (RFC 6901): `/spec/containers/0/image`.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::merge::{Shape, key_of, name_of, shape};
use crate::yaml::{EntryId, NodeId, Tree};

/// A step of a pointer: the name of a field, or the position of an element.
pub(super) type Step<'t> = Cow<'t, str>;

/// A location in a document, where an entry is or could be added.
#[derive(Debug, Default)]
pub(super) struct Location<'p> {
    /// The path to it.
    pub(super) path: &'p [Step<'p>],
    /// The entries around the location, outermost first.
    pub(super) ancestors: Vec<EntryId>,
    /// The map or list that contains the location; `None` if it is the root.
    pub(super) parent: Option<NodeId>,
    /// The name of the field that is or could be there; `None` if it is no field.
    pub(super) key: Option<&'p str>,
    /// The entry at the location, if it exists.
    pub(super) found: Option<EntryId>,
    /// The position of an element, or the position that a new entry would get.
    pub(super) index: usize,
}

/// Parses a pointer into its steps; `None` if it is not a pointer.
pub(super) fn steps(text: &str) -> Option<Vec<Step<'_>>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.strip_prefix('/')?.split('/').map(unescape).collect()
}

/// Replaces `~1` by a slash and `~0` by a tilde; `None` if another character follows a tilde.
fn unescape(part: &str) -> Option<Step<'_>> {
    let mut escapes = part.split('~').skip(1);
    let is_valid = escapes.all(|rest| rest.starts_with(['0', '1']));
    is_valid.then(|| match part.contains('~') {
        true => part.replace("~1", "/").replace("~0", "~").into(),
        false => part.into(),
    })
}

/// Returns steps as a pointer.
pub(super) fn format_pointer(steps: &[Step<'_>]) -> String {
    let steps = steps.iter();
    steps.map(|step| format!("/{}", escape(step))).collect()
}

/// Escapes a name for use as a step.
pub(in crate::patch) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Finds locations in a document.
pub(super) struct Locator<'t> {
    tree: &'t Tree<'t>,
    /// The fields of the maps on the ways so far, by name: a patch can have an operation for each
    /// field of a large map.
    fields: FxHashMap<NodeId, FxHashMap<Cow<'t, str>, EntryId>>,
}

impl<'t> Locator<'t> {
    pub(super) fn new(tree: &'t Tree<'t>) -> Self {
        let fields = FxHashMap::default();
        Self { tree, fields }
    }

    /// Returns the location that a path leads to. Only the last step may lead to a missing entry.
    ///
    /// # Errors
    /// Returns the index of the step that cannot be taken.
    pub(super) fn locate<'p>(&mut self, path: &'p [Step<'p>]) -> Result<Location<'p>, usize> {
        let tree = self.tree;
        let mut location = Location {
            path,
            ..Location::default()
        };
        let mut value = tree.root().value;
        for (depth, step) in path.iter().enumerate() {
            if depth > 0 {
                let entry = location.found.ok_or(depth - 1)?;
                location.ancestors.push(entry);
                value = tree.entry(entry).value;
            }
            let parent = tree.resolve(value);
            (location.found, location.index) = self.step(parent, step).ok_or(depth)?;
            location.key = (shape(tree, parent) == Shape::Map).then_some(step.as_ref());
            location.parent = Some(parent);
        }
        Ok(location)
    }

    /// Returns the entry that a step leads to, if it exists, and the position of an element or of a
    /// new entry.
    fn step(&mut self, parent: NodeId, name: &str) -> Option<(Option<EntryId>, usize)> {
        let tree = self.tree;
        let count = tree.entries(parent).len();
        match shape(tree, parent) {
            Shape::Map => {
                let fields = self.fields.entry(parent);
                let fields = fields.or_insert_with(|| named_fields(tree, parent));
                Some((fields.get(name).copied(), count))
            }
            Shape::List if name == "-" => Some((None, count)),
            Shape::List => {
                let index = index_of(name)?;
                (index <= count).then(|| (tree.entries(parent).nth(index), index))
            }
            Shape::Scalar => None,
        }
    }
}

/// Returns the fields of a map that a step can name.
fn named_fields<'t>(tree: &'t Tree<'_>, map: NodeId) -> FxHashMap<Cow<'t, str>, EntryId> {
    let is_json = tree.is_resource();
    let mut fields = FxHashMap::default();
    for field in tree.entries(map) {
        if let Some(name) = field_name(tree, is_json, field) {
            fields.entry(name).or_insert(field);
        }
    }
    fields
}

/// Returns the position that a step names.
fn index_of(name: &str) -> Option<usize> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = name == "0" || !name.starts_with('0');
    name.parse().ok().filter(|_| is_number && is_plain)
}

/// Returns the name of a field in pointers: its JSON key if the document is read as JSON, otherwise
/// its content as written.
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
    fn tildes_are_escapes() {
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
            let location = Locator::new(&tree).locate(&steps);
            location.map(|it| (it.found.is_some(), it.index))
        };
        assert_eq!(found("/a/1/b"), Ok((true, 1)));
        assert_eq!(found("/8080"), Ok((true, 2)));
        assert_eq!(found("/a/-"), Ok((false, 2)));
        assert_eq!(found("/a/2"), Ok((false, 2)));
        assert_eq!(found("/c"), Ok((false, 2)));
        assert_eq!(found("/a/3"), Err(1));
        assert_eq!(found("/a/01"), Err(1));
        assert_eq!(found("/c/d"), Err(0));
        assert_eq!(found("/8080/d"), Err(1));
    }
}
