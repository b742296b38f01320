//! The laws of files and packages.

use crate::generate::package::{Packages, packages};
use crate::pairing::{self, Resource};
use crate::reference::{self, Lists, changes_key};
use crate::shown::Depth;
use crate::value::{Value, load};
use merge3::merge::{Nulls, Options};
use merge3::package::{Settings, plan};
use merge3::triple::Triple;
use merge3::yaml::stream::head;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

pub type Files = BTreeMap<String, String>;

/// Law 2 does not hold for nulls that delete fields, so nulls are values here.
fn settings() -> Settings {
    let merge = Options {
        nulls: Some(Nulls::Keep),
        ..Options::default()
    };
    Settings {
        merge,
        ..Settings::default()
    }
}

fn owned(files: &BTreeMap<&'static str, String>) -> Files {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), text.clone()))
        .collect()
}

/// Merges three packages on the disk.
pub fn merge(sides: Triple<&Files>) -> Result<(Files, usize), TestCaseError> {
    let failed = |error: &dyn std::fmt::Debug| TestCaseError::fail(format!("{error:?}"));
    let folder = TempDir::new().map_err(|error| failed(&error))?;
    let names = Triple::new("original", "updated", "local");
    let paths = names.map(|name| folder.path().join(name));
    for (path, files) in paths.as_ref().zip(sides).into_array() {
        write_all(path, files).map_err(|error| failed(&error))?;
    }
    let plan = plan(&paths, &settings()).map_err(|error| failed(&error))?;
    plan.write(false).map_err(|error| failed(&error))?;
    let mut merged = Files::new();
    read_all(&paths.local, "", &mut merged).map_err(|error| failed(&error))?;
    Ok((merged, plan.conflicts.len()))
}

