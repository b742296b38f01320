//! Texts with conflict markers, read.

use crate::merge::{ConflictStyle, MarkerStyle};
use crate::triple::Triple;

/// Who wins the conflicts that are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Favor {
    /// The local side.
    Ours,
    /// The updated side.
    Theirs,
    /// Both: first the local side's lines, then the updated one's.
    Union,
}

/// A stretch of a text with conflict markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stretch<'t> {
    /// Lines outside of markers.
    Common(&'t str),
    /// The lines between markers.
    Conflict {
        /// Of each side; there is no original where the markers do not show it.
        lines: Triple<Option<&'t str>>,
        /// What stands behind the markers.
        labels: Triple<&'t str>,
        /// The line of the first marker, from 0.
        line: usize,
    },
}

/// Cuts a text at its conflict markers, which have `size` characters. None where they do not match
/// up.
pub(super) fn read(text: &str, size: usize) -> Option<Vec<Stretch<'_>>> {
    let mut stretches = Vec::new();
    let mut common = 0;
    let mut open: Option<Open<'_>> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let next = at + line.len();
        match (marker(line, size), &mut open) {
            (Some(('<', label)), None) => {
                if common < at {
                    stretches.push(Stretch::Common(&text[common..at]));
                }
                open = Some(Open::new(label, next, number));
            }
            (Some(('|', label)), Some(open)) if open.base.is_none() && open.middle.is_none() => {
                open.base = Some((at, next, label));
            }
            (Some(('=', "")), Some(open)) if open.middle.is_none() => {
                open.middle = Some((at, next));
            }
            (Some(('>', label)), Some(_)) => {
                let conflict = open.take()?.close(text, at, label)?;
                stretches.push(conflict);
                common = next;
            }
            (Some(('<' | '>', _)), _) => return None,
            _ => {}
        }
        at = next;
    }
    if open.is_some() {
        return None;
    }
    if common < text.len() {
        stretches.push(Stretch::Common(&text[common..]));
    }
    Some(stretches)
}

/// Conflict markers that have begun and not ended.
struct Open<'t> {
    label: &'t str,
    start: usize,
    line: usize,
    /// Where the original's marker stands, where its lines start, and its label.
    base: Option<(usize, usize, &'t str)>,
    middle: Option<(usize, usize)>,
}

impl<'t> Open<'t> {
    const fn new(label: &'t str, start: usize, line: usize) -> Self {
        Self {
            label,
            start,
            line,
            base: None,
            middle: None,
        }
    }

    fn close(self, text: &'t str, end: usize, label: &'t str) -> Option<Stretch<'t>> {
        let (middle, updated) = self.middle?;
        let local_end = self.base.map_or(middle, |(at, _, _)| at);
        Some(Stretch::Conflict {
            lines: Triple {
                original: self.base.map(|(_, start, _)| &text[start..middle]),
                updated: Some(&text[updated..end]),
                local: Some(&text[self.start..local_end]),
            },
            labels: Triple::new(
                self.base.map_or("", |(_, _, label)| label),
                label,
                self.label,
            ),
            line: self.line,
        })
    }
}

/// The sign and the label of a line that is a conflict marker.
pub(super) fn marker(line: &str, size: usize) -> Option<(char, &str)> {
    let line = line.trim_end_matches(['\n', '\r']);
    let sign = line.chars().next().filter(|it| "<|=>".contains(*it))?;
    let label = line.trim_start_matches(sign);
    let counted = line.len() - label.len() == size;
    let apart = label.is_empty() || label.starts_with(' ');
    (counted && apart).then(|| (sign, label.trim_start_matches(' ')))
}

/// Whether a text has conflict markers in it.
pub(super) fn has_markers(text: &str, size: usize) -> bool {
    let sign = "<".repeat(size);
    if size == 0 || !text.contains(&sign) {
        return false;
    }
    let has = |wanted: char| {
        text.lines()
            .any(|line| marker(line, size).is_some_and(|(sign, _)| sign == wanted))
    };
    has('<') && has('=') && has('>')
}

