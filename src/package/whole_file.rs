//! Merges a file as a whole: it has no YAML name, or is not YAML (rules: Packages and files), such
//! as a template: a text with a YAML name from which a program generates YAML (rules: Files that
//! are not YAML).

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::file_triple::FileTriple;
use super::parsed::{Broken, ParsedFile, RESOLVE_FIRST, first_conflict_marker};
use super::plan::FileConflict;
use super::read::ReadFile;
use super::{Content, FileOutcome};
use crate::error::{Error, Warning};
use crate::line_breaks::{LineBreaks, with_line_break};
use crate::merge::markers::write_hunk;
use crate::merge::text::{LineMerge, merge_new_lines_with};
use crate::merge::{Conflict, ConflictKind, Options, Resolution};
use crate::triple::Triple;
use crate::white_space::{is_white_space, trimmed_start};
use crate::yaml::stream::split;
use crate::yaml::{ParseError, Tree};

/// Merges a file as a whole. `is_gone` is true if local deleted the file or a folder that it is in.
///
/// # Errors
/// If it is YAML on one side and broken on another, no side is a template, and merging it line by
/// line leaves a conflict or breaks the local file.
pub(crate) fn merge_whole(
    file: &ReadFile<'_>,
    options: &Options,
    is_gone: bool,
) -> Result<FileOutcome, Error> {
    let triple = file.triple;
    let mut outcome = FileOutcome::default();
    let bytes = triple.bytes();
    match (bytes.original, bytes.updated, bytes.local) {
        (original, updated, local) if updated == original || updated == local => {}
        _ if triple.is_pinned() => {
            let record = conflict(triple, ConflictKind::Pinned, Resolution::Local);
            outcome.notes.push(record);
        }
        (None, Some(_), None) if !is_gone => outcome.content = Content::Updated,
        (_, Some(_), None) => {
            if let Some((resolution, _)) = options.deletion() {
                let kind = ConflictKind::DeletedLocally;
                outcome = decided(triple, kind, resolution, options);
            }
        }
        (original, None, local) if original == local => outcome.content = Content::Delete,
        (_, None, _) => {
            let resolution = options.whole().0;
            outcome = decided(triple, ConflictKind::DeletedUpstream, resolution, options);
        }
        (original, Some(_), local) if original == local => {
            outcome.content = Content::Updated;
            outcome.warnings.extend(broken_upstream(file));
        }
        (_, Some(_), Some(_)) => return merge_text(file, options),
    }
    Ok(outcome)
}

/// Returns the outcome of a conflict about a whole file. If it is left open, the whole file is
/// between markers; a file that is not text stays as it is, because it cannot have any.
fn decided(
    triple: &FileTriple,
    kind: ConflictKind,
    resolution: Resolution,
    options: &Options,
) -> FileOutcome {
    let (resolution, content) = match (resolution, texts_of(triple)) {
        (Resolution::Markers, Some(texts)) => {
            let mut text = String::new();
            write_hunk(&mut text, texts, &options.markers);
            (resolution, Content::Write(text.into_bytes()))
        }
        (Resolution::Markers, None) => (Resolution::Open, Content::Unchanged),
        (Resolution::Updated, _) => match &triple.sides.updated {
            Some(_) => (resolution, Content::Updated),
            None => (resolution, Content::Delete),
        },
        _ => (resolution, Content::Unchanged),
    };
    FileOutcome {
        content,
        conflicts: vec![conflict(triple, kind, resolution)],
        ..FileOutcome::default()
    }
}

/// Returns a warning if upstream's version, which is taken, is not YAML and local's is.
fn broken_upstream(file: &ReadFile<'_>) -> Option<Warning> {
    let broken = file.readings.updated.as_ref()?.as_ref().err()?;
    file.yaml().local?;
    Some(warning(broken, "taken from upstream as it is"))
}

fn warning(broken: &Broken, what: &str) -> Warning {
    let message = format!("not valid YAML ({}); {what}", broken.error.message);
    Warning::at(broken.place.clone(), message)
}

/// Returns a conflict about the whole file.
pub(super) fn conflict(
    triple: &FileTriple,
    kind: ConflictKind,
    resolution: Resolution,
) -> FileConflict {
    let values = triple.bytes().map(|bytes| {
        let bytes = bytes?;
        Some(match std::str::from_utf8(bytes) {
            Ok(text) if kind != ConflictKind::Binary => Cow::Borrowed(text),
            _ => format!("({} bytes)", bytes.len()).into(),
        })
    });
    FileConflict {
        line: triple.sides.local.is_some().then_some(1),
        ..FileConflict::of_whole(&triple.path, kind, &values, resolution)
    }
}

