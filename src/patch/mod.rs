//! Patches: applies strategic merge patches, JSON merge patches (RFC 7386) and JSON patches (RFC
//! 6902) to the text of a document, and makes such patches. `kubectl apply` is here as well: it is
//! a merge patch that also removes what an earlier configuration had.
//!
//! This module uses the tree, the decisions and the edits of [`mod@crate::merge`] with its own rules:
//! the patch decides the outcome of each value of the target. Bytes of the target that the patch
//! does not name stay, and added values are copied from the patch's text.
//!
//! `Patcher` walks a merge patch and its target: maps are in `fields`, lists and their order in
//! `lists`, and values that are added or replaced in `replaced`. `directives` and `patch_list` read
//! `$patch` and the other directives, and `pairing` says which elements of two lists belong
//! together. `apply` adds the rules of `kubectl apply`, `json` applies JSON patches, and
//! `difference` makes patches. Both write what no tree has yet as `additions`.

mod additions;
mod apply;
mod difference;
mod directives;
mod fields;
mod json;
mod lists;
mod pairing;
mod patch_list;
mod replaced;
mod same;

use crate::merge::{Options, Outcome, VerificationError, Walker, merged_or_written_out};
use crate::schema::FieldSchema;
use crate::triple::{Side, Triple};
use crate::yaml::{NodeId, ParseError, Tree, json_in_block_style};

use apply::Level;

pub use apply::{Application, Applied, apply_document};
pub(crate) use apply::{LAST_APPLIED, annotated};
pub use difference::{json_difference, merge_difference};
pub use directives::{deletes_all, first_directive};
pub use json::json_patch;

/// The reason why a patch or a configuration cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchError {
    /// A text is wrong, or lacks what the patch needs: the patch (`Updated`), the target (`Local`) or
    /// the last applied configuration (`Original`). The error has the position in that text.
    Wrong(Side, ParseError),
    /// The patched text does not have the values that were decided: a bug in this program.
    Verification(VerificationError),
}

/// The rules by which a merge patch is applied.
#[derive(Debug, Clone, Copy)]
pub enum Rules<'s> {
    /// A strategic merge patch: lists merge by the schema, and directives are obeyed.
    Strategic(FieldSchema<'s>),
    /// A strategic merge patch as kustomize applies it: all keys of a list identify its elements,
    /// and the elements that the patch names come first.
    Kustomize(FieldSchema<'s>),
    /// A JSON merge patch: a list is one value, and there are no directives.
    Merge,
}

impl<'s> Rules<'s> {
    fn schema(self) -> FieldSchema<'s> {
        match self {
            Self::Strategic(schema) | Self::Kustomize(schema) => schema,
            Self::Merge => FieldSchema::default(),
        }
    }

    const fn is_strategic(self) -> bool {
        !matches!(self, Self::Merge)
    }
}

/// Applies a merge patch and returns the new text of the target, or `None` if nothing changes.
///
/// A null in the patch removes the field, a map merges into the target's map, and lists merge by
/// `rules`. Comments on values that the patch does not name stay. Added values bring the patch's
/// comments.
///
/// # Errors
/// Returns an error if the patch is wrong or does not fit the target.
///
/// ```
/// use merge3::patch::{Rules, merge_patch};
/// use merge3::schema::Schema;
/// use merge3::yaml::Tree;
///
/// let target = Tree::parse("spec:\n  finalizers: [a] # ours\n  replicas: 3 # three\n  paused: true\n").unwrap().unwrap();
/// let patch = Tree::parse("spec: {replicas: 5, paused: null}\n").unwrap().unwrap();
/// let patched = merge_patch(&target, &patch, Rules::Merge).unwrap();
/// assert_eq!(patched.unwrap(), "spec:\n  finalizers: [a] # ours\n  replicas: 5 # three\n");
///
/// let schema = Schema::kubernetes();
/// let pod = schema.kind("v1", "Pod").unwrap().root;
/// let target = Tree::parse("spec:\n  containers:\n  - name: app # ours\n    image: app:1\n  - name: log\n").unwrap().unwrap();
/// let patch = Tree::parse("spec: {containers: [{name: app, image: 'app:2'}, {name: log, $patch: delete}]}").unwrap().unwrap();
/// let patched = merge_patch(&target, &patch, Rules::Strategic(pod)).unwrap();
/// assert_eq!(patched.unwrap(), "spec:\n  containers:\n  - name: app # ours\n    image: app:2\n");
/// ```
pub fn merge_patch(
    target: &Tree<'_>,
    patch: &Tree<'_>,
    rules: Rules<'_>,
) -> Result<Option<String>, PatchError> {
    let options = Options::default();
    let merged = |patch: &Tree<'_>| {
        apply_outcome(target, patch, |target, patch| {
            Patcher::new(target, patch, rules, None, &options).document()
        })
    };
    with_block_style(target, patch, merged)
}

