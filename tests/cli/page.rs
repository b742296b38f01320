//! Tests the text of the report as a page. `make e2e` tests the page in a browser.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::harness::{Case, RunOutput, resource};

const HOSTILE: &str = "</pre></details><script>alert(1)</script><img src=x onerror='alert(2)'>";

fn page(case: Case) -> String {
    case.arg(&["--report", "html"]).merge().stdout
}

/// Returns the texts between two marks.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    let parts = text.split(open).skip(1);
    parts.filter_map(|part| part.split(close).next()).collect()
}

/// Returns a text of a page as a reader sees it.
fn read(text: &str) -> String {
    let mut plain = String::new();
    for (index, part) in text.split('<').enumerate() {
        plain.push_str(match index {
            0 => part,
            _ => part.split_once('>').map_or("", |(_, rest)| rest),
        });
    }
    for (written, c) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(written, c);
    }
    plain
}

#[test]
fn conflicts_come_with_values_lines_reason_and_rule() {
    let text = page(Case::of(
        "a.yaml",
        &resource("a", "one two"),
        &resource("a", "one 2"),
        &resource("a", "1 two"),
    ));
    assert!(
        text.contains("<pre>one <mark>2</mark></pre>")
            && text.contains("<pre><mark>1</mark> two</pre>"),
        "{text}"
    );
    let sides = between(&text, "<dl class=\"sides\">", "</dl>");
    assert_eq!(
        read(sides[0])
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        "originalone two updated takenone 2 local1 two"
    );
    assert!(text.contains("<li class=\"here\" value=\"6\"><code>  <span class=\"k\">field</span>: 1 two</code></li>"), "{text}");
    assert!(
        text.contains("a conflict, both-changed; the policy (--on-conflict)"),
        "{text}"
    );
    assert!(
        text.contains("<ins>+  <span class=\"k\">field</span>: one 2</ins>"),
        "{text}"
    );
}

#[test]
fn of_a_long_value_the_difference_is_shown() {
    let text = |at: usize, change: &str| {
        let lines = (0..500).map(|line| match line == at {
            true => format!("    {line} {change}\n"),
            false => format!("    {line}\n"),
        });
        format!("|\n{}", lines.collect::<String>())
    };
    let text = page(Case::of(
        "a.yaml",
        &resource("a", &text(400, "old")),
        &resource("a", &text(400, "new")),
        &resource("a", &text(400, "mine")),
    ));
    let sides = read(between(&text, "<dl class=\"sides\">", "</dl>")[0]);
    for shown in [
        "400 old\n",
        "400 new\n",
        "400 mine\n",
        "399\n",
        "of 501 lines",
    ] {
        assert!(sides.contains(shown), "{shown}\n{sides}");
    }
    assert!(
        text.contains("<mark>new</mark>") && text.contains("<mark>mine</mark>"),
        "{sides}"
    );
    assert!(sides.lines().count() < 40, "{sides}");
}

#[test]
fn the_rule_of_each_conflict_decides_it() {
    let config = |port: &str, note: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  app.yaml: |\n    server:\n      port: {port}\n      host: {port}\n  note: {note}\n"
        )
    };
    let case = |rules: &str| {
        let case = Case::of(
            "a [x]/c.yaml",
            &config("1", "x"),
            &config("2", "y"),
            &config("3", "z"),
        )
        .original("gone.yaml", &resource("g", "1"))
        .updated("gone.yaml", &resource("g", "2"))
        .local("other.yaml", &resource("o", "1"))
        .original("notes.txt", "a\n")
        .updated("notes.txt", "b\n")
        .local("notes.txt", "c\n");
        match rules {
            "" => case,
            rules => case.local(".merge3.yaml", &format!("rules:\n{rules}")),
        }
    };
    let text = page(case(""));
    let rules: Vec<String> = between(&text, "<div class=\"rule\">", "</div>")
        .iter()
        .map(|it| read(between(it, "<pre>", "</pre>")[0]))
        .collect();
    assert_eq!(rules.len(), 5, "{rules:#?}");
    for rule in &rules {
        let run = case(rule).arg(&["--report", "json"]).merge();
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let ruled = report["conflicts"].as_array().unwrap().iter();
        let ruled = ruled.filter(|it| it["rule"] == ".merge3.yaml:2").count();
        assert!(ruled > 0, "{rule}\n{report:#}");
        assert_eq!(report["warnings"], Value::Array(Vec::new()), "{rule}");
    }
}

#[test]
fn nothing_of_a_value_is_markup_and_no_secret_is_there() {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\\\""));
    let secret = |value: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{key: {value}}}\n"
        )
    };
    let case = || {
        Case::of(
            "<b>.yaml",
            &resource("<i>", "1"),
            &resource("<i>", &quoted(HOSTILE)),
            &resource("<i>", &quoted(&format!("\u{202e}{HOSTILE}"))),
        )
        .original("s.yaml", &secret("one"))
        .updated("s.yaml", &secret("hunter2"))
        .local("s.yaml", &secret("hunter3"))
        .original("</script>.txt", HOSTILE)
        .updated("</script>.txt", &format!("{HOSTILE}\n2\n"))
        .local("</script>.txt", &format!("{HOSTILE}\n3\n"))
    };
    let text = page(case());
    assert_eq!(text.matches("<script").count(), 1);
    assert_eq!(text.matches("</script").count(), 1);
    assert_eq!(
        text.matches("<details").count(),
        text.matches("</details").count()
    );
    for absent in [
        "<img", "<b>", "<i>", "\u{202e}", "hunter", "http:", "https:", "src=\"", "href=\"", "url(",
        "@import",
    ] {
        assert!(!text.contains(absent), "{absent}");
    }
    assert!(text.contains("(secret)"));
    let text = page(case().arg(&["--show-secrets"]));
    assert!(text.contains("hunter2") && text.contains("hunter3"));
}

#[test]
fn a_page_is_for_merges_and_upgrades() {
    let case = Case::empty();
    let file = case.path("page.html");
    let case = case.arg(&["--report=html", "--report-file", file.to_str().unwrap()]);
    let merged = case.merge();
    assert!(
        merged.stdout.starts_with("0 files read"),
        "{}",
        merged.stdout
    );
    assert!(fs::read_to_string(file).unwrap().ends_with("</html>\n"));
    let mut outdated = case.program();
    let run = RunOutput::from(
        outdated
            .args(["outdated", "--report=html"])
            .output()
            .unwrap(),
    );
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .contains("--report html is for merges and upgrades"),
        "{}",
        run.stderr
    );
}
