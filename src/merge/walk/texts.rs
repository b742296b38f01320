//! Merges scalars of several lines that both sides changed: line by line, or by structure if the
//! lines conflict (rules: Texts and images).

use super::images::merge_part;
use super::{Nodes, Walker};
use crate::merge::decision::{Outcome, ScalarLines};
use crate::merge::embedded::{has_structure, merge_embedded};
use crate::merge::text::{ValueLines, merge_value_lines};
use crate::merge::{CombinedBy, ConflictKind, Resolution, Sides, Texts};
use crate::triple::{Side, Triple};
use crate::yaml::scalar::write;
use crate::yaml::{NodeId, ScalarStyle, ScalarType, Tree};

impl Walker<'_> {
    /// Merges the parts of three scalars: image references or texts. Returns `None` if they merge
    /// as one value, or if local did not change its scalar.
    pub(super) fn merge_scalar_parts(&mut self, nodes: Nodes) -> Option<Outcome> {
        if self.unchanged_locally(nodes) {
            return None;
        }
        self.merge_image(nodes).or_else(|| self.merge_text(nodes))
    }

    /// Merges three texts.
    fn merge_text(&mut self, nodes: Nodes) -> Option<Outcome> {
        if self.texts_mode() == Texts::Replace {
            return None;
        }
        let sides = self.trees.zip(nodes);
        let texts = sides.map(|(tree, node)| text_of(tree, node)).transpose()?;
        if has_updated_changes(texts) {
            return Some(Outcome::Keep);
        }
        if let Some(lines) = self.merge_source_lines(nodes) {
            self.record_combined(CombinedBy::Lines, nodes);
            return Some(Outcome::Lines(Box::new(lines)));
        }
        let have_structure = || texts.into_array().into_iter().all(has_structure);
        let is_multiline = |text: &&str| text.trim_end_matches('\n').contains('\n');
        if !texts.into_array().iter().any(is_multiline) && !have_structure() {
            return None;
        }
        let lines = merge_lines(texts);
        let is_sound =
            lines.local.is_none() && (has_structure(&lines.updated) || !have_structure());
        if is_sound {
            let is_updated = lines.updated == texts.updated;
            let outcome = self.text_outcome(nodes, lines.updated)?;
            if !is_updated && outcome != Outcome::Keep {
                self.record_combined(CombinedBy::Lines, nodes);
            }
            return Some(outcome);
        }
        if let Some(merged) = self.merge_structure(nodes, texts) {
            return Some(merged);
        }
        let local = lines.local?;
        let is_one_conflict = lines.updated == texts.updated && local == texts.local;
        if is_one_conflict {
            return None;
        }
        self.conflict_over_texts(nodes, local, lines.updated)
    }

    /// Merges three texts that are YAML or JSON documents.
    fn merge_structure(&mut self, nodes: Nodes, texts: Triple<&str>) -> Option<Outcome> {
        if self.texts_mode() == Texts::LinesOnly {
            return None;
        }
        let resolution = self.resolution();
        let line_breaks = merge_part(line_breaks_at_end(texts)).ok()?;
        let merge = |resolution| {
            let mut merged = merge_embedded(texts, resolution, self.options)?;
            merged.text = [without_line_breaks_at_end(&merged.text), line_breaks].concat();
            Some(merged)
        };
        let merged = merge(resolution)?;
        let is_conflict = !merged.conflicts.is_empty();
        if is_conflict && self.options.sides == Sides::Equal {
            return None;
        }
        if is_conflict && resolution == Resolution::Markers {
            let updated = merge(Resolution::Updated)?;
            return self.conflict_over_texts(nodes, merged.text, updated.text);
        }
        let outcome = self.text_outcome(nodes, merged.text.clone())?;
        if is_conflict || outcome != Outcome::Keep && merged.text != texts.updated {
            self.record_combined(CombinedBy::Structure, nodes);
        }
        self.record_embedded(nodes, merged);
        Some(outcome)
    }

    /// Records a conflict over texts of which each side wins its own part, and returns the outcome
    /// of the winning side.
    pub(super) fn conflict_over_texts(
        &mut self,
        nodes: Nodes,
        local: String,
        updated: String,
    ) -> Option<Outcome> {
        let local = self.text_outcome(nodes, local)?;
        let updated = self.text_outcome(nodes, updated)?;
        Some(self.conflict_over(ConflictKind::BothChanged, nodes, local, updated))
    }

    /// Returns upstream's text as a literal block scalar, if local changed only the style of the
    /// scalar to a literal block. Returns `None` otherwise.
    pub(super) fn updated_as_literal(&self, nodes: Nodes) -> Option<Outcome> {
        let is_literal = self.local_quoting(nodes) == Some(ScalarStyle::Literal);
        let scalar = self.trees.original.scalar(nodes.original?)?;
        if !is_literal || scalar.style.is_block() || !self.unchanged_locally(nodes) {
            return None;
        }
        let tags = self.each(nodes, |tree, node| {
            let tag = tree.node(node).tag();
            tag.map(|tag| tree.slice(tag))
        });
        // the block would keep its tag
        if tags.original != tags.updated {
            return None;
        }
        let content = text_of(self.trees.updated, nodes.updated)?;
        let is_writable = can_be_literal(content) && can_be_literal(scalar.content);
        is_writable.then(|| Outcome::Text(content.to_owned().into()))
    }

    /// Returns the outcome that gives local's scalar this content, or `None` if the content cannot
    /// be written in its style.
    pub(super) fn text_outcome(&self, nodes: Nodes, content: String) -> Option<Outcome> {
        let scalar = self.trees.local.scalar(nodes.local?)?;
        if scalar.content == content {
            return Some(Outcome::Keep);
        } else if text_of(self.trees.updated, nodes.updated) == Some(&content) {
            return Some(self.take_updated(nodes, nodes.updated?));
        }
        let style = match scalar.style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let is_writable = can_be_literal(&content) && can_be_literal(scalar.content);
                return is_writable.then(|| Outcome::Text(content.into()));
            }
            style => style,
        };
        let written = [style, ScalarStyle::DoubleQuoted]
            .into_iter()
            .find_map(|style| write(&content, ScalarType::Str, style, true))?;
        Some(Outcome::Lines(Box::new(ScalarLines { written, content })))
    }
}

