//! Merges the byte order mark and the line breaks of a file three-way, separately from its lines.

use std::borrow::Cow;

use super::hunks::marker;
use crate::line_breaks::{LineBreaks, with_line_break};
use crate::triple::Triple;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The byte order mark and the line breaks of the merged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    mark: bool,
    /// `None` if a side mixes line breaks: then lines keep theirs.
    line_break: Option<&'static str>,
}

/// Returns the three texts without byte order marks and with the line breaks of local, so that they
/// can merge by lines, and the merged frame.
pub(super) fn unframe<'a>(texts: &Triple<&'a str>) -> (Triple<Cow<'a, str>>, Frame) {
    let marks = texts.map(|text| text.starts_with(MARK));
    let bare = texts.map(|text| text.strip_prefix(MARK).unwrap_or(text));
    let mark = match texts.original.is_empty() {
        true => marks.local,
        false => marks.merged(),
    };
    let breaks = bare.map(LineBreaks::of);
    let single = breaks.map(|breaks| match breaks {
        LineBreaks::Alike(line_break) => Some(line_break),
        LineBreaks::None | LineBreaks::Mixed => None,
    });
    // a side without any line break does not count
    let common = single.local.or(single.updated).or(single.original);
    let is_mixed = breaks.into_array().contains(&LineBreaks::Mixed);
    let Some(common) = common.filter(|_| !is_mixed) else {
        let line_break = None;
        return (bare.map(Cow::Borrowed), Frame { mark, line_break });
    };
    let line_break = Some(match single.original {
        None => common,
        Some(_) => single.map(|it| it.unwrap_or(common)).merged(),
    });
    let texts = bare.map(|text| with_line_break(text, common));
    (texts, Frame { mark, line_break })
}

impl Frame {
    /// Returns a merged text with the line breaks and the byte order mark of the frame. If the text
    /// begins with a conflict, whose markers have `size` characters, each side of it gets the byte
    /// order mark, because a marker must be at the start of a line.
    pub(super) fn around<'t>(self, text: impl Into<Cow<'t, str>>, size: usize) -> String {
        let text = match self.line_break {
            Some(line_break) => with_line_break(text, line_break),
            None => text.into(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_changed_line_breaks_and_marks() {
        let (texts, frame) = unframe(&Triple::new("a\nb\n", "\u{feff}a\r\nb\r\n", "A\nb\n"));
        assert_eq!(texts.updated, "a\nb\n");
        assert_eq!(frame.around("A\nb\n", 7), "\u{feff}A\r\nb\r\n");
        let (texts, frame) = unframe(&Triple::new("a\nb\n", "a\nB\n", "a\r\nb\r\n"));
        assert_eq!(texts.updated, "a\r\nB\r\n");
        assert_eq!(frame.around("a\r\nB\r\n", 7), "a\r\nB\r\n");
    }

    #[test]
    fn a_conflict_in_the_first_line_gets_a_mark_on_each_side() {
        let (_, frame) = unframe(&Triple::new("\u{feff}a\n", "\u{feff}b\n", "\u{feff}c\n"));
        assert_eq!(
            frame.around("<<<\nc\n|||\n===\nb\n>>>\nd\n", 3),
            "<<<\n\u{feff}c\n|||\n===\n\u{feff}b\n>>>\nd\n"
        );
    }

    #[test]
    fn keeps_mixed_line_breaks() {
        let (texts, frame) = unframe(&Triple::new("a\nb\r\n", "a\n", "a\n"));
        assert_eq!(texts.original, "a\nb\r\n");
        assert_eq!(frame.around("a\nb\r\n", 7), "a\nb\r\n");
    }
}
