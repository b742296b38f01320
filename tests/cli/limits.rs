//! Tests documents that are nested too deep, are too large or expand too much: an error names the
//! limit, in little time and memory.

use std::fmt::Write as _;
use std::fs::File;
use std::time::{Duration, Instant};

use crate::harness::{Case, RunOutput};

/// A generous time limit for a busy machine. A run that takes quadratic time would take hours.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Returns a case with the document on all sides. Upstream changes a field after the document, and
/// local another one.
fn with_document(document: &str) -> Case {
    let text = |fields: &str| format!("{document}\n{fields}");
    Case::of(
        "a.yaml",
        &text("x: 1\ny: 1\nz: 1\n"),
        &text("x: 2\ny: 1\nz: 1\n"),
        &text("x: 1\ny: 1\nz: 2\n"),
    )
}

/// Asserts that a document beyond a limit counts as invalid YAML: if all sides have it, the file is
/// merged line by line with a warning; if only one side has it, the merge is refused.
fn assert_limited(document: &str, limit: &str) {
    let start = Instant::now();
    let case = with_document(document);
    let result = case.merge();
    assert!(result.stderr.contains(limit), "{}", result.stderr);
    assert!(
        result.stderr.contains("merged line by line"),
        "{}",
        result.stderr
    );
    assert!(
        case.read("a.yaml")
            .unwrap()
            .ends_with("\nx: 2\ny: 1\nz: 2\n")
    );
    let upstream = format!("{document}\nx: 2\n");
    Case::of("a.yaml", "x: 1\n", &upstream, "x: 3\n").fails_with(&[limit, "help: "]);
    merge_file(document);
    solve(document);
    assert!(start.elapsed() < TIME_LIMIT, "{:?}", start.elapsed());
}

/// Asserts that `merge-file`, and so the merge driver, merges the lines as git does.
fn merge_file(document: &str) {
    let case = with_document(document);
    let output = case
        .program()
        .arg("merge-file")
        .args(["local", "original", "updated"].map(|side| case.path(side).join("a.yaml")))
        .output()
        .unwrap();
    let result = RunOutput::from(output);
    assert_eq!(result.status, 0, "{}", result.stderr);
    assert!(
        case.read("a.yaml")
            .unwrap()
            .ends_with("\nx: 2\ny: 1\nz: 2\n")
    );
}

/// Asserts that `solve` leaves the file unchanged.
fn solve(document: &str) {
    let conflict = "<<<<<<< ours\na: 2\n||||||| base\na: 1\n=======\na: 3\n>>>>>>> theirs\n";
    let text = format!("{document}\n{conflict}");
    let case = Case::empty().local("a.yaml", &text);
    let output = case
        .program()
        .arg("solve")
        .arg(case.path("local").join("a.yaml"))
        .output()
        .unwrap();
    let result = RunOutput::from(output);
    assert_eq!(result.status, 1, "{}", result.stderr);
    assert!(
        result.stderr.contains("nothing was changed"),
        "{}",
        result.stderr
    );
    assert!(case.read("a.yaml").unwrap() == text);
}

#[test]
fn a_hundred_thousand_brackets() {
    let count = 100_000;
    let lists = format!("a: {}{}", "[".repeat(count), "]".repeat(count));
    assert_limited(&lists, "brackets are nested deeper than 255 levels");
    let maps = format!("a: {}1{}", "{b: ".repeat(count), "}".repeat(count));
    assert_limited(&maps, "brackets are nested deeper than 255 levels");
    assert_limited(
        &format!("a: {}", "[".repeat(count)),
        "brackets are nested deeper than 255 levels",
    );
}

#[test]
fn five_thousand_maps_in_maps() {
    let mut maps = String::new();
    for depth in 0..5000 {
        writeln!(maps, "{:depth$}a:", "").unwrap();
    }
    assert_limited(
        &format!("{maps}{:5000}b: 1", ""),
        "nested deeper than 512 levels",
    );
    let lists = format!("a:\n{}b", "- ".repeat(5000));
    assert_limited(&lists, "nested deeper than 512 levels");
}

#[test]
fn a_few_lines_that_stand_for_billions_of_values() {
    let mut laughs = String::from("a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n");
    for depth in 1..12 {
        let aliases = vec![format!("*a{}", depth - 1); 9].join(", ");
        writeln!(laughs, "a{depth}: &a{depth} [{aliases}]").unwrap();
    }
    assert_limited(laughs.trim_end(), "stand for more than 1000000 values");
}

