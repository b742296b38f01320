//! Tracks the path of the walk and records conflicts (rules: Conflicts).

use std::fmt::{self, Write as _};

use super::keys::ListKey;
use super::{Entries, Nodes, Walker};
use crate::merge::decision::Outcome;
use crate::merge::embedded::Embedded;
use crate::merge::index::key_of;
use crate::merge::{CombinedBy, Conflict, ConflictKind, ConflictTexts, Resolution};
use crate::triple::Triple;
use crate::yaml::{EntryId, NodeId, ScalarStyle, Span, Tree};

/// One step of the path from the root of the document.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) segment: Segment,
    /// The entry on each side that has one.
    pub(super) entries: Entries,
}

/// The name of a step. The text of a path is built only when a conflict is recorded.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    /// A field of a map, named by its key.
    Field,
    /// An element of an associative list, named by its identity under this key.
    Element(ListKey),
    /// An element of any other list, named by its position.
    Index(usize),
}

impl Segment {
    /// Returns the name of an entry of a map or, with a `key`, of an associative list.
    pub(super) fn under(key: Option<&ListKey>) -> Self {
        key.map_or(Self::Field, |key| Self::Element(key.clone()))
    }
}

impl Walker<'_> {
    /// Runs `operation` with the path extended by a step.
    pub(super) fn at<R>(
        &mut self,
        segment: Segment,
        entries: Entries,
        operation: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.steps.push(Step { segment, entries });
        let result = operation(self);
        self.steps.pop();
        result
    }

    /// Records a conflict that the policy resolves. Returns `updated_outcome`, or keeps local's
    /// value.
    pub(super) fn conflict(
        &mut self,
        kind: ConflictKind,
        nodes: Nodes,
        updated_outcome: Outcome,
    ) -> Outcome {
        self.conflict_over(kind, nodes, Outcome::Keep, updated_outcome)
    }

    /// Records a conflict that the policy resolves. Returns the outcome of the winning side.
    pub(super) fn conflict_over(
        &mut self,
        kind: ConflictKind,
        nodes: Nodes,
        local: Outcome,
        updated: Outcome,
    ) -> Outcome {
        self.higher_version = self.higher_version_of(nodes);
        let resolution = self.resolution();
        self.record(kind, nodes, resolution);
        self.higher_version = None;
        winning_outcome(resolution, local, updated)
    }

    /// Records that both sides changed a stretch of a list's elements. Returns the outcome of each
    /// local element.
    pub(super) fn conflict_over_elements(&mut self, elements: Triple<&[EntryId]>) -> Outcome {
        let spans = self.trees.zip(elements).map(|(tree, elements)| {
            let first = tree.entry(*elements.first()?).span;
            Some(Span::new(
                first.start,
                tree.entry(*elements.last()?).span.end,
            ))
        });
        let values = self.each(spans, |tree, span| tree.outdented(span));
        let (kind, resolution) = (ConflictKind::BothChanged, self.resolution());
        let start = spans.local.map(|span| span.start);
        self.push_record(kind, &self.path(), start, &values, resolution);
        winning_outcome(resolution, Outcome::Keep, Outcome::Remove)
    }

    /// Records a conflict that the merge rules resolve for local. The policy resolves it if it asks
    /// for markers, or if a rule applies to the current path.
    pub(super) fn conflict_for_local(
        &mut self,
        kind: ConflictKind,
        nodes: Nodes,
        local: Outcome,
        updated: Outcome,
    ) -> Outcome {
        if self.resolution() == Resolution::Markers || self.conflict_rule().is_some() {
            return self.conflict_over(kind, nodes, local, updated);
        }
        self.record(kind, nodes, Resolution::Local);
        local
    }

    /// Returns the resolution of a conflict at the current path.
    pub(super) fn resolution(&self) -> Resolution {
        match self.conflict_rule() {
            Some((_, resolution)) => resolution,
            None => self.options.on_conflict.resolution(),
        }
    }

    /// Records a conflict or report over these values.
    pub(super) fn record(&mut self, kind: ConflictKind, nodes: Nodes, resolution: Resolution) {
        let values = self.each(nodes, text_with_tag);
        self.push_record(kind, &self.path(), None, &values, resolution);
    }

    /// Records that a value was combined from both sides.
    pub(super) fn record_combined(&mut self, means: CombinedBy, nodes: Nodes) {
        self.record(ConflictKind::Combined(means), nodes, Resolution::Local);
    }

    /// Records the conflicts and reports of an embedded document, with paths and lines of this one.
    pub(super) fn record_embedded(&mut self, nodes: Nodes, records: Embedded) {
        let tree = self.trees.local;
        let literal = nodes.local.and_then(|local| tree.scalar(local));
        let literal = literal.is_some_and(|it| it.style == ScalarStyle::Literal);
        let start = |local| tree.node(local).span.start;
        let line = nodes.local.map_or(0, |it| tree.line_number(start(it)));
        let path = self.path();
        let rule = self.conflict_rule().map(|(rule, _)| rule.origin.clone());
        let outer = |inner: Conflict| {
            let below = inner.path();
            let is_joined = below.starts_with('[') || below.is_empty() || path.is_empty();
            let dot = if is_joined { "" } else { "." };
            Conflict {
                texts: ConflictTexts::new(&format!("{path}{dot}{below}"), &inner.values()),
                line: if literal { line + 1 + inner.line } else { line },
                rule: rule.clone(),
                ..inner
            }
        };
        self.conflicts
            .extend(records.conflicts.into_iter().map(outer));
        self.notes.extend(records.notes.into_iter().map(outer));
    }

    /// Records a conflict over comment lines. `offset` is the position of the comment in local's
    /// text.
    pub(super) fn record_lines(
        &mut self,
        kind: ConflictKind,
        offset: Option<u32>,
        values: &Triple<Option<impl AsRef<str>>>,
        resolution: Resolution,
    ) {
        let path = format!("{} (comment)", self.path());
        self.push_record(kind, path.trim_start(), offset, values, resolution);
    }

    /// Records a conflict or report. Its line is that of `offset` in local's text, or of the
    /// nearest entry on the path that local has.
    fn push_record(
        &mut self,
        kind: ConflictKind,
        path: &str,
        offset: Option<u32>,
        values: &Triple<Option<impl AsRef<str>>>,
        resolution: Resolution,
    ) {
        let tree = self.trees.local;
        let mut entries = self
            .steps
            .iter()
            .rev()
            .filter_map(|step| step.entries.local);
        let nearest = entries.next().map_or(tree.root(), |it| tree.entry(it));
        let line = tree.line_number(offset.unwrap_or(nearest.span.start));
        let is_noted = matches!(kind, ConflictKind::Pinned | ConflictKind::Combined(_));
        let rule = self.conflict_rule().filter(|_| !is_noted);
        let rule = rule.map(|(rule, _)| rule.origin.clone());
        let records = match is_noted {
            true => &mut self.notes,
            false => &mut self.conflicts,
        };
        records.push(Conflict {
            texts: ConflictTexts::new(path, values),
            kind,
            line,
            resolution,
            rule,
        });
    }

    /// Returns the current path as text.
    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            // Writing to a String cannot fail.
            let _ = self.write_step(step, &mut path);
        }
        path
    }

    fn write_step(&self, step: &Step, path: &mut String) -> fmt::Result {
        match &step.segment {
            Segment::Field => {
                let keys = self.each(step.entries, key_of).into_array();
                let key = keys.into_iter().flatten().flatten().next();
                write_field(path, key.map_or("", |(_, content)| content))
            }
            Segment::Element(key) => {
                let sides = self.trees.zip(step.entries).into_array().into_iter().rev();
                let mut identities = sides.filter_map(|(tree, it)| Some(key.in_path(tree, it?)));
                write!(path, "[{}]", identities.next().unwrap_or_default())
            }
            Segment::Index(index) => write!(path, "[{index}]"),
        }
    }
}

/// Returns the text of a value, below or behind its tag if that is part of the value.
fn text_with_tag(tree: &Tree<'_>, node: NodeId) -> String {
    let text = tree.text_of(node);
    let tag = tree
        .custom_tag(node)
        .and(tree.node(tree.resolve(node)).tag());
    match tag.map(|tag| tree.slice(tag)) {
        Some(tag) if tree.is_block_collection(node) => format!("{tag}\n{text}"),
        Some(tag) => format!("{tag} {text}"),
        None => text,
    }
}

/// Returns the outcome of a conflict, given the outcome if each side wins.
pub(super) fn winning_outcome(resolution: Resolution, local: Outcome, updated: Outcome) -> Outcome {
    match resolution {
        Resolution::Updated => updated,
        Resolution::Local | Resolution::Open => local,
        Resolution::Markers => Outcome::open(local, updated),
    }
}

/// Appends a field to a path.
pub(super) fn write_field(path: &mut String, name: &str) -> fmt::Result {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '/');
    if name.is_empty() || !name.chars().all(is_plain) {
        return write!(path, "[{name:?}]");
    }
    if !path.is_empty() {
        path.push('.');
    }
    path.write_str(name)
}
