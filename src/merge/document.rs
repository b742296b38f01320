//! One document of three sides, merged.

use std::borrow::Cow;

use super::check::{Unfaithful, check, last_lines};
use super::decision::{Chosen, Outcome};
use super::edit::{Aliases, carry_out, set_last_lines, without_aliases};
use super::markers::mark;
use super::pins::is_document_pinned;
use super::walk::{Decided, Walker};
use super::{Conflict, Nulls, Options};
use crate::line_breaks::{LineBreaks, ends_line, line_break_of, push, with_line_break};
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
    let (Some(updated), Some(local)) = (sides.updated, sides.local) else {
        return Ok(Merged::unchanged());
    };
    let nulls_clear = match options.nulls {
        Some(Nulls::Clear) => true,
        Some(Nulls::Keep) => false,
        None => resource,
    };
    let nothing = Tree::empty();
    let trees = Triple::new(
        sides.original.map_or(&nothing, |side| side.tree),
        updated.tree,
        local.tree,
    );
    let bodies = sides.map(|side| side.map(|side| body(side.document)));
    if bodies.updated == bodies.local || bodies.updated == bodies.original {
        return Ok(Merged::unchanged());
    }
    let is_head = |side: Side<'_>| side.document.start == 0;
    let moves_from_head = sides
        .original
        .is_some_and(|original| is_head(original) != is_head(updated));
    if is_document_pinned(local.document.text) {
        return Ok(Merged {
            pinned: Walker::new(trees, nulls_clear, options)
                .held_document(sides.original.is_some()),
            ..Merged::unchanged()
        });
    }
    let decide = |trees: Triple<&Tree<'_>>| {
        let walker = Walker::new(trees, nulls_clear, options);
        let walker = walker.moving_from_head(moves_from_head);
        walker.decide(sides.original.is_some())
    };
    let Decided {
        outcome,
        conflicts,
        pinned,
    } = decide(trees);
    if is_same_but_line_breaks(bodies.original, bodies.local) {
        let text = with_body(local.document, updated.document);
        let text = match bodies.original == bodies.local {
            true => text,
            false => {
                let text = with_line_break(text, line_break_of(local.document.text));
                with_end_of(text.into_owned(), local.document.text)
            }
        };
        if is_faithful(&text, trees, &outcome).is_ok() {
            return Ok(Merged {
                text: Some(text),
                conflicts,
                pinned,
            });
        }
    }
    let decide = |trees: Triple<&Tree<'_>>| decide(trees).outcome;
    let text = merged_or_written_out(trees, &outcome, options, decide)?;
    let text = match text {
        Some(text) if !outcome.has_choice() && comments_change(trees) => {
            Some(with_late_comments(text, trees, options, decide)?)
        }
        text => text,
    };
    Ok(Merged {
        text: text.filter(|text| text != local.document.text),
        conflicts,
        pinned,
    })
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

/// Whether upstream may have changed a comment: the lines' rests from each `#` on that can begin one are not the same.
fn comments_change(trees: Triple<&Tree<'_>>) -> bool {
    fn rests(text: &str) -> impl Iterator<Item = Option<&str>> {
        let before = |at: usize| at.checked_sub(1).map(|before| text.as_bytes()[before]);
        // one within a word is none: most stand in addresses. (A byte order mark may stand before the first one.)
        let signs = memchr::memchr_iter(b'#', text.as_bytes())
            .filter(move |at| before(*at).is_none_or(|byte| !byte.is_ascii_graphic()));
        signs.map(|at| text[at..].lines().next())
    }
    !rests(trees.original.text()).eq(rests(trees.updated.text()))
}

