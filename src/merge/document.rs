//! One document of three sides, merged.

use std::borrow::Cow;

use super::body::{body, is_same_but_line_breaks, with_body, with_line_end_of};
use super::check::Unfaithful;
use super::decision::Outcome;
use super::merged_text::{
    Sources, is_faithful, merged_or_written_out, read_again, read_again_like,
};
use super::pins::is_document_pinned;
use super::walk::{Decided, Walker};
use super::{Conflict, Nulls, Options};
use crate::line_breaks::{line_break_of, with_line_break};
use crate::triple::Triple;
use crate::yaml::{Document, Tree, equal};

/// A document and the tree over its text.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Where the document is cut out of its file.
    pub document: &'a Document<'a>,
    /// The tree over [`Document::text`].
    pub tree: &'a Tree<'a>,
}

/// The original's document, and its tree: lent, or given away.
#[derive(Debug)]
pub(crate) struct Original<'a> {
    pub(crate) document: &'a Document<'a>,
    pub(crate) tree: Cow<'a, Tree<'a>>,
}

/// What a merge makes of a local document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The new text of local's whole chunk; none where not a byte of it changes.
    pub text: Option<String>,
    /// The places where both sides changed and do not agree.
    pub conflicts: Vec<Conflict>,
    /// What a comment `# merge3: keep` held back, which is no conflict.
    pub pinned: Vec<Conflict>,
}

/// Brings what changed from original to updated into local (SPEC 4 to 7).
///
/// `resource` says whether the document is a resource, in which an explicit null is a word of command (SPEC 5.2). A
/// merge without an original is one with nothing as the original.
///
/// # Errors
/// Where the merged text, read again, does not have the values that the merge decided (law 6): a defect of this
/// program, and nothing is to be written.
///
/// ```
/// use merge3::merge::{Options, Side, merge_document};
/// use merge3::triple::Triple;
/// use merge3::yaml::{Tree, stream::split};
///
/// let texts = Triple::new("image: app:1\n", "image: app:2\n", "image: app:1 # ours\nreplicas: 5\n");
/// let documents = texts.map(split);
/// let trees = documents.as_ref().map(|documents| Tree::parse(documents[0].text).unwrap().unwrap());
/// let sides = documents.as_ref().zip(trees.as_ref()).map(|(documents, tree)| Side { document: &documents[0], tree });
/// let merged = merge_document(sides.map(Some), true, &Options::default()).unwrap();
/// assert_eq!(merged.text.unwrap(), "image: app:2 # ours\nreplicas: 5\n");
/// assert!(merged.conflicts.is_empty());
/// ```
pub fn merge_document(
    sides: Triple<Option<Side<'_>>>,
    resource: bool,
    options: &Options,
) -> Result<Merged, Unfaithful> {
    let original = sides.original.map(|side| Original {
        document: side.document,
        tree: Cow::Borrowed(side.tree),
    });
    merge_sides(original, sides.updated, sides.local, resource, options)
}

/// The same, which lets a large tree of the original go that is given away, as soon as the merge is decided.
pub(crate) fn merge_sides(
    original: Option<Original<'_>>,
    updated: Option<Side<'_>>,
    local: Option<Side<'_>>,
    resource: bool,
    options: &Options,
) -> Result<Merged, Unfaithful> {
    let (Some(updated), Some(local)) = (updated, local) else {
        return Ok(Merged::unchanged());
    };
    let nulls_clear = match options.nulls {
        Some(nulls) => nulls == Nulls::Clear,
        None => resource,
    };
    let sources = Sources {
        updated: updated.tree,
        local: local.tree,
    };
    let (original_document, original_tree) = match original {
        Some(original) => (Some(original.document), original.tree),
        None => (None, Cow::Owned(Tree::empty())),
    };
    let has_original = original_document.is_some();
    let documents = Triple::new(
        original_document,
        Some(updated.document),
        Some(local.document),
    );
    let bodies = documents.map(|document| document.map(body));
    if bodies.updated == bodies.local || bodies.updated == bodies.original {
        return Ok(Merged::unchanged());
    }
    let is_head = |document: &Document<'_>| document.start == 0;
    let moves_from_head =
        original_document.is_some_and(|original| is_head(original) != is_head(updated.document));
    if is_document_pinned(local.document.text) {
        return Ok(Merged {
            pinned: Walker::new(sources.with(&original_tree), nulls_clear, options)
                .held_document(has_original),
            ..Merged::unchanged()
        });
    }
    let decide = |original: &Tree<'_>, sources: Sources<'_>| {
        let walker = Walker::new(sources.with(original), nulls_clear, options);
        let walker = walker.moving_from_head(moves_from_head);
        walker.decide(has_original)
    };
    let Decided {
        outcome,
        conflicts,
        pinned,
    } = decide(&original_tree, sources);
    let (original_text, original_tree) = (original_tree.text(), let_go(original_tree));
    let decide = |sources: Sources<'_>| match &original_tree {
        Some(tree) => Ok(decide(tree, sources).outcome),
        None => Ok(decide(&read_again(original_text)?, sources).outcome),
    };
    let whole = updated_in_local(&bodies, updated.document, local.document)
        .filter(|text| is_faithful(text, sources, &outcome).is_ok());
    let text = match whole {
        Some(text) => Some(text),
        None => settled_text(original_text, sources, &outcome, options, decide)?
            .filter(|text| text != local.document.text),
    };
    Ok(Merged {
        text,
        conflicts,
        pinned,
    })
}

