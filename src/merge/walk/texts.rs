//! Literal block scalars that both sides changed: merged line by line, where that is asked for.

use super::{Nodes, Walker};
use crate::merge::decision::{Outcome, ScalarLines};
use crate::merge::text::merge_value_lines;
use crate::merge::{ConflictKind, OnConflict, Texts};
use crate::triple::Triple;
use crate::yaml::{NodeId, ScalarStyle, ScalarType, Tree};

impl Walker<'_> {
    /// The lines of three literal block scalars, merged; none where they are not that, or local did not change its own.
    pub(super) fn merged_lines(&mut self, nodes: Nodes) -> Option<Outcome> {
        if self.options.texts == Texts::Replace || self.unchanged_locally(nodes) {
            return None;
        }
        if let Some(lines) = self.merged_scalar_lines(nodes) {
            return Some(Outcome::Lines(Box::new(lines)));
        }
        let [original, updated, local] = self
            .trees
            .zip(nodes)
            .into_array()
            .map(|(tree, node)| literal(tree, node?));
        let texts = Triple::new(original?, updated?, local?);
        let updated_wins = merge_value_lines(texts, OnConflict::Updated);
        let merged = Outcome::Text(updated_wins.text);
        if updated_wins.hunks.is_empty() {
            return Some(merged);
        }
        let local_wins = Outcome::Text(merge_value_lines(texts, OnConflict::Local).text);
        Some(self.conflict_over(ConflictKind::BothChanged, nodes, local_wins, merged))
    }
}

impl Walker<'_> {
    /// The lines of three scalars without or between quotes, or of folded ones, all written alike and in one column, merged; none where
    /// they are not that, or the lines conflict.
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

/// What a literal block scalar says.
fn literal<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let scalar = tree.scalar(node)?;
    let is_text = scalar.style == ScalarStyle::Literal && scalar.scalar_type == ScalarType::Str;
    is_text.then_some(scalar.content)
}
