//! A table of line starts, for texts with many lookups or long lines.

use std::sync::OnceLock;

use super::stored::to_u32;
use super::stream::line_ends;

/// The starts of all lines in the text of a [`Tree`](super::Tree). They are found on first use.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineTable {
    starts: OnceLock<Box<[u32]>>,
}

impl LineTable {
    /// Returns the number of the line of `offset`, from 0.
    pub(super) fn number(&self, text: &str, offset: u32) -> usize {
        self.starts(text).partition_point(|start| *start <= offset) - 1
    }

    /// Returns the start of the line of `offset`.
    #[cold]
    pub(super) fn start(&self, text: &str, offset: u32) -> u32 {
        self.starts(text)[self.number(text, offset)]
    }

    /// Returns the end of the line of `offset`, without its line break. The line is not empty.
    #[cold]
    pub(super) fn end(&self, text: &str, offset: u32) -> u32 {
        let next = self.starts(text).get(self.number(text, offset) + 1);
        let line = &text[..next.map_or(text.len(), |next| *next as usize)];
        to_u32(line.trim_end_matches(['\n', '\r']).len())
    }

    fn starts(&self, text: &str) -> &[u32] {
        self.starts.get_or_init(|| {
            let starts = line_ends(text.as_bytes()).map(|end| end as u32 + 1);
            std::iter::once(0).chain(starts).collect()
        })
    }
}
