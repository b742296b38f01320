//! Writes the message of an upgrade's commit. Names from upstream are escaped, so that hosts do not
//! find mentions of users or references to issues in them.

use std::path::Path;

use regex::{Captures, Regex};

use super::package_upgrade::Upgrade;
use super::report::versions;
use crate::package::Plan;
use crate::report::{by_need, many, portable};
use crate::visible::{replaced, visible};

/// The maximum number of conflicts that a message lists.
const MAX_CONFLICTS: usize = 50;
/// The default template.
const DEFAULT: &str = "Upgrade {package} from {from} to {to}\n\n{details}";
/// Returns the value of a placeholder for an upgrade of the package at a path, from the top of the
/// repository.
type Value = fn(&Upgrade, &Path) -> String;

/// The placeholders of a template.
const PLACEHOLDERS: [(&str, Value); 7] = [
    ("package", |_, path| visible(&portable(path))),
    ("name", |_, path| {
        visible(&portable(path.file_name().unwrap_or_default().as_ref()))
    }),
    ("from", |upgrade, _| escaped(versions(upgrade)[0])),
    ("to", |upgrade, _| escaped(versions(upgrade)[1])),
    ("upstream", |upgrade, _| visible(&upgrade.origin.shown())),
    ("conflicts", |upgrade, _| {
        by_need(&upgrade.plan).0.len().to_string()
    }),
    ("details", |upgrade, _| details(upgrade)),
];

/// The template of a commit message. Its placeholders are `{package}` (the folder), `{name}` (the
/// folder's last name), `{from}`, `{to}`, `{upstream}`, `{conflicts}` (their number) and
/// `{details}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(String);

impl Default for Template {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl Template {
    /// Creates a template after checking it.
    ///
    /// # Errors
    /// If it is empty, or has an unknown placeholder.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("a commit needs a message".to_owned());
        }
        let mut unknown = None;
        filled(text, |name| {
            if PLACEHOLDERS.iter().all(|(known, _)| *known != name) {
                unknown.get_or_insert(name.to_owned());
            }
            String::new()
        });
        match unknown {
            None => Ok(Self(text.to_owned())),
            Some(name) => {
                let names = PLACEHOLDERS.map(|(name, _)| name).join("}, {");
                Err(format!(
                    "{{{name}}} is not a placeholder; there are {{{names}}}"
                ))
            }
        }
    }

    /// Returns the message for the upgrade of a package.
    pub(super) fn message(&self, upgrade: &Upgrade, package: &Path) -> String {
        // the path is empty if the package is the whole repository
        let package = match package.as_os_str().is_empty() {
            true => Path::new(upgrade.origin.base_name()),
            false => package,
        };
        filled(&self.0, |name| {
            let mut placeholders = PLACEHOLDERS.iter();
            let value = placeholders.find(|(known, _)| *known == name);
            value.map_or_else(String::new, |(_, value)| value(upgrade, package))
        })
    }
}

/// Returns a text with its placeholders replaced. The values are not searched for placeholders.
fn filled(text: &str, mut value: impl FnMut(&str) -> String) -> String {
    match Regex::new(r"\{([a-z]*)\}") {
        Ok(placeholders) => {
            let value = |found: &Captures<'_>| value(&found[1]);
            placeholders.replace_all(text, value).into_owned()
        }
        Err(_) => text.to_owned(),
    }
}

/// Returns the value of `{details}`: the origin, both versions, and the conflicts.
fn details(upgrade: &Upgrade) -> String {
    let versions = [&upgrade.from, &upgrade.to];
    let [from, to] = versions.map(|it| format!("{} ({})", escaped(&it.full), it.commit));
    let origin = visible(&upgrade.origin.shown());
    format!("{origin}\n{from}\n{to}\n{}", conflicts(&upgrade.plan))
}

/// Returns the list of conflicts.
fn conflicts(plan: &Plan) -> String {
    let (live, deleted) = by_need(plan);
    let conflicts = live.iter().take(MAX_CONFLICTS).map(|record| {
        let line = record.line.map_or(String::new(), |line| format!(":{line}"));
        let conflict = &record.conflict;
        let path = match conflict.path() {
            "" => String::new(),
            path => format!("{} ", escaped(path)),
        };
        let (kind, resolution) = (conflict.kind.as_str(), conflict.resolution.as_str());
        let file = escaped(&portable(&record.file));
        format!("- {file}{line} {path}{kind} -> {resolution}\n")
    });
    let more = live.len().saturating_sub(MAX_CONFLICTS);
    let more = (more > 0).then(|| format!("- and {more} more\n"));
    let kept = many(deleted.len(), "deletion");
    let kept = (!deleted.is_empty()).then(|| format!("- {kept} of ours kept\n"));
    let lines: String = conflicts.chain(more).chain(kept).collect();
    match lines.as_str() {
        "" => lines,
        _ => format!("\nConflicts:\n{lines}"),
    }
}

/// Returns a name from upstream with everything escaped that hosts interpret: mentions, references,
/// addresses, keywords that close an issue.
fn escaped(name: &str) -> String {
    replaced(name, |at, c| {
        let is_reference = c == '-' && name[..at].to_ascii_lowercase().ends_with("gh");
        let is_plain = c.is_ascii_alphanumeric() || (".-_/+=*[],".contains(c) && !is_reference);
        (!is_plain).then(|| c.escape_unicode().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_names_from_upstream() {
        assert_eq!(escaped("v1.2.3+k8s-1"), "v1.2.3+k8s-1");
        assert_eq!(escaped("fixes #5"), "fixes\\u{20}\\u{23}5");
        assert_eq!(escaped("@a GH-5"), "\\u{40}a\\u{20}GH\\u{2d}5");
        assert_eq!(escaped("https://h/o"), "https\\u{3a}//h/o");
    }

    #[test]
    fn refuses_unknown_placeholders() {
        assert!(Template::new("chore: {package} {to} {a b} {").is_ok());
        assert!(
            Template::new("{version}")
                .unwrap_err()
                .contains("{details}")
        );
        assert!(Template::new(" ").is_err());
    }
}
