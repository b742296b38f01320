//! The documents of a file, cut out of it alike on all three sides: a comment that is above a
//! `---` in one version and below a document in another is one piece of text, and so is what is
//! between `---` lines and is no document.

use rustc_hash::{FxHashMap, FxHashSet};

use super::head::{own_of_head, with_heads};
use super::jobs::Job;
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile, Root};
use crate::line_breaks::{cut_last_line, ends_line, lines, lines_with_breaks};
use crate::triple::{Side, Triple};
use crate::yaml::stream::{byte_order_mark, count_lines};
use crate::yaml::{Document, Span};

/// A document that is cut otherwise than its file alone would have it.
#[derive(Debug, Clone)]
pub(super) struct Cut<'a> {
    pub(super) parsed: Parsed<'a>,
    /// What is between it and the document above it, and is no document.
    pub(super) gap: &'a str,
    /// What is below the last document of the file, and is no document.
    pub(super) tail: &'a str,
}

/// The documents of the three files that are cut otherwise, by their index.
#[derive(Debug, Default)]
pub(super) struct Cuts<'a> {
    cuts: Triple<FxHashMap<usize, Cut<'a>>>,
    /// The chunks of the local file that are in a gap or in the tail.
    absorbed: FxHashSet<usize>,
    /// The first document of the local file, where the heads of the files merge with it.
    pub(super) first: Option<usize>,
}

impl<'a> Cuts<'a> {
    /// Cuts the files that a job merges.
    pub(super) fn of(files: &Triple<Option<&ParsedFile<'a>>>, job: &Job) -> Self {
        let mut cuts = Self::default();
        let Ok(files) = files.try_map(|file| file.ok_or(())) else {
            return cuts;
        };
        if files.updated.text == files.original.text || files.updated.text == files.local.text {
            return cuts;
        }
        for neighbours in neighbours(&files, job) {
            cuts.cut_between(&files, &neighbours);
        }
        cuts.cut_heads(&files, job);
        if cuts.first.is_none() {
            cuts.cut_own_heads(&files, job);
        }
        cuts
    }

    /// Has the last comments in the head of a file be those of its first document, where that is
    /// not the first one in another version.
    fn cut_own_heads(&mut self, files: &Triple<&ParsedFile<'a>>, job: &Job) {
        let document = |group: &Group, side: Side| {
            let member = group[side].filter(|it| Some(it.triple) == job.file[side]);
            member.map(|it| it.document)
        };
        for side in Side::ALL.into_array() {
            let (coming, others) = match side {
                Side::Original => (&*job.coming, [Side::Updated].as_slice()),
                Side::Updated => (&*job.coming, [Side::Original].as_slice()),
                Side::Local => (&[][..], [Side::Original, Side::Updated].as_slice()),
            };
            let mut groups = job.here.iter().chain(coming);
            let first = groups.find(|group| document(group, side) == Some(0));
            let Some(group) = first else { continue };
            let own = others.iter().find_map(|other| {
                let other = &files[*other].documents[document(group, *other)?];
                own_of_head(&files[side].documents[0].document, &other.document)
            });
            if let Some(own) = own {
                self.at(files, side, 0).gap = own;
            }
        }
    }

    /// Has the first documents merge with the heads of their files.
    fn cut_heads(&mut self, files: &Triple<&ParsedFile<'a>>, job: &Job) {
        let has_content = |parsed: &Parsed<'_>| parsed.has_content;
        let first = |file: &ParsedFile<'_>| file.documents.iter().position(has_content).ok_or(());
        let Ok(firsts) = files.try_map(first) else {
            return;
        };
        let group = job
            .file
            .zip(firsts)
            .map(|(triple, document)| triple.map(|triple| DocRef { triple, document }));
        if !job.here.contains(&group) {
            return;
        }
        let down_to_first = |side: Side| {
            let first = &files[side].documents[firsts[side]].document;
            &files[side].text[..first.start + first.text.len()]
        };
        if !changes(Side::ALL.map(down_to_first)) {
            return;
        }
        let parsed = |side: Side| match self.get(side, firsts[side]) {
            Some(cut) => &cut.parsed,
            None => &files[side].documents[firsts[side]],
        };
        let Some(heads) = with_heads(files, Side::ALL.map(parsed)) else {
            return;
        };
        for (side, head) in Side::ALL.zip(heads).into_array() {
            let tail = self.get(side, firsts[side]).map_or("", |cut| cut.tail);
            self.cuts[side].insert(firsts[side], Cut { tail, ..head });
        }
        self.absorbed.extend(0..firsts.local);
        self.first = Some(firsts.local);
    }

