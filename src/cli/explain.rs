//! `merge3 explain`: prints the three values at a path, what each side changed, the rule that
//! decided, and the result.

use std::path::{Path, PathBuf};

use super::merge_args::{MergeArgs, SidesArgs};
use super::output::DisplayArgs;
use super::print::{Printer, Streams};
use super::run::in_threads;
use crate::error::{Error, shown};
use crate::merge::{
    Conflict, ConflictKind, MarkerStyle, Merged, Pattern, ReadDocument, Shape, merge_document,
    shape,
};
use crate::package::{Paired, Settings, documents_in, verification_error};
use crate::report;
use crate::secret::{PUBLIC_FIELDS, may_contain_secret};
use crate::triple::{Change, Triple};
use crate::visible::visible_lines;
use crate::yaml::{EntryId, Tree, equal, stream::split};

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
        let settings = self.merge.settings(MarkerStyle::default());
        let settings = printer.args.display.settings(settings);
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
        let message = format!("no side has {} as YAML", shown(file));
        return Err(Error::refused(message, HELP));
    }
    let mut text = String::new();
    for paired in &documents {
        let is_hidden = !settings.show_secrets && is_secret_value(paired, path);
        text.extend(explain_one(paired, &pattern, file, is_hidden)?);
    }
    if text.is_empty() {
        let message = format!("there is no {path} in {} on any side", shown(file));
        return Err(Error::refused(message, HELP));
    }
    Ok(text)
}

/// Returns true if the values at a path may be secret: the document may be a Secret, and the path
/// is none of its public fields.
fn is_secret_value(paired: &Paired, path: &str) -> bool {
    let sides = paired.texts.as_ref().into_array();
    let mut texts = sides.into_iter().flatten();
    texts.any(|text| may_contain_secret(text.as_bytes()))
        && !PUBLIC_FIELDS.contains(&path)
        && path != "metadata.name"
}

/// The tree of a side and its entry at the path.
type Found<'t> = (&'t Tree<'t>, EntryId);

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
    let found = trees.map(|tree| Some((tree?, *pattern.find(tree?).first()?)));
    if found.is_empty() {
        return Ok(None);
    }
    let sides = documents.zip(trees).map(|(document, tree)| {
        let (document, tree) = document.zip(tree)?;
        Some(ReadDocument { document, tree })
    });
    let merged = merge_document(sides, paired.resource, &paired.options);
    let merged = merged.map_err(|error| {
        let texts = texts.into_array().into_iter().flatten();
        verification_error(file.to_owned(), error, texts)
    })?;
    let (result, rule) = result_and_rule(paired, &merged, &found, pattern);
    let shown = |value: Option<&str>| match value {
        None => " (absent)".to_owned(),
        Some(_) if is_hidden => " (secret)".to_owned(),
        Some("") => " (empty)".to_owned(),
        Some(value) if value.contains('\n') => {
            let lines = value.lines();
            lines.flat_map(|line| ["\n    ", line]).collect()
        }
        Some(value) => format!(" {value}"),
    };
    let value = |side: Option<Found<'_>>| shown(side.map(value_of).as_deref());
    Ok(Some(format!(
        "original:{}\nupdated:{}\nlocal:{}\nupstream: {}\nlocally: {}\nrule: {rule}\nresult:{}\n",
        value(found.original),
        value(found.updated),
        value(found.local),
        change_in_a_word(&found.original, &found.updated),
        change_in_a_word(&found.original, &found.local),
        shown(result.as_deref()),
    )))
}

/// Returns the value that the merge gives at the path, and the rule that decided it.
fn result_and_rule(
    paired: &Paired,
    merged: &Merged,
    found: &Triple<Option<Found<'_>>>,
    pattern: &Pattern,
) -> (Option<String>, String) {
    let [original, updated, local] = paired.texts.as_ref().map(Option::as_deref).into_array();
    let (text, rule) = match (updated, local) {
        (Some(_), Some(local)) => {
            let text = merged.text.as_deref().unwrap_or(local);
            return (value_in(text, pattern), rule_at(found, merged));
        }
        (Some(_), None) if paired.stays_out => (
            None,
            "the local side deleted the file or folder as a whole, so \
             nothing new comes there (rules: Deleted files and folders)",
        ),
        (Some(_), None) if original.is_none() => (
            updated,
            "upstream brought the document, so it is added whole (rules: Documents)",
        ),
        (_, None) => (
            None,
            "the local side deleted the document, so it stays deleted (rules: Documents)",
        ),
        (None, Some(_)) if original.is_none() => (
            local,
            "only the local side has the document: it is kept as it is (rules: Documents)",
        ),
        (None, Some(_)) => (
            None,
            "upstream deleted the document: it goes; where local changed \
             it, that is a conflict (rules: Documents)",
        ),
    };
    let value = text.and_then(|text| value_in(text, pattern));
    (value, rule.to_owned())
}

