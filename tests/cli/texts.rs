//! Tests kinds of text: if upstream changes a value, every other byte of the file stays.

use std::fs;

use crate::harness::Case;

/// Merges a file in which upstream changes `1` to `2` and local changes `ours` to `mine`. Asserts
/// that the result has both changes and no other difference.
fn assert_keeps(text: &str) {
    let change = |from: &str, to: &str, text: &str| {
        assert!(text.contains(from), "{text:?}");
        text.replace(from, to)
    };
    let local = change("ours", "mine", text);
    let case = Case::of("a.yaml", text, &change("1", "2", text), &local);
    let run = case.merge();
    let merged = fs::read(case.path("local").join("a.yaml")).unwrap();
    let expected = change("1", "2", &local);
    assert_eq!(
        String::from_utf8(merged).unwrap(),
        expected,
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("warning"), "{text:?}: {}", run.stderr);
}

const TEXT: &str = "# head\na: 1 # one\n\nb:\n  - c: ours\n    d: |\n      text\n  - 'e'\n";

#[test]
fn with_and_without_a_byte_order_mark() {
    assert_keeps(TEXT);
    assert_keeps(&format!("\u{feff}{TEXT}"));
    assert_keeps(&format!("\u{feff}---\n{TEXT}"));
}

#[test]
fn line_breaks_of_every_kind() {
    assert_keeps(&TEXT.replace('\n', "\r\n"));
    assert_keeps(&TEXT.replace('\n', "\r"));
    assert_keeps("a: 1\r\nb: ours\nc: x\r\nd: y\n");
    assert_keeps("a: 1\nb: ours\rc: x\r\nd: y\n");
}

#[test]
fn no_newline_at_the_end_and_spaces_there() {
    assert_keeps("a: 1\nb: ours");
    assert_keeps("a: 1  \nb: ours \t \nc: x\t\n   \nd: y   ");
    assert_keeps("b: ours\na: 1");
    assert_keeps("b: ours\r\na: 1");
}

#[test]
fn line_separators_of_unicode_are_text() {
    assert_keeps("a: 1\nb: \"x\u{2028}y\u{2029}z\" # ours\n");
    assert_keeps("a: 1\nb: ours\u{2028}# no comment\u{85}no key\n");
    assert_keeps("a: 1\nb: |\n  x\u{2028}y\n  ours\n");
}

#[test]
fn tabs_where_yaml_takes_them() {
    assert_keeps("a:\t1\t# one\nb: \t'ours'\nc: [\t1x,\t2y\t]\nd: |\n  \tx\n");
}

#[test]
fn emoji_accents_and_text_from_right_to_left() {
    assert_keeps("🚀: 1\n\"👩‍👩‍👧\": ours\né: {ü: ß, 🎉: x}\n");
    assert_keeps("a: 1\nשלום: עולם\nكلمة: [\u{202e}ours\u{202c}, ب]\n");
    assert_keeps("e\u{301}: 1\né: ours\n");
    assert_keeps("🚀: |\n  🎉🎉🎉 é\nb: 1\nc: ours\n");
}

/// Encodes a text as UTF-16 with a byte order mark.
fn utf_16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn utf_16_on_one_side_is_refused() {
    let case = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 3\n");
    case.file("updated", "a.yaml", utf_16("a: 2\n"))
        .fails_with(&[
            "updated/a.yaml is not UTF-8 text",
            "help: save the file as UTF-8",
        ]);
}

#[test]
fn utf_16_is_merged_as_a_whole() {
    let sides = |local: &str| {
        Case::empty()
            .file("original", "a.yaml", utf_16("a: 1\n"))
            .file("updated", "a.yaml", utf_16("a: 2\n"))
            .file("local", "a.yaml", utf_16(local))
    };
    let case = sides("a: 1\n");
    case.merge();
    let merged = fs::read(case.path("local").join("a.yaml")).unwrap();
    assert_eq!(merged, utf_16("a: 2\n"));
    let run = sides("a: 3\n").arg(&["--on-conflict", "local"]).merge();
    assert!(
        run.stdout.contains("conflict a.yaml:1: binary"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_is_no_text_on_one_side_is_refused() {
    for side in ["original", "updated", "local"] {
        let invalid = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 3\n");
        invalid
            .file(side, "a.yaml", b"a: \xc3\x28\n")
            .fails_with(&[&format!("{side}/a.yaml is not UTF-8 text"), "a.yaml:1:4"]);
        let zero = Case::of("a.yaml", "a: 1\n", "a: 2\n", "a: 3\n");
        zero.file(side, "a.yaml", "a: x\0y\n").fails_with(&[
            &format!("{side}/a.yaml"),
            "is not valid YAML, and there are no lines to merge",
            "a NUL character",
        ]);
    }
}

#[test]
fn a_text_of_a_megabyte_merges_by_lines_and_by_structure() {
    let lines = |changed: &[(usize, &str)]| {
        let line = |n: usize| {
            let found = changed.iter().find(|(at, _)| *at == n);
            let value = found.map_or_else(|| format!("value of {n}"), |(_, new)| (*new).to_owned());
            format!("  key{n}: {{a: {n}, b: {value}}}\n")
        };
        let text: String = (0..30_000).map(line).collect();
        format!("big.yaml: |\n{text}")
    };
    // changes in lines that are apart, and in neighbouring lines
    for own in [29_000, 101] {
        let case = Case::of(
            "a.yaml",
            &lines(&[]),
            &lines(&[(100, "up"), (20_000, "up")]),
            &lines(&[(own, "ours")]),
        );
        let run = case.merge();
        let expected = lines(&[(100, "up"), (20_000, "up"), (own, "ours")]);
        assert_eq!(case.read("a.yaml").unwrap(), expected);
        assert!(run.stdout.contains("0 conflicts"), "{}", run.stdout);
    }
}
