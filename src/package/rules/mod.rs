//! The rules in `.merge3.yaml`: options for single paths of a package. A rule can be limited to a
//! kind, an API version or some files.
//!
//! [`Rules::options`] returns the options for a document. `read` parses a rules file, and `written`
//! adds rules to one.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::io;
use std::path::{Path, PathBuf};

use globset::GlobMatcher;

mod read;
mod written;

use crate::error::{Error, Lines, Place, Warning, shown};
use crate::merge::{Options, Pattern, Rule};
use crate::package::disk::{read_named, read_own};
use crate::package::file_triple::FileTriple;
use crate::package::parsed::{Parsed, ParsedFile, Resource};
use crate::package::read::ReadFile;
use crate::triple::Side;
use crate::yaml::Tree;
use read::RuleReader;
pub(crate) use written::{NewRule, with_rules};

/// The file in the local package with its rules, if no other file is given.
pub(crate) const RULES_FILE: &str = ".merge3.yaml";

/// The rules of a package.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<ScopedRule>,
    /// The files of `crds`, if there is a `schema`.
    definitions: Option<Vec<PathBuf>>,
}

/// A rule and the conditions on the documents to which it applies.
#[derive(Debug)]
struct ScopedRule {
    rule: Rule,
    kind: Option<String>,
    api_version: Option<String>,
    file: Option<GlobMatcher>,
    place: Place,
}

impl Rules {
    /// Parses a rules file. `is_own` says that it is the one at the top of the package. This may
    /// come from somebody else's branch, so it must not name files outside of the repository.
    fn parse(path: &Path, text: &str, is_own: bool) -> Result<Self, Error> {
        let tree = Tree::parse(text).map_err(|error| {
            let help = error.help.unwrap_or_else(|| "repair the file".to_owned());
            invalid_rules(path, text, error.offset, &error.message, &help)
        })?;
        match tree {
            Some(tree) => RuleReader {
                path,
                tree: &tree,
                is_own,
                lines: Lines::of(text),
            }
            .rules(),
            None => Ok(Self::default()),
        }
    }

    /// Checks that a text is a valid rules file for a package.
    ///
    /// # Errors
    /// If it is not.
    pub(crate) fn check(path: &Path, text: &str) -> Result<(), Error> {
        Self::parse(path, text, true).map(drop)
    }

    /// Returns the options for one document, or for a file without documents, with the rules that
    /// match it.
    pub(crate) fn options<'o>(
        &self,
        options: &'o Options,
        file: &FileTriple,
        document: Option<&Parsed<'_>>,
    ) -> Cow<'o, Options> {
        let matching = self.rules.iter().filter(|it| it.matches(file, document));
        let rules: Vec<Rule> = matching.map(|scoped| scoped.rule.clone()).collect();
        if rules.is_empty() {
            return Cow::Borrowed(options);
        }
        Cow::Owned(Options {
            rules,
            ..options.clone()
        })
    }

    /// Returns the files with definitions for a schema, the rules file's and the given ones; `None`
    /// if neither asks for a schema.
    pub(crate) fn definitions(&self, given: Option<&[PathBuf]>) -> Option<Vec<PathBuf>> {
        let both = [self.definitions.as_deref(), given].into_iter().flatten();
        let both: Vec<&[PathBuf]> = both.collect();
        (!both.is_empty()).then(|| both.concat())
    }

    /// Returns a warning for each rule that matches nothing on any side of the package.
    pub(crate) fn unmatched(&self, files: &[ReadFile<'_>]) -> Vec<Warning> {
        let mut unmatched: Vec<&ScopedRule> = self.rules.iter().collect();
        for file in files {
            let triple = file.triple;
            if !unmatched.iter().any(|rule| rule.matches_file(triple)) {
                continue;
            }
            if !triple.yaml {
                unmatched.retain(|rule| !rule.matches(triple, None));
            } else if file.readings.as_ref().into_iter().any(Option::is_some) {
                let sides = file.yaml().into_iter().flatten();
                sides.for_each(|side| remove_matched(&mut unmatched, triple, side));
            } else if let Some(bytes) = triple.bytes().local
                && let Ok(text) = std::str::from_utf8(bytes)
                && let Ok(file) = ParsedFile::parse(&triple.path, text)
            {
                // an unread file is the same on all sides
                remove_matched(&mut unmatched, triple, &file);
            }
        }
        let message = "this rule matches nothing in the package";
        let warning = |rule: &ScopedRule| Warning::at(rule.place.clone(), message);
        unmatched.into_iter().map(warning).collect()
    }
}

impl ScopedRule {
    /// Returns true if the rule is for a file, by its path on any side.
    fn matches_file(&self, file: &FileTriple) -> bool {
        let mut paths = Side::ALL.map(|side| file.path_on(side)).into_iter();
        let is_match = |glob: &GlobMatcher| paths.any(|path| glob.is_match(path));
        self.file.as_ref().is_none_or(is_match)
    }

    fn matches(&self, file: &FileTriple, document: Option<&Parsed<'_>>) -> bool {
        self.matches_file(file)
            && match document {
                Some(document) => self.matches_document(document),
                None => {
                    self.rule.path.is_whole() && self.kind.is_none() && self.api_version.is_none()
                }
            }
    }

    fn matches_document(&self, document: &Parsed<'_>) -> bool {
        let has_words = |kind: Option<&str>, api_version: Option<&str>| {
            let is = |word: &Option<String>, found| word.is_none() || word.as_deref() == found;
            is(&self.kind, kind) && is(&self.api_version, api_version)
        };
        if let Some(resource) = &document.resource {
            let Resource { id, .. } = &**resource;
            return has_words(Some(&id.kind), Some(&id.api_version));
        }
        // the tree may have to be parsed
        has_words(None, None)
            || document.tree().is_some_and(|tree| {
                let field = |name| tree.field_text(tree.root().value, name);
                has_words(field("kind"), field("apiVersion"))
            })
    }
}

/// Removes the rules that match something in a file. A document is parsed at most once for all
/// rules.
fn remove_matched(unmatched: &mut Vec<&ScopedRule>, triple: &FileTriple, file: &ParsedFile<'_>) {
    for document in &file.documents {
        let tree = LazyCell::new(|| document.tree());
        let has = |path: &Pattern| {
            let tree = tree.as_ref();
            tree.is_some_and(|tree| path.is_whole() || !path.find(tree).is_empty())
        };
        unmatched.retain(|rule| !rule.matches(triple, Some(document)) || !has(&rule.rule.path));
    }
}

/// Returns the rules of a run: those of the given file, else of the one at the top of the local
/// package, if there is one.
///
/// # Errors
/// If the file cannot be read or is not valid, or if the file of the package is a link: it may come
/// from somebody else's branch.
pub(crate) fn load_rules(given: Option<&PathBuf>, local: &Path) -> Result<Rules, Error> {
    let own = local.join(RULES_FILE);
    let (path, bytes) = match given {
        // the user may name a link
        Some(given) => (given, read_named(given)),
        None if !local.is_dir() || !own.is_file() => return Ok(Rules::default()),
        None => (&own, read_own(&own)),
    };
    let bytes = bytes.map_err(Error::reading(path))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let error = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
        Error::reading(path)(error)
    })?;
    Rules::parse(path, &text, given.is_none())
}

/// Returns the error for an invalid rules file.
fn invalid_rules(path: &Path, text: &str, offset: usize, message: &str, help: &str) -> Error {
    let title = format!("{} is not a valid file of rules", shown(path));
    Error::titled(Place::new(path, text, offset), title, message, help)
}