/// Returns the value at a path of a merged text. If the text does not parse, it contains conflict
/// markers, and the result says so.
fn value_in(text: &str, pattern: &Pattern) -> Option<String> {
    match Tree::parse(text) {
        Ok(tree) => {
            let tree = tree?;
            let entry = *pattern.find(&tree).first()?;
            Some(value_of((&tree, entry)))
        }
        Err(_) => Some("(between conflict markers)".to_owned()),
    }
}

/// Returns the text of the value of an entry.
fn value_of((tree, entry): Found<'_>) -> String {
    tree.text_of(tree.entry(entry).value)
}

/// Returns true if two sides have equal values, or neither has a value.
fn is_same(left: &Option<Found<'_>>, right: &Option<Found<'_>>) -> bool {
    match (*left, *right) {
        (Some((tree, entry)), Some((other_tree, other))) => {
            let (value, other) = (tree.entry(entry).value, other_tree.entry(other).value);
            equal(tree, value, other_tree, other)
        }
        _ => left.is_none() && right.is_none(),
    }
}

/// Returns what a side did to the original's value, in a word.
fn change_in_a_word(original: &Option<Found<'_>>, side: &Option<Found<'_>>) -> &'static str {
    match (original, side) {
        _ if is_same(original, side) => "unchanged",
        (None, _) => "added",
        (_, None) => "deleted",
        _ => "changed",
    }
}

/// Returns the rule that decided the value, in words.
fn rule_at(found: &Triple<Option<Found<'_>>>, merged: &Merged) -> String {
    let is_pin = |it: &&Conflict| it.kind == ConflictKind::Pinned;
    let (pins, notes): (Vec<_>, Vec<_>) = merged.notes.iter().partition(is_pin);
    let mut records = pins.into_iter().chain(&merged.conflicts).chain(notes);
    if let Some(record) = records.find(|record| is_covered_by(found, record)) {
        return report::reason(record);
    }
    match found.change_by(is_same) {
        Change::Neither => "no side changed it: it stays as it is (rules: Laws)",
        Change::Local => "upstream did not change it: the local side stays (rules: Scalars)",
        Change::BothSame => "both sides changed it alike: it stays (rules: Scalars)",
        Change::Upstream => match (found.updated, found.original) {
            (None, _) => "only upstream changed it: what it deleted goes (rules: Scalars)",
            (_, None) => "only upstream has it: it is added (rules: Maps, Lists)",
            _ => "only upstream changed it: its value is taken (rules: Scalars)",
        },
        Change::BothDiffer if found.local.is_some_and(is_list) => {
            "both sides changed the list in different elements: they \
             merge by what identifies them (rules: Lists with a key)"
        }
        Change::BothDiffer => {
            "both sides changed different fields in it: maps merge by key (rules: Maps)"
        }
    }
    .to_owned()
}

fn is_list((tree, entry): Found<'_>) -> bool {
    shape(tree, tree.entry(entry).value) == Shape::List
}

/// Returns true if a record is about the entry at the path, or about one that contains it.
fn is_covered_by(found: &Triple<Option<Found<'_>>>, record: &Conflict) -> bool {
    let Ok(pattern) = Pattern::parse(record.path()) else {
        return false;
    };
    let is_inside = |(tree, entry): Found<'_>| {
        let inner = tree.entry(entry).span;
        pattern.find(tree).into_iter().any(|found| {
            let span = tree.entry(found).span;
            span.start <= inner.start && inner.end <= span.end
        })
    };
    pattern.is_whole() || found.into_iter().flatten().any(is_inside)
}