/// A change at one of several aliases of an anchor writes all aliases out: here to 6 GB.
#[test]
fn aliases_that_are_too_long_to_be_written_out() {
    let start = Instant::now();
    let aliases = |name: &str| vec![format!("*{name}"); 256].join(", ");
    let (text, a, b) = ("x".repeat(100_000), aliases("a"), aliases("b"));
    let document = format!("a: &a {text}\nb: &b [{a}]\nc: [{b}]\n");
    let patch = r#"[{"op": "replace", "path": "/c/3/2", "value": 1}]"#;
    let case = Case::empty()
        .local("a.yaml", &document)
        .local("p.json", patch);
    let output = case
        .program()
        .args(["patch", "--type", "json", "--patch"])
        .args([case.path("local/p.json"), case.path("local/a.yaml")])
        .output()
        .unwrap();
    let result = RunOutput::from(output);
    assert_eq!(result.status, 2, "{}", result.stderr);
    assert!(
        result
            .stderr
            .contains("writing out its aliases would make it too long"),
        "{}",
        result.stderr
    );
    assert_eq!(case.read("a.yaml").as_deref(), Some(&*document));
    assert!(start.elapsed() < TIME_LIMIT, "{:?}", start.elapsed());
}

#[test]
fn as_many_aliases_as_are_allowed() {
    let mut text = String::from("a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n");
    for depth in 1..6 {
        let aliases = vec![format!("*a{}", depth - 1); 9].join(", ");
        writeln!(text, "a{depth}: &a{depth} [{aliases}]").unwrap();
    }
    let start = Instant::now();
    let case = with_document(&text);
    let result = case.merge();
    assert!(!result.stderr.contains("warning"), "{}", result.stderr);
    assert!(case.read("a.yaml").unwrap().ends_with("x: 2\ny: 1\nz: 2\n"));
    assert!(start.elapsed() < TIME_LIMIT, "{:?}", start.elapsed());
}

/// The merge drops the original's tree after its decision. A changed comment makes it parse the
/// original and decide again.
#[test]
fn a_document_whose_original_is_read_again() {
    let filler: String = (0..250_000).fold(String::new(), |mut text, number| {
        writeln!(text, "key-{number}: value {number}").unwrap();
        text
    });
    assert!(filler.len() > 5 << 20);
    let text = |fields: &str| format!("{filler}{fields}");
    let case = Case::of(
        "a.yaml",
        &text("x: 1 # one\ny: 1\nz: 1\n"),
        &text("x: 1 # two\ny: 2\nz: 1\n"),
        &text("x: 1 # one\ny: 1\nz: 2\n"),
    );
    let result = case.merge();
    assert_eq!(result.status, 0, "{}", result.stderr);
    let expected = text("x: 1 # two\ny: 2\nz: 2\n");
    assert!(case.read("a.yaml").unwrap() == expected);
}

#[test]
fn a_gigabyte() {
    let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 1\n");
    let file = File::create(case.path("updated").join("a.yaml")).unwrap();
    file.set_len(1 << 30).unwrap();
    case.fails_with(&[
        "updated/a.yaml is larger than 256 MiB",
        "exclude it in .krmignore",
    ]);
}

/// Ten times the size takes about ten times the processor time, which does not depend on other
/// processes.
#[test]
fn a_scalar_of_seventy_megabytes() {
    let run = |megabytes: usize, status: i32| {
        let text = format!("a: {}\nx: 2\n", "a".repeat(megabytes << 20));
        let case = Case::of("a.yaml", "x: 1\n", &text, "x: 3\n");
        let (result, seconds) = case.run_timed();
        assert_eq!(result.status, status, "{}", result.stderr);
        (case, result, seconds)
    };
    let (_, _, few) = run(7, 0);
    let (case, result, many) = run(70, 2);
    assert_eq!(result.stdout, "");
    assert_eq!(case.tree(), [("a.yaml".to_owned(), "x: 3\n".to_owned())]);
    for message in ["a document of 64 MiB or more", "help: divide it"] {
        assert!(result.stderr.contains(message), "{}", result.stderr);
    }
    assert!(many < few * 40.0, "{few} seconds, then {many}");
}

/// Ten times as many keys take about ten times as long.
#[test]
fn many_keys_in_one_map() {
    let seconds = |count: usize| {
        let keys: String = (0..count).fold(String::new(), |mut text, key| {
            let _ = writeln!(text, "key{key}: {key}");
            text
        });
        let case = with_document(keys.trim_end());
        let start = Instant::now();
        let result = case.merge();
        assert!(!result.stderr.contains("warning"), "{}", result.stderr);
        assert!(
            case.read("a.yaml")
                .unwrap()
                .ends_with("\nx: 2\ny: 1\nz: 2\n")
        );
        start.elapsed().as_secs_f64()
    };
    let (few, many) = (seconds(10_000), seconds(100_000));
    assert!(many < few * 40.0 + 5.0, "{few} seconds, then {many}");
}

