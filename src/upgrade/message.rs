//! The message of an upgrade's commit.

use std::path::Path;

use super::one::Upgrade;
use crate::report;

/// The most of upstream's commits, and of conflicts, that a message lists.
const MOST: usize = 50;

/// Names the package, the two versions, what upstream did and which conflicts there were.
pub(super) fn message(upgrade: &Upgrade, package: &Path) -> String {
    let (from, to) = (&upgrade.from, &upgrade.to);
    // a repository may be one package
    let package = match package.as_os_str().is_empty() {
        true => Path::new(upgrade.place.base_name()),
        false => package,
    };
    let mut text = format!(
        "Upgrade {} from {} to {}\n\n{}\n{} ({})\n{} ({})\n",
        one_line(&report::portable(package)),
        short_name(&from.full),
        short_name(&to.full),
        upgrade.place.shown(),
        from.full,
        from.commit,
        to.full,
        to.commit
    );
    if let Some(commits) = upgrade
        .commits
        .as_ref()
        .filter(|commits| !commits.is_empty())
    {
        text.push_str("\nUpstream:\n");
        for commit in commits.iter().take(MOST) {
            let hash: String = commit.hash.chars().take(10).collect();
            text.push_str(&format!("- {hash} {}\n", one_line(&commit.subject)));
        }
        push_rest(&mut text, commits.len());
    }
    if !upgrade.plan.conflicts.is_empty() {
        text.push_str("\nConflicts:\n");
        let lines = report::conflict_lines(&upgrade.plan);
        for line in lines.iter().take(MOST) {
            text.push_str(&format!("- {}\n", one_line(line)));
        }
        push_rest(&mut text, lines.len());
    }
    text
}

fn push_rest(text: &mut String, count: usize) {
    if count > MOST {
        text.push_str(&format!("- and {} more\n", count - MOST));
    }
}

/// A hash as people write it.
pub(super) fn short_name(name: &str) -> &str {
    if super::remote::is_hash(name) {
        &name[..10]
    } else {
        name
    }
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
