//! What a document says on its two upper levels, read line by line: many times as fast as a tree.
//!
//! This knows plain block YAML and nothing else: maps and lists by indentation, scalars, empty
//! brackets and lists of words in brackets. Whatever it does not know for sure to be valid, it says
//! nothing about: a tree has to be made then. A tree over what it speaks about can be made, and
//! says the same.

use memchr::{memchr, memchr2, memchr3};

use super::cursor::skip_spaces;
use super::navigate::is_readable;
use super::outline_scalar::{Ended, first_of_plain, has_odd_characters};

/// More levels than any document has that people write.
const DEEPEST: usize = 64;
/// No reader takes longer keys than 1024 characters.
const LONGEST_KEY: usize = 256;

/// The fields of a document's two upper levels.
///
/// ```
/// use merge3::yaml::{Outline, Text};
///
/// let outline = Outline::of("kind: Pod\nmetadata:\n  name: 'a'\n  labels: {}\n").unwrap();
/// assert_eq!(outline.field(None, "kind"), Some(Text::Is("Pod")));
/// let metadata = outline.find("metadata");
/// assert_eq!(outline.field(metadata, "name"), Some(Text::Is("a")));
/// assert_eq!(outline.field(metadata, "labels"), Some(Text::None));
/// assert!(!outline.may_have_null);
/// assert!(Outline::of("kind: *anchor\n").is_none());
/// ```
#[derive(Debug, Default)]
pub struct Outline<'s> {
    /// Whether there is anything but comments.
    pub has_content: bool,
    /// Whether a field's value may be null, on any level.
    pub may_have_null: bool,
    fields: Vec<Field<'s>>,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text<'s> {
    /// A scalar that says this.
    Is(&'s str),
    /// Null, a map or a list.
    None,
    /// Something that only a tree tells.
    Unread,
}

#[derive(Debug)]
struct Field<'s> {
    /// The field of the document's map that holds it, as an index; none for these themselves.
    above: Option<usize>,
    key: &'s str,
    text: Text<'s>,
}

impl<'s> Outline<'s> {
    /// The outline of a document's text; none where it is not plain, or not valid.
    pub fn of(text: &'s str) -> Option<Self> {
        if is_readable(text).is_err() || has_odd_characters(text) {
            return None;
        }
        let mut reader = Reader {
            text,
            bytes: text.as_bytes(),
            line: 0,
            frames: Vec::with_capacity(16),
            keys: Vec::with_capacity(64),
            waits: false,
            outline: Self {
                fields: Vec::with_capacity(16),
                ..Self::default()
            },
            current: None,
        };
        reader.document()?;
        Some(reader.outline)
    }

    /// Where the field of the document's map with this key is.
    pub fn find(&self, key: &str) -> Option<usize> {
        let mut fields = self.fields.iter();
        fields.position(|field| field.above.is_none() && field.key == key)
    }

    /// What a field holds, of the document's map or of the field of it that stands at `above`.
    pub fn field(&self, above: Option<usize>, key: &str) -> Option<Text<'s>> {
        let mut fields = self.fields.iter();
        let found = fields.find(|field| field.above == above && field.key == key);
        found.map(|field| field.text)
    }
}

/// A map or list that is being read.
struct Frame {
    column: usize,
    is_list: bool,
    /// Its first key in [`Reader::keys`].
    first_key: usize,
}

pub(super) struct Reader<'s> {
    pub(super) text: &'s str,
    pub(super) bytes: &'s [u8],
    /// The start of the next line.
    line: usize,
    frames: Vec<Frame>,
    /// Hashes of the keys of the maps that are being read.
    keys: Vec<u64>,
    /// Whether the last entry's value is still to come, below it.
    waits: bool,
    outline: Outline<'s>,
    /// The field of the document's map that is being read.
    current: Option<usize>,
}

impl<'s> Reader<'s> {
    fn document(&mut self) -> Option<()> {
        let mut at_start = true;
        while let Some(at) = self.next_content() {
            if at_start && self.bytes[at..].starts_with(b"---") && at == self.line {
                self.line = self.nothing_after(at + 3)?;
            } else {
                self.entry(at)?;
            }
            at_start = false;
        }
        self.outline.has_content = !self.frames.is_empty();
        self.ends_waiting();
        while !self.frames.is_empty() {
            self.end_frame()?;
        }
        Some(())
    }

