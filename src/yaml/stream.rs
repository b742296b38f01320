//! A file's text, cut into its documents.

use memchr::memmem;

use super::tree::Span;

/// One document of a file, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'s> {
    /// The whole chunk: the comment lines and directives above the marker, the `---` line, the body, a `...` line if
    /// there is one and what follows it that begins no document.
    pub text: &'s str,
    /// Where the chunk starts in the file, in bytes.
    pub start: usize,
    /// The body within the chunk: from after the `---` (after its line break, where nothing but white space follows on
    /// that line), else from the start without a byte order mark, to the `...` line or the end.
    pub body: Span,
    /// The line of the file in which the chunk starts, from 0.
    pub line: usize,
}

/// Cuts a file into documents at its `---` lines (and after a `...` line, where a document follows without `---`).
///
/// The chunks' texts joined are the file, to the byte. Comment lines in column 0 right above a `---` line belong to the
/// document below, and so do directives. A chunk may be without content (only comments and blank lines), and an
/// empty file has no chunk.
///
/// ```
/// use merge3::yaml::stream::split;
///
/// let documents = split("# one\na: 1\n# two\n---\na: 2\n");
/// let texts: Vec<&str> = documents.iter().map(|document| document.text).collect();
/// assert_eq!(texts, ["# one\na: 1\n", "# two\n---\na: 2\n"]);
/// assert_eq!(&texts[1][documents[1].body.range()], "a: 2\n");
/// assert_eq!(documents[1].line, 2);
/// ```
pub fn split(text: &str) -> Vec<Document<'_>> {
    let mut splitter = Splitter {
        text,
        documents: Vec::new(),
        start: 0,
        line: 0,
        marker: None,
        end: None,
    };
    let bytes = text.as_bytes();
    let mut starts = memmem::find_iter(bytes, b"---").peekable();
    let mut ends = memmem::find_iter(bytes, b"...").peekable();
    loop {
        let at = match (starts.peek(), ends.peek()) {
            (Some(start), Some(end)) if start > end => ends.next(),
            (Some(_), _) => starts.next(),
            (None, Some(_)) => ends.next(),
            (None, None) => break,
        };
        let Some(at) = at.filter(|at| is_marker_line(text, *at)) else {
            continue;
        };
        if bytes[at] == b'-' {
            splitter.document_start(at);
        } else {
            splitter.document_end(at);
        }
    }
    splitter.finish();
    splitter.documents
}

/// The byte order mark's length, where a text has one.
pub(crate) fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { 3 } else { 0 }
}

