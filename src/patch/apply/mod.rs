//! One document applied to a live one, as `kubectl apply` does it.

mod fields;
mod lists;

use std::cell::Cell;

use crate::merge::Options;
use crate::patch::{Dialect, PatchError, Patcher, carried_out, in_the_style_of, parsed};
use crate::schema::Kind;
use crate::yaml::{ScalarStyle, ScalarType, Tree, scalar};

pub(super) use fields::Level;

/// The annotation that holds what was applied last.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What is applied, and to what.
#[derive(Debug, Clone, Copy)]
pub struct Application<'a> {
    /// What was applied last; `None` if that is not known.
    pub last: Option<&'a Tree<'a>>,
    /// The configuration.
    pub config: &'a Tree<'a>,
    /// The live object.
    pub live: &'a Tree<'a>,
    /// What is known of the kind.
    pub kind: Option<Kind<'a>>,
    /// What the annotation for the next time says.
    pub annotation: &'a str,
}

/// What an application leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The new text of the live document's whole chunk; `None` if not a byte of it changes.
    pub text: Option<String>,
    /// Whether lists were replaced because nothing is known of the kind.
    pub has_unknown_lists: bool,
}

/// Makes of a live object what `kubectl apply` would leave: what the configuration has is set, what
/// it no longer has and was applied last goes, what only the live object has stays. The annotation
/// with what was applied last says what is applied now.
///
/// # Errors
/// Where an element of a list that merges by a key has none of its own.
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
        let text = carried_out(live, config, |live, config| {
            let mut patcher = Patcher::new(live, config, dialect, &options);
            patcher.last = application.last;
            let outcome = patcher.applied(application.kind.map(|kind| kind.root))?;
            has_unknown_lists.set(patcher.has_unknown_lists);
            Ok(outcome)
        })?;
        let text = text.as_deref().unwrap_or(live.text());
        let text = annotated(text, application.annotation)?;
        Ok((text != live.text()).then_some(text))
    };
    let text = applied(application.config)?;
    Ok(Applied {
        text: in_the_style_of(live, application.config, text, applied)?,
        has_unknown_lists: has_unknown_lists.get(),
    })
}

/// The text of a document in which the annotation with what was applied last says `annotation`.
///
/// # Errors
/// Where the text that came of it does not say that (law 6).
pub(crate) fn annotated(text: &str, annotation: &str) -> Result<String, PatchError> {
    let addition = format!(
        "metadata:\n  annotations:\n    {LAST_APPLIED}: {}",
        written(annotation)
    );
    let (live, patch) = (parsed(text)?, parsed(&addition)?);
    let options = Options::default();
    let merged = carried_out(&live, &patch, |live, patch| {
        Patcher::new(live, patch, Dialect::Merge, &options).document(None)
    })?;
    Ok(merged.unwrap_or_else(|| text.to_owned()))
}

/// A text that ends in a line break, as `kubectl` prints it: a literal block, if it can be one.
fn written(text: &str) -> String {
    let quoted = |text, style| scalar::write(text, ScalarType::Str, style, false);
    match text.strip_suffix('\n') {
        Some(line) if quoted(line, ScalarStyle::SingleQuoted).is_some() => {
            format!("|\n      {line}\n")
        }
        _ => quoted(text, ScalarStyle::DoubleQuoted).unwrap_or_default(),
    }
}
