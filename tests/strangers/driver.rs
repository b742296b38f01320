//! File names on a branch, as git passes them to the merge driver through a shell.

use pretty_assertions::assert_eq;

use crate::harness::Workshop;

const NAMES: [&str; 24] = [
    "-rf.yaml",
    "--output=trace.yaml",
    "--path.yaml",
    "-o.yaml",
    "--.yaml",
    "a b.yaml",
    " .yaml",
    "it's.yaml",
    "'\"'\"'.yaml",
    "a\nb.yaml",
    "a\r\n::error::b.yaml",
    "$(touch trace).yaml",
    "`touch trace`.yaml",
    "'$(touch trace)'.yaml",
    "\"; touch trace; \".yaml",
    "; touch trace #.yaml",
    "&& touch trace.yaml",
    "| touch trace.yaml",
    "> trace.yaml",
    "%O %A %B %P %%.yaml",
    "*?[a-z].yaml",
    "~.yaml",
    "\u{1b}]0;x\u{7}\u{202e}.yaml",
    "!history \\ \\n.yaml",
];

/// Returns every name as it is, and below a folder of the same name.
fn names() -> Vec<String> {
    let below = NAMES
        .iter()
        .map(|name| format!("{}/{name}", name.trim_end_matches(".yaml")));
    NAMES
        .iter()
        .map(|name| (*name).to_owned())
        .chain(below)
        .collect()
}

#[test]
fn hostile_names_are_names() {
    let workshop = Workshop::new();
    workshop.merge3(&["git", "install"]).exits(0);
    let names = names();
    let text =
        |replicas: u32, image: &str| format!("a: 1\nreplicas: {replicas}\nimage: web:{image}\n");
    let write = |replicas: u32, image: &str| {
        for name in &names {
            workshop.write(&format!("fleet/{name}"), &text(replicas, image));
        }
        workshop.save("change");
    };
    write(1, "1");
    workshop.git("fleet", &["checkout", "-q", "-b", "other"]);
    write(1, "2");
    workshop.git("fleet", &["checkout", "-q", "main"]);
    write(2, "1");
    let before = workshop.files("fleet").len();
    // git's own merge has a conflict in neighbouring lines
    workshop.git("fleet", &["merge", "-q", "other"]);
    let after = workshop.files("fleet");
    assert_eq!(after.len(), before);
    for name in &names {
        let merged = String::from_utf8_lossy(&after[name]).into_owned();
        assert_eq!(merged, text(2, "2"), "{name:?}");
    }
    assert!(!workshop.has("fleet/trace") && !workshop.has("fleet/trace.yaml"));
}

/// The same names as paths and labels, without a shell.
#[test]
fn hostile_arguments_are_arguments() {
    let workshop = Workshop::new();
    for name in NAMES {
        for (file, value) in [("base", 1), ("ours", 2), ("theirs", 3)] {
            workshop.write(&format!("fleet/{file}"), &format!("a: {value}\n"));
        }
        let driver = ["git", "driver", "base", "ours", "theirs", "--path", name];
        let run = workshop.merge3(&[&driver[..], &["--marker-size", "7"]].concat());
        assert_eq!(run.status, 1, "{name:?}: {run:?}");
        let is_hidden = |c: char| c.is_control() && c != '\n';
        assert!(!run.stderr.contains(is_hidden), "{run:?}");
        assert!(
            workshop.read("fleet/ours").starts_with("<<<<<<<"),
            "{name:?}"
        );
        let mut left: Vec<String> = workshop.files("fleet").into_keys().collect();
        left.sort();
        assert_eq!(left, ["base", "ours", "theirs"], "{name:?}");
    }
}
