//! Line breaks of texts: LF or CRLF. A local text's stay (SPEC 7).

use std::borrow::Cow;

/// What line breaks a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineBreaks {
    None,
    Alike(&'static str),
    Mixed,
}

impl LineBreaks {
    pub(crate) fn of(text: &str) -> Self {
        let all = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let windows = memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
        match windows {
            _ if all == 0 => Self::None,
            0 => Self::Alike("\n"),
            count if count == all => Self::Alike("\r\n"),
            _ => Self::Mixed,
        }
    }
}

/// The line break that a text uses first; LF where it has none.
pub(crate) fn line_break_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Whether a text ends with a line break, be it a CR alone.
pub(crate) fn ends_line(text: &str) -> bool {
    text.ends_with(['\n', '\r'])
}

/// A text with that line break and no other.
pub(crate) fn with_line_break<'t>(text: impl Into<Cow<'t, str>>, line_break: &str) -> Cow<'t, str> {
    let text = text.into();
    let plain = match memchr::memmem::find(text.as_bytes(), b"\r\n") {
        Some(_) => text.replace("\r\n", "\n").into(),
        None => text,
    };
    match line_break {
        "\n" => plain,
        _ => plain.replace('\n', line_break).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert_eq!(LineBreaks::of("a"), LineBreaks::None);
        assert_eq!(LineBreaks::of("a\nb\n"), LineBreaks::Alike("\n"));
        assert_eq!(LineBreaks::of("a\r\nb\r\n"), LineBreaks::Alike("\r\n"));
        assert_eq!(LineBreaks::of("a\r\nb\n"), LineBreaks::Mixed);
        assert_eq!(line_break_of("a\r\nb\n"), "\r\n");
        assert_eq!(line_break_of("a\nb\r\n"), "\n");
        assert!(ends_line("a\r") && ends_line("a\n") && !ends_line("a") && !ends_line(""));
    }

    #[test]
    fn others_are_replaced() {
        assert_eq!(with_line_break("a\r\nb\n", "\n"), "a\nb\n");
        assert_eq!(with_line_break("a\r\nb\n", "\r\n"), "a\r\nb\r\n");
        assert_eq!(with_line_break("a\rb\n", "\r\n"), "a\rb\r\n");
    }
}
