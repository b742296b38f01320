//! Rules for single places of a document: who wins a conflict there, how a list there merges.

use std::sync::Arc;

use super::conflict::Resolution;
use super::options::{Images, Lists, Options, Texts};
use super::pattern::Pattern;

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Where it is written, for reports: `FILE:LINE`.
    pub origin: Arc<str>,
    /// Which places it is for.
    pub path: Pattern,
    /// Who wins a conflict there or below.
    pub take: Option<Take>,
    /// How a list merges that is right there, whatever identifies its elements.
    pub lists: Option<Lists>,
    /// How a text of several lines merges that is right there.
    pub texts: Option<Texts>,
    /// How an image reference merges that is right there, whatever the field is called.
    pub images: Option<Images>,
    /// What identifies the elements of a list that is right there: one field or two. None where it
    /// says nothing of that.
    pub keys: Vec<String>,
}

/// Who wins a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Take {
    /// Upstream.
    Updated,
    /// The local side.
    Local,
    /// The side with the higher semantic version; of anything else, whoever else wins.
    Higher,
}

impl Take {
    /// How a conflict comes out, whatever the values are; `None` if they decide.
    pub const fn resolution(self) -> Option<Resolution> {
        match self {
            Self::Updated => Some(Resolution::Updated),
            Self::Local => Some(Resolution::Local),
            Self::Higher => None,
        }
    }
}

impl Options {
    /// How a conflict about a whole document or file comes out, and the rule that says so, if one
    /// does.
    pub fn whole(&self) -> (Resolution, Option<&Rule>) {
        let mut rules = self.rules.iter().rev().filter(|rule| rule.path.is_whole());
        let ruled = rules.find_map(|rule| Some((rule.take?.resolution()?, rule)));
        match ruled {
            Some((resolution, rule)) => (resolution, Some(rule)),
            None => (self.on_conflict.resolution(), None),
        }
    }

    /// How it comes out that upstream changed a whole document or file that local deleted, and the
    /// rule that says so, if one does: it stays deleted, whoever wins conflicts, unless a rule says
    /// otherwise. `None` if a rule says that it is to stay so: then there is nothing to tell.
    pub(crate) fn deletion(&self) -> Option<(Resolution, Option<&Rule>)> {
        match self.whole() {
            (Resolution::Updated, None) => Some((Resolution::Local, None)),
            (Resolution::Local, Some(_)) => None,
            ruled => Some(ruled),
        }
    }
}
