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

/// The file in the local package with its rules, if no other file is given.
pub(crate) const RULES_FILE: &str = ".merge3.yaml";

/// The rules of a package.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<ScopedRule>,
    /// The settings in the file that correspond to `--schema` and `--crd`.
    schema: Option<SchemaSource>,
}

/// How the rules file was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RulesOrigin {
    User,
    /// The file at the top of the package. It may come from somebody else's branch, so it must not
    /// name files outside of the repository.
    Package,
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
    fn of_bytes(
        path: &Path,
        bytes: io::Result<Vec<u8>>,
        rules_origin: RulesOrigin,
    ) -> Result<Self, Error> {
        let text = bytes
            .and_then(|bytes| {
                String::from_utf8(bytes)
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
            })
            .map_err(Error::reading(path))?;
        Self::parse(path, &text, rules_origin)
    }

    fn parse(path: &Path, text: &str, rules_origin: RulesOrigin) -> Result<Self, Error> {
        let tree = Tree::parse(text).map_err(|error| {
            let help = error.help.unwrap_or_else(|| "repair the file".to_owned());
            invalid_rules(path, text, error.offset, &error.message, &help)
        })?;
        match tree {
            Some(tree) => RuleReader {
                path,
                text,
                tree: &tree,
                rules_origin,
                is_hidden: secret::may_be_in(text.as_bytes()),
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
        Self::parse(path, text, RulesOrigin::Package).map(drop)
    }

    /// Returns the options for one document, or for a file without documents, with the rules that
    /// match it.
    pub(crate) fn options<'o>(
        &self,
        options: &'o Options,
        file: &Path,
        document: Option<&Parsed<'_>>,
    ) -> Cow<'o, Options> {
        let matching = self
            .rules
            .iter()
            .filter(|scoped| scoped.matches(file, document));
        let rules: Vec<Rule> = matching.map(|scoped| scoped.rule.clone()).collect();
        if rules.is_empty() {
            return Cow::Borrowed(options);
        }
        Cow::Owned(Options {
            rules,
            ..options.clone()
        })
    }

    /// Returns the source of schemas: the given one and the rules file's.
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

    /// Returns a warning for each rule that matches nothing on any side of the package.
    pub(crate) fn unmatched(&self, triples: &[FileTriple], files: &[ReadFile<'_>]) -> Vec<Warning> {
        let mut are_unmatched = vec![true; self.rules.len()];
        for (triple, file) in triples.iter().zip(files) {
            let unmatched = self.rules.iter().zip(&mut are_unmatched);
            let unmatched = unmatched
                .filter(|(rule, is_unmatched)| **is_unmatched && rule.matches_file(&triple.path));
            let unmatched: Vec<UnmatchedRule<'_>> = unmatched.collect();
            if !unmatched.is_empty() {
                mark_matched(triple, file, unmatched);
            }
        }
        let unmatched = self
            .rules
            .iter()
            .zip(are_unmatched)
            .filter(|(_, is_unmatched)| *is_unmatched);
        let message = "this rule matches nothing in the package";
        unmatched
            .map(|(rule, _)| Warning::at(rule.place.clone(), message))
            .collect()
    }
}

impl ScopedRule {
    fn matches_file(&self, path: &Path) -> bool {
        self.file.as_ref().is_none_or(|glob| glob.is_match(path))
    }

    fn matches(&self, file: &Path, document: Option<&Parsed<'_>>) -> bool {
        self.matches_file(file)
            && match document {
                Some(document) => self.matches_document(document),
                None => {
                    self.rule.path.is_whole() && self.kind.is_none() && self.api_version.is_none()
                }
            }
    }

    fn matches_document(&self, document: &Parsed<'_>) -> bool {
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

/// A rule, and whether nothing that it matches was found yet.
type UnmatchedRule<'r> = (&'r ScopedRule, &'r mut bool);

/// Clears the flag of each rule that matches anything in a file on any side.
fn mark_matched(triple: &FileTriple, file: &ReadFile<'_>, mut unmatched: Vec<UnmatchedRule<'_>>) {
    if !triple.yaml {
        let mark = |(rule, is_unmatched): UnmatchedRule<'_>| {
            *is_unmatched = !rule.matches(&triple.path, None)
        };
        return unmatched.into_iter().for_each(mark);
    }
    if !matches!(file, ReadFile::Unread) {
        let sides = file.yaml().into_array().into_iter();
        return sides
            .flatten()
            .for_each(|it| remove_matched(it, &mut unmatched));
    }
    for source in triple.sides.as_ref().into_array().into_iter().flatten() {
        let text = std::str::from_utf8(&source.bytes).ok();
        let file = text.and_then(|text| ParsedFile::parse(&triple.path, text).ok());
        if let Some(file) = file {
            remove_matched(&file, &mut unmatched);
        }
    }
}

/// Removes the rules that match something in a file. A document is parsed at most once for all
/// rules.
fn remove_matched(file: &ParsedFile<'_>, unmatched: &mut Vec<UnmatchedRule<'_>>) {
    for document in &file.documents {
        let tree = LazyCell::new(|| document.tree());
        let has = |path: &Pattern| match &*tree {
            Some(tree) => path.is_whole() || !path.find(tree).is_empty(),
            None => false,
        };
        unmatched.retain_mut(|(rule, is_unmatched)| {
            **is_unmatched = !rule.matches_document(document) || !has(&rule.rule.path);
            **is_unmatched
        });
    }
}

/// Returns the rules of a run: those of the given file, else of the one at the top of the local
/// package, if there is one.
///
/// # Errors
/// If the file cannot be read or is not valid, or if the file of the package is a link: it may come
/// from somebody else's branch.
pub(crate) fn load_rules(given: Option<&PathBuf>, local: &Path) -> Result<Rules, Error> {
    if let Some(given) = given {
        // the user may name a link
        return Rules::of_bytes(given, read_named(given), RulesOrigin::User);
    }
    let file = local.join(RULES_FILE);
    if !local.is_dir() || !file.is_file() {
        return Ok(Rules::default());
    }
    let bytes = read_own(&file);
    Rules::of_bytes(&file, bytes, RulesOrigin::Package)
}

/// Returns the error for an invalid rules file.
fn invalid_rules(path: &Path, text: &str, offset: usize, message: &str, help: &str) -> Error {
    let title = format!("{} is not a valid file of rules", shown(path));
    Error::titled(Place::new(path, text, offset), title, message, help)
}

/// Returns the policy that leads to this resolution.
pub(crate) const fn policy_for(resolution: Resolution) -> OnConflict {
    match resolution {
        Resolution::Updated => OnConflict::Updated,
        Resolution::Local | Resolution::Open => OnConflict::Local,
        Resolution::Markers => OnConflict::Markers,
    }
}
