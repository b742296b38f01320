//! Makes the smallest patch that turns one document into another.

mod json;
mod lists;

use crate::merge::{
    Child, FieldIndex, Outcome, Shape, key_of, name_of, part_of, shape, without_aliases,
};
use crate::schema::FieldSchema;
use crate::white_space::trimmed_end;
use crate::yaml::{NodeId, Tree, scalar};

use super::additions::Additions;
use super::same::is_same_without_nulls;
use super::{PatchError, Rules, merge_patch, parse_generated, verification_error};

pub use json::json_difference;

/// Returns the merge patch that turns `old` into `new`, or `None` if both have the same values.
///
/// The patch is the text of `new` without the unchanged parts, so it has its comments. Nulls and
/// directives remove what only `old` has. A null in `new` counts as absent, because no merge patch
/// can set one.
///
/// # Errors
/// Returns an error if no patch, applied to `old`, gives the values of `new`: a bug in this
/// program.
///
/// ```
/// use merge3::patch::{Rules, merge_difference};
/// use merge3::schema::Schema;
/// use merge3::yaml::Tree;
///
/// let schema = Schema::kubernetes();
/// let pod = schema.kind("v1", "Pod").unwrap().root;
/// let old = Tree::parse("kind: Pod\nspec:\n  containers: [{name: a, image: 'a:1'}, {name: b}]\n  priority: 1\n").unwrap().unwrap();
/// let new = Tree::parse("kind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:2 # pinned\n").unwrap().unwrap();
/// assert_eq!(
///     merge_difference(&old, &new, Rules::Strategic(pod)).unwrap().unwrap(),
///     "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: a:2 # pinned\n  - $patch: delete\n    name: b\n  priority: null\n"
/// );
/// ```
pub fn merge_difference(
    old: &Tree<'_>,
    new: &Tree<'_>,
    rules: Rules<'_>,
) -> Result<Option<String>, PatchError> {
    if is_same_without_nulls(old, old.root().value, new, new.root().value) {
        return Ok(None);
    }
    if new.has_aliases() {
        // an anchor may be in an unchanged part, which the patch does not have
        let plain = without_aliases(new)?;
        return merge_difference(old, &parse_generated(&plain)?, rules);
    }
    for granularity in [
        Granularity::Minimal,
        Granularity::WholeLists,
        Granularity::Whole,
    ] {
        let result = MergeDiffer {
            old,
            new,
            is_strategic: rules.is_strategic(),
            granularity,
            additions: Additions::default(),
        }
        .patch(rules.schema());
        // if an edit of the text fails, try a larger patch
        let Ok(patch) = result else { continue };
        let tree = parse_generated(&patch)?;
        let patched = merge_patch(old, &tree, rules)?;
        let result = patched.unwrap_or_else(|| old.text().to_owned());
        let result = parse_generated(&result)?;
        if is_same_without_nulls(&result, result.root().value, new, new.root().value) {
            return Ok(Some(patch));
        }
    }
    Err(verification_error(
        "no patch was found that gives the new values",
    ))
}

/// The fields of `metadata` that identify the resource of a patch.
const IDENTITY_FIELDS: [&str; 3] = ["name", "namespace", "generateName"];

/// How much of the new document the patch contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Granularity {
    /// Only what changed.
    Minimal,
    /// Changed lists as a whole.
    WholeLists,
    /// Unchanged values as well.
    Whole,
}

/// Compares two documents. The patch is an edit of the new document's text.
struct MergeDiffer<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    is_strategic: bool,
    granularity: Granularity,
    /// The entries that the new document lacks: nulls and directives.
    additions: Additions,
}

impl<'a> MergeDiffer<'a> {
    /// Returns the text of the patch.
    fn patch(mut self, schema: FieldSchema<'a>) -> Result<String, PatchError> {
        let (old, new) = (self.old.root().value, self.new.root().value);
        let children = self.fields(old, new, schema, &["apiVersion", "kind"], true);
        if self.new.entries(self.new.resolve(new)).len() == 0 {
            return Ok(self.additions.texts_of(&children).concat());
        }
        let text = self.additions.edited(self.new, part_of(children))?;
        Ok(text.unwrap_or_else(|| self.new.text().to_owned()))
    }

