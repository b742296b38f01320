//! Reads the directives of a strategic merge patch from its maps and lists.

use rustc_hash::FxHashMap;

use crate::merge::{Shape, key_of, name_of, shape};
use crate::yaml::{EntryId, NodeId, ScalarType, Tree};

use super::patch_list::PatchNodes;
use super::{PatchResult, Patcher};

const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const SET_ORDER: &str = "$setElementOrder/";
/// Fields of JSON schemas in custom resource definitions, which are not directives.
const NOT_DIRECTIVES: [&str; 2] = ["$ref", "$schema"];

/// The value of `$patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Replace,
    Delete,
    Merge,
}

/// A map of a patch, split into fields and directives.
#[derive(Debug, Default)]
pub(super) struct PatchMap {
    /// The command of `$patch`, and the node of that key.
    pub(super) command: Option<(Command, NodeId)>,
    /// The names in `$retainKeys`.
    pub(super) retained: Option<Vec<String>>,
    /// The lists of `$deleteFromPrimitiveList/FIELD` and `$setElementOrder/FIELD`, by field.
    lists: FxHashMap<String, PatchNodes>,
    /// The fields that are not directives.
    pub(super) fields: Vec<EntryId>,
}

impl PatchMap {
    pub(super) fn command(&self) -> Option<Command> {
        self.command.map(|(command, _)| command)
    }

    /// Whether the target keeps a field, by `$retainKeys`.
    pub(super) fn retains(&self, field: &str) -> bool {
        let retained = self.retained.as_ref();
        retained.is_none_or(|names| names.iter().any(|name| name == field))
    }

    /// Returns the value of a field, if it has one, with the directives beside it.
    pub(super) fn nodes_of(&self, field: &str, value: Option<NodeId>) -> PatchNodes {
        let beside = self.lists.get(field).copied().unwrap_or_default();
        PatchNodes { value, ..beside }
    }
}

/// Whether a key starts like the name of a directive.
fn is_directive(name: &str) -> bool {
    name.starts_with('$') && !NOT_DIRECTIVES.contains(&name)
}

/// Whether a strategic merge patch deletes the whole resource: it has `$patch: delete` at its root.
pub fn deletes_all(tree: &Tree<'_>) -> bool {
    tree.field_text(tree.root().value, PATCH) == Some("delete")
}

/// Returns the name and the byte offset of the first directive in a document, if it has any.
///
/// ```
/// use merge3::patch::first_directive;
/// use merge3::yaml::Tree;
///
/// let tree = Tree::parse("a:\n- $patch: replace\n").unwrap().unwrap();
/// assert_eq!(first_directive(&tree), Some(("$patch".to_owned(), 5)));
/// ```
pub fn first_directive(tree: &Tree<'_>) -> Option<(String, usize)> {
    let mut unvisited = vec![tree.root().value];
    while let Some(node) = unvisited.pop() {
        let mut children = Vec::new();
        for entry in tree.entries(node) {
            match key_of(tree, entry) {
                Some((_, name)) if is_directive(name) => {
                    let start = tree.entry(entry).span.start as usize;
                    return Some((name.to_owned(), start));
                }
                _ => children.push(tree.entry(entry).value),
            }
        }
        unvisited.extend(children.into_iter().rev());
    }
    None
}

impl<'a> Patcher<'a> {
    /// Splits a map of the patch into fields and directives.
    pub(super) fn patch_map(&self, map: NodeId) -> PatchResult<PatchMap> {
        let mut patch_map = PatchMap::default();
        let tree = self.patch;
        for entry in tree.entries(tree.resolve(map)) {
            let value = tree.entry(entry).value;
            match name_of(tree, entry).as_deref() {
                Some(name) if self.is_strategic() && is_directive(name) => {
                    self.read_directive(&mut patch_map, name, entry, value)?;
                }
                _ => patch_map.fields.push(entry),
            }
        }
        self.refuse_contradictions(&patch_map)?;
        Ok(patch_map)
    }

    /// Reads one directive into `patch_map`.
    fn read_directive(
        &self,
        patch_map: &mut PatchMap,
        name: &str,
        entry: EntryId,
        value: NodeId,
    ) -> PatchResult<()> {
        let key = self.patch.entry(entry).key.unwrap_or(value);
        if name == PATCH {
            patch_map.command = Some((self.command(value)?, key));
        } else if name == RETAIN_KEYS {
            patch_map.retained = Some(self.names(value)?);
        } else if let Some(field) = name.strip_prefix(DELETE_FROM).filter(|it| !it.is_empty()) {
            self.require_list(value, name)?;
            patch_map
                .lists
                .entry(field.to_owned())
                .or_default()
                .deletion = Some(value);
        } else if let Some(field) = name.strip_prefix(SET_ORDER).filter(|it| !it.is_empty()) {
            self.require_list(value, name)?;
            patch_map.lists.entry(field.to_owned()).or_default().order = Some(value);
        } else {
            return Err(self.patch_error(
                key,
                format!("there is no directive `{name}`"),
                "the directives are $patch, $retainKeys, \
                 $deleteFromPrimitiveList/FIELD and $setElementOrder/FIELD",
            ));
        }
        Ok(())
    }

    /// Returns the command that is the value of `$patch`.
    fn command(&self, value: NodeId) -> PatchResult<Command> {
        match self.patch.scalar(value).map(|scalar| scalar.content) {
            Some("replace") => Ok(Command::Replace),
            Some("delete") => Ok(Command::Delete),
            Some("merge") => Ok(Command::Merge),
            _ => {
                let message = "`$patch` has to be replace, delete or merge";
                Err(self.patch_error(value, message, "write one of the three"))
            }
        }
    }

    /// Returns the field names in the list of `$retainKeys`.
    fn names(&self, list: NodeId) -> PatchResult<Vec<String>> {
        self.require_list(list, RETAIN_KEYS)?;
        let name = |value| match self.patch.scalar(value) {
            Some(name) if name.scalar_type == ScalarType::Str => Ok(name.content.to_owned()),
            _ => {
                let help = "give $retainKeys the names of the fields that stay";
                Err(self.patch_error(value, "this is not the name of a field", help))
            }
        };
        self.patch.values(list).map(name).collect()
    }

    fn require_list(&self, value: NodeId, name: &str) -> PatchResult<()> {
        if shape(self.patch, value) == Shape::List {
            return Ok(());
        }
        let message = format!("`{name}` needs a list");
        Err(self.patch_error(value, message, "write it as a list, such as [a, b]"))
    }

    /// Checks that the directives of a map do not exclude each other.
    fn refuse_contradictions(&self, patch_map: &PatchMap) -> PatchResult<()> {
        if let Some((Command::Replace | Command::Delete, at)) = patch_map.command
            && (patch_map.retained.is_some() || !patch_map.lists.is_empty())
        {
            return Err(self.patch_error(
                at,
                "`$patch` and the other directives in this map exclude each other",
                "leave one of them out: replacing or deleting a \
                 map leaves nothing that another could be about",
            ));
        }
        for entry in &patch_map.fields {
            let value = self.patch.entry(*entry).value;
            let name = name_of(self.patch, *entry).unwrap_or_default();
            if !self.patch.is_null(value) && !patch_map.retains(&name) {
                let key = self.patch.entry(*entry).key.unwrap_or(value);
                let message = format!("`{name}` is set here, and `$retainKeys` clears it");
                let help = "name it in $retainKeys, or leave it out";
                return Err(self.patch_error(key, message, help));
            }
        }
        Ok(())
    }
}
