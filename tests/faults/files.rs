//! Tests unusual entries in folders: pipes, links, devices, unexpected names, files that change
//! during a run.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use merge3::error::Error;
use merge3::package::{Settings, plan};
use pretty_assertions::assert_eq;

use crate::harness::{Packages, RunOutput, tree};

/// Returns packages with a change to merge.
fn with_change() -> Packages {
    let packages = Packages::empty();
    packages.put("work.yaml", ["a: 1\n", "a: 2\n", "a: 1\n"]);
    packages
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs a command, and fails if it hangs.
fn run_without_hanging(command: &mut Command) -> RunOutput {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("{command:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    RunOutput::from(child.wait_with_output().unwrap())
}

#[test]
fn pipes_sockets_and_devices_are_left_alone() {
    for side in ["original", "updated", "local"] {
        let packages = with_change();
        let folder = packages.path(side);
        make_pipe(&folder.join("pipe.yaml"));
        make_pipe(&folder.join(".krmignore"));
        make_pipe(&folder.join("Kptfile"));
        let _socket = UnixListener::bind(folder.join("socket.yaml")).unwrap();
        let device = folder.join("device.yaml");
        let mknod = Command::new("mknod")
            .arg(&device)
            .args(["c", "1", "3"])
            .output();
        let is_root = mknod.is_ok_and(|output| output.status.success());
        if !is_root {
            println!("skipped the device in {side}: only root can create one");
        }
        let run = run_without_hanging(&mut packages.command(&[]));
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(
            fs::read_to_string(packages.path("local/work.yaml")).unwrap(),
            "a: 2\n"
        );
        let kind = fs::symlink_metadata(folder.join("pipe.yaml"))
            .unwrap()
            .file_type();
        assert!(kind.is_fifo());
        assert_eq!(device.exists(), is_root);
    }
}

#[test]
fn a_pipe_for_a_side_or_a_file_of_rules_is_refused() {
    let packages = with_change();
    let pipe = packages.path("pipe");
    make_pipe(&pipe);
    let pipe = pipe.to_str().unwrap();
    let before = packages.tree();
    for (arguments, message) in [
        (
            vec!["--ancestor", pipe, "--from", pipe, "--to", pipe],
            "neither a file nor a folder",
        ),
        (
            vec![
                "explain",
                "--ancestor",
                pipe,
                "--from",
                pipe,
                "--to",
                pipe,
                "a",
                "b",
            ],
            "neither a file nor a folder",
        ),
        (vec!["merge-file", pipe, pipe, pipe], "not a regular file"),
        (
            vec!["git", "driver", pipe, pipe, pipe],
            "not a regular file",
        ),
        (vec!["solve", pipe], "not a regular file"),
    ] {
        let run = run_without_hanging(Command::new(env!("CARGO_BIN_EXE_merge3")).args(&arguments));
        assert!(run.status >= 2, "{arguments:?}: {run:?}");
        assert!(run.stderr.contains(message), "{arguments:?}: {run:?}");
    }
    for option in ["--config", "--report-file"] {
        let run = run_without_hanging(&mut packages.command(&[option, pipe]));
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.stderr.contains("not a regular file"), "{run:?}");
    }
    assert_eq!(packages.tree(), before);
}

#[test]
fn a_report_can_go_where_the_process_writes_already() {
    let packages = with_change();
    let run = run_without_hanging(&mut packages.command(&[
        "--report",
        "json",
        "--report-file",
        "/dev/stderr",
    ]));
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.stderr.contains("\"written\": true"), "{run:?}");
}

#[test]
fn a_report_that_cannot_be_written_is_known_before_the_merge() {
    let packages = with_change();
    packages.fails_with(
        &["--report-file", "/no/such/folder/report"],
        &[
            "cannot write /no/such/folder/report",
            "help: nothing was written",
        ],
    );
}