    /// Returns the fields of a map that are in the patch. The fields in `kept_names` always are,
    /// and so are those in the `metadata` of the root that identify the resource.
    pub(super) fn fields(
        &mut self,
        old: NodeId,
        new: NodeId,
        schema: FieldSchema<'a>,
        kept_names: &[&str],
        is_root: bool,
    ) -> Vec<Child> {
        let (old_tree, new_tree) = (self.old, self.new);
        let (old, new) = (old_tree.resolve(old), new_tree.resolve(new));
        let old_index = FieldIndex::of(old_tree, old).in_json();
        let new_index = FieldIndex::of(new_tree, new).in_json();
        let mut children = Vec::new();
        for entry in new_tree.entries(new) {
            let name = name_of(new_tree, entry).unwrap_or_default();
            let value = new_tree.entry(entry).value;
            let old_entry = key_of(new_tree, entry).and_then(|key| old_index.find(key));
            let old_value = old_entry.map(|old_entry| old_tree.entry(old_entry).value);
            let old_value = old_value.filter(|old| !old_tree.is_null(*old));
            let schema = schema.field(&name);
            let shapes = old_value.map(|old| (shape(old_tree, old), shape(new_tree, value)));
            let outcome = match old_value.zip(shapes) {
                _ if kept_names.contains(&&*name) => Outcome::Keep,
                None if new_tree.is_null(value) => self.unchanged(),
                None => Outcome::Keep,
                Some((old, (Shape::Map, Shape::Map))) if is_root && name == "metadata" => {
                    let children = self.fields(old, value, schema, &IDENTITY_FIELDS, false);
                    self.entries(value, children)
                }
                Some((old, (Shape::List, Shape::List))) if self.is_strategic => {
                    let (directives, outcome) = self.list(old, value, &name, schema);
                    children.extend(directives);
                    outcome
                }
                Some((old, _)) => self.value(old, value, schema),
            };
            children.push(Child::local(entry, outcome));
        }
        for entry in old_tree.entries(old) {
            let is_removed =
                key_of(old_tree, entry).is_none_or(|key| new_index.find(key).is_none());
            let entry = old_tree.entry(entry);
            if let Some(key) = entry.key.filter(|_| is_removed)
                && !old_tree.is_null(entry.value)
            {
                let key = scalar_text(old_tree, key);
                children.push(self.additions.entry(format!("{key}: null\n")));
            }
        }
        children
    }

    /// Returns the outcome of a value that did not change.
    fn unchanged(&self) -> Outcome {
        match self.granularity == Granularity::Whole {
            true => Outcome::Keep,
            false => Outcome::Remove,
        }
    }

    /// Compares a value of the new document with the one that the old document has in its place.
    fn value(&mut self, old: NodeId, new: NodeId, schema: FieldSchema<'a>) -> Outcome {
        if is_same_without_nulls(self.old, old, self.new, new) {
            return self.unchanged();
        }
        let is_patched_whole = self.is_strategic && schema.is_patched_whole();
        match (shape(self.old, old), shape(self.new, new)) {
            (Shape::Map, Shape::Map) if !is_patched_whole => {
                let children = self.fields(old, new, schema, &[], false);
                self.entries(new, children)
            }
            _ => Outcome::Keep,
        }
    }

    /// Returns the outcome of a map or list of the new document with these entries in the patch.
    fn entries(&mut self, new: NodeId, children: Vec<Child>) -> Outcome {
        if children.is_empty() || self.new.entries(self.new.resolve(new)).len() > 0 {
            return part_of(children);
        }
        let texts = self.additions.texts_of(&children).concat();
        let indented = trimmed_end(&texts).replace('\n', "\n  ");
        Outcome::Take(self.additions.value(format!("x:\n  {indented}\n")))
    }
}

/// Returns a scalar as text that is valid anywhere on a line.
fn scalar_text(tree: &Tree<'_>, node: NodeId) -> String {
    let Some(scalar) = tree.scalar(node) else {
        return String::new();
    };
    let (content, scalar_type) = (scalar.content, scalar.scalar_type);
    let own_style = scalar::write(content, scalar_type, scalar.style, true);
    own_style.unwrap_or_else(|| scalar::write_on_one_line(content, scalar_type, true))
}
