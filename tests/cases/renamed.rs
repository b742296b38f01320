//! A file that one side renamed merges as if it had kept its path (rules: Renamed files).

use std::collections::HashMap;

use crate::case::{Case, Side};
use crate::folder::Folder;
use crate::{finish, on_every_merge};

#[test]
fn a_file_that_upstream_renamed_gets_what_local_changed() {
    on_every_merge(|case| renamed(case, |at| ["a.yaml", at, "a.yaml", at]));
}

#[test]
fn a_file_that_local_renamed_gets_what_upstream_changed() {
    on_every_merge(|case| renamed(case, |at| ["a.yaml", "a.yaml", at, at]));
}

#[test]
fn a_file_that_both_renamed_stays_where_local_has_it() {
    on_every_merge(|case| renamed(case, |at| ["a.yaml", "b.yaml", at, at]));
}

/// Merges a case of one file without resources that is mostly the same on all sides. `paths`
/// returns the paths of the original, updated, local and expected file.
fn renamed(case: &Case, paths: fn(&'static str) -> [&'static str; 4]) -> Result<(), String> {
    let sides = [Side::Original, Side::Updated, Side::Local, Side::Expected];
    let folders = sides.map(|side| case.folder(side));
    let files: Vec<(&str, &str)> = folders.iter().filter_map(Folder::only_file).collect();
    let [(path, original), (_, updated), (_, local), (_, expected)] = files[..] else {
        return Ok(());
    };
    let is_resource = |text: &str| text.contains("kind") || text.contains("merge3:");
    let fits = case.arguments.is_empty()
        && case.status == 0
        && path.ends_with(".yaml")
        && files
            .iter()
            .all(|file| file.0 == path && !is_resource(file.1))
        && original != local
        && is_mostly(original, updated)
        && is_mostly(original, local);
    if !fits {
        return Ok(());
    }
    let [o, u, l, e] = paths("sub/renamed.yaml");
    let of = |path, text| Folder::of(&[(path, text)]);
    let run = case.run_with([of(o, original), of(u, updated), of(l, local)])?;
    let problems = run.result.difference(&of(e, expected));
    finish(problems, &run)
}

/// Whether more than half of the bytes of two texts are in lines that they share.
fn is_mostly(one: &str, other: &str) -> bool {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in other.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let mut common = 0;
    for line in one.lines() {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common += line.len();
        }
    }
    common * 10 > one.len().max(other.len()) * 6
}
