//! Pairs the documents of three packages and decides which of upstream's documents come, from the
//! rules (Documents), to compare with the program (law 6). It works without text and shares no code
//! with `src/package`.

use crate::generate::package::{Doc, Package};
use crate::value::Value;
use merge3::triple::Triple;
use std::collections::BTreeMap;

/// A named document with its position: its file and its index in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed<'d> {
    pub file: &'d str,
    index: usize,
    pub doc: &'d Doc,
}

/// A resource, on each side that has it.
pub type Resource<'d> = Triple<Option<Placed<'d>>>;

impl Placed<'_> {
    fn full_name(&self) -> &str {
        self.doc.name.as_deref().unwrap_or_default()
    }

    /// Returns the name without the namespace.
    pub fn name(&self) -> &str {
        let name = self.full_name();
        name.split_once('/').map_or(name, |(_, name)| name)
    }
}

/// Returns the resources of three packages in which no side has two resources of one identity. All
/// resources are of one kind.
pub fn resources(packages: &Triple<Package>) -> Vec<Resource<'_>> {
    let mut by_name: BTreeMap<&str, Resource<'_>> = BTreeMap::new();
    for (side, package) in packages.as_ref().into_array().into_iter().enumerate() {
        for (file, docs) in package {
            for (index, doc) in docs.iter().enumerate() {
                let Some(name) = &doc.name else { continue };
                let placed = Some(Placed { file, index, doc });
                let resource = by_name.entry(name).or_default();
                match side {
                    0 => resource.original = placed,
                    1 => resource.updated = placed,
                    _ => resource.local = placed,
                }
            }
        }
    }
    let mut all: Vec<Resource<'_>> = by_name.into_values().collect();
    join_renamed(&mut all, |it| it.updated, |it| it.original.is_none());
    let is_own = |it: &Resource<'_>| it.original.is_none() && it.updated.is_none();
    join_renamed(&mut all, |it| it.local, is_own);
    all
}

/// Whether local may have a resource that upstream renamed under both names. The merge leaves one
/// of them, and a second merge takes that one for the renamed resource (an exception of law 4).
pub fn has_old_and_new_name(packages: &Triple<Package>) -> bool {
    let names = |package: &Package| -> Vec<String> {
        package
            .values()
            .flatten()
            .filter_map(|doc| doc.name.clone())
            .collect()
    };
    let names = packages.as_ref().map(names);
    let local_has = |one: &[String], other: &[String]| {
        one.iter()
            .any(|name| !other.contains(name) && names.local.contains(name))
    };
    local_has(&names.original, &names.updated) && local_has(&names.updated, &names.original)
}

/// Joins the resources that one side renamed. `of` returns the document of that side; `is_other`
/// says whether a resource with such a document may be a renamed one.
fn join_renamed<'d>(
    all: &mut Vec<Resource<'d>>,
    of: impl Fn(&Resource<'d>) -> Option<Placed<'d>>,
    is_other: impl Fn(&Resource<'d>) -> bool,
) {
    let mut files: Vec<&str> = all.iter().filter_map(|it| Some(of(it)?.file)).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let mut originals: Vec<Resource<'d>> = all.clone();
        originals.retain(|it| it.original.is_some_and(|it| it.file == file) && of(it).is_none());
        originals.sort_by_key(|it| it.original.map(|it| it.index));
        let mut others = all.clone();
        others.retain(|it| of(it).is_some_and(|it| it.file == file) && is_other(it));
        others.sort_by_key(|it| of(it).map(|it| it.index));
        let mut join = |original: &Resource<'d>, other: &Resource<'d>| {
            all.retain(|it| it != original && it != other);
            all.push(Triple {
                original: original.original,
                updated: original.updated.or(other.updated),
                local: original.local.or(other.local),
            });
        };
        let of_name = |list: &[Resource<'d>], name: &str| {
            let named =
                |it: &&Resource<'d>| it.original.or(of(it)).is_some_and(|it| it.name() == name);
            let found: Vec<Resource<'d>> = list.iter().filter(named).copied().collect();
            (found.len() == 1).then(|| found[0])
        };
        let is_free = |original: &Resource<'d>, other: &Resource<'d>| {
            original.local.is_none() || other.local.is_none()
        };
        for original in originals.clone() {
            let name = original
                .original
                .map_or("", |it| it.doc.name.as_deref().unwrap_or(""));
            let name = name.split_once('/').map_or(name, |(_, name)| name);
            if let (Some(original), Some(other)) =
                (of_name(&originals, name), of_name(&others, name))
                && is_free(&original, &other)
            {
                join(&original, &other);
                originals.retain(|it| *it != original);
                others.retain(|it| *it != other);
            }
        }
        let (kept, gone): (Vec<_>, Vec<_>) =
            originals.into_iter().partition(|it| it.updated.is_some());
        let mut taken = Vec::new();
        for list in [kept, gone] {
            let mut ranks = Vec::new();
            for (place, original) in list.iter().enumerate() {
                for (at, other) in others.iter().enumerate() {
                    if !is_free(original, other) {
                        continue;
                    }
                    let versions = [original.original, original.updated].into_iter().flatten();
                    let alike = of(other).and_then(|other| {
                        let alike = versions.map(|version| likeness(version.doc, other.doc));
                        alike.max()?
                    });
                    ranks.extend(alike.map(|alike| (1000 - alike, place.abs_diff(at), place, at)));
                }
            }
            ranks.sort_unstable();
            ranks.retain(|it| !taken.contains(&it.3));
            while let Some((_, _, place, at)) = ranks.first().copied() {
                join(&list[place], &others[at]);
                taken.push(at);
                ranks.retain(|it| it.2 != place && it.3 != at);
            }
        }
    }
}

