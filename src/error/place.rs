//! Places in files, as messages show them: file, line, column and the text of the line.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::visible::{cut, visible, visible_lines};

/// The maximum number of characters of a line that are shown after a place. It is more than a
/// terminal has columns, and it limits the work where a line is a whole file.
const MAX_SHOWN_CHARS: usize = 4096;

/// Returns a path as messages show it: on one line, with control and invisible characters escaped.
pub fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// A place in a file, with the text of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path of the file, as it was opened.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The text of the line, without its line break.
    pub text: String,
    /// The place's offset into `text`, in bytes.
    pub(super) offset: usize,
    /// Whether messages leave out the line, because its file may contain a Secret.
    pub(super) hidden: bool,
}

impl Place {
    /// Returns the place at `offset` bytes into `text`, the content of the file at `path`.
    ///
    /// ```
    /// use merge3::error::Place;
    ///
    /// let place = Place::new("a.yaml", "a: 1\nb: 2\n", 8);
    /// assert_eq!((place.line, place.column, place.text.as_str()), (2, 4, "b: 2"));
    /// ```
    pub fn new(path: impl Into<PathBuf>, text: &str, offset: usize) -> Self {
        Self::in_chunk(path, text, 0, offset)
    }

    /// Returns the place at `offset` bytes into a chunk of a file, such as a document. The chunk
    /// starts at line `first_line` of the file, from 0. Only the chunk decides whether the line may
    /// contain a secret.
    pub(crate) fn in_chunk(
        path: impl Into<PathBuf>,
        text: &str,
        first_line: usize,
        offset: usize,
    ) -> Self {
        let bytes = text.as_bytes();
        let offset = offset.min(text.len());
        let start = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |at| at + 1);
        let line = text[start..].split('\n').next().unwrap_or_default();
        let number = first_line + memchr::memchr_iter(b'\n', &bytes[..start]).count();
        let hidden = crate::secret::may_contain_secret(bytes);
        Self::in_line(path, line, number, offset - start, hidden)
    }

    /// Returns the place at `offset` bytes into a line, or at its end. `number` is the line's number
    /// in its file, from 0. `hidden` says that the file may contain a Secret.
    pub(crate) fn in_line(
        path: impl Into<PathBuf>,
        line: &str,
        number: usize,
        offset: usize,
        hidden: bool,
    ) -> Self {
        let line = line.trim_end_matches('\r');
        let before = cut(line, offset);
        Self {
            path: path.into(),
            line: number + 1,
            column: before.chars().count() + 1,
            text: line.to_owned(),
            offset: before.len(),
            hidden,
        }
    }

    /// Returns the line as messages show it, and the range of the character that the place points
    /// at. The range is empty at the end of the line.
    pub(super) fn snippet(&self) -> (String, std::ops::Range<usize>) {
        let (before, rest) = self.text.split_at(self.offset);
        let end = rest.char_indices().nth(MAX_SHOWN_CHARS).map(|(at, _)| at);
        let rest = &rest[..end.unwrap_or(rest.len())];
        let width = rest.chars().next().map_or(0, char::len_utf8);
        let parts = [before, &rest[..width], &rest[width..]];
        let [mut shown, character, after] = parts.map(visible_lines);
        let start = shown.len();
        shown.push_str(&character);
        let end = shown.len();
        shown.push_str(&after);
        (shown, start..end)
    }
}

/// A text with an index of its lines, to look up many places in it.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    /// The offset at which each line starts.
    starts: Vec<usize>,
    hidden: bool,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        Self {
            text: text.to_owned(),
            starts: std::iter::once(0).chain(breaks.map(|at| at + 1)).collect(),
            hidden: crate::secret::may_contain_secret(text.as_bytes()),
        }
    }

    /// Returns the place at `offset` bytes into a line, given by its number from 0. Returns the
    /// end of the text if there is no such line.
    pub(crate) fn place(&self, path: impl Into<PathBuf>, line: usize, offset: usize) -> Place {
        let Some(start) = self.starts.get(line) else {
            let last = self.starts.len().saturating_sub(1);
            return Place::in_line(path, "", last, 0, self.hidden);
        };
        let text = self.text[*start..].split('\n').next().unwrap_or_default();
        Place::in_line(path, text, line, offset, self.hidden)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shown(&self.path);
        write!(formatter, "{path}:{}:{}", self.line, self.column)
    }
}