/// A merged text with the comments that come or go only when the merge runs again, as entries stand elsewhere by then: merging again is
/// to change nothing (law 4). What the second merge changes in values, or cannot do, is left alone.
fn with_late_comments(
    text: String,
    trees: Triple<&Tree<'_>>,
    options: &Options,
    decide: impl Fn(Triple<&Tree<'_>>) -> Outcome,
) -> Result<String, Unfaithful> {
    let merged = read_again(&text)?;
    let trees = Triple {
        local: &merged,
        ..trees
    };
    let outcome = decide(trees);
    if outcome.has_choice() {
        return Ok(text);
    }
    let Ok(Some(again)) = merged_or_written_out(trees, &outcome, options, &decide) else {
        return Ok(text);
    };
    let settled = read_again(&again)?;
    let is_same = equal(&merged, merged.root().value, &settled, settled.root().value);
    Ok(if is_same { again } else { text })
}

/// The merged text; none where nothing changes. Where anchors and aliases are so tangled that no smaller edit says what was
/// decided, the documents merge once more with every alias written out.
pub(super) fn merged_or_written_out(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
    decide: impl Fn(Triple<&Tree<'_>>) -> Outcome,
) -> Result<Option<String>, Unfaithful> {
    let result = merged_or_marked(trees, outcome, options);
    if result.is_ok() || !(trees.updated.has_aliases() || trees.local.has_aliases()) {
        return result;
    }
    let written_out = |tree: &Tree<'_>| {
        without_aliases(tree).ok_or_else(|| Unfaithful {
            path: String::new(),
            message: "its aliases, written out, would make it too long".to_owned(),
        })
    };
    let updated_text = written_out(trees.updated)?;
    let local_text = written_out(trees.local)?;
    let (updated, local) = (read_again(&updated_text)?, read_again(&local_text)?);
    let trees = Triple::new(trees.original, &updated, &local);
    let text = merged_or_marked(trees, &decide(trees), options)?;
    Ok(Some(text.unwrap_or(local_text.clone())))
}

/// The merged text, or the marked one where something is left to a choice; none where nothing changes.
fn merged_or_marked(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
) -> Result<Option<String>, Unfaithful> {
    match outcome {
        Outcome::Keep => Ok(None),
        outcome if outcome.has_choice() => marked_text(trees, outcome, options).map(Some),
        outcome => merged_text(trees, outcome).map(Some),
    }
}

/// The target's text with decisions carried out over it, in which what comes is of `source`; none where nothing changes.
pub(crate) fn edited(
    target: &Tree<'_>,
    source: &Tree<'_>,
    outcome: &Outcome,
) -> Result<Option<String>, Unfaithful> {
    match outcome {
        Outcome::Keep => Ok(None),
        outcome => merged_text(Triple::new(target, source, target), outcome).map(Some),
    }
}

/// The text of either side where both changed and do not agree, between markers; each of the two is checked.
fn marked_text(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    options: &Options,
) -> Result<String, Unfaithful> {
    let local = merged_text(trees, &outcome.choose(Chosen::Local))?;
    let updated = merged_text(trees, &outcome.choose(Chosen::Updated))?;
    let texts = Triple::new(trees.original.text(), &updated, &local);
    Ok(mark(texts, &options.markers))
}

/// Carries the decisions out. Aliases stay aliases where that says what was decided; else they are written out.
fn merged_text(trees: Triple<&Tree<'_>>, outcome: &Outcome) -> Result<String, Unfaithful> {
    let result = edited_text(trees, outcome, Aliases::Stay);
    if result.is_err() && (trees.local.has_aliases() || trees.updated.has_aliases()) {
        edited_text(trees, outcome, Aliases::WriteOut)
    } else {
        result
    }
}

/// Local's text with the edits, checked.
fn edited_text(
    trees: Triple<&Tree<'_>>,
    outcome: &Outcome,
    aliases: Aliases,
) -> Result<String, Unfaithful> {
    let carried_out = carry_out(trees.local, trees.updated, outcome, aliases);
    let text = with_end_of(carried_out.clone(), trees.local.text());
    let unfaithful = match is_faithful(&text, trees, outcome) {
        Ok(()) => return Ok(text),
        Err(unfaithful) => unfaithful,
    };
    let mended = with_last_lines(&text, trees, outcome);
    // the line breaks at the end may be what a block scalar says
    let mut ended = carried_out.clone();
    push(&mut ended, line_break_of(trees.local.text()));
    // and spaces at the end would be a line of one that comes above them
    let unspaced = carried_out.trim_end_matches([' ', '\t']).to_owned();
    let unspaced_mended = with_last_lines(&unspaced, trees, outcome);
    let mut others = mended
        .into_iter()
        .chain([carried_out, ended, unspaced])
        .chain(unspaced_mended);
    let faithful = others.find(|text| is_faithful(text, trees, outcome).is_ok());
    faithful.ok_or(unfaithful)
}

/// A text whose block scalars that keep their last line breaks have those that were decided, where that is all that is wrong with it. Where
/// an entry goes or comes below one, the edits speak of lines, and its line breaks look like blank lines between entries.
fn with_last_lines(text: &str, trees: Triple<&Tree<'_>>, outcome: &Outcome) -> Option<String> {
    let merged = read_again(text).ok()?;
    let last_lines = last_lines(&merged, trees, outcome).ok()?;
    Some(set_last_lines(&merged, &last_lines))
}

fn is_faithful(text: &str, trees: Triple<&Tree<'_>>, outcome: &Outcome) -> Result<(), Unfaithful> {
    check(&read_again(text)?, trees, outcome)
}

pub(super) fn read_again(text: &str) -> Result<Tree<'_>, Unfaithful> {
    let unreadable = |message: String| Unfaithful {
        path: String::new(),
        message,
    };
    match Tree::parse(text) {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(unreadable("the merged text has no content".to_owned())),
        Err(error) => Err(unreadable(error.message)),
    }
}

/// A document's own text, the one that law 2 speaks of.
fn body<'a>(document: &Document<'a>) -> &'a str {
    &document.text[document.body.range()]
}

/// Whether local has what original has: the line break at the end may be missing, and where each uses line breaks of one kind, they need not
/// be the same.
fn is_same_but_line_breaks(original: Option<&str>, local: Option<&str>) -> bool {
    let (Some(original), Some(local)) = (original, local) else {
        return original == local;
    };
    let is_mixed = |text| matches!(LineBreaks::of(text), LineBreaks::Mixed);
    original == local
        || original.lines().eq(local.lines()) && !is_mixed(original) && !is_mixed(local)
}

/// Local's chunk with updated's body.
fn with_body(local: &Document<'_>, updated: &Document<'_>) -> String {
    let text = local.text;
    let mut body = Cow::Borrowed(body(updated));
    let (mut before, after) = (
        &text[..local.body.start as usize],
        &text[local.body.end as usize..],
    );
    let marker_end = before.trim_end_matches(['\r', '\n']);
    if marker_end.ends_with("---") {
        // What follows `---` on its line stays there; what starts a line of its own needs one.
        let first_line = body.lines().next().unwrap_or_default();
        if body.starts_with([' ', '\t']) && !first_line.trim().is_empty() {
            before = marker_end;
        } else if before == marker_end {
            body.to_mut().insert_str(0, line_break_of(text));
        }
    }
    if !after.is_empty() && !ends_line(&body) {
        body.to_mut().push_str(line_break_of(text));
    }
    format!("{before}{body}{after}")
}

/// A merged text ends as local's does: with a line break or without (law 5).
fn with_end_of(mut merged: String, local: &str) -> String {
    match (ends_line(local), ends_line(&merged)) {
        (true, false) => merged.push_str(line_break_of(local)),
        (false, true) => merged.truncate(merged.trim_end_matches(['\n', '\r']).len()),
        _ => {}
    }
    merged
}
