//! Parses the files of one package, and finds the places in them that errors show.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::file_triple::Source;
use super::items::Origin;
use super::parsed::{Broken, Parsed, ParsedFile};
use super::read::read;
use super::selector::Selector;
use super::single_package::Package;
use crate::error::{Error, Place};
use crate::line_breaks::missing_lf;
use crate::yaml::{ParseError, Tree};

/// A parsed file.
pub(super) struct SourceFile<'a> {
    /// The path in the package.
    pub(super) name: &'a Path,
    /// The path that errors show.
    pub(super) path: &'a Path,
    pub(super) file: ParsedFile<'a>,
    /// The origin of the lines, if the file was generated from lists of resources.
    origin: Option<&'a Origin>,
}

/// A document, with its tree.
#[derive(Clone, Copy)]
pub(super) struct DocumentInFile<'f, 'a> {
    pub(super) file: &'f SourceFile<'a>,
    /// The index among the documents of the file.
    pub(super) index: usize,
    pub(super) parsed: &'f Parsed<'a>,
    pub(super) tree: &'f Tree<'a>,
}

impl<'a> SourceFile<'a> {
    /// Returns the documents. Their trees are in memory.
    pub(super) fn documents(&self) -> impl Iterator<Item = DocumentInFile<'_, 'a>> {
        let documents = self.file.documents.iter().enumerate();
        documents.filter_map(|(index, parsed)| {
            Some(DocumentInFile {
                file: self,
                index,
                parsed,
                tree: parsed.kept()?,
            })
        })
    }
}

impl DocumentInFile<'_, '_> {
    /// Returns the place of an offset in the document, for errors.
    pub(super) fn place(&self, offset: usize) -> Place {
        let (path, document) = (self.file.path, &self.parsed.document);
        match self.file.origin {
            Some(origin) => origin.place(path, document.text, document.line, offset),
            None => Place::in_chunk(path, document.text, document.line, offset),
        }
    }

    /// Returns the place where the content begins.
    pub(super) fn start(&self) -> Place {
        self.place(self.tree.root().span.start as usize)
    }

    /// Returns true if the document is a resource that a selector matches, or if there are no
    /// selectors.
    pub(super) fn is_meant_by(&self, selectors: &[Selector]) -> bool {
        let mut remaining = selectors.iter();
        let resource = self.parsed.resource.as_ref();
        selectors.is_empty()
            || resource.is_some_and(|it| {
                remaining.any(|selector| selector.matches(&it.id, Some(self.tree)))
            })
    }

    /// Returns the offset of the first of these fields that the document has, else that of its
    /// content.
    pub(super) fn offset_of(&self, fields: &[&str]) -> usize {
        let root = self.tree.root().value;
        let entry = fields.iter().find_map(|name| self.tree.find(root, name));
        let span = entry.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        span.start as usize
    }

    /// Returns an error about a place in the document.
    pub(super) fn unfit(&self, problem: &str, error: ParseError) -> Error {
        unfit(self.place(error.offset), problem, error)
    }
}

/// Parses the files of a package. `problem` says in errors what cannot be done.
///
/// # Errors
/// If a file is not YAML.
pub(super) fn all<'a>(package: &'a Package, problem: &str) -> Result<Vec<SourceFile<'a>>, Error> {
    let help = match package.is_folder {
        true => "repair the file, or exclude it in .krmignore",
        false => "repair the file",
    };
    let problem = format!(": {problem}: it is not valid YAML");
    let read = parse_each(package).into_iter();
    Error::all(read.map(|file| file.map_err(|broken| broken.to_error(&problem, help))))
}

/// Parses the files of a package as [`all`] does, but skips the files of a folder that are not
/// YAML, such as templates.
pub(super) fn usable<'a>(
    package: &'a Package,
    problem: &str,
) -> Result<Vec<SourceFile<'a>>, Error> {
    match package.is_folder {
        true => Ok(parse_each(package).into_iter().flatten().collect()),
        false => all(package, problem),
    }
}

fn parse_each<'a>(package: &'a Package) -> Vec<Result<SourceFile<'a>, Box<Broken>>> {
    let read = |(name, source): &'a (PathBuf, Source)| {
        Ok(SourceFile {
            file: read(source)?,
            origin: package.origins.get(name),
            name,
            path: &source.path,
        })
    };
    package.files.par_iter().map(read).collect()
}

pub(super) fn unfit(place: Place, problem: &str, error: ParseError) -> Error {
    Error::unfit(
        place,
        problem,
        error.message,
        error
            .help
            .unwrap_or_else(|| "nothing was written".to_owned()),
    )
}

/// Joins documents to the text of one file.
pub(super) fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            all.push_str(missing_lf(&all));
            let has_marker = |line: &str| line == "---" || line.starts_with("--- ");
            if !text.lines().any(has_marker) {
                all.push_str("---\n");
            }
        }
        all.push_str(&text);
    }
    all
}
