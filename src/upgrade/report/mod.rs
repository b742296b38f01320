//! What was upgraded, and what could be: for programs, for people, for a pull request.

mod html;
mod json;
mod markdown;
mod text;

use super::one::Upgrade;
use super::outdated::Outdated;
use super::remote::{Resolved, is_hash};
use crate::report;

pub use html::upgrade_html;
pub use json::{outdated_json, upgrade_json};
pub use markdown::{outdated_markdown, upgrade_markdown};
pub use text::{Told, outdated_text, upgrade_text};

/// A hash as people write it.
pub(super) fn short_name(name: &str) -> &str {
    let digits = name.trim_start_matches("sha256:");
    if is_hash(name) { &digits[..10] } else { name }
}

/// The two versions of an upgrade, as people name them.
pub(super) fn versions(upgrade: &Upgrade) -> [&str; 2] {
    [&upgrade.from, &upgrade.to].map(|version| short_name(&version.full))
}

/// A package, its version, the one that it would go to, and the newest one.
fn row(outdated: &Outdated) -> [String; 4] {
    let current = &outdated.current;
    // a branch keeps its name: what tells its versions apart is the commit
    let is_branch = outdated.latest.name == current.name;
    let name = |version: &Resolved| match is_branch {
        true => format!("{} {}", version.name, short_name(&version.commit)),
        false => short_name(&version.name).to_owned(),
    };
    [
        report::portable(&outdated.package),
        name(current),
        name(outdated.wanted.as_ref().unwrap_or(current)),
        name(&outdated.latest),
    ]
}