fn write_all(root: &Path, files: &Files) -> std::io::Result<()> {
    std::fs::create_dir_all(root)?;
    for (name, text) in files {
        let path = root.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn read_all(folder: &Path, prefix: &str, files: &mut Files) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_all(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, std::fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}

/// Returns the reference merge of a document that each side may have or not.
fn reference_of(values: &Triple<Option<Value>>) -> reference::Outcome {
    let settings = reference::Settings {
        null_deletes: false,
        lists: Lists::Merge,
        texts_replace: false,
        local_wins: false,
        keys: Vec::new(),
    };
    reference::merge(values.as_ref().map(Option::as_ref), &settings)
}

/// Returns the values of a resource on each side.
fn values_of(sides: &Resource<'_>) -> Triple<Option<Value>> {
    sides.map(|side| side.map(|it| it.doc.value()))
}

/// Returns what the table in the rules (Documents) says about a resource. `deleted_files`
/// are the files that local deleted.
fn expected(sides: &Resource<'_>, deleted_files: &[&str]) -> Option<Value> {
    let values = values_of(sides);
    match (sides.original, sides.updated, sides.local) {
        (_, Some(_), Some(_)) => reference_of(&values).value,
        (None, Some(new), None) if deleted_files.contains(&new.file) => None,
        (None, Some(_), None) => values.updated,
        (None, None, Some(_)) => values.local,
        // under another name it may be local's own resource
        (Some(original), None, Some(local)) if original.name() != local.name() => values.local,
        (Some(_), _, _) => None,
        (None, None, None) => None,
    }
}

/// Returns the resources of the files, sorted.
fn resources_in(files: &Files) -> Result<Vec<Value>, TestCaseError> {
    let documents = documents_in(files)?.into_values();
    let mut found: Vec<Value> = documents.filter(|it| name_of(it).is_some()).collect();
    found.sort_by_key(name_of);
    Ok(found)
}

/// Returns all documents: resources by name, a document that is no resource by its file.
fn documents_in(files: &Files) -> Result<BTreeMap<String, Value>, TestCaseError> {
    let mut found = BTreeMap::new();
    for (file, text) in files {
        let documents = load::documents(text)
            .map_err(|error| TestCaseError::fail(format!("{file}: {error}\n{text}")))?;
        found.extend(documents.into_iter().map(|document| {
            let name = name_of(&document).unwrap_or_else(|| file.clone());
            (name, document)
        }));
    }
    Ok(found)
}

fn name_of(document: &Value) -> Option<String> {
    document.field("kind")?;
    let text = |field: &str| match document.field("metadata")?.field(field)? {
        Value::Scalar { text, .. } => Some(text.clone()),
        _ => None,
    };
    let name = text("name")?;
    Some(text("namespace").map_or_else(|| name.clone(), |namespace| format!("{namespace}/{name}")))
}

fn files(packages: &Packages) -> Triple<Files> {
    packages.texts.as_ref().map(owned)
}

proptest! {
    #![proptest_config(crate::config(2000))]

    #[test]
    fn law_1_nothing_upstream_nothing_done(packages in packages(true)) {
        let files = files(&packages);
        let (merged, conflicts) = merge(Triple { updated: &files.original, ..files.as_ref() })?;
        prop_assert_eq!(&merged, &files.local);
        prop_assert_eq!(conflicts, 0);
    }

    #[test]
    fn law_2_files_fast_forward(packages in packages(false)) {
        let files = files(&packages);
        let (merged, conflicts) = merge(Triple { local: &files.original, ..files.as_ref() })?;
        prop_assert_eq!(&merged, &files.updated);
        prop_assert_eq!(conflicts, 0);
    }

    #[test]
    fn law_3_already_there(packages in packages(true)) {
        let files = files(&packages);
        let (merged, conflicts) = merge(Triple { local: &files.updated, ..files.as_ref() })?;
        prop_assert_eq!(&merged, &files.updated);
        prop_assert_eq!(conflicts, 0);
    }
}

/// Whether a comment in the head of a file is in a document of another side (original's head and
/// local's document, or local's head and updated's document). If that document becomes the first
/// one, or stops being it, the line has two possible sources.
fn repeats_the_head(files: &Triple<Files>) -> bool {
    let repeats = |above: &Files, below: &Files| {
        above.iter().any(|(name, above)| {
            let is_in_head = |line: &str| {
                let above = head(above).trim_start_matches('\u{feff}');
                above.lines().any(|other| other.trim() == line)
            };
            let below = below.get(name).map_or("", String::as_str);
            let lines = below[head(below).len()..].lines().map(str::trim);
            lines.filter(|line| line.starts_with('#')).any(is_in_head)
        })
    };
    repeats(&files.original, &files.local) || repeats(&files.local, &files.updated)
}

/// Law 4: a second merge changes nothing.
pub fn is_idempotent(packages: &Packages) -> Result<(), TestCaseError> {
    let files = files(packages);
    if pairing::has_old_and_new_name(&packages.documents) || repeats_the_head(&files) {
        return Ok(());
    }
    let (merged, _) = merge(files.as_ref())?;
    let (before, after) = (documents_in(&files.local)?, documents_in(&merged)?);
    let changes_key = |(name, before)| {
        let after = after.get(name);
        after.is_some_and(|after| changes_key(before, after, Lists::Merge))
    };
    let originals = documents_in(&files.original)?;
    let updateds = documents_in(&files.updated)?;
    let repeats = |(name, local): (&String, &Value)| {
        let sides = Triple::new(originals.get(name), updateds.get(name), Some(local));
        reference_of(&sides.map(Option::<&Value>::cloned)).repeats
    };
    let resources = pairing::resources(&packages.documents);
    let renamed_repeats = |it| reference_of(&values_of(it)).repeats;
    if before.iter().any(changes_key)
        || before.iter().any(repeats)
        || resources.iter().any(renamed_repeats)
    {
        return Ok(());
    }
    let (again, _) = merge(Triple {
        local: &merged,
        ..files.as_ref()
    })?;
    let whole = |files: &Files| files.values().cloned().collect::<String>();
    let depth = Depth::of(&whole(&files.original), &whole(&files.updated));
    let lines = |files: &Files| format!("{files:?}").replace("\\n", "\n");
    let (again, merged) = (lines(&again), lines(&merged));
    prop_assert_eq!(depth.lines(&again), depth.lines(&merged));
    Ok(())
}

proptest! {
    #![proptest_config(crate::config_of_packages(2000))]

    #[test]
    fn law_4_idempotent(packages in packages(true)) {
        is_idempotent(&packages)?;
    }

    #[test]
    fn law_6_sound(packages in packages(true)) {
        let (merged, _) = merge(files(&packages).as_ref())?;
        let resources = pairing::resources(&packages.documents);
        if resources.iter().any(|it| reference_of(&values_of(it)).ambiguous) {
            return Ok(());
        }
        let deleted_files = pairing::deleted_files(&packages.documents, &resources);
        let mut wanted: Vec<Value> = resources.iter().filter_map(|it| expected(it, &deleted_files)).collect();
        wanted.sort_by_key(name_of);
        prop_assert_eq!(resources_in(&merged)?, wanted, "merged: {:#?}", merged);
    }
}
