//! Describes the rule that decided a value, for `merge3 explain` and for reports.

use crate::merge::{CombinedBy, Conflict, ConflictKind};

/// Returns a sentence about the rule that decided a record.
pub(crate) fn reason(record: &Conflict) -> String {
    let path = match record.path() {
        "" => "the whole document",
        path => path,
    };
    match record.kind {
        ConflictKind::Pinned => format!(
            "a comment `# merge3: keep` at {path} holds upstream's change back (rules: Pins)"
        ),
        ConflictKind::Combined(means) => {
            format!("both sides changed {path}: {}", means_in_words(means))
        }
        kind => {
            let by = match &record.rule {
                Some(rule) => format!("the rule in {rule}"),
                None => "the policy (--on-conflict) or the rule for this kind".to_owned(),
            };
            format!(
                "both sides changed {path} and do not agree: a \
                 conflict, {}; {by} resolves it: {} (rules: Conflicts)",
                kind.as_str(),
                record.resolution.as_str()
            )
        }
    }
}

/// Describes how a value was combined from both sides.
const fn means_in_words(means: CombinedBy) -> &'static str {
    match means {
        CombinedBy::Lines => "the text merges by lines (--texts lines, rules: Texts and images)",
        CombinedBy::Structure => {
            "the text is YAML or JSON and its lines conflict, so it merges \
             by its structure (--texts lines, rules: Texts and images)"
        }
        CombinedBy::Image => {
            "the registry and repository, and the tag and digest of an image \
             merge each on their own (--images parts, rules: Texts and images)"
        }
        CombinedBy::Elements => {
            "no key identifies the elements of the list, so it merges \
             element by element (--lists merge, rules: Lists without a key)"
        }
    }
}
