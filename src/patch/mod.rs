//! Patches: strategic merge patch, JSON merge patch (RFC 7386) and JSON patch (RFC 6902), applied
//! to the text of a document; and `kubectl apply`, which is a merge patch that also removes.
//!
//! The same tree, decisions and edits as the merge's, with rules of their own: the patch decides
//! what becomes of the target's values, the target's bytes stay where it names none, and what comes
//! is cut out of the patch's text.
//!
//! `Patcher` walks a merge patch beside its target: maps in `fields`, lists in `lists`, values
//! that are replaced in `replaced`; `arriving` says what comes where the target has nothing.
//! `directives` and `patch_list` read `$patch` and its like, `pairing` says which elements of two
//! lists are one, `order` what order they get. `apply` has the rules of `kubectl apply` for the
//! same walk, `json` is JSON patch, and `difference` makes patches.

mod apply;
mod arriving;
mod difference;
mod directives;
mod fields;
mod json;
mod lists;
mod order;
mod pairing;
mod patch_list;
mod replaced;
mod same;

use crate::merge::{Options, Outcome, Sources, VerificationError, Walker, merged_or_written_out};
use crate::schema::FieldSchema;
use crate::triple::Triple;
use crate::yaml::{NodeId, NodeKind, ParseError, Tree, json_in_block_style};

use apply::Level;

pub use apply::{Application, Applied, apply_document};
pub(crate) use apply::{LAST_APPLIED, annotated};
pub use difference::{json_difference, merge_difference};
pub use directives::{deletes_all, first_directive};
pub use json::json_patch;

/// Why a patch or a configuration cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchError {
    /// The patch is wrong: where in its text, and what.
    Patch(ParseError),
    /// The target does not have what the patch needs: where in its text, and what.
    Target(ParseError),
    /// What was applied last is wrong: where in its text, and what.
    Last(ParseError),
    /// The patched text does not say what the patch decided: a defect of this program.
    Verification(VerificationError),
}

/// By which rules a merge patch is applied.
#[derive(Debug, Clone, Copy)]
pub enum Rules<'s> {
    /// A strategic merge patch: lists merge as the schema says, and directives are obeyed.
    Strategic(FieldSchema<'s>),
    /// A strategic merge patch as kustomize applies it: all keys of a list identify its elements,
    /// and those that the patch names come first.
    Kustomize(FieldSchema<'s>),
    /// A JSON merge patch: lists are one value, and nothing is a directive.
    Merge,
}

/// The target's text with a merge patch applied; `None` if that changes nothing.
///
/// A null in the patch removes the field, a map merges into the target's, and lists merge as
/// `rules` say. Comments of what the patch does not name stay; what it brings comes with the
/// patch's comments.
///
/// # Errors
/// Where the patch is wrong, or the target does not fit it.
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
    let (dialect, schema) = match rules {
        Rules::Strategic(schema) => (Dialect::Kubectl, Some(schema)),
        Rules::Kustomize(schema) => (Dialect::Kustomize, Some(schema)),
        Rules::Merge => (Dialect::Merge, None),
    };
    let options = Options::default();
    let merged = |patch: &Tree<'_>| {
        carried_out(target, patch, |target, patch| {
            Patcher::new(target, patch, dialect, &options).document(schema)
        })
    };
    in_the_style_of(target, patch, merged(patch)?, merged)
}

/// The target's text with these values, null removing a field; `None` if nothing changes.
pub(crate) fn with_values(target: &Tree<'_>, values: &serde_json::Value) -> Option<String> {
    let text = values.to_string();
    let patch = Tree::parse(&text).ok()??;
    merge_patch(target, &patch, Rules::Merge).ok()?
}

/// The target's text with what `decide` says of it and the patch carried out; `None` if nothing
/// changes.
fn carried_out(
    target: &Tree<'_>,
    patch: &Tree<'_>,
    decide: impl Fn(&Tree<'_>, &Tree<'_>) -> Decided,
) -> Decided<Option<String>> {
    let sources = Sources {
        updated: patch,
        local: target,
    };
    let decided = |sources: Sources<'_>| decide(sources.local, sources.updated);
    let outcome = decided(sources)?;
    let options = Options::default();
    merged_or_written_out(&Tree::empty(), sources, &outcome, &options, decided)
}