    /// The next line's first byte that is no space, blank lines and comment lines aside.
    fn next_content(&mut self) -> Option<usize> {
        loop {
            let at = self.skip_spaces(self.line);
            match self.bytes.get(at)? {
                b'\n' => self.line = at + 1,
                b'#' => self.line = self.line_end(at) + 1,
                _ => return Some(at),
            }
            if self.line >= self.bytes.len() {
                return None;
            }
        }
    }

    /// A line that begins with a field or an element.
    fn entry(&mut self, at: usize) -> Option<()> {
        let is_list = self.is_dash(at);
        self.place(at - self.line, is_list)?;
        let mut at = at;
        while self.is_dash(at) {
            let value = self.skip_spaces(at + 1);
            if matches!(self.bytes.get(value), None | Some(b'\n' | b'#')) {
                self.line = self.nothing_after(at + 1)?;
                self.waits = true;
                return Some(());
            }
            at = value;
            if self.is_dash(at) {
                self.begin_frame(at - self.line, true)?;
            } else if self.key(at).is_some() {
                self.begin_frame(at - self.line, false)?;
            } else {
                return self.value(at).map(|_| ());
            }
        }
        self.fields_entry(at)
    }

    /// Ends what has ended before a line at this column, and begins what begins with it.
    fn place(&mut self, column: usize, is_list: bool) -> Option<()> {
        let Some(top) = self.frames.last() else {
            return (column == 0).then(|| self.begin_frame(0, is_list))?;
        };
        let compact = is_list && !top.is_list && column == top.column;
        if self.waits && (column > top.column || compact) {
            self.waits = false;
            return self.begin_frame(column, is_list);
        }
        self.ends_waiting();
        loop {
            let top = self.frames.last()?;
            if column == top.column && is_list == top.is_list {
                return Some(());
            }
            // a list may stand in the column of the field that holds it
            if column > top.column || (column == top.column && !top.is_list) {
                return None;
            }
            self.end_frame()?;
        }
    }

    /// A value that was still to come does not come: it is null.
    fn ends_waiting(&mut self) {
        let in_map = self.frames.last().is_some_and(|top| !top.is_list);
        self.outline.may_have_null |= self.waits && in_map;
        self.waits = false;
    }

    fn begin_frame(&mut self, column: usize, is_list: bool) -> Option<()> {
        self.frames.push(Frame {
            column,
            is_list,
            first_key: self.keys.len(),
        });
        (self.frames.len() <= DEEPEST).then_some(())
    }

    /// Ends a map or list; none where a key may be in it twice.
    fn end_frame(&mut self) -> Option<()> {
        let frame = self.frames.pop()?;
        let keys = &mut self.keys[frame.first_key..];
        let twice = if keys.len() <= 12 {
            let mut rest = &*keys;
            std::iter::from_fn(|| {
                let (first, others) = rest.split_first()?;
                rest = others;
                Some(others.contains(first))
            })
            .any(|twice| twice)
        } else {
            keys.sort_unstable();
            keys.windows(2).any(|pair| pair[0] == pair[1])
        };
        self.keys.truncate(frame.first_key);
        (!twice).then_some(())
    }

    /// The key that begins here, and where its colon stands; none where there is none of those that
    /// this knows.
    fn key(&self, at: usize) -> Option<(&'s str, usize)> {
        let (key, colon) = match self.bytes[at] {
            quote @ (b'"' | b'\'') => {
                let end = at + 1 + memchr3(quote, b'\n', b'\\', &self.bytes[at + 1..])?;
                (self.bytes[end] == quote).then_some((&self.text[at + 1..end], end + 1))?
            }
            first if is_word(first) && first != b'-' => {
                let rest = &self.bytes[at..];
                let end = at + rest.iter().position(|byte| !is_word(*byte))?;
                (&self.text[at..end], end)
            }
            _ => return None,
        };
        let is_key = self.bytes.get(colon) == Some(&b':')
            && matches!(self.bytes.get(colon + 1), None | Some(b' ' | b'\n'))
            && key.len() <= LONGEST_KEY
            && !key.starts_with("...")
            && !key.eq_ignore_ascii_case("null");
        is_key.then_some((key, colon))
    }

