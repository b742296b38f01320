//! Reads the rules of `.merge3.yaml`, and says where it is wrong.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use globset::GlobMatcher;

use super::{Named, Rules, Scoped, no_rules};
use crate::error::{Error, Place};
use crate::merge::{Pattern, Rule, Take};
use crate::package::git_folder;
use crate::package::yaml_names::path_glob;
use crate::yaml::{EntryId, NodeId, NodeKind, Span, Tree};

const WORDS: [&str; 9] = [
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

/// Reads a tree as rules.
pub(super) struct RuleReader<'r> {
    pub(super) path: &'r Path,
    pub(super) text: &'r str,
    pub(super) tree: &'r Tree<'r>,
    pub(super) named: Named,
    /// Whether the file may hold a Secret: looked for once, for each rule has a place.
    pub(super) is_hidden: bool,
}

impl RuleReader<'_> {
    pub(super) fn rules(&self) -> Result<Rules, Error> {
        let tree = self.tree;
        let root = tree.root().value;
        if !matches!(tree.node(root).kind, NodeKind::Mapping(_)) {
            return Err(self.wrong(
                root,
                "a map with the field `rules` is expected",
                "begin the file with `rules:`",
            ));
        }
        let mut rules = Rules::default();
        let mut definitions = None;
        for field in tree.entries(root) {
            let value = tree.entry(field).value;
            match self.known(
                field,
                &["rules", "schema", "crds", "upstream", "upstreamLock"],
            )? {
                "schema" => {
                    let word = self.word(value)?;
                    if word != "kubernetes" {
                        return Err(self.unknown(value, word, &["kubernetes"]));
                    }
                    rules.schema.get_or_insert_default();
                }
                "crds" => definitions = Some((value, self.definitions(value)?)),
                // where the package comes from is no matter of a merge
                "upstream" | "upstreamLock" => {}
                _ => {
                    let help = "write each rule behind a dash, such as `- path: spec.replicas`";
                    for element in self.list(value, "a list of rules is expected", help)? {
                        rules.rules.push(self.rule(element)?);
                    }
                }
            }
        }
        if let Some((value, files)) = definitions {
            let Some(schema) = &mut rules.schema else {
                return Err(self.wrong(
                    value,
                    "these files say how fields merge, and nothing asks for that",
                    "add `schema: kubernetes`",
                ));
            };
            schema.definitions = files;
        }
        Ok(rules)
    }

    fn list(
        &self,
        list: NodeId,
        message: &str,
        help: &str,
    ) -> Result<impl Iterator<Item = EntryId> + use<>, Error> {
        match self.tree.node(list).kind {
            NodeKind::Sequence(_) => Ok(self.tree.entries(list)),
            _ => Err(self.wrong(list, message, help)),
        }
    }

    /// Files, relative to the one that is read.
    fn definitions(&self, list: NodeId) -> Result<Vec<PathBuf>, Error> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let help = "write it like `crds: [crds/shop.yaml]`";
        self.list(list, "a list of files is expected", help)?
            .map(|element| {
                let value = self.tree.entry(element).value;
                let file = folder.join(self.word(value)?);
                match self.named == Named::ByUser || is_in_repository(folder, &file) {
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

    fn rule(&self, element: EntryId) -> Result<Scoped, Error> {
        let tree = self.tree;
        let map = tree.entry(element).value;
        if !matches!(tree.node(map).kind, NodeKind::Mapping(_)) {
            return Err(self.wrong(
                map,
                "a rule is a map",
                "write it like `- path: spec.replicas`",
            ));
        }
        let place = self.place(tree.entry(element).span.start);
        let mut scoped = Scoped {
            rule: Rule {
                origin: format!("{}:{}", self.name(), place.line).into(),
                path: Pattern::default(),
                take: None,
                lists: None,
                texts: None,
                images: None,
                keys: Vec::new(),
            },
            kind: None,
            api_version: None,
            file: None,
            place,
        };
        for field in tree.entries(map) {
            self.field(&mut scoped, field)?;
        }
        self.complete(map, &scoped.rule)?;
        Ok(scoped)
    }

    fn field(&self, scoped: &mut Scoped, field: EntryId) -> Result<(), Error> {
        let name = self.known(field, &WORDS)?;
        let value = self.tree.entry(field).value;
        let rule = &mut scoped.rule;
        match name {
            "path" => rule.path = self.pattern(value)?,
            "kind" => scoped.kind = Some(self.word(value)?.to_owned()),
            "apiVersion" => scoped.api_version = Some(self.word(value)?.to_owned()),
            "file" => scoped.file = Some(self.glob(value)?),
            "take" => rule.take = Some(self.one_of(value)?),
            "lists" => rule.lists = Some(self.one_of(value)?),
            "texts" => rule.texts = Some(self.one_of(value)?),
            "images" => rule.images = Some(self.one_of(value)?),
            _ => rule.keys = self.keys(value)?,
        }
        Ok(())
    }

    /// A rule says what it is about, and does not contradict itself.
    fn complete(&self, map: NodeId, rule: &Rule) -> Result<(), Error> {
        let for_lists = rule.lists.is_some() || !rule.keys.is_empty();
        let for_scalars = rule.texts.is_some() || rule.images.is_some();
        let needs_path = for_lists || for_scalars || rule.take == Some(Take::Higher);
        let (message, help) = if rule.take.is_none() && !for_lists && !for_scalars {
            (
                "this rule says nothing",
                "add `take`, `lists`, `keys`, `texts` or `images`",
            )
        } else if needs_path && rule.path.is_whole() {
            (
                "this rule is about one place and does not say which",
                "add the `path` of the list, the text, the image or the version",
            )
        } else if rule.lists.is_some() && !rule.keys.is_empty() {
            (
                "`lists` and `keys` exclude each other",
                "elements that keys identify merge as maps: leave `lists` out",
            )
        } else {
            return Ok(());
        };
        Err(self.wrong(map, message, help))
    }

    /// A field's name, which has to be one of these.
    fn known<'w>(&self, field: EntryId, words: &[&'w str]) -> Result<&'w str, Error> {
        let key = self
            .tree
            .entry(field)
            .key
            .and_then(|key| Some((key, self.tree.scalar(key)?)));
        let found = key.and_then(|(_, name)| words.iter().find(|word| name.content == **word));
        match (found, key) {
            (Some(word), _) => Ok(*word),
            (None, Some((key, name))) => Err(self.unknown(key, name.content, words)),
            (None, None) => Err(self.wrong(
                self.tree.entry(field).value,
                "a name is missing here",
                "see docs/config.md",
            )),
        }
    }

    fn one_of<T: ValueEnum>(&self, value: NodeId) -> Result<T, Error> {
        let word = self.word(value)?;
        T::from_str(word, false).map_err(|_| {
            let known = T::value_variants().iter().filter_map(T::to_possible_value);
            let names: Vec<String> = known.map(|it| it.get_name().to_owned()).collect();
            self.unknown(value, word, &names)
        })
    }

    fn unknown(&self, node: NodeId, word: &str, known: &[impl Display]) -> Error {
        let quoted: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
        self.wrong(
            node,
            &format!("`{word}` is no word that is known here"),
            &format!("the words are {}", quoted.join(", ")),
        )
    }

    fn word(&self, value: NodeId) -> Result<&str, Error> {
        match self.tree.scalar(value) {
            Some(scalar) if !self.tree.is_null(value) => Ok(scalar.content),
            _ => Err(self.wrong(value, "one word is expected here", "see docs/config.md")),
        }
    }

    fn pattern(&self, value: NodeId) -> Result<Pattern, Error> {
        let word = self.word(value)?;
        Pattern::parse(word).map_err(|error| {
            let span = self.tree.node(value).span;
            // in quotes, the text begins one byte later
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
        let elements = self.tree.entries(value);
        let keys: Vec<String> = elements
            .map(|element| self.word(self.tree.entry(element).value).map(str::to_owned))
            .collect::<Result<_, _>>()?;
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
        no_rules(self.path, self.text, offset, message, help)
    }

    fn place(&self, offset: u32) -> Place {
        let start = self.tree.line_start(offset);
        let line = Span::new(start, self.tree.line_end(offset));
        let number = self.tree.line_number(offset);
        let within = (offset - start) as usize;
        Place::in_line(
            self.path,
            self.tree.slice(line),
            number,
            within,
            self.is_hidden,
        )
    }

    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// Whether a file is in the repository that a package is in, links followed; in the package, where
/// that is in none. One that is not there is told of elsewhere.
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
