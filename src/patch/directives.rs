//! The directives of a strategic merge patch, read from its maps and lists.

use crate::merge::{Shape, key_of, name_of, shape};
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

use super::{Decided, PatchError, Patcher, wrong_at};

pub(super) const PATCH: &str = "$patch";
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
pub(super) const SET_ORDER: &str = "$setElementOrder/";
/// Fields that JSON schemas have, in custom resource definitions: no directives.
const PLAIN: [&str; 2] = ["$ref", "$schema"];

/// What `$patch` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Replace,
    Delete,
    Merge,
}

/// A map of a patch: its fields, and what its directives say.
#[derive(Debug, Default)]
pub(super) struct Directed {
    /// `$patch`, and where it stands.
    pub(super) command: Option<(Command, NodeId)>,
    /// The names in `$retainKeys`.
    pub(super) retained: Option<Vec<String>>,
    /// The lists of `$deleteFromPrimitiveList/FIELD`, by field.
    pub(super) deletions: Vec<(String, NodeId)>,
    /// The lists of `$setElementOrder/FIELD`, by field.
    pub(super) orders: Vec<(String, NodeId)>,
    /// The fields that are no directives.
    pub(super) fields: Vec<EntryId>,
}

impl Directed {
    pub(super) fn command(&self) -> Option<Command> {
        self.command.map(|(command, _)| command)
    }

    pub(super) fn deletion(&self, field: &str) -> Option<NodeId> {
        find(&self.deletions, field)
    }

    pub(super) fn order(&self, field: &str) -> Option<NodeId> {
        find(&self.orders, field)
    }

