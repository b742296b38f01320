//! `.merge3.yaml`: rules for single places of a package, each limited to a kind, an API version or some files if it says so.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobMatcher};

use super::SchemaSource;
use super::disk::read_named;
use super::load::Slot;
use super::parsed::{Parsed, ParsedFile, Readings, Trees};
use crate::error::{Error, Place, Warning};
use crate::merge::{Lists, OnConflict, Options, Pattern, Resolution, Rule, Take};
use crate::yaml::{EntryId, NodeId, NodeKind, Tree};

/// The file in the local package that rules are read from where none is given.
pub(crate) const RULES_FILE: &str = ".merge3.yaml";

const WORDS: [&str; 7] = [
    "path",
    "kind",
    "apiVersion",
    "file",
    "take",
    "lists",
    "keys",
];

/// The rules of a package.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<Scoped>,
    /// What it says of `--schema` and `--crd`.
    schema: Option<SchemaSource>,
}

/// A rule and the documents that it is for.
#[derive(Debug)]
struct Scoped {
    rule: Rule,
    kind: Option<String>,
    api_version: Option<String>,
    file: Option<GlobMatcher>,
    place: Place,
    /// Whether there is anything that it is for.
    matched: AtomicBool,
}

impl Rules {
    /// Reads the rules of a file.
    ///
    /// # Errors
    /// Where it cannot be read, or does not hold rules.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let text = read_named(path)
            .and_then(|bytes| {
                String::from_utf8(bytes)
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
            })
            .map_err(|error| Error::Read {
                path: path.to_owned(),
                error,
            })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let tree = Tree::parse(text).map_err(|error| Error::Rules {
            place: Box::new(Place::new(path, text, error.offset)),
            message: error.message,
            help: error.help.unwrap_or_else(|| "repair the file".to_owned()),
        })?;
        match tree {
            Some(tree) => Reader {
                path,
                text,
                tree: &tree,
            }
            .rules(),
            None => Ok(Self::default()),
        }
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
    pub(crate) fn unmatched(&self, slots: &[Slot], files: &[Option<Readings<'_>>]) -> Vec<Warning> {
        let open = || {
            self.rules
                .iter()
                .filter(|scoped| !scoped.matched.load(Ordering::Relaxed))
        };
        for (slot, readings) in slots.iter().zip(files) {
            if open().next().is_none() {
                break;
            }
            for scoped in open().filter(|scoped| scoped.is_for_file(&slot.path)) {
                scoped.look_into(slot, readings.as_ref());
            }
        }
        open()
            .map(|scoped| Warning {
                path: scoped.place.path.clone(),
                place: Some(scoped.place.clone()),
                message: "this rule matches nothing in the package".to_owned(),
            })
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
            let says = |field: &str| {
                let entry = tree.find(tree.root().value, field)?;
                Some(&tree.scalar(tree.entry(entry).value)?.content)
            };
            wanted.all(|(field, word)| says(field).is_some_and(|said| said == word))
        })
    }

    /// Notes whether there is anything in a file, on any side, that the rule is for.
    fn look_into(&self, slot: &Slot, readings: Option<&Readings<'_>>) {
        let has = |file: &ParsedFile<'_>| {
            file.documents.iter().any(|document| {
                self.is_for(document)
                    && document.tree().is_some_and(|tree| {
                        self.rule.path.is_whole() || !self.rule.path.find(&tree).is_empty()
                    })
            })
        };
        let found = if !slot.yaml {
            self.fits(&slot.path, None)
        } else if let Some(readings) = readings {
            let sides = readings.as_ref().into_array();
            let mut files = sides
                .into_iter()
                .filter_map(|it| it.as_ref()?.as_ref().ok());
            files.any(|file| has(file))
        } else {
            let sources = slot.sides.as_ref().into_array();
            sources.into_iter().flatten().any(|source| {
                let text = std::str::from_utf8(&source.bytes).ok();
                let file =
                    text.and_then(|text| ParsedFile::parse(&slot.path, text, Trees::Kept).ok());
                file.is_some_and(|file| has(&file))
            })
        };
        if found {
            self.matched.store(true, Ordering::Relaxed);
        }
    }
}

/// Reads a tree as rules.
struct Reader<'r> {
    path: &'r Path,
    text: &'r str,
    tree: &'r Tree<'r>,
}

