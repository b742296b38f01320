//! Scalars of several lines that both sides changed: merged line by line, and where that conflicts,
//! by their structure (rules: Texts and images).

use super::{Nodes, Walker};
use crate::merge::decision::{Outcome, ScalarLines};
use crate::merge::embedded::{has_structure, merge_embedded};
use crate::merge::text::merge_value_lines;
use crate::merge::{ConflictKind, Means, OnConflict, Resolution, Sides, Texts};
use crate::triple::{Change, Triple};
use crate::yaml::scalar::write;
use crate::yaml::{NodeId, ScalarStyle, ScalarType, Tree};

/// What a merge of three texts makes of them, where each side wins.
struct Merged {
    updated: String,
    local: String,
    has_conflict: bool,
}

impl Walker<'_> {
    /// Three scalars that have parts which merge; `None` if they are one value, or local did not
    /// change its own.
    pub(super) fn merged_parts(&mut self, nodes: Nodes) -> Option<Outcome> {
        if self.unchanged_locally(nodes) {
            return None;
        }
        self.merged_image(nodes).or_else(|| self.merged_text(nodes))
    }

    /// Three texts.
    fn merged_text(&mut self, nodes: Nodes) -> Option<Outcome> {
        if self.texts_here() == Texts::Replace {
            return None;
        }
        let sides = self.trees.zip(nodes);
        let texts = sides.try_map(|(tree, node)| text_of(tree, node).ok_or(()));
        let texts = texts.ok()?;
        if is_merged(texts) {
            return Some(Outcome::Keep);
        }
        if let Some(lines) = self.merged_scalar_lines(nodes) {
            self.record_combined(Means::Lines, nodes);
            return Some(Outcome::Lines(Box::new(lines)));
        }
        let structured = || texts.into_array().into_iter().all(has_structure);
        let has_lines = |text: &&str| text.trim_end_matches('\n').contains('\n');
        if !texts.into_array().iter().any(has_lines) && !structured() {
            return None;
        }
        let lines = merged_lines(texts);
        let is_sound = !lines.has_conflict && (has_structure(&lines.updated) || !structured());
        if is_sound {
            return self.combined(Means::Lines, nodes, lines.updated);
        }
        if let Some(merged) = self.merged_structure(nodes, texts) {
            return Some(merged);
        }
        let is_whole = lines.updated == texts.updated && lines.local == texts.local;
        if is_whole || !lines.has_conflict {
            return None;
        }
        let updated = self.text_outcome(nodes, lines.updated)?;
        let local = self.text_outcome(nodes, lines.local)?;
        Some(self.conflict_over(ConflictKind::BothChanged, nodes, local, updated))
    }

    /// Three texts that are YAML or JSON.
    fn merged_structure(&mut self, nodes: Nodes, texts: Triple<&str>) -> Option<Outcome> {
        if self.texts_here() == Texts::LinesOnly {
            return None;
        }
        let resolution = self.resolution();
        let merged = merge_embedded(texts, resolution, self.options)?;
        if merged.conflicts.is_empty() {
            let outcome = self.text_outcome(nodes, merged.text.clone())?;
            if outcome != Outcome::Keep && merged.text != texts.updated {
                self.record_combined(Means::Structure, nodes);
            }
            self.record_embedded(nodes, merged);
            return Some(outcome);
        }
        if self.options.sides == Sides::Equal {
            return None;
        }
        if resolution != Resolution::Markers {
            let outcome = self.text_outcome(nodes, merged.text.clone())?;
            self.record_combined(Means::Structure, nodes);
            self.record_embedded(nodes, merged);
            return Some(outcome);
        }
        let theirs = merge_embedded(texts, Resolution::Updated, self.options)?;
        let local = self.text_outcome(nodes, merged.text)?;
        let updated = self.text_outcome(nodes, theirs.text)?;
        Some(self.conflict_over(ConflictKind::BothChanged, nodes, local, updated))
    }

    /// A text that is put together from both sides, in the place of local's.
    fn combined(&mut self, means: Means, nodes: Nodes, text: String) -> Option<Outcome> {
        let is_updated = text_of(self.trees.updated, nodes.updated) == Some(&text);
        let outcome = self.text_outcome(nodes, text)?;
        if !is_updated && outcome != Outcome::Keep {
            self.record_combined(means, nodes);
        }
        Some(outcome)
    }

    /// Upstream's text in a block scalar that local alone made of the original's, which is the same;
    /// `None` if it is not that.
    pub(super) fn taken_in_lines(&self, nodes: Nodes) -> Option<Outcome> {
        let is_literal = self.local_quoting(nodes) == Some(ScalarStyle::Literal);
        let scalar = self.trees.original.scalar(nodes.original?)?;
        if !is_literal || scalar.style.is_block() || !self.unchanged_locally(nodes) {
            return None;
        }
        let content = text_of(self.trees.updated, nodes.updated)?;
        let can_be = can_be_literal(content) && can_be_literal(scalar.content);
        can_be.then(|| Outcome::Text(content.to_owned().into()))
    }

    /// What gives a scalar of local's this content; `None` if its style cannot say it.
    pub(super) fn text_outcome(&self, nodes: Nodes, content: String) -> Option<Outcome> {
        let scalar = self.trees.local.scalar(nodes.local?)?;
        if scalar.content == content {
            return Some(Outcome::Keep);
        } else if text_of(self.trees.updated, nodes.updated) == Some(&content) {
            return Some(self.taken(nodes, nodes.updated?));
        }
        let style = match scalar.style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let can_be = can_be_literal(&content) && can_be_literal(scalar.content);
                return can_be.then(|| Outcome::Text(content.into()));
            }
            style => style,
        };
        let written = [style, ScalarStyle::DoubleQuoted]
            .into_iter()
            .find_map(|style| write(&content, ScalarType::Str, style, true))?;
        Some(Outcome::Lines(Box::new(ScalarLines { written, content })))
    }
}

