//! `merge3 explain`: the three values at a path, what each side did, the rule that decided, and the
//! result.

use std::path::Path;

use super::config::Config;
use crate::error::Error;
use crate::merge::{Conflict, ConflictKind, Merged, Pattern, Side, merge_document};
use crate::package::{Paired, documents_in};
use crate::report;
use crate::secret::may_be_in;
use crate::triple::{Change, Triple};
use crate::yaml::{EntryId, NodeKind, Tree, equal, stream::split};

/// The answer as a text.
///
/// # Errors
/// Where the path is none, or nothing is there on any side.
pub(super) fn explain(config: &Config, file: &Path, path: &str) -> Result<String, Error> {
    let pattern = Pattern::parse(path).map_err(|error| Error::NoPath {
        path: path.to_owned(),
        message: error.message,
    })?;
    let documents = documents_in(&config.sides, &config.settings, file)?;
    if documents.is_empty() {
        return Err(Error::NothingThere {
            file: file.to_owned(),
            path: None,
        });
    }
    let mut text = String::new();
    for paired in &documents {
        if let Some(told) = explain_one(paired, &pattern, file)? {
            let told = if config.settings.show_secrets || !is_kept_in(paired, path) {
                told
            } else {
                without_values(&told)
            };
            text.push_str(&told);
        }
    }
    if text.is_empty() {
        return Err(Error::NothingThere {
            file: file.to_owned(),
            path: Some(path.to_owned()),
        });
    }
    Ok(text)
}

/// Whether the values at a path are those of a Secret.
fn is_kept_in(paired: &Paired, path: &str) -> bool {
    const OPEN: [&str; 4] = ["apiVersion", "kind", "type", "immutable"];
    let sides = paired.texts.as_ref().into_array();
    let mut texts = sides.into_iter().flatten();
    texts.any(|text| may_be_in(text.as_bytes())) && !OPEN.contains(&path) && path != "metadata.name"
}