impl Reader<'_> {
    fn rules(&self) -> Result<Rules, Error> {
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
                    self.one_of(value, &[("kubernetes", ())])?;
                    rules.schema.get_or_insert_default();
                }
                "crds" => definitions = Some((value, self.definitions(value)?)),
                // where the package comes from is no matter of a merge
                "upstream" | "upstreamLock" => {}
                _ => {
                    for element in self.list(value)? {
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

    fn list(&self, list: NodeId) -> Result<impl Iterator<Item = EntryId> + use<>, Error> {
        if matches!(self.tree.node(list).kind, NodeKind::Sequence(_)) {
            return Ok(self.tree.entries(list));
        }
        Err(self.wrong(
            list,
            "a list of rules is expected",
            "write each rule behind a dash, such as `- path: spec.replicas`",
        ))
    }

    /// Files, relative to the one that is read.
    fn definitions(&self, list: NodeId) -> Result<Vec<PathBuf>, Error> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        if !matches!(self.tree.node(list).kind, NodeKind::Sequence(_)) {
            return Err(self.wrong(
                list,
                "a list of files is expected",
                "write it like `crds: [crds/shop.yaml]`",
            ));
        }
        self.tree
            .entries(list)
            .map(|element| Ok(folder.join(self.word(self.tree.entry(element).value)?)))
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
                origin: format!("{}:{}", self.name(), place.line),
                path: Pattern::default(),
                take: None,
                lists: None,
                keys: Vec::new(),
            },
            kind: None,
            api_version: None,
            file: None,
            place,
            matched: AtomicBool::new(false),
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
            "take" => {
                let sides = [("updated", Take::Updated), ("local", Take::Local)];
                rule.take = Some(self.one_of(value, &sides)?);
            }
            "lists" => {
                let ways = [
                    ("replace", Lists::Replace),
                    ("set", Lists::Set),
                    ("merge", Lists::Merge),
                ];
                rule.lists = Some(self.one_of(value, &ways)?);
            }
            _ => rule.keys = self.keys(value)?,
        }
        Ok(())
    }

    /// A rule says what it is about, and does not contradict itself.
    fn complete(&self, map: NodeId, rule: &Rule) -> Result<(), Error> {
        let for_lists = rule.lists.is_some() || !rule.keys.is_empty();
        let (message, help) = if rule.take.is_none() && !for_lists {
            ("this rule says nothing", "add `take`, `lists` or `keys`")
        } else if for_lists && rule.path.is_whole() {
            (
                "this rule is about a list and does not say which",
                "add the list's `path`",
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
            (None, Some((key, name))) => Err(self.wrong(
                key,
                &format!("`{}` is no word that is known here", name.content),
                &format!("the words are {}", listed(words)),
            )),
            (None, None) => Err(self.wrong(
                self.tree.entry(field).value,
                "a name is missing here",
                "see docs/config.md",
            )),
        }
    }

    fn one_of<T: Copy>(&self, value: NodeId, words: &[(&str, T)]) -> Result<T, Error> {
        let word = self.word(value)?;
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        match words.iter().find(|(name, _)| *name == word) {
            Some((_, meaning)) => Ok(*meaning),
            None => Err(self.wrong(
                value,
                &format!("`{word}` is no word that is known here"),
                &format!("the words are {}", listed(&names)),
            )),
        }
    }

    fn word(&self, value: NodeId) -> Result<&str, Error> {
        match self.tree.scalar(value) {
            Some(scalar) if !self.tree.is_null(value) => Ok(&scalar.content),
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
        let glob = GlobBuilder::new(self.word(value)?)
            .literal_separator(true)
            .build();
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
        Error::Rules {
            place: Box::new(Place::new(self.path, self.text, offset)),
            message: message.to_owned(),
            help: help.to_owned(),
        }
    }

    fn place(&self, offset: u32) -> Place {
        Place::new(self.path, self.text, offset as usize)
    }

    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// Where the rules of a run are: what was given, else the file at the top of the local package, if there is one.
pub(crate) fn rules_file(given: Option<&PathBuf>, local: &Path) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(given.clone());
    }
    let file = local.join(RULES_FILE);
    (local.is_dir() && file.is_file()).then_some(file)
}

/// A policy that gives this resolution.
pub(crate) const fn policy(resolution: Resolution) -> OnConflict {
    match resolution {
        Resolution::Updated => OnConflict::Updated,
        Resolution::Local | Resolution::Open => OnConflict::Local,
        Resolution::Markers => OnConflict::Markers,
    }
}
