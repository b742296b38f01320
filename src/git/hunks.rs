//! Reads texts with conflict markers.

use std::ops::Range;

use crate::triple::{Side, Triple};

/// Who wins the conflicts that are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Favor {
    /// The local side.
    Ours,
    /// The updated side.
    Theirs,
    /// Both: first the local side's lines, then the updated one's.
    Union,
}

/// A stretch of a text with conflict markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stretch<'t> {
    /// Lines outside of markers.
    Common(&'t str),
    /// A conflict.
    Conflict(Marked<'t>),
}

/// A conflict between markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marked<'t> {
    /// The lines of each side; there is no original where the markers do not show it.
    pub(crate) lines: Triple<Option<&'t str>>,
    /// What is behind the markers.
    pub(crate) labels: Triple<&'t str>,
    /// All of it, with the markers.
    pub(crate) text: &'t str,
    /// The line of the first marker, from 0.
    pub(crate) line: usize,
}

/// A line that is a marker.
struct Marker<'t> {
    sign: char,
    label: &'t str,
    /// Where it is in the text.
    place: Range<usize>,
    /// Its number, from 0.
    line: usize,
}

/// Cuts a text at its conflict markers, which have `size` characters. `None` if they do not match
/// up.
pub(crate) fn read(text: &str, size: usize) -> Option<Vec<Stretch<'_>>> {
    let mut stretches = Vec::new();
    let mut open: Vec<Marker<'_>> = Vec::new();
    let (mut common, mut at) = (0, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let place = at..at + line.len();
        at = place.end;
        let Some((sign, label)) = marker(line, size) else {
            continue;
        };
        let is_next = match (sign, open.last().map(|last| last.sign)) {
            ('<', None) | ('|', Some('<')) | ('>', Some('=')) => true,
            ('=', Some('<' | '|')) => label.is_empty(),
            ('<' | '>', _) => return None,
            // a line of a side
            _ => false,
        };
        if !is_next {
            continue;
        }
        if sign == '<' && common < place.start {
            stretches.push(Stretch::Common(&text[common..place.start]));
        }
        open.push(Marker {
            sign,
            label,
            place,
            line: number,
        });
        if sign == '>' {
            stretches.push(Stretch::Conflict(Marked::between(text, &open)?));
            open.clear();
            common = at;
        }
    }
    if !open.is_empty() {
        return None;
    }
    if common < text.len() {
        stretches.push(Stretch::Common(&text[common..]));
    }
    Some(stretches)
}

impl<'t> Marked<'t> {
    /// The conflict that three markers make, or four.
    fn between(text: &'t str, markers: &[Marker<'t>]) -> Option<Self> {
        let (local, original, updated, end) = match markers {
            [local, updated, end] => (local, None, updated, end),
            [local, original, updated, end] => (local, Some(original), updated, end),
            _ => return None,
        };
        let lines = |from: &Marker<'_>, to: &Marker<'_>| &text[from.place.end..to.place.start];
        Some(Self {
            lines: Triple {
                original: original.map(|original| lines(original, updated)),
                updated: Some(lines(updated, end)),
                local: Some(lines(local, original.unwrap_or(updated))),
            },
            labels: Triple::new(original.map_or("", |it| it.label), end.label, local.label),
            text: &text[local.place.start..end.place.end],
            line: local.line,
        })
    }

    /// Original, updated and local lines, where it shows them all.
    fn all_lines(&self) -> Option<Triple<&'t str>> {
        self.lines.try_map(|lines| lines.ok_or(())).ok()
    }

    /// The lines of a side.
    pub(crate) fn side(&self, side: Side) -> &'t str {
        self.lines[side].unwrap_or_default()
    }

    /// How many bytes both sides have.
    pub(super) fn length(&self) -> usize {
        self.side(Side::Updated).len() + self.side(Side::Local).len()
    }
}

