//! A file with resources that a side renamed as a whole merges as if no side had renamed it
//! (rules: Renamed resources).

use crate::generate::package::{Doc, Packages, packages};
use crate::packages::{Files, merge};
use merge3::triple::{Side, Triple};
use merge3::yaml::stream::head;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;

const OLD: &str = "a.yaml";
const NEW: &str = "renamed/a.yaml";

type Names<'p> = BTreeSet<Option<&'p str>>;

fn names(documents: &[Doc]) -> Names<'_> {
    documents.iter().map(|it| it.name.as_deref()).collect()
}

/// Returns the texts of a file that all sides have, with the names of its documents.
fn file(packages: &Packages) -> Option<Triple<(&String, Names<'_>)>> {
    let sides = packages.texts.as_ref().zip(packages.documents.as_ref());
    let of_file = |name: &str| {
        let files =
            sides.map(|(texts, documents)| Some((texts.get(name)?, names(&documents[name]))));
        files.transpose()
    };
    sides.original.0.keys().find_map(|name| of_file(name))
}

/// Whether the merge can know that the sides in `renamed` renamed the file.
fn is_rename(sides: &Triple<(&String, Names<'_>)>, renamed: &[Side]) -> bool {
    let names = sides.as_ref().map(|(_, names)| names);
    let is_shared = |name: &&Option<&str>| {
        name.is_some() && names.original.contains(*name) && names.local.contains(*name)
    };
    let has_shared = names.updated.iter().any(|it| is_shared(&it));
    match renamed {
        // a new document of upstream's comes at the path that it has upstream
        [Side::Local] => names.updated.iter().all(|it| is_shared(&it)) && has_shared,
        // the file of a fork that has documents of its own keeps its head
        [_, _] => has_shared && !head(sides.updated.0).is_empty(),
        _ => has_shared,
    }
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn a_renamed_file_merges_as_at_its_old_path(
        packages in packages(true),
        renamed in select(vec![
            vec![Side::Updated],
            vec![Side::Local],
            vec![Side::Updated, Side::Local],
        ]),
    ) {
        let Some(sides) = file(&packages).filter(|sides| is_rename(sides, &renamed)) else {
            return Ok(());
        };
        let at = |path: &str, text: &str| Files::from([(path.to_owned(), text.to_owned())]);
        let unmoved = sides.as_ref().map(|(text, _)| at(OLD, text));
        let moved = Side::ALL.map(|side| {
            let path = if renamed.contains(&side) { NEW } else { OLD };
            at(path, sides[side].0)
        });
        let (expected, conflicts) = merge(unmoved.as_ref())?;
        let (merged, found) = merge(moved.as_ref())?;
        let expected = Files::from_iter(expected.into_values().map(|text| (NEW.to_owned(), text)));
        prop_assert_eq!(merged, expected);
        prop_assert_eq!(found, conflicts);
    }
}
