//! Checks the merge of three small packages on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use merge3::error::Error;
use merge3::merge::{Lists, Nulls, OnConflict, Options};
use merge3::package::{Plan, Settings, plan};
use merge3::triple::Triple;
use merge3::yaml::{Tree, stream::split};
use tempfile::TempDir;

use super::again::{
    becomes_unique, has_repeated_elements, may_pair_differently, may_pair_with_deleted,
};
use super::{Verdict, ensure, input, same, values};
use crate::value::Value;

/// The names that files can have.
const NAMES: [&str; 12] = [
    "a.yaml",
    "b.yaml",
    "c/a.yaml",
    "c/d/e.yml",
    "Kptfile",
    "c.json",
    "README.md",
    "c",
    "templates/t.yaml",
    ".krmignore",
    ".merge3.yaml",
    "kustomization.yaml",
];
/// The most parts of an input. More files take time without finding more errors.
const MAX_PARTS: usize = 12;

type Files = BTreeMap<&'static str, Vec<u8>>;

/// Checks that no packages cause a panic, that laws 1 to 4 hold, that a file that only local has
/// stays, that local YAML stays YAML if the other sides are YAML, and that nothing is written if
/// there is an error.
///
/// # Errors
///
/// Names the property that does not hold.
pub fn check(bytes: &[u8]) -> Verdict {
    let Some((merge, resource, parts)) = input::read(bytes) else {
        return Ok(());
    };
    if parts.len() > MAX_PARTS {
        return Ok(());
    }
    let sides = packages(&parts);
    let settings = Settings {
        merge,
        path_merge_key: resource,
        ..Settings::default()
    };
    let special = |name| {
        sides
            .as_ref()
            .into_array()
            .iter()
            .any(|files: &&Files| files.contains_key(name))
    };
    let plain = !special(".krmignore") && !special(".merge3.yaml");
    laws(&sides, &settings, plain)?;
    let result = run(sides.as_ref(), &settings)?;
    let Some(merged) = result.merged else {
        return Ok(());
    };
    for (name, local) in &sides.local {
        let after = merged.files.get(*name);
        let has_markers = settings.merge.on_conflict == OnConflict::Markers && merged.conflicts > 0;
        let Some(after) = after.filter(|_| !has_markers) else {
            continue;
        };
        if is_yaml_name(name) && is_yaml(local) && !local.trim_ascii().is_empty() {
            // a template or a file with a key twice merges by lines (rules: Packages and files)
            let of_sides = [&sides.original, &sides.updated].map(|files| files.get(name));
            let mut of_sides = of_sides.into_iter().flatten();
            let valid = is_yaml(after)
                || sides.original.get(name) == Some(local)
                || of_sides.any(|bytes| !is_yaml(bytes));
            ensure(valid, || {
                format!(
                    "{name} was YAML and is no longer: {:?}",
                    String::from_utf8_lossy(after)
                )
            })?;
        }
    }
    again(&sides, &settings, &merged)
}

/// Checks laws 1, 2 and 3.
fn laws(sides: &Triple<Files>, settings: &Settings, plain: bool) -> Verdict {
    let Triple {
        original,
        updated,
        local,
    } = sides.as_ref();
    let expect = |what: &str, triple, settings: &Settings, expected: &Files| {
        let result = run(triple, settings)?;
        let Some(merged) = result.merged else {
            return Ok(());
        };
        let expected: BTreeMap<String, Vec<u8>> = expected
            .iter()
            .map(|(name, bytes)| ((*name).to_owned(), bytes.clone()))
            .collect();
        same(what, shown(&merged.files), shown(&expected))?;
        same(&format!("{what}, conflicts"), merged.conflicts, 0)
    };
    expect(
        "law 1",
        Triple::new(original, original, local),
        settings,
        local,
    )?;
    expect(
        "law 3",
        Triple::new(original, updated, updated),
        settings,
        updated,
    )?;
    let pins = |files: &Files| {
        files
            .values()
            .any(|bytes| String::from_utf8_lossy(bytes).contains("merge3:"))
    };
    if plain && !pins(original) && !moves(original, updated) {
        let merge = Options {
            nulls: Some(Nulls::Keep),
            ..settings.merge.clone()
        };
        let settings = Settings {
            merge,
            ..settings.clone()
        };
        expect(
            "law 2",
            Triple::new(original, updated, original),
            &settings,
            updated,
        )?;
    }
    Ok(())
}