/// Updated's text in the place of local's, with local's line breaks, where local is the original.
fn updated_in_local(
    bodies: &Triple<Option<&str>>,
    updated: &Document<'_>,
    local: &Document<'_>,
) -> Option<String> {
    if !is_same_but_line_breaks(bodies.original, bodies.local) {
        return None;
    }
    let text = with_body(local, updated);
    if bodies.original == bodies.local {
        return Some(text);
    }
    let text = with_line_break(text, line_break_of(local.text));
    Some(with_line_end_of(text.into_owned(), local.text))
}

/// The merged text as it stays when the merge runs again; none where nothing changes.
fn settled_text(
    original: &str,
    sources: Sources<'_>,
    outcome: &Outcome,
    options: &Options,
    decide: impl Fn(Sources<'_>) -> Result<Outcome, Unfaithful>,
) -> Result<Option<String>, Unfaithful> {
    let text = merged_or_written_out(original, sources, outcome, options, &decide)?;
    match text {
        Some(text) if comments_change(original, sources.updated) && !outcome.has_choice() => {
            with_late_comments(text, original, sources, options, decide).map(Some)
        }
        text => Ok(text),
    }
}

/// Whether the tree of a document takes too much memory to be kept for the rare case that it is asked for again.
pub(crate) const fn is_large(text: &str) -> bool {
    text.len() > 4 << 20
}

/// The original's tree after the merge was decided; none where it is large, and nobody else's.
fn let_go<'t, 'a>(tree: Cow<'t, Tree<'a>>) -> Option<Cow<'t, Tree<'a>>> {
    match tree {
        Cow::Owned(tree) if is_large(tree.text()) => None,
        tree => Some(tree),
    }
}

impl Merged {
    /// That nothing changes.
    pub(crate) const fn unchanged() -> Self {
        Self {
            text: None,
            conflicts: Vec::new(),
            pinned: Vec::new(),
        }
    }
}

/// Whether upstream may have changed a comment, or what it stands above: the lines' rests from each `#` on that can begin one are not the
/// same, or not the keys on the lines below.
fn comments_change(original: &str, updated: &Tree<'_>) -> bool {
    fn rests(text: &str) -> impl Iterator<Item = (Option<&str>, Option<&str>)> {
        let before = |at: usize| at.checked_sub(1).map(|before| text.as_bytes()[before]);
        // one within a word is none: most stand in addresses. (A byte order mark may stand before the first one.)
        let signs = memchr::memchr_iter(b'#', text.as_bytes())
            .filter(move |at| before(*at).is_none_or(|byte| !byte.is_ascii_graphic()));
        signs.map(|at| {
            let mut lines = text[at..].lines();
            let comment = lines.next();
            let key = lines.next().and_then(|below| below.split(':').next());
            (comment, key)
        })
    }
    !rests(original).eq(rests(updated.text()))
}

/// A merged text with the comments that come or go only when the merge runs again, as entries stand elsewhere by then: merging again is
/// to change nothing (law 4). What the second merge changes in values, or cannot do, is left alone.
fn with_late_comments(
    text: String,
    original: &str,
    sources: Sources<'_>,
    options: &Options,
    decide: impl Fn(Sources<'_>) -> Result<Outcome, Unfaithful>,
) -> Result<String, Unfaithful> {
    let merged = read_again_like(&text, Some(sources.local))?;
    let sources = Sources {
        local: &merged,
        ..sources
    };
    let outcome = decide(sources)?;
    if outcome.has_choice() {
        return Ok(text);
    }
    let Ok(Some(again)) = merged_or_written_out(original, sources, &outcome, options, &decide)
    else {
        return Ok(text);
    };
    let settled = read_again_like(&again, Some(&merged))?;
    let is_same = equal(&merged, merged.root().value, &settled, settled.root().value);
    Ok(if is_same { again } else { text })
}
