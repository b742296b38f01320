//! Reads texts with conflict markers, and resolves them or rebuilds their three sides.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::triple::{Side, Triple};

/// What to do about a text that [`read`] cannot split.
pub(crate) const UNMATCHED: &str = "the conflict markers do not match up: repair them by hand";

/// The side that wins conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Favor {
    /// The local side.
    Ours,
    /// The updated side.
    Theirs,
    /// Both sides: the local lines, then the updated ones.
    Union,
}

/// A part of a text with conflict markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment<'t> {
    /// Lines outside of markers.
    Common(&'t str),
    /// A conflict.
    Conflict(ConflictHunk<'t>),
}

/// A conflict between markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConflictHunk<'t> {
    /// The lines of each side; the original is `None` if the markers do not show it.
    pub(crate) lines: Triple<Option<&'t str>>,
    /// The labels behind the markers.
    pub(crate) labels: Triple<&'t str>,
    /// The whole conflict, with the markers.
    pub(crate) text: &'t str,
    /// The line number of the first marker, from 0.
    pub(crate) line: usize,
}

/// A line that is a marker.
struct Marker<'t> {
    sign: char,
    label: &'t str,
    /// The bytes of the line in the text.
    span: Range<usize>,
    /// The line number, from 0.
    line: usize,
}

/// Splits a text at its conflict markers, which have `size` characters. `None` if they do not
/// match up.
pub(crate) fn read<'t>(text: &'t str, size: usize) -> Option<Vec<Segment<'t>>> {
    let (mut segments, mut above) = (Vec::new(), 0);
    let mut open: Vec<Marker<'_>> = Vec::new();
    let mut at = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    for (line, end) in ends.chain([text.len()]).enumerate() {
        let span = at..end;
        at = end;
        let Some((sign, label)) = marker(&text[span.clone()], size) else {
            continue;
        };
        let is_next = match (sign, open.last().map(|last| last.sign)) {
            ('<', None) | ('|', Some('<')) | ('>', Some('=')) => true,
            ('=', Some('<' | '|')) => label.is_empty(),
            ('<' | '>', _) => return None,
            // it only looks like a marker and belongs to a side
            _ => false,
        };
        if !is_next {
            continue;
        }
        open.push(Marker {
            sign,
            label,
            span,
            line,
        });
        if sign == '>' {
            let start = open[0].span.start;
            if above < start {
                segments.push(Segment::Common(&text[above..start]));
            }
            above = end;
            segments.push(Segment::Conflict(ConflictHunk::between(text, &open)?));
            open.clear();
        }
    }
    if above < text.len() {
        segments.push(Segment::Common(&text[above..]));
    }
    open.is_empty().then_some(segments)
}

impl<'t> ConflictHunk<'t> {
    /// Returns the conflict that three or four markers delimit.
    fn between(text: &'t str, markers: &[Marker<'t>]) -> Option<Self> {
        let (local, original, updated, end) = match markers {
            [local, updated, end] => (local, None, updated, end),
            [local, original, updated, end] => (local, Some(original), updated, end),
            _ => return None,
        };
        let lines = |from: &Marker<'_>, to: &Marker<'_>| &text[from.span.end..to.span.start];
        Some(Self {
            lines: Triple {
                original: original.map(|original| lines(original, updated)),
                updated: Some(lines(updated, end)),
                local: Some(lines(local, original.unwrap_or(updated))),
            },
            labels: Triple::new(original.map_or("", |it| it.label), end.label, local.label),
            text: &text[local.span.start..end.span.end],
            line: local.line,
        })
    }

    /// Returns the lines of a side.
    pub(crate) fn side(&self, side: Side) -> &'t str {
        self.lines[side].unwrap_or_default()
    }

    /// Returns the number of bytes of the updated and local lines together.
    pub(super) fn length(&self) -> usize {
        self.side(Side::Updated).len() + self.side(Side::Local).len()
    }
}

/// Returns the conflicts among the segments of a text.
pub(crate) fn conflicts<'s, 't>(
    segments: &'s [Segment<'t>],
) -> impl Iterator<Item = &'s ConflictHunk<'t>> {
    segments.iter().filter_map(|segment| match segment {
        Segment::Conflict(conflict) => Some(conflict),
        Segment::Common(_) => None,
    })
}

/// Returns the sign and the label of a line if it is a conflict marker of `size` characters.
#[inline]
pub(super) fn marker(line: &str, size: usize) -> Option<(char, &str)> {
    let sign = *line.as_bytes().first()?;
    if !matches!(sign, b'<' | b'|' | b'=' | b'>') {
        return None;
    }
    let length = line.bytes().take_while(|byte| *byte == sign).count();
    let label = line[length..].trim_end_matches(['\n', '\r']);
    let is_separated = label.is_empty() || label.starts_with(' ');
    (length == size && is_separated).then(|| (sign.into(), label.trim_start_matches(' ')))
}

