//! The reports of upgrades and of newer versions for the body of a pull request. Whatever upstream
//! wrote is in code, where it is no Markdown, closes no issue and calls nobody.

use super::{Outcomes, row, short_name, versions};
use crate::report::{self, Body, by_need, cell, code};
use crate::upgrade::history::Commit;
use crate::upgrade::host::Website;
use crate::upgrade::outcome::PackageOutcome;
use crate::upgrade::outdated::Outdated;
use crate::upgrade::package_upgrade::Upgrade;

/// The most of upstream's commits that a report for people lists.
const MOST: usize = 100;
/// How many characters of a commit's subject are shown.
const SUBJECT: usize = 120;

/// The report of upgrades for the body of a pull request: an overview, what failed, the conflicts,
/// and then what needs no decision, as far as hosts take it.
pub(crate) fn upgrade_markdown(outcomes: &[PackageOutcome<Upgrade>]) -> String {
    let mut body = Body::default();
    let told = Outcomes::by_need(outcomes);
    if told.newer.is_empty() && told.failed.is_empty() {
        body.push("Every package is up to date.\n");
        return body.finish();
    }
    let failed = told.failed.iter();
    let failed_rows = failed.map(|it| format!("| {} | | | **failed** |\n", cell(&it.package)));
    let rows = failed_rows.chain(told.newer.iter().map(|it| overview(it)));
    let head = "| package | from | to | conflicts |\n| --- | --- | --- | --- |\n";
    body.list(head, rows, ("package", ""));
    let failures = told.failed.iter();
    let failures = failures.map(|it| format!("- {}: {}\n", code(&it.package), code(&it.message)));
    body.list("\n## Failed\n\n", failures, ("failure", ""));
    for upgrade in &told.newer {
        let title = format!("## Conflicts in {}", name(upgrade));
        report::conflicts(&mut body, &upgrade.plan, &title);
    }
    for upgrade in &told.newer {
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

/// A row of the overview: what became of a package.
fn overview(upgrade: &Upgrade) -> String {
    let [from, to] = versions(upgrade);
    let host = Website::of(&upgrade.origin.repository);
    let release = host
        .as_ref()
        .filter(|_| upgrade.to.tag)
        .and_then(|host| host.release(&upgrade.to.full));
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

/// What upstream committed between the two versions.
fn commits(body: &mut Body, upgrade: &Upgrade) {
    let Some(commits) = &upgrade.commits else {
        body.push("\nUpstream does not tell the commits between the two versions.\n");
        return;
    };
    let host = Website::of(&upgrade.origin.repository);
    let rows = commits
        .iter()
        .map(|it| commit(it, host.as_ref()))
        .take(MOST);
    let more = commits.len().saturating_sub(MOST);
    let more = (more > 0).then(|| format!("- and {more} more\n"));
    let count = report::many(commits.len(), "commit");
    let head = report::folded(&format!("{count} upstream"));
    body.list(&head, rows.chain(more), ("commit", report::END));
}

fn commit(commit: &Commit, host: Option<&Website>) -> String {
    let day = commit.day();
    let mut subject: String = commit.subject.chars().take(SUBJECT).collect();
    if subject.len() < commit.subject.len() {
        subject.push_str("...");
    }
    let author: String = commit.author.chars().take(SUBJECT).collect();
    format!(
        "- {} {} ({}, {day})\n",
        code(short_name(&commit.hash)),
        linked(&subject, host),
        code(&author)
    )
}

/// A text as code, with links to what it refers to at upstream's host: `#123`.
fn linked(text: &str, host: Option<&Website>) -> String {
    let Some(host) = host else {
        return code(text);
    };
    let mut written = String::new();
    let mut rest = text;
    while let Some((at, end)) = reference(rest) {
        let (before, named) = (&rest[..at], &rest[at..end]);
        if !before.is_empty() {
            written.push_str(&code(before));
        }
        let url = host.reference(&named[1..]);
        written.push_str(&format!("[{}]({url})", code(named)));
        rest = &rest[end..];
    }
    if !rest.is_empty() || written.is_empty() {
        written.push_str(&code(rest));
    }
    written
}

/// Where the first reference to an issue or a change is in a text: `#` and a number, neither of
/// them part of a word.
fn reference(text: &str) -> Option<(usize, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || "_/#&-".contains(c);
    text.match_indices('#').find_map(|(at, _)| {
        let digits = text[at + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let end = at + 1 + digits;
        let fits = (1..=9).contains(&digits)
            && !text[..at].ends_with(is_word)
            && !text[end..].starts_with(is_word);
        fits.then_some((at, end))
    })
}

/// The packages that have a newer version, as a table.
pub(crate) fn outdated_markdown(states: &[PackageOutcome<Outdated>]) -> String {
    let mut body = Body::default();
    let told = Outcomes::of(states);
    let rows = told.newer.iter();
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
    fn references_lead_to_upstream_and_nothing_else_is_markdown() {
        let host = Website::of("https://github.com/istio/istio.git");
        let told = |text: &str| linked(text, host.as_ref());
        let url = "https://redirect.github.com/istio/istio/issues";
        assert_eq!(
            told("fixes #56 (#7)"),
            format!("`fixes `[`#56`]({url}/56)` (`[`#7`]({url}/7)`)`")
        );
        assert_eq!(told("#1"), format!("[`#1`]({url}/1)"));
        for dead in [
            "a/b#1",
            "#1a",
            "##1",
            "&#1",
            "GH-1",
            "@name",
            "#1234567890",
            "https://github.com/a/b/issues/1#2",
        ] {
            assert_eq!(told(dead), format!("`{dead}`"));
        }
        assert_eq!(linked("#1", None), "`#1`");
    }
}