/// Whether local has upstream's changes already: they can be taken out of it, and a merge then makes
/// the same text again.
fn is_merged(texts: Triple<&str>) -> bool {
    // one line is upstream's as a whole or not at all
    if !texts.local.contains('\n') {
        return false;
    }
    let undone = merged_lines(Triple {
        original: texts.updated,
        updated: texts.original,
        ..texts
    });
    let local = undone.updated.as_str();
    if undone.has_conflict || local == texts.local {
        return false;
    }
    let again = merged_lines(Triple { local, ..texts });
    !again.has_conflict && again.updated == texts.local
}

/// Whether a text can be written as a literal block scalar in any place.
fn can_be_literal(text: &str) -> bool {
    let is_printable = |c: char| match c {
        '\n' | '\t' => true,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        c => !c.is_control(),
    };
    // lines of white space have no column that others could come to
    text.contains(|c: char| !c.is_whitespace()) && text.chars().all(is_printable)
}

/// Merges three texts by their lines. How many line breaks are at the end is a matter of its own.
fn merged_lines(texts: Triple<&str>) -> Merged {
    let bodies = texts.map(|text| text.trim_end_matches('\n'));
    let ends = texts.zip(bodies).map(|(text, body)| &text[body.len()..]);
    let lines = bodies.map(|body| format!("{body}\n"));
    let lines = lines.as_ref().map(String::as_str);
    let with_end = |mut text: String, end: &str| {
        text.pop();
        text + end
    };
    let (updated_end, local_end, ends_differ) = match ends.change() {
        Change::Nobody | Change::Local | Change::BothAlike => (ends.local, ends.local, false),
        Change::Upstream => (ends.updated, ends.updated, false),
        Change::BothApart => (ends.updated, ends.local, true),
    };
    let updated = merge_value_lines(lines, OnConflict::Updated);
    let has_conflict = !updated.hunks.is_empty() || ends_differ;
    let local = match updated.hunks.is_empty() {
        true => updated.text.clone(),
        false => merge_value_lines(lines, OnConflict::Local).text,
    };
    Merged {
        updated: with_end(updated.text, updated_end),
        local: with_end(local, local_end),
        has_conflict,
    }
}

impl Walker<'_> {
    /// The lines of three scalars without or between quotes, or of folded ones, all written alike
    /// and in one column, merged; `None` if they are not that, or the lines conflict.
    fn merged_scalar_lines(&self, nodes: Nodes) -> Option<ScalarLines> {
        let owners = self.steps.last()?.entries;
        let sides = self.trees.zip(nodes.zip(owners));
        let [original, updated, local] = sides.into_array().map(|(tree, (node, owner))| {
            let (node, owner) = (node?, tree.entry(owner?));
            let scalar = tree.scalar(node).filter(|_| tree.resolve(node) == node)?;
            let written = tree.slice(tree.node(node).span);
            let is_text = scalar.style != ScalarStyle::Literal
                && scalar.scalar_type == ScalarType::Str
                && written.contains('\n')
                && owner.key.is_some();
            let column = tree.column(owner.span.start);
            is_text.then_some((written, scalar.style, column))
        });
        let (original, updated, local) = (original?, updated?, local?);
        let is_alike = |other: (&str, ScalarStyle, u32)| (other.1, other.2) == (local.1, local.2);
        if !is_alike(original) || !is_alike(updated) || local.0.contains('\r') {
            return None;
        }
        let merged = merge_value_lines(
            Triple::new(original.0, updated.0, local.0),
            OnConflict::Updated,
        );
        let written = merged.text;
        if !merged.hunks.is_empty() {
            return None;
        }
        let text = format!("{}x: {written}\n", " ".repeat(local.2 as usize));
        let tree = Tree::parse(&text).ok().flatten()?;
        let entry = tree.entry(tree.find(tree.root().value, "x")?);
        let scalar = tree.scalar(entry.value)?;
        let is_same = scalar.style == local.1 && tree.slice(tree.node(entry.value).span) == written;
        let content = scalar.content.to_owned();
        (is_same && scalar.scalar_type == ScalarType::Str)
            .then_some(ScalarLines { written, content })
    }
}

/// What a scalar that is a text says; `None` if it is an alias.
fn text_of<'t>(tree: &'t Tree<'_>, node: Option<NodeId>) -> Option<&'t str> {
    let node = node.filter(|node| tree.resolve(*node) == *node)?;
    let scalar = tree.scalar(node)?;
    (scalar.scalar_type == ScalarType::Str).then_some(scalar.content)
}
