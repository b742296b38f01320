//! The files of one package, parsed, with places and errors as they are shown.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::file_triple::Source;
use super::items::Origin;
use super::parsed::{Broken, Parsed, ParsedFile};
use super::read::read;
use super::selector::Selector;
use super::single_package::Package;
use crate::error::{Error, Place};
use crate::yaml::{ParseError, Tree};

/// A file that is YAML.
pub(super) struct Readable<'a> {
    /// Its path in the package.
    pub(super) name: &'a Path,
    /// Its path as errors show it.
    pub(super) path: PathBuf,
    pub(super) file: ParsedFile<'a>,
    /// Where its lines come from, where it was made of lists.
    origin: Option<&'a Origin>,
}

/// A document with content, in a file that was read.
#[derive(Clone, Copy)]
pub(super) struct InFile<'f, 'a> {
    pub(super) file: &'f Readable<'a>,
    /// Which of the file's documents it is.
    pub(super) index: usize,
    /// Which of those with content.
    pub(super) number: usize,
    pub(super) parsed: &'f Parsed<'a>,
    pub(super) tree: &'f Tree<'a>,
}

impl<'a> Readable<'a> {
    /// The documents with content.
    pub(super) fn documents(&self) -> impl Iterator<Item = InFile<'_, 'a>> {
        let documents = self.file.documents.iter().enumerate();
        documents
            .filter_map(|(index, parsed)| Some((index, parsed, parsed.kept()?)))
            .enumerate()
            .map(|(number, (index, parsed, tree))| InFile {
                file: self,
                index,
                number,
                parsed,
                tree,
            })
    }
}

impl InFile<'_, '_> {
    /// A place in it, as errors show it.
    pub(super) fn place(&self, offset: usize) -> Place {
        let (path, document) = (&self.file.path, &self.parsed.document);
        match self.file.origin {
            Some(origin) => origin.place(path, document.text, document.line, offset),
            None => Place::in_chunk(path, document.text, document.line, offset),
        }
    }

    /// Where its content begins.
    pub(super) fn start(&self) -> Place {
        self.place(self.tree.root().span.start as usize)
    }

    /// Whether it is a resource that one of the selectors means; where there are none, anything is.
    pub(super) fn is_meant_by(&self, selectors: &[Selector]) -> bool {
        let mut selectors_of = selectors.iter();
        let resource = self.parsed.resource.as_ref();
        selectors.is_empty()
            || resource.is_some_and(|it| {
                selectors_of.any(|selector| selector.is_of(&it.id, Some(self.tree)))
            })
    }

    /// The offset of the first of these fields that it has; else where its content begins.
    pub(super) fn offset_of(&self, fields: &[&str]) -> usize {
        let root = self.tree.root().value;
        let named = fields.iter().find_map(|name| self.tree.find(root, name));
        let span = named.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        span.start as usize
    }

    /// An error about a place in it.
    pub(super) fn unfit(&self, problem: &str, error: ParseError) -> Error {
        unfit(self.place(error.offset), problem, error)
    }
}

/// Reads a package's files, whose path `root` was given as.
///
/// # Errors
/// `problem`, where one is no YAML.
pub(super) fn all<'a>(
    root: &Path,
    package: &'a Package,
    problem: &str,
) -> Result<Vec<Readable<'a>>, Error> {
    let help = match package.is_folder {
        true => "repair the file, or exclude it in .krmignore",
        false => "repair the file",
    };
    let problem = format!(": {problem}: it is not valid YAML");
    let read = each(root, package).into_iter();
    Error::all(read.map(|file| file.map_err(|broken| broken.to_error(&problem, help))))
}

/// As [`all`], but in a folder what is no YAML is passed over: a template, say.
pub(super) fn usable<'a>(
    root: &Path,
    package: &'a Package,
    problem: &str,
) -> Result<Vec<Readable<'a>>, Error> {
    match package.is_folder {
        true => Ok(each(root, package).into_iter().flatten().collect()),
        false => all(root, package, problem),
    }
}

fn each<'a>(root: &Path, package: &'a Package) -> Vec<Result<Readable<'a>, Box<Broken>>> {
    let read = |(name, source): &'a (PathBuf, Source)| {
        let path = match package.is_folder {
            true => root.join(name),
            false => root.to_owned(),
        };
        Ok(Readable {
            file: read(&path, source)?,
            origin: package.origins.get(name),
            name,
            path,
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

/// Documents as one file.
pub(super) fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() {
            if !all.ends_with('\n') {
                all.push('\n');
            }
            let is_marked = |line: &str| line == "---" || line.starts_with("--- ");
            if !text.lines().any(is_marked) {
                all.push_str("---\n");
            }
        }
        all.push_str(&text);
    }
    all
}
