//! Tests what is fetched and how often, and the messages if a server does not have it.

use std::fs;
use std::process::Command;

use pretty_assertions::assert_eq;

use crate::harness::{Workshop, merge3, web};
use crate::run_output::RunOutput;

/// Runs merge3 in the fleet, and counts the calls of git that start with these words.
fn run_counted(workshop: &Workshop, arguments: &[&str], words: &[&str]) -> (RunOutput, Vec<usize>) {
    let trace = workshop.path("trace");
    let _ = fs::remove_file(&trace);
    let mut command = Command::new(merge3());
    command.args(arguments).current_dir(workshop.path("fleet"));
    workshop.isolate(&mut command);
    command.env("GIT_TRACE", &trace);
    let run: RunOutput = command.output().unwrap().into();
    let trace_text = fs::read_to_string(&trace).unwrap_or_default();
    let count = |word: &&str| {
        let start = format!("built-in: git {word}");
        trace_text
            .lines()
            .filter(|line| line.contains(&start))
            .count()
    };
    (run, words.iter().map(count).collect())
}

fn with_filter() -> Workshop {
    let workshop = Workshop::new();
    workshop.git(
        "upstream.git",
        &["config", "uploadpack.allowFilter", "true"],
    );
    workshop
}

/// There is one fetch for the commits of all packages, one for their files if the server does not
/// send them with the commits, and none with a warm cache. The files that are cached are looked up
/// for all packages at once.
#[test]
fn many_packages_of_one_repository_take_one_fetch() {
    for (workshop, fetches) in [(with_filter(), 2), (Workshop::new(), 1)] {
        let names: Vec<String> = (0..12).map(|at| format!("p{at}/web.yaml")).collect();
        for tag in ["v1.0.0", "v1.1.0"] {
            let texts: Vec<String> = (0..12).map(|at| web(&format!("{tag}-{at}"), 1)).collect();
            let files = names.iter().zip(&texts);
            let files: Vec<(&str, &str)> = files.map(|(n, t)| (n.as_str(), t.as_str())).collect();
            workshop.release(tag, &files);
        }
        for at in 0..12 {
            workshop.get(&format!("p{at}@v1.0.0"), &format!("p{at}"));
        }
        // all of them, as one package
        let address = format!("{}@v1.0.0", workshop.url());
        workshop.merge3(&["get", &address, "all"]).exits(0);
        workshop.save("vendor");
        for (cache, fetches) in [("cold", fetches), ("warm", 0)] {
            if cache == "cold" {
                workshop.merge3(&["cache", "clean"]).exits(0);
            }
            let dry = ["upgrade", "--all", "--dry-run"];
            let words = ["ls-remote", "fetch", "ls-tree", "cat-file --batch "];
            let (run, counts) = run_counted(&workshop, &dry, &words);
            assert_eq!(run.exits(0).stdout.matches("v1.0.0 -> v1.1.0").count(), 13);
            assert_eq!(counts, [1, fetches, 2, 26], "{cache}");
        }
        let (run, counts) = run_counted(&workshop, &["upgrade", "--all"], &["fetch"]);
        run.exits(0);
        assert_eq!(counts, [0]);
        for file in ["fleet/p7/web.yaml", "fleet/all/p7/web.yaml"] {
            assert_eq!(workshop.read(file), web("v1.1.0-7", 1));
        }
    }
}

#[test]
fn the_log_is_fetched_only_for_a_report_that_shows_it() {
    let workshop = with_filter();
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    workshop.get("app@v1.0.0", "app");
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
    let dry = ["upgrade", "app", "--dry-run"];
    let (_, counts) = run_counted(&workshop, &dry, &["fetch", "log"]);
    assert_eq!(counts, [2, 0]);
    let report = [&dry[..], &["--report", "json"]].concat();
    let (run, counts) = run_counted(&workshop, &report, &["log"]);
    assert!(counts[0] > 0);
    let report = run.exits(0).json();
    assert_eq!(
        report["packages"][0]["commits"][0]["subject"],
        "release v1.1.0"
    );
}

#[test]
fn what_is_refused_is_not_fetched() {
    let workshop = Workshop::with_app();
    workshop.write("fleet/app/mine.yaml", "a: 1\n");
    let (run, counts) = run_counted(&workshop, &["upgrade", "app"], &["fetch"]);
    run.exits(2).says(&["not committed"]);
    assert_eq!(counts, [0]);
}

/// A commit that is gone, a mirror with part of the history, a partial clone: each has its message.
#[test]
fn missing_commits_are_explained() {
    let workshop = with_filter();
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    workshop.get("app@v1.0.0", "app");
    workshop.release("v1.1.0", &[("app/web.yaml", &web("1.1", 1))]);
    let url = workshop.url();
    let clone = |name: &str, how: &[&str]| {
        let clone = ["clone", "-q", "--bare"];
        workshop.git(".", &[&clone, how, &[&url, name]].concat());
    };
    clone("shallow.git", &["--depth=1"]);
    clone("partial.git", &["--filter=blob:none"]);
    clone("rewritten.git", &[]);
    let rewritten = |arguments: &[&str]| workshop.git("rewritten.git", arguments);
    rewritten(&["tag", "-d", "v1.0.0"]);
    let tree = rewritten(&["rev-parse", "v1.1.0^{tree}"]);
    let commit = rewritten(&["commit-tree", "-m", "anew", tree.trim()]);
    rewritten(&["tag", "-f", "v1.1.0", commit.trim()]);
    rewritten(&["update-ref", "refs/heads/main", commit.trim()]);
    rewritten(&["reflog", "expire", "--expire=now", "--all"]);
    rewritten(&["gc", "-q", "--prune=now"]);
    for (name, messages) in [
        (
            "shallow.git",
            ["has only a part of its history", "shallow mirror"],
        ),
        (
            "partial.git",
            ["lacks files of v1.", "it is a partial clone"],
        ),
        ("rewritten.git", ["is gone", "rewrote its history"]),
    ] {
        workshop.edit("fleet/app/.merge3.yaml", "upstream.git", name);
        workshop.save("another repository");
        let before = workshop.files("fleet");
        let run = workshop.merge3(&["upgrade", "app"]).exits(2);
        run.says(&messages);
        assert!(!run.stderr.contains("cache in"), "{}", run.stderr);
        assert_eq!(workshop.files("fleet"), before);
        workshop.edit("fleet/app/.merge3.yaml", name, "upstream.git");
    }
}

/// On a terminal, a line says from the first second on what the run waits for.
#[test]
fn a_terminal_shows_what_is_fetched() {
    let script = Command::new("script").arg("--version").output();
    if script.is_err() {
        eprintln!("script(1) is not installed: skipped the check of the line on a terminal");
        return;
    }
    let workshop = Workshop::with_app();
    workshop.merge3(&["cache", "clean"]).exits(0);
    let call = format!("{} upgrade app --jobs 3", merge3());
    let mut command = Command::new("script");
    command.args(["-qec", &call, "/dev/null"]);
    command.current_dir(workshop.path("fleet"));
    workshop.isolate(&mut command);
    command.env("TERM", "xterm");
    let run: RunOutput = command.output().unwrap().into();
    let stdout = run.exits(0).stdout;
    assert!(
        stdout.contains("app: fetching v1.0.0, v1.1.0 of file://"),
        "{stdout}"
    );
    assert!(stdout.contains("v1.0.0 -> v1.1.0"), "{stdout}");
}
