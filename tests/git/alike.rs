//! Tests laws on the text of real files with random edits: whatever git merges cleanly is merged in
//! the same way, and markers can be resolved to either side and show all of the base.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use merge3::git::resolve::{Diff, Request, Resolved, resolve};
use merge3::merge::{ConflictStyle, MarkerStyle};
use merge3::package::Bytes;
use merge3::triple::Triple;
use merge3::yaml::stream::split;
use merge3::yaml::{EntryId, NodeId, NodeKind, Tree};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::harness::isolated;

/// Returns the YAML files of the cases.
fn texts() -> Vec<String> {
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "yaml") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        // git takes a text with NUL for binary and does not merge it
        .filter(|text| text.lines().count() > 6 && is_yaml(text) && !text.contains('\0'))
        .collect()
}

fn is_yaml(text: &str) -> bool {
    split(text)
        .iter()
        .all(|document| Tree::parse(document.text).is_ok())
}

/// A change that a person makes to a line.
#[derive(Debug, Clone)]
enum Edit {
    Delete(prop::sample::Index),
    Repeat(prop::sample::Index),
    SwapWithNext(prop::sample::Index),
    Append(prop::sample::Index, u8),
    NewField(prop::sample::Index, u8),
    Comment(prop::sample::Index, u8),
    BlankLine(prop::sample::Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Edit::Delete),
        at().prop_map(Edit::Repeat),
        at().prop_map(Edit::SwapWithNext),
        (at(), 0..3u8).prop_map(|(at, n)| Edit::Append(at, n)),
        (at(), 0..3u8).prop_map(|(at, n)| Edit::Append(at, n)),
        (at(), 0..3u8).prop_map(|(at, n)| Edit::NewField(at, n)),
        (at(), 0..3u8).prop_map(|(at, n)| Edit::Comment(at, n)),
        at().prop_map(Edit::BlankLine),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    for edit in edits {
        if lines.is_empty() {
            break;
        }
        let count = lines.len();
        let indented = |line: &str, text: String| {
            let width = line.len() - line.trim_start_matches(' ').len();
            format!("{}{text}\n", " ".repeat(width))
        };
        match edit {
            Edit::Delete(at) => drop(lines.remove(at.index(count))),
            Edit::Repeat(at) => lines.insert(at.index(count), lines[at.index(count)].clone()),
            Edit::SwapWithNext(at) => {
                lines.swap(at.index(count), (at.index(count) + 1).min(count - 1))
            }
            Edit::Append(at, n) => {
                let line = &mut lines[at.index(count)];
                let end = line.trim_end().len();
                line.insert(end, char::from(b'5' + n));
            }
            Edit::NewField(at, n) => {
                let line = indented(&lines[at.index(count)], format!("new{n}: {n}"));
                lines.insert(at.index(count), line);
            }
            Edit::Comment(at, n) => {
                let line = indented(&lines[at.index(count)], format!("# written {n}"));
                lines.insert(at.index(count), line);
            }
            Edit::BlankLine(at) => lines.insert(at.index(count), "\n".to_owned()),
        }
    }
    lines.concat()
}

/// Whether a side has a value of another kind in place of a map, list or scalar of the original.
fn changes_kind(original: &str, side: &str) -> bool {
    let (original, side) = (split(original), split(side));
    original.iter().zip(&side).any(|(original, side)| {
        let trees = [original, side].map(|document| Tree::parse(document.text).ok().flatten());
        let [Some(original), Some(side)] = &trees else {
            return false;
        };
        is_of_other_kind((original, original.root().value), (side, side.root().value))
    })
}

