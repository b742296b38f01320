//! The message of an upgrade's commit. Nothing in it is obeyed by a host: what upstream named
//! closes no issue and mentions nobody.

use std::path::Path;

use super::package_upgrade::Upgrade;
use super::report::versions;
use crate::package::Plan;
use crate::report::{by_need, many, portable};
use crate::visible::visible;

/// The most conflicts that a message lists.
const MOST: usize = 50;
/// What a message is made from where nobody says otherwise.
const DEFAULT: &str = "Upgrade {package} from {from} to {to}\n\n{details}";
/// What stands for something else in a template.
const NAMES: [&str; 7] = [
    "package",
    "name",
    "from",
    "to",
    "upstream",
    "conflicts",
    "details",
];

/// What the message of a commit is made from: a text with `{package}` (its folder), `{name}` (the
/// folder's last name), `{from}`, `{to}`, `{upstream}`, `{conflicts}` (their number) and
/// `{details}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(String);

impl Default for Template {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl Template {
    /// A template, checked.
    ///
    /// # Errors
    /// Where it is empty, or has a name in braces that stands for nothing.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("a commit needs a message".to_owned());
        }
        let mut rest = text;
        while let Some((_, name, behind)) = next_name(rest) {
            if !NAMES.contains(&name) {
                let names = NAMES.join("}, {");
                return Err(format!(
                    "{{{name}}} stands for nothing; there are {{{names}}}"
                ));
            }
            rest = behind;
        }
        Ok(Self(text.to_owned()))
    }

    /// The message for the upgrade of a package.
    pub(super) fn message(&self, upgrade: &Upgrade, package: &Path) -> String {
        // a repository may be one package
        let package = match package.as_os_str().is_empty() {
            true => Path::new(upgrade.origin.base_name()),
            false => package,
        };
        let mut text = String::new();
        let mut rest = self.0.as_str();
        // what is put in is not looked at again
        while let Some((before, name, behind)) = next_name(rest) {
            let part = part(name, upgrade, package);
            text += before;
            text += &part.unwrap_or_else(|| format!("{{{name}}}"));
            rest = behind;
        }
        text + rest
    }
}

/// What is before the first name in braces, the name, and what is behind it.
fn next_name(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('{').find_map(|(at, _)| {
        let (name, behind) = text[at + 1..].split_once('}')?;
        let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase());
        is_name.then(|| (&text[..at], name, behind))
    })
}

fn part(name: &str, upgrade: &Upgrade, package: &Path) -> Option<String> {
    let [from, to] = versions(upgrade);
    Some(match name {
        "package" => visible(&portable(package)),
        "name" => visible(&portable(package.file_name()?.as_ref())),
        "from" => inert(from),
        "to" => inert(to),
        "upstream" => visible(&upgrade.origin.shown()),
        "conflicts" => by_need(&upgrade.plan).0.len().to_string(),
        "details" => details(upgrade),
        _ => return None,
    })
}

/// Where the package comes from, both versions, and the conflicts.
fn details(upgrade: &Upgrade) -> String {
    let mut text = visible(&upgrade.origin.shown());
    for version in [&upgrade.from, &upgrade.to] {
        text.push_str(&format!("\n{} ({})", inert(&version.full), version.commit));
    }
    text.push('\n');
    text + &conflicts(&upgrade.plan)
}

fn conflicts(plan: &Plan) -> String {
    let (live, deleted) = by_need(plan);
    let mut lines: Vec<String> = Vec::new();
    for record in live.iter().take(MOST) {
        let line = record.line.map_or(String::new(), |line| format!(":{line}"));
        let conflict = &record.conflict;
        let path = match &*conflict.path {
            "" => String::new(),
            path => format!("{} ", inert(path)),
        };
        lines.push(format!(
            "- {}{line} {path}{} -> {}\n",
            inert(&portable(&record.file)),
            conflict.kind.as_str(),
            conflict.resolution.as_str()
        ));
    }
    if live.len() > MOST {
        lines.push(format!("- and {} more\n", live.len() - MOST));
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

/// A name that somebody else gave, without what a host reads something out of: mentions,
/// references, addresses, words that close an issue.
fn inert(name: &str) -> String {
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
    fn what_others_named_is_inert() {
        assert_eq!(inert("v1.2.3+k8s-1"), "v1.2.3+k8s-1");
        assert_eq!(inert("fixes #5"), "fixes\\u{20}\\u{23}5");
        assert_eq!(inert("@a GH-5"), "\\u{40}a\\u{20}GH\\u{2d}5");
        assert_eq!(inert("https://h/o"), "https\\u{3a}//h/o");
    }

    #[test]
    fn a_template_has_known_names() {
        assert!(Template::new("chore: {package} {to} {a b} {").is_ok());
        assert!(
            Template::new("{version}")
                .unwrap_err()
                .contains("{details}")
        );
        assert!(Template::new(" ").is_err());
    }
}
