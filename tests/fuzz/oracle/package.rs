//! Three small packages, to a run on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use merge3::error::Error;
use merge3::merge::{Lists, Nulls, OnConflict, Options};
use merge3::package::{Plan, Settings, plan};
use merge3::triple::Triple;
use merge3::yaml::{Tree, stream::split};
use tempfile::TempDir;

use super::again::{left_alone, pairs_anew, taken_for_deleted};
use super::{Verdict, ensure, input, same, values};
use crate::value::Value;

/// The names that a file can have.
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
/// More files than these take time and find nothing.
const MOST: usize = 12;

type Files = BTreeMap<&'static str, Vec<u8>>;

/// Whatever the packages: no panic, laws 1 to 4, a file that only local has stays, a local file
/// that is YAML comes out as YAML, and where there is an error, nothing is written.
///
/// # Errors
/// Says what of this does not hold.
pub fn check(bytes: &[u8]) -> Verdict {
    let Some((merge, resource, parts)) = input::read(bytes) else {
        return Ok(());
    };
    if parts.len() > MOST {
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
    let ran = run(sides.as_ref(), &settings)?;
    let Some(merged) = ran.merged else {
        return Ok(());
    };
    for (name, local) in &sides.local {
        let after = merged.files.get(*name);
        let has_markers = settings.merge.on_conflict == OnConflict::Markers && merged.conflicts > 0;
        let Some(after) = after.filter(|_| !has_markers) else {
            continue;
        };
        if is_yaml_name(name) && is_yaml(local) && !local.trim_ascii().is_empty() {
            // where one side is a template, the others count as templates as well (rules: Packages
            // and files)
            let of_sides = [&sides.original, &sides.updated].map(|files| files.get(name));
            let mut of_sides = of_sides.into_iter().flatten();
            let valid = is_yaml(after)
                || sides.original.get(name) == Some(local)
                || of_sides.any(|bytes| !is_yaml(bytes) && has_braces(bytes));
            ensure(valid, || {
                format!(
                    "{name} was YAML and is not: {:?}",
                    String::from_utf8_lossy(after)
                )
            })?;
        }
    }
    again(&sides, &settings, &merged)
}

fn has_braces(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == b"{{")
}

/// Laws 1, 2 and 3.
fn laws(sides: &Triple<Files>, settings: &Settings, plain: bool) -> Verdict {
    let Triple {
        original,
        updated,
        local,
    } = sides.as_ref();
    let expect = |what: &str, triple, settings: &Settings, expected: &Files| {
        let ran = run(triple, settings)?;
        let Some(merged) = ran.merged else {
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

/// Whether a resource has another path on the one side than on the other: then no file of it
/// fast-forwards as a whole.
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

/// Law 4.
fn again(sides: &Triple<Files>, settings: &Settings, merged: &Merged) -> Verdict {
    if settings.merge.lists == Lists::Merge
        || merged.conflicts > 0 && settings.merge.on_conflict == OnConflict::Markers
    {
        return Ok(());
    }
    let value = |bytes: Option<&Vec<u8>>| {
        values::of_file(std::str::from_utf8(bytes.map_or(&[][..], Vec::as_slice)).ok()?)
    };
    // what stands in a file that merges by lines is no resource on any side
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
    if taken_for_deleted(&values.original, &values.updated, &values.local)
        || left_alone(&values.original, &values.local, &after)
    {
        return Ok(());
    }
    for name in NAMES {
        let after = merged.files.get(name);
        // a file that came may lack a document that local has deleted
        let Some(before) = sides.local.get(name).or(after) else {
            continue;
        };
        let aligns_anew = || merged.conflicts > 0 || repeats(sides.original.get(name), after);
        let by_lines = merges_by_lines(name) && aligns_anew();
        let updated = sides.updated.get(name);
        let by_documents = || pairs_anew(value(Some(before)), value(after), value(updated));
        if by_lines || is_yaml_name(name) && by_documents() {
            return Ok(());
        }
    }
    let local: Files = NAMES
        .into_iter()
        .filter_map(|name| Some((name, merged.files.get(name)?.clone())))
        .collect();
    let ran = run(
        Triple {
            local: &local,
            ..sides.as_ref()
        },
        settings,
    )?;
    match ran.merged {
        Some(again) => same("law 4", shown(&again.files), shown(&merged.files)),
        None => Err(format!("law 4: merged again it is refused: {}", ran.error)),
    }
}

/// Whether a line of the original stands more often in the merged text: the next merge may take
/// another one for it.
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
    original.any(|(line, count)| merged.get(&line).is_some_and(|it| *it > count))
}

/// Each part is a file: two bytes say which sides have it and what it is called, the rest is what
/// is in it.
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

/// What came of a run: a package, or an error.
struct Ran {
    merged: Option<Merged>,
    error: String,
}

fn run(sides: Triple<&Files>, settings: &Settings) -> Result<Ran, String> {
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
        Ok(conflicts) => Ok(Ran {
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
                "written in spite of an error",
                shown(&files),
                shown(&before),
            )?;
            Ok(Ran {
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
