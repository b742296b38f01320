//! Applies a document to a live object, as `kubectl apply` does.

mod fields;
mod lists;

use std::cell::Cell;

use crate::merge::Options;
use crate::patch::{Dialect, PatchError, Patcher, apply_outcome, patched, with_block_style};
use crate::schema::Kind;
use crate::yaml::{ScalarStyle, ScalarType, Tree, scalar};

pub(super) use fields::Level;

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
    let dialect = Dialect::Apply {
        is_custom: application.kind.is_some_and(|kind| kind.is_custom),
    };
    let has_unknown_lists = Cell::new(false);
    let applied = |config: &Tree<'_>| {
        let text = apply_outcome(live, config, |live, config| {
            let mut patcher = Patcher::new(live, config, dialect, &options);
            patcher.last = application.last;
            let outcome = patcher.document(application.kind.map(|kind| kind.root))?;
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
