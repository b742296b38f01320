//! Applies a document to a live object, as `kubectl apply` does: the walk of a merge patch that
//! also removes what was applied last and is no longer in the configuration. Lists merge as one
//! value, as a set, or by the keys of their elements.

use std::cell::Cell;

use crate::merge::{FieldIndex, Options, Shape, key_of, shape};
use crate::schema::{FieldSchema, Kind, ListRule, MapKey};
use crate::triple::Side;
use crate::yaml::{EntryId, NodeId, ParseError, ScalarStyle, ScalarType, Tree, equal, scalar};

use super::directives::PatchMap;
use super::pairing::{Defaults, Pairing};
use super::{
    Context, PatchError, PatchResult, Patcher, Rules, apply_outcome, patched, with_block_style,
};

/// The annotation that holds the last applied configuration.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The input of an application.
#[derive(Debug, Clone, Copy)]
pub struct Application<'a> {
    /// The last applied configuration, if it is known.
    pub last: Option<&'a Tree<'a>>,
    /// The configuration.
    pub config: &'a Tree<'a>,
    /// The live object.
    pub live: &'a Tree<'a>,
    /// The schema of the kind.
    pub kind: Option<Kind<'a>>,
    /// The new value of the last-applied annotation.
    pub annotation: &'a str,
}

/// The result of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The new text of the live document's chunk; `None` if it does not change.
    pub text: Option<String>,
    /// Whether lists were replaced because the kind is unknown.
    pub has_unknown_lists: bool,
}

/// Returns the live object as `kubectl apply` would leave it. Fields of the configuration are set,
/// fields that were applied last and are not in the configuration are removed, and fields that only
/// the live object has stay. The last-applied annotation gets its new value.
///
/// # Errors
/// Returns an error if an element of a keyed list has no key of its own.
///
/// ```
/// use merge3::patch::{Application, apply_document};
/// use merge3::schema::Schema;
/// use merge3::yaml::Tree;
///
/// let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: x\n";
/// let live = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: y # live\n  b: z\n";
/// let [config, live] = [config, live].map(|text| Tree::parse(text).unwrap().unwrap());
/// let applied = apply_document(&Application {
///     last: None,
///     config: &config,
///     live: &live,
///     kind: Schema::kubernetes().kind("v1", "ConfigMap"),
///     annotation: "{}\n",
/// }).unwrap();
/// assert!(applied.text.unwrap().ends_with("data:\n  a: x # live\n  b: z\n"));
/// ```
pub fn apply_document(application: &Application<'_>) -> Result<Applied, PatchError> {
    let (live, options) = (application.live, Options::default());
    let kind = application.kind;
    let rules = kind.map_or(Rules::Merge, |kind| Rules::Strategic(kind.root));
    let has_unknown_lists = Cell::new(false);
    let applied = |config: &Tree<'_>| {
        let text = apply_outcome(live, config, |live, config| {
            let mut patcher = Patcher::new(live, config, rules, Some(application), &options);
            let outcome = patcher.document()?;
            has_unknown_lists.set(patcher.has_unknown_lists);
            Ok(outcome)
        })?;
        let text = text.as_deref().unwrap_or(live.text());
        let text = annotated(text, application.annotation)?;
        Ok((text != live.text()).then_some(text))
    };
    Ok(Applied {
        text: with_block_style(live, application.config, applied)?,
        has_unknown_lists: has_unknown_lists.get(),
    })
}

/// Returns the text of a document with `annotation` as the value of the last-applied annotation.
///
/// # Errors
/// Returns an error if the new text does not have that value (law 6).
pub(crate) fn annotated(text: &str, annotation: &str) -> Result<String, PatchError> {
    let addition = format!(
        "metadata:\n  annotations:\n    {LAST_APPLIED}: {}",
        yaml_text(annotation)
    );
    patched(text, &addition)
}

/// Returns a text as a YAML value, as `kubectl` prints it: a literal block if possible, otherwise
/// double-quoted.
fn yaml_text(text: &str) -> String {
    let quoted = |text, style| scalar::write(text, ScalarType::Str, style, false);
    match text.strip_suffix('\n') {
        Some(line) if quoted(line, ScalarStyle::SingleQuoted).is_some() => {
            format!("|\n      {line}\n")
        }
        _ => quoted(text, ScalarStyle::DoubleQuoted).unwrap_or_default(),
    }
}

