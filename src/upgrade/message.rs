//! Writes the message of an upgrade's commit. Names from upstream are escaped, so that hosts do not
//! find mentions of users or references to issues in them.

use std::path::Path;

use super::package_upgrade::Upgrade;
use super::report::versions;
use crate::package::Plan;
use crate::report::{by_need, many, portable};
use crate::visible::visible;

/// The maximum number of conflicts that a message lists.
const MAX_CONFLICTS: usize = 50;
/// The default template.
const DEFAULT: &str = "Upgrade {package} from {from} to {to}\n\n{details}";
/// The names of the placeholders in a template.
const PLACEHOLDERS: [&str; 7] = [
    "package",
    "name",
    "from",
    "to",
    "upstream",
    "conflicts",
    "details",
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
        let mut rest = text;
        while let Some((_, name, after)) = next_placeholder(rest) {
            if !PLACEHOLDERS.contains(&name) {
                let names = PLACEHOLDERS.join("}, {");
                return Err(format!(
                    "{{{name}}} is not a placeholder; there are {{{names}}}"
                ));
            }
            rest = after;
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the message for the upgrade of a package.
    pub(super) fn message(&self, upgrade: &Upgrade, package: &Path) -> String {
        // the path is empty if the package is the whole repository
        let package = match package.as_os_str().is_empty() {
            true => Path::new(upgrade.origin.base_name()),
            false => package,
        };
        let mut text = String::new();
        let mut rest = self.0.as_str();
        // inserted values are not searched for placeholders
        while let Some((before, name, after)) = next_placeholder(rest) {
            let value = value(name, upgrade, package);
            text += before;
            text += &value.unwrap_or_else(|| format!("{{{name}}}"));
            rest = after;
        }
        text + rest
    }
}

/// Splits a text at the first placeholder: returns the text before it, its name, and the text after
/// it.
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('{').find_map(|(at, _)| {
        let (name, after) = text[at + 1..].split_once('}')?;
        let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase());
        is_name.then(|| (&text[..at], name, after))
    })
}

/// Returns the value of a placeholder.
fn value(name: &str, upgrade: &Upgrade, package: &Path) -> Option<String> {
    let [from, to] = versions(upgrade);
    Some(match name {
        "package" => visible(&portable(package)),
        "name" => visible(&portable(package.file_name()?.as_ref())),
        "from" => escaped(from),
        "to" => escaped(to),
        "upstream" => visible(&upgrade.origin.shown()),
        "conflicts" => by_need(&upgrade.plan).0.len().to_string(),
        "details" => details(upgrade),
        _ => return None,
    })
}

/// Returns the value of `{details}`: the origin, both versions, and the conflicts.
fn details(upgrade: &Upgrade) -> String {
    let mut text = visible(&upgrade.origin.shown());
    for version in [&upgrade.from, &upgrade.to] {
        text.push_str(&format!(
            "\n{} ({})",
            escaped(&version.full),
            version.commit
        ));
    }
    text.push('\n');
    text + &conflicts(&upgrade.plan)
}

/// Returns the list of conflicts.
fn conflicts(plan: &Plan) -> String {
    let (live, deleted) = by_need(plan);
    let mut lines: Vec<String> = Vec::new();
    for record in live.iter().take(MAX_CONFLICTS) {
        let line = record.line.map_or(String::new(), |line| format!(":{line}"));
        let conflict = &record.conflict;
        let path = match &*conflict.path {
            "" => String::new(),
            path => format!("{} ", escaped(path)),
        };
        lines.push(format!(
            "- {}{line} {path}{} -> {}\n",
            escaped(&portable(&record.file)),
            conflict.kind.as_str(),
            conflict.resolution.as_str()
        ));
    }
    if live.len() > MAX_CONFLICTS {
        lines.push(format!("- and {} more\n", live.len() - MAX_CONFLICTS));
    }
    if !deleted.is_empty() {
        let count = many(deleted.len(), "deletion");
        lines.push(format!("- {count} of ours kept\n"));
    }
    match lines.is_empty() {
        true => String::new(),
        false => format!("\nConflicts:\n{}", lines.concat()),
    }
}

/// Returns a name from upstream with everything escaped that hosts interpret: mentions, references,
/// addresses, keywords that close an issue.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        let is_reference = c == '-' && name[..at].to_ascii_lowercase().ends_with("gh");
        match c.is_ascii_alphanumeric() || (".-_/+=*[],".contains(c) && !is_reference) {
            true => text.push(c),
            false => text.extend(c.escape_unicode()),
        }
    }
    text
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
