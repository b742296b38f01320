//! Parses the rules of a `.merge3.yaml`, and reports errors with their place.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use globset::GlobMatcher;

use super::{Rules, ScopedRule, invalid_rules};
use crate::error::{Error, Lines};
use crate::merge::{Pattern, Rule, Take};
use crate::package::git_folder;
use crate::package::load::path_glob;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

const RULE_FIELDS: [&str; 9] = [
    "path",
    "kind",
    "apiVersion",
    "file",
    "take",
    "lists",
    "texts",
    "images",
    "keys",
];

/// Reads rules from the tree of a rules file.
pub(super) struct RuleReader<'r> {
    pub(super) path: &'r Path,
    pub(super) tree: &'r Tree<'r>,
    /// Whether the file is the package's own.
    pub(super) is_own: bool,
    pub(super) lines: Lines,
}

impl RuleReader<'_> {
    pub(super) fn rules(&self) -> Result<Rules, Error> {
        let tree = self.tree;
        let (message, help) = (
            "a map with the field `rules` is expected",
            "begin the file with `rules:`",
        );
        let mut rules = Rules::default();
        let mut crd_files = None;
        for field in self.entries(tree.root().value, true, message, help)? {
            let value = tree.entry(field).value;
            match self.field_name(
                field,
                &["rules", "schema", "crds", "upstream", "upstreamLock"],
            )? {
                "schema" => {
                    let word = self.word(value)?;
                    if word != "kubernetes" {
                        return Err(self.unknown_word(value, word, &["kubernetes"]));
                    }
                    rules.definitions.get_or_insert_default();
                }
                "crds" => crd_files = Some((value, self.crd_files(value)?)),
                // the record of the package's origin does not concern the merge
                "upstream" | "upstreamLock" => {}
                _ => {
                    let help = "write each rule behind a dash, such as `- path: spec.replicas`";
                    for element in
                        self.entries(value, false, "a list of rules is expected", help)?
                    {
                        rules.rules.push(self.rule(element)?);
                    }
                }
            }
        }
        if let Some((value, files)) = crd_files {
            let Some(definitions) = &mut rules.definitions else {
                return Err(self.wrong(
                    value,
                    "these files say how fields merge, and `schema` does not ask for that",
                    "add `schema: kubernetes`",
                ));
            };
            *definitions = files;
        }
        Ok(rules)
    }

    /// Returns the entries of a list, or of a map if `is_map` is set. Anything else is an error.
    fn entries(
        &self,
        node: NodeId,
        is_map: bool,
        message: &str,
        help: &str,
    ) -> Result<impl Iterator<Item = EntryId> + use<>, Error> {
        match (&self.tree.node(node).kind, is_map) {
            (NodeKind::Mapping(_), true) | (NodeKind::Sequence(_), false) => {
                Ok(self.tree.entries(node))
            }
            _ => Err(self.wrong(node, message, help)),
        }
    }

    /// Returns the paths of the files in a list, resolved relative to the rules file.
    fn crd_files(&self, list: NodeId) -> Result<Vec<PathBuf>, Error> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let help = "write it like `crds: [crds/shop.yaml]`";
        self.entries(list, false, "a list of files is expected", help)?
            .map(|element| {
                let value = self.tree.entry(element).value;
                let file = folder.join(self.word(value)?);
                match !self.is_own || is_in_repository(folder, &file) {
                    true => Ok(file),
                    false => Err(self.wrong(
                        value,
                        "this file is outside of the repository, or in git's own folder",
                        "put it into the repository, or name it with --crd",
                    )),
                }
            })
            .collect()
    }

    fn rule(&self, element: EntryId) -> Result<ScopedRule, Error> {
        let tree = self.tree;
        let map = tree.entry(element).value;
        let help = "write it like `- path: spec.replicas`";
        let fields = self.entries(map, true, "a rule is a map", help)?;
        let start = tree.entry(element).span.start;
        let column = (start - tree.line_start(start)) as usize;
        let place = self.lines.place(self.path, tree.line_number(start), column);
        let name = Path::new(self.path.file_name().unwrap_or_default());
        let mut scoped_rule = ScopedRule {
            rule: Rule {
                origin: format!("{}:{}", name.display(), place.line).into(),
                ..Rule::default()
            },
            kind: None,
            api_version: None,
            file: None,
            place,
        };
        for field in fields {
            self.field(&mut scoped_rule, field)?;
        }
        self.check(map, &scoped_rule.rule)?;
        Ok(scoped_rule)
    }

    fn field(&self, scoped_rule: &mut ScopedRule, field: EntryId) -> Result<(), Error> {
        let name = self.field_name(field, &RULE_FIELDS)?;
        let value = self.tree.entry(field).value;
        let rule = &mut scoped_rule.rule;
        match name {
            "path" => rule.path = self.pattern(value)?,
            "kind" => scoped_rule.kind = Some(self.word(value)?.to_owned()),
            "apiVersion" => scoped_rule.api_version = Some(self.word(value)?.to_owned()),
            "file" => scoped_rule.file = Some(self.glob(value)?),
            "take" => rule.take = Some(self.one_of(value)?),
            "lists" => rule.lists = Some(self.one_of(value)?),
            "texts" => rule.texts = Some(self.one_of(value)?),
            "images" => rule.images = Some(self.one_of(value)?),
            _ => rule.keys = self.keys(value)?,
        }
        Ok(())
    }

    /// Checks that a rule has an effect and does not contradict itself.
    fn check(&self, map: NodeId, rule: &Rule) -> Result<(), Error> {
        let for_lists = rule.lists.is_some() || !rule.keys.is_empty();
        let for_scalars = rule.texts.is_some() || rule.images.is_some();
        let needs_path = for_lists || for_scalars || rule.take == Some(Take::Higher);
        let problems = [
            (
                rule.take.is_none() && !for_lists && !for_scalars,
                "this rule has no effect",
                "add `take`, `lists`, `keys`, `texts` or `images`",
            ),
            (
                needs_path && rule.path.is_whole(),
                "this rule is about one place and does not say which",
                "add the `path` of the list, the text, the image or the version",
            ),
            (
                rule.lists.is_some() && !rule.keys.is_empty(),
                "`lists` and `keys` exclude each other",
                "elements that keys identify merge as maps: leave `lists` out",
            ),
        ];
        match problems.into_iter().find(|problem| problem.0) {
            Some((_, message, help)) => Err(self.wrong(map, message, help)),
            None => Ok(()),
        }
    }

    /// Returns the name of a field, which has to be one of `words`.
    fn field_name<'w>(&self, field: EntryId, words: &[&'w str]) -> Result<&'w str, Error> {
        let name = self.tree.key_text(field).unwrap_or_default();
        words.iter().copied().find(|it| *it == name).ok_or_else(|| {
            let entry = self.tree.entry(field);
            self.unknown_word(entry.key.unwrap_or(entry.value), name, words)
        })
    }

    fn one_of<T: ValueEnum>(&self, value: NodeId) -> Result<T, Error> {
        let word = self.word(value)?;
        T::from_str(word, false).map_err(|_| {
            let known = T::value_variants().iter().filter_map(T::to_possible_value);
            let names: Vec<String> = known.map(|it| it.get_name().to_owned()).collect();
            self.unknown_word(value, word, &names)
        })
    }

    fn unknown_word(&self, node: NodeId, word: &str, known: &[impl Display]) -> Error {
        let quoted: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
        self.wrong(
            node,
            &format!("`{word}` is not a known value here"),
            &format!("the values are {}", quoted.join(", ")),
        )
    }

    fn word(&self, value: NodeId) -> Result<&str, Error> {
        match self.tree.scalar(value) {
            Some(scalar) if !self.tree.is_null(value) => Ok(scalar.content),
            _ => Err(self.wrong(
                value,
                "a single value is expected here",
                "see docs/config.md",
            )),
        }
    }

    fn pattern(&self, value: NodeId) -> Result<Pattern, Error> {
        let word = self.word(value)?;
        Pattern::parse(word).map_err(|error| {
            let span = self.tree.node(value).span;
            // the text of a quoted scalar begins one byte later
            let quote = usize::from(self.tree.slice(span).starts_with(['"', '\'']));
            let start = span.start as usize + quote + error.offset;
            self.wrong_at(
                start,
                error.message,
                "write it like `spec.containers[name=*].image`",
            )
        })
    }

    fn glob(&self, value: NodeId) -> Result<GlobMatcher, Error> {
        let glob = path_glob(self.word(value)?);
        glob.map(|glob| glob.compile_matcher()).map_err(|error| {
            let message = error.kind().to_string();
            self.wrong(value, &message, "write it like `charts/**/*.yaml`")
        })
    }

    fn keys(&self, value: NodeId) -> Result<Vec<String>, Error> {
        let keys = self.tree.values(value);
        let keys = keys.map(|key| Ok(self.word(key)?.to_owned()));
        let keys: Vec<String> = keys.collect::<Result<_, Error>>()?;
        if keys.is_empty() || keys.len() > 2 {
            return Err(self.wrong(
                value,
                "a list of one key or two is expected here",
                "write it like `[port, protocol]`",
            ));
        }
        Ok(keys)
    }

    fn wrong(&self, node: NodeId, message: &str, help: &str) -> Error {
        self.wrong_at(self.tree.node(node).span.start as usize, message, help)
    }

    fn wrong_at(&self, offset: usize, message: &str, help: &str) -> Error {
        invalid_rules(self.path, self.tree.text(), offset, message, help)
    }
}

/// Returns true if a file, after following links, is in the package's repository; without a
/// repository, in the package. Returns true for a file that does not exist, which is reported
/// elsewhere.
fn is_in_repository(package: &Path, file: &Path) -> bool {
    let Ok(file) = file.canonicalize() else {
        return true;
    };
    let Ok(package) = package.canonicalize() else {
        return false;
    };
    let top = git_folder(&package).map_or(package, |(top, _)| top);
    let inside = file.strip_prefix(top);
    inside.is_ok_and(|inside| !inside.iter().any(|name| name.eq_ignore_ascii_case(".git")))
}
