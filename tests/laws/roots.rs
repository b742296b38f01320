//! Laws 4 and 9 for the comments around the value of a document, if this is of another kind on one
//! side: a map, a list, `{}`, a scalar.

use std::collections::HashMap;

use merge3::{MergedFile, Options};
use proptest::prelude::*;
use proptest::sample::select;

/// A file of one document.
#[derive(Debug, Clone)]
struct File {
    above: &'static str,
    value: &'static str,
    below: &'static str,
}

const ABOVE: [&str; 7] = [
    "",
    "# head 1\n",
    "# head 2\n",
    "# head 1\n\n",
    "# head 2\n\n",
    "# head 1\n# head 2\n",
    "\n",
];
const MAPS: [&str; 3] = ["a: 1\n", "a: 1 # in\nb: 2\n", "a:\n  b: 1\n  # deep\n"];
const LISTS: [&str; 2] = ["- 1\n", "- k: 1\n  l: 2\n- k: 2\n"];
const OTHERS: [&str; 6] = [
    "{}\n",
    "[]\n",
    "{a: 1}\n",
    "text\n",
    "null\n",
    "\"text # x\"\n",
];
const BELOW: [&str; 5] = ["", "# end 1\n", "# end 2\n", "\n# end 1\n", "\n# end 2\n"];

fn value() -> impl Strategy<Value = &'static str> {
    prop_oneof![select(&MAPS[..]), select(&LISTS[..]), select(&OTHERS[..])]
}

fn file() -> impl Strategy<Value = File> {
    let parts = (select(&ABOVE[..]), value(), select(&BELOW[..]));
    parts.prop_map(|(above, value, below)| File {
        above,
        value,
        below,
    })
}

/// A version of `original` in which some of the parts are others.
fn changed(original: File) -> impl Strategy<Value = File> {
    let keeps = (
        prop::bool::weighted(0.6),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.6),
    );
    (file(), keeps).prop_map(move |(new, keeps)| File {
        above: if keeps.0 { original.above } else { new.above },
        value: if keeps.1 { original.value } else { new.value },
        below: if keeps.2 { original.below } else { new.below },
    })
}

/// The original, updated and local version of a file.
fn versions() -> impl Strategy<Value = [File; 3]> {
    file().prop_flat_map(|original| {
        let changed = (changed(original.clone()), changed(original.clone()));
        changed.prop_map(move |(updated, local)| [original.clone(), updated, local])
    })
}

/// Returns true if the comments around the values are in the rows of the entries: all are block
/// maps or all are block lists.
fn have_rows(files: &[File; 3]) -> bool {
    let all = |kind: &[&str]| files.iter().all(|file| kind.contains(&file.value));
    all(&MAPS) || all(&LISTS)
}

/// Returns how often each comment line is outside of the value, which has no comment in the first
/// column.
fn comments(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for line in text.lines().filter(|line| line.starts_with('#')) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

fn merged(original: &str, updated: &str, local: &str) -> Result<MergedFile, TestCaseError> {
    let merged = merge3::merge(original, updated, local, &Options::default());
    merged.map_err(|error| TestCaseError::fail(error.to_string()))
}

proptest! {
    #![proptest_config(crate::config(4000))]

    #[test]
    fn law_9_around_values_of_different_kinds(
        marker in select(&["", "---\n"][..]),
        files in versions(),
    ) {
        if have_rows(&files) {
            return Ok(());
        }
        let [original, updated, local] =
            files.map(|it| [marker, it.above, it.value, it.below].concat());
        let first = merged(&original, &updated, &local)?;
        let again = merged(&original, &updated, &first.text)?;
        prop_assert_eq!(&again.text, &first.text, "again");
        let [before, theirs, ours, after] =
            [&original, &updated, &local, &first.text].map(|text| comments(text));
        let count = |of: &HashMap<&str, usize>, line| of.get(line).copied().unwrap_or(0);
        let lines = before.keys().chain(theirs.keys()).chain(ours.keys());
        for line in lines {
            let [before, theirs, ours, after] =
                [&before, &theirs, &ours, &after].map(|of| count(of, line));
            prop_assert!(after <= theirs.max(ours), "{line} comes too often:\n{}", first.text);
            let expected = match theirs == before {
                true => ours,
                false => theirs,
            };
            let is_changed_by_both = theirs != before && ours != before;
            prop_assert!(
                after == expected || is_changed_by_both || !first.conflicts.is_empty(),
                "{line}: {after} times instead of {expected}:\n{}",
                first.text
            );
        }
    }
}