    pub(super) fn get(&self, side: Side, document: usize) -> Option<&Cut<'a>> {
        self.cuts[side].get(&document)
    }

    fn at(&mut self, files: &Triple<&ParsedFile<'a>>, side: Side, document: usize) -> &mut Cut<'a> {
        let cut = || Cut {
            parsed: files[side].documents[document].clone(),
            gap: "",
            tail: "",
        };
        self.cuts[side].entry(document).or_insert_with(cut)
    }

    /// Local's file, cut so; `None` if it is cut as it is.
    pub(super) fn local_file(&self, file: &ParsedFile<'a>) -> Option<ParsedFile<'a>> {
        let cuts = &self.cuts.local;
        if cuts.is_empty() {
            return None;
        }
        let documents = file.documents.iter().enumerate().map(|(index, parsed)| {
            if self.absorbed.contains(&index) {
                return parsed.cut_otherwise(Document {
                    text: "",
                    body: Span::default(),
                    ..parsed.document
                });
            }
            let Some(Cut { parsed, gap, tail }) = cuts.get(&index) else {
                return parsed.clone();
            };
            let document = parsed.document;
            let start = document.start - gap.len();
            let end = document.start + document.text.len() + tail.len();
            parsed.cut_otherwise(cut(document, file.text, start, end))
        });
        let documents: Vec<Parsed<'a>> = documents.collect();
        let head = match self.first {
            Some(_) => byte_order_mark(file.text),
            None => documents.first().map_or(0, |it| it.document.start),
        };
        Some(file.with_documents(head, documents))
    }

    fn cut_between(&mut self, files: &Triple<&ParsedFile<'a>>, neighbours: &Neighbours) {
        if !changes(Side::ALL.map(|side| neighbours.text(files[side], side))) {
            return;
        }
        let sides = Side::ALL.map(|side| Between::of(files[side], side, neighbours));
        let all = || sides.as_ref().into_array().into_iter();
        let has_gap = all().any(|side| side.gap_start < side.end);
        let below: FxHashSet<&str> = all().flat_map(Between::comments_below_document).collect();
        let moves = |line: &str| below.contains(line.trim());
        let mut leads = all().flat_map(|side| lines(side.lead()));
        if !(has_gap || leads.any(moves)) || !all().all(Between::can_be_cut) {
            return;
        }
        for side in Side::ALL.into_array() {
            let (file, between) = (files[side], &sides[side]);
            let above = self.at(files, side, neighbours.above[side]);
            let document = above.parsed.document;
            let extended = cut(document, file.text, document.start, between.gap_start);
            above.parsed = above.parsed.cut_otherwise(extended);
            let gap = file.text.get(between.gap_start..between.end).unwrap_or("");
            let Some(below) = neighbours.below.map(|below| below[side]) else {
                above.tail = gap;
                continue;
            };
            let below = self.at(files, side, below);
            below.gap = gap;
            let document = below.parsed.document;
            let start = between.gap_start.max(between.end);
            let end = document.start + document.text.len();
            below.parsed = below
                .parsed
                .cut_otherwise(cut(document, file.text, start, end));
        }
        let first = neighbours.above.local + 1;
        let end = neighbours.below.map(|below| below.local);
        self.absorbed
            .extend(first..end.unwrap_or(files.local.documents.len()));
    }
}

/// A document of a file's text, from another start to another end. Its body begins where it began,
/// and ends with it.
pub(super) fn cut<'a>(
    document: Document<'a>,
    text: &'a str,
    start: usize,
    end: usize,
) -> Document<'a> {
    let offset = |at: usize| u32::try_from(at - start).unwrap_or(u32::MAX);
    let body_end = match document.body.end as usize == document.text.len() {
        true => end,
        false => document.start + document.body.end as usize,
    };
    let line = match start < document.start {
        true => document.line - count_lines(&text[start..document.start]),
        false => document.line + count_lines(&text[document.start..start]),
    };
    Document {
        text: &text[start..end],
        start,
        body: Span::new(
            offset(document.start + document.body.start as usize),
            offset(body_end),
        ),
        line,
        ..document
    }
}

