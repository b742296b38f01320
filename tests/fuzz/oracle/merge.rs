//! Checks the laws on the merge of three texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use merge3::error::Error;
use merge3::merge::text::merge_lines;
use merge3::merge::{
    Lists, Nulls, OnConflict, Options, ReadDocument, Sides, Texts, merge_document,
};
use merge3::package::{MergedFile, merge_file};
use merge3::triple::Triple;
use merge3::yaml::{Document, Tree, stream::split};

use super::again::{has_renamed_resource, may_pair_differently};
use super::{Verdict, ensure, input, same, untouched, values};
use crate::reference;
use crate::value::Value;

/// Checks that no text and no options cause a panic, and that the laws hold.
///
/// # Errors
///
/// Names the law that does not hold.
pub fn check(bytes: &[u8]) -> Verdict {
    let Some((options, resource, parts)) = input::read(bytes) else {
        return Ok(());
    };
    let [original, updated, local] = parts[..] else {
        return Ok(());
    };
    let parts = Triple::new(original, updated, local);
    let Ok(texts) = parts.try_map(std::str::from_utf8) else {
        return Ok(());
    };
    lines(texts, options.on_conflict)?;
    files(texts, &options)?;
    if let Ok(documents) = texts.try_map(only_document)
        && let Ok(trees) = documents.try_map(|document| read(document.text))
    {
        let case = Case {
            documents: &documents,
            trees: trees.as_ref(),
            resource,
            options: &options,
        };
        case.check()?;
    }
    Ok(())
}

/// Checks the laws of the line merge.
fn lines(texts: Triple<&str>, policy: OnConflict) -> Verdict {
    let merge = |texts| merge_lines(texts, policy).text;
    let Triple {
        original,
        updated,
        local,
    } = texts;
    same(
        "law 1, lines",
        merge(Triple::new(original, original, local)).as_str(),
        local,
    )?;
    same(
        "law 2, lines",
        merge(Triple::new(original, updated, original)).as_str(),
        updated,
    )?;
    same(
        "law 3, lines",
        merge(Triple::new(original, updated, updated)).as_str(),
        updated,
    )?;
    merge(texts);
    Ok(())
}

/// Checks the laws of a file that merges document by document.
fn files(texts: Triple<&str>, options: &Options) -> Verdict {
    let Triple {
        original,
        updated,
        local,
    } = texts;
    if let Some(merged) = file(Triple::new(original, original, local), options)? {
        same("law 1, file", merged.text.as_str(), local)?;
        same("law 1, file, conflicts", merged.conflicts.len(), 0)?;
    }
    let data = Options {
        nulls: Some(Nulls::Keep),
        ..options.clone()
    };
    if !original.contains("merge3:")
        && let Some(merged) = file(Triple::new(original, updated, original), &data)?
    {
        same("law 2, file", merged.text.as_str(), updated)?;
        same("law 2, file, conflicts", merged.conflicts.len(), 0)?;
    }
    if let Some(merged) = file(Triple::new(original, updated, updated), options)? {
        same("law 3, file", merged.text.as_str(), updated)?;
        same("law 3, file, conflicts", merged.conflicts.len(), 0)?;
    }
    let Some(merged) = file(texts, options)? else {
        return Ok(());
    };
    if options.on_conflict == OnConflict::Markers && !merged.conflicts.is_empty() {
        return Ok(());
    }
    for document in split(&merged.text) {
        let read = Tree::parse(document.text);
        ensure(read.is_ok(), || {
            format!("law 6, file: {read:?} in {:?}", merged.text)
        })?;
    }
    let value = |text: &str| values::of_file(text);
    let exempt = has_renamed_resource(value(original), value(updated), value(local))
        || may_pair_differently(value(local), value(&merged.text), value(updated));
    if options.lists != Lists::Merge && !exempt {
        let again = file(Triple::new(original, updated, &merged.text), options)?;
        // if a file has only a text left as its content, it merges by lines
        if let Some(again) = again {
            same("law 4, file", again.text.as_str(), merged.text.as_str())?;
        }
    }
    Ok(())
}

fn file(texts: Triple<&str>, options: &Options) -> Result<Option<MergedFile>, String> {
    merge_file(Path::new("a.yaml"), texts, options)
        .map_err(|error: Error| format!("law 6, file: {error}"))
}

/// A document on each side.
struct Case<'a> {
    documents: &'a Triple<Document<'a>>,
    trees: Triple<&'a Tree<'a>>,
    resource: bool,
    options: &'a Options,
}

