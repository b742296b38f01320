//! Merges the three versions of one document: decides, writes the text, and checks it.
//!
//! The steps are in `walk` (decisions), `edit` (text) and `check` (verification). Where a merge by
//! lines gives a text with the decided values, that text is the result (law 8).

use std::borrow::Cow;

use super::body::{
    body, body_in, is_same_but_line_breaks, with_body, with_end_of, with_line_end_of,
    with_merged_body,
};
use super::check::{VerificationError, check};
use super::check_comments::check_comments;
use super::check_lines::merged_in_place;
use super::decision::Outcome;
use super::merged_text::{is_carried_out, is_verified, merged_or_written_out, read_again};
use super::pins::is_document_pinned;
use super::text::{CleanLines, merge_clean_lines};
use super::walk::{Decided, Rows, Walker};
use super::{Conflict, ConflictKind, Nulls, Options};
use crate::line_breaks::{LineBreaks, line_break_of, lines, with_line_break};
use crate::triple::Triple;
use crate::white_space::trimmed;
use crate::yaml::stream::byte_order_mark;
use crate::yaml::{Document, Span, Tree, equal};

/// A document and the tree over its text.
#[derive(Debug, Clone, Copy)]
pub struct ReadDocument<'a> {
    /// The document, cut out of its file.
    pub document: &'a Document<'a>,
    /// The tree over [`Document::text`].
    pub tree: &'a Tree<'a>,
}

/// The result of merging a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The new text of local's document, with what is around its body; `None` if no byte changes.
    pub text: Option<String>,
    /// The conflicts.
    pub conflicts: Vec<Conflict>,
    /// Records that are reported and are not conflicts: what a comment `# merge3: keep` held back,
    /// and values that were merged from both sides.
    pub notes: Vec<Conflict>,
}

/// Brings what changed from original to updated into local (rules: Equality, Fields, Lists, Text).
///
/// `resource` says whether the document is a resource, in which an explicit null deletes a field
/// (rules: Nulls). Without an original, an empty document is the original. Without updated or
/// local, nothing changes.
///
/// # Errors
/// If the parsed result does not have the values that the merge decided (law 6). That is a defect
/// of merge3, and the caller must not write anything.
///
/// ```
/// use merge3::merge::{Options, ReadDocument, merge_document};
/// use merge3::triple::Triple;
/// use merge3::yaml::{Tree, stream::split};
///
/// let texts = Triple::new("image: app:1\n", "image: app:2\n", "image: app:1 # ours\nreplicas: 5\n");
/// let documents = texts.map(split);
/// let trees = documents.as_ref().map(|documents| Tree::parse(documents[0].text).unwrap().unwrap());
/// let sides = documents.as_ref().zip(trees.as_ref()).map(|(documents, tree)| ReadDocument { document: &documents[0], tree });
/// let merged = merge_document(sides.map(Some), true, &Options::default()).unwrap();
/// assert_eq!(merged.text.unwrap(), "image: app:2 # ours\nreplicas: 5\n");
/// assert!(merged.conflicts.is_empty());
/// ```
pub fn merge_document(
    sides: Triple<Option<ReadDocument<'_>>>,
    resource: bool,
    options: &Options,
) -> Result<Merged, VerificationError> {
    merge_sides(sides, resource, options, None)
}

/// [`merge_document`] with the result of a merge by lines, if it is known already: the three texts,
/// and what [`merge_clean_lines`] made of them.
pub(crate) fn merge_sides(
    sides: Triple<Option<ReadDocument<'_>>>,
    resource: bool,
    options: &Options,
    known_lines: Option<(Triple<&str>, &CleanLines)>,
) -> Result<Merged, VerificationError> {
    let (Some(updated), Some(local)) = (sides.updated, sides.local) else {
        return Ok(Merged::unchanged());
    };
    let no_tree = Tree::empty();
    let original_tree = sides.original.map_or(&no_tree, |side| side.tree);
    let documents = sides.map(|side| side.map(|side| side.document));
    let trees = Triple::new(original_tree, updated.tree, local.tree);
    Tree::share_deep_comments(trees.into_array());
    let merge = DocumentMerge {
        documents,
        updated: updated.document,
        local: local.document,
        trees,
        bodies: documents.map(|document| document.map(body)),
        ranges: documents.map(|document| document.map_or(Span::default(), |it| it.body)),
        nulls_clear: options.nulls.map_or(resource, |it| it == Nulls::Clear),
        options,
        known_lines,
    };
    merge.run()
}

/// The merge of a document that updated and local have.
struct DocumentMerge<'a> {
    documents: Triple<Option<&'a Document<'a>>>,
    updated: &'a Document<'a>,
    local: &'a Document<'a>,
    trees: Triple<&'a Tree<'a>>,
    /// The bodies of the documents, and their ranges in the texts.
    bodies: Triple<Option<&'a str>>,
    ranges: Triple<Span>,
    nulls_clear: bool,
    options: &'a Options,
    known_lines: Option<(Triple<&'a str>, &'a CleanLines)>,
}

