//! Tests of the text above a document.

use super::*;
use pretty_assertions::assert_eq;

fn merged(original: &str, updated: &str, local: &str) -> (String, usize) {
    let sides = Triple::new(original, updated, local);
    let merged = merge_above(sides, has_frame(sides), "\n", &Options::default());
    merged.map_or((local.to_owned(), 0), |it| (it.text, it.conflicts.len()))
}

fn has_frame(sides: Triple<&str>) -> bool {
    let has_frame = sides.map(|side| frame(side).is_some());
    match has_frame.local == has_frame.original {
        true => has_frame.updated,
        false => has_frame.local,
    }
}

fn clean(original: &str, updated: &str, local: &str) -> String {
    let (text, conflicts) = merged(original, updated, local);
    assert_eq!(conflicts, 0);
    assert_eq!(merged(original, updated, &text), (text.clone(), 0));
    text
}

#[test]
fn changes_of_one_side_are_taken() {
    assert_eq!(clean("# 1\n\n", "# 2\n\n", "# 1\n\n"), "# 2\n\n");
    assert_eq!(clean("# 1\n\n", "# 1\n\n", "# 9\n\n"), "# 9\n\n");
    assert_eq!(clean("# 1\n\n", "", "# 1\n\n"), "");
    assert_eq!(clean("", "# 1\n\n", ""), "# 1\n\n");
    assert_eq!(
        clean("# 1\n---\n", "# 2\n---\n", "# 1\n---\n"),
        "# 2\n---\n"
    );
    assert_eq!(
        clean("# 1\n\n", "# 1\n# u\n\n", "# d\n# 1\n\n"),
        "# d\n# 1\n# u\n\n"
    );
}

#[test]
fn a_marker_comes_and_goes() {
    assert_eq!(clean("# 1\n\n", "# 2\n---\n", "# 1\n\n"), "# 2\n---\n");
    assert_eq!(clean("# 1\n---\n", "# 2\n", "# 1\n---\n"), "# 2\n");
    assert_eq!(clean("# 1\n---\n", "# 2\n---\n", "# 1\n\n"), "# 2\n\n");
    assert_eq!(clean("# 1\n\n", "# 2\n\n", "---\n# 1\n\n"), "---\n# 2\n\n");
    assert_eq!(
        clean("", "# 1\n---\n", "\u{feff}%YAML 1.2\n---\n"),
        "\u{feff}# 1\n%YAML 1.2\n---\n"
    );
    assert_eq!(clean("---\n", "# 1\n---\n# 2\n\n", "---"), "# 1\n---");
    let lines = Triple::new("---\n", "---\n# 2\n---\n", "# 9\n---\n");
    assert_eq!(
        clean(lines.original, lines.updated, lines.local),
        "# 9\n---\n# 2\n---\n"
    );
}

#[test]
fn changes_of_both_sides_are_a_conflict() {
    let (text, conflicts) = merged("# 1\n\n", "# 2\n\n", "# 3\n\n");
    assert_eq!((text.as_str(), conflicts), ("# 2\n\n", 1));
    assert_eq!(merged("# 1\n\n", "# 2\n\n", &text), (text, 0));
}
