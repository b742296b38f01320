//! An upstream that sends without end, or expands beyond the memory, only stops its own package.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;

use crate::forge::{FILE, Row, TREE, row};
use crate::harness::{RunOutput, Workshop, merge3, web};

/// Creates two packages: `fine` has a new version, `app` is at v1.0.0.
fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.release("fine/v1.0.0", &[("fine/web.yaml", &web("1.0", 1))]);
    workshop.get("fine@v1.0.0", "fine");
    workshop.release("v1.0.0", &[("app/web.yaml", &web("1.0", 1))]);
    workshop.get("app@v1.0.0", "app");
    workshop.release("fine/v1.1.0", &[("fine/web.yaml", &web("1.1", 1))]);
    workshop
}

/// Runs merge3 in the fleet with short timeouts.
fn run_with_short_timeouts(workshop: &Workshop, arguments: &[&str]) -> RunOutput {
    let mut command = Command::new(merge3());
    command
        .args(arguments)
        .env("MERGE3_GIT_TIMEOUT", "3")
        .current_dir(workshop.path("fleet"));
    workshop.isolated(&mut command).into()
}

/// Asserts that the package fails and is named, and that the others are upgraded within that many
/// seconds.
#[track_caller]
fn only_app_fails(workshop: &Workshop, seconds: u64, messages: &[&str]) {
    let start = Instant::now();
    let run = run_with_short_timeouts(workshop, &["upgrade", "--all"]).exits(2);
    assert!(
        start.elapsed() < Duration::from_secs(seconds),
        "{:?}",
        start.elapsed()
    );
    run.says(&["help: "]);
    run.says(messages);
    let named = ["app failed:", "error: app/"].map(|name| run.stderr.contains(name));
    assert!(named.contains(&true), "{}", run.stderr);
    assert!(!run.stderr.contains("fine failed"), "{}", run.stderr);
    assert_eq!(workshop.read("fleet/fine/web.yaml"), web("1.1", 1));
    assert_eq!(workshop.read("fleet/app/web.yaml"), web("1.0", 1));
}

/// Serves with `answer`, and makes `app` come from that server.
fn serve_app(workshop: &Workshop, answer: fn(std::net::TcpStream)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x.git", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    workshop.edit("fleet/app/.merge3.yaml", &workshop.url(), &url);
    workshop.save("elsewhere");
}

/// Ten folders in each of ten folders, nine levels deep: a thousand million paths in ten objects.
#[test]
fn a_tree_that_unfolds_to_a_thousand_million_paths() {
    let workshop = workshop();
    let mut tree = workshop.tree(&[row(FILE, "a.yaml", workshop.blob("a: 1\n"))]);
    for _ in 0..9 {
        let rows: Vec<Row> = (0..10)
            .map(|at| row(TREE, format!("d{at}"), tree.clone()))
            .collect();
        tree = workshop.tree(&rows);
    }
    workshop.forge("v1.1.0", &[row(TREE, "d", tree)]);
    only_app_fails(&workshop, 60, &["more than"]);
}

/// Folders nested without a visible end.
#[test]
fn a_tree_that_is_deep() {
    let workshop = workshop();
    let mut tree = workshop.tree(&[row(FILE, "a.yaml", workshop.blob("a: 1\n"))]);
    for _ in 0..150 {
        tree = workshop.tree(&[row(TREE, "d", tree)]);
    }
    workshop.forge("v1.1.0", &[row(TREE, "d", tree)]);
    only_app_fails(&workshop, 60, &["deep"]);
}

/// A file of 300 MiB, and a file of 20 MiB that is listed a hundred times.
#[test]
fn files_that_are_too_large() {
    let large = workshop();
    let blob = large.object("blob", &vec![b'\n'; 300 << 20]);
    large.forge("v1.1.0", &[row(FILE, "large", blob)]);
    large
        .merge3(&["upgrade", "--all"])
        .exits(2)
        .says(&["app failed:", "\"large\" has more than 256 MiB"]);
    assert_eq!(large.read("fleet/fine/web.yaml"), web("1.1", 1));
    let many = workshop();
    let blob = many.object("blob", &vec![b'\n'; 20 << 20]);
    let rows: Vec<Row> = (100..200)
        .map(|at| row(FILE, format!("f{at}"), blob.clone()))
        .collect();
    many.forge("v1.1.0", &rows);
    many.merge3(&["upgrade", "--all"])
        .exits(2)
        .says(&["app failed:", "its files have more than"]);
    assert_eq!(many.read("fleet/fine/web.yaml"), web("1.1", 1));
    assert_eq!(many.read("fleet/app/web.yaml"), web("1.0", 1));
}