fn is_of_other_kind(
    (original, node): (&Tree<'_>, NodeId),
    (side, other): (&Tree<'_>, NodeId),
) -> bool {
    let value = |tree: &Tree<'_>, entry: EntryId| tree.entry(entry).value;
    match (&original.node(node).kind, &side.node(other).kind) {
        (NodeKind::Mapping(_), NodeKind::Mapping(_)) => original.entries(node).any(|field| {
            let key = original
                .entry(field)
                .key
                .and_then(|key| original.scalar(key));
            let same = key.and_then(|key| side.find(other, key.content));
            same.is_some_and(|same| {
                is_of_other_kind(
                    (original, value(original, field)),
                    (side, value(side, same)),
                )
            })
        }),
        (NodeKind::Sequence(_), NodeKind::Sequence(_)) => {
            let mut pairs = original.entries(node).zip(side.entries(other));
            pairs.any(|(one, same)| {
                is_of_other_kind((original, value(original, one)), (side, value(side, same)))
            })
        }
        (one, other) => std::mem::discriminant(one) != std::mem::discriminant(other),
    }
}

/// Returns the text of git's merge, or None if it has conflicts.
fn git_clean(sides: &Triple<String>, folder: &Path) -> Option<String> {
    for (name, text) in [
        ("o", &sides.original),
        ("u", &sides.updated),
        ("l", &sides.local),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let mut command = Command::new("git");
    command
        .args(["merge-file", "-p", "-q", "l", "o", "u"])
        .current_dir(folder);
    let output = isolated(&mut command, folder).output().unwrap();
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).unwrap())
}

fn resolved(sides: &Triple<String>) -> Resolved {
    resolved_in(sides, MarkerStyle::default())
}

/// Merges with the base between the markers.
fn resolved_with_base(sides: &Triple<String>) -> Resolved {
    let style = MarkerStyle {
        conflict_style: Some(ConflictStyle::Diff3),
        ..MarkerStyle::default()
    };
    resolved_in(sides, style)
}

fn resolved_in(sides: &Triple<String>, style: MarkerStyle) -> Resolved {
    resolve(&Request {
        path: Path::new("a.yaml"),
        sides: sides.clone().map(Bytes::from),
        style,
        favor: None,
        diff: Diff::Histogram,
    })
    .unwrap()
}

/// A side of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Local,
    Base,
    Updated,
}

/// Returns the side of the lines below a marker: Some(None) below the last marker of a conflict,
/// None if the line is no marker. `within` is the side of the lines above.
fn marker(line: &str, within: Option<Part>) -> Option<Option<Part>> {
    let begins = |sign: &str| line.trim_end().starts_with(&sign.repeat(7));
    match within {
        None if begins("<") => Some(Some(Part::Local)),
        Some(Part::Local) if begins("|") => Some(Some(Part::Base)),
        Some(_) if begins("=") => Some(Some(Part::Updated)),
        Some(Part::Updated) if begins(">") => Some(None),
        _ => None,
    }
}

/// Returns the text with one side of each conflict.
fn chosen(text: &str, side: Part) -> String {
    let mut within = None;
    let mut lines = text.split_inclusive('\n').collect::<Vec<_>>();
    lines.retain(|line| match marker(line, within) {
        Some(next) => {
            within = next;
            false
        }
        None => within.is_none_or(|within| within == side),
    });
    lines.concat()
}

/// Returns the sides of each conflict: local, base, updated.
fn conflicts(text: &str) -> Vec<[String; 3]> {
    let (mut within, mut found) = (None, Vec::<[String; 3]>::new());
    for line in text.split_inclusive('\n') {
        if let Some(next) = marker(line, within) {
            if next == Some(Part::Local) {
                found.push(Default::default());
            }
            within = next;
        } else if let (Some(side), Some(last)) = (within, found.last_mut()) {
            last[side as usize].push_str(line);
        }
    }
    found
}

/// Whether two elements of lists begin with the same line.
fn has_repeated_elements(text: &str) -> bool {
    let elements = text
        .lines()
        .filter(|line| line.trim_start().starts_with("- "));
    let mut seen = std::collections::HashSet::new();
    elements.into_iter().any(|line| !seen.insert(line))
}

fn sides() -> impl Strategy<Value = Triple<String>> {
    let edits = || prop::collection::vec(edit(), 1..4);
    (prop::sample::select(texts()), edits(), edits()).prop_map(|(original, ours, theirs)| {
        let (local, updated) = (edited(&original, &ours), edited(&original, &theirs));
        Triple::new(original, updated, local)
    })
}

