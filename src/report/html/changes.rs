//! Writes the changed files, each as a folded diff.

use super::out::Out;
use super::{Package, Page, tokens};
use crate::package::{ChangeKind, FileChange, is_yaml_name};
use crate::report::diff::hunks_of;
use crate::report::many;

/// The maximum number of diff lines of a file.
const MAX_FILE_LINES: usize = 2_000;
/// The maximum number of diff lines of the page.
const MAX_TOTAL_LINES: usize = 40_000;

/// Writes the section of changed files.
pub(super) fn section(out: &mut Out, page: &Page<'_>) {
    if page.packages.iter().all(|it| it.plan.files.is_empty()) {
        return;
    }
    out.raw("<section><h2>Changed files</h2>\n");
    let mut remaining_lines = MAX_TOTAL_LINES;
    for package in &page.packages {
        for change in &package.plan.files {
            file(out, package, change, &mut remaining_lines);
        }
    }
    out.raw("</section>\n");
}

/// Writes a changed file. `remaining_lines` is the number of diff lines that the page may still
/// have.
fn file(out: &mut Out, package: &Package<'_>, change: &FileChange, remaining_lines: &mut usize) {
    let path = package.path(&change.path);
    let kind = change.kind.as_str();
    let hunks = hunks_of(change, package.plan.show_secrets);
    let count = |sign| {
        let lines = hunks.text.lines();
        lines.filter(|it| it.starts_with(sign)).count().to_string()
    };
    let head = "<details class=\"item file\" data-kind=\"{}\" data-file=\"{}\"><summary>";
    out.fill(head, [kind, &path]);
    let name = "<h3><code>{}</code></h3> <span class=\"kind\">{}</span>";
    out.fill(name, [&path, kind]);
    if let ChangeKind::Moved { from } = &change.kind {
        let from = package.path(from);
        out.fill(" <span class=\"where\">from {}</span>", [&from]);
    }
    let counts = " <span class=\"result\">+{} \u{2212}{}</span></summary>\n";
    out.fill(counts, [&count('+'), &count('-')]);
    if hunks.is_partial {
        out.raw(
            "<p class=\"note\">What changes in Secrets is left \
             out; <code>--show-secrets</code> shows it.</p>\n",
        );
    } else if hunks.text.is_empty() && change.old == change.new {
        out.raw("<p class=\"note\">Its text stays as it is.</p>\n");
    } else if hunks.text.is_empty() {
        out.raw("<p class=\"note\">It is not text.</p>\n");
    }
    let max_lines = MAX_FILE_LINES.min(*remaining_lines);
    let is_yaml = is_yaml_name(&change.path);
    let mut lines = hunks.text.lines();
    out.raw("<pre class=\"diff\">");
    for line in lines.by_ref().take(max_lines) {
        *remaining_lines -= 1;
        diff_line(out, line, is_yaml);
    }
    out.raw("</pre>\n");
    let rest = lines.count();
    if rest > 0 {
        let note = "<p class=\"note\">{} of the diff left \
            out; <code>--diff</code> prints all of it.</p>\n";
        out.fill(note, [&many(rest, "more line")]);
    }
    out.raw("</details>\n");
}

/// Writes a line of a diff.
fn diff_line(out: &mut Out, line: &str, is_yaml: bool) {
    let line = line.trim_end_matches('\r');
    let (sign, body) = line.split_at(line.len().min(1));
    let (open, close) = match sign {
        "+" => ("<ins>+", "</ins>\n"),
        "-" => ("<del>-", "</del>\n"),
        " " => (" ", "\n"),
        _ => {
            out.fill("<span class=\"h\">{}</span>\n", [line]);
            return;
        }
    };
    out.raw(open);
    match is_yaml {
        true => tokens::write(out, body),
        false => drop(out.text(body)),
    }
    out.raw(close);
}