impl DocumentMerge<'_> {
    fn run(&self) -> Result<Merged, VerificationError> {
        if self.bodies.updated == self.bodies.local || self.bodies.updated == self.bodies.original {
            return Ok(Merged::unchanged());
        }
        if is_document_pinned(self.local) {
            let mut held = Merged::unchanged();
            let walker = Walker::new(self.trees, self.nulls_clear, self.options);
            held.notes = walker.held_document(self.documents.original.is_some());
            return Ok(held);
        }
        let (text, decided) = match self.accepted() {
            Some((text, decided)) => (Some(text), decided),
            None => self.written()?,
        };
        let (outcome, mut conflicts, notes) = (decided.outcome, decided.conflicts, decided.notes);
        let text = text.filter(|text| text != self.local.text);
        if let Some(text) = text.as_deref().filter(|_| !outcome.has_open_conflict()) {
            let known = [&*conflicts, &*notes];
            let lost = check_comments(self.trees, self.ranges, (text, &outcome), &known)?;
            conflicts.extend(lost);
        }
        Ok(Merged {
            text,
            conflicts,
            notes,
        })
    }

    /// Decides about all values, and about comments and blank lines if `rows` says so. `trees` are
    /// those of the documents, or those with their aliases written out.
    fn decide(&self, trees: Triple<&Tree<'_>>, rows: Rows) -> Decided {
        let texts = trees.zip(self.trees);
        let texts = texts.map(|(new, old)| (new.text(), old.text()));
        let ranges = texts.zip(self.ranges);
        let ranges = ranges.map(|((new, old), body)| body_in(new, old, body));
        let walker = Walker::new(trees, self.nulls_clear, self.options);
        let walker = walker.with_formats(rows, ranges, self.documents.map(head_above));
        walker.decide(self.documents.original.is_some())
    }

    /// Returns updated's text if local is the original, or else the result of a merge by lines, if
    /// it has the decided values (law 8).
    fn accepted(&self) -> Option<(String, Decided)> {
        // merge the lines before the walk, so that both do not need their memory at the same time
        let lines = || self.merged_lines(&self.bodies, self.known_lines);
        let whole = self.updated_in_local();
        let lines_of_all = match whole {
            Some(_) => None,
            None => Some(lines()?),
        };
        let decided = self.decide(self.trees, Rows::LeftOut);
        if let Some(whole) = whole
            && is_verified(&whole, self.trees, &decided.outcome, None).is_ok()
        {
            return Some((whole, decided));
        }
        let text = lines_of_all.or_else(lines)?;
        let (read, local) = (
            self.accepted_tree(&text, &decided.outcome)?,
            self.trees.local,
        );
        let has_local_values = equal(&read, read.root().value, local, local.root().value);
        drop(read);
        // where local is the result already, a merge by lines could still move comments around
        let is_unchanged = has_local_values
            && !has_same_remarks(&text, self.local.text)
            && is_carried_out(self.trees, &self.decide(self.trees, Rows::Merged).outcome);
        let text = || with_line_breaks_of(text.into_owned(), self.local);
        (!is_unchanged).then(|| (text(), decided))
    }

    /// Returns the tree of a text that a merge by lines gave, if it has the decided values and the
    /// changes are in the lines of the right entries.
    fn accepted_tree<'t>(&self, text: &'t str, outcome: &Outcome) -> Option<Tree<'t>> {
        let read = read_again(text).ok()?;
        check(&read, self.trees, outcome, None).ok()?;
        merged_in_place(&read, self.trees).then_some(read)
    }

    /// Returns the text that carries the decisions out; `None` if nothing changes.
    fn written(&self) -> Result<(Option<String>, Decided), VerificationError> {
        let decided = self.decide(self.trees, Rows::Merged);
        let outcome = &decided.outcome;
        let text = match self.replaced_by_updated(outcome) {
            Some(text) => Some(text),
            None => {
                let again = |trees: Triple<&Tree<'_>>| Ok(self.decide(trees, Rows::Merged).outcome);
                merged_or_written_out(self.trees, outcome, self.options, again)?
                    .map(|text| with_line_breaks_of(text, self.local))
                    .map(|text| self.merged_again(text, outcome))
            }
        };
        Ok((text, decided))
    }

    /// Merges a merged text by lines once more, and returns what that makes of it if only the way
    /// differs in which values are written: the next merge would bring this (law 4).
    fn merged_again(&self, text: String, outcome: &Outcome) -> String {
        let again = || {
            let local = Some(self.local).filter(|_| !outcome.has_open_conflict())?;
            let (above, below) = local.text.split_at(local.body.start as usize);
            let below = &below[local.body.range().len()..];
            let bodies = Triple {
                local: Some(text.strip_prefix(above)?.strip_suffix(below)?),
                ..self.bodies
            };
            let lines = self.merged_lines(&bodies, None)?.into_owned();
            if lines == text || !has_same_remarks(&lines, &text) {
                return None;
            }
            let is_accepted = self.accepted_tree(&lines, outcome).is_some();
            is_accepted.then_some(lines)
        };
        again().unwrap_or(text)
    }

    /// Returns local's document with updated's body, if the decision is to replace local's whole
    /// value by updated's collection. Updated's comments come too, so local's value must not have
    /// any but the one beside it, which comes above the new value.
    fn replaced_by_updated(&self, outcome: &Outcome) -> Option<String> {
        let (trees, local) = (self.trees, self.local);
        let is_whole = matches!(outcome, Outcome::Take(taken) if taken.is_whole());
        let is_collection = trees.updated.entries(trees.updated.root().value).len() > 0;
        let (tree, root) = (trees.local, trees.local.root());
        let has_anchor = tree.node(root.value).anchor().is_some();
        let remark = trimmed(tree.slice(root.comments().beside()));
        let has_more_comments = body(local).replacen(remark, "", 1).contains('#');
        if !is_whole || !is_collection || has_anchor || has_more_comments {
            return None;
        }
        let line_break = line_break_of(local.text);
        let text = match remark {
            "" => with_body(local, self.updated),
            _ => {
                let body = [remark, line_break, body(self.updated)].concat();
                with_merged_body(local, body).into_owned()
            }
        };
        let text = with_line_break(text, line_break).into_owned();
        let text = with_end_of(text, local.text);
        is_verified(&text, trees, outcome, None).ok()?;
        Some(text)
    }

    /// Returns local's document with its body merged by lines, if that has no conflict.
    fn merged_lines<'l>(
        &self,
        bodies: &Triple<Option<&str>>,
        known: Option<(Triple<&str>, &'l CleanLines)>,
    ) -> Option<Cow<'l, str>> {
        let bodies = bodies.transpose()?;
        let has_mixed = |text: &str| matches!(LineBreaks::of(text), LineBreaks::Mixed);
        if bodies.into_iter().any(has_mixed) {
            return None;
        }
        let line_break = line_break_of(self.local.text);
        let bodies = bodies.map(|body| with_line_break(body, line_break));
        let bodies = bodies.as_ref().map(AsRef::as_ref);
        let merged = match known.filter(|(texts, _)| *texts == bodies) {
            Some((_, known)) => {
                let clean = known.merged.as_deref().ok();
                Cow::Borrowed(clean.or(known.without_known_changes.as_deref())?)
            }
            None => {
                let own = merge_clean_lines(bodies, 0, || ());
                Cow::Owned(own.merged.ok().or(own.without_known_changes)?)
            }
        };
        Some(with_merged_body(self.local, merged))
    }

    /// Returns local's document with updated's body and local's line breaks, if local is the
    /// original.
    fn updated_in_local(&self) -> Option<String> {
        let (original, local) = (self.bodies.original, self.bodies.local);
        if !is_same_but_line_breaks(original, local) {
            return None;
        }
        let text = with_body(self.local, self.updated);
        if original == local {
            return Some(text);
        }
        let text = with_line_break(text, line_break_of(self.local.text));
        Some(with_line_end_of(text.into_owned(), self.local.text))
    }
}

