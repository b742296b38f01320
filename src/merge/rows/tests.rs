//! Tests with rows written as lines: `# x` is a comment, a letter an entry, an empty line a blank
//! line.

use super::*;
use crate::triple::Triple;
use crate::yaml::{EntryId, Span};

fn items(text: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let (mut blank_start, mut blanks, mut end) = (0, 0, 0);
    let lines = text.split_inclusive('\n').map(Some).chain([None]);
    for line in lines {
        let start = end;
        end += line.map_or(0, str::len) as u32;
        let kind = match line.map(str::trim) {
            Some("") => {
                blanks += 1;
                continue;
            }
            Some(comment) if comment.starts_with('#') => ItemKind::Comment,
            Some(entry) => ItemKind::Entry(EntryId::new(entry.as_bytes()[0].into())),
            None => ItemKind::End,
        };
        items.push(Item {
            kind,
            blank_start,
            blanks,
            span: Span::new(start, end),
        });
        (blank_start, blanks) = (end, 0);
    }
    items
}

/// Merges three rows; the entries with the letters `removed` do not stay. Returns the row as text.
fn merged(texts: [&str; 3], removed: &str) -> String {
    let [original, updated, local] = texts;
    let texts = Triple::new(original, updated, local);
    let items = texts.map(items);
    let is_removed = |entry: u32| removed.bytes().any(|letter| u32::from(letter) == entry);
    let presence = |entry: u32| match is_removed(entry) {
        true => Presence::Absent,
        false => Presence::Present,
    };
    let rows = texts.zip(items.as_ref()).map(|(text, items)| Pieces {
        text,
        items,
        numbers: None,
    });
    let context = Context {
        around: Some(Around::default()),
        has_fields: true,
        ..Context::default()
    };
    let row = merge(rows, context, presence, Resolution::Updated);
    let mut text = String::new();
    for placed in row.pieces {
        let blank = |of: Ref| &rows[of.side()].text[item_of(rows, of).blank().range()];
        text.push_str(placed.blanks.map_or("", blank));
        text.push_str(line_of(rows, placed.piece));
    }
    text
}

#[test]
fn changes_of_one_side_are_taken() {
    assert_eq!(
        merged(["a\nb\n", "a\n# new\n\nb\n", "a\nb\nc\n"], ""),
        "a\n# new\n\nb\nc\n"
    );
    assert_eq!(
        merged(["# x\na\nb\n", "a\nb\n", "# x\na\nb\nc\n"], ""),
        "a\nb\nc\n"
    );
    assert_eq!(
        merged(["a\n\nb\n", "a\nb\n", "# ours\na\n\nb\n"], ""),
        "# ours\na\nb\n"
    );
}

#[test]
fn insertions_of_both_sides_come_once_and_locals_first() {
    assert_eq!(merged(["a\n", "a\nu\n", "a\nl\n"], ""), "a\nl\nu\n");
    assert_eq!(
        merged(["a\n", "a\n# same\nu\n", "a\n# same\nl\n"], ""),
        "a\n# same\nl\nu\n"
    );
    // local's comment right above an entry stays with it
    assert_eq!(
        merged(["a\nb\n", "a\nu\nb\n", "a\n# ours\nb\n"], ""),
        "a\nu\n# ours\nb\n"
    );
}

#[test]
fn a_comment_that_both_rewrote_is_upstreams_by_default() {
    let texts = ["# old\na\nb\n", "# new\na\nb\n", "# ours\na\nb\nc\n"];
    assert_eq!(merged(texts, ""), "# new\na\nb\nc\n");
}

#[test]
fn comments_travel_with_the_entry_below_them() {
    let texts = [
        "# a\na\nb\nc\n",
        "b\nc\n# a\na\n",
        "# a\na\nb\nc\n# ours\nd\n",
    ];
    assert_eq!(merged(texts, ""), "b\nc\n# ours\nd\n# a\na\n");
}

#[test]
fn the_row_follows_the_rules_for_values() {
    // the rules remove what the lines would keep, with the comment right above it
    let texts = ["a\n# b\nb\nc\n", "a\n# b\nb\nc\nd\n", "a\n# b\nb\nc\ne\n"];
    assert_eq!(merged(texts, "b"), "a\nc\ne\nd\n");
    // and bring what the lines would leave out
    assert_eq!(
        merged(["a\nb\nc\n", "a\nb\nc\n", "a\nc\n"], ""),
        "a\nb\nc\n"
    );
}

#[test]
fn a_second_merge_changes_nothing() {
    let (original, updated) = ("# h\n\na\nb\n", "# h\n\n# new\na\n# t\nu\nb\n");
    let once = merged([original, updated, "# h\n\na\n# ours\nl\nb\n"], "");
    assert_eq!(merged([original, updated, &once], ""), once);
}