/// What a patch in JSON brings into a target that is none is written as YAML: `patched` again, with
/// the patch in that form.
///
/// The patch is applied as it is written first, so that what is wrong with it has its place there.
fn in_the_style_of(
    target: &Tree<'_>,
    patch: &Tree<'_>,
    patched: Option<String>,
    again: impl Fn(&Tree<'_>) -> Decided<Option<String>>,
) -> Decided<Option<String>> {
    let is_flow = matches!(
        &target.node(target.root().value).kind,
        NodeKind::Mapping(root) | NodeKind::Sequence(root) if root.flow
    );
    let is_other = patched.is_some() && !is_flow;
    match is_other.then(|| json_in_block_style(patch)).flatten() {
        Some(text) => again(&parsed(&text)?),
        None => Ok(patched),
    }
}

/// A text of our own, read again.
fn parsed(text: &str) -> Result<Tree<'_>, PatchError> {
    Tree::parse(text)
        .map_err(|error| unverified(error.message))?
        .ok_or_else(|| unverified("nothing is left of it"))
}

/// What came out is not what was decided.
fn unverified(message: impl Into<String>) -> PatchError {
    let (path, message) = (String::new(), message.into());
    PatchError::Verification(VerificationError { path, message })
}

impl From<VerificationError> for PatchError {
    fn from(verification_error: VerificationError) -> Self {
        Self::Verification(verification_error)
    }
}

type Decided<T = Outcome> = Result<T, PatchError>;

/// Whose rules a merge patch follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// RFC 7386.
    Merge,
    Kubectl,
    Kustomize,
    /// Those of `kubectl apply`.
    Apply {
        /// Whether the kind is of a custom resource definition.
        is_custom: bool,
    },
}

/// Where a value of the target is, and what is known of it there.
#[derive(Debug, Clone, Copy, Default)]
struct At<'a> {
    schema: Option<FieldSchema<'a>>,
    /// What was applied last there.
    last: Option<NodeId>,
    level: Level,
    /// Whether a map that becomes another thing loses what only the target has.
    retains: bool,
}

impl<'a> At<'a> {
    fn of(schema: Option<FieldSchema<'a>>) -> Self {
        Self {
            schema,
            ..Self::default()
        }
    }

    fn field(self, name: &str, last: Option<NodeId>) -> Self {
        Self {
            schema: self.schema.map(|schema| schema.field(name)),
            last,
            level: self.level.below(name),
            retains: false,
        }
    }
}

/// Walks a target and a patch and decides what becomes of the target. Of an application the live
/// object is the target, and the configuration the patch.
struct Patcher<'a> {
    target: &'a Tree<'a>,
    patch: &'a Tree<'a>,
    /// What was applied last, if that is known.
    last: Option<&'a Tree<'a>>,
    dialect: Dialect,
    /// Whether lists were replaced because nothing is known of the kind.
    has_unknown_lists: bool,
    /// What gives a value exactly, keeping the text of what has it already.
    walker: Walker<'a>,
}

impl<'a> Patcher<'a> {
    fn new(
        target: &'a Tree<'a>,
        patch: &'a Tree<'a>,
        dialect: Dialect,
        options: &'a Options,
    ) -> Self {
        Self {
            target,
            patch,
            last: None,
            dialect,
            has_unknown_lists: false,
            walker: Walker::new(Triple::new(target, patch, target), false, options),
        }
    }

    /// Whether `$patch` and its like are directives.
    const fn is_strategic(&self) -> bool {
        matches!(self.dialect, Dialect::Kubectl | Dialect::Kustomize)
    }

    /// An error about a node of the patch.
    fn wrong(&self, node: NodeId, message: impl Into<String>, help: &str) -> PatchError {
        wrong_at(self.patch, node, message, help)
    }
}

/// An error about a node of a patch.
fn wrong_at(patch: &Tree<'_>, node: NodeId, message: impl Into<String>, help: &str) -> PatchError {
    let at = patch.node(node).span.start as usize;
    PatchError::Patch(ParseError::new(at, message).with_help(help))
}
