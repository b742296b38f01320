//! The steps of a document's merge as separate functions, for benchmarks.
//! [`merge_document`](super::merge_document) runs all of them.
//!
//! ```
//! use merge3::merge::{Options, stages};
//! use merge3::triple::Triple;
//! use merge3::yaml::Tree;
//!
//! let texts = Triple::new("image: app:1\n", "image: app:2\n", "image: app:1 # ours\n");
//! let trees = texts.map(|text| Tree::parse(text).unwrap().unwrap());
//! let trees = trees.as_ref();
//! let decisions = stages::walk(trees, &Options::default());
//! let text = stages::edit(trees, &decisions);
//! assert_eq!(text, "image: app:2 # ours\n");
//! let merged = Tree::parse(&text).unwrap().unwrap();
//! stages::check(&merged, trees, &decisions).unwrap();
//! ```

use super::check::{self, VerificationError};
use super::decision::Outcome;
use super::edit::{Aliases, carry_out};
use super::options::Options;
use super::walk::Walker;
use crate::triple::Triple;
use crate::yaml::Tree;

/// The decisions of a walk.
#[derive(Debug)]
pub struct Decisions(Outcome);

/// Decides how the three versions of a resource merge.
pub fn walk(trees: Triple<&Tree<'_>>, options: &Options) -> Decisions {
    Decisions(Walker::new(trees, true, options).decide(true).outcome)
}

/// Carries the decisions out on local's text and returns the result.
pub fn edit(trees: Triple<&Tree<'_>>, decisions: &Decisions) -> String {
    let draft = carry_out(trees, &decisions.0, Aliases::Stay);
    draft.fill(|_, _| {})
}

/// Compares the tree of the edited text with the decisions.
///
/// # Errors
/// If a value differs from what was decided.
pub fn check(
    merged: &Tree<'_>,
    trees: Triple<&Tree<'_>>,
    decisions: &Decisions,
) -> Result<(), VerificationError> {
    check::check(merged, trees, &decisions.0, None)
}
