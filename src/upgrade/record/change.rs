//! Puts the updated record into the plan of an upgrade. The merge itself must not change the
//! record, which belongs to local.

use std::path::{Path, PathBuf};

use super::Record;
use super::read::parse;
use crate::differences::differences_of_lines;
use crate::error::{Error, Warning};
use crate::merge::Resolution;
use crate::package::{ChangeKind, FileChange, Plan, Source};
use crate::upgrade::refs::Version;
use crate::yaml::Tree;

impl Record {
    /// Updates the record in the plan's result for its file. If the merge would change the record,
    /// or delete or move its file, the local file stays instead, with a warning.
    ///
    /// # Errors
    /// If the file cannot be read or edited.
    pub(in crate::upgrade) fn update_in(&self, plan: &mut Plan, to: &Version) -> Result<(), Error> {
        let old = Source::read(&self.file, true)?;
        let text = String::from_utf8_lossy(&old.bytes);
        let new = self.updated(&text, to)?;
        let name = PathBuf::from(self.file.file_name().unwrap_or_default());
        self.drop_changes_of_record(plan, &name);
        let planned = plan.files.iter_mut().find(|change| change.path == name);
        if let Some(merged) = planned.and_then(|change| change.new.as_mut()) {
            let merged_text = String::from_utf8_lossy(merged);
            let edited = match Tree::parse(&merged_text) {
                Ok(_) => self.updated(&merged_text, to)?,
                // with conflict markers it is not YAML
                Err(_) => with_changed_lines(&merged_text, &text, &new),
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

    /// Removes changes of the record's file from a plan that affect the record, delete the file or
    /// move it.
    fn drop_changes_of_record(&self, plan: &mut Plan, name: &Path) {
        let has_markers = plan.conflicts.iter().any(|record| {
            *record.file == *name && record.conflict.resolution == Resolution::Markers
        });
        let is_kept = |change: &FileChange| match (&change.kind, &change.new) {
            (ChangeKind::Moved { from }, _) if from == name => false,
            _ if change.path != name => true,
            (ChangeKind::Changed, Some(new)) => std::str::from_utf8(new).is_ok_and(|new| {
                self.is_unchanged_in(new) || (has_markers && Tree::parse(new).is_err())
            }),
            _ => false,
        };
        let count = plan.files.len();
        plan.files.retain(is_kept);
        if plan.files.len() < count {
            plan.conflicts.retain(|record| *record.file != *name);
            plan.warnings.push(Warning::about(
                name,
                "upstream would change where the package comes from: your file stays as it is",
            ));
        }
    }

    /// Whether a text of the record's file has this record.
    fn is_unchanged_in(&self, text: &str) -> bool {
        parse(&self.file, text).is_ok_and(|read| read.as_ref() == Some(self))
    }
}

/// Applies the changed lines between `old` and `new` to a text that has the same lines: the merge
/// did not change the lines of the record.
fn with_changed_lines(text: &str, old: &str, new: &str) -> String {
    let mut text = text.to_owned();
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    for change in differences_of_lines(&old, &new).changed() {
        let (before, after) = (change.old, change.new);
        // lines are added above until the match is unique: both sections have a field `ref`
        for start in (0..=before.start).rev() {
            let pattern = old[start..before.end].concat();
            if !pattern.is_empty() && text.matches(&pattern).count() == 1 {
                let kept = old[start..before.start].concat();
                let replacement = format!("{kept}{}", new[after].concat());
                text = text.replacen(&pattern, &replacement, 1);
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
    fn changes_lines_in_a_text_with_markers() {
        let old = "a:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let new = "a:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        let text = "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 1\nb:\n  ref: 1\n  c: 0\n";
        let expected =
            "<<<<<<<\nx: 1\n=======\nx: 2\n>>>>>>>\na:\n  ref: 2\nb:\n  ref: 3\n  c: 4\n";
        assert_eq!(with_changed_lines(text, old, new), expected);
    }
}
