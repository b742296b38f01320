//! Where the lines of a text start, found once where it is asked for often or lines are long.

use std::sync::OnceLock;

use super::stream::line_ends;

/// The starts of all lines of the text of a [`Tree`](super::Tree), which are looked for when first
/// needed.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineTable {
    starts: OnceLock<Box<[u32]>>,
}

impl LineTable {
    /// How many line breaks end at or before `offset`: the number of the line that it is in, from
    /// 0.
    pub(super) fn number(&self, text: &str, offset: u32) -> usize {
        self.starts(text).partition_point(|start| *start <= offset) - 1
    }

    /// The start of the line that `offset` is in.
    pub(super) fn start(&self, text: &str, offset: u32) -> u32 {
        self.starts(text)[self.number(text, offset)]
    }

    /// The start of the line after the one that `offset` is in; none in the last one.
    pub(super) fn next(&self, text: &str, offset: u32) -> Option<u32> {
        let next = self.number(text, offset) + 1;
        self.starts(text).get(next).copied()
    }

    fn starts(&self, text: &str) -> &[u32] {
        self.starts.get_or_init(|| {
            let starts = line_ends(text.as_bytes()).map(|end| end as u32 + 1);
            std::iter::once(0).chain(starts).collect()
        })
    }
}
