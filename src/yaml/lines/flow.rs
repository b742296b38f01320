//! Reads flow collections.

use super::super::builder::DEPTH_LIMIT;
use super::super::cursor::{is_white, skip_spaces};
use super::LineReader;
use super::scalar::{MAX_KEY_LEN, ScannedScalar, Stop};

/// The maximum nesting of brackets here. The parser accepts more.
const MAX_FLOW_DEPTH: usize = 64;

impl LineReader<'_> {
    /// Reads the flow collection whose bracket is at `at`, and the rest of the line where it ends.
    /// Returns `None` if it contains comments, pairs without braces or entries without values.
    pub(super) fn flow_value(&mut self, at: usize) -> Option<()> {
        let end = self.flow_collection(at, 1)?;
        let rest = skip_spaces(self.bytes, end);
        self.end_line(end, rest)
    }

    /// Reads the flow collection whose bracket is at `start`. Returns its end.
    fn flow_collection(&mut self, start: usize, depth: usize) -> Option<usize> {
        if depth > MAX_FLOW_DEPTH || self.frames.len() + depth > DEPTH_LIMIT {
            return None;
        }
        let is_map = self.bytes[start] == b'{';
        let closing = if is_map { b'}' } else { b']' };
        self.builder.begin_collection(start, is_map, true);
        let mut at = self.skip_white(start + 1)?;
        while *self.bytes.get(at)? != closing {
            let end = self.flow_entry(at, is_map, depth)?;
            at = self.skip_white(end)?;
            match *self.bytes.get(at)? {
                b',' => {
                    self.builder.set_comma();
                    at = self.skip_white(at + 1)?;
                }
                byte if byte == closing => {}
                _ => return None,
            }
        }
        self.builder.end_collection(Some(at + 1)).ok()?;
        Some(at + 1)
    }

    /// Reads the field or element at `at`. Returns its end.
    fn flow_entry(&mut self, at: usize, is_map: bool, depth: usize) -> Option<usize> {
        self.builder.begin_entry(at);
        let value = if is_map { self.flow_key(at)? } else { at };
        if matches!(self.bytes.get(value)?, b'[' | b'{') {
            return self.flow_collection(value, depth + 1);
        }
        let line = self.line;
        let scanned = self.flow_scalar(value)?;
        // quoted scalars with several lines and `[a: b]` are rare, so the parser reads them
        if self.line != line || matches!(scanned.stop, Stop::Colon(_)) {
            return None;
        }
        self.push_scalar(value, scanned);
        Some(scanned.end)
    }

    /// Reads the key of a field. Returns the start of its value.
    fn flow_key(&mut self, at: usize) -> Option<usize> {
        let key = self.flow_scalar(at)?;
        let Stop::Colon(colon) = key.stop else {
            return None;
        };
        if colon - at > MAX_KEY_LEN {
            return None;
        }
        self.push_scalar(at, key);
        self.builder.set_colon(colon);
        self.skip_white(colon + 1)
    }

    fn flow_scalar(&mut self, at: usize) -> Option<ScannedScalar> {
        match *self.bytes.get(at)? {
            b'\'' | b'"' => return self.scan_quoted(at),
            b'?' | b':' => return None,
            _ if !self.may_start_plain(at) => return None,
            _ => {}
        }
        let is_special = |byte: &u8| b",[]{}:#\n\r\t".contains(byte);
        let mut end = at;
        let stop = loop {
            end += self.bytes[end..].iter().position(is_special)?;
            match self.bytes[end] {
                b':' if is_white(self.bytes, end + 1) => break Stop::Colon(end),
                b':' if !b",[]{}".contains(&self.bytes[end + 1]) => end += 1,
                b'#' if self.bytes[end - 1] != b' ' => end += 1,
                b',' | b']' | b'}' | b'\n' | b'\r' => break Stop::Other,
                _ => return None,
            }
        };
        let content = self.builder.tree.text[at..end].trim_end_matches(' ');
        // the parser rejects `[-]` and `[a -]`
        if content == "-" || content.ends_with(" -") {
            return None;
        }
        Some(ScannedScalar::plain(at + content.len(), stop))
    }

    /// Skips spaces and line breaks between brackets. A following line has to be indented deeper
    /// than the block collection around it.
    fn skip_white(&mut self, at: usize) -> Option<usize> {
        let mut at = skip_spaces(self.bytes, at);
        let line = self.line;
        while at < self.bytes.len() && self.is_line_end(at) {
            self.line = self.next_line(at);
            at = skip_spaces(self.bytes, self.line);
        }
        let is_deep_enough = match self.frames.last() {
            _ if self.line == line => true,
            Some(frame) => at - self.line > frame.column,
            None => !self.is_marker(at) && self.bytes.get(at) != Some(&b'%'),
        };
        is_deep_enough.then_some(at)
    }
}
