//! One document of three sides, merged.

use std::borrow::Cow;

use super::body::{body, is_same_but_line_breaks, with_body, with_end_of, with_line_end_of};
use super::check::{Unfaithful, check, last_lines};
use super::decision::{Chosen, Outcome};
use super::edit::{Aliases, carry_out, set_last_lines, without_aliases};
use super::markers::mark;
use super::pins::is_document_pinned;
use super::walk::{Decided, Walker};
use super::{Conflict, Nulls, Options};
use crate::line_breaks::{line_break_of, push, with_line_break};
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

/// The trees that a merged text is put together from, and checked against: local's, and updated's, of which things come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) updated: &'a Tree<'a>,
    pub(crate) local: &'a Tree<'a>,
}

impl<'a> Sources<'a> {
    /// The three trees to decide over.
    pub(crate) const fn with(self, original: &'a Tree<'a>) -> Triple<&'a Tree<'a>> {
        Triple::new(original, self.updated, self.local)
    }
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
        Some(Nulls::Clear) => true,
        Some(Nulls::Keep) => false,
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
    if is_same_but_line_breaks(bodies.original, bodies.local) {
        let text = with_body(local.document, updated.document);
        let text = match bodies.original == bodies.local {
            true => text,
            false => {
                let text = with_line_break(text, line_break_of(local.document.text));
                with_line_end_of(text.into_owned(), local.document.text)
            }
        };
        if is_faithful(&text, sources, &outcome).is_ok() {
            return Ok(Merged {
                text: Some(text),
                conflicts,
                pinned,
            });
        }
    }
    let decide = |sources: Sources<'_>| match &original_tree {
        Some(tree) => Ok(decide(tree, sources).outcome),
        None => Ok(decide(&read_again(original_text)?, sources).outcome),
    };
    let text = merged_or_written_out(original_text, sources, &outcome, options, decide)?;
    let text = match text {
        Some(text) if comments_change(original_text, sources.updated) && !outcome.has_choice() => {
            let late = with_late_comments(text, original_text, sources, options, decide)?;
            Some(late)
        }
        text => text,
    };
    Ok(Merged {
        text: text.filter(|text| text != local.document.text),
        conflicts,
        pinned,
    })
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

/// The merged text; none where nothing changes. Where anchors and aliases are so tangled that no smaller edit says what was
/// decided, the documents merge once more with every alias written out.
pub(super) fn merged_or_written_out(
    original: &str,
    sources: Sources<'_>,
    outcome: &Outcome,
    options: &Options,
    decide: impl Fn(Sources<'_>) -> Result<Outcome, Unfaithful>,
) -> Result<Option<String>, Unfaithful> {
    let result = merged_or_marked(original, sources, outcome, options);
    if result.is_ok() || !(sources.updated.has_aliases() || sources.local.has_aliases()) {
        return result;
    }
    let written_out = |tree: &Tree<'_>| {
        without_aliases(tree).ok_or_else(|| Unfaithful {
            path: String::new(),
            message: "its aliases, written out, would make it too long".to_owned(),
        })
    };
    let updated_text = written_out(sources.updated)?;
    let local_text = written_out(sources.local)?;
    let (updated, local) = (read_again(&updated_text)?, read_again(&local_text)?);
    let sources = Sources {
        updated: &updated,
        local: &local,
    };
    let text = merged_or_marked(original, sources, &decide(sources)?, options)?;
    Ok(Some(text.unwrap_or(local_text.clone())))
}

/// The merged text, or the marked one where something is left to a choice; none where nothing changes.
fn merged_or_marked(
    original: &str,
    sources: Sources<'_>,
    outcome: &Outcome,
    options: &Options,
) -> Result<Option<String>, Unfaithful> {
    match outcome {
        Outcome::Keep => Ok(None),
        outcome if outcome.has_choice() => {
            marked_text(original, sources, outcome, options).map(Some)
        }
        outcome => merged_text(sources, outcome).map(Some),
    }
}

