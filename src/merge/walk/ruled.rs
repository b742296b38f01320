//! What is said of the place where the walk is: by a rule for it, else by the schema of the
//! resource.

use std::cmp::Ordering;

use super::images::version_in;
use super::keys::ListKey;
use super::record::{Segment, Step};
use super::{Nodes, Walker};
use crate::merge::pattern::PatternStep;
use crate::merge::{Images, Lists, Resolution, Rule, Take, Texts};
use crate::schema::{FieldSchema, ListRule};
use crate::semantic_version::higher;
use crate::yaml::{NodeId, Tree};

impl Walker<'_> {
    /// The rule that says who wins a conflict here, and who that is. One that asks for the higher
    /// version has a say where the versions of the conflict are known.
    pub(super) fn ruling(&self) -> Option<(&Rule, Resolution)> {
        let mut rules = self.options.rules.iter().rev();
        rules.find_map(|rule| {
            let resolution = match rule.take? {
                Take::Higher => self.higher,
                take => take.resolution(),
            };
            self.fits(rule.path.steps(), &self.steps, true)
                .then_some((rule, resolution?))
        })
    }

    /// Whose version is the higher one, where a rule here asks for that and both values are
    /// versions, or images with a version.
    pub(super) fn higher_of(&self, nodes: Nodes) -> Option<Resolution> {
        let mut rules = self.options.rules.iter();
        if !rules.any(|rule| rule.take == Some(Take::Higher)) {
            return None;
        }
        let content = |tree: &'_ Tree<'_>, node: Option<NodeId>| {
            let scalar = tree.scalar(tree.resolve(node?))?;
            Some(version_in(scalar.content).to_owned())
        };
        let updated = content(self.trees.updated, nodes.updated)?;
        let local = content(self.trees.local, nodes.local)?;
        Some(match higher(&updated, &local)? {
            Ordering::Less => Resolution::Local,
            Ordering::Equal | Ordering::Greater => Resolution::Updated,
        })
    }

    /// How a text of several lines merges here.
    pub(super) fn texts_here(&self) -> Texts {
        self.last_here(|rule| rule.texts)
            .unwrap_or(self.options.texts)
    }

    /// How an image reference merges here, where a rule says so.
    pub(super) fn ruled_images(&self) -> Option<Images> {
        self.last_here(|rule| rule.images)
    }

    /// How a list merges whatever identifies its elements, where that is said.
    pub(super) fn ruled_lists(&self, nodes: Nodes) -> Option<Lists> {
        let ruled = self.last_here(|rule| rule.lists);
        if ruled.is_some() || self.ruled_keys().is_some() {
            return ruled;
        }
        match self.schema_of(nodes)?.list() {
            ListRule::Atomic => Some(Lists::Replace),
            ListRule::Set => Some(Lists::Set),
            ListRule::Map(_) | ListRule::Unknown => None,
        }
    }

    /// What identifies the elements of a list, where that is said.
    pub(super) fn ruled_key(&self, nodes: Nodes) -> Option<ListKey> {
        if let Some(names) = self.ruled_keys() {
            return ListKey::ruled(names);
        }
        match self.schema_of(nodes)?.list() {
            ListRule::Map(keys) => Some(ListKey::Known(keys.to_vec())),
            ListRule::Atomic | ListRule::Set | ListRule::Unknown => None,
        }
    }

    /// Whether a map is one value.
    pub(super) fn is_atomic_map(&self, nodes: Nodes) -> bool {
        self.schema_of(nodes)
            .is_some_and(FieldSchema::is_atomic_map)
    }

    fn ruled_keys(&self) -> Option<&[String]> {
        self.last_here(|rule| (!rule.keys.is_empty()).then_some(rule.keys.as_slice()))
    }

    /// What the schema says of a node: as upstream's document sees it, else local's, else the
    /// original.
    fn schema_of(&self, nodes: Nodes) -> Option<FieldSchema<'_>> {
        let schemas = self.schemas.as_ref()?;
        let [original, updated, local] = schemas
            .as_ref()
            .zip(nodes)
            .map(|(schemas, node)| schemas.of(node?))
            .into_array();
        updated.or(local).or(original)
    }

    fn last_here<'r, T>(&'r self, said: impl Fn(&'r Rule) -> Option<T>) -> Option<T> {
        let mut rules = self.options.rules.iter().rev();
        rules.find_map(|rule| {
            let said = said(rule)?;
            self.fits(rule.path.steps(), &self.steps, false)
                .then_some(said)
        })
    }

    /// Whether a pattern stands for the place that these steps lead to; with `below`, or for one
    /// above it.
    fn fits(&self, pattern: &[PatternStep], steps: &[Step], below: bool) -> bool {
        match (pattern.split_first(), steps.split_first()) {
            (None, None) => true,
            (None, Some(_)) => below,
            (Some((PatternStep::Deep, rest)), None) => self.fits(rest, steps, below),
            (Some(_), None) => false,
            (Some((PatternStep::Deep, rest)), Some((_, deeper))) => {
                self.fits(rest, steps, below) || self.fits(pattern, deeper, below)
            }
            (Some((wanted, rest)), Some((step, deeper))) => {
                self.is_step(wanted, step) && self.fits(rest, deeper, below)
            }
        }
    }

    fn is_step(&self, wanted: &PatternStep, step: &Step) -> bool {
        if let (PatternStep::Index(wanted), Segment::Index(index)) = (wanted, &step.segment) {
            return wanted == index;
        }
        let sides = self.trees.zip(step.entries).into_array();
        sides
            .into_iter()
            .any(|(tree, entry)| entry.is_some_and(|entry| wanted.matches(tree, entry)))
    }
}