/// Returns the share of common leaves of `left`, in thousandths, if they are at least two thirds of
/// the leaves of `left` and half of those of `right`.
fn likeness(left: &Doc, right: &Doc) -> Option<usize> {
    let (left, mut right) = (leaves(left), leaves(right));
    let (l, r) = (left.len(), right.len());
    let mut common = 0;
    for leaf in left {
        if let Some(at) = right.iter().position(|other| *other == leaf) {
            right.swap_remove(at);
            common += 1;
        }
    }
    let shares_more = common > 1 || (common == l && common == r);
    (shares_more && common * 3 >= l * 2 && common * 2 >= r).then(|| common * 1000 / l)
}

fn leaves(doc: &Doc) -> Vec<(Vec<String>, Value)> {
    let mut all = Vec::new();
    add_leaves(&doc.value(), &mut Vec::new(), &mut all);
    let is_identity = |path: &[String]| match path {
        [one] => one == "apiVersion",
        [first, second] => first == "metadata" && (second == "name" || second == "namespace"),
        _ => false,
    };
    all.retain(|(path, _)| !is_identity(path));
    all
}

fn add_leaves(value: &Value, path: &mut Vec<String>, all: &mut Vec<(Vec<String>, Value)>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Map(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), value))
            .collect(),
        Value::List(elements) => elements.iter().map(|it| ("-".to_owned(), it)).collect(),
        _ => Vec::new(),
    };
    if below.is_empty() {
        all.push((path.clone(), value.clone()));
    }
    for (key, value) in below {
        path.push(key);
        add_leaves(value, path, all);
        path.pop();
    }
}

/// Returns the files that local deleted as a whole (rules: Documents): files of the original that
/// local no longer has, or in which it has only documents that upstream moved there, and whose
/// documents local has in no other file.
pub fn deleted_files<'d>(
    packages: &'d Triple<Package>,
    resources: &[Resource<'_>],
) -> Vec<&'d str> {
    let files = packages.original.keys().copied();
    let is_there = |file: &str| {
        let Some(docs) = packages.local.get(file) else {
            return false;
        };
        docs.iter().enumerate().any(|(index, doc)| {
            let here = |it: &&Resource<'_>| {
                it.local
                    .is_some_and(|it| it.file == file && it.index == index)
            };
            let moved = |it: &Resource<'_>| {
                it.original.is_some_and(|it| it.file != file)
                    && it.updated.is_some_and(|it| it.file == file)
            };
            doc.name.is_none() || !resources.iter().find(here).is_some_and(moved)
        })
    };
    let is_kept_elsewhere = |file: &str| {
        let is_kept_elsewhere =
            |it: &Resource<'_>| it.local.is_some() && it.original.is_some_and(|it| it.file == file);
        let has_plain = |package: &Package| {
            package
                .get(file)
                .is_some_and(|docs| docs.iter().any(|it| it.name.is_none()))
        };
        resources.iter().any(is_kept_elsewhere)
            || has_plain(&packages.original) && has_plain(&packages.local)
    };
    files
        .filter(|file| !is_there(file) && !is_kept_elsewhere(file))
        .collect()
}
