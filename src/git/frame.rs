//! The byte order mark and the line breaks of a file. They merge three-way, apart from the lines.

use std::borrow::Cow;

use super::hunks::marker;
use crate::line_breaks::{LineBreaks, with_line_break};
use crate::triple::{Change, Triple};

const MARK: char = '\u{feff}';

/// The frame that a merged file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    mark: bool,
    /// None where a side mixes them: then lines are left as they are.
    line_break: Option<&'static str>,
}

/// Takes three texts out of their frames: without byte order marks, and with the line breaks of the
/// local one.
pub(super) fn unframe<'a>(texts: &Triple<&'a str>) -> (Triple<Cow<'a, str>>, Frame) {
    let marks = texts.map(|text| text.starts_with(MARK));
    let bare = texts.map(|text| text.strip_prefix(MARK).unwrap_or(text));
    let breaks = bare.map(LineBreaks::of);
    let mark = if texts.original.is_empty() {
        marks.local
    } else {
        merged(marks)
    };
    let one = |breaks: LineBreaks| match breaks {
        LineBreaks::Alike(line_break) => Some(line_break),
        LineBreaks::None | LineBreaks::Mixed => None,
    };
    let is_mixed = breaks.into_array().contains(&LineBreaks::Mixed);
    let [original, updated, local] = breaks.map(one).into_array();
    // a side without a line break has no say
    let Some(here) = local.or(updated).or(original).filter(|_| !is_mixed) else {
        let line_break = None;
        return (bare.map(Cow::Borrowed), Frame { mark, line_break });
    };
    let sides = Triple::new(original, updated, local).map(|it| it.unwrap_or(here));
    let line_break = if original.is_none() {
        here
    } else {
        merged(sides)
    };
    let frame = Frame {
        mark,
        line_break: Some(line_break),
    };
    (bare.map(|text| with_line_break(text, here)), frame)
}

impl Frame {
    /// Puts a merged text into the frame. Where it begins with a conflict, whose markers have
    /// `size` characters, the byte order mark is in each side of it: a marker begins a line.
    pub(super) fn around(self, text: &str, size: usize) -> String {
        let text = match self.line_break {
            Some(line_break) => with_line_break(text, line_break),
            None => Cow::Borrowed(text),
        };
        if !self.mark {
            return text.into_owned();
        }
        let mut framed = String::with_capacity(text.len() + 16);
        let (mut is_first, mut is_in_conflict) = (true, false);
        for line in text.split_inclusive('\n') {
            let sign = marker(line, size).map(|(sign, _)| sign);
            match sign {
                Some('<') if framed.is_empty() => is_in_conflict = true,
                Some('|' | '=') if is_in_conflict => is_first = true,
                Some('>') if is_in_conflict => (is_in_conflict, is_first) = (false, false),
                _ if is_first => {
                    framed.push(MARK);
                    is_first = false;
                }
                _ => {}
            }
            framed.push_str(line);
        }
        framed
    }
}

/// Of two values, the one that somebody changed.
fn merged<T: PartialEq + Copy>(sides: Triple<T>) -> T {
    match sides.change() {
        Change::Upstream => sides.updated,
        _ => sides.local,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_line_breaks_or_the_mark_is_followed() {
        let (texts, frame) = unframe(&Triple::new("a\nb\n", "\u{feff}a\r\nb\r\n", "A\nb\n"));
        assert_eq!(texts.updated, "a\nb\n");
        assert_eq!(frame.around("A\nb\n", 7), "\u{feff}A\r\nb\r\n");
        let (texts, frame) = unframe(&Triple::new("a\nb\n", "a\nB\n", "a\r\nb\r\n"));
        assert_eq!(texts.updated, "a\r\nB\r\n");
        assert_eq!(frame.around("a\r\nB\r\n", 7), "a\r\nB\r\n");
    }

    #[test]
    fn a_mark_is_in_each_side_of_a_conflict_in_the_first_line() {
        let (_, frame) = unframe(&Triple::new("\u{feff}a\n", "\u{feff}b\n", "\u{feff}c\n"));
        assert_eq!(
            frame.around("<<<\nc\n|||\n===\nb\n>>>\nd\n", 3),
            "<<<\n\u{feff}c\n|||\n===\n\u{feff}b\n>>>\nd\n"
        );
    }

    #[test]
    fn mixed_line_breaks_are_left_alone() {
        let (texts, frame) = unframe(&Triple::new("a\nb\r\n", "a\n", "a\n"));
        assert_eq!(texts.original, "a\nb\r\n");
        assert_eq!(frame.around("a\nb\r\n", 7), "a\nb\r\n");
    }
}
