//! Formats the values of a conflict for summaries and Markdown.

use crate::package::FileConflict;
use crate::triple::Triple;
use crate::visible::visible;

/// The maximum number of characters of a value.
const MAX_WIDTH: usize = 60;

/// Returns the three values of a conflict, each on one line and shortened.
pub(super) fn shown(conflict: &FileConflict) -> Triple<String> {
    conflict.conflict.values().map(|value| match value {
        None => "(absent)".to_owned(),
        Some(value) => one_line(value),
    })
}

/// Returns a value on one line: line breaks are written as `\n` and indentation is left out. If the
/// line is too long, its end is replaced by `...`.
fn one_line(value: &str) -> String {
    let mut line = String::new();
    for (index, source_line) in value.trim_end().lines().enumerate() {
        if index > 0 {
            line.push_str("\\n");
        }
        line.extend(visible(source_line.trim()).chars().take(MAX_WIDTH + 1));
        if let Some((end, _)) = line.char_indices().nth(MAX_WIDTH) {
            let start = line[..end].char_indices().nth(MAX_WIDTH - 3);
            line.truncate(start.map_or(end, |(start, _)| start));
            return line + "...";
        }
    }
    if line.is_empty() {
        return "(empty)".to_owned();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::{Conflict, ConflictKind, ConflictTexts, Resolution};
    use crate::package::ResourceId;
    use std::path::Path;
    use std::sync::Arc;

    fn conflict(kind: &str, path: &str) -> FileConflict {
        FileConflict {
            file: Path::new("a.yaml").into(),
            line: Some(1),
            resource: Some(Arc::new(ResourceId {
                api_version: "v1".into(),
                kind: kind.to_owned().into(),
                namespace: "".into(),
                name: "a".into(),
            })),
            conflict: Conflict {
                texts: ConflictTexts::new(path, &Triple::new(None, Some("eHg="), Some("a:\n  b"))),
                kind: ConflictKind::BothChanged,
                line: 0,
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
        let cut = format!("{}...", "x".repeat(MAX_WIDTH - 3));
        assert_eq!(one_line(&"x".repeat(MAX_WIDTH)), "x".repeat(MAX_WIDTH));
        assert_eq!(one_line(&"x".repeat(MAX_WIDTH + 1)), cut);
        assert_eq!(one_line(&format!("{}\nx", "x".repeat(MAX_WIDTH - 1))), cut);
    }
}