/// Whether three bytes that could be `---` or `...` are a line's first, with white space after them.
fn is_marker_line(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let line_start = at == byte_order_mark(text) || matches!(bytes[at.max(1) - 1], b'\n' | b'\r');
    (line_start || at == 0)
        && matches!(bytes.get(at + 3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

/// Whether a text would begin or end a document, put at the start of a line.
pub(crate) fn starts_with_marker(text: &str) -> bool {
    (text.starts_with("---") || text.starts_with("...")) && is_marker_line(text, 0)
}

struct Splitter<'s> {
    text: &'s str,
    documents: Vec<Document<'s>>,
    /// Of the chunk that is being read: where it starts, in bytes and lines, its `---` and its `...`.
    start: usize,
    line: usize,
    marker: Option<usize>,
    end: Option<usize>,
}

impl Splitter<'_> {
    fn document_start(&mut self, at: usize) {
        let cut = self.cut_before(at);
        // a byte order mark alone is no chunk
        if cut > byte_order_mark(self.text) {
            self.push(cut);
        }
        self.marker = Some(at);
    }

    fn document_end(&mut self, at: usize) {
        if self.end.is_none() {
            self.end = Some(at);
        }
    }

    fn finish(&mut self) {
        self.bare_document(self.text.len());
        self.push(self.text.len());
    }

    /// Where the document whose `---` stands at `at` begins: with the directives and the comment lines right above.
    fn cut_before(&mut self, at: usize) -> usize {
        self.bare_document(at);
        // directives stand only where no document is open: in a first chunk, or after `...`
        if self.marker.is_none() || self.end.is_some() {
            let from = self.end.map_or(self.start, |end| next_line(self.text, end));
            if let Some(cut) = directives_start(self.text, from, at) {
                return cut;
            }
        }
        let open = &self.text[self.body_start()..at];
        let from = self
            .end
            .map_or_else(|| self.body_start(), |end| next_line(self.text, end));
        let cut = comments_above(self.text, from, at);
        if self.end.is_none() && owns_hash_lines(open, &self.text[cut..at]) {
            return at;
        }
        cut
    }

    /// After a `...` line a document may follow that has no `---`: it is a chunk of its own.
    fn bare_document(&mut self, until: usize) {
        let Some(end) = self.end else { return };
        let mut at = next_line(self.text, end);
        while at < until {
            let line = self.text[at..line_end(self.text, at)].trim_matches([' ', '\t']);
            if line.starts_with('%') {
                return;
            }
            let is_end = line.starts_with("...") && is_marker_line(self.text, at);
            if !(line.is_empty() || line.starts_with('#') || is_end) {
                let cut = comments_above(self.text, next_line(self.text, end), at);
                self.push(cut);
                return;
            }
            at = next_line(self.text, at);
        }
    }

    fn body_start(&self) -> usize {
        let Some(marker) = self.marker else {
            return self.start + byte_order_mark(&self.text[self.start..]);
        };
        let after = marker + 3;
        let end = line_end(self.text, after);
        if self.text[after..end]
            .bytes()
            .all(|byte| matches!(byte, b' ' | b'\t'))
        {
            next_line(self.text, after)
        } else {
            after
        }
    }

    /// Ends the chunk at `end`, and starts the next one there.
    fn push(&mut self, end: usize) {
        if end <= self.start {
            return;
        }
        let body_start = self.body_start();
        let body_end = self.end.unwrap_or(end).max(body_start);
        let text = &self.text[self.start..end];
        let span = |offset: usize| u32::try_from(offset - self.start).unwrap_or(u32::MAX);
        self.documents.push(Document {
            text,
            start: self.start,
            body: Span::new(span(body_start), span(body_end)),
            line: self.line,
        });
        if end < self.text.len() {
            self.line += count_lines(text);
        }
        self.start = end;
        self.marker = None;
        self.end = None;
    }
}

/// Where the comment lines in column 0 begin that stand right above `at`, a line's start; `at` where there are none.
fn comments_above(text: &str, from: usize, at: usize) -> usize {
    let mut cut = at;
    while cut > from {
        let above = line_before(text, cut);
        if above < from || !text[above..].starts_with('#') {
            break;
        }
        cut = above;
    }
    cut
}

/// Where the directives between `from` and `at` begin, with the comment lines right above them.
fn directives_start(text: &str, from: usize, at: usize) -> Option<usize> {
    let first = from + byte_order_mark(&text[from..]);
    let mut line = first;
    while line < at {
        if text[line..].starts_with('%') {
            return Some(comments_above(text, first, line));
        }
        if !matches!(text.as_bytes()[line], b'#' | b' ' | b'\t' | b'\n' | b'\r') {
            return None;
        }
        line = next_line(text, line);
    }
    None
}

/// Whether lines that look like comments are, or may be, a part of the root scalar of the document above them.
fn owns_hash_lines(open: &str, lines: &str) -> bool {
    let mut root = open.trim_start();
    loop {
        root = match root.as_bytes().first() {
            Some(b'&' | b'!') => root
                .find([' ', '\t', '\n', '\r'])
                .map_or("", |end| root[end..].trim_start()),
            Some(b'#') => root[line_end(root, 0)..].trim_start(),
            _ => break,
        };
    }
    match root.as_bytes().first() {
        Some(b'|' | b'>' | b'"' | b'\'') => true,
        Some(b'{' | b'[') => lines.contains(['"', '\'']),
        _ => false,
    }
}

fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end)
}

fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    let rest = &text.as_bytes()[end..];
    end + if rest.starts_with(b"\r\n") {
        2
    } else {
        rest.len().min(1)
    }
}

/// The start of the line above the one that starts at `at`.
fn line_before(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let end = if bytes[..at].ends_with(b"\r\n") {
        at - 2
    } else {
        at.saturating_sub(1)
    };
    memchr::memrchr2(b'\n', b'\r', &bytes[..end])
        .map_or_else(|| byte_order_mark(text), |start| start + 1)
}

/// How many line breaks a text has: LF, CRLF, or CR alone.
pub(crate) fn count_lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    if memchr::memchr(b'\r', bytes).is_none() {
        return memchr::memchr_iter(b'\n', bytes).count();
    }
    line_ends(bytes).count()
}

