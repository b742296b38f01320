//! The program, driven on one document of three sides.

use crate::generate::Case;
use crate::reference;
use crate::value::Value;
use merge3::merge::{
    Conflict, Lists, Nulls, OnConflict, Options, ReadDocument, Texts, merge_document,
};
use merge3::package::merge_file;
use merge3::triple::Triple;
use merge3::yaml::{Document, Tree, stream::split};
use proptest::prelude::*;

/// What a merge is told, and whether the document is a resource.
#[derive(Debug, Clone)]
pub struct Told {
    pub resource: bool,
    pub options: Options,
}

/// A merge with the default options, of a resource or not.
pub fn told_little() -> impl Strategy<Value = Told> {
    any::<bool>().prop_map(|resource| Told {
        resource,
        options: Options::default(),
    })
}

/// A merge with any options.
pub fn told() -> impl Strategy<Value = Told> {
    let on_conflict = prop_oneof![4 => Just(OnConflict::Updated), 2 => Just(OnConflict::Local), 1 => Just(OnConflict::Fail)];
    let lists =
        prop_oneof![2 => Just(Lists::Replace), 2 => Just(Lists::Set), 4 => Just(Lists::Merge)];
    let nulls =
        prop_oneof![4 => Just(None), 1 => Just(Some(Nulls::Clear)), 1 => Just(Some(Nulls::Keep))];
    let keys = prop_oneof![4 => Just(vec![]), 1 => Just(vec!["a".to_owned(), "image".to_owned()])];
    (any::<bool>(), on_conflict, lists, nulls, keys).prop_map(
        |(resource, on_conflict, lists, nulls, keys)| Told {
            resource,
            options: Options {
                on_conflict,
                lists,
                keys,
                nulls,
                ..Options::default()
            },
        },
    )
}

impl Told {
    /// The same in the words of the reference.
    pub fn settings(&self) -> reference::Settings {
        reference::Settings {
            null_commands: match self.options.nulls {
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
        }
    }

    /// What the reference makes of three values.
    pub fn reference(&self, values: Triple<&Value>) -> reference::Outcome {
        reference::merge(values.map(Some), &self.settings())
    }
}

/// What the program made of three texts.
#[derive(Debug)]
pub struct Ran {
    /// The local text, merged.
    pub text: String,
    pub conflicts: Vec<Conflict>,
}

impl Ran {
    /// The conflicts between values; those between comments are a matter apart.
    pub fn of_values(&self) -> Vec<&str> {
        let paths = self.conflicts.iter().map(|conflict| &*conflict.path);
        paths.filter(|path| !path.ends_with("(comment)")).collect()
    }
}

/// Merges three texts that have one document each.
pub fn run(texts: Triple<&str>, told: &Told) -> Result<Ran, TestCaseError> {
    let documents = texts.try_map(only_document)?;
    let trees = documents.try_map(|document| tree(document.text))?;
    let sides = documents.as_ref().zip(trees.as_ref());
    let sides = sides.map(|(document, tree)| Some(ReadDocument { document, tree }));
    let merged = merge_document(sides, told.resource, &told.options)
        .map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))?;
    let (before, rest) = texts.local.split_at(documents.local.start);
    let after = &rest[documents.local.text.len()..];
    let document = merged.text.as_deref().unwrap_or(documents.local.text);
    Ok(Ran {
        text: format!("{before}{document}{after}"),
        conflicts: merged.conflicts,
    })
}

/// Merges three files that have one document each, with their heads.
pub fn run_files(texts: Triple<&str>, told: &Told) -> Result<Ran, TestCaseError> {
    let meaning = match told.resource {
        true => Nulls::Clear,
        false => Nulls::Keep,
    };
    let options = Options {
        nulls: told.options.nulls.or(Some(meaning)),
        ..told.options.clone()
    };
    let merged = merge_file("a.yaml".as_ref(), texts, &options)
        .map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))?;
    match merged {
        Some(merged) => Ok(Ran {
            text: merged.text,
            conflicts: merged.conflicts.into_iter().map(|it| it.conflict).collect(),
        }),
        None => run(texts, told),
    }
}

/// Merges the texts of a case.
pub fn run_case(case: &Case, told: &Told) -> Result<Ran, TestCaseError> {
    run(case.texts.as_ref().map(String::as_str), told)
}

/// The one document with content that a text has.
pub fn only_document(text: &str) -> Result<Document<'_>, TestCaseError> {
    let mut documents = split(text);
    documents.retain(|document| !matches!(Tree::parse(document.text), Ok(None)));
    match documents.as_slice() {
        [document] => Ok(*document),
        many => {
            let many = many.len();
            Err(TestCaseError::fail(format!("{many} documents in\n{text}")))
        }
    }
}

/// The tree over a text that has content.
pub fn tree(text: &str) -> Result<Tree<'_>, TestCaseError> {
    match Tree::parse(text) {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(TestCaseError::fail(format!("no content in\n{text}"))),
        Err(error) => Err(TestCaseError::fail(format!("{error:?} in\n{text}"))),
    }
}
