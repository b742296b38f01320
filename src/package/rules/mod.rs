//! `.merge3.yaml`: rules for single places of a package, each limited to a kind, an API version or
//! some files if it says so.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::io;
use std::path::{Path, PathBuf};

use globset::GlobMatcher;

mod read;
mod written;

use crate::error::{Error, Place, Warning, shown};
use crate::merge::{OnConflict, Options, Pattern, Resolution, Rule};
use crate::package::SchemaSource;
use crate::package::disk::{read_named, read_own};
use crate::package::file_triple::FileTriple;
use crate::package::parsed::{Parsed, ParsedFile};
use crate::package::read::ReadFile;
use crate::secret;
use crate::yaml::Tree;
use read::RuleReader;
pub(crate) use written::{Written, with_rules};

/// The file in the local package that rules are read from where none is given.
pub(crate) const RULES_FILE: &str = ".merge3.yaml";

/// The rules of a package.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<Scoped>,
    /// What it says of `--schema` and `--crd`.
    schema: Option<SchemaSource>,
}

/// Who said which file has the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    ByUser,
    /// It may have come with a branch, and so names no file outside of the repository.
    ByPackage,
}

/// A rule and the documents that it is for.
#[derive(Debug)]
struct Scoped {
    rule: Rule,
    kind: Option<String>,
    api_version: Option<String>,
    file: Option<GlobMatcher>,
    place: Place,
}

impl Rules {
    fn of_bytes(path: &Path, bytes: io::Result<Vec<u8>>, named: Named) -> Result<Self, Error> {
        let text = bytes
            .and_then(|bytes| {
                String::from_utf8(bytes)
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
            })
            .map_err(Error::reading(path))?;
        Self::parse(path, &text, named)
    }

    fn parse(path: &Path, text: &str, named: Named) -> Result<Self, Error> {
        let tree = Tree::parse(text).map_err(|error| {
            let help = error.help.unwrap_or_else(|| "repair the file".to_owned());
            no_rules(path, text, error.offset, &error.message, &help)
        })?;
        match tree {
            Some(tree) => RuleReader {
                path,
                text,
                tree: &tree,
                named,
                is_hidden: secret::may_be_in(text.as_bytes()),
            }
            .rules(),
            None => Ok(Self::default()),
        }
    }

    /// Whether a text holds rules, for the file at `path` in a package.
    ///
    /// # Errors
    /// Where it does not.
    pub(crate) fn check(path: &Path, text: &str) -> Result<(), Error> {
        Self::parse(path, text, Named::ByPackage).map(drop)
    }

    /// The options for one document, or for a file without any: with the rules that are for it.
    pub(crate) fn options<'o>(
        &self,
        options: &'o Options,
        file: &Path,
        document: Option<&Parsed<'_>>,
    ) -> Cow<'o, Options> {
        let fitting = self
            .rules
            .iter()
            .filter(|scoped| scoped.fits(file, document));
        let rules: Vec<Rule> = fitting.map(|scoped| scoped.rule.clone()).collect();
        if rules.is_empty() {
            return Cow::Borrowed(options);
        }
        Cow::Owned(Options {
            rules,
            ..options.clone()
        })
    }

    /// Where a schema comes from: what was given, and what the file says.
    pub(crate) fn schema_source(&self, given: Option<&SchemaSource>) -> Option<SchemaSource> {
        let sources = [self.schema.as_ref(), given];
        let definitions = |source: &SchemaSource| source.definitions.clone();
        sources.iter().any(Option::is_some).then(|| SchemaSource {
            definitions: sources
                .into_iter()
                .flatten()
                .flat_map(definitions)
                .collect(),
        })
    }

    /// A warning for each rule that is for nothing in any side of the package.
    pub(crate) fn unmatched(&self, triples: &[FileTriple], files: &[ReadFile<'_>]) -> Vec<Warning> {
        let mut are_open = vec![true; self.rules.len()];
        for (triple, file) in triples.iter().zip(files) {
            let open = self.rules.iter().zip(&mut are_open);
            let open = open.filter(|(rule, is_open)| **is_open && rule.is_for_file(&triple.path));
            let open: Vec<Open<'_>> = open.collect();
            if !open.is_empty() {
                look_into(triple, file, open);
            }
        }
        let open = self
            .rules
            .iter()
            .zip(are_open)
            .filter(|(_, is_open)| *is_open);
        let message = "this rule matches nothing in the package";
        open.map(|(rule, _)| Warning::at(rule.place.clone(), message))
            .collect()
    }
}

