//! Reads the indicators around a node.

use yaml_rust2::parser::Tag;

use super::super::comments::span;
use super::super::error::ParseError;
use super::{EventReader, Properties, Result, Shape};

impl EventReader<'_> {
    /// Reads the indicators before the next node.
    pub(super) fn read_indicators(&mut self, empty: bool) -> Result<()> {
        let Some(shape) = self.frames.last().map(|frame| frame.shape) else {
            self.skip_trivia();
            self.builder.begin_root(self.cursor.pos);
            return Ok(());
        };
        if self.builder.expects_value() {
            return self.colon(shape, empty);
        }
        let has_comma = matches!(shape, Shape::FlowMap | Shape::FlowList);
        if has_comma && self.builder.last_entry().is_some() {
            self.skip_trivia();
            if self.cursor.peek() != Some(b',') {
                return Err(self.mismatch("a `,`"));
            }
            self.comma();
        }
        self.skip_trivia();
        let start = self.cursor.pos;
        if matches!(shape, Shape::BlockMap | Shape::BlockList) {
            self.check_indentation(start)?;
        }
        self.builder.begin_entry(start);
        match shape {
            Shape::BlockList if self.cursor.at_indicator(b'-') => self.indicator(),
            Shape::BlockList => return Err(self.mismatch("a `-`")),
            Shape::FlowList => {}
            _ if self.cursor.at_indicator(b'?') => self.indicator(),
            Shape::BlockMap | Shape::FlowMap | Shape::FlowPair => self.last_end = start,
        }
        Ok(())
    }

    /// Checks that only spaces precede an entry of a block collection on its line. The parser
    /// accepts a tab in some places and then takes another column than other readers.
    fn check_indentation(&self, start: usize) -> Result<()> {
        let line = self.cursor.line_start(start);
        match memchr::memchr(b'\t', &self.cursor.bytes()[line..start]) {
            Some(at) => Err(ParseError::tab_indentation(line + at)),
            None => Ok(()),
        }
    }

    /// Skips an indicator of one byte.
    pub(super) fn indicator(&mut self) {
        self.cursor.pos += 1;
        self.last_end = self.cursor.pos;
    }

    /// Skips a comma and records it.
    pub(super) fn comma(&mut self) {
        self.builder.set_comma();
        self.cursor.pos += 1;
    }

    /// Reads the colon after a key. A key without a value may have none.
    pub(super) fn colon(&mut self, shape: Shape, empty: bool) -> Result<()> {
        let has_break = self.skip_trivia();
        let at = self.cursor.pos;
        let is_colon = match shape {
            Shape::BlockMap => {
                self.cursor.at_indicator(b':')
                    && (!has_break || self.cursor.column(at) == self.block_column().unwrap_or(0))
            }
            _ => self.cursor.peek() == Some(b':'),
        };
        if is_colon {
            self.indicator();
            self.builder.set_colon(at);
        } else if !empty {
            return Err(self.mismatch("a `:`"));
        }
        Ok(())
    }

    /// Returns the column of the innermost block collection.
    pub(super) fn block_column(&self) -> Option<usize> {
        let entry = self.builder.last_entry()?;
        Some(self.cursor.column(entry.span.start as usize))
    }

    /// Reads the anchor and the tag that the event has.
    pub(super) fn properties(&mut self, anchor: usize, tag: Option<&Tag>) -> Result<Properties> {
        let mut properties = Properties::default();
        let in_flow = self.frames.last();
        let in_flow =
            in_flow.is_some_and(|frame| !matches!(frame.shape, Shape::BlockMap | Shape::BlockList));
        for _ in 0..usize::from(anchor > 0) + usize::from(tag.is_some()) {
            self.skip_trivia();
            let start = self.cursor.pos;
            let (slot, end) = match self.cursor.peek() {
                Some(b'&') => (&mut properties.anchor, self.cursor.anchor_end()),
                Some(b'!') => (&mut properties.tag, self.cursor.tag_end(in_flow)),
                _ => return Err(self.mismatch("an anchor or a tag")),
            };
            if slot.replace(span(start, end)).is_some() {
                return Err(self.mismatch("an anchor or a tag"));
            }
            self.cursor.pos = end;
            self.last_end = end;
        }
        Ok(properties)
    }
}
