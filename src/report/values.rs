//! The values of a conflict, as reports show them.

use crate::package::FileConflict;
use crate::triple::Triple;

/// How many characters of a value are shown.
const WIDTH: usize = 60;

/// The three values of a conflict, each in one line and shortened.
pub(super) fn shown(conflict: &FileConflict) -> Triple<String> {
    conflict.conflict.values.as_ref().map(|value| match value {
        None => "(absent)".to_owned(),
        Some(value) => one_line(value),
    })
}

/// A value in one line: line breaks shown as `\n`, indentation after them left out, the end cut off where it is long.
fn one_line(value: &str) -> String {
    let lines: Vec<&str> = value.trim_end().lines().map(str::trim).collect();
    let line = lines.join("\\n");
    let line: String = line
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if line.is_empty() {
        return "(empty)".to_owned();
    }
    if line.chars().count() <= WIDTH {
        return line;
    }
    let start: String = line.chars().take(WIDTH - 3).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::{Conflict, ConflictKind, Resolution};
    use crate::package::ResourceId;

    fn conflict(kind: &str, path: &str) -> FileConflict {
        FileConflict {
            file: "a.yaml".into(),
            line: Some(1),
            resource: Some(ResourceId {
                api_version: "v1".into(),
                kind: kind.into(),
                namespace: String::new(),
                name: "a".into(),
            }),
            conflict: Conflict {
                path: path.into(),
                kind: ConflictKind::BothChanged,
                line: 0,
                values: Triple::new(None, Some("eHg=".into()), Some("a:\n  b".into())),
                resolution: Resolution::Updated,
                rule: None,
            },
            hidden: false,
        }
    }

    #[test]
    fn values_are_one_line_each() {
        let values = shown(&conflict("ConfigMap", "data.key"));
        assert_eq!(
            values.into_array(),
            ["(absent)", "eHg=", "a:\\nb"].map(String::from)
        );
        assert_eq!(one_line(&"x".repeat(100)).len(), WIDTH);
    }
}
