//! Law 8 for files: the text around the documents (comments, blank lines, `---` lines) merges as
//! git merges lines, even if git's merge of the whole file would conflict.

use crate::comments::with_git::git;
use merge3::Options;
use merge3::triple::Triple;
use proptest::prelude::*;
use proptest::sample::{Index, select};

type Lines = Vec<String>;

/// Comment and blank lines. The comments get numbers, so that no two are equal.
fn gap() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.7), 0..4)
}

/// The lines of a document, possibly none.
fn document() -> impl Strategy<Value = &'static str> {
    let resource = "apiVersion: v1|kind: Kind|metadata:|  name: NAME|size: 1|color: red|end: 3";
    select(vec![
        resource,
        resource,
        "a: 1|color: red|end: 3",
        "{}",
        "text",
        "",
    ])
}

/// A file of several documents with comments around them.
fn file() -> impl Strategy<Value = Lines> {
    let documents = prop::collection::vec((gap(), any::<bool>(), gap(), document()), 1..4);
    (documents, any::<bool>(), gap()).prop_map(|(documents, ends_in_marker, end)| {
        let mut lines = Lines::new();
        for (index, (above, is_marked, below, document)) in documents.into_iter().enumerate() {
            push_gap(&mut lines, &above);
            if index > 0 || is_marked {
                lines.push("---".to_owned());
                push_gap(&mut lines, &below);
            }
            let name = format!("name-{index}");
            let document = document.split('|').filter(|line| !line.is_empty());
            lines.extend(document.map(|line| line.replace("NAME", &name)));
        }
        if ends_in_marker {
            lines.push("---".to_owned());
        }
        push_gap(&mut lines, &end);
        lines
    })
}

fn push_gap(lines: &mut Lines, gap: &[bool]) {
    for is_comment in gap {
        lines.push(match is_comment {
            true => format!("# comment {}", lines.len()),
            false => String::new(),
        });
    }
}

/// A change that upstream makes to a line.
#[derive(Debug, Clone)]
enum Edit {
    AddComment(Index),
    AddBlank(Index),
    Remove(Index),
    Change(Index),
    FirstMarker,
    LastMarker,
    Value(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        2 => any::<Index>().prop_map(Edit::AddComment),
        1 => any::<Index>().prop_map(Edit::AddBlank),
        2 => any::<Index>().prop_map(Edit::Remove),
        2 => any::<Index>().prop_map(Edit::Change),
        1 => Just(Edit::FirstMarker),
        1 => Just(Edit::LastMarker),
        1 => any::<Index>().prop_map(Edit::Value),
    ]
}

fn is_around(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

/// Returns the indexes of the lines for which `matches` is true.
fn places(lines: &Lines, matches: impl Fn(&str) -> bool) -> Vec<usize> {
    let lines = lines.iter().enumerate();
    lines
        .filter(|(_, line)| matches(line))
        .map(|(at, _)| at)
        .collect()
}

fn chosen(places: &[usize], index: &Index) -> Option<usize> {
    (!places.is_empty()).then(|| places[index.index(places.len())])
}

fn apply(lines: &mut Lines, edit: &Edit) {
    let is_marker = |line: Option<&String>| line.is_some_and(|line| line == "---");
    match edit {
        Edit::AddComment(at) => {
            lines.insert(at.index(lines.len() + 1), "# from upstream".to_owned());
        }
        Edit::AddBlank(at) => lines.insert(at.index(lines.len() + 1), String::new()),
        Edit::Remove(at) => {
            if let Some(at) = chosen(&places(lines, is_around), at) {
                lines.remove(at);
            }
        }
        Edit::Change(at) => {
            if let Some(at) = chosen(&places(lines, |line| line.starts_with('#')), at) {
                lines[at].push_str(", changed");
            }
        }
        Edit::FirstMarker if is_marker(lines.first()) => drop(lines.remove(0)),
        Edit::FirstMarker => lines.insert(0, "---".to_owned()),
        Edit::LastMarker if is_marker(lines.last()) => drop(lines.pop()),
        Edit::LastMarker => lines.push("---".to_owned()),
        Edit::Value(at) => {
            if let Some(at) = chosen(&places(lines, |line| line.starts_with("end:")), at) {
                lines[at] = "end: 4".to_owned();
            }
        }
    }
}

/// Returns the lines with a value changed by local, or None if there is no value.
fn with_local_value(mut lines: Lines, at: &Index) -> Option<Lines> {
    let values = places(&lines, |line| line.starts_with("color:") || line == "text");
    let at = chosen(&values, at)?;
    lines[at].push_str(" and blue");
    Some(lines)
}

/// Returns the lines with a trailing space on each line that has a value, which makes git's line
/// merge conflict.
fn spaced(lines: &Lines) -> Lines {
    let with_space = |line: &String| match is_around(line) || line == "---" || line.ends_with(':') {
        true => line.clone(),
        false => format!("{line} "),
    };
    lines.iter().map(with_space).collect()
}

fn text(lines: &Lines) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn merged(original: &Lines, updated: &Lines, local: &Lines) -> Result<String, TestCaseError> {
    let [original, updated, local] = [original, updated, local].map(text);
    let merged = merge3::merge(&original, &updated, &local, &Options::default());
    let merged = merged.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(merged.conflicts, vec![]);
    Ok(merged.text)
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_8_around_documents(
        original in file(),
        edits in prop::collection::vec(edit(), 1..3),
        own in any::<Index>(),
    ) {
        let mut updated = original.clone();
        edits.iter().for_each(|edit| apply(&mut updated, edit));
        let Some(local) = with_local_value(original.clone(), &own) else {
            return Ok(());
        };
        let texts = Triple::new(text(&original), text(&updated), text(&local));
        let folder = tempfile::tempdir().unwrap();
        let Some(wanted) = git(texts.as_ref().map(String::as_str), folder.path()) else {
            return Ok(());
        };
        prop_assert_eq!(&merged(&original, &updated, &local)?, &wanted);
        let again = wanted.lines().map(str::to_owned).collect();
        prop_assert_eq!(&merged(&original, &updated, &again)?, &wanted, "again");
        let spaced = merged(&original, &updated, &spaced(&local))?;
        let spaced: Lines = spaced.lines().map(|line| line.trim_end().to_owned()).collect();
        prop_assert_eq!(text(&spaced), wanted, "spaced");
    }
}
