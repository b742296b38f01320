//! `merge3 explain`: prints the three values at a path, what each side changed, the rule that
//! decided, and the result.

use std::path::{Path, PathBuf};

use super::merge_args::{MergeArgs, SidesArgs};
use super::output::DisplayArgs;
use super::print::{Printer, Streams};
use super::run::in_threads;
use crate::error::{Error, shown};
use crate::merge::{
    Conflict, ConflictKind, MarkerStyle, Merged, Pattern, ReadDocument, merge_document,
};
use crate::package::{Paired, Settings, documents_in};
use crate::report;
use crate::secret::may_be_in;
use crate::triple::{Change, Triple};
use crate::visible::visible_lines;
use crate::yaml::{EntryId, NodeId, NodeKind, Tree, equal, stream::split};

/// The help for a file or path that has nothing to explain.
const HELP: &str = "give the file as it is in the package, and the \
    path as in `spec.containers[name=app].image`";

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "merge3 explain [OPTIONS] --ancestor <OLD> --from <NEW> --to <LOCAL>\n                      <FILE> <PATH>"
)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    sides: SidesArgs,
    #[command(flatten)]
    merge: MergeArgs,
    #[command(flatten)]
    display: DisplayArgs,
    /// The file, relative to the package
    file: PathBuf,
    /// Where in it, such as spec.template.spec.containers[name=app].image
    path: String,
}

impl ExplainArgs {
    /// Prints the explanation.
    pub(super) fn run(self, streams: &mut Streams<'_>) -> u8 {
        let (printer, sides) = (Printer::showing(self.display), self.sides.paths());
        let settings = Settings {
            show_secrets: printer.display.secrets,
            ..self.merge.settings(MarkerStyle::default())
        };
        let text = in_threads(None, &sides, || {
            explain(&sides, &settings, &self.file, &self.path)
        });
        printer.print(text.map(|text| visible_lines(&text)), streams)
    }
}

/// Returns the explanation for a path of a file, one for each resource that has the path.
///
/// # Errors
/// The path is invalid, no side has the file as YAML, or no side has the path.
fn explain(
    sides: &Triple<PathBuf>,
    settings: &Settings,
    file: &Path,
    path: &str,
) -> Result<String, Error> {
    let pattern = Pattern::parse(path).map_err(|error| {
        let message = format!("'{path}' is not a path in a document: {}", error.message);
        Error::refused(message, HELP)
    })?;
    let documents = documents_in(sides, settings, file)?;
    if documents.is_empty() {
        return Err(Error::refused(
            format!("no side has {} as YAML", shown(file)),
            HELP,
        ));
    }
    let mut text = String::new();
    for paired in &documents {
        let is_hidden = !settings.show_secrets && is_secret_value(paired, path);
        text.extend(explain_one(paired, &pattern, file, is_hidden)?);
    }
    if text.is_empty() {
        return Err(Error::refused(
            format!("there is no {path} in {} on any side", shown(file)),
            HELP,
        ));
    }
    Ok(text)
}

/// Returns true if the values at a path may be secret: the document may be a Secret, and the path
/// is none of its public fields.
fn is_secret_value(paired: &Paired, path: &str) -> bool {
    const PUBLIC: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];
    let sides = paired.texts.as_ref().into_array();
    let mut texts = sides.into_iter().flatten();
    texts.any(|text| may_be_in(text.as_bytes()))
        && !PUBLIC.contains(&path)
        && path != "metadata.name"
}

/// The entry that a side has at the path.
#[derive(Clone, Copy)]
struct FoundEntry<'t> {
    tree: &'t Tree<'t>,
    entry: EntryId,
}

/// The entry of each side at the path, if the side has it.
struct Sides<'t>(Triple<Option<FoundEntry<'t>>>);

/// Returns the explanation for one document; `None` if no side has the path.
fn explain_one(
    paired: &Paired,
    pattern: &Pattern,
    file: &Path,
    is_hidden: bool,
) -> Result<Option<String>, Error> {
    let texts = paired.texts.as_ref().map(Option::as_deref);
    let documents = texts.map(|text| text.map(split).unwrap_or_default());
    let documents = documents.as_ref().map(|documents| documents.first());
    let trees = documents.map(|document| Tree::parse(document?.text).ok().flatten());
    let trees = trees.as_ref().map(Option::as_ref);
    let found = trees.map(|tree| {
        let (tree, entry) = (tree?, *pattern.find(tree?).first()?);
        Some(FoundEntry { tree, entry })
    });
    if found.is_empty() {
        return Ok(None);
    }
    let sides = documents.zip(trees).map(|(document, tree)| {
        let (document, tree) = document.zip(tree)?;
        Some(ReadDocument { document, tree })
    });
    let merged = merge_document(sides, paired.resource, &paired.options).map_err(|error| {
        Error::Verification {
            file: file.to_owned(),
            path: error.path,
            message: error.message,
        }
    })?;
    let found = Sides(found);
    let (result, why) = result_and_reason(paired, &merged, &found, pattern);
    Ok(Some(found.to_text(result.as_deref(), &why, is_hidden)))
}

