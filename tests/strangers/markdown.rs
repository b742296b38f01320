//! Reports in Markdown, which a bot puts into pull requests: untrusted names stay code in their
//! place and mention nobody.

use pretty_assertions::assert_eq;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::harness::{Workshop, web};

/// The parts of the texts. Each has a word that may only occur in code.
const PARTS: [&str; 30] = [
    "`",
    "``",
    "```",
    "|",
    "\\",
    "\\|",
    "\\`",
    "<b>forged",
    "</details>",
    "<img src=forged>",
    "\n",
    "\r\n\r\n",
    "@forged",
    "#1",
    "forged/forged#1",
    "[forged](http://forged)",
    "![forged](x)",
    "\n\n# forged\n\n",
    "\n| forged | forged |\n",
    "\n- forged\n",
    "---",
    "**",
    "~~",
    "&lt;forged&gt;",
    "\u{202e}",
    "\u{1b}[31m",
    " ",
    "::error::forged",
    "<!--",
    "http://forged.example",
];

/// A generator of random texts, the same in each run.
struct Texts(u64);

impl Texts {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn next(&mut self) -> String {
        let count = 1 + self.below(6);
        (0..count).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }

    /// Returns a text that can be the name of a file.
    fn name(&mut self) -> String {
        let name = self.next().replace('/', "-");
        let begin = if name.starts_with(['.', '-']) {
            "x"
        } else {
            ""
        };
        format!("{begin}{name}{}.yaml", self.below(1000))
    }
}

/// Asserts that the report has only its own Markdown, and the word of the texts only in code.
/// Returns the number of code spans.
#[track_caller]
fn assert_only_own_markdown(report: &str) -> usize {
    let (mut code, mut in_code, mut cells, mut columns) = (0, false, 0, 0);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(report, options) {
        match event {
            Event::Code(_) => code += 1,
            Event::Text(text) if !in_code => {
                assert!(!text.contains("forged"), "{text:?} in:\n{report}");
                assert!(
                    !text.contains(['@', '#', '`', '|']),
                    "{text:?} in:\n{report}"
                );
            }
            Event::Html(html) | Event::InlineHtml(html) => match html.trim() {
                "<code>" => (code, in_code) = (code + 1, true),
                "</code>" => in_code = false,
                html => {
                    let summary = html.strip_prefix("<summary>");
                    let summary = summary.and_then(|rest| rest.strip_suffix("</summary>"));
                    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ,.'".contains(c);
                    let is_own = summary.is_some_and(|it| it.chars().all(is_plain));
                    let known = ["", "<br>", "<details>", "</details>"].contains(&html);
                    let known = known || (is_own && !html.contains("forged"));
                    assert!(known, "{html:?} in:\n{report}");
                }
            },
            Event::Start(Tag::Table(alignments)) => columns = alignments.len(),
            Event::Start(Tag::TableRow | Tag::TableHead) => cells = 0,
            Event::End(TagEnd::TableCell) => cells += 1,
            Event::End(TagEnd::TableRow) => assert_eq!(cells, columns, "{report}"),
            Event::Start(
                Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::CodeBlock(_)
                | Tag::Strong
                | Tag::Emphasis
                | Tag::Strikethrough
                | Tag::BlockQuote(_),
            ) => {
                let has_bold = report.contains("**merge3:**") || report.contains("**Conflicts");
                assert!(
                    has_bold && matches!(event, Event::Start(Tag::Strong)),
                    "{event:?} in:\n{report}"
                );
            }
            _ => {}
        }
    }
    assert!(!in_code);
    // each row of a table must have the same width for GitHub, which takes a pipe after any
    // backslash for an escaped one
    for line in report.lines().filter(|line| line.starts_with("| ")) {
        let plain = line.replace("\\|", "");
        let (others, rows) = (plain.matches('|').count(), [5, 7]);
        assert!(rows.contains(&others), "{others} in: {line}");
        assert!(!line.contains("\\\\|"), "{line}");
    }
    code
}

/// Returns the text as a scalar in double quotes.
fn scalar(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn names_are_shown_as_code() {
    let mut texts = Texts(0x9e37_79b9_7f4a_7c15);
    let workshop = Workshop::new();
    for round in 0..360 {
        let (file, name) = (texts.name(), texts.next());
        let (key, kind) = (texts.next(), texts.next());
        for side in ["old", "new", "local"] {
            let value = format!("{side}{}", texts.next());
            let text = format!(
                "apiVersion: v1\nkind: {}\nmetadata:\n  name: {}\ndata:\n  {}: {}\n",
                scalar(&kind),
                scalar(&name),
                scalar(&key),
                scalar(&value)
            );
            workshop.write(&format!("{round}/{side}/{file}"), &text);
            workshop.write(
                &format!("{round}/{side}/broken-{file}"),
                &format!("{side}: [{text}\n"),
            );
        }
        let sides = ["--ancestor", "old", "--from", "new", "--to", "local"];
        let run = workshop.merge3_in(
            &round.to_string(),
            &[&sides[..], &["--report", "markdown"]].concat(),
        );
        assert!(run.stdout.contains("both-changed"), "{round}: {run:?}");
        assert!(
            assert_only_own_markdown(&run.stdout) > 5,
            "{round}: {}",
            run.stdout
        );
    }
}

#[test]
fn commit_subjects_of_upstream_are_shown_as_code() {
    let workshop = Workshop::with_app();
    let mut texts = Texts(0x2545_f491_4f6c_dd1d);
    for number in 0..40 {
        let text = web("2.0", number + 2);
        workshop.write("upstream/app/web.yaml", &text);
        workshop.git("upstream", &["add", "-A"]);
        let author = texts.next().replace(['<', '>', '\n', '\r'], " ");
        let author = format!("--author=x{author} <a@example.org>");
        let subject = format!("x{}", texts.next().replace(['\n', '\r'], " "));
        workshop.git("upstream", &["commit", "-q", &author, "-m", &subject]);
    }
    workshop.git("upstream", &["tag", "v2.0.0"]);
    workshop.git("upstream", &["push", "-q", "--tags", "origin", "main"]);
    let run = workshop
        .merge3(&["upgrade", "app", "--report", "markdown"])
        .exits(0);
    assert!(run.stdout.contains("commits upstream"), "{}", run.stdout);
    assert!(assert_only_own_markdown(&run.stdout) > 40, "{}", run.stdout);
    let outdated = Workshop::with_app()
        .merge3(&["outdated", "--report", "markdown"])
        .exits(0);
    assert!(
        assert_only_own_markdown(&outdated.stdout) > 3,
        "{}",
        outdated.stdout
    );
}
