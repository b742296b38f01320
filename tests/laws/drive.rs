//! Calls the program's merge on three versions of a document or file.

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

/// The options of a merge, and whether the document is a resource.
#[derive(Debug, Clone)]
pub struct Setup {
    pub resource: bool,
    pub options: Options,
}

/// Default options, for a resource or another document.
pub fn setup_with_defaults() -> impl Strategy<Value = Setup> {
    any::<bool>().prop_map(|resource| Setup {
        resource,
        options: Options::default(),
    })
}

/// Any options.
pub fn any_setup() -> impl Strategy<Value = Setup> {
    let on_conflict = prop_oneof![4 => Just(OnConflict::Updated), 2 => Just(OnConflict::Local), 1 => Just(OnConflict::Fail)];
    let lists =
        prop_oneof![2 => Just(Lists::Replace), 2 => Just(Lists::Set), 4 => Just(Lists::Merge)];
    let nulls =
        prop_oneof![4 => Just(None), 1 => Just(Some(Nulls::Clear)), 1 => Just(Some(Nulls::Keep))];
    let keys = prop_oneof![4 => Just(vec![]), 1 => Just(vec!["a".to_owned(), "image".to_owned()])];
    (any::<bool>(), on_conflict, lists, nulls, keys).prop_map(
        |(resource, on_conflict, lists, nulls, keys)| Setup {
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

impl Setup {
    /// Returns the same settings for the reference merge.
    pub fn settings(&self) -> reference::Settings {
        reference::Settings {
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
        }
    }

    /// Returns the reference merge of three values.
    pub fn reference(&self, values: Triple<&Value>) -> reference::Outcome {
        reference::merge(values.map(Some), &self.settings())
    }
}

/// The result of a merge.
#[derive(Debug)]
pub struct MergeResult {
    /// The merged local text.
    pub text: String,
    pub conflicts: Vec<Conflict>,
}

impl MergeResult {
    /// Returns the paths of the conflicts between values. Conflicts between comments are left out.
    pub fn value_conflicts(&self) -> Vec<&str> {
        let paths = self.conflicts.iter().map(|conflict| conflict.path());
        paths.filter(|path| !path.ends_with("(comment)")).collect()
    }
}

/// Merges three texts of one document each.
pub fn run(texts: Triple<&str>, setup: &Setup) -> Result<MergeResult, TestCaseError> {
    let documents = texts.try_map(only_document)?;
    let trees = documents.try_map(|document| tree(document.text))?;
    let sides = documents.as_ref().zip(trees.as_ref());
    let sides = sides.map(|(document, tree)| Some(ReadDocument { document, tree }));
    let merged = merge_document(sides, setup.resource, &setup.options)
        .map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))?;
    let (before, rest) = texts.local.split_at(documents.local.start);
    let after = &rest[documents.local.text.len()..];
    let document = merged.text.as_deref().unwrap_or(documents.local.text);
    Ok(MergeResult {
        text: format!("{before}{document}{after}"),
        conflicts: merged.conflicts,
    })
}

/// Merges three files of one document each, with the text above the document.
pub fn run_files(texts: Triple<&str>, setup: &Setup) -> Result<MergeResult, TestCaseError> {
    let meaning = match setup.resource {
        true => Nulls::Clear,
        false => Nulls::Keep,
    };
    let options = Options {
        nulls: setup.options.nulls.or(Some(meaning)),
        ..setup.options.clone()
    };
    let merged = merge_file("a.yaml".as_ref(), texts, &options)
        .map_err(|error| TestCaseError::fail(format!("refused: {error:?}")))?;
    match merged {
        Some(merged) => Ok(MergeResult {
            text: merged.text,
            conflicts: merged.conflicts.into_iter().map(|it| it.conflict).collect(),
        }),
        None => run(texts, setup),
    }
}

/// Merges the texts of a case.
pub fn run_case(case: &Case, setup: &Setup) -> Result<MergeResult, TestCaseError> {
    run(case.texts.as_ref().map(String::as_str), setup)
}

/// Returns the only document of a text that has content.
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

/// Returns the tree of a text that has content.
pub fn tree(text: &str) -> Result<Tree<'_>, TestCaseError> {
    match Tree::parse(text) {
        Ok(Some(tree)) => Ok(tree),
        Ok(None) => Err(TestCaseError::fail(format!("no content in\n{text}"))),
        Err(error) => Err(TestCaseError::fail(format!("{error:?} in\n{text}"))),
    }
}
