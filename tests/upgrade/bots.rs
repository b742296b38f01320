//! Tests the workflows in docs/bots without their hosts: runs their shell steps, with fake `gh` and
//! `curl` commands that log their calls.

use std::fs;
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::guide::with_the_program;
use crate::harness::{Workshop, web};
use crate::run_output::RunOutput;

const GITHUB: &str = include_str!("../../docs/bots/github.yml");
const GITLAB: &str = include_str!("../../docs/bots/gitlab.yml");
const RENOVATE: &str = include_str!("../../docs/bots/renovate.json");

/// A fake `gh`, which keeps the open pull requests in a file.
const GH: &str = r#"#!/bin/sh
echo "$*" >> "$LOG"
case "$1 $2" in
"pr list") cat "$OPEN" ;;
"pr create")
  while [ $# -gt 0 ]; do
    case $1 in
    --head) echo "$2" >> "$OPEN" ;;
    --body-file) cat "$2" >> "$LOG" ;;
    esac
    shift
  done ;;
esac
"#;

/// A fake `curl`, which keeps the open merge requests in a file, a JSON object on each line.
const CURL: &str = r#"#!/bin/bash
echo "$*" >> "$LOG"
case " $* " in
*" -G "*) jq -s . "$OPEN" ;;
*" POST "*)
  for argument in "$@"; do
    case $argument in
    source_branch=*) jq -nc --arg b "${argument#*=}" '{source_branch: $b, iid: 7}' >> "$OPEN" ;;
    description@*) cat "${argument#*@}" >> "$LOG" ;;
    esac
  done ;;
esac
"#;

/// Creates a fleet with two packages and its own server.
fn fleet(tool: &str, script: &str) -> Workshop {
    let workshop = Workshop::with_app();
    workshop.get("app@v1.0.0", "apps/second one");
    workshop.git(".", &["init", "-q", "--bare", "-b", "main", "origin.git"]);
    let origin = workshop.path("origin.git").display().to_string();
    workshop.git("fleet", &["remote", "add", "origin", &origin]);
    workshop.git("fleet", &["push", "-q", "origin", "main"]);
    workshop.git("fleet", &["fetch", "-q", "origin"]);
    workshop.write(&format!("tools/{tool}"), script);
    workshop.write("open", "");
    let mut chmod = Command::new("chmod");
    let tool = workshop.path(&format!("tools/{tool}"));
    assert!(chmod.arg("+x").arg(tool).status().unwrap().success());
    workshop
}

/// Runs a script as the host would. Returns its output and the log of this run.
fn run(workshop: &Workshop, script: &str, settings: &[(&str, &str)]) -> (RunOutput, String) {
    let log = workshop.path("log");
    fs::write(&log, "").unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .current_dir(workshop.path("fleet"));
    workshop.isolate(&mut command);
    let path = with_the_program(workshop);
    let tools = workshop.path("tools").display().to_string();
    let path = format!("{tools}:{}", path.to_string_lossy());
    command
        .env("PATH", path)
        .env("LOG", &log)
        .env("OPEN", workshop.path("open"));
    command
        .env("RUNNER_TEMP", workshop.path("home"))
        .envs(settings.iter().copied());
    let result = RunOutput::from(command.output().unwrap());
    (result, fs::read_to_string(log).unwrap())
}

fn has_jq() -> bool {
    let found = Command::new("jq").arg("--version").output().is_ok();
    if !found {
        eprintln!("jq is not installed: skipped the workflows");
    }
    found
}

/// Returns the lines of a script that are indented by `indent`, after the line that starts with
/// `begin`.
fn script(text: &str, begin: &str, indent: usize) -> String {
    let (_, rest) = text.split_once(begin).unwrap();
    let lines = rest.lines().skip(1);
    let own = lines.take_while(|line| line.is_empty() || line.starts_with(&" ".repeat(indent)));
    own.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()))
        .collect()
}

