//! The patch that turns one document into another, as small as it can be.

mod fields;
mod json;
mod lists;
mod pieces;
mod values;

use crate::merge::{Child, Outcome, Shape, edited, part_of, shape, without_aliases};
use crate::schema::FieldSchema;
use crate::yaml::{EntryId, NodeId, Tree};

use super::{PatchError, Rules, merge_patch, parsed, unverified};
use pieces::Pieces;

pub use json::json_difference;

/// The merge patch that makes `new` of `old`; `None` if they have the same values.
///
/// It is the text of `new` without what did not change, so comments come along; what `old` alone
/// has is removed by nulls and directives. A null in `new` counts as absent: no merge patch can set
/// one.
///
/// # Errors
/// Where the patch, applied to `old`, would not give the values of `new`: a defect of this program.
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
    if values::is_same(old, old.root().value, new, new.root().value) {
        return Ok(None);
    }
    if new.has_aliases() {
        // an anchor may be in what did not change, and so not in the patch
        let plain = without_aliases(new)
            .ok_or_else(|| unverified("its aliases, written out, would make it too long"))?;
        return merge_difference(old, &parsed(&plain)?, rules);
    }
    let (is_strategic, schema) = match rules {
        Rules::Strategic(schema) | Rules::Kustomize(schema) => (true, Some(schema)),
        Rules::Merge => (false, None),
    };
    for grain in [Grain::Fine, Grain::Lists, Grain::Everything] {
        let made = Differ {
            old,
            new,
            is_strategic,
            grain,
            pieces: Pieces::default(),
        }
        .patch(schema);
        // where the text is so tangled that an edit of it fails, more of it comes
        let Ok(patch) = made else { continue };
        let tree = parsed(&patch)?;
        let patched = merge_patch(old, &tree, rules)?;
        let result = patched.unwrap_or_else(|| old.text().to_owned());
        let result = parsed(&result)?;
        if values::is_same(&result, result.root().value, new, new.root().value) {
            return Ok(Some(patch));
        }
    }
    Err(unverified("no patch was found that gives the new values"))
}

/// How small a patch is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grain {
    /// As small as can be.
    Fine,
    /// Lists that change are replaced.
    Lists,
    /// What did not change is in it, too.
    Everything,
}

/// What an entry of the new document is in the patch.
#[derive(Debug)]
enum Part {
    /// It did not change.
    Same,
    /// All of it is in the patch.
    Whole,
    /// Some of its entries are.
    Some(Vec<Child>),
    /// Entries of our own stand for it: it is an empty map or list.
    Instead(String),
}

/// Compares two documents; the patch is the new one's text, edited.
struct Differ<'a> {
    old: &'a Tree<'a>,
    new: &'a Tree<'a>,
    is_strategic: bool,
    grain: Grain,
    /// What the new text does not have: nulls and directives.
    pieces: Pieces,
}

impl<'a> Differ<'a> {
    fn patch(mut self, schema: Option<FieldSchema<'a>>) -> Result<String, PatchError> {
        let (old, new) = (self.old.root().value, self.new.root().value);
        let children = self.fields(old, new, schema, &["apiVersion", "kind"], true);
        if self.new.entries(self.new.resolve(new)).len() == 0 {
            return Ok(self.pieces.taken_back(&children).concat());
        }
        let text = self.pieces.text();
        let source = parsed(&text)?;
        let outcome = self.pieces.placed(&source, part_of(children));
        let text = edited(self.new, &source, &outcome)?;
        Ok(text.unwrap_or_else(|| self.new.text().to_owned()))
    }

    /// An entry of the new document as a child of the patch; none where it is not in it.
    fn child(&mut self, entry: EntryId, part: Part) -> Vec<Child> {
        match part {
            Part::Same if self.grain == Grain::Everything => vec![Child::keep(entry)],
            Part::Same => vec![Child::local(entry, Outcome::Remove)],
            Part::Whole => vec![Child::keep(entry)],
            Part::Some(children) => vec![Child::local(entry, Outcome::merge(children))],
            Part::Instead(text) => {
                let piece = self.pieces.add(text);
                vec![Child::local(entry, Outcome::Remove), piece]
            }
        }
    }

    fn value(&mut self, entry: EntryId, old: NodeId, schema: Option<FieldSchema<'a>>) -> Part {
        let new = self.new.entry(entry).value;
        if values::is_same(self.old, old, self.new, new) {
            return Part::Same;
        }
        let is_patched_whole =
            self.is_strategic && schema.is_some_and(FieldSchema::is_patched_whole);
        match (shape(self.old, old), shape(self.new, new)) {
            (Shape::Map, Shape::Map) if !is_patched_whole => {
                let children = self.fields(old, new, schema, &[], false);
                self.part(entry, children)
            }
            _ => Part::Whole,
        }
    }

    /// A map or list of which some entries are in the patch.
    fn part(&mut self, entry: EntryId, children: Vec<Child>) -> Part {
        let new = self.new.entry(entry).value;
        let is_empty = self.new.entries(self.new.resolve(new)).len() == 0;
        if !is_empty {
            return Part::Some(children);
        }
        if children.is_empty() {
            return Part::Whole;
        }
        let key = self.new.entry(entry).key;
        let key = key.map_or_else(String::new, |key| values::scalar_text(self.new, key));
        let texts = self.pieces.taken_back(&children);
        let indented = texts.join("").replace('\n', "\n  ");
        Part::Instead(format!("{}:\n  {}\n", key, indented.trim_end()))
    }
}