/// Merges a file that differs on all sides: line by line if it is text; else it is a conflict.
fn merge_text(file: &ReadFile<'_>, options: &Options) -> Result<FileOutcome, Error> {
    let (triple, yaml_state) = (file.triple, YamlState::of(file));
    let Some(texts) = texts_of(triple) else {
        yaml_state.check("there are no lines to merge")?;
        let resolution = options.whole().0;
        return Ok(decided(triple, ConflictKind::Binary, resolution, options));
    };
    let lines = with_local_line_breaks(&texts);
    let lines = lines.as_ref().map(AsRef::as_ref);
    let merge = merge_new_lines_with(lines, options.whole().0, &options.markers);
    let is_unchanged = merge.text == texts.local && merge.hunks.is_empty();
    let broken = yaml_state.broken.local.filter(|_| !is_unchanged);
    if let Some(unresolved) = broken.and_then(|broken| unresolved(broken, texts.local)) {
        // upstream's changes would be added between the markers
        return Err(refusal(&unresolved, "conflict markers are left in it"));
    }
    yaml_state.check_line_merge(&triple.path, &merge)?;
    let merged_by_lines = |broken: &Broken| warning(broken, "merged line by line");
    let file: Arc<Path> = triple.path.as_path().into();
    let in_file = |conflict: Conflict| {
        FileConflict::in_file(Arc::clone(&file), Some(conflict.line + 1), conflict)
    };
    let hunks = merge.hunks.into_iter();
    let broken = yaml_state.broken.into_iter().flatten();
    Ok(FileOutcome {
        conflicts: hunks.map(|hunk| in_file(hunk.into_conflict())).collect(),
        warnings: broken.map(merged_by_lines).collect(),
        content: match merge.text == texts.local {
            true => Content::Unchanged,
            false => Content::Write(merge.text.into_bytes()),
        },
        ..FileOutcome::default()
    })
}

/// Returns the sides as texts, an absent one as an empty text; `None` if one of them is not text.
fn texts_of(triple: &FileTriple) -> Option<Triple<&str>> {
    let texts = triple.bytes();
    let texts = texts.map(|bytes| bytes.map_or(Some(""), |bytes| as_text(bytes)));
    texts.transpose()
}

/// Returns the bytes as text if they are UTF-8 without a NUL byte, by which git too recognizes
/// binary files.
pub(crate) fn as_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (memchr::memchr(0, bytes).is_none()).then_some(text)
}

/// Returns the texts with the line breaks of the local side, so that a side that changed the line
/// breaks has not changed every line.
fn with_local_line_breaks<'a>(texts: &Triple<&'a str>) -> Triple<Cow<'a, str>> {
    let LineBreaks::Alike(local) = LineBreaks::of(texts.local) else {
        return texts.map(Into::into);
    };
    texts.map(|text| match LineBreaks::of(text) {
        LineBreaks::Alike(other) if other != local => with_line_break(text, local),
        _ => text.into(),
    })
}

/// Which sides of a file with a YAML name are valid YAML.
struct YamlState<'f> {
    broken: Triple<Option<&'f Broken>>,
    /// The sides that are YAML and not empty.
    valid: Triple<bool>,
    /// Whether one of the sides is a template. Then none is broken by mistake.
    is_template: bool,
}

impl<'f> YamlState<'f> {
    fn of(file: &'f ReadFile<'_>) -> Self {
        let readings = file.readings.as_ref();
        let broken = readings.map(|reading| Some(&**reading.as_ref()?.as_ref().err()?));
        let mut texts = file.triple.bytes().zip(broken).into_iter();
        let is_template = texts.any(|(bytes, broken)| {
            let text = bytes.and_then(|bytes| as_text(bytes));
            text.zip(broken)
                .is_some_and(|(text, broken)| is_template(text, broken.place.line))
        });
        let is_valid = |file: &ParsedFile<'_>| !is_white_space(file.text);
        Self {
            valid: file.yaml().map(|file| file.is_some_and(is_valid)),
            broken,
            is_template,
        }
    }

    /// Returns true if upstream's file has a key twice in a map, now or in the original. Most
    /// readers of YAML accept that.
    fn has_duplicate_upstream(&self) -> bool {
        let mut upstream = [self.broken.original, self.broken.updated]
            .into_iter()
            .flatten();
        upstream.any(|broken| broken.error.is_duplicate_key)
    }

    /// Checks that the line merge of a file can be used if a side was broken by mistake.
    fn check_line_merge(&self, path: &Path, merged: &LineMerge) -> Result<(), Error> {
        let has_conflicts = !merged.hunks.is_empty();
        let mut hunks = merged.hunks.iter();
        let is_open = hunks.any(|it| it.resolution == Resolution::Markers);
        let breaks_local = || match ParsedFile::parse(path, &merged.text) {
            Ok(_) => false,
            Err(broken) if self.has_duplicate_upstream() && broken.error.is_duplicate_key => {
                // a document below it may be broken in another way
                let documents = split(&merged.text).into_iter();
                let mut errors = documents.filter_map(|it| Tree::parse(it.text).err());
                errors.any(|error| !error.is_duplicate_key)
            }
            Err(_) => true,
        };
        if self.is_template {
            Ok(())
        } else if has_conflicts && !self.has_duplicate_upstream() {
            self.check("merged line by line it has conflicts")
        } else if self.valid.local && !is_open && breaks_local() {
            self.check("merged line by line it would break the local file")
        } else {
            Ok(())
        }
    }