    /// Whether the target keeps a field, as far as `$retainKeys` says.
    pub(super) fn retains(&self, field: Option<&str>) -> bool {
        match (&self.retained, field) {
            (Some(names), Some(field)) => names.iter().any(|name| name == field),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
}

fn find(lists: &[(String, NodeId)], field: &str) -> Option<NodeId> {
    let found = lists.iter().find(|(name, _)| name == field);
    found.map(|(_, node)| *node)
}

/// Whether a key begins as a directive's name does.
fn is_directive(name: &str) -> bool {
    name.starts_with('$') && !PLAIN.contains(&name)
}

/// Whether a strategic merge patch deletes the whole resource: `$patch: delete` is at its top.
pub fn deletes_all(tree: &Tree<'_>) -> bool {
    let root = tree.root().value;
    let said = tree.find(root, PATCH).map(|entry| tree.entry(entry).value);
    said.and_then(|said| tree.scalar(said))
        .is_some_and(|said| said.content == "delete")
}

/// The first directive in a document, if it has any: its name, and where it stands.
///
/// ```
/// use merge3::patch::first_directive;
/// use merge3::yaml::Tree;
///
/// let tree = Tree::parse("a:\n- $patch: replace\n").unwrap().unwrap();
/// assert_eq!(first_directive(&tree), Some(("$patch".to_owned(), 5)));
/// ```
pub fn first_directive(tree: &Tree<'_>) -> Option<(String, usize)> {
    let mut open = vec![tree.root().value];
    while let Some(node) = open.pop() {
        let mut inside = Vec::new();
        for entry in tree.entries(node) {
            match key_of(tree, entry) {
                Some((_, name)) if is_directive(name) => {
                    let start = tree.entry(entry).span.start as usize;
                    return Some((name.to_owned(), start));
                }
                _ => inside.push(tree.entry(entry).value),
            }
        }
        open.extend(inside.into_iter().rev());
    }
    None
}

impl<'a> Patcher<'a> {
    /// A map of the patch, its directives read.
    pub(super) fn directed(&self, map: NodeId) -> Decided<Directed> {
        let mut directed = Directed::default();
        let tree = self.patch;
        for entry in tree.entries(tree.resolve(map)) {
            let value = tree.entry(entry).value;
            match name_of(tree, entry).as_deref() {
                Some(name) if self.is_strategic() && is_directive(name) => {
                    self.read_directive(&mut directed, name, entry, value)?;
                }
                _ => directed.fields.push(entry),
            }
        }
        self.refuse_contradictions(&directed)?;
        Ok(directed)
    }

    fn read_directive(
        &self,
        directed: &mut Directed,
        name: &str,
        entry: EntryId,
        value: NodeId,
    ) -> Decided<()> {
        let key = self.patch.entry(entry).key.unwrap_or(value);
        if name == PATCH {
            directed.command = Some((command(self.patch, value)?, key));
        } else if name == RETAIN_KEYS {
            directed.retained = Some(self.names(value)?);
        } else if let Some(field) = name.strip_prefix(DELETE_FROM).filter(|it| !it.is_empty()) {
            self.needs_list(value, name)?;
            directed.deletions.push((field.to_owned(), value));
        } else if let Some(field) = name.strip_prefix(SET_ORDER).filter(|it| !it.is_empty()) {
            self.needs_list(value, name)?;
            directed.orders.push((field.to_owned(), value));
        } else {
            return Err(self.wrong(
                key,
                format!("there is no directive `{name}`"),
                "the directives are $patch, $retainKeys, \
                 $deleteFromPrimitiveList/FIELD and $setElementOrder/FIELD",
            ));
        }
        Ok(())
    }

    fn names(&self, list: NodeId) -> Decided<Vec<String>> {
        self.needs_list(list, RETAIN_KEYS)?;
        let elements = self.patch.entries(self.patch.resolve(list));
        elements
            .map(|entry| {
                let value = self.patch.entry(entry).value;
                let name = self.patch.scalar(value);
                let name = name.filter(|name| name.scalar_type == ScalarType::Str);
                name.map(|name| name.content.to_string()).ok_or_else(|| {
                    let message = "this is no name of a field";
                    self.wrong(
                        value,
                        message,
                        "give $retainKeys the names of the fields that stay",
                    )
                })
            })
            .collect()
    }

    fn needs_list(&self, value: NodeId, name: &str) -> Decided<()> {
        let message = format!("`{name}` needs a list");
        self.must_be_list(value, message, "write it as a list, such as [a, b]")
    }

    /// Refuses a value of the patch that is no list.
    pub(super) fn must_be_list(&self, value: NodeId, message: String, help: &str) -> Decided<()> {
        match shape(self.patch, value) {
            Shape::List => Ok(()),
            Shape::Map | Shape::Scalar => Err(self.wrong(value, message, help)),
        }
    }

    /// Directives of one map that exclude each other.
    fn refuse_contradictions(&self, directed: &Directed) -> Decided<()> {
        if let Some((command, at)) = directed.command {
            let others = directed.retained.is_some()
                || !directed.deletions.is_empty()
                || !directed.orders.is_empty();
            if others && command != Command::Merge {
                return Err(self.wrong(
                    at,
                    "`$patch` and the other directives in this map exclude each other",
                    "leave one of them out: replacing or deleting a \
                     map leaves nothing that another could be about",
                ));
            }
        }
        let Some(names) = &directed.retained else {
            return Ok(());
        };
        for entry in &directed.fields {
            let value = self.patch.entry(*entry).value;
            let name = name_of(self.patch, *entry).unwrap_or_default();
            if !self.patch.is_null(value) && !names.iter().any(|retained| *retained == name) {
                let key = self.patch.entry(*entry).key.unwrap_or(value);
                let message = format!("`{name}` is set here, and `$retainKeys` clears it");
                return Err(self.wrong(key, message, "name it in $retainKeys, or leave it out"));
            }
        }
        Ok(())
    }
}

fn command(patch: &Tree<'_>, value: NodeId) -> Result<Command, PatchError> {
    match patch.scalar(value).map(|scalar| scalar.content) {
        Some("replace") => Ok(Command::Replace),
        Some("delete") => Ok(Command::Delete),
        Some("merge") => Ok(Command::Merge),
        _ => Err(wrong_at(
            patch,
            value,
            "`$patch` says none of replace, delete and merge",
            "write one of the three",
        )),
    }
}
