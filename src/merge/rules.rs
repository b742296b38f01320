//! Rules for single places of a document: who wins a conflict there, how a list there merges.

use super::conflict::Resolution;
use super::options::{Lists, Options};
use super::pattern::Pattern;

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Where it is written, for reports: `FILE:LINE`.
    pub origin: String,
    /// Which places it is for.
    pub path: Pattern,
    /// Who wins a conflict there or below.
    pub take: Option<Take>,
    /// How a list merges that is right there, whatever identifies its elements.
    pub lists: Option<Lists>,
    /// What identifies the elements of a list that is right there: one field or two. None where it says nothing of that.
    pub keys: Vec<String>,
}

/// Who wins a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Upstream.
    Updated,
    /// The local side.
    Local,
}

impl Take {
    /// How a conflict comes out.
    pub const fn resolution(self) -> Resolution {
        match self {
            Self::Updated => Resolution::Updated,
            Self::Local => Resolution::Local,
        }
    }
}

impl Options {
    /// How a conflict about a whole document or file comes out, and the rule that says so, if one does.
    pub fn whole(&self) -> (Resolution, Option<&Rule>) {
        let rule = self
            .rules
            .iter()
            .rev()
            .find(|rule| rule.take.is_some() && rule.path.is_whole());
        let take = rule.and_then(|rule| rule.take);
        let resolution = take.map_or(self.on_conflict.resolution(), Take::resolution);
        (resolution, rule)
    }

    /// How it comes out that upstream changed a whole document or file that local deleted, and the rule that says so, if one
    /// does: it stays deleted, whoever wins conflicts, unless a rule says otherwise. None where a rule says that it is to
    /// stay so: then there is nothing to tell.
    pub(crate) fn deletion(&self) -> Option<(Resolution, Option<&Rule>)> {
        match self.whole() {
            (Resolution::Updated, None) => Some((Resolution::Local, None)),
            (Resolution::Local, Some(_)) => None,
            ruled => Some(ruled),
        }
    }
}