/// Whether a resource has different paths in the original and in updated: then its files do not
/// become upstream's as a whole.
fn moves(original: &Files, updated: &Files) -> bool {
    let named = |files: &Files| -> Vec<(&str, String)> {
        let of = |(name, bytes): (&&'static str, &Vec<u8>)| {
            let value = values::of_file(std::str::from_utf8(bytes).ok()?)?;
            let names = value.elements().iter().filter_map(|document| {
                let metadata = document.field("metadata")?;
                let called = metadata.field("name").or(metadata.field("generateName"))?;
                Some((*name, format!("{:?} {called:?}", document.field("kind")?)))
            });
            Some(names.collect::<Vec<_>>())
        };
        files.iter().filter_map(of).flatten().collect()
    };
    let (old, new) = (named(original), named(updated));
    old.iter()
        .any(|(path, name)| new.iter().any(|(other, it)| it == name && other != path))
}

/// Checks law 4.
fn again(sides: &Triple<Files>, settings: &Settings, merged: &Merged) -> Verdict {
    if settings.merge.lists == Lists::Merge
        || merged.conflicts > 0 && settings.merge.on_conflict == OnConflict::Markers
    {
        return Ok(());
    }
    let value = |bytes: Option<&Vec<u8>>| {
        values::of_file(std::str::from_utf8(bytes.map_or(&[][..], Vec::as_slice)).ok()?)
    };
    // a file that merges by lines has no resources on any side
    let merges_by_lines = |name: &str| {
        let three = sides.as_ref().into_array().map(|files| files.get(name));
        let is_other = |bytes: &&Vec<u8>| !is_yaml(bytes);
        !is_yaml_name(name)
            || three.iter().any(|it| value(*it).is_none())
            || three.iter().flatten().any(is_other)
    };
    let values = sides.as_ref().map(|files| -> Vec<Value> {
        let yaml = files.iter().filter(|(name, _)| !merges_by_lines(name));
        yaml.filter_map(|(_, bytes)| value(Some(bytes))).collect()
    });
    let after: Vec<Value> = merged
        .files
        .iter()
        .filter(|(name, _)| !merges_by_lines(name))
        .filter_map(|(_, bytes)| value(Some(bytes)))
        .collect();
    if may_pair_with_deleted(&values.original, &values.updated, &values.local)
        || becomes_unique(&values.original, &values.local, &after)
        || values
            .original
            .iter()
            .flat_map(Value::elements)
            .any(has_repeated_elements)
    {
        return Ok(());
    }
    for name in NAMES {
        let after = merged.files.get(name);
        // a file that upstream added may lack a document that local deleted
        let Some(before) = sides.local.get(name).or(after) else {
            continue;
        };
        let aligns_anew = || merged.conflicts > 0 || repeats(sides.original.get(name), after);
        let by_lines = merges_by_lines(name) && aligns_anew();
        let updated = sides.updated.get(name);
        let by_documents =
            || may_pair_differently(value(Some(before)), value(after), value(updated));
        if by_lines || is_yaml_name(name) && by_documents() {
            return Ok(());
        }
    }
    let local: Files = NAMES
        .into_iter()
        .filter_map(|name| Some((name, merged.files.get(name)?.clone())))
        .collect();
    let result = run(
        Triple {
            local: &local,
            ..sides.as_ref()
        },
        settings,
    )?;
    match result.merged {
        Some(again) => same("law 4", shown(&again.files), shown(&merged.files)),
        None => Err(format!(
            "law 4: the second merge is refused: {}",
            result.error
        )),
    }
}

