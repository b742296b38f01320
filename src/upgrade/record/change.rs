//! The change of the record in the plan of an upgrade. Nothing else in the plan may change it: the
//! record is local's own.

use std::path::{Path, PathBuf};

use super::Record;
use super::read::parse;
use crate::differences::differences_of_lines;
use crate::error::{Error, Warning};
use crate::package::{ChangeKind, FileChange, Plan, Source};
use crate::upgrade::refs::Version;
use crate::yaml::Tree;

impl Record {
    /// Brings the record up to date in what the merge makes of its file. A merge that would change
    /// what the record says, or would take its file away, is no merge of it: the file stays what it
    /// is here, and that is reported.
    ///
    /// # Errors
    /// Where the file cannot be edited or read.
    pub(in crate::upgrade) fn change(&self, plan: &mut Plan, to: &Version) -> Result<(), Error> {
        let old = Source::read(&self.file, true)?;
        let text = String::from_utf8_lossy(&old.bytes);
        let new = self.updated(&text, to)?;
        let name = PathBuf::from(self.file.file_name().unwrap_or_default());
        self.keep(plan, &name);
        let known = plan.files.iter_mut().find(|change| change.path == name);
        if let Some(merged) = known.and_then(|change| change.new.as_mut()) {
            let text_now = String::from_utf8_lossy(merged);
            let edited = match Tree::parse(&text_now) {
                Ok(_) => self.updated(&text_now, to)?,
                // conflict markers make it no YAML
                Err(_) => lines_changed(&text_now, &text, &new),
            };
            *merged = edited.into_bytes().into();
            return Ok(());
        }
        let new = Source::in_memory(new);
        let change = FileChange::between(name, Some(old), Some(new));
        plan.files.extend(change);
        plan.sort();
        Ok(())
    }

    /// Takes changes of the record's file out of a plan that are more than a merge of what is
    /// beside the record.
    fn keep(&self, plan: &mut Plan, name: &Path) {
        let has_markers = plan.conflicts.iter().any(|record| {
            *record.file == *name && record.conflict.resolution == crate::merge::Resolution::Markers
        });
        let is_fine = |change: &FileChange| match (&change.kind, &change.new) {
            (ChangeKind::Moved { from }, _) if from == name => false,
            _ if change.path != name => true,
            (ChangeKind::Changed, Some(new)) => std::str::from_utf8(new)
                .is_ok_and(|new| self.is_said_by(new) || (has_markers && is_broken(new))),
            _ => false,
        };
        let count = plan.files.len();
        plan.files.retain(is_fine);
        if plan.files.len() < count {
            plan.conflicts.retain(|record| *record.file != *name);
            plan.warnings.push(Warning::about(
                name,
                "upstream would change where the package comes from: your file stays as it is",
            ));
        }
    }

    /// Whether a text of the record's file says the same record.
    fn is_said_by(&self, text: &str) -> bool {
        parse(&self.file, text).is_ok_and(|read| {
            read.is_some_and(|read| {
                self.origin == read.origin
                    && self.reference == read.reference
                    && self.lock == read.lock
                    && self.strategy == read.strategy
            })
        })
    }
}

fn is_broken(text: &str) -> bool {
    Tree::parse(text).is_err()
}

/// Makes the change that leads from `old` to `new`, lines of the record, in a text that has the
/// same lines: the merge leaves them alone, whatever it did beside them.
fn lines_changed(text: &str, old: &str, new: &str) -> String {
    let mut text = text.to_owned();
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    for change in differences_of_lines(&old, &new).changed() {
        let (before, after) = (change.old, change.new);
        // with some lines before them, which tell `ref` of `upstream` from that of `upstreamLock`
        for above in (0..=before.start).rev() {
            let sought = old[above..before.end].concat();
            if !sought.is_empty() && text.matches(&sought).count() == 1 {
                let kept = old[above..before.start].concat();
                let with = format!("{kept}{}", new[after].concat());
                text = text.replacen(&sought, &with, 1);
                break;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_change_where_a_text_has_them() {
        let old = "a:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let new = "a:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        let text = "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let expected =
            "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        assert_eq!(lines_changed(text, old, new), expected);
    }
}