/// The target's text with decisions carried out over it, in which what comes is of `source`; none where nothing changes.
pub(crate) fn edited(
    target: &Tree<'_>,
    source: &Tree<'_>,
    outcome: &Outcome,
) -> Result<Option<String>, Unfaithful> {
    let sources = Sources {
        updated: source,
        local: target,
    };
    match outcome {
        Outcome::Keep => Ok(None),
        outcome => merged_text(sources, outcome).map(Some),
    }
}

/// The text of either side where both changed and do not agree, between markers; each of the two is checked.
fn marked_text(
    original: &str,
    sources: Sources<'_>,
    outcome: &Outcome,
    options: &Options,
) -> Result<String, Unfaithful> {
    let local = merged_text(sources, &outcome.choose(Chosen::Local))?;
    let updated = merged_text(sources, &outcome.choose(Chosen::Updated))?;
    let texts = Triple::new(original, &updated, &local);
    Ok(mark(texts, &options.markers))
}

/// Carries the decisions out. Aliases stay aliases where that says what was decided; else they are written out.
fn merged_text(sources: Sources<'_>, outcome: &Outcome) -> Result<String, Unfaithful> {
    let result = edited_text(sources, outcome, Aliases::Stay);
    if result.is_err() && (sources.local.has_aliases() || sources.updated.has_aliases()) {
        edited_text(sources, outcome, Aliases::WriteOut)
    } else {
        result
    }
}

/// Local's text with the edits, checked.
fn edited_text(
    sources: Sources<'_>,
    outcome: &Outcome,
    aliases: Aliases,
) -> Result<String, Unfaithful> {
    let carried_out = || carry_out(sources.local, sources.updated, outcome, aliases);
    let text = with_end_of(carried_out(), sources.local.text());
    let unfaithful = match is_faithful(&text, sources, outcome) {
        Ok(()) => return Ok(text),
        Err(unfaithful) => unfaithful,
    };
    let carried_out = carried_out();
    let mended = with_last_lines(&text, sources, outcome);
    // the line breaks at the end may be what a block scalar says
    let mut ended = carried_out.clone();
    push(&mut ended, line_break_of(sources.local.text()));
    // and spaces at the end would be lines of one that comes above them
    let unspaced = carried_out.trim_end_matches([' ', '\t']).to_owned();
    let bare = unspaced
        .trim_end_matches([' ', '\t', '\r', '\n'])
        .to_owned();
    let with_lines = [&unspaced, &bare].map(|text| with_last_lines(text, sources, outcome));
    let mut others = mended
        .into_iter()
        .chain([carried_out, ended, unspaced, bare])
        .chain(with_lines.into_iter().flatten());
    let faithful = others.find(|text| is_faithful(text, sources, outcome).is_ok());
    faithful.ok_or(unfaithful)
}

/// A text whose block scalars that keep their last line breaks have those that were decided, where that is all that is wrong with it. Where
/// an entry goes or comes below one, the edits speak of lines, and its line breaks look like blank lines between entries.
fn with_last_lines(text: &str, sources: Sources<'_>, outcome: &Outcome) -> Option<String> {
    let merged = read_again_like(text, Some(sources.local)).ok()?;
    let last_lines = last_lines(&merged, sources, outcome).ok()?;
    Some(set_last_lines(&merged, &last_lines))
}

fn is_faithful(text: &str, sources: Sources<'_>, outcome: &Outcome) -> Result<(), Unfaithful> {
    check(
        &read_again_like(text, Some(sources.local))?,
        sources,
        outcome,
    )
}

pub(super) fn read_again(text: &str) -> Result<Tree<'_>, Unfaithful> {
    read_again_like(text, None)
}

/// The tree of a merged text, sooner where that of a text is there which is mostly the same.
fn read_again_like<'s>(text: &'s str, like: Option<&Tree<'_>>) -> Result<Tree<'s>, Unfaithful> {
    let unreadable = |message: String| Unfaithful {
        path: String::new(),
        message,
    };
    match Tree::parse_like(text, like) {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(unreadable("the merged text has no content".to_owned())),
        Err(error) => Err(unreadable(error.message)),
    }
}