/// Returns the head of the file above a document, without the byte order mark. A document that goes
/// up to the start of the file has the head itself.
fn head_above<'a>(document: Option<&Document<'a>>) -> &'a str {
    let head = document.map_or("", |it| &it.head[..it.head.len().min(it.start)]);
    &head[byte_order_mark(head)..]
}

/// Whether two texts have the same comment lines and blank lines, in the same order.
fn has_same_remarks(one: &str, other: &str) -> bool {
    let remarks = |text| {
        let all = lines(text).map(trimmed);
        all.filter(|line| line.is_empty() || line.starts_with('#'))
    };
    remarks(one).eq(remarks(other))
}

/// Gives a merged text the line breaks of local's document; if that has none, those of the text
/// above it.
fn with_line_breaks_of(text: String, local: &Document<'_>) -> String {
    match local.text.contains('\n') {
        true => text,
        false => with_line_break(&text, line_break_of(local.head)).into_owned(),
    }
}

impl Merged {
    /// Whether a comment `# merge3: keep` held back a change of upstream's.
    pub fn is_held_back(&self) -> bool {
        let mut notes = self.notes.iter();
        notes.any(|it| it.kind == ConflictKind::Pinned)
    }

    /// Returns the result of a merge that changes nothing.
    pub(crate) const fn unchanged() -> Self {
        Self {
            text: None,
            conflicts: Vec::new(),
            notes: Vec::new(),
        }
    }
}