/// The fields of `metadata` that the server sets.
const SERVER_FIELDS: [&str; 6] = [
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The level of a value in an applied resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Level {
    Root,
    Metadata,
    Annotations,
    /// A field that no configuration changes: the server sets it, or it is the last-applied
    /// annotation, which is written at the end. The namespace is one as well, because a
    /// configuration may omit it.
    Protected,
    #[default]
    Below,
}

impl Level {
    pub(super) fn of_field(self, name: &str) -> Self {
        match (self, name) {
            (Self::Root, "metadata") => Self::Metadata,
            (Self::Metadata, "annotations") => Self::Annotations,
            (Self::Root, "status") | (Self::Metadata, "namespace") => Self::Protected,
            (Self::Metadata, name) if SERVER_FIELDS.contains(&name) => Self::Protected,
            (Self::Annotations, LAST_APPLIED) => Self::Protected,
            _ => Self::Below,
        }
    }
}

/// The list of the configuration, of the live object, and of the last applied configuration.
type Lists = [Option<NodeId>; 3];

impl<'a> Patcher<'a> {
    pub(super) const fn is_apply(&self) -> bool {
        self.application.is_some()
    }

    /// The last applied configuration, if there is one.
    pub(super) fn last(&self) -> Option<&'a Tree<'a>> {
        self.application?.last
    }

    /// The value of an entry of the last applied configuration.
    pub(super) fn last_value(&self, last: Option<EntryId>) -> Option<NodeId> {
        Some(self.last()?.entry(last?).value)
    }

    /// Whether the kind of an applied resource is defined by a custom resource definition.
    fn is_custom(&self) -> bool {
        let kind = self.application.and_then(|it| it.kind);
        kind.is_some_and(|kind| kind.is_custom)
    }

    /// Whether a map is one value.
    pub(super) fn is_one_value(&self, schema: FieldSchema<'a>) -> bool {
        match self.is_custom() {
            true => schema.is_atomic_map(),
            false => schema.is_patched_whole(),
        }
    }

    /// Whether fields that only the live object has are removed: a map with `patchStrategy:
    /// retainKeys` changes its variant, because a field is added or a scalar changes.
    pub(super) fn clears_rest(
        &self,
        target: NodeId,
        patch_map: &PatchMap,
        context: Context<'a>,
    ) -> bool {
        let retains = context.retains_keys || context.schema.retains_keys();
        let target_index = FieldIndex::of(self.target, target).in_json();
        let changes_variant = |entry: &EntryId| {
            let value = self.patch.entry(*entry).value;
            let Some(own) = key_of(self.patch, *entry).and_then(|key| target_index.find(key))
            else {
                return !self.patch.is_null(value);
            };
            let own = self.target.entry(own).value;
            shape(self.patch, value) == Shape::Scalar && !equal(self.patch, value, self.target, own)
        };
        self.is_apply() && retains && patch_map.fields.iter().any(changes_variant)
    }

    /// Returns how the elements of a list pair: for a built-in kind as in `kubectl apply`, for a
    /// custom kind as its definition says.
    ///
    /// # Errors
    /// Returns an error if elements of a keyed list have no key, or the same key.
    pub(super) fn applied_pairing(
        &self,
        lists: Lists,
        schema: FieldSchema<'a>,
    ) -> PatchResult<Pairing<'a>> {
        let as_set = || match self.key_error(lists, Pairing::Scalar) {
            None => Pairing::Scalar,
            Some(_) => Pairing::Atomic,
        };
        let mut keys: Vec<&'a [MapKey]> = Vec::new();
        match schema.patch_list() {
            _ if self.is_custom() => {}
            ListRule::Map(merged) => keys.push(merged),
            ListRule::Set => return Ok(as_set()),
            ListRule::Atomic | ListRule::Unknown => return Ok(Pairing::Atomic),
        }
        match schema.list() {
            ListRule::Map(listed) => keys.push(listed),
            ListRule::Set if keys.is_empty() => return Ok(as_set()),
            _ => {}
        }
        let mut last_error = None;
        for keys in keys {
            let pairing = Pairing::Fields(keys, Defaults::Used);
            match self.key_error(lists, pairing) {
                None => return Ok(pairing),
                error => last_error = error,
            }
        }
        last_error.map_or(Ok(Pairing::Atomic), Err)
    }

    /// Returns an error for the first element without a key, or with the key of an earlier element.
    fn key_error(&self, lists: Lists, pairing: Pairing<'a>) -> Option<PatchError> {
        // the configuration comes first, because users can change it most easily
        let sides = [
            (Some(self.patch), "", Side::Updated),
            (Some(self.target), "", Side::Local),
            (self.last(), "in what was applied last, ", Side::Original),
        ];
        let mut sides = sides.into_iter().zip(lists);
        sides.find_map(|((tree, prefix, side), list)| {
            let tree = tree?;
            let list = list.filter(|list| shape(tree, *list) == Shape::List)?;
            let (element, is_duplicate) = pairing.first_without_own_key(tree, list)?;
            let (what, help) = match is_duplicate {
                false => (format!("no `{pairing}`"), format!("give it `{pairing}`")),
                true => (
                    format!("the same `{pairing}` as one before it"),
                    "remove one of the two".to_owned(),
                ),
            };
            let message = format!("{prefix}this element has {what}, by which the list merges");
            let at = tree.entry(element).span.start as usize;
            let error = ParseError::new(at, message).with_help(help);
            Some(PatchError::Wrong(side, error))
        })
    }
}