/// Returns the text of a document with a JSON merge patch applied.
///
/// # Errors
/// If one of the texts is not YAML with one document, or the patch cannot be applied.
pub(crate) fn patched(text: &str, patch: &str) -> Result<String, PatchError> {
    let (target, patch) = (parse_generated(text)?, parse_generated(patch)?);
    let patched = merge_patch(&target, &patch, Rules::Merge)?;
    Ok(patched.unwrap_or_else(|| text.to_owned()))
}

/// Applies the outcome that `decide` returns for the target and the patch. Returns the target's new
/// text, or `None` if nothing changes.
fn apply_outcome(
    target: &Tree<'_>,
    patch: &Tree<'_>,
    decide: impl Fn(&Tree<'_>, &Tree<'_>) -> PatchResult,
) -> PatchResult<Option<String>> {
    let nothing = Tree::empty();
    let trees = Triple::new(&nothing, patch, target);
    let decided = |trees: Triple<&Tree<'_>>| decide(trees.local, trees.updated);
    let outcome = decided(trees)?;
    merged_or_written_out(trees, &outcome, &Options::default(), decided)
}

/// Applies a patch by `apply`. If it changes a target in block style, a patch in JSON is applied
/// again in block style. The first run uses the patch as written, so that its errors point to the
/// right position.
fn with_block_style(
    target: &Tree<'_>,
    patch: &Tree<'_>,
    apply: impl Fn(&Tree<'_>) -> PatchResult<Option<String>>,
) -> PatchResult<Option<String>> {
    let Some(patched) = apply(patch)? else {
        return Ok(None);
    };
    let is_flow = target.is_flow(target.root().value) == Some(true);
    match json_in_block_style(patch).filter(|_| !is_flow) {
        Some(text) => apply(&parse_generated(&text)?),
        None => Ok(Some(patched)),
    }
}

/// Parses a text that this module wrote.
fn parse_generated(text: &str) -> Result<Tree<'_>, PatchError> {
    Tree::parse(text)
        .map_err(|error| verification_error(error.message))?
        .ok_or_else(|| verification_error("nothing is left of it"))
}

/// An error that says that the result is not what was decided.
fn verification_error(message: impl Into<String>) -> PatchError {
    let (path, message) = (String::new(), message.into());
    PatchError::Verification(VerificationError { path, message })
}

impl From<VerificationError> for PatchError {
    fn from(verification_error: VerificationError) -> Self {
        Self::Verification(verification_error)
    }
}

/// The result of a decision about a patch.
type PatchResult<T = Outcome> = Result<T, PatchError>;

/// The context of a value of the target: its schema, its last applied value, and its level.
#[derive(Debug, Clone, Copy, Default)]
struct Context<'a> {
    schema: FieldSchema<'a>,
    /// The value in the last applied configuration.
    last: Option<NodeId>,
    level: Level,
    /// Whether the value is an element of a list with `patchStrategy: retainKeys`.
    retains_keys: bool,
}

impl<'a> Context<'a> {
    fn of(schema: FieldSchema<'a>) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }

    fn field(self, name: &str, last: Option<NodeId>) -> Self {
        Self {
            schema: self.schema.field(name),
            last,
            level: self.level.of_field(name),
            retains_keys: false,
        }
    }
}

/// Walks a target and a patch and decides the outcome of the target. For `kubectl apply`, the live
/// object is the target, and the configuration is the patch.
struct Patcher<'a> {
    target: &'a Tree<'a>,
    patch: &'a Tree<'a>,
    rules: Rules<'a>,
    /// What `kubectl apply` applies; `None` for a patch.
    application: Option<&'a Application<'a>>,
    /// Whether lists were replaced because the kind is unknown.
    has_unknown_lists: bool,
    /// Replaces values, and keeps the text of every part that does not change.
    walker: Walker<'a>,
}

impl<'a> Patcher<'a> {
    fn new(
        target: &'a Tree<'a>,
        patch: &'a Tree<'a>,
        rules: Rules<'a>,
        application: Option<&'a Application<'a>>,
        options: &'a Options,
    ) -> Self {
        Self {
            target,
            patch,
            rules,
            application,
            has_unknown_lists: false,
            walker: Walker::new(Triple::new(target, patch, target), false, options),
        }
    }

    /// Whether `$patch` and similar keys are directives.
    const fn is_strategic(&self) -> bool {
        self.rules.is_strategic() && !self.is_apply()
    }

    const fn is_kustomize(&self) -> bool {
        matches!(self.rules, Rules::Kustomize(_))
    }

    /// Returns an error at a node of the patch.
    fn patch_error(&self, node: NodeId, message: impl Into<String>, help: &str) -> PatchError {
        patch_error_at(self.patch, node, message, help)
    }
}

/// Returns an error at a node of a patch.
fn patch_error_at(
    patch: &Tree<'_>,
    node: NodeId,
    message: impl Into<String>,
    help: &str,
) -> PatchError {
    let error = patch.error_at(node, message).with_help(help);
    PatchError::Wrong(Side::Updated, error)
}
