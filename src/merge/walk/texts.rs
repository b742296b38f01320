//! Literal block scalars that both sides changed: merged line by line, where that is asked for.

use super::{Nodes, Walker};
use crate::merge::decision::Outcome;
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

/// What a literal block scalar says.
fn literal<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let scalar = tree.scalar(node)?;
    let is_text = scalar.style == ScalarStyle::Literal && scalar.scalar_type == ScalarType::Str;
    is_text.then_some(scalar.content)
}