/// The conflicts of a text.
pub(crate) fn conflicts<'s, 't>(
    stretches: &'s [Stretch<'t>],
) -> impl Iterator<Item = &'s Marked<'t>> {
    stretches.iter().filter_map(|stretch| match stretch {
        Stretch::Conflict(conflict) => Some(conflict),
        Stretch::Common(_) => None,
    })
}

/// The sign and the label of a line that is a conflict marker.
pub(super) fn marker(line: &str, size: usize) -> Option<(char, &str)> {
    let sign = char::from(*line.as_bytes().first()?);
    if !matches!(sign, '<' | '|' | '=' | '>') {
        return None;
    }
    let line = line.trim_end_matches(['\n', '\r']);
    let label = line.trim_start_matches(sign);
    let counted = line.len() - label.len() == size;
    let apart = label.is_empty() || label.starts_with(' ');
    (counted && apart).then(|| (sign, label.trim_start_matches(' ')))
}

/// Whether a text has conflict markers in it.
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

/// How many conflicts are in a text; `None` if its markers do not match up, for a line of a side
/// can look like one.
pub(crate) fn count_in(text: &str, size: usize) -> Option<usize> {
    Some(conflicts(&read(text, size)?).count())
}

/// The text with its conflicts resolved; `None` if its markers do not match up.
pub(super) fn choose(text: &str, size: usize, favor: Favor) -> Option<String> {
    let mut chosen = String::with_capacity(text.len());
    for stretch in read(text, size)? {
        match stretch {
            Stretch::Common(lines) => chosen.push_str(lines),
            Stretch::Conflict(conflict) => {
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

/// The three texts that a text with conflict markers was made of, and what is behind its markers.
///
/// # Errors
/// The line, from 1, of the first conflict whose markers do not show the original.
pub(super) fn sides(stretches: &[Stretch<'_>]) -> Result<(Triple<String>, Triple<String>), usize> {
    let mut texts = Triple::<String>::default();
    let mut labels = Triple::default();
    for stretch in stretches {
        let lines = match stretch {
            Stretch::Common(lines) => Triple::new(*lines, *lines, *lines),
            Stretch::Conflict(conflict) => {
                labels = conflict.labels;
                conflict.all_lines().ok_or(conflict.line + 1)?
            }
        };
        texts = texts.zip(lines).map(|(text, lines)| text + lines);
    }
    Ok((texts, labels.map(str::to_owned)))
}

/// The stretches with the original's lines in each conflict that is one of `found`, or a part of
/// it: what a conflict in the style diff3 shows as one, others show as several, with the lines
/// that both sides share between them.
///
/// A conflict that somebody edited is none of those that were found, and stays as it is.
pub(super) fn with_originals<'t>(
    stretches: Vec<Stretch<'t>>,
    found: &[Stretch<'t>],
) -> Vec<Stretch<'t>> {
    let found: Vec<Triple<&str>> = conflicts(found).filter_map(Marked::all_lines).collect();
    // two conflicts that look alike have to have one original
    let is_certain = |it: &&Triple<&str>| {
        let is_alike =
            |other: &&Triple<&str>| (other.updated, other.local) == (it.updated, it.local);
        let mut alike = found.iter().filter(is_alike);
        alike.all(|other| other.original == it.original)
    };
    let pieces: Vec<Stretch<'_>> = stretches
        .into_iter()
        .flat_map(|stretch| match stretch {
            Stretch::Common(lines) => lines.split_inclusive('\n').map(Stretch::Common).collect(),
            conflict => vec![conflict],
        })
        .collect();
    let mut result = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let hit = found.iter().filter(is_certain).find_map(|sides| {
            let pieces = &pieces[at..at + count_of(&pieces[at..], sides)?];
            let conflict = Marked {
                lines: sides.map(Some),
                ..*conflicts(pieces).next()?
            };
            Some((Stretch::Conflict(conflict), pieces.len()))
        });
        let (piece, count) = hit.unwrap_or((*piece, 1));
        result.push(piece);
        at += count;
    }
    result
}

/// How many of the first pieces are a conflict together, whatever its original.
fn count_of(pieces: &[Stretch<'_>], sides: &Triple<&str>) -> Option<usize> {
    let (mut updated, mut local) = (sides.updated, sides.local);
    let mut conflicts = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let (theirs, ours) = match piece {
            Stretch::Common(line) => (*line, *line),
            Stretch::Conflict(Marked { lines, .. }) => {
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
    fn the_three_sides_come_back() {
        let stretches = read(TEXT, 7).unwrap();
        let (texts, labels) = sides(&stretches).unwrap();
        assert_eq!(
            texts,
            Triple::new("a\nc\ne\n", "a\nd\ne\n", "a\nb\ne\n").map(str::to_owned)
        );
        assert_eq!(labels, Triple::new("base", "you", "me").map(str::to_owned));
        assert!(has_markers(TEXT, 7) && !has_markers(TEXT, 8));
    }

    #[test]
    fn a_conflict_without_the_original_is_told_by_its_line() {
        let text = "a\n<<<<<<<\nb\n=======\nd\n>>>>>>>\n";
        assert_eq!(sides(&read(text, 7).unwrap()), Err(2));
        assert_eq!(choose(text, 7, Favor::Union).unwrap(), "a\nb\nd\n");
        assert_eq!(choose(text, 7, Favor::Theirs).unwrap(), "a\nd\n");
    }

    #[test]
    fn conflicts_get_their_original_where_nobody_edited_them() {
        let found = "<<<<<<<\na: 2\nb: 1\nc: 2\n|||||||\na: 1\nb: 0\nc: 1\n=======\na: 3\nb: 1\n\
            c: 3\n>>>>>>>\n";
        let found = read(found, 7).unwrap();
        let fine = "<<<<<<<\na: 2\n=======\na: 3\n>>>>>>>\nb: 1\n<<<<<<<\nc: 2\n=======\nc: 3\n\
            >>>>>>>\nd: 1\n";
        let told = with_originals(read(fine, 7).unwrap(), &found);
        let (texts, _) = sides(&told).unwrap();
        assert_eq!(
            texts,
            Triple::new(
                "a: 1\nb: 0\nc: 1\nd: 1\n",
                "a: 3\nb: 1\nc: 3\nd: 1\n",
                "a: 2\nb: 1\nc: 2\nd: 1\n"
            )
            .map(str::to_owned)
        );
        for edited in [fine.replace("b: 1", "b: 2"), fine.replace("c: 3", "c: 4")] {
            let told = with_originals(read(&edited, 7).unwrap(), &found);
            assert_eq!(sides(&told), Err(1), "{edited}");
        }
    }

    #[test]
    fn conflicts_that_look_alike_and_are_not_stay_as_they_are() {
        let found = "<<<<<<<\n2\n|||||||\n1\n=======\n3\n>>>>>>>\nx\n<<<<<<<\n2\n|||||||\n4\n\
            =======\n3\n>>>>>>>\n";
        let one = "<<<<<<<\n2\n=======\n3\n>>>>>>>\n";
        let told = with_originals(read(one, 7).unwrap(), &read(found, 7).unwrap());
        assert_eq!(sides(&told), Err(1));
    }

    #[test]
    fn markers_that_do_not_match_up_are_none() {
        assert_eq!(read("<<<<<<<\na\n", 7), None);
        assert_eq!(read(">>>>>>>\n", 7), None);
        assert_eq!(read("<<<<<<<\n>>>>>>>\n", 7), None);
        assert_eq!(count_in("a\n<<<<<<<\n", 7), None);
        assert_eq!(count_in("a\n>>>>>>>\n", 7), None);
        assert_eq!((count_in(TEXT, 7), count_in("a\n", 7)), (Some(1), Some(0)));
        assert!(!has_markers("a: <<<<<<<\n=======\n", 7));
    }
}
