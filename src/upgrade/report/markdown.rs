//! Writes the reports of `upgrade` and `outdated` as Markdown for the body of a pull request. Text
//! from upstream is in code spans, so that hosts find no Markdown, references or mentions in it.

use super::{Outcomes, row, short_name, versions};
use crate::report::{self, Body, by_need, cell, code};
use crate::upgrade::find::PackageOutcome;
use crate::upgrade::host::Website;
use crate::upgrade::package_upgrade::{Outdated, Upgrade};
use crate::upgrade::remote::Commit;

/// The maximum number of upstream's commits that are listed.
const MAX_COMMITS: usize = 100;
/// The maximum length of a commit's subject and author, in characters.
const MAX_SUBJECT: usize = 120;

/// Returns the report of upgrades as Markdown: an overview, failures, conflicts, and then what
/// needs no decision, cut to the length that hosts accept.
pub(crate) fn upgrade_markdown(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    let mut body = Body::default();
    let grouped = Outcomes::by_need(outcomes);
    if grouped.newer.is_empty() && grouped.failed.is_empty() {
        body.push("Every package is up to date.\n");
        return body.finish();
    }
    let failed = grouped.failed.iter();
    let failed_rows = failed.map(|it| format!("| {} | | | **failed** |\n", cell(&it.package)));
    let rows = failed_rows.chain(grouped.newer.iter().map(|it| overview(it)));
    let head = "| package | from | to | conflicts |\n| --- | --- | --- | --- |\n";
    body.list(head, rows, ("package", ""));
    let failures = grouped.failed.iter();
    let failures = failures.map(|it| format!("- {}: {}\n", code(&it.package), code(&it.message)));
    body.list("\n## Failed\n\n", failures, ("failure", ""));
    for upgrade in &grouped.newer {
        let title = format!("## Conflicts in {}", name(upgrade));
        report::conflicts(&mut body, &upgrade.plan, &title);
    }
    for upgrade in &grouped.newer {
        let line = report::line(&upgrade.plan, &upgrade.facts);
        body.heading(format!("\n## {}\n\n{line}", name(upgrade)));
        report::details(&mut body, &upgrade.plan);
        commits(&mut body, upgrade);
    }
    body.finish()
}

fn name(upgrade: &Upgrade) -> String {
    code(&report::portable(&upgrade.package))
}

/// Returns the row of a package in the overview.
fn overview(upgrade: &Upgrade) -> String {
    let [from, to] = versions(upgrade);
    let host = Website::of(&upgrade.origin.repository);
    let release = host.as_ref().filter(|_| upgrade.to.tag);
    let release = release.and_then(|host| host.release(&upgrade.to.full));
    let mut to = match release {
        Some(url) => format!("[{}]({url})", cell(to)),
        None => cell(to),
    };
    if let Some(host) = &host {
        let url = host.comparison(&upgrade.from.commit, &upgrade.to.commit);
        to.push_str(&format!(" ([changes]({url}))"));
    }
    let (live, _) = by_need(&upgrade.plan);
    let conflicts = match upgrade.facts.open {
        true => format!("**{}, left to resolve**", live.len()),
        false => live.len().to_string(),
    };
    let package = cell(&report::portable(&upgrade.package));
    format!("| {package} | {} | {to} | {conflicts} |\n", cell(from))
}

/// Adds the list of upstream's commits between the two versions.
fn commits(body: &mut Body, upgrade: &Upgrade) {
    let Some(commits) = &upgrade.commits else {
        body.push("\nUpstream does not tell the commits between the two versions.\n");
        return;
    };
    let host = Website::of(&upgrade.origin.repository);
    let rows = commits.iter().take(MAX_COMMITS);
    let rows = rows.map(|it| commit(it, host.as_ref()));
    let more = commits.len().saturating_sub(MAX_COMMITS);
    let more = (more > 0).then(|| format!("- and {more} more\n"));
    let count = report::many(commits.len(), "commit");
    let head = report::folded(&format!("{count} upstream"));
    body.list(&head, rows.chain(more), ("commit", report::END));
}

/// Returns the line of a commit in the list.
fn commit(commit: &Commit, host: Option<&Website>) -> String {
    let day = commit.day();
    let mut subject: String = commit.subject.chars().take(MAX_SUBJECT).collect();
    if subject.len() < commit.subject.len() {
        subject.push_str("...");
    }
    let author: String = commit.author.chars().take(MAX_SUBJECT).collect();
    format!(
        "- {} {} ({}, {day})\n",
        code(short_name(&commit.hash)),
        linked(&subject, host),
        code(&author)
    )
}

/// Returns a text as code, with references such as `#123` as links to upstream's host.
fn linked(text: &str, host: Option<&Website>) -> String {
    let Some(host) = host else {
        return code(text);
    };
    let mut result = String::new();
    let mut rest = text;
    while let Some((at, end)) = reference(rest) {
        let (before, named) = (&rest[..at], &rest[at..end]);
        if !before.is_empty() {
            result.push_str(&code(before));
        }
        let url = host.reference(&named[1..]);
        result.push_str(&format!("[{}]({url})", code(named)));
        rest = &rest[end..];
    }
    if !rest.is_empty() || result.is_empty() {
        result.push_str(&code(rest));
    }
    result
}

/// Returns the start and end of the first reference to an issue or a pull request in a text: `#`
/// and a number that are not part of a word.
fn reference(text: &str) -> Option<(usize, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || "_/#&-".contains(c);
    text.match_indices('#').find_map(|(at, _)| {
        let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit);
        let digits = digits.count();
        let end = at + 1 + digits;
        let is_reference = (1..=9).contains(&digits)
            && !text[..at].ends_with(is_word)
            && !text[end..].starts_with(is_word);
        is_reference.then_some((at, end))
    })
}

/// Returns the packages that have a newer version as a table.
pub(crate) fn outdated_markdown(states: &[PackageOutcome<Outdated>]) -> String {
    let mut body = Body::default();
    let grouped = Outcomes::of(states);
    let rows = grouped.newer.iter();
    let rows = rows.map(|it| format!("| {} |\n", row(it).map(|text| cell(&text)).join(" | ")));
    let rows: Vec<String> = rows.collect();
    let head = "| package | current | wanted | latest |\n| --- | --- | --- | --- |\n";
    match (rows.is_empty(), states.is_empty()) {
        (false, _) => body.last_list(head, &rows, "package"),
        (true, true) => body.push("There are no packages.\n"),
        (true, false) => body.push("Every package is up to date.\n"),
    }
    body.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_references_to_upstream_and_leaves_the_rest_as_code() {
        let host = Website::of("https://github.com/istio/istio.git");
        let markdown = |text: &str| linked(text, host.as_ref());
        let url = "https://redirect.github.com/istio/istio/issues";
        assert_eq!(
            markdown("fixes #56 (#7)"),
            format!("`fixes `[`#56`]({url}/56)` (`[`#7`]({url}/7)`)`")
        );
        assert_eq!(markdown("#1"), format!("[`#1`]({url}/1)"));
        for unlinked in [
            "a/b#1",
            "#1a",
            "##1",
            "&#1",
            "GH-1",
            "@name",
            "#1234567890",
            "https://github.com/a/b/issues/1#2",
        ] {
            assert_eq!(markdown(unlinked), format!("`{unlinked}`"));
        }
        assert_eq!(linked("#1", None), "`#1`");
    }
}
