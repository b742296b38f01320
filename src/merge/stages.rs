//! The steps of a document's merge, one by one: for measuring them apart.
//! [`merge_document`](super::merge_document) takes them all.
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

use super::Sources;
use super::check::{self, VerificationError};
use super::decision::Outcome;
use super::edit::{Aliases, carry_out};
use super::options::Options;
use super::walk::Walker;
use crate::triple::Triple;
use crate::yaml::Tree;

/// What a walk decided.
#[derive(Debug)]
pub struct Decisions(Outcome);

/// Decides what comes of three trees of a resource.
pub fn walk(trees: Triple<&Tree<'_>>, options: &Options) -> Decisions {
    Decisions(Walker::new(trees, true, options).decide(true).outcome)
}

/// Carries decisions out on local's text.
pub fn edit(trees: Triple<&Tree<'_>>, decisions: &Decisions) -> String {
    let draft = carry_out(
        trees.local,
        trees.updated,
        None,
        &decisions.0,
        Aliases::Stay,
    );
    draft.fill(|_, _| {})
}

/// Compares a tree over the edited text with what was decided.
///
/// # Errors
/// Where they do not say the same.
pub fn check(
    merged: &Tree<'_>,
    trees: Triple<&Tree<'_>>,
    decisions: &Decisions,
) -> Result<(), VerificationError> {
    let sources = Sources {
        updated: trees.updated,
        local: trees.local,
    };
    check::check(merged, sources, &decisions.0, None)
}
