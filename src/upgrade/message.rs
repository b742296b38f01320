//! The message of an upgrade's commit.

use std::path::Path;

use super::one::Upgrade;
use crate::report;
use crate::visible::visible;

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
        visible(&report::portable(package)),
        visible(short_name(&from.full)),
        visible(short_name(&to.full)),
        visible(&upgrade.place.shown()),
        visible(&from.full),
        from.commit,
        visible(&to.full),
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
            text.push_str(&format!("- {hash} {}\n", visible(&commit.subject)));
        }
        push_rest(&mut text, commits.len());
    }
    if !upgrade.plan.conflicts.is_empty() {
        text.push_str("\nConflicts:\n");
        let lines = report::conflict_lines(&upgrade.plan);
        for line in lines.iter().take(MOST) {
            text.push_str(&format!("- {line}\n"));
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
