//! Text of upstream's is harmless where a bot puts it: it closes no issues of the fork's
//! repository, mentions nobody, and is not interpreted as Markdown. A body is never longer than
//! hosts accept.

use pretty_assertions::assert_eq;
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::harness::{Workshop, web};

/// Creates a package whose record names a repository on GitHub, served from the local one.
fn at_github() -> Workshop {
    let workshop = Workshop::new();
    let config = format!(
        "[url \"{}\"]\n\tinsteadOf = https://github.com/acme/charts.git\n",
        workshop.url()
    );
    workshop.write("home/.gitconfig", &config);
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    let address = "https://github.com/acme/charts.git/app@v1.0.0";
    workshop.merge3(&["get", address, "app"]).exits(0);
    workshop.edit("fleet/app/web.yaml", "web:1.0", "web:ours");
    workshop.save("vendor");
    workshop
}

const SUBJECTS: [&str; 9] = [
    "fixes #56547, closes acme/fleet#2",
    "Merge pull request #3 from @octocat/patch",
    "resolves https://github.com/acme/fleet/issues/9",
    "</details><img src=x onerror=alert(1)>",
    "[click](https://evil.example) ![x](https://evil.example/x.png)",
    "| a | b |",
    "Fixes GH-12 \u{202e}",
    "`#7` ``#8``",
    "::error::x",
];

#[test]
fn words_of_commits_are_references_to_upstream_or_nothing() {
    let workshop = at_github();
    for (number, subject) in (2..).zip(SUBJECTS) {
        workshop.write("upstream/app/web.yaml", &web("2.0", number));
        workshop.git("upstream", &["add", "-A"]);
        let author = "--author=@octocat <a@example.org>";
        workshop.git("upstream", &["commit", "-q", author, "-m", subject]);
    }
    // values, keys, file names and tags are also upstream's words
    let text = "data:\n  \"fixes #5 @octocat\": \"fixes #6\"\n";
    workshop.write("upstream/app/x.yaml", text);
    workshop.release("v2.0.0-fixes#4@octocat", &[]);
    workshop.write("fleet/app/x.yaml", "data:\n  \"fixes #5 @octocat\": ours\n");
    workshop.save("ours");
    let run = workshop.merge3(&[
        "upgrade",
        "app",
        "--commit",
        "--to=v2.0.0-fixes#4@octocat",
        "--report",
        "markdown",
    ]);
    let body = run.exits(0).stdout;

    let message = workshop.git("fleet", &["show", "-s", "--format=%B"]);
    assert!(
        message.contains("both-added") && message.contains("x.yaml"),
        "{message}"
    );
    for word in ["#", "@", "octocat/", "Merge pull", "GH-", "evil", "ours"] {
        assert!(!message.contains(word), "'{word}' is in:\n{message}");
    }

    let mut links = Vec::new();
    let (mut in_link, mut code) = (false, String::new());
    for event in Parser::new_ext(&body, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push(dest_url.to_string());
                in_link = true;
            }
            Event::End(pulldown_cmark::TagEnd::Link) => in_link = false,
            Event::Code(text) => code.push_str(&text),
            Event::Text(text) => {
                assert!(!text.contains(['@', '#', '<', '`']), "{text} in:\n{body}");
                assert!(!in_link || text.as_ref() == "changes", "{text}");
            }
            Event::Start(Tag::Image { .. }) => panic!("{body}"),
            Event::Html(html) | Event::InlineHtml(html) => {
                let allowed = ["<br>", "<details>", "</details>", "<summary>"];
                let html = html.trim();
                assert!(
                    html.is_empty() || allowed.iter().any(|tag| html.starts_with(tag)),
                    "{html}"
                );
                assert!(!html.contains("img"), "{html}");
            }
            _ => {}
        }
    }
    let of = |number| format!("https://redirect.github.com/acme/charts/issues/{number}");
    let known = "https://github.com/acme/charts/";
    assert!(links[0].starts_with(&format!("{known}releases/tag/v2.0.0-fixes%234%40octocat")));
    assert!(
        links[1].starts_with(&format!("{known}compare/")),
        "{links:?}"
    );
    assert_eq!(links[2..], ["7", "8", "3", "56547"].map(of));
    for word in [
        "acme/fleet#2",
        "@octocat",
        "issues/9",
        "onerror",
        "evil.example",
        "GH-12",
    ] {
        assert!(code.contains(word), "'{word}' is not in {code}");
    }
}

/// The body has a maximum length, however much there is to report.
#[test]
fn a_body_is_never_longer_than_hosts_take() {
    let workshop = Workshop::new();
    let release = |tag: &str, value: &str| {
        for package in 0..60 {
            let mut text = String::from("data:\n");
            for key in 0..40 {
                text.push_str(&format!("  key-{key}-{}: {value}\n", "x".repeat(100)));
            }
            workshop.write(&format!("upstream/p{package}/a.yaml"), &text);
        }
        let name = "k".repeat(70_000);
        let huge = format!("kind: A\nmetadata:\n  name: {name}\na: {value}\n");
        workshop.release(tag, &[("p0/huge.yaml", &huge)]);
    };
    release("v1.0.0", "old");
    for package in 0..60 {
        let address = format!("{}/p{package}@v1.0.0", workshop.url());
        let folder = format!("packages/{}/p{package}", "long-name-".repeat(12));
        workshop.merge3(&["get", &address, &folder]).exits(0);
        for name in ["a.yaml", "huge.yaml"] {
            let file = format!("fleet/{folder}/{name}");
            if workshop.has(&file) {
                workshop.edit(&file, ": old", ": ours");
            }
        }
    }
    // a package that fails
    workshop.write("fleet/bad/.merge3.yaml", "upstream: {}\n");
    workshop.save("vendor");
    release("v1.1.0", "new");
    let body = workshop
        .merge3(&["upgrade", "--all", "--dry-run", "--report", "markdown"])
        .exits(2)
        .stdout;
    assert!(body.len() <= 60_000, "{}", body.len());
    assert!(body.len() > 30_000, "{}", body.len());
    assert!(body.contains("| `bad` | | | **failed** |"), "{body}");
    assert!(body.contains("## Failed\n\n- `bad`: "), "{body}");
    let last = body.lines().last().unwrap();
    assert!(last.starts_with("Left out, because hosts limit"), "{last}");
    assert!(last.contains(" conflicts"), "{last}");
    assert_eq!(
        body.matches("<details>").count(),
        body.matches("</details>").count()
    );
    // the report shows all conflicts
    let shown = body.matches("| both-changed |").count();
    let count = |word: &str| {
        let (before, _) = last.split_once(word).unwrap();
        let number = before.rsplit(' ').next().unwrap();
        number.parse::<usize>().unwrap()
    };
    assert_eq!(shown + count(" conflicts"), 60 * 40 + 1, "{last}");
}