#[test]
fn a_server_that_never_answers() {
    let workshop = workshop();
    serve_app(&workshop, |mut stream| {
        let mut read = [0; 1024];
        while stream.read(&mut read).is_ok_and(|count| count > 0) {}
    });
    only_app_fails(&workshop, 60, &["within 3 seconds"]);
}

#[test]
fn a_server_that_lists_references_without_end() {
    let workshop = workshop();
    serve_app(&workshop, |mut stream| {
        let mut read = [0; 4096];
        let _ = stream.read(&mut read);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n001e# service=git-upload-pack\n0000";
        let mut sent = stream.write_all(head.as_bytes());
        for number in 0_u64.. {
            if sent.is_err() {
                break;
            }
            let mut lines = String::new();
            for more in 0..1000 {
                let line = format!("{:040x} refs/tags/v{number}.{more}.0\n", number + 1);
                lines.push_str(&format!("{:04x}{line}", line.len() + 4));
            }
            sent = stream.write_all(lines.as_bytes());
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    only_app_fails(&workshop, 60, &[]);
}

/// URLs for which git would start a program or read from an open file of this process.
#[test]
fn protocols_that_nobody_allowed() {
    let workshop = workshop();
    for address in [
        "fd::17",
        "fd::17,18/foo",
        "fd://17",
        "foo::bar",
        "ext::sh -c true",
        "EXT::sh",
        "gopher://127.0.0.1:1/a.git",
    ] {
        let run = run_with_short_timeouts(&workshop, &["get", &format!("{address}@v1"), "new"]);
        assert_eq!(run.status, 2, "{address}: {run:?}");
        run.says(&["is not the address of a package", "GIT_ALLOW_PROTOCOL"]);
        let before = workshop.read("fleet/app/.merge3.yaml");
        workshop.edit(
            "fleet/app/.merge3.yaml",
            &format!("repo: {}", workshop.url()),
            &format!("repo: \"{address}\""),
        );
        workshop.save("trap");
        only_app_fails(&workshop, 60, &["GIT_ALLOW_PROTOCOL"]);
        workshop.write("fleet/app/.merge3.yaml", &before);
        workshop.save("mend");
    }
}

/// Each copy doubles the document.
#[test]
fn a_patch_that_doubles_forty_times() {
    let workshop = Workshop::new();
    workshop.write("fleet/web.yaml", "a: {b: 0123456789}\n");
    let mut patch = String::new();
    for step in 0..40 {
        patch.push_str(&format!("- {{op: copy, from: /a, path: /c{step}}}\n- {{op: move, from: /c{step}, path: /a/d{step}}}\n"));
    }
    workshop.write("fleet/patch.yaml", &patch);
    let mut command = Command::new("sh");
    command
        // limits the processor time, which does not depend on other processes
        .args(["-c", r#"ulimit -t 120; exec "$@""#, "sh", merge3()])
        .args(["patch", "web.yaml", "--type", "json"])
        .args(["--patch", "patch.yaml"])
        .current_dir(workshop.path("fleet"));
    let run = RunOutput::from(workshop.isolated(&mut command));
    assert_eq!(run.status, 2, "{run:?}");
    run.says(&["copies in this patch", "patch.yaml"]);
    assert_eq!(workshop.read("fleet/web.yaml"), "a: {b: 0123456789}\n");
}

/// The time grows linearly with the number of files that an upgrade changes. Other changes stay
/// uncommitted.
#[test]
fn a_commit_of_many_files() {
    let workshop = Workshop::new();
    let count = 6000;
    let seconds = |version: &str| {
        for at in 0..count {
            let folder = format!("upstream/app/folder-of-some-length-{:03}", at % 40);
            workshop.write(
                &format!("{folder}/configuration-number-{at}.yaml"),
                &format!("a: {at}\nv: {version}\n"),
            );
        }
        workshop.release(version, &[]);
        Instant::now()
    };
    seconds("v1.0.0");
    workshop.get("app@v1.0.0", "app");
    workshop.write("fleet/elsewhere.yaml", "a: 1\n");
    workshop.git("fleet", &["add", "elsewhere.yaml"]);
    let start = seconds("v1.1.0");
    workshop.merge3(&["upgrade", "app", "--commit"]).exits(0);
    assert!(
        start.elapsed() < Duration::from_secs(100),
        "{:?}",
        start.elapsed()
    );
    let left = workshop.git("fleet", &["status", "--porcelain"]);
    assert_eq!(left, "A  elsewhere.yaml\n");
    let changed = workshop.git("fleet", &["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(changed.lines().count(), count + 1);
}
