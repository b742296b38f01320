//! Documents that follow each other in a file, and what is between them.

use rustc_hash::FxHashMap;

use crate::line_breaks::{cut_last_line, ends_line, lines, lines_with_breaks};
use crate::package::jobs::Job;
use crate::package::parsed::{Parsed, ParsedFile, Root};
use crate::triple::{Side, Triple};
use crate::yaml::stream::byte_order_mark;

/// Two documents that follow each other on all sides; no second one where the first is the last.
#[derive(Debug)]
pub(super) struct Neighbours {
    pub(super) above: Triple<usize>,
    pub(super) below: Option<Triple<usize>>,
}

impl Neighbours {
    /// Both, and what is between them.
    pub(super) fn text<'a>(&self, file: &ParsedFile<'a>, side: Side) -> &'a str {
        let above = &file.documents[self.above[side]].document;
        let below = self
            .below
            .map(|below| &file.documents[below[side]].document);
        let end = below.map_or(file.text.len(), |it| it.start + it.text.len());
        &file.text[above.start..end]
    }
}

/// The neighbours that three files have in common.
pub(super) fn neighbours(files: &Triple<&ParsedFile<'_>>, job: &Job) -> Vec<Neighbours> {
    let documents = files.map(|file| file.with_content().collect::<Vec<usize>>());
    let mut here: FxHashMap<usize, Triple<usize>> = FxHashMap::default();
    for group in &job.here {
        let in_file = group.zip(job.file).try_map(|(member, file)| {
            let member = member.filter(|it| Some(it.triple) == file);
            member.map(|it| it.document).ok_or(())
        });
        if let Ok(in_file) = in_file {
            here.insert(in_file.local, in_file);
        }
    }
    let next = |side: Side, document: usize| {
        let at = documents[side].binary_search(&document).ok()?;
        Some(documents[side].get(at + 1).copied())
    };
    let found = documents.local.iter().filter_map(|local| {
        let above = *here.get(local)?;
        let below = match next(Side::Local, *local)? {
            Some(below) => Some(*here.get(&below)?),
            None => None,
        };
        let is_next = |side: Side| next(side, above[side]) == Some(below.map(|it| it[side]));
        let are_next = Side::ALL.map(is_next).into_array() == [true; 3];
        are_next.then_some(Neighbours { above, below })
    });
    found.collect()
}

/// What is between two documents of a file, or below the last one.
pub(super) struct Between<'f, 'a> {
    text: &'a str,
    above: &'f Parsed<'a>,
    /// Where the comments end that are right above the first `---`.
    pub(super) gap_start: usize,
    /// Where the second document's chunk starts, or the file ends.
    pub(super) end: usize,
}

impl<'f, 'a> Between<'f, 'a> {
    /// What is between these documents of a file, by their index.
    pub(super) fn of(file: &'f ParsedFile<'a>, above: usize, below: Option<usize>) -> Self {
        let text = file.text;
        let above = &file.documents[above];
        let start = above.document.start + above.document.text.len();
        let comments = lines_with_breaks(&text[start..]);
        let comments = comments.take_while(|line| line.starts_with('#'));
        Self {
            text,
            above,
            gap_start: start + comments.map(str::len).sum::<usize>(),
            end: below.map_or(text.len(), |below| file.documents[below].document.start),
        }
    }

    pub(super) fn start(&self) -> usize {
        self.above.document.start + self.above.document.text.len()
    }

    /// The comments right above the first `---`.
    pub(super) fn lead(&self) -> &'a str {
        &self.text[self.start()..self.gap_start]
    }

    /// The same, where the comments above the `---` end before the first line that is none of them.
    pub(super) fn with_lead_while(self, is_lead: impl Fn(&&str) -> bool) -> Self {
        let lead = lines_with_breaks(self.lead()).take_while(is_lead);
        let gap_start = self.start() + lead.map(str::len).sum::<usize>();
        Self { gap_start, ..self }
    }

    /// The comments at the end of the first document.
    pub(super) fn comments_below_document(&self) -> impl Iterator<Item = &'a str> {
        let text = self.above.document.text;
        let mut rest = match self.above.root {
            Root::Value(lines) => &text[lines.end as usize..],
            Root::Block | Root::Other => text,
        };
        let lines = std::iter::from_fn(move || {
            let (line, above) = cut_last_line(rest);
            rest = above;
            (!line.is_empty()).then_some(line.trim())
        });
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with('#'));
        lines.filter(|line| !line.is_empty())
    }

    /// Whether what is here are comments and `---` lines and nothing else.
    pub(super) fn can_be_cut(&self) -> bool {
        let document = &self.above.document;
        let is_plain = |line: &str| !line.starts_with(['%', '.']) && byte_order_mark(line) == 0;
        !matches!(self.above.root, Root::Other)
            && ends_line(document.text)
            && document.body.end as usize == document.text.len()
            && lines(&self.text[self.start()..self.end.max(self.gap_start)]).all(is_plain)
            && (self.gap_start == self.text.len() || self.text[self.gap_start..].starts_with("---"))
    }
}