#[test]
fn links_are_never_followed_nor_written_through() {
    let packages = with_change();
    let outside = packages.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.yaml"), "a: 1\n").unwrap();
    symlink(outside.join("a.yaml"), packages.path("local/file.yaml")).unwrap();
    symlink(&outside, packages.path("local/folder")).unwrap();
    symlink("loop", packages.path("local/loop")).unwrap();
    symlink("..", packages.path("local/up")).unwrap();
    packages.put("file.yaml", ["a: 1\n", "a: 2\n", ""]);
    packages.put("folder/a.yaml", ["a: 1\n", "a: 2\n", ""]);
    packages.put("folder/new.yaml", ["", "a: 2\n", ""]);
    packages.put("loop/new.yaml", ["", "a: 2\n", ""]);
    let before = tree(&outside);
    let run = run_without_hanging(&mut packages.command(&[]));
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(tree(&outside), before);
    assert!(run.stderr.contains("is a symbolic link"), "{run:?}");
    for link in ["file.yaml", "folder", "loop", "up"] {
        let path = packages.path("local").join(link);
        assert!(fs::symlink_metadata(path).unwrap().is_symlink(), "{link}");
    }
}

#[test]
fn names_that_nobody_expects_are_names() {
    let names: [&[u8]; 4] = [
        b"two\nlines.yaml",
        b"caf\xe9.yaml",
        b"esc\x1b[31m.yaml",
        b"-rf.yaml",
    ];
    for name in names {
        let packages = Packages::empty();
        for (side, value) in [("original", 1), ("updated", 2), ("local", 3)] {
            let path = packages.path(side).join(OsStr::from_bytes(name));
            fs::write(path, format!("a: {value}\nb: {value}\n")).unwrap();
        }
        for form in ["text", "json", "markdown", "html"] {
            let run = packages.copy().run(&["-v", "--report", form]);
            assert_eq!(run.status, 0, "{run:?}");
            let output = format!("{}{}", run.stdout, run.stderr);
            assert!(!output.contains('\x1b'), "{output:?}");
            assert!(!output.contains("two\nlines"), "{output:?}");
        }
        packages.run(&[]);
        let path = packages.path("local").join(OsStr::from_bytes(name));
        assert_eq!(fs::read_to_string(path).unwrap(), "a: 2\nb: 2\n");
    }
}