/// Returns the value that the merge gives at the path, and the rule that decided it.
fn result_and_reason(
    paired: &Paired,
    merged: &Merged,
    sides: &Sides<'_>,
    pattern: &Pattern,
) -> (Option<String>, String) {
    let local = paired.texts.local.as_deref().unwrap_or_default();
    match (&paired.texts.updated, &paired.texts.local) {
        (Some(_), Some(_)) => {
            let text = merged.text.as_deref().unwrap_or(local);
            let why = sides.reason(&merged.conflicts, &merged.noted);
            (value_in(text, pattern), why)
        }
        (Some(_), None) if paired.stays_out => (
            None,
            "the local side deleted the file or folder as a whole, so \
             nothing new comes there (rules: Deleted files and folders)"
                .to_owned(),
        ),
        (Some(updated), None) if paired.texts.original.is_none() => (
            value_in(updated, pattern),
            "upstream brought the document, so it is added whole (rules: Documents)".to_owned(),
        ),
        (_, None) => (
            None,
            "the local side deleted the document, so it \
             stays deleted (rules: Documents)"
                .to_owned(),
        ),
        (None, Some(local)) if paired.texts.original.is_none() => (
            value_in(local, pattern),
            "only the local side has the document: it is \
             kept as it is (rules: Documents)"
                .to_owned(),
        ),
        (None, Some(_)) => (
            None,
            "upstream deleted the document: it goes; where local changed \
             it, that is a conflict (rules: Documents)"
                .to_owned(),
        ),
    }
}

/// Returns the value at a path of a merged text. If the text does not parse, it contains conflict
/// markers, and the result says so.
fn value_in(text: &str, pattern: &Pattern) -> Option<String> {
    match Tree::parse(text) {
        Ok(tree) => {
            let tree = tree?;
            let entry = *pattern.find(&tree).first()?;
            Some(tree.text_of(tree.entry(entry).value))
        }
        Err(_) => Some("(between conflict markers)".to_owned()),
    }
}

impl FoundEntry<'_> {
    fn value(&self) -> NodeId {
        self.tree.entry(self.entry).value
    }
}

/// Returns true if two sides have equal values, or neither has a value.
fn is_same(left: &Option<FoundEntry<'_>>, right: &Option<FoundEntry<'_>>) -> bool {
    match left.zip(*right) {
        Some((left, right)) => equal(left.tree, left.value(), right.tree, right.value()),
        None => left.is_none() && right.is_none(),
    }
}

impl Sides<'_> {
    /// Returns the explanation as text.
    fn to_text(&self, result: Option<&str>, why: &str, is_hidden: bool) -> String {
        let value_text = |value: Option<&str>| match value {
            None => " (absent)".to_owned(),
            Some(_) if is_hidden => " (secret)".to_owned(),
            Some("") => " (empty)".to_owned(),
            Some(value) if value.contains('\n') => {
                let lines: String = value.lines().map(|line| format!("\n    {line}")).collect();
                lines
            }
            Some(value) => format!(" {value}"),
        };
        let values = self
            .0
            .map(|side| side.map(|it| it.tree.text_of(it.value())));
        format!(
            "original:{}\nupdated:{}\nlocal:{}\nupstream: {}\nlocally: {}\nrule: {why}\n\
             result:{}\n",
            value_text(values.original.as_deref()),
            value_text(values.updated.as_deref()),
            value_text(values.local.as_deref()),
            self.change_of(&self.0.updated),
            self.change_of(&self.0.local),
            value_text(result),
        )
    }

    /// Returns what a side did to the original's value, in a word.
    fn change_of(&self, side: &Option<FoundEntry<'_>>) -> &'static str {
        match (&self.0.original, side) {
            (original, side) if is_same(original, side) => "unchanged",
            (None, _) => "added",
            (_, None) => "deleted",
            _ => "changed",
        }
    }

    /// Returns the rule that decided the value, in words.
    fn reason(&self, conflicts: &[Conflict], noted: &[Conflict]) -> String {
        let is_pin = |it: &&Conflict| it.kind == ConflictKind::Pinned;
        let mut records = noted
            .iter()
            .filter(is_pin)
            .chain(conflicts)
            .chain(noted.iter().filter(|it| !is_pin(it)));
        if let Some(record) = records.find(|record| self.is_covered_by(record)) {
            return report::reason(record);
        }
        match self.0.change_by(is_same) {
            Change::Nobody => "no side changed it: it stays as it is (rules: Laws)",
            Change::Local => "upstream did not change it: the local side stays (rules: Scalars)",
            Change::BothAlike => "both sides changed it alike: it stays (rules: Scalars)",
            Change::Upstream => match (self.0.updated, self.0.original) {
                (None, _) => "only upstream changed it: what it deleted goes (rules: Scalars)",
                (_, None) => "only upstream has it: it is added (rules: Maps, Lists)",
                _ => "only upstream changed it: its value is taken (rules: Scalars)",
            },
            Change::BothApart => self.merged_below(),
        }
        .to_owned()
    }

    /// Returns the rule for a map or list that both sides changed without a conflict.
    fn merged_below(&self) -> &'static str {
        let is_list = self.0.local.is_some_and(|local| {
            let value = local.tree.node(local.tree.resolve(local.value()));
            matches!(value.kind, NodeKind::Sequence(_))
        });
        if is_list {
            "both sides changed the list in different elements: they \
             merge by what identifies them (rules: Lists with a key)"
        } else {
            "both sides changed different fields in it: maps merge by key (rules: Maps)"
        }
    }

    /// Returns true if a record is about the entry at the path, or about one that contains it.
    fn is_covered_by(&self, record: &Conflict) -> bool {
        if record.path.is_empty() {
            return true;
        }
        let Ok(pattern) = Pattern::parse(&record.path) else {
            return false;
        };
        let mut sides = self.0.into_array().into_iter().flatten();
        sides.any(|FoundEntry { tree, entry }| {
            let inner = tree.entry(entry).span;
            pattern.find(tree).into_iter().any(|found| {
                let span = tree.entry(found).span;
                span.start <= inner.start && inner.end <= span.end
            })
        })
    }
}
