//! One document applied to a live one, as `kubectl apply` does it.

use super::Options;
use super::check::VerificationError;
use super::document::Side;
use super::merged_text::{Sources, merged_or_written_out, read_again};
use super::walk::Walker;
use super::walk::apply::LAST_APPLIED;
pub use super::walk::apply::Unkeyed;
use crate::schema::Kind;
use crate::yaml::{ScalarStyle, ScalarType, Tree, scalar};

/// What is applied, and to what.
#[derive(Debug, Clone, Copy)]
pub struct Application<'a> {
    /// What was applied last; `None` if that is not known.
    pub last: Option<&'a Tree<'a>>,
    /// The configuration.
    pub config: Side<'a>,
    /// The live object.
    pub live: Side<'a>,
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

/// Why an application cannot be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The text that came of it, read again, does not have the values that were decided (law 6): a
    /// defect of this program.
    Verification(VerificationError),
    /// An element of a list that merges by a key has none of its own.
    Unkeyed(Unkeyed),
}

impl From<VerificationError> for Refused {
    fn from(verification_error: VerificationError) -> Self {
        Self::Verification(verification_error)
    }
}

/// Makes of a live object what `kubectl apply` would leave: what the configuration has is set, what
/// it no longer has and was applied last goes, what only the live object has stays. The annotation
/// with what was applied last says what is applied now.
///
/// # Errors
/// See [`Refused`]; nothing is to be written then.
///
/// ```
/// use merge3::merge::{Application, Side, apply_document};
/// use merge3::schema::Schema;
/// use merge3::yaml::{Tree, stream::split};
///
/// let config = split("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: x\n");
/// let live = split("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: y # live\n  b: z\n");
/// let side = |tree, document| Side { tree, document };
/// let trees = [config[0].text, live[0].text].map(|text| Tree::parse(text).unwrap().unwrap());
/// let applied = apply_document(&Application {
///     last: None,
///     config: side(&trees[0], &config[0]),
///     live: side(&trees[1], &live[0]),
///     kind: Schema::kubernetes().kind("v1", "ConfigMap"),
///     annotation: "{}\n",
/// }).unwrap();
/// assert!(applied.text.unwrap().ends_with("data:\n  a: x # live\n  b: z\n"));
/// ```
pub fn apply_document(application: &Application<'_>) -> Result<Applied, Refused> {
    let Application { config, live, .. } = application;
    let nothing = Tree::empty();
    let last = application.last.unwrap_or(&nothing);
    let sources = Sources {
        updated: config.tree,
        local: live.tree,
    };
    let options = Options::default();
    let decide = |sources: Sources<'_>| {
        let walker = Walker::new(sources.with(last), false, &options);
        walker.apply(application.last.is_some(), application.kind)
    };
    let decided = decide(sources);
    if let Some(unkeyed) = decided.unkeyed {
        return Err(Refused::Unkeyed(unkeyed));
    }
    let decide = |sources: Sources<'_>| Ok(decide(sources).outcome);
    let text = merged_or_written_out(last, sources, &decided.outcome, &options, decide)?;
    let before = live.document.text;
    let text = annotated(text.as_deref().unwrap_or(before), application.annotation)?;
    Ok(Applied {
        text: (text != before).then_some(text),
        has_unknown_lists: decided.has_unknown_lists,
    })
}

/// The text of a document in which the annotation with what was applied last says `annotation`.
///
/// # Errors
/// Where the text that came of it does not say that (law 6).
pub(crate) fn annotated(text: &str, annotation: &str) -> Result<String, VerificationError> {
    let snippet = format!(
        "metadata:\n  annotations:\n    {LAST_APPLIED}: {}",
        written(annotation)
    );
    let (tree, addition) = (read_again(text)?, read_again(&snippet)?);
    let nothing = Tree::empty();
    let options = Options::default();
    let decide =
        |sources: Sources<'_>| Ok(Walker::new(sources.with(&nothing), false, &options).added());
    let sources = Sources {
        updated: &addition,
        local: &tree,
    };
    let merged = merged_or_written_out(&nothing, sources, &decide(sources)?, &options, decide)?;
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
