//! The files of one package, parsed, with places and errors as they are shown.

use std::path::{Path, PathBuf};

use crate::error::{Error, Place};
use crate::package::items::Origin;
use crate::package::parsed::{Broken, Parsed, ParsedFile, Trees};
use crate::package::read::read;
use crate::package::selector::Selector;
use crate::package::single_package::Package;
use crate::yaml::{ParseError, Tree};

/// A file that is YAML.
pub(in crate::package) struct Readable<'a> {
    /// Its path in the package.
    pub(in crate::package) name: &'a Path,
    /// Its path as errors show it.
    pub(in crate::package) path: PathBuf,
    pub(in crate::package) file: ParsedFile<'a>,
    /// Where its lines come from, where it was made of lists.
    origin: Option<&'a Origin>,
}

/// A document with content, in a file that was read.
#[derive(Clone, Copy)]
pub(in crate::package) struct InFile<'f, 'a> {
    pub(in crate::package) file: &'f Readable<'a>,
    /// Which of the file's documents with content it is.
    pub(in crate::package) number: usize,
    pub(in crate::package) parsed: &'f Parsed<'a>,
    pub(in crate::package) tree: &'f Tree<'a>,
}

impl<'a> Readable<'a> {
    /// The documents with content.
    pub(in crate::package) fn documents(&self) -> impl Iterator<Item = InFile<'_, 'a>> {
        let documents = self.file.documents.iter();
        let documents = documents.filter_map(|parsed| Some((parsed, parsed.kept()?)));
        documents
            .enumerate()
            .map(|(number, (parsed, tree))| InFile {
                file: self,
                number,
                parsed,
                tree,
            })
    }
}

impl InFile<'_, '_> {
    /// A place in it, as errors show it.
    pub(in crate::package) fn place(&self, offset: usize) -> Place {
        let (path, document) = (&self.file.path, &self.parsed.document);
        match self.file.origin {
            Some(origin) => origin.place(path, document.text, document.line, offset),
            None => Place::new(path, self.file.file.text, document.start + offset),
        }
    }

    /// Whether it is a resource that one of the selectors means; where there are none, anything is.
    pub(in crate::package) fn is_meant_by(&self, selectors: &[Selector]) -> bool {
        let mut selectors_of = selectors.iter();
        let resource = self.parsed.resource.as_ref();
        selectors.is_empty()
            || resource.is_some_and(|it| {
                selectors_of.any(|selector| selector.is_of(&it.id, Some(self.tree)))
            })
    }

    /// The offset of the first of these fields that it has; else where its content begins.
    pub(in crate::package) fn offset_of(&self, fields: &[&str]) -> usize {
        let root = self.tree.root().value;
        let named = fields.iter().find_map(|name| self.tree.find(root, name));
        let span = named.map_or(self.tree.node(root).span, |entry| {
            self.tree.entry(entry).span
        });
        span.start as usize
    }

    /// An error about a place in it.
    pub(in crate::package) fn unfit(&self, problem: &str, error: ParseError) -> Error {
        unfit(self.place(error.offset), problem, error)
    }
}

/// Reads a package's files, whose path `root` was given as.
///
/// # Errors
/// `problem`, where one is no YAML.
pub(in crate::package) fn all<'a>(
    root: &Path,
    package: &'a Package,
    problem: &str,
) -> Result<Vec<Readable<'a>>, Error> {
    let read = each(root, package);
    read.map(|file| {
        file.map_err(|broken| {
            let problem = format!("{problem}: it is not valid YAML");
            broken.into_error(&problem, "repair the file")
        })
    })
    .collect()
}

/// As [`all`], but in a folder what is no YAML is passed over: a template, say.
pub(in crate::package) fn usable<'a>(
    root: &Path,
    package: &'a Package,
    problem: &str,
) -> Result<Vec<Readable<'a>>, Error> {
    match package.is_folder {
        true => Ok(each(root, package).filter_map(Result::ok).collect()),
        false => all(root, package, problem),
    }
}

fn each<'a>(
    root: &Path,
    package: &'a Package,
) -> impl Iterator<Item = Result<Readable<'a>, Box<Broken>>> {
    package.files.iter().map(move |(name, source)| {
        let path = match package.is_folder {
            true => root.join(name),
            false => root.to_owned(),
        };
        let file = read(&path, source, Trees::Kept)?;
        Ok(Readable {
            name,
            path,
            file,
            origin: package.origins.get(name),
        })
    })
}

pub(in crate::package) fn unfit(place: Place, problem: &str, error: ParseError) -> Error {
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
pub(in crate::package) fn joined(texts: impl Iterator<Item = String>) -> String {
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