/// Where the last byte of each line break stands: LF, CRLF, or CR alone.
pub(super) fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let documents = split(text);
        let joined: String = documents.iter().map(|document| document.text).collect();
        assert_eq!(joined, text);
        for document in &documents {
            assert!(text[document.start..].starts_with(document.text));
            assert_eq!(document.line, count_lines(&text[..document.start]));
        }
        documents.iter().map(|document| document.text).collect()
    }

    fn bodies(text: &str) -> Vec<&str> {
        let body = |document: &Document<'_>| document.body.range();
        split(text)
            .iter()
            .map(|document| &document.text[body(document)])
            .collect()
    }

    #[test]
    fn at_marker_lines() {
        assert_eq!(texts(""), [""; 0]);
        assert_eq!(texts("a\n"), ["a\n"]);
        assert_eq!(texts("---\na\n---\nb\n"), ["---\na\n", "---\nb\n"]);
        assert_eq!(texts("a\n---\n---\n"), ["a\n", "---\n", "---\n"]);
        assert_eq!(
            texts("a\r\n---\r\nb\r---\rc"),
            ["a\r\n", "---\r\nb\r", "---\rc"]
        );
        assert_eq!(texts("--- a\n---\tb\n---"), ["--- a\n", "---\tb\n", "---"]);
        assert_eq!(
            texts("---a\n --- \n----\na: ---\n"),
            ["---a\n --- \n----\na: ---\n"]
        );
    }

    #[test]
    fn with_the_comments_right_above() {
        assert_eq!(
            texts("# license\n\n# a\n---\nb\n"),
            ["# license\n\n", "# a\n---\nb\n"]
        );
        assert_eq!(
            texts("a: 1\n  # in\n# b\n---\nc\n"),
            ["a: 1\n  # in\n", "# b\n---\nc\n"]
        );
        assert_eq!(
            texts("--- |\n# text\n---\nc\n"),
            ["--- |\n# text\n", "---\nc\n"]
        );
        assert_eq!(
            texts("--- !t &a\n'x\n# text'\n---\nc\n"),
            ["--- !t &a\n'x\n# text'\n", "---\nc\n"]
        );
        assert_eq!(texts("[a]\n# b\n---\nc\n"), ["[a]\n", "# b\n---\nc\n"]);
    }

    #[test]
    fn with_the_directives() {
        assert_eq!(
            texts("a\n...\n# b\n%YAML 1.2\n# c\n\n---\nd\n"),
            ["a\n...\n", "# b\n%YAML 1.2\n# c\n\n---\nd\n"]
        );
        assert_eq!(texts("%YAML 1.2\n---\na\n"), ["%YAML 1.2\n---\na\n"]);
        assert_eq!(
            texts("# a\n%YAML 1.2\n---\nb\n"),
            ["# a\n%YAML 1.2\n---\nb\n"]
        );
        assert_eq!(texts("a\n%b\n---\nc\n"), ["a\n%b\n", "---\nc\n"]);
    }

    #[test]
    fn after_an_end_marker() {
        assert_eq!(
            texts("a\n...\n# b\n\n---\nc\n"),
            ["a\n...\n# b\n\n", "---\nc\n"]
        );
        assert_eq!(
            texts("a\n...\n# b\nc\n...\n"),
            ["a\n...\n", "# b\nc\n...\n"]
        );
        assert_eq!(texts("a\n...\n...\n"), ["a\n...\n...\n"]);
        assert_eq!(texts("a\n....\n..\n ...\n"), ["a\n....\n..\n ...\n"]);
    }

    #[test]
    fn bodies_are_between_the_markers() {
        assert_eq!(bodies("# a\n---  \nb\n...\n# c\n"), ["b\n"]);
        assert_eq!(bodies("--- # a\nb\n--- c\n"), [" # a\nb\n", " c\n"]);
        assert_eq!(bodies("\u{feff}# a\nb\n"), ["# a\nb\n"]);
        assert_eq!(bodies("\u{feff}---\na\n---"), ["a\n", ""]);
        assert_eq!(bodies("%YAML 1.2\n---\r\na"), ["a"]);
    }

    #[test]
    fn a_byte_order_mark_is_no_document() {
        assert_eq!(texts("\u{feff}---\na\n"), ["\u{feff}---\na\n"]);
        assert_eq!(texts("\u{feff}# a\n---\nb\n"), ["\u{feff}# a\n---\nb\n"]);
    }
}
