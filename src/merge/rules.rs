//! User-defined rules for single paths of a document: which side wins a conflict, how a list
//! merges.

use std::sync::Arc;

use super::conflict::Resolution;
use super::options::{Images, Lists, Options, Texts};
use super::pattern::Pattern;

/// A rule for the places that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rule {
    /// The file and line of the rule, for reports: `FILE:LINE`.
    pub origin: Arc<str>,
    /// The paths that it applies to.
    pub path: Pattern,
    /// Which side wins a conflict at such a path or below.
    pub take: Option<Take>,
    /// How a list at such a path merges, even if it has a key.
    pub lists: Option<Lists>,
    /// How a text of several lines at such a path merges.
    pub texts: Option<Texts>,
    /// How an image reference at such a path merges, whatever the name of the field.
    pub images: Option<Images>,
    /// The fields, one or two, that are the key of a list at such a path; empty if the rule does
    /// not set a key.
    pub keys: Vec<String>,
}

/// Which side wins a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Take {
    /// Upstream.
    Updated,
    /// The local side.
    Local,
    /// The side with the higher semantic version; of other values, the side that wins without this.
    Higher,
}

impl Take {
    /// Returns how a conflict is resolved; `None` if that depends on the values.
    pub const fn resolution(self) -> Option<Resolution> {
        match self {
            Self::Updated => Some(Resolution::Updated),
            Self::Local => Some(Resolution::Local),
            Self::Higher => None,
        }
    }
}

impl Options {
    /// Returns how a conflict about a whole document or file is resolved, and the rule that decided
    /// it, if one did.
    pub fn whole(&self) -> (Resolution, Option<&Rule>) {
        let mut rules = self.rules.iter().rev().filter(|rule| rule.path.is_whole());
        let ruled = rules.find_map(|rule| Some((rule.take?.resolution()?, rule)));
        let by_policy = (self.on_conflict.resolution(), None);
        ruled.map_or(by_policy, |(resolution, rule)| (resolution, Some(rule)))
    }

    /// Returns how a conflict is resolved where upstream changed a whole document or file that
    /// local deleted, and the rule that decided it, if one did. It stays deleted under every policy
    /// that lets a side win. Returns `None` if a rule acknowledges the deletion: then there is no
    /// conflict to report.
    pub(crate) fn deletion(&self) -> Option<(Resolution, Option<&Rule>)> {
        match self.whole() {
            (Resolution::Updated, None) => Some((Resolution::Local, None)),
            (Resolution::Local, Some(_)) => None,
            ruled => Some(ruled),
        }
    }
}