/// Two documents that follow each other on all sides; no second one where the first is the last.
#[derive(Debug)]
struct Neighbours {
    above: Triple<usize>,
    below: Option<Triple<usize>>,
}

impl Neighbours {
    /// Both, and what is between them.
    fn text<'a>(&self, file: &ParsedFile<'a>, side: Side) -> &'a str {
        let above = &file.documents[self.above[side]].document;
        let below = self
            .below
            .map(|below| &file.documents[below[side]].document);
        let end = below.map_or(file.text.len(), |it| it.start + it.text.len());
        &file.text[above.start..end]
    }
}

/// Whether upstream made a change that local has not.
fn changes(texts: Triple<&str>) -> bool {
    texts.updated != texts.original && texts.updated != texts.local
}

/// The neighbours that three files have in common.
fn neighbours(files: &Triple<&ParsedFile<'_>>, job: &Job) -> Vec<Neighbours> {
    let with_content = |file: &ParsedFile<'_>| -> Vec<usize> {
        let documents = file.documents.iter().enumerate();
        let with_content = documents.filter(|(_, parsed)| parsed.has_content);
        with_content.map(|(index, _)| index).collect()
    };
    let documents = files.map(with_content);
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
struct Between<'f, 'a> {
    text: &'a str,
    above: &'f Parsed<'a>,
    /// Where the comments end that are right above the first `---`.
    gap_start: usize,
    /// Where the second document's chunk starts, or the file ends.
    end: usize,
}

impl<'f, 'a> Between<'f, 'a> {
    fn of(file: &'f ParsedFile<'a>, side: Side, neighbours: &Neighbours) -> Self {
        let text = file.text;
        let above = &file.documents[neighbours.above[side]];
        let start = above.document.start + above.document.text.len();
        let below = neighbours.below.map(|below| below[side]);
        let comments = lines_with_breaks(&text[start..]);
        let comments = comments.take_while(|line| line.starts_with('#'));
        Self {
            text,
            above,
            gap_start: start + comments.map(str::len).sum::<usize>(),
            end: below.map_or(text.len(), |below| file.documents[below].document.start),
        }
    }

    fn start(&self) -> usize {
        self.above.document.start + self.above.document.text.len()
    }

    /// The comments right above the first `---`.
    fn lead(&self) -> &'a str {
        &self.text[self.start()..self.gap_start]
    }

    /// The comments at the end of the first document.
    fn comments_below_document(&self) -> impl Iterator<Item = &'a str> {
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
    fn can_be_cut(&self) -> bool {
        let document = &self.above.document;
        let is_plain = |line: &str| !line.starts_with(['%', '.']) && byte_order_mark(line) == 0;
        !matches!(self.above.root, Root::Other)
            && ends_line(document.text)
            && document.body.end as usize == document.text.len()
            && lines(&self.text[self.start()..self.end.max(self.gap_start)]).all(is_plain)
            && (self.gap_start == self.text.len() || self.text[self.gap_start..].starts_with("---"))
    }
}
