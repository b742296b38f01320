//! The documents of a file, cut out of it alike on all three sides: a comment that is above a
//! `---` in one version and below a document in another is one piece of text, and so is what is
//! between `---` lines and is no document.

mod between;

use rustc_hash::{FxHashMap, FxHashSet};

use super::head::{comments_above, own_of_head, with_heads};
use super::jobs::Job;
use super::pair::{DocRef, Group};
use super::parsed::{Parsed, ParsedFile};
use crate::line_breaks::lines;
use crate::triple::{Side, Triple};
use crate::yaml::stream::{byte_order_mark, count_lines};
use crate::yaml::{Document, Span};

use between::{Between, Neighbours, neighbours};

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
            cuts.cut_ends(files, &[]);
            return cuts;
        };
        if files.updated.text == files.original.text || files.updated.text == files.local.text {
            return cuts;
        }
        let neighbours = neighbours(&files, job);
        for neighbours in &neighbours {
            cuts.cut_between(&files, neighbours);
        }
        cuts.cut_ends(&files.map(Some), &neighbours);
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
            // what local has of updated's head is the head's here too
            let is_head = |own: &str| {
                let head = self.head(Side::Updated, files.updated);
                let rest = files.local.head.strip_suffix(own).unwrap_or("");
                let count =
                    |text: &str, line| comments_above(text).filter(|it| *it == line).count();
                comments_above(own).all(|line| count(head, line) > count(rest, line))
            };
            if let Some(own) = own.filter(|own| side != Side::Local || !is_head(own)) {
                self.at(files[side], side, 0).gap = own;
            }
        }
    }

    /// Has the first documents merge with the heads of their files.
    fn cut_heads(&mut self, files: &Triple<&ParsedFile<'a>>, job: &Job) {
        let Ok(firsts) = files.try_map(|file| file.with_content().next().ok_or(())) else {
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

    /// The head of a side's file, without what belongs to its first document.
    pub(super) fn head<'t>(&self, side: Side, file: &ParsedFile<'t>) -> &'t str {
        let own = self.get(side, 0).map_or("", |cut| cut.gap);
        file.head.strip_suffix(own).unwrap_or(file.head)
    }

    pub(super) fn get(&self, side: Side, document: usize) -> Option<&Cut<'a>> {
        self.cuts[side].get(&document)
    }

    fn at(&mut self, file: &ParsedFile<'a>, side: Side, document: usize) -> &mut Cut<'a> {
        let cut = || Cut {
            parsed: file.documents[document].clone(),
            gap: "",
            tail: "",
        };
        self.cuts[side].entry(document).or_insert_with(cut)
    }

    /// A side's file, cut so; `None` if it is cut as it is.
    pub(super) fn file(&self, side: Side, file: &ParsedFile<'a>) -> Option<ParsedFile<'a>> {
        let cuts = &self.cuts[side];
        if cuts.is_empty() {
            return None;
        }
        let documents = file.documents.iter().enumerate().map(|(index, parsed)| {
            if side == Side::Local && self.absorbed.contains(&index) {
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
        let sides = Side::ALL.map(|side| {
            let below = neighbours.below.map(|below| below[side]);
            Between::of(files[side], neighbours.above[side], below)
        });
        let all = || sides.as_ref().into_array().into_iter();
        let has_gap = all().any(|side| side.gap_start < side.end);
        let below: FxHashSet<&str> = all().flat_map(Between::comments_below_document).collect();
        let moves = |line: &str| below.contains(line.trim());
        let mut leads = all().flat_map(|side| lines(side.lead()));
        if !(has_gap || leads.any(moves)) || !all().all(Between::can_be_cut) {
            return;
        }
        for side in Side::ALL.into_array() {
            let below = neighbours.below.map(|below| below[side]);
            self.cut_side(
                files[side],
                side,
                (neighbours.above[side], below),
                &sides[side],
            );
        }
        let first = neighbours.above.local + 1;
        let end = neighbours.below.map(|below| below.local);
        self.absorbed
            .extend(first..end.unwrap_or(files.local.documents.len()));
    }

    /// Cuts what is between two documents of a side: the comments right above the `---` are of the
    /// one above.
    fn cut_side(
        &mut self,
        file: &ParsedFile<'a>,
        side: Side,
        (above, below): (usize, Option<usize>),
        between: &Between<'_, 'a>,
    ) {
        let text = file.text;
        let above = self.at(file, side, above);
        let document = above.parsed.document;
        let extended = cut(document, text, document.start, between.gap_start);
        above.parsed = above.parsed.cut_otherwise(extended);
        let gap = text.get(between.gap_start..between.end).unwrap_or("");
        let Some(below) = below else {
            above.tail = gap;
            return;
        };
        let below = self.at(file, side, below);
        below.gap = gap;
        let document = below.parsed.document;
        let start = between.gap_start.max(between.end);
        let end = document.start + document.text.len();
        let rest = cut(document, text, start, end);
        below.parsed = below.parsed.cut_otherwise(rest);
    }

    /// Has the first comments right above a `---` be of the document above, as far as a document of
    /// any version ends with the same lines, and all can be cut so: documents come, go or move.
    fn cut_ends(&mut self, files: &Triple<Option<&ParsedFile<'a>>>, cut: &[Neighbours]) {
        let betweens = Side::ALL.zip(*files).map(|(side, file)| {
            let is_cut: FxHashSet<usize> = cut.iter().map(|it| it.above[side]).collect();
            let count = file.map_or(0, |file| file.documents.len());
            let above = (0..count.saturating_sub(1)).filter(|above| !is_cut.contains(above));
            let between = above.filter_map(|above| {
                let between = Between::of(file?, above, Some(above + 1));
                (!between.lead().is_empty()).then_some((above, between))
            });
            between.collect::<Vec<_>>()
        });
        if betweens
            .as_ref()
            .into_array()
            .iter()
            .all(|it| it.is_empty())
        {
            return;
        }
        let all = files.into_array().into_iter().flatten();
        let documents =
            all.flat_map(|file| (0..file.documents.len()).map(|at| Between::of(file, at, None)));
        let documents: Vec<Between<'_, 'a>> = documents.collect();
        let mut ends: FxHashSet<&str> = documents
            .iter()
            .flat_map(Between::comments_below_document)
            .collect();
        // all are cut alike
        let all = betweens.as_ref().into_array().into_iter().flatten();
        for (_, between) in all.filter(|(_, between)| !between.can_be_cut()) {
            for line in lines(between.lead()) {
                ends.remove(line.trim());
            }
        }
        for (side, betweens) in Side::ALL.zip(betweens).into_array() {
            let Some(file) = files[side] else { continue };
            for (above, between) in betweens {
                let is_end = |line: &&str| ends.contains(line.trim());
                let between = between.with_lead_while(is_end);
                if !between.lead().is_empty() {
                    self.cut_side(file, side, (above, Some(above + 1)), &between);
                }
            }
        }
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

/// Whether upstream made a change that local has not.
fn changes(texts: Triple<&str>) -> bool {
    texts.updated != texts.original && texts.updated != texts.local
}