/// How many conflicts stand in a text; none where its markers do not match up, for a line of a side
/// can look like one.
pub(super) fn told(text: &str, size: usize) -> Option<usize> {
    let is_conflict = |stretch: &&Stretch<'_>| matches!(stretch, Stretch::Conflict { .. });
    Some(read(text, size)?.iter().filter(is_conflict).count())
}

/// The text with its conflicts resolved; none where its markers do not match up.
pub(super) fn choose(text: &str, size: usize, favor: Favor) -> Option<String> {
    let mut chosen = String::with_capacity(text.len());
    for stretch in read(text, size)? {
        match stretch {
            Stretch::Common(lines) => chosen.push_str(lines),
            Stretch::Conflict { lines, .. } => {
                if favor != Favor::Theirs {
                    chosen.push_str(lines.local.unwrap_or_default());
                }
                if favor != Favor::Ours {
                    chosen.push_str(lines.updated.unwrap_or_default());
                }
            }
        }
    }
    Some(chosen)
}

/// The three texts that a text with conflict markers was made of, and how its markers look.
///
/// # Errors
/// The line, from 1, of the first conflict whose markers do not show the original.
pub(super) fn sides(
    stretches: &[Stretch<'_>],
    size: usize,
) -> Result<(Triple<String>, MarkerStyle), usize> {
    let mut texts = Triple::<String>::default();
    let mut style = MarkerStyle {
        size,
        conflict_style: ConflictStyle::Diff3,
        ..MarkerStyle::default()
    };
    for stretch in stretches {
        match stretch {
            Stretch::Common(lines) => {
                texts.original.push_str(lines);
                texts.updated.push_str(lines);
                texts.local.push_str(lines);
            }
            Stretch::Conflict {
                lines,
                labels,
                line,
            } => {
                texts.original.push_str(lines.original.ok_or(line + 1)?);
                texts.updated.push_str(lines.updated.unwrap_or_default());
                texts.local.push_str(lines.local.unwrap_or_default());
                style.labels = labels.map(str::to_owned);
            }
        }
    }
    Ok((texts, style))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<<<<<<< me\nb\n||||||| base\nc\n=======\nd\n>>>>>>> you\ne\n";

    #[test]
    fn the_three_sides_come_back() {
        let stretches = read(TEXT, 7).unwrap();
        let (texts, style) = sides(&stretches, 7).unwrap();
        assert_eq!(
            texts,
            Triple::new("a\nc\ne\n", "a\nd\ne\n", "a\nb\ne\n").map(str::to_owned)
        );
        assert_eq!(
            style.labels,
            Triple::new("base", "you", "me").map(str::to_owned)
        );
        assert!(has_markers(TEXT, 7) && !has_markers(TEXT, 8));
    }

    #[test]
    fn a_conflict_without_the_original_is_told_by_its_line() {
        let text = "a\n<<<<<<<\nb\n=======\nd\n>>>>>>>\n";
        assert_eq!(sides(&read(text, 7).unwrap(), 7), Err(2));
        assert_eq!(choose(text, 7, Favor::Union).unwrap(), "a\nb\nd\n");
        assert_eq!(choose(text, 7, Favor::Theirs).unwrap(), "a\nd\n");
    }

    #[test]
    fn markers_that_do_not_match_up_are_none() {
        assert_eq!(read("<<<<<<<\na\n", 7), None);
        assert_eq!(read(">>>>>>>\n", 7), None);
        assert_eq!(read("<<<<<<<\n>>>>>>>\n", 7), None);
        assert_eq!(told("a\n<<<<<<<\n", 7), None);
        assert_eq!(told("a\n>>>>>>>\n", 7), None);
        assert_eq!((told(TEXT, 7), told("a\n", 7)), (Some(1), Some(0)));
        assert!(!has_markers("a: <<<<<<<\n=======\n", 7));
    }
}