    /// Refuses the merge of a file that was broken by mistake: one that is YAML on another side.
    fn check(&self, refused: &str) -> Result<(), Error> {
        // a side that is not UTF-8 comes first
        let broken = self.broken.into_iter().flatten().min_by_key(|it| it.utf8);
        let broken = broken.filter(|_| self.valid.into_array().contains(&true));
        broken.map_or(Ok(()), |broken| Err(refusal(broken, refused)))
    }
}

/// Returns the place of the first conflict marker of a text that is not YAML.
fn unresolved(broken: &Broken, text: &str) -> Option<Broken> {
    let marker = first_conflict_marker(text)?;
    let error = ParseError::new(marker, "a conflict marker").with_help(RESOLVE_FIRST);
    Some(Broken::new(&broken.place.path, text, 0, error))
}

/// Returns the error that refuses a line merge.
fn refusal(broken: &Broken, refused: &str) -> Error {
    broken.to_error(
        &format!(" is not valid YAML, and {refused}"),
        "repair the file, or exclude it in .krmignore or with --yaml",
    )
}

/// The delimiters of a statement in Jinja and in ERB.
const STATEMENTS: [(&str, &str); 2] = [("{%", "%}"), ("<%", "%>")];

/// Returns true if a text is a template. `broken` is the line, from 1, on which it stops being
/// YAML.
///
/// A template has `{{ ... }}` where YAML has a key, a value, or a line of its own; or a statement
/// such as `{% ... %}` there, on the line where YAML ends or the one above. Braces in quotes, in a
/// comment or behind other text do not count, because YAML can have them there, and in a block
/// scalar anywhere.
pub(super) fn is_template(text: &str, broken: usize) -> bool {
    let near = broken.saturating_sub(2)..broken;
    text.lines().enumerate().any(|(index, line)| {
        let statements = STATEMENTS.iter().filter(|_| near.contains(&index));
        let mut actions = statements.chain([&("{{", "}}")]);
        actions.any(|action| has_action(line, *action))
    })
}

/// Returns true if a line has an action with these delimiters where YAML has a node, perhaps after
/// an anchor or a tag.
fn has_action(line: &str, (open, close): (&str, &str)) -> bool {
    if !line.contains(open) {
        return false;
    }
    // looked for once, so that the time is linear in the length of the line
    let (last_close, last_bracket) = (line.rfind(close), line.rfind(['}', '>']));
    let opens = |value: &str| {
        let mut value = trimmed_start(value);
        // an anchor and a tag
        for _ in 0..2 {
            if value.starts_with(['&', '!'])
                && let Some((_, rest)) = value.split_once(' ')
            {
                value = trimmed_start(rest);
            }
        }
        let Some(inside) = value.strip_prefix(open) else {
            return false;
        };
        let start = line.len() - inside.len();
        let is_inside = |at: usize| at >= start;
        // an action that spans lines is closed on another line
        last_close.is_some_and(is_inside) || !last_bracket.is_some_and(is_inside)
    };
    let mut rest = trimmed_start(line);
    while let Some(value) = rest.strip_prefix("- ") {
        rest = trimmed_start(value);
    }
    opens(rest)
        || rest
            .match_indices(": ")
            .any(|(at, _)| opens(&rest[at + 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_where_yaml_has_a_node_make_a_template() {
        for text in [
            "{{- if .Values.a }}\na: 1\n{{- end }}\n",
            "a:\n  {{ .Values.key }}: 1\n",
            "a: {{ .Values.a }}\n",
            "- - {{ .Values.a }}\n",
            "a: &a {{ .Values.a }}\n",
            "{% for a in b %}\na: {{ a }}\n{% endfor %}\n",
            "<% if a %>\na: 1\n<% end %>\n",
            "a:\n  - b: {{ include \"c\" (dict\n    \"d\" .) }}\n",
        ] {
            assert!(is_template(text, 1), "{text}");
        }
    }

    #[test]
    fn broken_yaml_is_not_a_template() {
        for text in [
            "a: \"b\nc: d\n",
            "a: '{{ .Values.a }}'\nb: \"\n",
            "# {{ .Values.a }}\na: [\n",
            "a: {b: {c: 1}\n",
            "a: {%: b}\n",
            "image: repo:{{ tag }}\nb: [\n",
            "a: 1\na: 2\nb: |\n  {% if a %}\n",
        ] {
            assert!(!is_template(text, 1), "{text}");
        }
    }
}