/// Returns a configuration with the same cases in every run. `PROPTEST_CASES` sets the number of
/// cases, which are then random.
fn config() -> ProptestConfig {
    let given = std::env::var("PROPTEST_CASES").ok();
    let given = given.and_then(|it| it.parse().ok());
    ProptestConfig {
        cases: given.unwrap_or(300),
        failure_persistence: None,
        rng_seed: match given {
            Some(_) => RngSeed::Random,
            None => RngSeed::Fixed(1),
        },
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_git_merges_cleanly_is_merged_cleanly(sides in sides()) {
        let folder = tempfile::tempdir().unwrap();
        if let Some(text) = git_clean(&sides, folder.path()) {
            let merged = resolved(&sides);
            // one side replaced a map or list by a text: the other side's change in it has no place
            // (rules: Kinds that differ)
            let kind_differs = [&sides.updated, &sides.local].iter().any(|side| changes_kind(&sides.original, side));
            // git's text may be broken although no side is, for instance if both sides add the same
            // key
            let breaks = !is_yaml(&text) && [&sides.original, &sides.updated, &sides.local].into_iter().all(|side| is_yaml(side));
            prop_assert!(merged.conflicts == 0 || breaks || kind_differs, "{}", String::from_utf8_lossy(&merged.bytes));
        }
    }

    #[test]
    fn markers_of_a_structural_merge_can_be_resolved_either_way(sides in sides()) {
        let merged = resolved(&sides);
        let text = String::from_utf8(merged.bytes).unwrap();
        if merged.structural {
            prop_assert!(is_yaml(&chosen(&text, Part::Local)), "local: {text}");
            prop_assert!(is_yaml(&chosen(&text, Part::Updated)), "updated: {text}");
        }
    }

    #[test]
    fn a_comment_that_one_side_wrote_is_kept_or_in_a_conflict(sides in sides()) {
        let Triple { original, updated, local } = sides;
        // rules: a comment of a `? key` itself may be lost; a pin keeps theirs out
        let has_key_sign = original.lines().any(|line| line.trim_start().starts_with("? "));
        prop_assume!(!has_key_sign && !original.contains("merge3: keep"));
        let theirs = updated.replace("# written", "# sent");
        let comments = [(&local, "# written"), (&theirs, "# sent")].map(|(text, start)| {
            let lines = text.lines().map(|line| line.trim().to_owned());
            lines.filter(|line| line.starts_with(start)).collect::<Vec<_>>()
        });
        for (updated, local) in [(&theirs, &local), (&local, &theirs)] {
            let merged = resolved(&Triple::new(&original, updated, local).map(String::clone));
            let text = String::from_utf8(merged.bytes).unwrap();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let lost = comments.iter().flatten().find(|it| !lines.contains(&it.as_str()));
            prop_assert!(merged.conflicts > 0 || lost.is_none(), "{lost:?} of {original}\n{updated}\n{local}\n{text}");
        }
    }

    #[test]
    fn a_place_in_which_one_side_is_the_base_is_no_conflict(sides in sides()) {
        let merged = resolved_with_base(&sides);
        let text = String::from_utf8(merged.bytes).unwrap();
        for [local, base, updated] in conflicts(&text).iter().filter(|_| merged.structural) {
            prop_assert!(local != base && updated != base && local != updated, "{sides:#?}\n{text}");
        }
    }

    #[test]
    fn what_is_left_is_not_solved_by_reading_it_again(sides in sides()) {
        let merged = resolved_with_base(&sides);
        let text = String::from_utf8(merged.bytes).unwrap();
        let again = Triple::new(Part::Base, Part::Updated, Part::Local).map(|side| chosen(&text, side));
        let is_yaml = again.as_ref().into_array().into_iter().all(|side| is_yaml(side));
        // a repeated element may pair differently when a part of its list is merged (rules: Merging
        // again)
        let read = sides.as_ref().into_array().into_iter().chain(again.as_ref().into_array());
        let has_repeated_elements = read.into_iter().any(|side| has_repeated_elements(side));
        if merged.structural && merged.conflicts > 0 && is_yaml && !has_repeated_elements {
            let again = resolved_with_base(&again);
            let now = String::from_utf8_lossy(&again.bytes);
            prop_assert!(again.conflicts > 0, "left:\n{text}\nread again:\n{now}");
        }
    }
}
