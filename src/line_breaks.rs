//! Line breaks of texts. The local text keeps its line breaks, LF or CRLF (rules: Places and
//! formats).

use std::borrow::Cow;

/// The kind of line breaks in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineBreaks {
    None,
    Alike(&'static str),
    Mixed,
}

impl LineBreaks {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        // most texts have no CR: do not count then
        if memchr::memchr(b'\n', bytes).is_none() {
            return Self::None;
        } else if memchr::memchr(b'\r', bytes).is_none() {
            return Self::Alike("\n");
        }
        let lf_count = memchr::memchr_iter(b'\n', bytes).count();
        match memchr::memmem::find_iter(bytes, b"\r\n").count() {
            0 => Self::Alike("\n"),
            count if count == lf_count => Self::Alike("\r\n"),
            _ => Self::Mixed,
        }
    }
}

/// Returns the first line break of a text, or LF if it has none.
pub(crate) fn line_break_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Whether a text ends with a line break, which includes a lone CR.
pub(crate) fn ends_line(text: &str) -> bool {
    text.ends_with(['\n', '\r'])
}

/// Returns the LF that the last line of a text lacks, or nothing if it has one or there is no line.
pub(crate) fn missing_lf(text: &str) -> &'static str {
    match text.is_empty() || text.ends_with('\n') {
        true => "",
        false => "\n",
    }
}

/// Returns the lines of a text with their line breaks, which include a lone CR.
pub(crate) fn lines_with_breaks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, below) = cut_first_line(rest);
        rest = below;
        (!line.is_empty()).then_some(line)
    })
}

/// Returns the start of the line of a byte.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |end| end + 1)
}

/// Returns the end of the line of a byte, without its line break.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end)
}

/// Returns the start of the line after that of a byte, or the end of the text.
pub(crate) fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    match &text.as_bytes()[end..] {
        [b'\r', b'\n', ..] => end + 2,
        rest => end + rest.len().min(1),
    }
}

/// Splits a text after its first line with the line break.
pub(crate) fn cut_first_line(text: &str) -> (&str, &str) {
    text.split_at(next_line(text, 0))
}

/// Returns the last line of a text with its line break, and the text above it.
pub(crate) fn cut_last_line(text: &str) -> (&str, &str) {
    let end = ["\r\n", "\n", "\r"].into_iter();
    let end = end.filter_map(|it| text.strip_suffix(it)).next();
    let start = line_start(text, end.unwrap_or(text).len());
    (&text[start..], &text[..start])
}

/// Returns the lines of a text without their line breaks, which include a lone CR.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    lines_with_breaks(text).map(|line| line.trim_end_matches(['\n', '\r']))
}

/// Appends `more` to a text and keeps all line breaks: LFs after a lone CR become CRs, because the
/// first LF would form a CRLF with that CR.
pub(crate) fn push(text: &mut String, more: &str) {
    let rest = more.trim_start_matches('\n');
    let follows_cr = text.ends_with('\r') && rest.len() < more.len();
    if follows_cr {
        text.extend(std::iter::repeat_n('\r', more.len() - rest.len()));
    }
    text.push_str(if follows_cr { rest } else { more });
}

/// Returns a text with all LF and CRLF line breaks replaced by `line_break`.
pub(crate) fn with_line_break<'t>(text: impl Into<Cow<'t, str>>, line_break: &str) -> Cow<'t, str> {
    let text = text.into();
    match LineBreaks::of(&text) {
        LineBreaks::None => text,
        LineBreaks::Alike(only) if only == line_break => text,
        _ => text.replace("\r\n", "\n").replace('\n', line_break).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_line_breaks() {
        assert_eq!(LineBreaks::of("a"), LineBreaks::None);
        assert_eq!(LineBreaks::of("a\nb\n"), LineBreaks::Alike("\n"));
        assert_eq!(LineBreaks::of("a\r\nb\r\n"), LineBreaks::Alike("\r\n"));
        assert_eq!(LineBreaks::of("a\r\nb\n"), LineBreaks::Mixed);
        assert_eq!(line_break_of("a\r\nb\n"), "\r\n");
        assert_eq!(line_break_of("a\nb\r\n"), "\n");
        assert!(ends_line("a\r") && ends_line("a\n") && !ends_line("a") && !ends_line(""));
    }

    #[test]
    fn lines_end_at_any_line_break() {
        let of = |text| lines(text).collect::<Vec<_>>();
        assert_eq!(of("a\nb\r\nc\rd"), ["a", "b", "c", "d"]);
        assert_eq!(of("\n\r\r\n"), ["", "", ""]);
        assert_eq!(of(""), [""; 0]);
        let text = "\ra\r\nb\r";
        assert_eq!(
            lines_with_breaks(text).collect::<Vec<_>>(),
            ["\r", "a\r\n", "b\r"]
        );
        assert_eq!(cut_last_line(text), ("b\r", "\ra\r\n"));
        assert_eq!(cut_last_line("\ra\r\n"), ("a\r\n", "\r"));
        assert_eq!(cut_last_line("\n\n"), ("\n", "\n"));
        assert_eq!(cut_last_line("a"), ("a", ""));
    }

    #[test]
    fn a_lone_cr_and_an_lf_stay_two_line_breaks() {
        let joined = |text: &str, more: &str| {
            let mut joined = text.to_owned();
            push(&mut joined, more);
            joined
        };
        assert_eq!(joined("a\r", "\n\nb\n"), "a\r\r\rb\n");
        assert_eq!(joined("a\r", "\r\nb"), "a\r\r\nb");
        assert_eq!(joined("a\r", "b\n"), "a\rb\n");
        assert_eq!(joined("a\n", "\nb"), "a\n\nb");
    }

    #[test]
    fn other_line_breaks_are_replaced() {
        assert_eq!(with_line_break("a\r\nb\n", "\n"), "a\nb\n");
        assert_eq!(with_line_break("a\r\nb\n", "\r\n"), "a\r\nb\r\n");
        assert_eq!(with_line_break("a\rb\n", "\r\n"), "a\rb\r\n");
    }
}