/// A list with as many items as there are patches or configurations is assembled once, not for each
/// of them.
#[test]
fn many_items_in_one_list() {
    let count = 5_000;
    let object = |name: usize, value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{name}\ndata:\n  a: {value}")
    };
    let all = |one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<String>();
    let list = |value: &str| {
        let items = all(&|name| format!("- {}\n", object(name, value).replace('\n', "\n  ")));
        format!("apiVersion: v1\nkind: List\nitems:\n{items}")
    };
    let changes = all(&|name| format!("---\n{}\n", object(name, "y")));
    let case = Case::empty()
        .local("a.yaml", &list("x # ours"))
        .updated("a.yaml", &changes);
    let [target, changes] = ["local", "updated"].map(|side| case.path(side).join("a.yaml"));
    let start = Instant::now();
    let patched = case
        .program()
        .args(["patch", "--patch"])
        .args([&changes, &target])
        .output();
    assert_eq!(RunOutput::from(patched.unwrap()).status, 0);
    assert!(case.read("a.yaml").unwrap() == list("y # ours"));
    assert!(start.elapsed() < TIME_LIMIT, "{:?}", start.elapsed());

    let start = Instant::now();
    let applied = case
        .program()
        .args(["apply", "--config"])
        .arg(&changes)
        .arg("--live")
        .arg(&target)
        .output();
    assert_eq!(RunOutput::from(applied.unwrap()).status, 0);
    let live = case.read("a.yaml").unwrap();
    let annotations = live.matches("kubectl.kubernetes.io/last-applied-configuration: |\n");
    assert_eq!(annotations.count(), count);
    assert!(start.elapsed() < TIME_LIMIT, "{:?}", start.elapsed());
}

/// Returns the seconds to merge upstream's changes in `count` places into a fork with changes in as
/// many places.
fn seconds_for_changes(count: usize, place: fn(usize, char) -> String) -> f64 {
    let text = |side| (0..count).map(|n| place(n, side)).collect::<String>() + "}\n";
    let case = Case::of("a.yaml", &text('o'), &text('u'), &text('l'));
    let start = Instant::now();
    let result = case.merge();
    assert!(!result.stderr.contains("warning"), "{}", result.stderr);
    assert!(result.stdout.contains("1 changed"), "{}", result.stdout);
    start.elapsed().as_secs_f64()
}

/// Ten times as many changes take about ten times as long, for each kind of change.
#[test]
fn many_changes() {
    fn open(n: usize, bracket: &str) -> &str {
        if n == 0 { bracket } else { "" }
    }
    /// Flow maps on one line in which upstream changes a field and local adds one.
    fn fields_in_rows(n: usize, side: char) -> String {
        let value = if side == 'u' { 2 } else { 1 };
        let own = if side == 'l' { "own: 1, " } else { "" };
        format!("{}k{n}: {{ {own}v: {value} }}, ", open(n, "{"))
    }
    /// Lines of one flow map: upstream changes the values, local adds an entry.
    fn fields_on_lines(n: usize, side: char) -> String {
        let value = if side == 'u' { 2 } else { 1 };
        let own = if side == 'l' { "  own: 1,\n" } else { "" };
        format!("{}  k{n}: {value},\n", open(n, &format!("{{\n{own}")))
    }
    /// Aliases that upstream replaces by their values, because it changes the anchors.
    fn aliases(n: usize, side: char) -> String {
        match side {
            'u' => format!("{}a{n}: &a{n} {{x: 2}},\nb{n}: {{x: 1}},\n", open(n, "{")),
            'o' => format!("{}a{n}: &a{n} {{x: 1}},\nb{n}: *a{n},\n", open(n, "{")),
            _ => format!(
                "{}a{n}: &a{n} {{x: 1}},\nb{n}: *a{n},\n",
                open(n, "{own: 1,\n")
            ),
        }
    }
    /// Comments and values that both sides change.
    fn conflicts(n: usize, side: char) -> String {
        format!("{}\n# {side}\nk{n}: {side},\n", open(n, "{"))
    }
    for place in [fields_in_rows, fields_on_lines, aliases, conflicts] {
        let (few, many) = (
            seconds_for_changes(4_000, place),
            seconds_for_changes(40_000, place),
        );
        assert!(many < few * 40.0 + 5.0, "{few} seconds, then {many}");
    }
}

#[test]
fn many_comments_between_two_fields_merge() {
    let text = |side: &str| {
        let lines =
            (0..if side.is_empty() { 0 } else { 3_000 }).map(|at| format!("# {side} {at}\n"));
        format!("a: 1\n{}z: 1\n", lines.collect::<String>())
    };
    let case = Case::of("a.yaml", &text(""), &text("updated"), &text("local"));
    case.merge();
    let own = text("local").replace("z: 1\n", "");
    let merged = text("updated").replace("a: 1\n", &own);
    assert_eq!(case.read("a.yaml").unwrap(), merged);
}