#[test]
fn each_package_has_a_branch_of_its_own() {
    let packages = [
        "app",
        "app/db",
        "app--db",
        "a b",
        "a-b",
        "a.b",
        ".github/db",
        "x.lock",
        "-x",
        ".",
        "ä",
    ];
    for workflow in [GITHUB, GITLAB] {
        let (_, rest) = workflow.split_once("# git refuses some paths").unwrap();
        let lines: Vec<&str> = rest.lines().skip(1).take(2).collect();
        let name = format!(
            "{}\ngit check-ref-format --branch \"$branch\"",
            lines.join("\n")
        );
        let branch_of = |package: &&str| {
            let mut bash = Command::new("bash");
            let output = bash.args(["-ec", &name]).env("package", package).output();
            let run = RunOutput::from(output.unwrap()).exits(0);
            run.stdout.trim_end().to_owned()
        };
        let branches: Vec<String> = packages.iter().map(branch_of).collect();
        for (at, branch) in branches.iter().enumerate() {
            let is_alone =
                |other: &String| other != branch && !other.starts_with(&format!("{branch}/"));
            assert!(branches[at + 1..].iter().all(is_alone), "{branches:?}");
            assert!(branches[..at].iter().all(is_alone), "{branches:?}");
        }
    }
}

/// Checks that a workflow opens one request for each package up to the limit, opens no more on the
/// next day, leaves a branch with other commits unchanged, and can open one request for all
/// packages.
fn check_requests(
    tool: &str,
    tool_script: &str,
    script: &str,
    create: &str,
    settings: &[(&str, &str)],
) {
    let workshop = fleet(tool, tool_script);
    let with = |more: &[(&str, &str)]| {
        let settings = [settings, more].concat();
        run(&workshop, script, &settings)
    };
    let first = "upgrade/app";
    let second = "upgrade/apps--second-one-1345021326";
    let tip = |branch: &str| workshop.git("origin.git", &["rev-parse", branch]);
    let (result, log) = with(&[("MOST_OPEN", "1")]);
    let result = result.exits(0);
    assert!(
        result.stdout.contains(&format!("{second} waits: 1 ")),
        "{result:?}"
    );
    assert_eq!(log.matches(create).count(), 1, "{log}");
    assert!(
        log.contains("Upgrade app") && log.contains("| `app` | `v1.0.0` |"),
        "{log}"
    );
    let before = tip(first);

    std::thread::sleep(std::time::Duration::from_millis(1100));
    let (result, log) = with(&[("MOST_OPEN", "10")]);
    result.exits(0);
    assert_eq!(
        log.matches(create).count(),
        1,
        "one request for the other package: {log}"
    );
    assert_eq!(
        tip(first),
        before,
        "without a new version nothing is pushed"
    );
    let files = workshop.git(
        "origin.git",
        &["show", "--format=%s", "--name-only", second],
    );
    assert!(
        files.starts_with("Upgrade apps/second one from v1.0.0 to v1.1.0\n"),
        "{files}"
    );

    // a user commits to the first branch
    workshop.git("fleet", &["checkout", "-q", first]);
    workshop.write("fleet/app/more.yaml", "a: 1\n");
    workshop.save("by hand");
    workshop.git("fleet", &["push", "-q", "origin", first]);
    let by_hand = tip(first);
    workshop.git("fleet", &["checkout", "-q", "--detach", "origin/main"]);
    workshop.git("fleet", &["branch", "-q", "-D", first, second]);
    workshop.release("v1.2.0", &[("app/web.yaml", &web("1.2", 1))]);
    let before = tip(second);
    let (result, _) = with(&[("MOST_OPEN", "10")]);
    result.exits(1).says(&["is left as it is"]);
    assert_eq!(tip(first), by_hand);
    assert_ne!(tip(second), before);
    let count = workshop.git(
        "origin.git",
        &["rev-list", "--count", &format!("main..{second}")],
    );
    assert_eq!(count, "1\n", "the branch is rebuilt");

    let (result, log) = with(&[("MOST_OPEN", "10"), ("ONE_FOR_ALL", "true")]);
    result.exits(0);
    assert_eq!(log.matches(create).count(), 1, "{log}");
    let count = workshop.git("origin.git", &["rev-list", "--count", "main..upgrade/all"]);
    assert_eq!(count, "2\n");
}