/// Whether the merged text has a line that the original repeats, or one more often than the
/// original: the next merge may align it with another occurrence.
fn repeats(original: Option<&Vec<u8>>, merged: Option<&Vec<u8>>) -> bool {
    let lines = |bytes: Option<&Vec<u8>>| {
        let text = String::from_utf8_lossy(bytes.map_or(&[][..], Vec::as_slice)).into_owned();
        let mut counts = BTreeMap::<String, usize>::new();
        for line in text.lines() {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        counts
    };
    let merged = lines(merged);
    let mut original = lines(original).into_iter();
    original.any(|(line, count)| {
        let merged = merged.get(&line);
        merged.is_some_and(|merged| count > 1 || *merged > count)
    })
}

/// Decodes the files from the parts: two bytes choose the sides and the name, the rest is the
/// content.
fn packages(parts: &[&[u8]]) -> Triple<Files> {
    let mut sides: Triple<Files> = Triple::default();
    for part in parts {
        let [which, name, bytes @ ..] = part else {
            continue;
        };
        let name = NAMES[usize::from(*name) % NAMES.len()];
        let sides = [&mut sides.original, &mut sides.updated, &mut sides.local];
        for (bit, files) in sides.into_iter().enumerate() {
            let is_folder = name == "c" && files.keys().any(|other| other.starts_with("c/"));
            let is_file = name.starts_with("c/") && files.contains_key("c");
            if which >> bit & 1 == 1 && !is_folder && !is_file {
                files.insert(name, bytes.to_vec());
            }
        }
    }
    sides
}

struct Merged {
    files: BTreeMap<String, Vec<u8>>,
    conflicts: usize,
}

/// The result of a run: a package or an error.
struct RunResult {
    merged: Option<Merged>,
    error: String,
}

fn run(sides: Triple<&Files>, settings: &Settings) -> Result<RunResult, String> {
    let io = |error: std::io::Error| format!("the disk: {error}");
    let folder = TempDir::new().map_err(io)?;
    let paths = Triple::new("original", "updated", "local").map(|name| folder.path().join(name));
    for (path, files) in paths.as_ref().zip(sides).into_array() {
        write_all(path, files).map_err(io)?;
    }
    let done = plan(&paths, settings).and_then(|plan: Plan| {
        let refused = settings.merge.on_conflict == OnConflict::Fail && !plan.conflicts.is_empty();
        if !refused {
            plan.write(false)?;
        }
        Ok(plan.conflicts.len())
    });
    let mut files = BTreeMap::new();
    read_all(&paths.local, "", &mut files).map_err(io)?;
    match done {
        Ok(conflicts) => Ok(RunResult {
            merged: Some(Merged { files, conflicts }),
            error: String::new(),
        }),
        Err(error) => {
            let message = error.render(false);
            ensure(!is_defect(&error), || format!("law 6: {message}"))?;
            let before: BTreeMap<String, Vec<u8>> = sides
                .local
                .iter()
                .map(|(name, bytes)| ((*name).to_owned(), bytes.clone()))
                .collect();
            same(
                "files written in spite of an error",
                shown(&files),
                shown(&before),
            )?;
            Ok(RunResult {
                merged: None,
                error: message,
            })
        }
    }
}

fn is_defect(error: &Error) -> bool {
    match error {
        Error::Verification { .. } => true,
        Error::Several(errors) => errors.iter().any(is_defect),
        _ => false,
    }
}

fn is_yaml_name(name: &str) -> bool {
    name == "Kptfile"
        || [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end))
}

fn is_yaml(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes);
    text.is_ok_and(|text| {
        split(text)
            .iter()
            .all(|document| Tree::parse(document.text).is_ok())
    })
}

fn shown(files: &BTreeMap<String, Vec<u8>>) -> Vec<(&String, String)> {
    files
        .iter()
        .map(|(name, bytes)| (name, String::from_utf8_lossy(bytes).into_owned()))
        .collect()
}

fn write_all(root: &Path, files: &Files) -> std::io::Result<()> {
    fs::create_dir(root)?;
    for (name, bytes) in files {
        let path = root.join(name);
        if let Some(folder) = path.parent().filter(|_| name.contains('/')) {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}

fn read_all(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_all(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(())
}
