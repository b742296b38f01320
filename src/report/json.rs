//! The report as JSON, for programs. `docs/report.schema.json` describes its format.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::Facts;
use crate::error::Warning;
use crate::merge::ConflictKind;
use crate::package::{FileConflict, Plan, portable};
use crate::visible::visible_json;

/// The version of the format. It increases when a field changes its meaning or is removed, and
/// stays the same when fields are added.
const VERSION: u32 = 1;
/// The name and the version of the program.
pub(crate) const PROGRAM: &str = concat!("merge3 ", env!("CARGO_PKG_VERSION"));

/// A report: the version of its format, the program, and the content.
#[derive(Serialize)]
struct Report<T> {
    version: u32,
    program: &'static str,
    #[serde(flatten)]
    content: T,
}

/// The report of one merge.
#[derive(Serialize)]
struct Merge<'p> {
    #[serde(flatten)]
    facts: &'p Facts,
    #[serde(flatten)]
    plan: &'p Plan,
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("counts", &self.counts())?;
        map.serialize_entry("files", &self.files)?;
        map.serialize_entry("conflicts", &self.conflicts)?;
        map.serialize_entry("pinned", &self.pinned)?;
        if !self.combined.is_empty() {
            map.serialize_entry("combined", &self.combined)?;
        }
        if !self.renamed.is_empty() {
            map.serialize_entry("renamed", &self.renamed)?;
        }
        map.serialize_entry("warnings", &self.warnings)?;
        map.end()
    }
}

/// A record: a conflict, a pinned value, or a value combined from both sides. `by` says how a value
/// was combined; the other records have `kind` and `resolution`.
impl Serialize for FileConflict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let conflict = &self.conflict;
        let is_combined = matches!(conflict.kind, ConflictKind::Combined(_));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", &portable(&self.file))?;
        map.serialize_entry("line", &self.line)?;
        map.serialize_entry("resource", &self.resource.as_deref())?;
        map.serialize_entry("path", conflict.path())?;
        let kind = if is_combined { "by" } else { "kind" };
        map.serialize_entry(kind, conflict.kind.as_str())?;
        map.serialize_entry("values", &conflict.values())?;
        map.serialize_entry("hidden", &self.hidden)?;
        if !is_combined {
            map.serialize_entry("resolution", conflict.resolution.as_str())?;
            if let Some(rule) = &conflict.rule {
                map.serialize_entry("rule", &**rule)?;
            }
        }
        map.end()
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = self.place.as_ref();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", &portable(&self.path))?;
        map.serialize_entry("line", &place.map(|place| place.line))?;
        map.serialize_entry("column", &place.map(|place| place.column))?;
        map.serialize_entry("message", &self.message)?;
        map.end()
    }
}

/// Returns the report of a run as JSON.
pub fn json(plan: &Plan, facts: &Facts) -> String {
    as_json(Merge { facts, plan })
}

/// Returns a report as JSON, with control and invisible characters escaped.
pub(crate) fn as_json(content: impl Serialize) -> String {
    let report = Report {
        version: VERSION,
        program: PROGRAM,
        content,
    };
    // this cannot fail: all keys are strings and all numbers finite
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    visible_json(text) + "\n"
}