#[test]
fn the_github_workflow_opens_and_updates_pull_requests() {
    if !has_jq() {
        return;
    }
    let (_, step) = GITHUB.split_once("- name: Upgrade, and open").unwrap();
    let script = script(step, "run: |", 8);
    let settings = [
        ("ARGUMENTS", "--within minor"),
        ("ONE_FOR_ALL", "false"),
        ("LABEL", "upgrade"),
        ("BASE", "main"),
        ("PACKAGES", "[\"app\", \"apps/second one\"]"),
    ];
    check_requests("gh", GH, &script, "pr create --base main", &settings);
}

#[test]
fn the_gitlab_pipeline_opens_and_updates_merge_requests() {
    if !has_jq() {
        return;
    }
    let script = script(GITLAB, "  - |", 4);
    let settings = [
        ("ARGUMENTS", "--within minor"),
        ("ONE_FOR_ALL", "false"),
        ("LABEL", "upgrade"),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_API_V4_URL", "https://gitlab.example.org/api/v4"),
        ("CI_PROJECT_ID", "1"),
        ("CI_SERVER_HOST", "gitlab.example.org"),
        ("CI_PROJECT_PATH", "a/b"),
        ("BOT_TOKEN", "t0ken"),
        ("ORIGIN", "origin"),
    ];
    check_requests("curl", CURL, &script, "-X POST", &settings);
}

#[test]
fn the_workflows_are_yaml_with_what_they_need() {
    for (text, words) in [
        (GITHUB, ["permissions: {}", "fetch-depth: 0"]),
        (GITLAB, ["resource_group:", "GIT_DEPTH: \"0\""]),
    ] {
        assert!(merge3::yaml::Tree::parse(text).unwrap().is_some());
        for word in words {
            assert!(text.contains(word), "{word}");
        }
    }
}

/// Renovate's manager finds the records that merge3 writes, and its command merges.
#[test]
fn renovate_notices_and_merge3_merges() {
    let config: serde_json::Value = serde_json::from_str(RENOVATE).unwrap();
    let finds = |at: usize, text: &str| {
        let pattern = &config["customManagers"][at]["matchStrings"][0];
        let schema = serde_json::json!({"type": "string", "pattern": pattern});
        jsonschema::is_valid(&schema, &serde_json::json!(text))
    };
    let workshop = Workshop::with_app();
    let record = workshop.read("fleet/app/.merge3.yaml");
    assert!(finds(0, &record), "{record}");
    assert!(!finds(1, &record) && !finds(2, &record));
    let of = |kind: &str, repo: &str, more: &str| {
        format!(
            "rules: []\nupstream:\n  type: {kind}\n  {kind}:\n    repo: {repo}\n{more}    ref: \"1.0.0\"\n"
        )
    };
    assert!(finds(
        1,
        &of("helm", "helm+https://h/c", "    chart: web\n")
    ));
    assert!(finds(2, &of("oci", "oci://h/c/web", "")));
    let command = &config["packageRules"][0]["postUpgradeTasks"]["commands"][0];
    let command = command.as_str().unwrap();
    let command = command
        .replace("{{{newValue}}}", "v1.1.0")
        .replace("{{{packageFileDir}}}", "app");
    // Renovate has already written the new version
    workshop.edit(
        "fleet/app/.merge3.yaml",
        "ref: v1.0.0\nupstreamLock",
        "ref: v1.1.0\nupstreamLock",
    );
    workshop.write("log", "");
    let (result, _) = run(&workshop, &command, &[]);
    result.exits(0);
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.1", 1));
    assert_eq!(
        workshop.merge3(&["outdated"]).exits(0).stdout,
        "1 package is up to date\n"
    );
}
