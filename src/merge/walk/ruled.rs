//! The rules that fit the place where the walk is.

use super::Walker;
use super::record::{Segment, Step};
use crate::merge::pattern::PatternStep;
use crate::merge::{Lists, Rule, Take};

impl Walker<'_> {
    /// The rule that says who wins a conflict here.
    pub(super) fn ruling(&self) -> Option<(&Rule, Take)> {
        let mut rules = self.options.rules.iter().rev();
        rules.find_map(|rule| {
            let take = rule.take?;
            self.fits(rule.path.steps(), &self.steps, true)
                .then_some((rule, take))
        })
    }

    /// How the list right here merges, where a rule says so.
    pub(super) fn ruled_lists(&self) -> Option<Lists> {
        self.last_here(|rule| rule.lists)
    }

    /// What identifies the elements of the list right here, where a rule says so.
    pub(super) fn ruled_keys(&self) -> Option<&[String]> {
        self.last_here(|rule| (!rule.keys.is_empty()).then_some(rule.keys.as_slice()))
    }

    fn last_here<'r, T>(&'r self, said: impl Fn(&'r Rule) -> Option<T>) -> Option<T> {
        let mut rules = self.options.rules.iter().rev();
        rules.find_map(|rule| {
            let said = said(rule)?;
            self.fits(rule.path.steps(), &self.steps, false)
                .then_some(said)
        })
    }

    /// Whether a pattern stands for the place that these steps lead to; with `below`, or for one above it.
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