/// Returns true if local already has upstream's changes: a reverse merge removes them from local's
/// text, and a merge of the result restores it.
fn has_updated_changes(texts: Triple<&str>) -> bool {
    // A single line is upstream's as a whole or not at all.
    if !texts.local.contains('\n') {
        return false;
    }
    let reverted = merge_lines(Triple {
        original: texts.updated,
        updated: texts.original,
        ..texts
    });
    let local = reverted.updated.as_str();
    if reverted.local.is_some() || local == texts.local {
        return false;
    }
    let remerged = merge_lines(Triple { local, ..texts });
    remerged.local.is_none() && remerged.updated == texts.local
}

/// Returns true if a text can be a literal block scalar at any indentation.
fn can_be_literal(text: &str) -> bool {
    let is_printable = |c: char| match c {
        '\n' | '\t' => true,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        c => !c.is_control(),
    };
    // Blank lines alone do not show the indentation of the block.
    text.contains(|c: char| !c.is_whitespace()) && text.chars().all(is_printable)
}

/// Merges three texts line by line. The line breaks at the end merge as a separate value, but where
/// all lines of a conflict are those of one side, so are the line breaks.
fn merge_lines(texts: Triple<&str>) -> ValueLines {
    let line_breaks = line_breaks_at_end(texts);
    // the blank line at the end separates a paragraph that one side appends from the last one
    let end = "\n\n";
    let lines = texts.map(|text| [without_line_breaks_at_end(text), end].concat());
    let lines = lines.as_ref().map(String::as_str);
    let merged_end = merge_part(line_breaks);
    let merged = merge_value_lines(lines);
    let has_conflict = merged.local.is_some();
    let with_end = |mut text: String, side: Side| {
        let is_whole = has_conflict && text == lines[side];
        text.truncate(text.len().saturating_sub(end.len()));
        text + match merged_end {
            Ok(merged) if !is_whole => merged,
            _ => line_breaks[side],
        }
    };
    // the line breaks alone may conflict
    let local = merged
        .local
        .or_else(|| merged_end.err().map(|_| merged.updated.clone()));
    ValueLines {
        updated: with_end(merged.updated, Side::Updated),
        local: local.map(|local| with_end(local, Side::Local)),
    }
}

fn line_breaks_at_end(texts: Triple<&str>) -> Triple<&str> {
    texts.map(|text| &text[without_line_breaks_at_end(text).len()..])
}

fn without_line_breaks_at_end(text: &str) -> &str {
    text.trim_end_matches('\n')
}

impl Walker<'_> {
    /// Merges the source lines of three plain, quoted or folded scalars of one style and column.
    /// Returns `None` for other scalars, or if the lines conflict.
    fn merge_source_lines(&self, nodes: Nodes) -> Option<ScalarLines> {
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
        let has_same_style =
            |other: (&str, ScalarStyle, u32)| (other.1, other.2) == (local.1, local.2);
        if !has_same_style(original) || !has_same_style(updated) || local.0.contains('\r') {
            return None;
        }
        let merged = merge_value_lines(Triple::new(original.0, updated.0, local.0));
        if merged.local.is_some() {
            return None;
        }
        let written = merged.updated;
        let text = format!("{}x: {written}\n", " ".repeat(local.2 as usize));
        let tree = Tree::parse(&text).ok().flatten()?;
        let entry = tree.entry(tree.find(tree.root().value, "x")?);
        let scalar = tree.scalar(entry.value)?;
        let round_trips =
            scalar.style == local.1 && tree.slice(tree.node(entry.value).span) == written;
        let content = scalar.content.to_owned();
        (round_trips && scalar.scalar_type == ScalarType::Str)
            .then_some(ScalarLines { written, content })
    }
}

/// Returns the content of a scalar that is a string. Returns `None` for an alias.
pub(super) fn text_of<'t>(tree: &'t Tree<'_>, node: Option<NodeId>) -> Option<&'t str> {
    let node = node.filter(|node| tree.resolve(*node) == *node)?;
    let scalar = tree.scalar(node)?;
    (scalar.scalar_type == ScalarType::Str).then_some(scalar.content)
}
