//! One document applied to a live one, as `kubectl apply` does it.

use std::cell::Cell;

use super::{Decided, Dialect, PatchError, Patcher, parsed, patch_in_block_style};
use crate::merge::{Options, Sources, merged_or_written_out};
use crate::schema::Kind;
use crate::yaml::{ScalarStyle, ScalarType, Tree, scalar};

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
    // first as it is written: what is wrong has its place there
    let applied = applied(application)?;
    let config = patch_in_block_style(application.live, application.config);
    match config.filter(|_| applied.text.is_some()) {
        Some(text) => self::applied(&Application {
            config: &parsed(&text)?,
            ..*application
        }),
        None => Ok(applied),
    }
}

fn applied(application: &Application<'_>) -> Result<Applied, PatchError> {
    let (live, options) = (application.live, Options::default());
    let sources = Sources {
        updated: application.config,
        local: live,
    };
    let dialect = Dialect::Apply {
        is_custom: application.kind.is_some_and(|kind| kind.is_custom),
    };
    let has_unknown_lists = Cell::new(false);
    let text = carried_out(sources, &options, |sources| {
        let mut patcher = Patcher::new(sources.local, sources.updated, dialect, &options);
        patcher.last = application.last;
        let outcome = patcher.applied(application.kind.map(|kind| kind.root))?;
        has_unknown_lists.set(patcher.has_unknown_lists);
        Ok(outcome)
    })?;
    let text = annotated(
        text.as_deref().unwrap_or(live.text()),
        application.annotation,
    )?;
    Ok(Applied {
        text: (text != live.text()).then_some(text),
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
    let sources = Sources {
        updated: &parsed(&addition)?,
        local: &parsed(text)?,
    };
    let options = Options::default();
    let merged = carried_out(sources, &options, |sources| {
        Patcher::new(sources.local, sources.updated, Dialect::Merge, &options).document(None)
    })?;
    Ok(merged.unwrap_or_else(|| text.to_owned()))
}

fn carried_out(
    sources: Sources<'_>,
    options: &Options,
    decide: impl Fn(Sources<'_>) -> Decided,
) -> Decided<Option<String>> {
    let outcome = decide(sources)?;
    merged_or_written_out(&Tree::empty(), sources, &outcome, options, decide)
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