#[test]
fn names_that_differ_only_in_case_are_two_names() {
    let packages = with_change();
    packages.put("Case.yaml", ["", "a: 1\n", ""]);
    packages.put("case.yaml", ["", "", "mine: 1\n"]);
    let run = packages.run(&[]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(
        fs::read_to_string(packages.path("local/case.yaml")).unwrap(),
        "mine: 1\n"
    );
    assert_eq!(
        fs::read_to_string(packages.path("local/Case.yaml")).unwrap(),
        "a: 1\n"
    );
    let warnings: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(
        warnings,
        [
            "warning: Case.yaml: differs only in case from case.yaml: on macOS and Windows only one of the two can be there"
        ]
    );
    // a file that was there before causes no warning
    assert_eq!(packages.run(&[]).stderr, "");
}

#[test]
fn two_folders_that_differ_in_case_are_reported_once() {
    let packages = with_change();
    packages.put("Base/one.yaml", ["", "a: 1\n", ""]);
    packages.put("Base/two.yaml", ["", "a: 1\n", ""]);
    packages.put("base/one.yaml", ["", "", "mine: 1\n"]);
    let run = packages.run(&["--dry-run"]);
    assert!(
        run.stderr
            .contains("warning: Base: differs only in case from base: "),
        "{run:?}"
    );
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
}

#[test]
fn a_name_that_only_changes_its_case_is_not_reported() {
    let packages = with_change();
    packages.put("readme.md", ["1\n", "", "1\n"]);
    packages.put("README.md", ["", "1\n", ""]);
    packages.put("docs/a.yaml", ["a: 1\n", "", "a: 1\n"]);
    packages.put("Docs/a.yaml", ["", "a: 1\n", ""]);
    let run = packages.run(&[]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{run:?}");
    assert!(packages.path("local/README.md").exists());
}

#[test]
fn a_path_in_a_document_is_only_a_text() {
    let packages = with_change();
    let kptfile = |value: &str| {
        format!(
            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ../../outside\nupstream:\n  git:\n    directory: ../../{value}\n"
        )
    };
    packages.put("Kptfile", [&kptfile("a"), &kptfile("b"), &kptfile("a")]);
    let around = || fs::read_dir(packages.path("")).unwrap().count();
    let before = around();
    let run = packages.run(&[]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(
        fs::read_to_string(packages.path("local/Kptfile")).unwrap(),
        kptfile("b")
    );
    assert_eq!(around(), before);
}

#[test]
fn the_other_name_of_a_hard_link_keeps_what_it_has() {
    let packages = with_change();
    let other = packages.path("other.yaml");
    fs::hard_link(packages.path("local/work.yaml"), &other).unwrap();
    assert_eq!(packages.run(&[]).status, 0);
    assert_eq!(
        fs::read_to_string(packages.path("local/work.yaml")).unwrap(),
        "a: 2\n"
    );
    assert_eq!(fs::read_to_string(other).unwrap(), "a: 1\n");
}

#[test]
fn a_read_only_file_is_replaced_and_stays_read_only() {
    let packages = with_change();
    let file = packages.path("local/work.yaml");
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    assert_eq!(packages.run(&[]).status, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "a: 2\n");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o444
    );
}

#[test]
fn a_file_that_becomes_something_else_meanwhile_is_refused() {
    let packages = with_change();
    let file = packages.path("local/work.yaml");
    for what in ["pipe", "link", "folder", "gone"] {
        let packages = packages.copy();
        let file = packages.path("local/work.yaml");
        let plan = plan(&packages.sides(), &Settings::default()).unwrap();
        fs::remove_file(&file).unwrap();
        match what {
            "pipe" => make_pipe(&file),
            "link" => symlink("/etc/hostname", &file).unwrap(),
            "folder" => fs::create_dir(&file).unwrap(),
            _ => {}
        }
        let before = packages.tree();
        let error = plan.write(false).unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{what}: {error:?}");
        assert_eq!(packages.tree(), before, "{what}");
    }
    assert!(file.exists());
}

/// Runs the program as `nobody` if the test runs as root, who may do everything.
fn as_nobody(packages: &Packages) -> Output {
    use std::os::unix::process::CommandExt as _;

    let binary = packages.path("merge3");
    // another process copies the program: a file that this process has open for writing cannot be
    // executed
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_merge3"))
        .arg(&binary)
        .status();
    assert!(copied.unwrap().success());
    fs::set_permissions(packages.path(""), Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(&binary);
    command.args(packages.command(&[]).get_args());
    if fs::metadata(packages.path("")).unwrap().uid() == 0 {
        command.uid(65534).gid(65534);
    }
    command.output().unwrap()
}

#[test]
fn a_folder_that_may_not_be_changed_leaves_all_as_it_was() {
    let packages = Packages::varied();
    let whole = [
        "local",
        "local/gone",
        "local/fold",
        "local/run.sh",
        "updated/run.sh",
    ];
    for path in whole.into_iter().chain(["original/run.sh"]) {
        fs::set_permissions(packages.path(path), Permissions::from_mode(0o777)).unwrap();
    }
    fs::set_permissions(
        packages.path("local/gone/far"),
        Permissions::from_mode(0o555),
    )
    .unwrap();
    let before = packages.tree();
    let run = RunOutput::from(as_nobody(&packages));
    assert_eq!(run.status, 2, "{run:?}");
    assert!(run.stderr.contains("cannot write "), "{run:?}");
    assert!(run.stderr.contains("help: nothing was written"), "{run:?}");
    let now = packages.tree();
    let mut changed = now
        .iter()
        .filter(|(path, standing)| before.get(*path) != Some(*standing));
    assert_eq!(changed.next(), None);
    assert_eq!(now.len(), before.len());
}

#[test]
fn a_folder_that_may_not_be_listed_is_named() {
    let packages = with_change();
    packages.put("closed/a.yaml", ["a: 1\n", "a: 2\n", "a: 1\n"]);
    fs::set_permissions(packages.path("local/closed"), Permissions::from_mode(0o000)).unwrap();
    let run = RunOutput::from(as_nobody(&packages));
    fs::set_permissions(packages.path("local/closed"), Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.stderr.contains("cannot read ") && run.stderr.contains("local/closed"),
        "{run:?}"
    );
    assert_eq!(
        fs::read_to_string(packages.path("local/work.yaml")).unwrap(),
        "a: 1\n"
    );
}