    fn fields_entry(&mut self, at: usize) -> Option<()> {
        let (key, colon) = self.key(at)?;
        self.keys.push(hash(key.as_bytes()));
        let value = self.skip_spaces(colon + 1);
        let text = if matches!(self.bytes.get(value), None | Some(b'\n' | b'#')) {
            if self.frames.len() == 1 && self.rest_of_line(value).contains("kpt-merge") {
                return None;
            }
            self.line = self.nothing_after(colon + 1)?;
            self.waits = true;
            Text::None
        } else {
            self.value(value)?
        };
        let above = match self.frames.len() {
            1 => None,
            2 if !self.frames[0].is_list => Some(self.current?),
            _ => return Some(()),
        };
        if above.is_none() {
            self.current = Some(self.outline.fields.len());
        }
        self.outline.fields.push(Field { above, key, text });
        Some(())
    }

    /// A value that begins on the line of its key or dash. Goes on to the line behind it.
    fn value(&mut self, at: usize) -> Option<Text<'s>> {
        let top = self.frames.last()?;
        let (column, in_map) = (top.column, !top.is_list);
        let (text, ended) = match self.bytes[at] {
            b'"' | b'\'' => self.quoted(at, column)?,
            b'|' | b'>' => {
                self.line = self.block_scalar(at, column)?;
                return Some(Text::Unread);
            }
            b'{' if self.bytes.get(at + 1) == Some(&b'}') => (Text::None, Ended::At(at + 2)),
            b'[' => (Text::None, Ended::At(self.words(at)?)),
            _ if first_of_plain(self.bytes, at) => self.plain(at, column)?,
            _ => return None,
        };
        let is_null = matches!(text, Text::Is("~" | "null" | "Null" | "NULL"))
            && !matches!(self.bytes[at], b'"' | b'\'');
        self.outline.may_have_null |= is_null && in_map;
        self.line = match ended {
            Ended::Line(next) => next,
            Ended::At(end) => self.nothing_after(end)?,
        };
        Some(if is_null { Text::None } else { text })
    }

    /// The end of a list of words in brackets, on one line.
    fn words(&self, at: usize) -> Option<usize> {
        let mut at = self.skip_spaces(at + 1);
        while self.bytes.get(at)? != &b']' {
            at = match self.bytes[at] {
                quote @ (b'"' | b'\'') => {
                    let end = at + 1 + memchr3(quote, b'\n', b'\\', &self.bytes[at + 1..])?;
                    (self.bytes[end] == quote).then_some(end + 1)?
                }
                first if first.is_ascii_alphanumeric() || first == b'/' => {
                    at + self.bytes[at..].iter().position(|byte| !is_word(*byte))?
                }
                _ => return None,
            };
            at = self.skip_spaces(at);
            at = match self.bytes.get(at)? {
                b',' => self.skip_spaces(at + 1),
                b']' => at,
                _ => return None,
            };
        }
        Some(at + 1)
    }

    fn is_dash(&self, at: usize) -> bool {
        self.bytes[at] == b'-' && matches!(self.bytes.get(at + 1), None | Some(b' ' | b'\n'))
    }

    pub(super) fn skip_spaces(&self, at: usize) -> usize {
        skip_spaces(self.bytes, at)
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr(b'\n', rest).map_or(self.bytes.len(), |end| at + end)
    }

    fn rest_of_line(&self, at: usize) -> &'s str {
        self.text.get(at..self.line_end(at)).unwrap_or_default()
    }

    /// The start of the line after this one, if nothing but a comment follows on this one.
    pub(super) fn nothing_after(&self, end: usize) -> Option<usize> {
        let at = self.skip_spaces(end);
        match self.bytes.get(at) {
            None => Some(at),
            Some(b'\n') => Some(at + 1),
            Some(b'#') if at > end => Some(self.line_end(at) + 1),
            Some(_) => None,
        }
    }

    /// Where in a stretch something begins that ends a scalar without quotes, or must not be in it.
    pub(super) fn sign_in(&self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while let Some(found) = memchr2(b':', b'#', &self.bytes[at..to]) {
            at += found;
            let is_sign = match self.bytes[at] {
                b':' => matches!(self.bytes.get(at + 1), None | Some(b' ' | b'\n' | b'\t')),
                _ => matches!(self.bytes[at - 1], b' ' | b'\t'),
            };
            if is_sign {
                return Some(at);
            }
            at += 1;
        }
        None
    }
}

/// A byte of a word that is a key without any doubt.
const fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let sign = byte as u8;
        word[byte] =
            sign.is_ascii_alphanumeric() || matches!(sign, b'_' | b'-' | b'.' | b'/' | b'$');
        byte += 1;
    }
    word
};

fn hash(bytes: &[u8]) -> u64 {
    use std::hash::Hasher as _;

    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