impl Case<'_> {
    fn check(&self) -> Verdict {
        let documents = self.documents.as_ref();
        let sides = documents
            .zip(self.trees)
            .map(|(document, tree)| Some(ReadDocument { document, tree }));
        let merged = merge_document(sides, self.resource, self.options)
            .map_err(|error| format!("law 6: refused: {error:?}"))?;
        if merged.is_held_back()
            || (self.options.on_conflict == OnConflict::Markers && !merged.conflicts.is_empty())
        {
            return Ok(());
        }
        let local = self.documents.local.text;
        let text = merged.text.as_deref().unwrap_or(local);
        let tree =
            read(text).map_err(|()| format!("law 6: the result has no content: {text:?}"))?;
        untouched::check(self.trees, &tree)?;
        if self.options.sides == Sides::Equal || local.contains("merge3:") {
            return Ok(());
        }
        let is_known = |(document, tree): (&Document<'_>, &Tree<'_>)| {
            values::is_small(document.text)
                && !values::has_tagged_collection(tree, tree.root().value)
        };
        if !documents
            .zip(self.trees)
            .into_array()
            .into_iter()
            .all(is_known)
        {
            return Ok(());
        }
        // upstream's new alias refers to local's anchor (rules: Places and formats); the reference
        // merge has only values
        let anchored = self.trees.map(|tree| {
            let mut anchored = BTreeMap::new();
            values::add_anchored(tree, tree.root().value, &mut anchored);
            anchored
        });
        let differs = |(name, value)| anchored.local.get(name).is_some_and(|own| own != value);
        // a new value of the anchor does not change a field with an alias (rules: Maps)
        let is_deleted = |(name, value): (&String, &Value)| {
            let is_changed = anchored.original.get(name).is_some_and(|old| old != value);
            let alias = format!("*{}", name.trim_start_matches('&'));
            let counts = documents.map(|it| it.text.matches(&alias).count());
            is_changed && counts.local < counts.updated
        };
        let mut in_updated = anchored.updated.iter();
        let is_unknown = in_updated.any(|it| differs(it) || is_deleted(it));
        if self.trees.updated.has_aliases() && is_unknown {
            return Ok(());
        }
        let values = self
            .trees
            .map(|tree| values::of_tree(tree, tree.root().value));
        // the keys of a resource are those of JSON; the reference merge does not know which of them
        // are equal
        let is_resource =
            |value: &Value| value.field("apiVersion").is_some() && value.field("kind").is_some();
        let sides = values.as_ref().into_array();
        if sides.iter().any(|side| is_resource(side)) && sides.into_iter().any(has_odd_keys) {
            return Ok(());
        }
        let expected = self.reference(values.as_ref());
        if expected.ambiguous {
            return Ok(());
        }
        if values::is_small(text) {
            let found = values::of_tree(&tree, tree.root().value);
            match documents.into_array().map(|it| it.text) {
                // a comment can separate the places at which both sides add elements (rules: Lists
                // without a key)
                texts if has_separating_comment(texts) => {
                    let expected = expected.value.map(values::unordered);
                    same("law 6", Some(values::unordered(found)), expected)?;
                }
                _ => same("law 6", &Some(found), &expected.value)?,
            }
        }
        let conflicts = merged
            .conflicts
            .iter()
            .filter(|conflict| !conflict.path().ends_with("(comment)"));
        let paths: Vec<&str> = conflicts.map(|conflict| conflict.path()).collect();
        ensure(paths.is_empty() == expected.conflicts.is_empty(), || {
            format!("law 7: found {paths:?}, expected {:?}", expected.conflicts)
        })
    }

    fn reference(&self, values: Triple<&Value>) -> reference::Outcome {
        let settings = reference::Settings {
            null_deletes: match self.options.nulls {
                Some(nulls) => nulls == Nulls::Clear,
                None => self.resource,
            },
            lists: match self.options.lists {
                Lists::Replace => reference::Lists::Replace,
                Lists::Set => reference::Lists::Set,
                Lists::Merge => reference::Lists::Merge,
            },
            texts_replace: self.options.texts == Texts::Replace,
            local_wins: self.options.on_conflict == OnConflict::Local,
            keys: self.options.keys.clone(),
        };
        reference::merge(values.map(Some), &settings)
    }
}

/// Whether a comment may separate places: local has it as in the original, and updated has it too or
/// has another one instead of it.
fn has_separating_comment([original, updated, local]: [&str; 3]) -> bool {
    let [original, updated, local] = [original, updated, local].map(|text| {
        let lines = text.lines().map(str::trim);
        lines
            .filter(|line| line.starts_with('#'))
            .collect::<BTreeSet<_>>()
    });
    let is_rewritten = updated.difference(&original).next().is_some();
    let mut kept = original.intersection(&local);
    kept.any(|comment| is_rewritten || updated.contains(comment))
}

/// Whether a value has a key that is not a string. Such a key has its type in its name.
fn has_odd_keys(value: &Value) -> bool {
    match value {
        Value::Map(fields) => fields
            .iter()
            .any(|(key, value)| key.starts_with('\0') || has_odd_keys(value)),
        Value::List(elements) => elements.iter().any(has_odd_keys),
        Value::Null | Value::Scalar { .. } => false,
    }
}

/// Returns the only document of a text.
fn only_document(text: &str) -> Result<Document<'_>, ()> {
    match split(text)[..] {
        [document] => Ok(document),
        _ => Err(()),
    }
}

fn read(text: &str) -> Result<Tree<'_>, ()> {
    Tree::parse(text).ok().flatten().ok_or(())
}