/// Returns the offset of the first line that may start a conflict.
pub(crate) fn first_marker(text: &str, size: usize) -> Option<usize> {
    let mut next = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        let start = next;
        next += line.len();
        (start, line)
    });
    let first = lines.find(|(_, line)| marker(line, size).is_some_and(|(sign, _)| sign == '<'));
    first.map(|(start, _)| start)
}

/// Whether a text has conflict markers.
pub(crate) fn has_markers(text: &str, size: usize) -> bool {
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

/// Returns the line number, from 1, of the first conflict marker in a text and its length; `None`
/// if the text has no conflict markers of any length.
pub(super) fn markers_of_any_size(text: &str) -> Option<(usize, usize)> {
    text.lines().enumerate().find_map(|(at, line)| {
        let size = line.bytes().take_while(|byte| *byte == b'<').count();
        let is_start = size > 1 && marker(line, size).is_some() && has_markers(text, size);
        is_start.then_some((at + 1, size))
    })
}

/// Returns the number of conflicts in a text; `None` if the markers do not match up, which happens
/// if a line of a side looks like a marker.
pub(crate) fn count_in(text: &str, size: usize) -> Option<usize> {
    read(text, size).map(|segments| conflicts(&segments).count())
}

/// Returns the text with its conflicts resolved in favor of a side; `None` if the markers do not
/// match up.
pub(super) fn choose(text: &str, size: usize, favor: Favor) -> Option<String> {
    let mut chosen = String::with_capacity(text.len());
    for segment in read(text, size)? {
        match segment {
            Segment::Common(lines) => chosen.push_str(lines),
            Segment::Conflict(conflict) => {
                if favor != Favor::Theirs {
                    chosen.push_str(conflict.side(Side::Local));
                }
                if favor != Favor::Ours {
                    chosen.push_str(conflict.side(Side::Updated));
                }
            }
        }
    }
    Some(chosen)
}

/// Rebuilds the three sides from a text with conflict markers. Returns them with the labels of the
/// last conflict.
///
/// # Errors
/// The line number, from 1, of the first conflict whose markers do not show the original.
pub(super) fn sides(segments: &[Segment<'_>]) -> Result<(Triple<String>, Triple<String>), usize> {
    let mut texts = Triple::<String>::default();
    let mut labels = Triple::default();
    for segment in segments {
        let lines = match segment {
            Segment::Common(lines) => Triple::new(*lines, *lines, *lines),
            Segment::Conflict(conflict) => {
                labels = conflict.labels;
                conflict.lines.transpose().ok_or(conflict.line + 1)?
            }
        };
        texts = texts.zip(lines).map(|(text, lines)| text + lines);
    }
    Ok((texts, labels.map(str::to_owned)))
}

/// Returns the segments with the original's lines filled in from `found`, the same conflicts in
/// diff3 style. Other styles may split one conflict of diff3 style into several, with lines that
/// both sides share between them; these become one again.
///
/// A conflict without a match in `found`, such as an edited one, stays as it is.
pub(super) fn with_originals<'t>(
    segments: Vec<Segment<'t>>,
    found: &[Segment<'t>],
) -> Vec<Segment<'t>> {
    let found: Vec<Triple<&str>> = conflicts(found)
        .filter_map(|conflict| conflict.lines.transpose())
        .collect();
    // conflicts with equal sides but different originals cannot be told apart
    let mut originals: FxHashMap<_, FxHashSet<&str>> = FxHashMap::default();
    for Triple {
        original,
        updated,
        local,
    } in &found
    {
        let of_sides = originals.entry((updated, local)).or_default();
        of_sides.insert(original);
    }
    let is_certain = |it: &&Triple<&str>| {
        let of_sides = originals.get(&(&it.updated, &it.local));
        of_sides.is_some_and(|them| them.len() == 1)
    };
    let certain: Vec<&Triple<&str>> = found.iter().filter(is_certain).collect();
    let pieces: Vec<Segment<'_>> = segments
        .into_iter()
        .flat_map(|segment| match segment {
            Segment::Common(lines) => lines.split_inclusive('\n').map(Segment::Common).collect(),
            conflict => vec![conflict],
        })
        .collect();
    let mut result = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let matched = certain.iter().find_map(|sides| {
            let pieces = &pieces[at..at + matching_pieces(&pieces[at..], sides)?];
            let conflict = ConflictHunk {
                lines: sides.map(Some),
                ..*conflicts(pieces).next()?
            };
            Some((Segment::Conflict(conflict), pieces.len()))
        });
        let (piece, count) = matched.unwrap_or((*piece, 1));
        result.push(piece);
        at += count;
    }
    result
}

