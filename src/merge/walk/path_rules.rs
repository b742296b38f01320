//! Looks up what the configured rules, or else the schema of the resource, say about the current
//! path.

use std::cmp::Ordering;

use super::images::version_in;
use super::keys::ListKey;
use super::record::{Segment, Step};
use super::{Nodes, Walker};
use crate::merge::pattern::PatternStep;
use crate::merge::{Lists, Resolution, Rule, Take, Texts};
use crate::schema::{FieldSchema, ListRule};
use crate::semantic_version::higher;
use crate::yaml::Tree;

impl<'a> Walker<'a> {
    /// Returns the last rule that resolves conflicts at the current path or above it, with its
    /// resolution. A rule `take: higher` applies only if it is known which version is higher.
    pub(super) fn conflict_rule(&self) -> Option<(&Rule, Resolution)> {
        let mut rules = self.options.rules.iter().rev();
        rules.find_map(|rule| {
            let resolution = match rule.take? {
                Take::Higher => self.higher_version,
                take => take.resolution(),
            };
            self.matches_path(rule.path.steps(), &self.steps, true)
                .then_some((rule, resolution?))
        })
    }

    /// Returns the side with the higher version, if there is a rule `take: higher` and both values
    /// are versions or images with a version.
    pub(super) fn higher_version_of(&self, nodes: Nodes) -> Option<Resolution> {
        let mut rules = self.options.rules.iter();
        if !rules.any(|rule| rule.take == Some(Take::Higher)) {
            return None;
        }
        let version = |tree: &'a Tree<'a>, node| Some(version_in(tree.scalar(node)?.content));
        let versions = self.each(nodes, version);
        let (updated, local) = (versions.updated??, versions.local??);
        Some(match higher(updated, local)? {
            Ordering::Less => Resolution::Local,
            Ordering::Equal | Ordering::Greater => Resolution::Updated,
        })
    }

    /// Returns how a text of several lines merges at the current path.
    pub(super) fn texts_mode(&self) -> Texts {
        self.rule_setting(|rule| rule.texts)
            .unwrap_or(self.options.texts)
    }

    /// Returns how a list merges regardless of what identifies its elements, if a rule or schema
    /// sets it.
    pub(super) fn lists_by_rule(&self, nodes: Nodes) -> Option<Lists> {
        let by_rule = self.rule_setting(|rule| rule.lists);
        if by_rule.is_some() || self.keys_of_rule().is_some() {
            return by_rule;
        }
        match self.schema_of(nodes)?.list() {
            ListRule::Atomic => Some(Lists::Replace),
            ListRule::Set => Some(Lists::Set),
            ListRule::Map(_) | ListRule::Unknown => None,
        }
    }

    /// Returns the key of a list, if a rule or schema sets it.
    pub(super) fn key_by_rule(&self, nodes: Nodes) -> Option<ListKey> {
        if let Some(names) = self.keys_of_rule() {
            return ListKey::of_rule(names);
        }
        match self.schema_of(nodes)?.list() {
            ListRule::Map(keys) => Some(ListKey::Known(keys.to_vec())),
            ListRule::Atomic | ListRule::Set | ListRule::Unknown => None,
        }
    }

    /// Returns true if the schema says that a map is one value.
    pub(super) fn is_atomic_map(&self, nodes: Nodes) -> bool {
        self.schema_of(nodes)
            .is_some_and(FieldSchema::is_atomic_map)
    }

    /// Returns the fields that a rule names as the key of a list.
    fn keys_of_rule(&self) -> Option<&[String]> {
        self.rule_setting(|rule| (!rule.keys.is_empty()).then_some(rule.keys.as_slice()))
    }

    /// Returns the schema of a node: that of updated, else of local, else of original.
    fn schema_of(&self, nodes: Nodes) -> Option<FieldSchema<'_>> {
        let schemas = self.schemas.as_ref()?;
        let sides = (**schemas).as_ref().zip(nodes);
        let sides = sides.map(|(schemas, node)| schemas.of(node?));
        sides.updated.or(sides.local).or(sides.original)
    }

    /// Returns a setting from the last rule that has it and matches the current path.
    pub(super) fn rule_setting<'r, T>(
        &'r self,
        setting: impl Fn(&'r Rule) -> Option<T>,
    ) -> Option<T> {
        let mut rules = self.options.rules.iter().rev();
        rules.find_map(|rule| {
            let setting = setting(rule)?;
            self.matches_path(rule.path.steps(), &self.steps, false)
                .then_some(setting)
        })
    }

    /// Returns true if a pattern matches the path of `steps` or, with `or_below`, a path above it.
    fn matches_path(&self, pattern: &[PatternStep], steps: &[Step], or_below: bool) -> bool {
        match (pattern.split_first(), steps.split_first()) {
            (None, None) => true,
            (None, Some(_)) => or_below,
            (Some((PatternStep::Deep, rest)), None) => self.matches_path(rest, steps, or_below),
            (Some(_), None) => false,
            (Some((PatternStep::Deep, rest)), Some((_, following))) => {
                self.matches_path(rest, steps, or_below)
                    || self.matches_path(pattern, following, or_below)
            }
            (Some((expected, rest)), Some((step, following))) => {
                self.matches_step(expected, step) && self.matches_path(rest, following, or_below)
            }
        }
    }

    fn matches_step(&self, expected: &PatternStep, step: &Step) -> bool {
        if let (PatternStep::Index(expected), Segment::Index(index)) = (expected, &step.segment) {
            return expected == index;
        }
        let are_matches = self.each(step.entries, |tree, entry| expected.matches(tree, entry));
        are_matches.into_array().contains(&Some(true))
    }
}