impl Scoped {
    fn is_for_file(&self, path: &Path) -> bool {
        self.file.as_ref().is_none_or(|glob| glob.is_match(path))
    }

    fn fits(&self, file: &Path, document: Option<&Parsed<'_>>) -> bool {
        self.is_for_file(file)
            && match document {
                Some(document) => self.is_for(document),
                None => {
                    self.rule.path.is_whole() && self.kind.is_none() && self.api_version.is_none()
                }
            }
    }

    fn is_for(&self, document: &Parsed<'_>) -> bool {
        let wanted = [("kind", &self.kind), ("apiVersion", &self.api_version)];
        let mut wanted = wanted
            .into_iter()
            .filter_map(|(field, word)| Some((field, word.as_deref()?)))
            .peekable();
        if wanted.peek().is_none() {
            return true;
        }
        if let Some(resource) = &document.resource {
            let id = &resource.id;
            return wanted.all(|(field, word)| match field {
                "kind" => id.kind == word,
                _ => id.api_version == word,
            });
        }
        document.tree().is_some_and(|tree| {
            wanted.all(|(field, word)| tree.field_text(tree.root().value, field) == Some(word))
        })
    }
}

/// A rule, and whether nothing was found yet that it is for.
type Open<'r> = (&'r Scoped, &'r mut bool);

/// Notes for each of some rules whether there is anything in a file, on any side, that it is for.
fn look_into(triple: &FileTriple, file: &ReadFile<'_>, mut open: Vec<Open<'_>>) {
    if !triple.yaml {
        let look = |(rule, is_open): Open<'_>| *is_open = !rule.fits(&triple.path, None);
        return open.into_iter().for_each(look);
    }
    if !matches!(file, ReadFile::Unread) {
        let sides = file.yaml().into_array().into_iter();
        return sides.flatten().for_each(|it| search(it, &mut open));
    }
    for source in triple.sides.as_ref().into_array().into_iter().flatten() {
        let text = std::str::from_utf8(&source.bytes).ok();
        let file = text.and_then(|text| ParsedFile::parse(&triple.path, text).ok());
        if let Some(file) = file {
            search(&file, &mut open);
        }
    }
}

/// Leaves those of the rules that are for nothing in a file. A document is read once for all.
fn search(file: &ParsedFile<'_>, open: &mut Vec<Open<'_>>) {
    for document in &file.documents {
        let tree = LazyCell::new(|| document.tree());
        let has = |path: &Pattern| match &*tree {
            Some(tree) => path.is_whole() || !path.find(tree).is_empty(),
            None => false,
        };
        open.retain_mut(|(rule, is_open)| {
            **is_open = !rule.is_for(document) || !has(&rule.rule.path);
            **is_open
        });
    }
}

/// The rules of a run: those of the file that was given, else of the one at the top of the local
/// package, if there is one.
///
/// # Errors
/// Where it cannot be read or does not hold rules, and where a link is at the top of the package:
/// it may have come with a branch.
pub(crate) fn rules_of(given: Option<&PathBuf>, local: &Path) -> Result<Rules, Error> {
    if let Some(given) = given {
        // whoever gave a path knows where it leads
        return Rules::of_bytes(given, read_named(given), Named::ByUser);
    }
    let file = local.join(RULES_FILE);
    if !local.is_dir() || !file.is_file() {
        return Ok(Rules::default());
    }
    let bytes = read_own(&file);
    Rules::of_bytes(&file, bytes, Named::ByPackage)
}

/// A file of rules does not hold rules: where, and why.
fn no_rules(path: &Path, text: &str, offset: usize, message: &str, help: &str) -> Error {
    let title = format!("{} does not hold rules for a merge", shown(path));
    Error::titled(Place::new(path, text, offset), title, message, help)
}

/// A policy that gives this resolution.
pub(crate) const fn policy(resolution: Resolution) -> OnConflict {
    match resolution {
        Resolution::Updated => OnConflict::Updated,
        Resolution::Local | Resolution::Open => OnConflict::Local,
        Resolution::Markers => OnConflict::Markers,
    }
}