/// Returns how many of the first pieces together have the updated and local lines of `sides`;
/// `None` if they do not, or if none of them is a conflict.
fn matching_pieces(pieces: &[Segment<'_>], sides: &Triple<&str>) -> Option<usize> {
    let (mut updated, mut local) = (sides.updated, sides.local);
    let mut conflicts = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let (theirs, ours) = match piece {
            Segment::Common(line) => (*line, *line),
            Segment::Conflict(ConflictHunk { lines, .. }) => {
                conflicts += 1;
                (lines.updated?, lines.local?)
            }
        };
        updated = updated.strip_prefix(theirs)?;
        local = local.strip_prefix(ours)?;
        if updated.is_empty() && local.is_empty() {
            return (conflicts > 0).then_some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<<<<<<< me\nb\n||||||| base\nc\n=======\nd\n>>>>>>> you\ne\n";

    #[test]
    fn rebuilds_the_three_sides() {
        let segments = read(TEXT, 7).unwrap();
        let (texts, labels) = sides(&segments).unwrap();
        assert_eq!(
            texts,
            Triple::new("a\nc\ne\n", "a\nd\ne\n", "a\nb\ne\n").map(str::to_owned)
        );
        assert_eq!(labels, Triple::new("base", "you", "me").map(str::to_owned));
        assert!(has_markers(TEXT, 7) && !has_markers(TEXT, 8));
    }

    #[test]
    fn returns_the_line_of_a_conflict_without_original() {
        let text = "a\n<<<<<<<\nb\n=======\nd\n>>>>>>>\n";
        assert_eq!(sides(&read(text, 7).unwrap()), Err(2));
        assert_eq!(choose(text, 7, Favor::Union).unwrap(), "a\nb\nd\n");
        assert_eq!(choose(text, 7, Favor::Theirs).unwrap(), "a\nd\n");
    }

    #[test]
    fn fills_in_the_original_of_unedited_conflicts() {
        let found = "<<<<<<<\na: 2\nb: 1\nc: 2\n|||||||\na: 1\nb: 0\nc: 1\n=======\na: 3\nb: 1\n\
            c: 3\n>>>>>>>\n";
        let found = read(found, 7).unwrap();
        let split = "<<<<<<<\na: 2\n=======\na: 3\n>>>>>>>\nb: 1\n<<<<<<<\nc: 2\n=======\nc: 3\n\
            >>>>>>>\nd: 1\n";
        let filled = with_originals(read(split, 7).unwrap(), &found);
        let (texts, _) = sides(&filled).unwrap();
        assert_eq!(
            texts,
            Triple::new(
                "a: 1\nb: 0\nc: 1\nd: 1\n",
                "a: 3\nb: 1\nc: 3\nd: 1\n",
                "a: 2\nb: 1\nc: 2\nd: 1\n"
            )
            .map(str::to_owned)
        );
        for edited in [split.replace("b: 1", "b: 2"), split.replace("c: 3", "c: 4")] {
            let filled = with_originals(read(&edited, 7).unwrap(), &found);
            assert_eq!(sides(&filled), Err(1), "{edited}");
        }
    }

    #[test]
    fn does_not_fill_in_an_ambiguous_original() {
        let found = "<<<<<<<\n2\n|||||||\n1\n=======\n3\n>>>>>>>\nx\n<<<<<<<\n2\n|||||||\n4\n\
            =======\n3\n>>>>>>>\n";
        let one = "<<<<<<<\n2\n=======\n3\n>>>>>>>\n";
        let filled = with_originals(read(one, 7).unwrap(), &read(found, 7).unwrap());
        assert_eq!(sides(&filled), Err(1));
    }

    #[test]
    fn unmatched_markers_give_none() {
        assert_eq!(read("<<<<<<<\na\n", 7), None);
        assert_eq!(read(">>>>>>>\n", 7), None);
        assert_eq!(read("<<<<<<<\n>>>>>>>\n", 7), None);
        assert_eq!(count_in("a\n<<<<<<<\n", 7), None);
        assert_eq!(count_in("a\n>>>>>>>\n", 7), None);
        assert_eq!((count_in(TEXT, 7), count_in("a\n", 7)), (Some(1), Some(0)));
        assert!(!has_markers("a: <<<<<<<\n=======\n", 7));
    }
}
