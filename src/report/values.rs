//! The values of a conflict, as reports show them.

use crate::package::FileConflict;
use crate::triple::Triple;

/// How many characters of a value are shown.
const WIDTH: usize = 60;

/// The three values of a conflict, each in one line and shortened; those of a Secret are not shown at all.
pub(super) fn shown(conflict: &FileConflict) -> Triple<String> {
    let secret = is_secret(conflict);
    conflict.conflict.values.as_ref().map(|value| match value {
        None => "(absent)".to_owned(),
        Some(_) if secret => "(secret)".to_owned(),
        Some(value) => one_line(value),
    })
}

/// The three values of a conflict as they are; those of a Secret are not shown.
pub(super) fn whole(conflict: &FileConflict) -> Triple<Option<String>> {
    let secret = is_secret(conflict);
    conflict.conflict.values.as_ref().map(|value| {
        value.as_ref().map(|value| match secret {
            true => "(secret)".to_owned(),
            false => value.clone(),
        })
    })
}

/// Whether the values are, or hold, what a Secret keeps.
pub(super) fn is_secret(conflict: &FileConflict) -> bool {
    let Some(resource) = &conflict.resource else {
        return false;
    };
    let path = conflict.conflict.path.as_str();
    let holds = |field: &str| {
        path.strip_prefix(field)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', ' ']))
    };
    resource.kind == "Secret"
        && resource.group().is_empty()
        && (path.is_empty()
            || holds("data")
            || holds("stringData")
            || path.starts_with("metadata.annotations"))
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

    #[test]
    fn a_secret_is_kept() {
        for path in ["data.key", "data", "stringData[a.b]", ""] {
            let values = shown(&conflict("Secret", path));
            assert_eq!(values.updated, "(secret)", "{path}");
            assert_eq!(values.original, "(absent)", "{path}");
        }
        assert_eq!(shown(&conflict("Secret", "type")).updated, "eHg=");
        assert_eq!(shown(&conflict("Secret", "database")).updated, "eHg=");
    }
}