/// What is told of a place, but for the values.
fn without_values(told: &str) -> String {
    let mut text = String::new();
    for line in told.lines() {
        let named = ["original:", "updated:", "local:", "result:"];
        let value = named
            .into_iter()
            .find_map(|name| Some((name, line.strip_prefix(name)?)));
        match value {
            Some((_, " (absent)")) => text.push_str(line),
            Some((name, _)) => {
                text.push_str(name);
                text.push_str(" (secret)");
            }
            // the further lines of a value are indented
            None if line.starts_with(' ') => continue,
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// A place in three trees: what each side has there.
struct Place<'t> {
    trees: Triple<Option<&'t Tree<'t>>>,
    entries: Triple<Option<EntryId>>,
}

fn explain_one(paired: &Paired, pattern: &Pattern, file: &Path) -> Result<Option<String>, Error> {
    let unfaithful = |path: String, message: String| Error::Unfaithful {
        file: file.to_owned(),
        path,
        message,
    };
    let texts = paired.texts.as_ref().map(Option::as_deref);
    let documents = texts.map(|text| text.map(split).unwrap_or_default());
    let trees = documents.as_ref().map(|documents| {
        let text = documents.first().map(|document| document.text);
        text.and_then(|text| Tree::parse(text).ok().flatten())
    });
    let entries = trees
        .as_ref()
        .map(|tree| pattern.find(tree.as_ref()?).first().copied());
    if entries.is_empty() {
        return Ok(None);
    }
    let place = Place {
        trees: trees.as_ref().map(Option::as_ref),
        entries,
    };
    let sides = documents
        .as_ref()
        .zip(trees.as_ref())
        .map(|(documents, tree)| {
            Some(Side {
                document: documents.first()?,
                tree: tree.as_ref()?,
            })
        });
    let merged = merge_document(sides, paired.resource, &paired.options)
        .map_err(|error| unfaithful(error.path, error.message))?;
    let (result, why) = result_and_reason(paired, &merged, &place, pattern);
    Ok(Some(place.told(result.as_deref(), &why)))
}

/// The value that the merge has at a place, and why.
fn result_and_reason(
    paired: &Paired,
    merged: &Merged,
    place: &Place<'_>,
    pattern: &Pattern,
) -> (Option<String>, String) {
    let local = paired.texts.local.as_deref().unwrap_or_default();
    match (&paired.texts.updated, &paired.texts.local) {
        (Some(_), Some(_)) => {
            let text = merged.text.as_deref().unwrap_or(local);
            let why = place.reason(&merged.conflicts, &merged.noted);
            (value_in(text, pattern), why)
        }
        (Some(_), None) if paired.stays_out => (
            None,
            "the local side deleted the file or folder as a whole, so nothing new comes there (rules: Deleted files and folders)"
                .to_owned(),
        ),
        (Some(updated), None) if paired.texts.original.is_none() => (
            value_in(updated, pattern),
            "upstream brought the document, so it is added whole (rules: Documents)".to_owned(),
        ),
        (_, None) => (
            None,
            "the local side deleted the document, so it stays deleted (rules: Documents)".to_owned(),
        ),
        (None, Some(local)) if paired.texts.original.is_none() => (
            value_in(local, pattern),
            "only the local side has the document: it is kept as it is (rules: Documents)".to_owned(),
        ),
        (None, Some(_)) => (
            None,
            "upstream deleted the document: it goes; where local changed it, that is a conflict (rules: Documents)".to_owned(),
        ),
    }
}

/// The value at a path of a text; a hunk of conflict markers is no value.
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

impl Place<'_> {
    fn told(&self, result: Option<&str>, why: &str) -> String {
        let shown = |value: Option<&str>| match value {
            None => " (absent)".to_owned(),
            Some("") => " (empty)".to_owned(),
            Some(value) if value.contains('\n') => {
                let lines: String = value.lines().map(|line| format!("\n    {line}")).collect();
                lines
            }
            Some(value) => format!(" {value}"),
        };
        let values = self
            .trees
            .zip(self.entries)
            .map(|(tree, entry)| Some(tree?.text_of(tree?.entry(entry?).value)));
        format!(
            "original:{}\nupdated:{}\nlocal:{}\nupstream: {}\nlocally: {}\nrule: {why}\nresult:{}\n",
            shown(values.original.as_deref()),
            shown(values.updated.as_deref()),
            shown(values.local.as_deref()),
            self.did(|sides| sides.updated),
            self.did(|sides| sides.local),
            shown(result),
        )
    }

    fn equal(
        &self,
        left: (Option<&Tree<'_>>, Option<EntryId>),
        right: (Option<&Tree<'_>>, Option<EntryId>),
    ) -> bool {
        match (left, right) {
            ((Some(left), Some(l)), (Some(right), Some(r))) => {
                equal(left, left.entry(l).value, right, right.entry(r).value)
            }
            ((_, l), (_, r)) => l.is_none() && r.is_none(),
        }
    }

    /// What a side did to the original's value.
    fn did<'p>(
        &'p self,
        side: impl Fn(
            Triple<(Option<&'p Tree<'p>>, Option<EntryId>)>,
        ) -> (Option<&'p Tree<'p>>, Option<EntryId>),
    ) -> &'static str {
        let sides = self.trees.zip(self.entries);
        let now = side(sides);
        if self.equal(sides.original, now) {
            return "unchanged";
        }
        match (sides.original.1, now.1) {
            (None, _) => "added",
            (_, None) => "deleted",
            _ => "changed",
        }
    }

    /// The rule that decided, in words.
    fn reason(&self, conflicts: &[Conflict], noted: &[Conflict]) -> String {
        let is_pin = |it: &&Conflict| it.kind == ConflictKind::Pinned;
        let mut records = noted
            .iter()
            .filter(is_pin)
            .chain(conflicts)
            .chain(noted.iter().filter(|it| !is_pin(it)));
        if let Some(record) = records.find(|record| self.is_at(record)) {
            return report::reason(record);
        }
        let sides = self.trees.zip(self.entries);
        let change = sides.change_by(|left, right| self.equal(*left, *right));
        match change {
            Change::Nobody => "nobody changed it: it stays as it is (rules: Laws)",
            Change::Local => "upstream did not change it: the local side stays (rules: Scalars)",
            Change::BothAlike => "both sides have made the same of it: it stays (rules: Scalars)",
            Change::Upstream => match (sides.updated.1, sides.original.1) {
                (None, _) => "only upstream changed it: what it deleted goes (rules: Scalars)",
                (_, None) => "only upstream has it: it is added (rules: Maps, Lists)",
                _ => "only upstream changed it: its value is taken (rules: Scalars)",
            },
            Change::BothApart => self.merged_below(),
        }
        .to_owned()
    }

    /// Both sides changed it without a conflict: what is in it merged.
    fn merged_below(&self) -> &'static str {
        let list = match (self.trees.local, self.entries.local) {
            (Some(tree), Some(entry)) => {
                let node = tree.resolve(tree.entry(entry).value);
                matches!(tree.node(node).kind, NodeKind::Sequence(_))
            }
            _ => false,
        };
        if list {
            "both sides changed the list in different elements: they merge by what identifies them (rules: Lists with a key)"
        } else {
            "both sides changed different fields in it: maps merge by key (rules: Maps)"
        }
    }

    /// Whether a record is about this place, or about one that it is in.
    fn is_at(&self, record: &Conflict) -> bool {
        if record.path.is_empty() {
            return true;
        }
        let Ok(pattern) = Pattern::parse(&record.path) else {
            return false;
        };
        let sides = self.trees.zip(self.entries).into_array();
        sides.into_iter().any(|(tree, entry)| {
            let (Some(tree), Some(entry)) = (tree, entry) else {
                return false;
            };
            let here = tree.entry(entry).span;
            pattern.find(tree).into_iter().any(|found| {
                let span = tree.entry(found).span;
                span.start <= here.start && here.end <= span.end
            })
        })
    }
}
